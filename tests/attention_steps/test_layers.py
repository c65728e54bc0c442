"""Self-attention as a layer, and many heads: against loops, torch's layer, and each other."""

import copy
import math
from typing import Any, NamedTuple

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from attention_steps import (
    AttentionTrace,
    MultiHeadAttention,
    MultiHeadAttentionTrace,
    SelfAttention,
    causal_mask,
    padding_mask,
    trace_attention,
)
from tests.attention_steps.layers import numbered, outputs_of
from tests.attention_steps.oracles import (
    attention_by_loops,
    randn,
    random_mask,
)

INF = math.inf


def layer(
    d_in: int = 3, d_out: int = 2, *, bias: bool = False, dtype: torch.dtype = torch.float64
) -> SelfAttention:
    attention = SelfAttention(d_in, d_out, bias=bias).to(dtype)
    with torch.no_grad():
        for seed, parameter in enumerate(attention.parameters()):
            parameter.copy_(randn(*parameter.shape, seed=seed))
    return attention


def projected(attention: SelfAttention, inputs: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Queries, keys and values, from the parameters alone."""
    parameters = dict(attention.named_parameters())
    query, key, value = (
        inputs @ parameters[f"{name}.weight"].T + parameters.get(f"{name}.bias", 0.0)
        for name in ("W_query", "W_key", "W_value")
    )
    return query, key, value


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("leading", [(), (4,), (2, 3)])
def test_attends_with_its_own_projections(bias: bool, leading: tuple[int, ...]) -> None:
    attention = layer(bias=bias)
    inputs = randn(*leading, 5, 3, seed=10)
    cases: list[dict[str, Any]] = [{}, {"is_causal": True}, {"attn_mask": random_mask(5, 5)}]
    for arguments in cases:
        context = attention(inputs, **arguments)
        assert context.shape == (*leading, 5, 2)
        query, key, value = projected(attention, inputs)
        expected = attention_by_loops(query, key, value, **arguments)
        torch.testing.assert_close(context, expected)


# Many heads -----------------------------------------------------------------------------------


def multi_head_by_loops(
    attention: MultiHeadAttention, query: Tensor, key: Tensor, value: Tensor, **arguments: Any
) -> Tensor:
    """Section 3.2.2 of the paper, head by head, from the parameters alone."""
    parameters = {name: tensor.double() for name, tensor in attention.named_parameters()}
    query, key, value = query.double(), key.double(), value.double()
    head_dim = parameters["q_proj.weight"].shape[0] // attention.num_heads
    group_size = attention.num_heads // attention.num_kv_heads
    mask = arguments.pop("attn_mask", None)
    if mask is not None:
        scores_shape = (*query.shape[:-2], attention.num_heads, query.shape[-2], key.shape[-2])
        mask = mask.expand(scores_shape)

    def project(name: str, tokens: Tensor, head: int) -> Tensor:
        rows = slice(head * head_dim, (head + 1) * head_dim)
        bias = parameters.get(f"{name}.bias")
        projected = tokens @ parameters[f"{name}.weight"][rows].T
        return projected if bias is None else projected + bias[rows]

    output_dim = parameters["out_proj.weight"].shape[0]
    output = torch.zeros(*query.shape[:-1], output_dim, dtype=torch.float64)
    for head in range(attention.num_heads):
        context = attention_by_loops(
            project("q_proj", query, head),
            project("k_proj", key, head // group_size),
            project("v_proj", value, head // group_size),
            None if mask is None else mask[..., head, :, :],
            **arguments,
        )
        # The rows of the concatenated heads meet the columns of the output projection.
        columns = slice(head * head_dim, (head + 1) * head_dim)
        output += context @ parameters["out_proj.weight"][:, columns].T
    return output + parameters.get("out_proj.bias", 0.0)


class Setup(NamedTuple):
    """A layer's arguments, the shapes of query, key and value, and what comes after them."""

    name: str
    sizes: dict[str, Any]
    query: tuple[int, ...]
    key: tuple[int, ...] | None = None
    value: tuple[int, ...] | None = None
    arguments: dict[str, Any] = {}  # noqa: RUF012


SIX: dict[str, Any] = {"embed_dim": 12, "num_heads": 6}
TWO: dict[str, Any] = {"embed_dim": 8, "num_heads": 2}
CROSS: dict[str, Any] = {"query": (3, 4, 8), "key": (3, 5, 8), "value": (3, 5, 8)}
HIDES_A_ROW = torch.tensor([[True], [False], [True], [True]]).expand(4, 5)
PADDING = padding_mask(torch.tensor([5, 0, 2]))
SHARED = {**SIX, "num_kv_heads": 2}
WIDE = {**SIX, "num_kv_heads": 2, "head_dim": 5, "out_dim": 3, "kdim": 4, "vdim": 2}

# What the shapes and masks that are drawn below leave out, and half precision.
SETUPS = [
    Setup("self-attention", TWO, (3, 4, 8)),
    Setup("a head for each feature", {"embed_dim": 4, "num_heads": 4}, (3, 4, 4)),
    Setup("mask (H, L, S)", TWO, (4, 8), arguments={"attn_mask": random_mask(2, 4, 4)}),
    Setup("more batch axes", TWO, (2, 3, 4, 8), arguments={"attn_mask": random_mask(2, 4, 4)}),
    Setup("bias of the output alone", {**TWO, "bias": False, "out_bias": True}, **CROSS),
    Setup("bias of the three alone", {**TWO, "out_bias": False}, **CROSS),
    Setup("heads that do not divide", {"embed_dim": 5, "num_heads": 2, "head_dim": 3}, (4, 5)),
    Setup("wide, another output", WIDE, (3, 4, 12), (3, 5, 4), (3, 5, 2)),
    Setup("grouped, causal", {**SIX, "num_kv_heads": 3}, (3, 4, 12), arguments={"is_causal": True}),
    Setup("multi-query", {**SIX, "num_kv_heads": 1, "kdim": 5}, (3, 4, 12), (3, 7, 5), (3, 7, 12)),
    Setup("mask ()", TWO, **CROSS, arguments={"attn_mask": torch.tensor(False)}),
    Setup("mask hides a row", TWO, **CROSS, arguments={"attn_mask": HIDES_A_ROW}),
    Setup("padding and causal", TWO, **CROSS, arguments={"attn_mask": PADDING & causal_mask(4, 5)}),
    Setup("float mask (H, L, S)", TWO, **CROSS, arguments={"attn_mask": randn(2, 4, 5)}),
    Setup("no key, causal", TWO, (3, 4, 8), (3, 0, 8), (3, 0, 8), {"is_causal": True}),
    Setup("no batch, grouped", SHARED, (0, 4, 12)),
    Setup("one query, grouped", SHARED, (3, 1, 12), (3, 5, 12), (3, 5, 12)),
    Setup("one query, one sequence", SHARED, (1, 12), (5, 12), (5, 12)),
    Setup("one query, more batch axes", SHARED, (2, 3, 1, 12), (2, 3, 5, 12), (2, 3, 5, 12)),
    Setup("one query, no key", SHARED, (3, 1, 12), (3, 0, 12), (3, 0, 12)),
    Setup("one query, no batch", SHARED, (0, 1, 12)),
    Setup("one query, causal", SHARED, (3, 1, 12), (3, 5, 12), (3, 5, 12), {"is_causal": True}),
    Setup("one query, masked", SHARED, (3, 1, 12), (3, 5, 12), (3, 5, 12), {"attn_mask": PADDING}),
]


def made_of(
    setup: Setup, dtype: torch.dtype = torch.float64, **sizes: Any
) -> tuple[Any, list[Tensor], dict[str, Any]]:
    """The layer of the setup, its inputs, and its arguments, with a float mask in the dtype."""
    attention = numbered(MultiHeadAttention(**{**setup.sizes, **sizes}), dtype)
    shapes = [shape for shape in (setup.query, setup.key, setup.value) if shape is not None]
    inputs = [
        randn(*shape, seed=10 + seed, dtype=dtype, requires_grad=True)
        for seed, shape in enumerate(shapes)
    ]
    arguments = dict(setup.arguments)
    mask = arguments.get("attn_mask")
    if mask is not None and mask.dtype != torch.bool:
        arguments["attn_mask"] = mask.to(dtype)
    return attention, inputs, arguments


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16, torch.float16], ids=str)
@pytest.mark.parametrize("setup", SETUPS, ids=lambda setup: setup.name)
def test_many_heads_agree_with_loops(setup: Setup, dtype: torch.dtype) -> None:
    # In evaluation a dropout of one half must change nothing.
    attention, inputs, arguments = made_of(setup, dtype, dropout=0.5)
    attention.eval()

    output = attention(*inputs, **arguments)
    traced = attention.trace(*inputs, **arguments).output

    query, key, value = inputs if len(inputs) == 3 else inputs * 3
    expected = multi_head_by_loops(attention, query, key, value, **arguments)
    # In half precision the projections are rounded on the way, those of queries, keys, values and
    # the output.
    tolerance = 1e-12 if dtype == torch.float64 else 8 * torch.finfo(dtype).eps
    for result in (output, traced):
        assert result.dtype == dtype
        torch.testing.assert_close(result.double(), expected, rtol=tolerance, atol=tolerance)
    if dtype == torch.float64:
        wanted = [*inputs, *attention.parameters()]
        upstream = randn(*output.shape, seed=9)
        gradients = torch.autograd.grad(output, wanted, upstream)
        other = torch.autograd.grad(traced, wanted, upstream)
        assert all(gradient.isfinite().all() for gradient in gradients)
        torch.testing.assert_close(gradients, other, rtol=1e-11, atol=1e-11)


def test_the_trace_keeps_every_step_of_every_head() -> None:
    attention = numbered(MultiHeadAttention(12, 6, num_kv_heads=2, kdim=5, vdim=7))
    query, key, value = randn(3, 4, 12), randn(3, 9, 5, seed=1), randn(3, 9, 7, seed=2)
    mask = random_mask(3, 1, 4, 9)

    trace = attention.trace(query, key, value, attn_mask=mask)

    assert isinstance(trace, MultiHeadAttentionTrace)
    assert trace._fields == ("query", "key", "value", *AttentionTrace._fields, "output")
    assert trace.query.shape == (3, 6, 4, 2)
    assert trace.key.shape == trace.value.shape == (3, 2, 9, 2)
    for n in range(6):
        rows = slice(2 * n, 2 * n + 2)
        kv_rows = slice(2 * (n // 3), 2 * (n // 3) + 2)
        projected = (
            query @ attention.q_proj.weight[rows].T + attention.q_proj.bias[rows],
            key @ attention.k_proj.weight[kv_rows].T + attention.k_proj.bias[kv_rows],
            value @ attention.v_proj.weight[kv_rows].T + attention.v_proj.bias[kv_rows],
        )
        for traced, expected in zip(
            (trace.query[:, n], trace.key[:, n // 3], trace.value[:, n // 3]),
            projected,
            strict=True,
        ):
            torch.testing.assert_close(traced, expected)
        for field, expected in trace_attention(*projected, mask[:, 0])._asdict().items():
            torch.testing.assert_close(getattr(trace, field)[:, n], expected)
    side_by_side = torch.cat(trace.context.unbind(dim=1), dim=-1)
    torch.testing.assert_close(trace.output, attention.out_proj(side_by_side))


sizes_of_a_layer = st.tuples(
    st.integers(1, 3),
    st.integers(1, 2),
    st.integers(1, 2),
    st.none() | st.integers(1, 5),
    st.none() | st.integers(1, 5),
    st.booleans(),
)


@settings(max_examples=60, deadline=None, derandomize=True, database=None)
@given(st.data())
def test_any_call_of_many_heads_agrees_with_loops(data: st.DataObject) -> None:
    head_dim, num_kv_heads, group_size, kdim, vdim, bias = data.draw(sizes_of_a_layer)
    num_heads = num_kv_heads * group_size
    attention = numbered(
        MultiHeadAttention(
            head_dim * num_heads,
            num_heads,
            num_kv_heads=num_kv_heads,
            kdim=kdim,
            vdim=vdim,
            bias=bias,
        )
    )
    leading = data.draw(st.lists(st.integers(0, 3), max_size=2))
    query_len, key_len = data.draw(st.tuples(st.integers(0, 4), st.integers(0, 4)))
    query = randn(*leading, query_len, attention.embed_dim)
    key = randn(*leading, key_len, attention.kdim, seed=1)
    value = randn(*leading, key_len, attention.vdim, seed=2)
    arguments: dict[str, Any] = {}
    kind = data.draw(st.sampled_from(["none", "causal", "boolean", "float"]))
    if kind == "causal":
        arguments["is_causal"] = True
    elif kind != "none":
        scores_shape = (*leading, num_heads, query_len, key_len)
        axes = data.draw(st.integers(0, len(scores_shape)))
        shape = [
            data.draw(st.sampled_from([1, wanted]))
            for wanted in scores_shape[len(scores_shape) - axes :]
        ]
        mask = random_mask(*shape)
        arguments["attn_mask"] = (
            mask if kind == "boolean" else randn(*shape).masked_fill(~mask, -INF)
        )

    expected = multi_head_by_loops(attention, query, key, value, **arguments)

    for output in (
        attention(query, key, value, **arguments),
        attention.trace(query, key, value, **arguments).output,
    ):
        torch.testing.assert_close(output, expected, rtol=1e-12, atol=1e-12)


# A part of the heads --------------------------------------------------------------------------


def cut(attention: MultiHeadAttention, part: int, parts: int) -> MultiHeadAttention:
    """What one of several devices holds: rows of the first three matrices, columns of the last."""
    piece = copy.deepcopy(attention)
    with torch.no_grad():
        for projection in (piece.q_proj, piece.k_proj, piece.v_proj):
            projection.weight = nn.Parameter(projection.weight.chunk(parts)[part])
            projection.bias = nn.Parameter(projection.bias.chunk(parts)[part])
        weight = piece.out_proj.weight.chunk(parts, dim=1)[part]
        piece.out_proj.weight = nn.Parameter(weight)
        piece.out_proj.bias = nn.Parameter(piece.out_proj.bias / parts)
    return piece


@pytest.mark.parametrize("num_kv_heads", [4, 2])
@pytest.mark.parametrize("way", ["forward", "trace"])
def test_parts_of_the_heads_add_up_to_the_layer(num_kv_heads: int, way: str) -> None:
    attention = numbered(MultiHeadAttention(16, 4, num_kv_heads=num_kv_heads))
    inputs, mask = randn(3, 5, 16), random_mask(4, 5, 5)

    def output_of(layer: MultiHeadAttention, mask: Tensor) -> Tensor:
        traced = layer.trace(inputs, attn_mask=mask).output
        return traced if way == "trace" else layer.forward(inputs, attn_mask=mask)

    parts = [output_of(cut(attention, i, 2), mask[2 * i : 2 * i + 2]) for i in range(2)]

    torch.testing.assert_close(sum(parts), output_of(attention, mask))


@pytest.mark.parametrize("names", [["q_proj"], ["k_proj", "v_proj"], ["v_proj"]])
@pytest.mark.parametrize("num_kv_heads", [4, 2])
def test_heads_that_do_not_belong_together_are_refused(names: list[str], num_kv_heads: int) -> None:
    attention = numbered(MultiHeadAttention(16, 4, num_kv_heads=num_kv_heads))
    piece = cut(attention, 0, 2)
    for name in names:
        setattr(attention, name, getattr(piece, name))
    for call in (attention.forward, attention.trace):
        with pytest.raises(ValueError, match=r"^q_proj, k_proj and v_proj must give heads"):
            call(randn(3, 5, 16))


@pytest.mark.parametrize(
    ("name", "new", "message"),
    [
        ("q_proj", nn.Linear(8, 7), "q_proj must give whole heads, .* 4 features, got 7"),
        ("k_proj", nn.Linear(8, 2), "k_proj must give whole heads, .* 4 features, got 2"),
    ],
)
def test_a_projection_that_was_pruned_alone_is_refused(
    name: str, new: nn.Module, message: str
) -> None:
    attention = MultiHeadAttention(8, 2)
    setattr(attention, name, new)
    for call in (attention, attention.trace):
        with pytest.raises(ValueError, match=f"^{message}"):
            call(torch.ones(2, 3, 8))


def test_heads_that_are_pruned_everywhere_but_in_the_output_are_refused() -> None:
    attention = MultiHeadAttention(8, 2)
    for name in ("q_proj", "k_proj", "v_proj"):
        setattr(attention, name, nn.Linear(8, 4))
    for call in (attention, attention.trace):
        with pytest.raises(ValueError, match=r"^out_proj must take the 4 features .* takes 8$"):
            call(torch.ones(2, 3, 8))
    attention.out_proj = nn.Linear(4, 8)
    assert attention(torch.ones(2, 3, 8)).shape == (2, 3, 8)


# A mask of any dtype --------------------------------------------------------------------------


# The dtypes of the layer, and those of a mask that the documentation allows beside each.
ALLOWED = [
    (dtype, mask_dtype)
    for dtype in (torch.float64, torch.float32, torch.bfloat16, torch.float16)
    for mask_dtype in dict.fromkeys((torch.bool, dtype, torch.float32))
]


# From 16 keys on, torch's kernel for the CPU computes in blocks: each length up to one, and then
# those around the ends of others.
LENGTHS = [*range(1, 18), 31, 32, 33, 47, 48, 49, 63, 64]


@pytest.mark.slow
@pytest.mark.parametrize("num_kv_heads", [2, 1])
@pytest.mark.parametrize(("dtype", "mask_dtype"), ALLOWED, ids=str)
def test_a_layer_is_its_trace_whatever_the_dtype_of_the_mask(
    dtype: torch.dtype, mask_dtype: torch.dtype, num_kv_heads: int
) -> None:
    attention = numbered(MultiHeadAttention(8, 2, num_kv_heads=num_kv_heads), dtype)
    tolerance = 64 * torch.finfo(dtype).eps
    for length in LENGTHS:
        inputs = randn(1, length, 8, seed=length).to(dtype).requires_grad_()
        mask = randn(2, length, length)
        mask = mask > -1.0 if mask_dtype is torch.bool else mask.to(mask_dtype)
        for attn_mask in (mask, mask[0]):
            results = (
                attention(inputs, attn_mask=attn_mask),
                attention.trace(inputs, attn_mask=attn_mask).output,
            )
            grads = [torch.autograd.grad(x.sum(), inputs)[0] for x in results]
            for one, other in (results, grads):
                scale = float(other.detach().abs().max())
                torch.testing.assert_close(one, other, rtol=0, atol=tolerance * scale)


# Dropout of many heads ------------------------------------------------------------------------


@pytest.mark.parametrize("query_len", [5, 1])
@pytest.mark.parametrize("num_kv_heads", [4, 2])
def test_dropout_draws_alike_forward_and_traced(query_len: int, num_kv_heads: int) -> None:
    attention = numbered(MultiHeadAttention(8, 4, num_kv_heads=num_kv_heads, dropout=0.5))
    inputs = randn(3, 5, 8, requires_grad=True)
    tokens = [inputs[:, :query_len], inputs, inputs]
    mask = random_mask(3, 1, 5, 5) if query_len == 5 else None

    # With dropout torch's function takes explicit steps too, and draws for the same weights.
    results = []
    for output_of in outputs_of(attention):
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)
            output = output_of(*tokens, attn_mask=mask)
        gradients = torch.autograd.grad(output.square().sum(), [inputs, *attention.parameters()])
        results.append([output, *gradients])

    torch.testing.assert_close(*results)
    attention.eval()
    assert not torch.allclose(results[0][0], attention(*tokens, attn_mask=mask))
