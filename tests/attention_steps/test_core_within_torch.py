"""Attention under autocast, with masks of torch's, and under its transformations."""

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn.attention.bias import causal_lower_right, causal_upper_left

from attention_steps import (
    attention_scores,
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

# Autocast -------------------------------------------------------------------------------------


@pytest.mark.parametrize("amp", [torch.bfloat16, torch.float16], ids=str)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("mask_kind", ["none", "boolean", "float"])
def test_autocast_does_what_it_does_to_torchs_function(
    amp: torch.dtype, dtype: torch.dtype, mask_kind: str
) -> None:
    query, key, value = (8 * tensor for tensor in query_key_value(2, 3, 5, 8, dtype=dtype))
    mask = {"none": None, "boolean": random_mask(5, 5), "float": randn(5, 5, dtype=dtype)}[
        mask_kind
    ]
    tensors = [tensor.requires_grad_() for tensor in (query, key, value)]
    rounded = dtype if dtype == torch.float64 else amp

    with torch.autocast("cpu", dtype=amp):
        context = scaled_dot_product_attention(query, key, value, mask)
        trace = trace_attention(query, key, value, mask)
        expected = torch_attention(query, key, value, mask)

    assert context.dtype == trace.context.dtype == expected.dtype == rounded
    # Computed in float32 from what autocast rounds, and rounded once.
    assert_near(context, expected, TOLERANCE[rounded])
    assert_near(trace.context, expected, TOLERANCE[rounded])
    assert {tensor.dtype for tensor in trace[:4]} == {torch.promote_types(rounded, torch.float32)}
    assert_same_gradients(context, expected, tensors, 4 * TOLERANCE[rounded])


# A float32 mask -------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("fused", [False, True])
def test_a_mask_may_be_float32_whatever_the_inputs_are(dtype: torch.dtype, fused: bool) -> None:
    query, key, value = query_key_value(2, 3, 5, 8, dtype=dtype)
    # In bfloat16 these numbers would be off by up to one half.
    mask = -(0.3 * torch.arange(5) + 40.0 * torch.arange(5)[:, None])
    context = scaled_dot_product_attention(query, key, value, mask)
    trace = trace_attention(query, key, value, mask)
    assert context.dtype == trace.context.dtype == dtype
    expected = torch_attention(query, key, value, mask, fused=fused)
    assert_near(context, expected, 2 * TOLERANCE[dtype])
    assert_near(trace.context, expected, 2 * TOLERANCE[dtype])
    exact = attention_by_loops(query.detach(), key.detach(), value.detach(), mask)
    assert_near(context, exact, TOLERANCE[dtype])


# Masks that are no plain tensors --------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:Lower right causal bias will produce NaNs")
@pytest.mark.parametrize("make", [causal_upper_left, causal_lower_right])
@pytest.mark.parametrize(("query_len", "key_len"), [(4, 4), (3, 5), (1, 5), (5, 3)])
def test_a_causal_bias_of_torch_is_the_mask_that_it_stands_for(
    make: Callable[[int, int], Tensor], query_len: int, key_len: int
) -> None:
    # Its storage was never filled: without help it adds whatever the memory held.
    bias = make(query_len, key_len)
    query, key = randn(2, 3, query_len, 8), randn(2, 3, key_len, 8, seed=1)
    allowed = torch.ones(query_len, key_len, dtype=torch.bool)
    allowed = allowed.tril(key_len - query_len if make is causal_lower_right else 0)
    expected = torch_attention(query, key, key, allowed)
    scores = attention_scores(query, key)
    assert_near(scaled_dot_product_attention(query, key, key, bias), expected)
    assert_near(trace_attention(query, key, key, bias).context, expected)
    assert torch.equal(attention_weights(scores, bias), attention_weights(scores, allowed))
    if query_len <= key_len:  # where torch promises a result
        assert_near(expected, torch_attention(query, key, key, bias))


# Under torch's transformations ----------------------------------------------------------------


HIDE_A_ROW = torch.tensor([[True, True, False], [False, False, False], [True, False, False]])
HIDE_NONE = torch.ones(3, 3, dtype=torch.bool)


@pytest.mark.parametrize("batched", ["query", "key", "value", "attn_mask"])
@pytest.mark.parametrize("kind", ["boolean", "float"])
def test_maps_over_any_one_argument(batched: str, kind: str) -> None:
    masks = torch.stack([HIDE_A_ROW, HIDE_NONE])
    if kind == "float":
        masks = torch.zeros(2, 3, 3).double().masked_fill(~masks, -math.inf)
    query, key, value = query_key_value(2, 3, 4)
    arguments = {"query": query, "key": key, "value": value, "attn_mask": masks}
    single: dict[str, Any] = {name: tensor[0] for name, tensor in arguments.items()}

    def attend(tensor: Tensor) -> Tensor:
        return scaled_dot_product_attention(**{**single, batched: tensor})

    mapped = torch.vmap(attend)(arguments[batched])

    assert_near(mapped, torch.stack([attend(tensor) for tensor in arguments[batched]]))


# torch scripts some of its own rules when they are first needed, and warns of that.
@pytest.mark.filterwarnings("ignore:.torch.jit.script. is:DeprecationWarning")
@pytest.mark.filterwarnings("ignore:.torch.jit.script. is:FutureWarning")
def test_derivatives_forward_are_those_backward() -> None:
    query, key, value = query_key_value(3, 4)

    def attend(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        return scaled_dot_product_attention(query, key, value, HIDE_A_ROW)

    for argument in range(3):
        forward = torch.func.jacfwd(attend, argument)(query, key, value)
        assert_near(forward, torch.func.jacrev(attend, argument)(query, key, value))


@pytest.mark.slow
def test_compiles_without_a_break_forward_and_backward() -> None:
    compiled: Any = torch.compile(scaled_dot_product_attention, fullgraph=True, backend="aot_eager")
    query, key, value = (tensor.requires_grad_() for tensor in query_key_value(2, 3, 4))
    cases: list[dict[str, Any]] = [{"is_causal": True}, {"attn_mask": HIDE_A_ROW}]
    for arguments in cases:
        context = compiled(query, key, value, **arguments)
        expected = scaled_dot_product_attention(query, key, value, **arguments)
        assert_near(context, expected)
        assert_same_gradients(context, expected, (query, key, value))


@pytest.mark.slow
def test_exports_for_sequences_of_any_length() -> None:
    class Attention(torch.nn.Module):
        def forward(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
            return scaled_dot_product_attention(query, key, value, is_causal=True)

    length = torch.export.Dim("length", min=2, max=64)
    exported = torch.export.export(
        Attention(), query_key_value(2, 7, 4), dynamic_shapes=[{1: length}] * 3, strict=False
    )

    for query_len in (2, 11):
        query, key, value = query_key_value(2, query_len, 4)
        expected = torch_attention(query, key, value, is_causal=True)
        assert_near(exported.module()(query, key, value), expected)


@pytest.mark.slow
def test_compiles_a_mask_whose_size_equals_one_that_the_graph_does_not_know() -> None:
    def attend(x: Tensor) -> Tensor:
        # A literal 2, beside a batch that is a symbol.
        mask = torch.ones(2, 1, 1, x.shape[-2], dtype=torch.bool)
        return scaled_dot_product_attention(x, x, x, mask)

    compiled: Any = torch.compile(attend, fullgraph=True, dynamic=True, backend="eager")
    x = randn(2, 3, 5, 4)
    assert_near(compiled(x), attend(x))
