"""ONNX Runtime: its own kernel of the operator Attention, and the layer, exported."""

from typing import Any

import onnx
import pytest
import torch
from torch import Tensor

from attention_steps import MultiHeadAttention, causal_mask, scaled_dot_product_attention
from tests.other_libraries.conftest import Compare, give_weights

onnxruntime: Any = pytest.importorskip(
    "onnxruntime", reason="onnxruntime is not installed: pip install --group other-libraries"
)

NAME = "ONNX Runtime"
OPSET = 24


def run(model: bytes, inputs: dict[str, Tensor]) -> Tensor:
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    (output,) = session.run(None, {name: tensor.numpy() for name, tensor in inputs.items()})
    return torch.from_numpy(output)


def operator(attributes: dict[str, Any], inputs: dict[str, Tensor]) -> Tensor:
    """Run the operator by itself."""
    node = onnx.helper.make_node("Attention", list(inputs), ["Y"], **attributes)
    declared = [
        onnx.helper.make_tensor_value_info(
            name, onnx.helper.np_dtype_to_tensor_dtype(tensor.numpy().dtype), tensor.shape
        )
        for name, tensor in inputs.items()
    ]
    result = onnx.helper.make_tensor_value_info("Y", onnx.TensorProto.FLOAT, None)
    graph = onnx.helper.make_graph([node], "attention", declared, [result])
    opset = onnx.helper.make_opsetid("", OPSET)
    # Of several format versions that know the operator set, the oldest: a runtime lags behind.
    model = onnx.helper.make_model_gen_version(graph, opset_imports=[opset])
    return run(model.SerializeToString(), inputs)


@pytest.mark.parametrize(
    ("what", "ours", "attributes", "mask"),
    [
        ("no mask", {}, {}, None),
        (
            "causal, own scale",
            {"is_causal": True, "scale": 0.7},
            {"is_causal": 1, "scale": 0.7},
            None,
        ),
        ("boolean mask", {}, {}, causal_mask(7) & torch.tensor([True] * 4 + [False] * 3)),
        ("float mask", {}, {}, torch.linspace(-2, 2, 4 * 49).reshape(4, 7, 7)),
    ],
)
def test_the_operator(
    what: str,
    ours: dict[str, Any],
    attributes: dict[str, Any],
    mask: Tensor | None,
    compare: Compare,
) -> None:
    torch.manual_seed(0)
    query = torch.randn(2, 4, 7, 8)
    key, value = torch.randn(2, 2, 2, 7, 8)
    inputs = {"Q": query, "K": key, "V": value}
    if mask is not None:
        inputs["attn_mask"] = mask
    expected = operator(attributes, inputs)
    result = scaled_dot_product_attention(query, key, value, mask, **ours, enable_gqa=True)
    compare(NAME, f"the operator Attention, grouped heads: {what}", result, expected)


# torch's own exporter uses a class of torch's that torch warns of.
@pytest.mark.filterwarnings("ignore:.*LeafSpec.*is deprecated:FutureWarning")
def test_the_exported_layer(compare: Compare) -> None:
    layer = MultiHeadAttention(24, num_heads=4, num_kv_heads=2).eval()
    give_weights(layer)
    inputs, mask = torch.randn(2, 7, 24), causal_mask(7)
    program = torch.onnx.export(
        layer, (inputs,), kwargs={"attn_mask": mask}, dynamo=True, verbose=False
    )
    assert program is not None
    model = program.model_proto.SerializeToString()
    exported = run(model, {"query": inputs, "attn_mask": mask})
    compare(
        NAME, "the layer, exported: grouped heads, causal", layer(inputs, attn_mask=mask), exported
    )
