"""A layer as a module of torch: its parameters, its projections, and what attends in it."""

import copy
import math
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from attention_steps import (
    MultiHeadAttention,
    SelfAttention,
    causal_mask,
    rotary_embedding,
    scaled_dot_product_attention,
    tiled_attention,
    trace_attention,
)
from tests.attention_steps.layers import numbered
from tests.attention_steps.oracles import (
    randn,
    torch_attention,
)

# As a module ----------------------------------------------------------------------------------


def test_parameters_are_four_linear_maps() -> None:
    attention = MultiHeadAttention(12, 6, num_kv_heads=2, kdim=5, vdim=7)
    weights = [p for name, p in attention.named_parameters() if name.endswith("weight")]
    assert [weight.shape for weight in weights] == [(12, 12), (4, 5), (4, 7), (12, 12)]
    assert all(type(projection) is nn.Linear for projection in attention.children())
    bare = MultiHeadAttention(12, 6, bias=False)
    assert list(bare.state_dict()) == [f"{name}_proj.weight" for name in ("q", "k", "v", "out")]


@pytest.mark.parametrize(
    "make",
    [
        lambda **place: SelfAttention(4, 4, bias=True, **place),
        lambda **place: MultiHeadAttention(4, 2, **place),
    ],
)
def test_is_made_on_a_device_and_in_a_dtype(make: Callable[..., nn.Module]) -> None:
    attention = make(device="meta", dtype=torch.bfloat16)
    assert {(p.device.type, p.dtype) for p in attention.parameters()} == {("meta", torch.bfloat16)}
    with torch.random.fork_rng(devices=[]):
        assert make(dtype=torch.float64)(randn(2, 3, 4)).dtype == torch.float64


@pytest.mark.parametrize("again", [False, True])
def test_initial_values_are_those_of_torchs_layer_with_separate_matrices(again: bool) -> None:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        attention = MultiHeadAttention(64, 4, kdim=32, vdim=16)
        if again:
            numbered(attention, torch.float32).reset_parameters()

    for name, fan_in in (("q_proj", 64), ("k_proj", 32), ("v_proj", 16)):
        largest = getattr(attention, name).weight.abs().max().item()
        bound = math.sqrt(6 / (fan_in + 64))
        # The largest of a thousand and more uniform numbers is near their bound.
        assert 0.99 * bound < largest <= bound
    assert 0.99 / 8 < attention.out_proj.weight.abs().max().item() <= 1 / 8
    assert all((p == 0).all() for name, p in attention.named_parameters() if name.endswith("bias"))
    assert "num_heads=4, num_kv_heads=4, dropout=0.0" in repr(attention)


def test_works_under_autocast_with_many_heads() -> None:
    attention = numbered(MultiHeadAttention(8, 2), torch.float32)
    inputs = randn(3, 5, 8, dtype=torch.float32)
    expected = attention(inputs, attn_mask=randn(5, 5).float())
    with torch.autocast("cpu", dtype=torch.bfloat16):
        output = attention(inputs, attn_mask=randn(5, 5).float())
        traced = attention.trace(inputs, attn_mask=randn(5, 5).float()).output
    for result in (output, traced):
        assert result.dtype == torch.bfloat16
        torch.testing.assert_close(result.float(), expected, rtol=0.05, atol=0.05)


class Wrapped(nn.Module):
    """Some other module around a projection, with no weight of its own, and in its own dtype."""

    def __init__(self, projection: nn.Module, dtype: torch.dtype) -> None:
        super().__init__()
        self.dtype = dtype
        self.projection = projection.to(dtype)

    def forward(self, inputs: Tensor) -> Tensor:
        output: Tensor = self.projection(inputs.to(self.dtype))
        return output


@pytest.mark.parametrize("mask_kind", ["none", "boolean", "float32", "dtype"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize("make", [lambda: SelfAttention(8, 8), lambda: MultiHeadAttention(8, 2)])
def test_nothing_is_asked_of_a_projection(
    make: Callable[[], Any], dtype: torch.dtype, mask_kind: str
) -> None:
    # Adapters have other names inside, and sharding in mixed precision casts in each projection.
    attention = numbered(make(), torch.float32)
    mask = {
        "none": None,
        "boolean": causal_mask(5),
        "float32": randn(5, 5, dtype=torch.float32),
        "dtype": randn(5, 5, dtype=dtype),
    }[mask_kind]
    inputs = randn(3, 5, 8, dtype=torch.float32)
    expected = copy.deepcopy(attention).to(dtype)(inputs.to(dtype), attn_mask=mask)
    for name, projection in list(attention.named_children()):
        setattr(attention, name, Wrapped(projection, dtype))

    output = attention(inputs, attn_mask=mask)

    assert output.dtype == dtype
    assert torch.equal(output, expected)
    if isinstance(attention, MultiHeadAttention):
        traced = attention.trace(inputs, attn_mask=mask).output
        tolerance = 4 * torch.finfo(dtype).eps
        torch.testing.assert_close(traced, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.slow
def test_exports_with_many_heads_for_any_batch_and_length() -> None:
    attention = numbered(MultiHeadAttention(8, 2)).eval()
    batch, length = torch.export.Dim("batch", min=2, max=64), torch.export.Dim("length", max=64)
    exported = torch.export.export(
        attention,
        (randn(3, 5, 8),),
        {"is_causal": True},
        dynamic_shapes={
            "query": {0: batch, 1: length},
            "is_causal": None,
        },
        strict=True,
    )

    for shape in ((2, 7, 8), (4, 2, 8)):
        inputs = randn(*shape)
        output = exported.module()(inputs, is_causal=True)
        torch.testing.assert_close(output, attention(inputs, is_causal=True))


def test_another_function_can_attend() -> None:
    attention = numbered(MultiHeadAttention(8, 4, num_kv_heads=2))
    inputs, sinks = randn(3, 5, 8), randn(4, seed=1).requires_grad_()
    own = partial(scaled_dot_product_attention, softcap=2.0, sinks=sinks)
    output = attention(inputs, is_causal=True, attend=own)

    trace = attention.trace(inputs, is_causal=True)
    context = own(trace.query, trace.key, trace.value, is_causal=True, enable_gqa=True)
    expected = attention.out_proj(context.transpose(1, 2).flatten(2))
    torch.testing.assert_close(output, expected)
    traced = partial(trace_attention, **own.keywords)
    torch.testing.assert_close(
        attention.trace(inputs, is_causal=True, attend=traced).output, expected
    )
    with pytest.raises(TypeError, match=r"^attend must return an AttentionTrace.*got Tensor$"):
        attention.trace(inputs, attend=scaled_dot_product_attention)
    assert not torch.allclose(output, trace.output)
    [grad] = torch.autograd.grad(output.sum(), sinks)
    assert (grad != 0).all()
    for same in (scaled_dot_product_attention, partial(tiled_attention, block_size=2)):
        without = attention(inputs, is_causal=True, attend=same)
        torch.testing.assert_close(without, trace.output)


def test_dropout_reaches_another_function() -> None:
    attention = numbered(MultiHeadAttention(8, 4, dropout=1.0, bias=False)).train()
    output = attention(randn(3, 5, 8), attend=scaled_dot_product_attention)
    assert (output == 0).all()


def test_a_norm_on_queries_and_keys_is_a_projection_with_it() -> None:
    attention: Any = numbered(MultiHeadAttention(8, 2))
    inputs, rotate = randn(3, 5, 8), partial(rotary_embedding, interleaved=False)
    norms = [numbered(nn.RMSNorm(4)) for _ in range(2)]
    trace = attention.trace(inputs)
    query, key = (norm(x) for norm, x in zip(norms, trace[:2], strict=True))
    expected = torch_attention(rotate(query), rotate(key), trace.value)
    for name, norm in zip(("q_proj", "k_proj"), norms, strict=True):
        made = nn.Sequential(
            getattr(attention, name), nn.Unflatten(-1, (-1, 4)), norm, nn.Flatten(-2)
        )
        setattr(attention, name, made)
    torch.testing.assert_close(attention.trace(inputs, rotate=rotate).context, expected)
