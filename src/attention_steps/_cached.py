"""Where the tokens of a cache stand: what a layer rotates by, and what it hides."""

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import Tensor

from attention_steps._checks import check_flag, check_same_dtype, check_tensor, shape_of
from attention_steps.cache import Cache
from attention_steps.masks import causal_mask, sliding_window_mask


def rotated(name: str, heads: Tensor, rotate: Callable[..., Tensor], cache: Cache | None) -> Tensor:
    """Put positions into the heads: with a cache those after its tokens."""
    if cache is None or (isinstance(rotate, partial) and "positions" in rotate.keywords):
        turned = rotate(heads)
    else:
        lengths = lengths_of(cache, heads)
        if lengths is None:
            start = _length_of(cache)
            places = torch.arange(start, start + heads.shape[-2], device=heads.device)
        else:
            places = _places_after(lengths, heads)
        turned = rotate(heads, places)
    check_tensor(f"the {name} that rotate returns", turned)
    if turned.shape != heads.shape:
        raise ValueError(
            f"rotate must keep the shape of the {name}, {shape_of(heads)}, got {shape_of(turned)}"
        )
    check_same_dtype(f"the {name} that rotate returns", turned, f"the {name}", heads)
    return turned


def lengths_of(cache: Cache, heads: Tensor) -> Tensor | None:
    """Return the length of each sequence of the cache, or None if they do not differ."""
    lengths: Tensor | None = getattr(cache, "lengths", None)
    if lengths is not None and heads.dim() < 4:
        raise ValueError(
            f"query must have an axis of sequences for a {type_of(cache)}, (batch, ..., L, "
            f"embed_dim), got {heads.shape[-2]} tokens without one"
        )
    if lengths is not None and lengths.shape != heads.shape[:1]:
        raise ValueError(
            f"cache must have one of its lengths for each sequence, {tuple(heads.shape[:1])}, "
            f"got {shape_of(lengths)}"
        )
    return lengths


def _places_after(lengths: Tensor, heads: Tensor) -> Tensor:
    """Return where new tokens stand behind sequences of some lengths: (batch, 1, ..., 1, L)."""
    # A 1 for the heads and for each axis of the batch but the first.
    behind = lengths.view(-1, *(1,) * (heads.dim() - 2))
    return behind + torch.arange(heads.shape[-2], device=lengths.device)


def check_cache(cache: Cache) -> None:
    if isinstance(cache, (type, list)) or not callable(getattr(cache, "append", None)):
        raise TypeError(f"cache must have a method append, as KVCache() has, got {type_of(cache)}")


def _length_of(cache: Cache) -> int:
    length: int | None = getattr(cache, "length", None)
    if length is None:
        raise TypeError(
            "cache must have a length, the number of its tokens, for rotate to put the new ones "
            f"behind them, got {type_of(cache)} without one"
        )
    return length


def type_of(value: object) -> str:
    return f"the class {value.__name__}" if isinstance(value, type) else type(value).__name__


def mask_of_last_queries(
    heads: tuple[Tensor, Tensor, Tensor],
    attn_mask: Tensor | None,
    is_causal: bool,
    cache: Cache | None,
) -> tuple[Tensor | None, bool]:
    """Make the causal mask of queries that are the last of a cache's keys."""
    check_flag("is_causal", is_causal)
    # Without a cache the flag does. A mask beside the flag is refused later.
    if cache is None or attn_mask is not None:
        return attn_mask, is_causal
    query, key, _ = heads
    query_len, key_len = query.shape[-2], key.shape[-2]
    lengths = lengths_of(cache, query)
    if not is_causal:
        if lengths is not None:
            raise ValueError(
                f"is_causal must be True with a {type_of(cache)}, got False without an "
                "attn_mask: what lies behind a sequence would be seen, "
                "padding_mask(cache.lengths, S) is the mask that hides it"
            )
        return None, False
    # The flag of torch's function would put the first query beside the first key.
    if lengths is not None:
        places = _places_after(lengths - query_len, query)
        return torch.arange(key_len, device=query.device) <= places.unsqueeze(-1), False
    given: dict[str, Any] = {"offset": key_len - query_len, "device": query.device}
    window = getattr(cache, "window", None)
    if window is None or key_len <= window:
        if query_len == 1:
            return None, False  # the last query sees all keys
        if query_len == key_len:
            return None, True  # nothing was cached before
        return causal_mask(query_len, key_len, **given), False
    # After several new tokens, `append` returns more keys than a query may see.
    return sliding_window_mask(query_len, key_len, window=window, **given), False
