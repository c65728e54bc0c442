"""The reference implementations of two ONNX operators, where they mean the same.

Attention: both hide keys where a boolean mask is False, align `is_causal` top-left, read a mask
with three axes as (num_heads, L, S), repeat key heads for neighbouring query heads, and give zeros
for a query that sees nothing. The operator has no dropout, and takes no scale of zero or below.

LinearAttention has the same four rules: with and without decay, with and without the delta rule. It
scales the queries by the square root of head_dim, takes the logarithm of the decay, wants the heads
of a token side by side, and computes in float32.
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
    linear_attention,
    trace_attention,
)
from tests.attention_steps.oracles import assert_near, randn, random_mask

INPUTS = {
    "Attention": (
        "Q",
        "K",
        "V",
        "attn_mask",
    ),
    "LinearAttention": ("query", "key", "value", "past_state", "decay", "beta"),
}
# The names that the results get here: those that are asked for, and those in between.
OUTPUTS = {
    "Attention": ("Y", "present_key", "present_value", "scores"),
    "LinearAttention": ("output", "state"),
}
# The first version of the operators' standard that has both.
OPSET = 27
# What qk_matmul_output holds, by the operator's attribute qk_matmul_output_mode.
SCALED_SCORES, MASKED_SCORES, WEIGHTS = 0, 2, 3


def run(operator: str, attributes: dict[str, Any], tensors: dict[str, Tensor]) -> list[Tensor]:
    """The first and the last output of an operator."""
    # An input that is left out keeps its place, under an empty name.
    names = [name if name in tensors else "" for name in INPUTS[operator]]
    outputs = OUTPUTS[operator]
    wanted = [outputs[0], outputs[-1]]
    arrays = {name: tensor.detach().numpy() for name, tensor in tensors.items()}
    kinds = {name: onnx.helper.np_dtype_to_tensor_dtype(x.dtype) for name, x in arrays.items()}
    kinds |= dict.fromkeys(wanted, onnx.TensorProto.DOUBLE)
    made = onnx.helper.make_tensor_value_info
    graph = onnx.helper.make_graph(
        [onnx.helper.make_node(operator, names, outputs, **attributes)],
        operator,
        [made(name, kinds[name], array.shape) for name, array in arrays.items()],
        [made(name, kinds[name], None) for name in wanted],
    )
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", OPSET)])
    # The reference computes with minus infinity as numpy does, with warnings.
    with np.errstate(all="ignore"):
        return [torch.tensor(array) for array in ReferenceEvaluator(model).run(wanted, arrays)]


def onnx_attention(attributes: dict[str, Any], **tensors: Tensor) -> list[Tensor]:
    """The operator's output, and its qk_matmul_output."""
    return run("Attention", attributes, tensors)


@settings(max_examples=60, deadline=None, derandomize=True, database=None)
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


def side_by_side(heads: Tensor) -> Tensor:
    return heads.transpose(1, 2).flatten(2)


@pytest.mark.parametrize("continued", [False, True])
@pytest.mark.parametrize("chunk_size", [3, 64])
@pytest.mark.parametrize("rule", ["linear", "gated", "delta", "gated_delta"])
def test_each_rule_of_linear_attention_agrees(rule: str, chunk_size: int, continued: bool) -> None:
    size = batch, num_heads, _, head_dim = 2, 3, 7, 4
    query, value = randn(*size), randn(*size, seed=1)
    key = torch.nn.functional.normalize(randn(*size, seed=2), dim=-1)
    given: dict[str, Any] = {}
    inputs = {
        "query": side_by_side(query * head_dim**0.5),
        "key": side_by_side(key),
        "value": side_by_side(value),
    }
    if continued:
        given["state"] = inputs["past_state"] = randn(batch, num_heads, head_dim, head_dim, seed=5)
    if "gated" in rule:
        given["decay"] = torch.sigmoid(randn(*size[:3], seed=3))
        inputs["decay"] = side_by_side(given["decay"].log().unsqueeze(-1))
    if "delta" in rule:
        given["beta"] = torch.sigmoid(randn(*size[:3], seed=4))
        inputs["beta"] = side_by_side(given["beta"].unsqueeze(-1))

    context, state = linear_attention(query, key, value, chunk_size=chunk_size, **given)

    attributes = {"q_num_heads": num_heads, "kv_num_heads": num_heads, "update_rule": rule}
    expected_context, expected_state = run("LinearAttention", attributes, inputs)
    torch.testing.assert_close(side_by_side(context), expected_context, rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(state, expected_state, rtol=1e-5, atol=1e-5)
