"""Attention in parts: the log-sum-exp of each, their merge, and tiles with a backward pass."""

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from attention_steps import (
    attention_with_lse,
    merge_attention,
    scaled_dot_product_attention,
    sliding_window_mask,
    tiled_attention,
)
from tests.attention_steps.oracles import (
    assert_near,
    query_key_value,
    randn,
    random_mask,
    torch_attention,
)


def gradients(context: Tensor, *inputs: Tensor) -> tuple[Tensor, ...]:
    """Gradients of a sum in which each number of the context counts differently."""
    return torch.autograd.grad((context * randn(*context.shape, seed=9)).sum(), inputs)


# attention_with_lse ---------------------------------------------------------------------------


@pytest.mark.parametrize("mask", [torch.tensor([False]), torch.tensor([-math.inf])], ids=str)
def test_a_query_with_nothing_to_attend_to_has_no_sum_and_no_gradient(mask: Tensor) -> None:
    query, key, value = (tensor.float().requires_grad_() for tensor in query_key_value(3, 2))
    context, lse = attention_with_lse(query, key, value, mask)
    assert (context == 0).all()
    assert lse.isneginf().all()
    for grad in torch.autograd.grad(context.sum() + lse.exp().sum(), (query, key, value)):
        assert (grad == 0).all()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_autocast_rounds_once(dtype: torch.dtype) -> None:
    query, key, value = query_key_value(9, 4, dtype=torch.float32)
    with torch.autocast("cpu", dtype=dtype):
        expected = scaled_dot_product_attention(query, key, value)
        context, lse = attention_with_lse(query, key, value)
        tiled = tiled_attention(query, key, value, block_size=4)
    _, exact = attention_with_lse(*(x.to(dtype) for x in (query, key, value)))
    assert (context.dtype, lse.dtype, tiled.dtype) == (dtype, torch.float32, dtype)
    assert_near(lse, exact)
    # Merged in another order, and rounded once.
    for ours in (context, tiled):
        torch.testing.assert_close(ours, expected, rtol=torch.finfo(dtype).eps, atol=1e-6)


# merge_attention ------------------------------------------------------------------------------


def test_merging_is_commutative_and_associative() -> None:
    query = randn(4, 3)
    a, b, c = (
        attention_with_lse(query, randn(2, 3, seed=s), randn(2, 5, seed=s)) for s in (1, 2, 3)
    )

    for left, right in [
        (merge_attention(*a, *b), merge_attention(*b, *a)),
        (
            merge_attention(*merge_attention(*a, *b), *c),
            merge_attention(*a, *merge_attention(*b, *c)),
        ),
    ]:
        assert_near(left[0], right[0])
        assert_near(left[1], right[1])


def test_an_empty_part_changes_nothing() -> None:
    part = attention_with_lse(*query_key_value(4, 3))
    empty = torch.zeros_like(part[0]), torch.full_like(part[1], -math.inf)
    for merged in (merge_attention(*part, *empty), merge_attention(*empty, *part)):
        assert torch.equal(merged[0], part[0])
        assert torch.equal(merged[1], part[1])


def test_two_empty_parts_are_one_with_gradients_of_zero() -> None:
    contexts = [torch.zeros(2, 3, requires_grad=True) for _ in range(2)]
    sums = [torch.full((2,), -math.inf, requires_grad=True) for _ in range(2)]
    context, lse = merge_attention(contexts[0], sums[0], contexts[1], sums[1])
    assert (context == 0).all()
    assert lse.isneginf().all()
    for grad in torch.autograd.grad(context.sum() + lse.exp().sum(), (*contexts, *sums)):
        assert (grad == 0).all()


def test_sums_far_apart_neither_overflow_nor_vanish() -> None:
    small, large = torch.tensor([-1000.0]), torch.tensor([1000.0])
    context, lse = merge_attention(torch.tensor([[1.0]]), small, torch.tensor([[5.0]]), large)
    assert (context.item(), lse.item()) == (5.0, 1000.0)


def test_gradients_go_through_a_merge() -> None:
    query, key, value = (tensor.requires_grad_() for tensor in query_key_value(4, 3))

    def merged(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        parts = [attention_with_lse(query, key[at], value[at]) for at in (slice(1), slice(1, None))]
        return merge_attention(*parts[0], *parts[1])[0]

    actual = gradients(merged(query, key, value), query, key, value)
    expected = gradients(torch_attention(query, key, value), query, key, value)
    for one, other in zip(actual, expected, strict=True):
        assert_near(one, other)


# tiled_attention ------------------------------------------------------------------------------

LENGTHS = [(1, 1), (5, 5), (6, 4), (4, 7), (0, 3), (3, 0)]


@pytest.mark.parametrize("block_size", [1, 2, 4, 100])
@pytest.mark.parametrize("masked", ["no", "causal", "boolean", "float", "keys"])
@pytest.mark.parametrize(("query_len", "key_len"), LENGTHS)
def test_tiles_and_their_gradients_are_those_of_the_whole(
    query_len: int, key_len: int, masked: str, block_size: int
) -> None:
    query = randn(2, 3, query_len, 4, requires_grad=True)
    key = randn(2, 3, key_len, 4, seed=1, requires_grad=True)
    value = randn(2, 3, key_len, 5, seed=2, requires_grad=True)
    boolean = random_mask(2, 1, query_len, key_len)
    cases: dict[str, dict[str, Any]] = {
        "no": {},
        "causal": {"is_causal": True},
        "boolean": {"attn_mask": boolean},
        "float": {"attn_mask": randn(query_len, key_len, seed=3).where(boolean[0, 0], -math.inf)},
        "keys": {"attn_mask": random_mask(2, 1, 1, key_len)},
    }
    arguments = cases[masked]

    context = tiled_attention(query, key, value, block_size=block_size, scale=0.6, **arguments)

    expected = scaled_dot_product_attention(query, key, value, scale=0.6, **arguments)
    assert_near(context, expected)
    for actual, wanted in zip(
        gradients(context, query, key, value), gradients(expected, query, key, value), strict=True
    ):
        assert_near(actual, wanted)


def saved_numbers(attention: Callable[..., Tensor], length: int, **arguments: Any) -> int:
    """How many numbers the forward pass keeps for the backward pass."""
    query, key, value = query_key_value(1, 1, length, 16, dtype=torch.float32)
    saved: dict[int, int] = {}

    def keep(tensor: Tensor) -> Tensor:
        saved[tensor.data_ptr()] = tensor.numel()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        attention(query.requires_grad_(), key, value, **arguments)
    return sum(saved.values())


@pytest.mark.parametrize("is_causal", [False, True])
@pytest.mark.parametrize("length", [64, 128])
def test_what_is_kept_for_the_backward_pass_grows_with_the_length(
    length: int, is_causal: bool
) -> None:
    arguments = {"block_size": 16, "is_causal": is_causal}
    # Query, key, value and context have 16 numbers for each token, lse has one.
    assert saved_numbers(tiled_attention, length, **arguments) == 65 * length
    with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
        fused = torch.nn.functional.scaled_dot_product_attention
        assert saved_numbers(fused, length, is_causal=is_causal) == 65 * length
    assert saved_numbers(scaled_dot_product_attention, length) > length**2


def test_tiles_above_the_diagonal_are_left_out() -> None:
    query, key, value = query_key_value(8, 4)
    with FlopCounterMode(display=False) as counter:
        tiled_attention(query, key, value, block_size=2, is_causal=True)
    # 10 of 16 tiles, of 2 * 2 pairs, each with 2 * 4 operations for its score and for its context
    assert counter.get_total_flops() == 10 * 4 * 2 * 8


@pytest.mark.parametrize("kind", ["boolean", "float", "keys"])
def test_tiles_that_a_mask_hides_are_left_out(kind: str) -> None:
    query, key, value = (x.requires_grad_() for x in query_key_value(2, 8, 4))
    mask = torch.arange(8) < 3 if kind == "keys" else sliding_window_mask(8, window=2)
    mask = mask.log().double() if kind == "float" else mask
    with FlopCounterMode(display=False) as counter:
        context = tiled_attention(query, key, value, mask, block_size=2)
    # Of 16 tiles, 7 along the diagonal, or those of two blocks of keys, in each of two texts.
    assert counter.get_total_flops() == 2 * (8 if kind == "keys" else 7) * 4 * 2 * 8
    expected = scaled_dot_product_attention(query, key, value, mask)
    assert_near(context, expected)
    for one, other in zip(
        gradients(context, query, key, value), gradients(expected, query, key, value), strict=True
    ):
        assert_near(one, other)


CAPS: list[float | None] = [None, 0.5]
SINKS = [None, torch.tensor([0.3, -1.0, 9.0, 0.0], dtype=torch.float64)]


@pytest.mark.parametrize("softcap", CAPS)
@pytest.mark.parametrize("sinks", SINKS, ids=["no sinks", "sinks"])
@pytest.mark.parametrize("kind", ["all", "causal", "mask"])
def test_parts_and_tiles_have_the_soft_cap_and_the_sinks(
    softcap: float | None, sinks: Tensor | None, kind: str
) -> None:
    query, key, value = (x.requires_grad_() for x in (randn(2, 4, 7, 3), *heads_of_keys()))
    learned = None if sinks is None else sinks.clone().requires_grad_()
    inputs = [query, key, value] if learned is None else [query, key, value, learned]
    mask = random_mask(7, 7, seed=2)
    mask[4] = False
    options: dict[str, Any] = {"softcap": softcap, "sinks": learned, "enable_gqa": True}
    hides: dict[str, dict[str, Any]] = {
        "all": {},
        "causal": {"is_causal": True},
        "mask": {"attn_mask": mask},
    }
    options |= hides[kind]
    expected = scaled_dot_product_attention(query, key, value, **options)
    parts, lse = attention_with_lse(query, key, value, **options)
    assert_near(parts, expected)
    if learned is not None and kind == "mask":
        assert_near(lse[:, :, 4], learned[:, None].expand(2, 4, 7)[..., 4])
    tiled = tiled_attention(query, key, value, block_size=3, **options)
    assert_near(tiled, expected)
    grads = [
        torch.autograd.grad(
            (context * randn(*context.shape, seed=9)).sum(), inputs, create_graph=True
        )
        for context in (expected, parts, tiled)
    ]
    for ours in grads[1:]:
        for one, other in zip(ours, grads[0], strict=True):
            assert_near(one, other)
    second = [
        torch.autograd.grad(sum((x.square().sum() for x in first), torch.tensor(0.0)), inputs)
        for first in grads
    ]
    for ours in second[1:]:
        for one, other in zip(ours, second[0], strict=True):
            assert_near(one, other, 1e-10)


def heads_of_keys() -> tuple[Tensor, Tensor]:
    return randn(2, 2, 7, 3, seed=1), randn(2, 2, 7, 5, seed=2)


@pytest.mark.parametrize("dims", [(0, 0, 0), (0, None, None), (None, 0, 0), (None, None, 1)])
@pytest.mark.parametrize("is_causal", [False, True])
def test_tiles_map_over_a_batch_with_gradients_for_each_sample(
    dims: tuple[int | None, ...], is_causal: bool
) -> None:
    inputs = [randn(*([3] if dim is not None else []), 4, 2, seed=7) for dim in dims]
    inputs = [x if dim != 1 else x.transpose(0, 1) for x, dim in zip(inputs, dims, strict=True)]

    def loss(attend: Callable[..., Tensor], **options: Any) -> Callable[..., Tensor]:
        return lambda *x: attend(*x, is_causal=is_causal, **options).square().sum()

    for transform in (lambda f: f, lambda f: torch.func.grad(f, argnums=(0, 1, 2))):
        actual = torch.vmap(transform(loss(tiled_attention, block_size=3)), in_dims=dims)(*inputs)
        expected = torch.vmap(transform(loss(scaled_dot_product_attention)), in_dims=dims)(*inputs)
        for one, other in zip(actual, expected, strict=True):
            assert_near(one, other)


def test_autocast_does_not_round_inside_the_backward_pass() -> None:
    inputs = [tensor.requires_grad_() for tensor in query_key_value(9, 4, dtype=torch.float32)]
    query, key, value = inputs
    # Numbers that bfloat16 holds exactly, so that the inputs are cast without a change.
    for tensor in inputs:
        tensor.data = tensor.data.bfloat16().float()

    def gradients_of(attend: Callable[..., Tensor], **options: Any) -> tuple[Tensor, ...]:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = attend(*inputs, **options).float().square().sum()
            return torch.autograd.grad(loss, inputs)

    exact = torch.autograd.grad(
        scaled_dot_product_attention(query, key, value).bfloat16().float().square().sum(), inputs
    )
    for one, other in zip(gradients_of(tiled_attention, block_size=3), exact, strict=True):
        assert torch.equal(one.bfloat16(), other.bfloat16()) or torch.allclose(
            one, other, rtol=torch.finfo(torch.bfloat16).eps, atol=1e-5
        )
