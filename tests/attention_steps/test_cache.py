"""Decoding with a cache equals computing everything at once, which is what a cache is for."""

from itertools import pairwise

import pytest
import torch
from torch import Tensor

from attention_steps import (
    KVCache,
    causal_mask,
    rotary_embedding,
    scaled_dot_product_attention,
    sliding_window_mask,
)
from tests.attention_steps.oracles import attention_by_loops, randn
from tests.attention_steps.test_oracle_onnx import onnx_attention

LENGTH, HEADS, HEAD_DIM, VALUE_DIM = 9, 4, 6, 5
# How far a cache may be from one large product: rounding, and nothing else.
TOLERANCE = 5e-15
CHUNKS = {
    "token by token": [1] * 9,
    "after a prefill": [5, 1, 1, 1, 1],
    "in chunks of 3": [3, 3, 3],
    "in uneven chunks": [2, 4, 0, 3],
    "all at once": [9],
}


def projections(kv_heads: int) -> tuple[Tensor, Tensor, Tensor]:
    """Queries, keys and values of two sentences."""
    return (
        randn(2, HEADS, LENGTH, HEAD_DIM),
        randn(2, kv_heads, LENGTH, HEAD_DIM, seed=1),
        randn(2, kv_heads, LENGTH, VALUE_DIM, seed=2),
    )


def turned(x: Tensor, positions: Tensor | None = None) -> Tensor:
    return rotary_embedding(x, positions, interleaved=True)


def mask(query_len: int, key_len: int, window: int | None) -> Tensor:
    """The queries are the last of the keys."""
    offset = key_len - query_len
    if window is None:
        return causal_mask(query_len, key_len, offset=offset)
    return sliding_window_mask(query_len, key_len, window=window, offset=offset)


def decode(
    query: Tensor, key: Tensor, value: Tensor, sizes: list[int], window: int | None, rotary: bool
) -> Tensor:
    """The contexts, computed part by part."""
    cache = KVCache(window)
    contexts = []
    for q, k, v in zip(*(torch.split(x, sizes, -2) for x in (query, key, value)), strict=True):
        if rotary:
            positions = torch.arange(cache.length, cache.length + q.shape[-2])
            q, k = turned(q, positions), turned(k, positions)
        k, v = cache.append(k, v)
        allowed = mask(q.shape[-2], k.shape[-2], window)
        contexts.append(scaled_dot_product_attention(q, k, v, allowed, enable_gqa=True))
    return torch.cat(contexts, dim=-2)


@pytest.mark.parametrize("window", [None, 1, 2, 4, 20])
@pytest.mark.parametrize("sizes", CHUNKS.values(), ids=CHUNKS)
def test_decoding_equals_computing_all_at_once(sizes: list[int], window: int | None) -> None:
    query, key, value = projections(2)
    context = decode(query, key, value, sizes, window, rotary=True)
    at_once = (turned(query), turned(key), value, mask(LENGTH, LENGTH, window))
    expected = attention_by_loops(*at_once, enable_gqa=True)
    torch.testing.assert_close(context, expected, rtol=0, atol=TOLERANCE)


@pytest.mark.parametrize("window", [None, 1, 2, 4, 20])
@pytest.mark.parametrize("sizes", CHUNKS.values(), ids=CHUNKS)
def test_it_keeps_what_later_queries_may_see_and_counts_all(
    sizes: list[int], window: int | None
) -> None:
    _, key, value = projections(HEADS)
    cache = KVCache(window)
    assert (cache.length, cache.key, cache.value) == (0, None, None)
    ends = [sum(sizes[:count]) for count in range(len(sizes) + 1)]

    for start, end in pairwise(ends):
        kept_before = start if window is None else min(start, window - 1)
        keys, values = cache.append(key[..., start:end, :], value[..., start:end, :])

        # Nothing that a query of this part may see was dropped before it asked.
        assert torch.equal(keys, key[..., start - kept_before : end, :])
        assert torch.equal(values, value[..., start - kept_before : end, :])
        assert cache.length == end
        kept = end if window is None else min(end, window - 1)
        assert cache.key is not None
        assert cache.value is not None
        assert torch.equal(cache.key, key[..., end - kept : end, :])
        assert torch.equal(cache.value, value[..., end - kept : end, :])


@pytest.mark.parametrize("past_len", [1, 2, 5])
@pytest.mark.parametrize("window", [None, 1, 3, 9])
@pytest.mark.parametrize("kv_heads", [4, 2, 1])
def test_the_reference_implementation_of_onnx_agrees(
    kv_heads: int, window: int | None, past_len: int
) -> None:
    query, key, value = projections(kv_heads)
    cache = KVCache(window)

    cache.append(key[..., :past_len, :], value[..., :past_len, :])
    keys, values = cache.append(key[..., past_len:, :], value[..., past_len:, :])
    query = query[..., past_len:, :]
    allowed = mask(query.shape[-2], keys.shape[-2], window)
    context = scaled_dot_product_attention(query, keys, values, allowed, enable_gqa=True)

    attributes = {"is_causal": 1}
    if window is not None:
        # The operator's window is what lies to the left of the query.
        attributes |= {"left_window_size": window - 1}
    expected, _ = onnx_attention(
        attributes,
        Q=query,
        K=key[..., past_len:, :],
        V=value[..., past_len:, :],
        past_key=key[..., :past_len, :],
        past_value=value[..., :past_len, :],
    )
    torch.testing.assert_close(context, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("window", [1, 4])
def test_a_window_lets_go_of_the_memory_of_what_it_drops(window: int) -> None:
    cache = KVCache(window)
    # Without leading axes a slice is contiguous, and would hold all that it was cut from.
    cache.append(randn(1000, 6), randn(1000, 5))
    for kept in (cache.key, cache.value):
        assert kept is not None
        assert kept.untyped_storage().nbytes() == kept.numel() * kept.element_size()


def test_a_change_of_the_callers_tensors_does_not_reach_the_cache() -> None:
    key, value = randn(3, 6), randn(3, 5)
    original = key.clone()
    cache = KVCache()
    cache.append(key, value)
    key.zero_()
    assert cache.key is not None
    assert torch.equal(cache.key, original)


@pytest.mark.parametrize("window", [None, 3])
def test_gradients_are_those_of_all_at_once(window: int | None) -> None:
    tensors = projections(2)
    for tensor in tensors:
        tensor.requires_grad_()
    allowed = mask(LENGTH, LENGTH, window)
    decoded = decode(*tensors, CHUNKS["in uneven chunks"], window, False)
    gradients = torch.autograd.grad(decoded.square().sum(), tensors)
    query, key, value = tensors
    at_once = scaled_dot_product_attention(query, key, value, allowed, enable_gqa=True)
    expected = torch.autograd.grad(at_once.square().sum(), tensors)
    for gradient, other in zip(gradients, expected, strict=True):
        torch.testing.assert_close(gradient, other, rtol=1e-12, atol=1e-12)


def test_a_refused_call_leaves_the_cache_as_it_was() -> None:
    cache = KVCache(window=4)
    cache.append(randn(2, 3, 6), randn(2, 3, 5))
    key, value = cache.key, cache.value
    with pytest.raises(RuntimeError, match="Expected size 5 but got size 4"):
        cache.append(randn(2, 1, 6), randn(2, 1, 4))
    assert cache.length == 3
    assert cache.key is key
    assert cache.value is value
