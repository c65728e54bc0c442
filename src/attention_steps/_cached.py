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
        new = torch.arange(heads.shape[-2], device=heads.device)
        turned = rotate(heads, _length_of(cache) + new)
    check_tensor(f"the {name} that rotate returns", turned)
    if turned.shape != heads.shape:
        raise ValueError(
            f"rotate must keep the shape of the {name}, {shape_of(heads)}, got {shape_of(turned)}"
        )
    check_same_dtype(f"the {name} that rotate returns", turned, f"the {name}", heads)
    return turned


def check_cache(cache: Cache) -> None:
    if isinstance(cache, (type, list)) or not callable(getattr(cache, "append", None)):
        raise TypeError(f"cache must have a method append, as KVCache() has, got {type_of(cache)}")


def _length_of(cache: Cache) -> int | Tensor:
    length: int | Tensor | None = getattr(cache, "length", None)
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
    query_len, key_len, device = heads[0].shape[-2], heads[1].shape[-2], heads[0].device
    length = getattr(cache, "length", None)
    if isinstance(length, Tensor):  # all places were returned, the empty ones too
        if not is_causal:
            raise ValueError(
                f"is_causal must be True with a {type_of(cache)}, got False without an "
                "attn_mask: places that are empty would be seen"
            )
        last = length - query_len + torch.arange(query_len, device=device)
        return torch.arange(key_len, device=device) <= last[:, None], False
    if not is_causal:
        return None, False
    # The flag of torch's function would put the first query beside the first key.
    given: dict[str, Any] = {"offset": key_len - query_len, "device": device}
    window = getattr(cache, "window", None)
    if window is None or key_len <= window:
        if query_len == 1:
            return None, False  # the last query sees all keys
        if query_len == key_len:
            return None, True  # nothing was cached before
        return causal_mask(query_len, key_len, **given), False
    # After several new tokens, `append` returns more keys than a query may see.
    return sliding_window_mask(query_len, key_len, window=window, **given), False
