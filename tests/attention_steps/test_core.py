"""The three steps, and their composition against torch's own function and plain loops."""

import itertools
import math
from typing import Any, NamedTuple

import pytest
import torch
from torch import Tensor

from attention_steps import (
    attention_weights,
    scaled_dot_product_attention,
    trace_attention,
)
from tests.attention_steps.oracles import (
    DTYPES,
    TOLERANCE,
    assert_near,
    assert_same_gradients,
    attention_by_loops,
    query_key_value,
    randn,
    random_mask,
    torch_attention,
)

INF = math.inf


# The small functions ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ([1e4, 1e4], [0.5, 0.5]),
        ([1e4, -1e4], [1.0, 0.0]),
        ([3e38, -3e38], [1.0, 0.0]),
        ([-1e5, -1e5 + math.log(3.0)], [0.25, 0.75]),
        ([-INF, 2.0], [0.0, 1.0]),
        ([-INF, -INF], [0.0, 0.0]),
    ],
)
def test_weights_of_extreme_scores(row: list[float], expected: list[float]) -> None:
    scores = torch.tensor([row], dtype=torch.float64, requires_grad=True)
    weights = attention_weights(scores)
    (gradient,) = torch.autograd.grad(weights.sum(), scores)
    assert_near(weights, torch.tensor([expected], dtype=torch.float64), 1e-9)
    # The weights of a row add up to the same number whatever its scores are.
    assert_near(gradient, torch.zeros(1, 2))


def test_weights_of_a_fully_masked_row_are_zeros_with_a_zero_gradient() -> None:
    scores = randn(3, 4, requires_grad=True)
    mask = torch.tensor([[True], [False], [True]]).expand(3, 4)
    weights = attention_weights(scores, mask)
    (gradient,) = torch.autograd.grad(weights, scores, randn(3, 4, seed=1))
    assert torch.equal(weights[1], torch.zeros(4, dtype=torch.float64))
    assert torch.equal(gradient[1], torch.zeros(4, dtype=torch.float64))
    assert gradient[0].abs().min() > 0


# The composition, against torch and against loops --------------------------------------------


class Case(NamedTuple):
    """Shapes of query, key and value, and the arguments after them."""

    name: str
    query: tuple[int, ...]
    key: tuple[int, ...]
    value: tuple[int, ...]
    arguments: dict[str, Any] = {}  # noqa: RUF012


ROW_HIDDEN = torch.tensor([[True], [False], [True], [True]]).expand(4, 5)
FLOAT_ROW_HIDDEN = torch.zeros(4, 5, dtype=torch.float64).masked_fill(~ROW_HIDDEN, -INF)
FLOAT_SOME_HIDDEN = randn(4, 5).masked_fill(torch.eye(4, 5).bool(), -INF)
IN_4D: dict[str, Any] = {"query": (2, 3, 4, 8), "key": (2, 3, 5, 8), "value": (2, 3, 5, 6)}
SQUARE_4D: dict[str, Any] = {"query": (2, 3, 5, 8), "key": (2, 3, 5, 8), "value": (2, 3, 5, 8)}
GROUPED: dict[str, Any] = {"query": (2, 6, 4, 8), "key": (2, 2, 5, 8), "value": (2, 2, 5, 8)}

CASES = [
    Case("one sequence", (4, 8), (5, 8), (5, 6)),
    Case("batch", (3, 4, 8), (3, 5, 8), (3, 5, 6)),
    Case("five axes", (2, 1, 3, 4, 8), (2, 1, 3, 5, 8), (2, 1, 3, 5, 6)),
    Case("heads", **IN_4D),
    Case("all alike", **SQUARE_4D),
    Case("one token", (1, 1, 1, 1), (1, 1, 1, 1), (1, 1, 1, 1)),
    Case("one feature", (2, 4, 1), (2, 5, 1), (2, 5, 6)),
    Case("mask (L, S)", **IN_4D, arguments={"attn_mask": random_mask(4, 5)}),
    Case("mask (H, L, S)", **IN_4D, arguments={"attn_mask": random_mask(3, 4, 5)}),
    Case("mask (B, 1, 1, S)", **IN_4D, arguments={"attn_mask": random_mask(2, 1, 1, 5)}),
    Case("mask (S,)", **IN_4D, arguments={"attn_mask": random_mask(5)}),
    Case("mask ()", **IN_4D, arguments={"attn_mask": torch.tensor(True)}),
    Case("mask () False", **IN_4D, arguments={"attn_mask": torch.tensor(False)}),
    Case("mask hides a row", **IN_4D, arguments={"attn_mask": ROW_HIDDEN}),
    Case("float mask", **IN_4D, arguments={"attn_mask": randn(2, 1, 4, 5)}),
    Case("float mask hides a row", **IN_4D, arguments={"attn_mask": FLOAT_ROW_HIDDEN}),
    Case("float mask hides some", **IN_4D, arguments={"attn_mask": FLOAT_SOME_HIDDEN}),
    Case("float mask of 0 and 1", **IN_4D, arguments={"attn_mask": randn(4, 5).sign().relu()}),
    Case("causal", **SQUARE_4D, arguments={"is_causal": True}),
    Case("causal, L < S", (3, 8), (5, 8), (5, 8), {"is_causal": True}),
    Case("causal, L > S", (5, 8), (3, 8), (3, 8), {"is_causal": True}),
    Case("causal, one query", (2, 1, 1, 8), (2, 1, 5, 8), (2, 1, 5, 8), {"is_causal": True}),
    Case("scale", **SQUARE_4D, arguments={"scale": 0.7}),
    Case("scale an int", **SQUARE_4D, arguments={"scale": 1}),
    Case("scale zero", **SQUARE_4D, arguments={"scale": 0.0}),
    Case("scale negative", **SQUARE_4D, arguments={"scale": -0.5}),
    Case("scale zero, causal", **SQUARE_4D, arguments={"scale": 0.0, "is_causal": True}),
    Case("scale negative, causal", **SQUARE_4D, arguments={"scale": -0.5, "is_causal": True}),
    Case("grouped queries", **GROUPED, arguments={"enable_gqa": True}),
    Case("one key head", (6, 4, 8), (1, 5, 8), (1, 5, 6), {"enable_gqa": True}),
    Case("as many heads", **SQUARE_4D, arguments={"enable_gqa": True}),
    Case("grouped, causal", **GROUPED, arguments={"enable_gqa": True, "is_causal": True}),
    Case(
        "grouped, mask (B, Hq, L, S)",
        **GROUPED,
        arguments={"enable_gqa": True, "attn_mask": random_mask(2, 6, 4, 5)},
    ),
    Case("no query", (2, 3, 0, 8), (2, 3, 5, 8), (2, 3, 5, 6)),
    Case("no key", (2, 3, 4, 8), (2, 3, 0, 8), (2, 3, 0, 6)),
    Case("no key, causal", (4, 8), (0, 8), (0, 6), {"is_causal": True}),
    Case("no key, mask", (4, 8), (0, 8), (0, 6), {"attn_mask": torch.ones(4, 1).bool()}),
    Case("no head_dim", (2, 3, 4, 0), (2, 3, 5, 0), (2, 3, 5, 6)),
    Case("no head_dim, scale", (4, 0), (5, 0), (5, 6), {"scale": 3.0}),
    Case("no value_dim", (2, 3, 4, 8), (2, 3, 5, 8), (2, 3, 5, 0)),
    Case("no batch", (0, 3, 4, 8), (0, 3, 5, 8), (0, 3, 5, 6)),
    Case("nothing at all", (0, 0), (0, 0), (0, 0)),
]


Inputs = tuple[Tensor, Tensor, Tensor]


def inputs_of(case: Case, dtype: torch.dtype) -> tuple[Inputs, dict[str, Any]]:
    """Query, key and value of the case, and its arguments, with a float mask in the dtype."""
    arguments = dict(case.arguments)
    mask = arguments.get("attn_mask")
    if mask is not None and mask.dtype != torch.bool:
        arguments["attn_mask"] = mask.to(dtype)
    query = randn(*case.query, dtype=dtype, requires_grad=True)
    key = randn(*case.key, seed=1, dtype=dtype, requires_grad=True)
    value = randn(*case.value, seed=2, dtype=dtype, requires_grad=True)
    return (query, key, value), arguments


def has_fused_rival(case: Case) -> bool:
    """Whether torch's fused path takes such a mask, and gets such a scale right."""
    return case.name not in {"mask (S,)", "mask ()", "mask () False"} and not (
        case.arguments.get("is_causal") and case.arguments.get("scale") is not None
    )


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_agrees_with_torch_and_loops_forward_and_backward(case: Case, dtype: torch.dtype) -> None:
    tensors, arguments = inputs_of(case, dtype)

    context = scaled_dot_product_attention(*tensors, **arguments)
    trace = trace_attention(*tensors, **arguments)

    expected = torch_attention(*tensors, **arguments)
    assert context.dtype == trace.context.dtype == expected.dtype == dtype
    assert_near(context, expected, TOLERANCE[dtype])
    assert_near(trace.context, expected, TOLERANCE[dtype])
    wide = torch.promote_types(dtype, torch.float32)
    scores = (*case.query[:-1], case.key[-2]), wide
    assert [(tuple(tensor.shape), tensor.dtype) for tensor in trace[:4]] == [scores] * 4
    if dtype == torch.float64:
        assert_near(context, attention_by_loops(*tensors, **arguments))
    if has_fused_rival(case):
        # In half precision the fused path rounds in between, this package only at the end.
        fused = torch_attention(*tensors, **arguments, fused=True)
        assert_near(context, fused, 2 * TOLERANCE[dtype])
    assert_same_gradients(context, expected, tensors, TOLERANCE[dtype])


# Gradients ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"is_causal": True},
        {"attn_mask": torch.tensor([[True, True, False], [False, False, False]])},
        {"scale": -0.3},
        {"softcap": 0.5, "is_causal": True},
    ],
    ids=["plain", "causal", "a row hidden", "scale negative", "soft cap"],
)
def test_first_and_second_derivatives(arguments: dict[str, Any]) -> None:
    tensors = (
        randn(2, 4, requires_grad=True),
        randn(3, 4, seed=1, requires_grad=True),
        randn(3, 2, seed=2, requires_grad=True),
    )

    def attend(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        return scaled_dot_product_attention(query, key, value, **arguments)

    assert torch.autograd.gradcheck(attend, tensors)
    assert torch.autograd.gradgradcheck(attend, tensors)


# Numbers at the edge --------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_large_scores_do_not_overflow(dtype: torch.dtype) -> None:
    # 100 * 100 * 16 = 160 000 is more than float16 can hold.
    query = torch.tensor([[100.0], [-100.0]]).expand(2, 16).to(dtype)
    value = torch.eye(2, dtype=dtype)
    context = scaled_dot_product_attention(query, query, value)
    assert torch.equal(context, torch.eye(2, dtype=dtype))


@pytest.mark.parametrize("bad", [math.nan, INF, -INF])
@pytest.mark.parametrize("place", ["key", "value"])
@pytest.mark.parametrize("mask_kind", ["causal", "boolean", "float", "all hidden"])
@pytest.mark.parametrize("leading", [(), (2, 1)])
def test_no_nan_that_torch_would_not_give(
    bad: float, place: str, mask_kind: str, leading: tuple[int, ...]
) -> None:
    query, key, value = query_key_value(*leading, 3, 4)
    {"key": key, "value": value}[place][..., 2, 0] = bad
    hidden = torch.tensor([False, False, True]).expand(3, 3)
    kinds: dict[str, dict[str, Any]] = {
        "causal": {"is_causal": True},
        "boolean": {"attn_mask": ~hidden},
        "float": {"attn_mask": torch.zeros(3, 3).double().masked_fill(hidden, -INF)},
        "all hidden": {"attn_mask": torch.zeros(3, 3).bool()},
    }
    arguments = kinds[mask_kind]

    contexts = (
        scaled_dot_product_attention(query, key, value, **arguments),
        trace_attention(query, key, value, **arguments).context,
    )
    for context, fused in itertools.product(contexts, (False, True)):
        expected = torch_attention(query, key, value, **arguments, fused=fused)
        assert not (context.isnan() & ~expected.isnan()).any()
        both = ~expected.isnan()
        assert_near(context[both], expected[both])


# Dropout --------------------------------------------------------------------------------------


@pytest.mark.parametrize("dropout_p", [0.1, 0.5, 0.9])
def test_dropout_drops_at_the_rate_and_scales_what_stays(dropout_p: float) -> None:
    query, key, value = query_key_value(200, 4)
    weights = trace_attention(query, key, value).weights

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        trace = trace_attention(query, key, value, dropout_p=dropout_p)
        torch.manual_seed(0)
        context = scaled_dot_product_attention(query, key, value, dropout_p=dropout_p)

    assert_near(context, trace.context)
    kept = trace.weights != 0
    assert_near(trace.weights[kept], weights[kept] / (1 - dropout_p))
    assert_near(trace.context, trace.weights @ value)
    # 40 000 independent draws: five standard deviations either side of the expected rate.
    deviation = math.sqrt(dropout_p * (1 - dropout_p) / kept.numel())
    assert abs((~kept).double().mean().item() - dropout_p) < 5 * deviation


# Properties -----------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_a_later_token_never_changes_an_earlier_row(dtype: torch.dtype) -> None:
    query, key, value = query_key_value(2, 6, 4, dtype=dtype)
    others = query_key_value(2, 6, 4, seed=10, dtype=dtype)
    before = scaled_dot_product_attention(query, key, value, is_causal=True)
    for position in range(6):
        later = (torch.arange(6) >= position).unsqueeze(-1)
        changed = [
            torch.where(later, other, tensor)
            for tensor, other in zip((query, key, value), others, strict=True)
        ]
        after = scaled_dot_product_attention(changed[0], changed[1], changed[2], is_causal=True)
        assert torch.equal(after[:, :position], before[:, :position])
        assert not torch.equal(after[:, position:], before[:, position:])


def test_nothing_that_was_passed_is_changed() -> None:
    query, key, value = randn(2, 4, 3, 8), randn(2, 2, 5, 8, seed=1), randn(2, 2, 5, 8, seed=2)
    scores, mask, bias = randn(3, 5), random_mask(3, 5), randn(3, 5, seed=3)
    sinks = randn(4, seed=4)
    passed = [query, key, value, scores, mask, bias, sinks]
    # A write in place counts up the version, even where it writes the same number.
    versions = [tensor._version for tensor in passed]
    copies = [tensor.clone() for tensor in passed]
    for attn_mask in (mask, bias):
        for attend in (trace_attention, scaled_dot_product_attention):
            attend(query, key, value, attn_mask, 0.5, enable_gqa=True)
            attend(query, key, value, is_causal=True, enable_gqa=True)
        attention_weights(scores, attn_mask)
    scaled_dot_product_attention(query, key, value, enable_gqa=True, softcap=2.0, sinks=sinks)
    assert [tensor._version for tensor in passed] == versions
    for tensor, copy in zip(passed, copies, strict=True):
        assert torch.equal(tensor, copy)
