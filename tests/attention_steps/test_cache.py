"""Decoding with a cache equals computing everything at once, which is what a cache is for."""

import copy
from itertools import pairwise
from typing import Any

import pytest
import torch
from torch import Tensor
from torch._dynamo.testing import CompileCounter
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from attention_steps import (
    KVCache,
    MultiHeadAttention,
    PreallocatedCache,
    causal_mask,
    rotary_embedding,
    scaled_dot_product_attention,
    sliding_window_mask,
)
from attention_steps.static_cache import StaticCache
from tests.attention_steps.oracles import attention_by_loops, randn

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


@pytest.mark.parametrize("window", [1, 4])
def test_a_window_lets_go_of_the_memory_of_what_it_drops(window: int) -> None:
    cache = KVCache(window)
    # Without leading axes a slice is contiguous, and would hold all that it was cut from.
    cache.append(randn(1000, 6), randn(1000, 5))
    for kept in (cache.key, cache.value):
        assert kept is not None
        assert kept.untyped_storage().nbytes() == kept.numel() * kept.element_size()


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


def made(kind: str, window: int | None = None) -> KVCache:
    return PreallocatedCache(max_len=20) if kind == "preallocated" else KVCache(window)


@pytest.mark.parametrize("sizes", CHUNKS.values(), ids=CHUNKS)
def test_memory_taken_beforehand_holds_the_same(sizes: list[int]) -> None:
    _, key, value = projections(2)
    plain, ahead = KVCache(), PreallocatedCache(max_len=LENGTH)
    for k, v in zip(*(torch.split(x, sizes, -2) for x in (key, value)), strict=True):
        for one, other in zip(plain.append(k, v), ahead.append(k, v), strict=True):
            assert torch.equal(one, other)
    assert ahead.length == LENGTH
    with pytest.raises(ValueError, match="max_len must be at least 10"):
        ahead.append(key[..., :1, :], value[..., :1, :])
    assert ahead.length == LENGTH


class BytesMoved(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Counts the bytes that operations read and write."""

    count = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        if not func.is_view:
            leaves = tree_leaves((args, kwargs, result))
            # What an operation writes in place is among the arguments and the results.
            tensors = {id(leaf): leaf for leaf in leaves if isinstance(leaf, Tensor)}
            self.count += sum(x.numel() * x.element_size() for x in tensors.values())
        return result


@pytest.mark.parametrize("kv_heads", [8, 2])
def test_with_memory_taken_beforehand_a_token_moves_little_more_than_it_needs(
    kv_heads: int,
) -> None:
    attention = MultiHeadAttention(64, 8, num_kv_heads=kv_heads, bias=False)
    cache = PreallocatedCache(max_len=1001)
    key = randn(1, kv_heads, 1000, 8, dtype=torch.float32)
    with torch.no_grad():
        cache.append(key, key)
        with BytesMoved() as moved:  # type: ignore[no-untyped-call]
            attention(randn(1, 1, 64, dtype=torch.float32), cache=cache)
    # Every weight, key and value is read once.
    numbers = sum(weight.numel() for weight in attention.parameters()) + 2 * kv_heads * 1001 * 8
    assert moved.count / (4 * numbers) < 1.1


@pytest.mark.parametrize("kind", ["plain", "preallocated"])
def test_a_cache_is_emptied_for_the_next_sequence(kind: str) -> None:
    cache = made(kind)
    cache.append(randn(2, 3, 6), randn(2, 3, 5))
    cache.reset()
    assert (cache.length, cache.key, cache.value) == (0, None, None)
    key, value = randn(4, 1, 1, 2), randn(4, 1, 1, 7)  # of another shape
    assert torch.equal(cache.append(key, value)[0], key)


@pytest.mark.parametrize("kind", ["plain", "window", "preallocated"])
def test_sequences_are_reordered_for_beams(kind: str) -> None:
    cache = made(kind, window=3 if kind == "window" else None)
    key, value, index = randn(3, 2, 5, 6), randn(3, 2, 5, 4), torch.tensor([2, 2, 0, 1])
    cache.reorder(index)  # of nothing
    cache.append(key[..., :4, :], value[..., :4, :])
    cache.reorder(index)
    keys, values = cache.append(key[index, :, 4:], value[index, :, 4:])
    kept = keys.shape[-2]
    assert torch.equal(keys, key[index][..., 5 - kept :, :])
    assert torch.equal(values, value[index][..., 5 - kept :, :])
    assert cache.length == 5


@pytest.mark.parametrize("kind", ["plain", "preallocated"])
def test_a_copy_goes_its_own_way(kind: str) -> None:
    cache = made(kind)
    cache.append(randn(2, 3, 6), randn(2, 3, 5))
    other = copy.copy(cache)
    first = cache.append(randn(2, 1, 6, seed=1), randn(2, 1, 5, seed=1))
    kept = [x.clone() for x in first]
    other.append(randn(2, 1, 6, seed=2), randn(2, 1, 5, seed=2))
    assert [torch.equal(*pair) for pair in zip(first, kept, strict=True)] == [True, True]


@pytest.mark.parametrize("kind", ["plain", "preallocated"])
def test_the_memory_of_cross_attention_is_projected_once(kind: str) -> None:
    attention = MultiHeadAttention(8, 2, kdim=6, vdim=6, dtype=torch.float64)
    tokens, memory = randn(3, 4, 8), randn(3, 5, 6, seed=1)
    expected = attention(tokens, memory, memory)
    cache = made(kind)
    with torch.no_grad():
        outputs = [attention(tokens[:, :1], memory, memory, cache=cache)]
        for t in range(1, 4):
            none = memory[:, :0]
            outputs.append(attention(tokens[:, t : t + 1], none, none, cache=cache))
    torch.testing.assert_close(torch.cat(outputs, 1), expected, rtol=0, atol=TOLERANCE)
    assert cache.length == 5


# A fixed shape ---------------------------------------------------------------------------------


def fixed(max_len: int = 12, num_kv_heads: int = 2) -> StaticCache:
    return StaticCache(3, num_kv_heads, max_len, 4, dtype=torch.float64)


@pytest.mark.parametrize("sizes", CHUNKS.values(), ids=CHUNKS)
@pytest.mark.parametrize("num_kv_heads", [1, 4])
def test_memory_of_a_fixed_shape_holds_the_same(sizes: list[int], num_kv_heads: int) -> None:
    attention = MultiHeadAttention(16, 4, num_kv_heads=num_kv_heads, dtype=torch.float64)
    tokens, cache = randn(3, LENGTH, 16), fixed(num_kv_heads=num_kv_heads)
    given: Any = {"is_causal": True, "rotate": turned}
    with torch.no_grad():
        for _ in range(2):  # a second text in the same memory
            parts = [attention(x, cache=cache, **given) for x in torch.split(tokens, sizes, 1)]
            expected = attention(tokens, **given)
            torch.testing.assert_close(torch.cat(parts, 1), expected, rtol=0, atol=TOLERANCE)
            assert cache.length == LENGTH
            cache.reset()
            tokens = tokens.flip(1)


def test_a_fixed_shape_is_refused_in_words_about_it() -> None:
    attention, cache = MultiHeadAttention(8, 2, dtype=torch.float64), fixed(max_len=4)
    tokens = randn(3, 5, 8)
    with torch.no_grad():
        attention(tokens[:, :3], is_causal=True, cache=cache)
        calls: list[tuple[str, Any]] = [
            (r"max_len must be at least 5 for .*, got 4", lambda: (tokens[:, 3:], True)),
            (
                r"key must have the axes of the cache .* \(2, 2, 1, 4\)",
                lambda: (tokens[:2, 3:4], True),
            ),
            (r"is_causal must be True with a StaticCache", lambda: (tokens[:, 3:4], False)),
        ]
        for message, given in calls:
            x, is_causal = given()
            with pytest.raises(ValueError, match=f"^{message}"):
                attention(x, is_causal=is_causal, cache=cache)
            assert cache.length == 3
        after = attention(tokens[:, 3:4], is_causal=True, cache=cache)
    expected = attention(tokens[:, :4], is_causal=True)[:, 3:]
    torch.testing.assert_close(after, expected, rtol=0, atol=TOLERANCE)
    with pytest.raises(TypeError, match=r"^key must have the dtype of the cache"):
        cache.append(randn(3, 2, 1, 4).float(), randn(3, 2, 1, 4).float())
    with pytest.raises(ValueError, match=r"^max_len must be at least 1, got 0"):
        fixed(max_len=0)


@pytest.mark.slow
def test_a_whole_text_needs_one_graph() -> None:
    attention = MultiHeadAttention(8, 2, dtype=torch.float64).eval()
    tokens, graphs = randn(3, 11, 8), CompileCounter()

    @torch.compile(fullgraph=True, backend=graphs)
    def step(token: Tensor, cache: StaticCache) -> Tensor:
        return attention(token, is_causal=True, rotate=turned, cache=cache)

    torch._dynamo.reset()
    with torch.no_grad():
        for _ in range(2):
            cache = fixed(max_len=11)
            parts = [step(token, cache) for token in torch.split(tokens, 1, dim=1)]
            expected = attention(tokens, is_causal=True, rotate=turned)
            torch.testing.assert_close(torch.cat(parts, 1), expected, rtol=0, atol=TOLERANCE)
        with pytest.raises((IndexError, RuntimeError)):  # there is no room for a twelfth
            step(tokens[:, :1], cache)
    assert graphs.frame_count == 1
