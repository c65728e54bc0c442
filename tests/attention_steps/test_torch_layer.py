"""Copies of torch's layer, and copies back."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from torch.ao.nn.quantizable import MultiheadAttention as QuantizableMultiheadAttention

from attention_steps import MultiHeadAttention, causal_mask, padding_mask
from tests.attention_steps.layers import numbered
from tests.attention_steps.oracles import randn, random_mask


@pytest.mark.parametrize(
    "sizes", [{}, {"kdim": 3}, {"vdim": 5}, {"kdim": 3, "vdim": 5}, {"kdim": 8, "vdim": 8}]
)
@pytest.mark.parametrize("bias", [True, False], ids=["bias", "no bias"])
@pytest.mark.parametrize("mask_kind", ["none", "causal", "boolean", "padding", "float"])
def test_a_copy_of_torchs_layer_agrees_with_it(
    sizes: dict[str, int], bias: bool, mask_kind: str
) -> None:
    theirs = numbered(nn.MultiheadAttention(8, 2, bias=bias, batch_first=True, **sizes))
    ours: Any = MultiHeadAttention.from_torch(theirs)
    kdim, vdim = sizes.get("kdim", 8), sizes.get("vdim", 8)
    inputs = [
        randn(*shape, seed=seed, requires_grad=True)
        for seed, shape in enumerate([(3, 4, 8), (3, 5, kdim), (3, 5, vdim)])
    ]
    padding = padding_mask(torch.tensor([5, 1, 2]))
    kinds: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
        "none": ({}, {}),
        "causal": (
            {"is_causal": True},
            {"attn_mask": ~causal_mask(4, 5)},
        ),
        "boolean": (
            {"attn_mask": random_mask(3, 2, 4, 5) | causal_mask(4, 5)},
            {"attn_mask": ~(random_mask(3, 2, 4, 5) | causal_mask(4, 5)).flatten(0, 1)},
        ),
        "padding": (
            {"attn_mask": padding & causal_mask(4, 5)},
            {"attn_mask": ~causal_mask(4, 5), "key_padding_mask": ~padding[:, 0, 0]},
        ),
        "float": (
            {"attn_mask": randn(4, 5)},
            {"attn_mask": randn(4, 5)},
        ),
    }
    our_arguments, their_arguments = kinds[mask_kind]

    output = ours(*inputs, **our_arguments)
    weights = ours.trace(*inputs, **our_arguments).weights
    expected, expected_weights = theirs(*inputs, **their_arguments, average_attn_weights=False)

    torch.testing.assert_close(output, expected)
    torch.testing.assert_close(weights, expected_weights)
    upstream = randn(3, 4, 8, seed=9)
    torch.testing.assert_close(
        torch.autograd.grad(output, inputs, upstream),
        torch.autograd.grad(expected, inputs, upstream),
    )


def test_a_copy_is_a_copy() -> None:
    theirs = nn.MultiheadAttention(8, 2, dropout=0.3, kdim=3).half().eval()
    theirs.k_proj_weight.requires_grad_(False)
    before = {name: tensor.clone() for name, tensor in theirs.state_dict().items()}
    state = torch.get_rng_state()

    with torch.no_grad():
        ours = MultiHeadAttention.from_torch(theirs)
    assert torch.equal(torch.get_rng_state(), state)

    assert ours.dropout == 0.3
    assert not ours.training
    assert {parameter.dtype for parameter in ours.parameters()} == {torch.float16}
    frozen = [name for name, parameter in ours.named_parameters() if not parameter.requires_grad]
    assert frozen == ["k_proj.weight"]
    with torch.no_grad():
        for parameter in ours.parameters():
            parameter.zero_()
    for name, tensor in theirs.state_dict().items():
        assert torch.equal(tensor, before[name])


@pytest.mark.parametrize("in_bias", [True, False])
@pytest.mark.parametrize("out_bias", [True, False])
@pytest.mark.parametrize("out_dim", [8, 5])
def test_a_copy_has_the_output_projection_that_is_there(
    in_bias: bool, out_bias: bool, out_dim: int
) -> None:
    theirs = nn.MultiheadAttention(8, 2, bias=in_bias, batch_first=True)
    theirs.out_proj = nn.Linear(8, out_dim, bias=out_bias)  # type: ignore[assignment]
    numbered(theirs)
    inputs = randn(3, 5, 8)
    ours = MultiHeadAttention.from_torch(theirs)
    expected, _ = theirs(inputs, inputs, inputs)
    torch.testing.assert_close(ours(inputs), expected)
    assert (ours.q_proj.bias is not None) == in_bias
    assert (ours.out_proj.bias is not None) == out_bias
    assert f"(out_proj): Linear(in_features=8, out_features={out_dim}" in repr(ours)


@pytest.mark.parametrize("sizes", [{}, {"kdim": 3, "vdim": 5}])
@pytest.mark.parametrize("bias", [True, False], ids=["bias", "no bias"])
@pytest.mark.parametrize("batch_first", [True, False])
def test_the_way_back_gives_torchs_layer(
    sizes: dict[str, Any], bias: bool, batch_first: bool
) -> None:
    ours = numbered(MultiHeadAttention(8, 2, dropout=0.3, bias=bias, **sizes), torch.float32).eval()
    theirs = ours.to_torch(batch_first=batch_first)
    assert (theirs.dropout, theirs.training, theirs.batch_first) == (0.3, False, batch_first)
    inputs = [randn(3, 4, 8), randn(3, 5, sizes.get("kdim", 8)), randn(3, 5, sizes.get("vdim", 8))]
    inputs = [x.float() for x in inputs]
    expected = ours(*inputs, attn_mask=causal_mask(4, 5))
    turned = inputs if batch_first else [x.transpose(0, 1) for x in inputs]
    output, _ = theirs(*turned, attn_mask=~causal_mask(4, 5))
    torch.testing.assert_close(output if batch_first else output.transpose(0, 1), expected)
    again = MultiHeadAttention.from_torch(theirs).state_dict()
    assert again.keys() == ours.state_dict().keys()
    assert all(torch.equal(x, again[name]) for name, x in ours.state_dict().items())
    with torch.no_grad():
        for parameter in theirs.parameters():
            parameter.zero_()
    torch.testing.assert_close(ours(*inputs, attn_mask=causal_mask(4, 5)), expected)


def test_a_swapped_model_goes_back_into_torchs_blocks() -> None:
    block = nn.TransformerEncoderLayer(8, 2, dropout=0.0, batch_first=True)
    ours = MultiHeadAttention.from_torch(block.self_attn)
    ours.q_proj.requires_grad_(False)
    state = block.state_dict()
    inputs = torch.randn(2, 3, 8)
    expected = block(inputs)
    block.self_attn = ours.to_torch()
    torch.testing.assert_close(block(inputs), expected)
    assert block.state_dict().keys() == state.keys()
    assert all(torch.equal(x, state[name]) for name, x in block.state_dict().items())
    assert block.self_attn.in_proj_weight.requires_grad  # torch stacks it with two that learn
    for name in ("k_proj", "v_proj"):
        getattr(ours, name).requires_grad_(False)
    assert not ours.to_torch().in_proj_weight.requires_grad


def with_projection(name: str, new: nn.Module) -> MultiHeadAttention:
    layer = MultiHeadAttention(8, 2)
    setattr(layer, name, new)
    return layer


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: MultiHeadAttention(8, 2, num_kv_heads=1), ValueError, "k_proj .* got 8 to 4"),
        (lambda: MultiHeadAttention(8, 2, head_dim=3), ValueError, "q_proj .* got 8 to 6"),
        (lambda: MultiHeadAttention(8, 2, out_dim=5), ValueError, "out_proj .* got 8 to 5"),
        (lambda: MultiHeadAttention(8, 2, out_bias=False), ValueError, "all .* got out_proj with"),
        (lambda: with_projection("v_proj", nn.Linear(8, 4)), ValueError, "v_proj .* got 8 to 4"),
        (lambda: with_projection("q_proj", nn.Identity()), TypeError, "q_proj .* got Identity"),
    ],
)
def test_what_torchs_layer_cannot_hold_is_not_copied_back(
    make: Callable[[], MultiHeadAttention], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=f"^{message}"):
        make().to_torch()


class Negated(nn.MultiheadAttention):
    def forward(self, *args: Any, **kwargs: Any) -> Any:
        output, weights = super().forward(*args, **kwargs)
        return -output, weights


def replaced() -> nn.MultiheadAttention:
    layer = nn.MultiheadAttention(8, 2)
    layer.forward = lambda *inputs: inputs  # type: ignore[method-assign]
    return layer


@pytest.mark.parametrize(
    "make", [lambda: Negated(8, 2), lambda: QuantizableMultiheadAttention(8, 2), replaced]
)
def test_a_layer_that_computes_something_else_is_not_copied(make: Callable[[], Any]) -> None:
    theirs = make()
    wanted = rf"^module must compute what .* got {type(theirs).__name__} with a forward of its own"
    with pytest.raises(TypeError, match=wanted):
        MultiHeadAttention.from_torch(theirs)
