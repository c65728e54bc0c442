"""The reference implementation of the ONNX operator Attention, where it means the same.

Both hide keys where a boolean mask is False, align `is_causal` top-left, read a mask with three
axes as (num_heads, L, S), repeat key heads for neighbouring query heads, and give zeros for a query
that sees nothing. The operator has no dropout, and takes no scale of zero or below.
"""

import math
from typing import Any

import numpy as np
import onnx
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx.reference import ReferenceEvaluator
from torch import Tensor

from attention_steps import (
    MultiHeadAttention,
    causal_mask,
    padding_mask,
    scaled_dot_product_attention,
    sliding_window_mask,
    trace_attention,
)
from tests.attention_steps.oracles import randn, random_mask

OPSET = 25
INPUTS = ("Q", "K", "V", "attn_mask", "past_key", "past_value", "nonpad_kv_seqlen")
# What qk_matmul_output holds, by the operator's attribute qk_matmul_output_mode.
SCALED_SCORES, MASKED_SCORES, WEIGHTS = 0, 2, 3


def onnx_attention(attributes: dict[str, Any], **tensors: Tensor) -> tuple[Tensor, Tensor]:
    """The operator's output, and its qk_matmul_output."""
    # An input that is left out keeps its place, under an empty name.
    names = [name if name in tensors else "" for name in INPUTS]
    node = onnx.helper.make_node(
        "Attention", names, ["Y", "present_key", "present_value", "scores"], **attributes
    )
    graph = onnx.helper.make_graph(
        [node],
        "attention",
        [
            onnx.helper.make_tensor_value_info(
                name, onnx.helper.np_dtype_to_tensor_dtype(tensor.numpy().dtype), tensor.shape
            )
            for name, tensor in tensors.items()
        ],
        [
            onnx.helper.make_tensor_value_info(name, onnx.TensorProto.DOUBLE, None)
            for name in ("Y", "scores")
        ],
    )
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", OPSET)])
    arrays = {name: tensor.numpy() for name, tensor in tensors.items()}
    # The reference computes with minus infinity as numpy does, with warnings.
    with np.errstate(all="ignore"):
        output, scores = ReferenceEvaluator(model).run(["Y", "scores"], arrays)
    return torch.from_numpy(np.array(output)), torch.from_numpy(np.array(scores))


def assert_near(actual: Tensor, expected: Tensor) -> None:
    torch.testing.assert_close(actual, expected, rtol=1e-12, atol=1e-12)


@settings(max_examples=150, deadline=None, derandomize=True, database=None)
@given(st.data())
def test_any_call_agrees(data: st.DataObject) -> None:
    batch, kv_heads, group_size = (data.draw(st.integers(1, 3)) for _ in range(3))
    query_len, key_len, head_dim, value_dim = (data.draw(st.integers(1, 4)) for _ in range(4))
    heads = kv_heads * group_size
    query = randn(batch, heads, query_len, head_dim)
    key = randn(batch, kv_heads, key_len, head_dim, seed=1)
    value = randn(batch, kv_heads, key_len, value_dim, seed=2)
    attributes: dict[str, Any] = {}
    arguments: dict[str, Any] = {"enable_gqa": True}
    tensors = {"Q": query, "K": key, "V": value}
    if data.draw(st.booleans()):
        # The operator takes the root of the scale in 32 bits: these have exact roots.
        scale = data.draw(st.sampled_from([0.0625, 0.25, 1.0, 2.25]))
        attributes["scale"] = arguments["scale"] = scale
    kind = data.draw(st.sampled_from(["none", "causal", "boolean", "float"]))
    if kind == "causal":
        attributes["is_causal"], arguments["is_causal"] = 1, True
    elif kind != "none":
        # The operator reads a mask with a last axis of size 1 as too short, and fills it up.
        scores_shape = (batch, heads, query_len)
        axes = data.draw(st.integers(0, 3))
        shape = [data.draw(st.sampled_from([1, wanted])) for wanted in scores_shape[3 - axes :]]
        mask = random_mask(*shape, key_len)
        if kind == "float":
            mask = randn(*shape, key_len, seed=3).masked_fill(~mask, -math.inf)
        tensors["attn_mask"] = arguments["attn_mask"] = mask

    trace = trace_attention(query, key, value, **arguments)

    for mode, traced in (
        (SCALED_SCORES, trace.scaled_scores),
        (MASKED_SCORES, trace.masked_scores),
        (WEIGHTS, trace.weights),
    ):
        output, expected = onnx_attention({**attributes, "qk_matmul_output_mode": mode}, **tensors)
        assert_near(trace.context, output)
        assert_near(traced, expected.expand_as(traced))


@pytest.mark.parametrize("past_len", [0, 1, 3])
@pytest.mark.parametrize("query_len", [1, 2, 4])
def test_the_offset_of_a_causal_mask_is_the_length_of_the_cache(
    past_len: int, query_len: int
) -> None:
    key_len = past_len + query_len
    query = randn(2, 3, query_len, 4)
    key, value = randn(2, 3, key_len, 4, seed=1), randn(2, 3, key_len, 5, seed=2)

    mask = causal_mask(query_len, key_len, offset=past_len)
    context = scaled_dot_product_attention(query, key, value, mask)

    expected, _ = onnx_attention(
        {"is_causal": 1},
        Q=query,
        K=key[:, :, past_len:],
        V=value[:, :, past_len:],
        past_key=key[:, :, :past_len],
        past_value=value[:, :, :past_len],
    )
    assert_near(context, expected)


@pytest.mark.parametrize("past_len", [0, 2])
@pytest.mark.parametrize("window", [1, 2, 3, 9])
def test_a_window_counts_the_query_where_onnx_counts_what_is_left_of_it(
    past_len: int, window: int
) -> None:
    query_len, key_len = 4, past_len + 4
    query = randn(2, 3, query_len, 4)
    key, value = randn(2, 3, key_len, 4, seed=1), randn(2, 3, key_len, 5, seed=2)

    mask = sliding_window_mask(query_len, key_len, window=window, offset=past_len)
    context = scaled_dot_product_attention(query, key, value, mask)

    expected, _ = onnx_attention(
        {"left_window_size": window - 1, "right_window_size": 0},
        Q=query,
        K=key[:, :, past_len:],
        V=value[:, :, past_len:],
        past_key=key[:, :, :past_len],
        past_value=value[:, :, :past_len],
    )
    assert_near(context, expected)


@pytest.mark.parametrize("lengths", [[5, 5], [3, 5], [1, 0]])
def test_padding_is_what_lies_past_the_length(lengths: list[int]) -> None:
    query = randn(2, 3, 4, 4)
    key, value = randn(2, 3, 5, 4, seed=1), randn(2, 3, 5, 4, seed=2)

    mask = padding_mask(torch.tensor(lengths), 5)
    context = scaled_dot_product_attention(query, key, value, mask)

    expected, _ = onnx_attention(
        {}, Q=query, K=key, V=value, nonpad_kv_seqlen=torch.tensor(lengths)
    )
    assert_near(context, expected)


@pytest.mark.parametrize("num_kv_heads", [1, 2, 6])
@pytest.mark.parametrize("is_causal", [False, True])
def test_heads_are_split_and_joined_alike(num_kv_heads: int, is_causal: bool) -> None:
    attention = MultiHeadAttention(12, 6, num_kv_heads=num_kv_heads, kdim=5).double()
    query, key, value = randn(2, 4, 12), randn(2, 3, 5, seed=1), randn(2, 3, 12, seed=2)

    output = attention(query, key, value, is_causal=is_causal)

    joined, _ = onnx_attention(
        {"q_num_heads": 6, "kv_num_heads": num_kv_heads, "is_causal": int(is_causal)},
        Q=attention.q_proj(query).detach(),
        K=attention.k_proj(key).detach(),
        V=attention.v_proj(value).detach(),
    )
    assert_near(output, attention.out_proj(joined))
