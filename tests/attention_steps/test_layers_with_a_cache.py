"""A layer with positions and with a cache, whose tokens it puts the new ones behind."""

import copy
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel

from attention_steps import (
    KVCache,
    MultiHeadAttention,
    PreallocatedCache,
    causal_mask,
    rotary_embedding,
    sliding_window_mask,
)
from tests.attention_steps.layers import numbered, outputs_of
from tests.attention_steps.oracles import Largest, randn, random_mask, torch_attention


class Kept:
    """A cache without a window, as a reader may write one."""

    def __init__(self) -> None:
        self.kept: list[Tensor] = []

    def append(self, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        new = [key, value]
        pairs = zip(self.kept, new, strict=True)
        self.kept = [torch.cat(pair, dim=-2) for pair in pairs] if self.kept else new
        return self.kept[0], self.kept[1]


def rotate_from(start: int, length: int) -> Callable[[Tensor], Tensor]:
    places = torch.arange(start, start + length)
    return partial(rotary_embedding, positions=places, interleaved=False)


@pytest.mark.parametrize("num_kv_heads", [4, 2])
def test_queries_and_keys_may_be_rotated(num_kv_heads: int) -> None:
    attention = numbered(MultiHeadAttention(16, 4, num_kv_heads=num_kv_heads))
    inputs = randn(3, 5, 16)
    plain = attention.trace(inputs)

    trace = attention.trace(inputs, is_causal=True, rotate=rotate_from(7, 5))

    query, key = (rotate_from(7, 5)(heads) for heads in (plain.query, plain.key))
    torch.testing.assert_close((trace.query, trace.key, trace.value), (query, key, plain.value))
    context = torch_attention(query, key, plain.value, is_causal=True, enable_gqa=True)
    expected = attention.out_proj(context.transpose(1, 2).flatten(2))
    torch.testing.assert_close(trace.output, expected)
    output = attention(inputs, is_causal=True, rotate=rotate_from(7, 5))
    torch.testing.assert_close(output, expected)
    # Only distances count, and without positions not even they.
    torch.testing.assert_close(attention(inputs, is_causal=True, rotate=rotate_from(0, 5)), output)
    assert not torch.allclose(attention(inputs, is_causal=True), output)


@pytest.mark.parametrize("window", [None, 3])
@pytest.mark.parametrize("chunks", [[1] * 8, [5, 1, 2]], ids=str)
def test_with_a_cache_places_go_on_where_it_ends(chunks: list[int], window: int | None) -> None:
    attention = numbered(MultiHeadAttention(16, 4, num_kv_heads=2))
    inputs = randn(3, 8, 16)
    mask = causal_mask(8) if window is None else sliding_window_mask(8, window=window)
    expected = attention(inputs, attn_mask=mask, rotate=rotate_from(0, 8))
    turn = partial(rotary_embedding, interleaved=False)
    for rotate in (turn, lambda x, places: turn(x, places + 7)):
        for output_of in outputs_of(attention):
            cache = KVCache(window)
            outputs = [
                output_of(tokens, is_causal=True, rotate=rotate, cache=cache)
                for tokens in torch.split(inputs, chunks, dim=1)
            ]
            torch.testing.assert_close(torch.cat(outputs, dim=1), expected)


def test_a_rotation_that_cannot_know_its_places_is_refused() -> None:
    attention, inputs = numbered(MultiHeadAttention(8, 2)), randn(3, 1, 8)
    turn = partial(rotary_embedding, interleaved=False)
    for call in (attention, attention.trace):
        with pytest.raises(TypeError, match=r"cache must have a length, .* got Kept without one"):
            call(inputs, rotate=turn, cache=Kept())
        with pytest.raises(TypeError, match="takes 1 positional argument but 2 were given"):
            call(inputs, rotate=lambda x: turn(x), cache=KVCache())


def refused_calls(attention: Any, tokens: Tensor) -> list[Callable[[KVCache], object]]:
    """Calls that fail before, in and after the attention."""

    def fails(*given: Any, **more: Any) -> Tensor:
        raise KeyboardInterrupt

    broken = copy.deepcopy(attention)
    broken.out_proj.forward = fails
    mask = torch.ones(2, 2, dtype=torch.bool)
    return [
        lambda cache: attention(tokens, attn_mask=mask, cache=cache),
        lambda cache: attention.trace(tokens, attn_mask=mask, cache=cache),
        lambda cache: attention(tokens, attend=fails, cache=cache),
        lambda cache: attention(tokens, attend=lambda *x, **more: x, cache=cache),
        lambda cache: broken(tokens, cache=cache),
        lambda cache: broken.trace(tokens, cache=cache),
    ]


@pytest.mark.parametrize("filled", [0, 4])
@pytest.mark.parametrize(
    "make", [KVCache, partial(KVCache, 3), partial(PreallocatedCache, 20)], ids=str
)
def test_a_refused_call_leaves_the_cache_as_it_was(
    make: Callable[[], KVCache], filled: int
) -> None:
    attention, inputs = numbered(MultiHeadAttention(8, 2)), randn(3, 7, 8)
    with torch.no_grad():
        clean, cache = make(), make()
        for one in (clean, cache):
            attention(inputs[:, :filled], is_causal=True, cache=one)
        before = cache.length, cache.key, cache.value
        for call in refused_calls(attention, inputs[:, filled:]):
            with pytest.raises((ValueError, TypeError, KeyboardInterrupt)):
                call(cache)
            assert cache.length == before[0] == filled
            assert cache.key is before[1]
            assert cache.value is before[2]
        again, expected = (
            attention(inputs[:, filled:], is_causal=True, cache=one) for one in (cache, clean)
        )
    assert torch.equal(again, expected)


def test_a_mask_counts_the_keys_of_the_cache() -> None:
    attention = numbered(MultiHeadAttention(8, 2))
    inputs = randn(3, 6, 8)
    mask = random_mask(3, 1, 6, 6)
    cache = Kept()
    attention(inputs[:, :4], cache=cache)
    output = attention(inputs[:, 4:], attn_mask=mask[:, :, 4:], cache=cache)
    torch.testing.assert_close(output, attention(inputs, attn_mask=mask)[:, 4:])
    for call in (attention.forward, attention.trace):
        with pytest.raises(ValueError, match=r"attn_mask must broadcast .* \(3, 2, 2, (8|10)\)"):
            call(inputs[:, 4:], attn_mask=mask[:, :, 4:, 4:], cache=cache)


class Remembered:
    """A cache with keys and values from before, to which nothing is added."""

    def __init__(self, length: int, window: int | None) -> None:
        self.pair = randn(3, 2, length, 4, seed=1), randn(3, 2, length, 4, seed=2)
        self.window = window

    def append(self, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        return self.pair


@pytest.mark.parametrize("window", [None, 6, 5, 2])
def test_one_new_query_sees_the_window_and_needs_no_mask_for_all_keys(window: int | None) -> None:
    attention = numbered(MultiHeadAttention(16, 4, num_kv_heads=2))
    query, cache = randn(3, 1, 16), Remembered(5, window)
    seen = slice(-2, None) if window == 2 else slice(None)
    key, value = (heads[..., seen, :] for heads in cache.pair)
    masks = []

    def attend(
        q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, *given: Any, **more: Any
    ) -> Tensor:
        masks.append(mask)
        return torch_attention(q, k, v, mask, *given, **more)

    trace = attention.trace(query, is_causal=True, cache=cache)
    context = torch_attention(trace.query, key, value, enable_gqa=True)
    torch.testing.assert_close(trace.context, context)
    expected = attention.out_proj(context.transpose(1, 2).flatten(2))
    for output in (
        attention(query, is_causal=True, cache=cache),
        attention(query, is_causal=True, cache=cache, attend=attend),
    ):
        torch.testing.assert_close(output, expected)
    assert (masks[0] is None) == (window != 2)


@pytest.mark.parametrize("leading", [(3,), ()])
def test_one_new_query_copies_no_keys_that_heads_share(leading: tuple[int, ...]) -> None:
    attention = numbered(MultiHeadAttention(16, 4, num_kv_heads=2, kdim=8, vdim=8)).eval()
    query, memory = randn(*leading, 1, 16), randn(*leading, 50, 8)
    # The fused code makes no copy, but reads the keys again for each query of a group.
    with torch.no_grad(), sdpa_kernel(SDPBackend.MATH), Largest() as largest:  # type: ignore[no-untyped-call]
        attention(query, memory, memory)
    assert largest.size == memory.numel()  # as many numbers as the keys of two heads


compiles_a_partial = pytest.mark.skipif(
    torch.__version__ < "2.13", reason="the compiler of torch 2.6 cannot ask whether it is callable"
)


@pytest.mark.slow
@compiles_a_partial
def test_compiles_with_places_that_go_on_in_a_cache() -> None:
    attention = numbered(MultiHeadAttention(8, 2, num_kv_heads=1))
    inputs, rotate = randn(3, 6, 8), partial(rotary_embedding, interleaved=False)
    expected = attention(inputs, is_causal=True, rotate=rotate)

    @torch.compile(fullgraph=True, backend="aot_eager")
    def in_pieces(inputs: Tensor) -> Tensor:
        cache = KVCache()
        pieces = [
            attention(inputs[:, i:j], is_causal=True, rotate=rotate, cache=cache)
            for i, j in ((0, 3), (3, 5), (5, 6))
        ]
        return torch.cat(pieces, dim=1)

    torch.testing.assert_close(in_pieces(inputs), expected)
