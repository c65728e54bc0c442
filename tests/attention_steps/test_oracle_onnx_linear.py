"""The reference implementation of the ONNX operator LinearAttention.

It has the same four rules: with and without decay, with and without the delta rule. It scales the
queries by the square root of head_dim, takes the logarithm of the decay, wants the heads of a token
side by side, and computes in float32.
"""

from typing import Any

import onnx
import pytest
import torch
from onnx.reference import ReferenceEvaluator
from torch import Tensor

from attention_steps import linear_attention
from tests.attention_steps.oracles import randn

OPSET = 27
INPUTS = ("query", "key", "value", "past_state", "decay", "beta")
BATCH, HEADS, LENGTH, HEAD_DIM = 2, 3, 7, 4


def onnx_linear_attention(rule: str, **tensors: Tensor) -> list[Tensor]:
    """The operator's output, and its present_state."""
    # An input that is left out keeps its place, under an empty name.
    names = [name if name in tensors else "" for name in INPUTS]
    attributes: dict[str, Any] = {"q_num_heads": HEADS, "kv_num_heads": HEADS, "update_rule": rule}
    node = onnx.helper.make_node("LinearAttention", names, ["output", "state"], **attributes)
    double = onnx.TensorProto.DOUBLE
    graph = onnx.helper.make_graph(
        [node],
        "attention",
        [
            onnx.helper.make_tensor_value_info(name, double, tensor.shape)
            for name, tensor in tensors.items()
        ],
        [onnx.helper.make_tensor_value_info(name, double, None) for name in ("output", "state")],
    )
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", OPSET)])
    arrays = {name: tensor.numpy() for name, tensor in tensors.items()}
    return [torch.tensor(array) for array in ReferenceEvaluator(model).run(None, arrays)]


def side_by_side(heads: Tensor) -> Tensor:
    return heads.transpose(1, 2).flatten(2)


@pytest.mark.parametrize("continued", [False, True])
@pytest.mark.parametrize("chunk_size", [1, 3, None])
@pytest.mark.parametrize("rule", ["linear", "gated", "delta", "gated_delta"])
def test_each_rule_agrees(rule: str, chunk_size: int | None, continued: bool) -> None:
    size = (BATCH, HEADS, LENGTH, HEAD_DIM)
    query, value = randn(*size), randn(*size, seed=1)
    key = torch.nn.functional.normalize(randn(*size, seed=2), dim=-1)
    decay, beta = (torch.sigmoid(randn(*size[:3], seed=seed)) for seed in (3, 4))
    state = randn(BATCH, HEADS, HEAD_DIM, HEAD_DIM, seed=5)
    arguments: dict[str, Any] = {"state": state} if continued else {}
    inputs = {
        "query": side_by_side(query * HEAD_DIM**0.5),
        "key": side_by_side(key),
        "value": side_by_side(value),
        **({"past_state": state} if continued else {}),
    }
    if "gated" in rule:
        arguments["decay"] = decay
        inputs["decay"] = side_by_side(decay.log().unsqueeze(-1))
    if "delta" in rule:
        arguments["beta"] = beta
        inputs["beta"] = side_by_side(beta.unsqueeze(-1))

    context, left = linear_attention(query, key, value, chunk_size=chunk_size, **arguments)

    expected_context, expected_state = onnx_linear_attention(rule, **inputs)
    torch.testing.assert_close(side_by_side(context), expected_context, rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(left, expected_state, rtol=1e-5, atol=1e-5)
