"""How each known mistake is made: the steps that it puts in the place of the right ones."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import pad

from attention_steps.verify.adapters import FIRST_PIECE
from attention_steps.verify.oracle import (
    Changes,
    Given,
    default_scale,
    shared,
    softmax_beside_sinks,
)

TILES = (2, 4, 8, 16, 32, 64, 128)


@dataclass(frozen=True, eq=False)
class Way:
    """A way to make a known mistake."""

    name: str
    changes: Changes


def changes_of(ways: Iterable[Way]) -> Changes | None:
    """Put the changes of several mistakes together; None if two change one step."""
    together: Changes = {}
    for step, change in ((step, x) for way in ways for step, x in way.changes.items()):
        if step in together and step != "asked":
            return None
        before = together.get(step)
        together[step] = _after(change, before) if before else change
    return together


def _after(then: Callable[..., Any], first: Callable[..., Any]) -> Callable[..., Any]:
    return lambda given: then(first(given))


def _without(**options: Any) -> Callable[[Given], Given]:
    return lambda given: replace(given, **options)


def _if_both(**options: Any) -> Callable[[Given], Given]:
    """Lose something where a mask and the causal rule are asked for at once."""
    return lambda given: (
        replace(given, **options) if given.causal and given.mask is not None else given
    )


def _with_mask(change: Callable[[Tensor, Given], Tensor]) -> Callable[[Given], Given]:
    return lambda given: (
        given if given.mask is None else replace(given, mask=change(given.mask, given))
    )


def _texts_as_heads(mask: Tensor, given: Given) -> Tensor:
    num_heads = given.query.shape[1]
    if mask.shape[1] > 1 or num_heads % len(mask):
        return mask
    return mask.transpose(0, 1).repeat(1, num_heads // len(mask), 1, 1)


def _viewed(x: Tensor) -> Tensor:
    """Read `(batch, length, num_heads, dim)` as if its middle axes were exchanged already."""
    return x.transpose(1, 2).reshape(x.shape)


def _without_exchange(x: Tensor) -> Tensor:
    """Join heads and components, and forget to exchange the middle axes before."""
    return x.reshape(x.transpose(1, 2).shape).transpose(1, 2)


def _rows(mask: Tensor, given: Given) -> Tensor:
    square = given.query.shape[2] == given.key.shape[2]
    return mask.mT if mask.shape[-2] == 1 and square else mask


def _default(scale: Callable[[Given], float]) -> Changes:
    """Change the default scale, and leave one that is given."""
    return {"scale": lambda given: scale(given) if given.scale is None else given.scale}


def _beside_zero(scores: Tensor, sinks: Tensor | None, scale: float) -> Tensor:
    zero = scores.new_zeros(*scores.shape[:-1], 1)
    return softmax_beside_sinks(torch.cat((scores, zero), -1), sinks, scale)[..., :-1]


def _without_maximum(scores: Tensor, sinks: Tensor | None, scale: float) -> Tensor:
    # float64 as well overflows here where float32 does.
    limit = math.log(torch.finfo(torch.float32).max)
    exp = scores.masked_fill(scores > limit, math.inf).exp()
    rest = 0.0 if sinks is None else sinks.to(exp.dtype)[:, None, None].exp()
    return exp / (exp.sum(-1, keepdim=True) + rest)


def _sinks_without_exp(largest: Callable[[Tensor], Tensor]) -> Changes:
    def softmax(scores: Tensor, sinks: Tensor | None, scale: float) -> Tensor:
        if sinks is None:
            return scores.softmax(-1)
        exp = (scores - largest(scores)).exp()
        return exp / (exp.sum(-1, keepdim=True) + sinks.to(exp.dtype)[:, None, None])

    return {"softmax": softmax}


def _without_delta(scores: Tensor, sinks: Tensor | None, scale: float) -> Tensor:
    """The softmax, but its gradient is that of the exponential alone."""
    change = (scores - scores.detach()).nan_to_num(0.0)
    return softmax_beside_sinks(scores, sinks, scale).detach() * change.exp()


def _tiled(x: Tensor, num_heads: int) -> Tensor:
    return x.repeat(1, num_heads // x.shape[1], 1, 1)


def _first_key_head(x: Tensor, num_heads: int) -> Tensor:
    return x[:, :1].expand(-1, num_heads, -1, -1)


def _with_gradient(x: Tensor, change: Callable[[Tensor], Tensor]) -> Tensor:
    """Return x, whose gradient comes back changed."""
    x = x * 1
    if x.requires_grad:
        x.register_hook(change)  # type: ignore[no-untyped-call]
    return x


def _gradient_of_one_head(x: Tensor, num_heads: int) -> Tensor:
    group = num_heads // x.shape[1]
    last = torch.arange(num_heads)[:, None, None] % group == group - 1
    return _with_gradient(shared(x, num_heads), lambda gradient: gradient * last)


def _gradients_averaged(x: Tensor, num_heads: int) -> Tensor:
    group = num_heads // x.shape[1]
    return _with_gradient(shared(x, num_heads), lambda gradient: gradient / group)


def _scores(
    query: Callable[[Tensor, float], Tensor] = lambda query, scale: query,
    key: Callable[[Tensor, float], Tensor] = lambda key, scale: key,
) -> Changes:
    return {"scores": lambda q, k, scale: (query(q, scale) * scale) @ key(k, scale).mT}


def _cut_off(x: Tensor, scale: float) -> Tensor:
    return x.detach()


def _not_scaled(x: Tensor, scale: float) -> Tensor:
    return _with_gradient(x, lambda gradient: gradient / scale)


def _added(
    scores: Tensor, allowed: Tensor, cap: Callable[[Tensor], Tensor], bias: Tensor | float
) -> Tensor:
    """Add -inf, through which a gradient of NaN comes back, where a filled score stops it."""
    return cap(scores) + bias + torch.where(allowed, 0.0, -math.inf).to(scores)


# What a plain softmax makes of an empty row.
UNFILLED: Changes = {
    "filled": lambda scores, empty: scores,
    "emptied": lambda context, empty: context,
}
Weigh = Callable[[Tensor], Tensor]


def _tail_dropped(size: int, scores: Tensor, value: Tensor, weigh: Weigh) -> Tensor:
    length = scores.shape[-1]
    whole = length // size * size or length
    return weigh(scores[..., :whole]) @ value[..., :whole, :]


def _tail_counted(size: int, scores: Tensor, value: Tensor, weigh: Weigh) -> Tensor:
    more = -scores.shape[-1] % size
    return weigh(pad(scores, (0, more))) @ pad(value, (0, 0, 0, more))


def _averaged(size: int, scores: Tensor, value: Tensor, weigh: Weigh) -> Tensor:
    tiles = zip(torch.split(scores, size, -1), torch.split(value, size, -2), strict=True)
    parts = [tile.softmax(-1).nan_to_num(0.0) @ values for tile, values in tiles]
    return weigh(scores) @ value if len(parts) == 1 else torch.stack(parts).mean(0)


def _not_shrunk(
    sum_is: bool, context_is: bool, size: int, scores: Tensor, value: Tensor, weigh: Weigh
) -> Tensor:
    if scores.shape[-1] <= size:
        return weigh(scores) @ value
    zero = value.new_zeros(())
    largest, total, mixed = scores[..., :1], zero, zero
    tiles = zip(torch.split(scores, size, -1), torch.split(value, size, -2), strict=True)
    for tile, values in tiles:
        before, largest = largest, torch.maximum(largest, tile.amax(-1, keepdim=True))
        exp = (tile - largest).exp().nan_to_num(0.0)
        shrink = (before - largest).exp().nan_to_num(0.0)
        total = total * (shrink if sum_is else 1.0) + exp.sum(-1, keepdim=True)
        mixed = mixed * (shrink if context_is else 1.0) + exp @ values
    return mixed / total


def _in_tiles(context: Callable[..., Tensor], sizes: tuple[int, ...] = TILES) -> list[Changes]:
    return [{"context": partial(context, size)} for size in sizes]


_WAYS: dict[str, Changes | list[Changes]] = {
    # The mask that a function gets is turned round where it reads it the other way.
    "True attends": {"mask": lambda mask: ~mask},
    "True hides": {"mask": lambda mask: ~mask},
    "bottom-right": {},
    "top-left": {"places": lambda query_len, key_len: torch.arange(query_len)[:, None]},
    "empty is 0": {},
    "empty is NaN": [UNFILLED, {**UNFILLED, "masked": _added}],
    "empty is the mean": {"emptied": UNFILLED["emptied"]},
    "no scale": _default(lambda given: 1.0),
    "no root": _default(lambda given: 1 / given.query.shape[-1]),
    "root of width": _default(lambda given: given.query[0, :, 0].numel() ** -0.5),
    "multiplied": _default(lambda given: given.query.shape[-1] ** 0.5),
    "scale ignored": {"asked": _without(scale=None)},
    "scaled twice": {
        "scale": lambda given: (
            default_scale(given) * (1.0 if given.scale is None else given.query.shape[-1] ** -0.5)
        )
    },
    "over queries": {
        **UNFILLED,
        # Where everything along this axis is hidden, it is NaN.
        "softmax": lambda scores, sinks, scale: scores.softmax(-2).nan_to_num(0.0),
    },
    "not divided": {"softmax": lambda scores, sinks, scale: (scores - scores.amax(-1, True)).exp()},
    "softmax twice": {"softmax": lambda *given: softmax_beside_sinks(*given).softmax(-1)},
    "no maximum": {"softmax": _without_maximum},
    "one key more": {"softmax": _beside_zero},
    "keys mixed": {"mixed": lambda key, value: key if key.shape == value.shape else value},
    "mask ignored": {"asked": _without(mask=None)},
    "mask as numbers": {
        "asked": _with_mask(lambda mask, given: mask.to(given.query.dtype)),
    },
    "scores times mask": {
        "masked": lambda scores, allowed, cap, bias: (cap(scores) + bias) * allowed
    },
    "mask after softmax": {
        "masked": lambda scores, allowed, cap, bias: cap(scores) + bias,
        "weights": lambda weights, allowed: weights * allowed,
    },
    "mask of another": [
        {"asked": _with_mask(lambda mask, given: mask[:1])},
        {"asked": _with_mask(lambda mask, given: mask[:, :1])},
        {"asked": _with_mask(_texts_as_heads)},
    ],
    "rows hidden": {"asked": _with_mask(_rows)},
    "mask scaled": {"bias": lambda bias, scale: bias * scale},
    "mask subtracted": {"bias": lambda bias, scale: -bias},
    "mask as boolean": {
        "asked": _with_mask(
            lambda mask, given: mask if mask.dtype == torch.bool else mask > -math.inf
        )
    },
    "causal ignored": {"asked": _without(causal=False)},
    "other triangle": {"causal": lambda i, j: j >= i},
    "own key hidden": {"causal": lambda i, j: j < i},
    "one ahead": {"causal": lambda i, j: j <= i + 1},
    "first key alone": {"causal": lambda i, j: (j <= i) & ((i < FIRST_PIECE) | (j == 0))},
    "mask drops causal": {"asked": _if_both(causal=False)},
    "causal drops mask": {"asked": _if_both(mask=None)},
    "window ignored": {"asked": _without(window=None)},
    "window too wide": {"window": lambda i, j, window: j >= i - window},
    "window too narrow": {"window": lambda i, j, window: j > i - window + 1},
    "window to both sides": {
        "asked": lambda given: replace(given, causal=given.causal and given.window is None),
        "window": lambda i, j, window: (j - i).abs() < window,
    },
    "window as blocks": {"window": lambda i, j, window: i // window == j // window},
    "window without offset": {"window": lambda i, j, window: j > i - i[0] - window},
    "tiled groups": dict.fromkeys(("keys", "values"), _tiled),
    "first key head": dict.fromkeys(("keys", "values"), _first_key_head),
    "values of other heads": [{"values": _tiled}, {"keys": _tiled}],
    "heads scrambled": [
        {"emptied": lambda context, empty: _viewed(context.masked_fill(empty, 0.0))},
        {"emptied": lambda context, empty: _without_exchange(context.masked_fill(empty, 0.0))},
        {
            "asked": lambda given: replace(
                given,
                query=_viewed(given.query),
                key=_viewed(given.key),
                value=_viewed(given.value),
            )
        },
    ],
    "cap ignored": {"asked": _without(softcap=None)},
    "cap before scale": {
        "capped": lambda scores, cap, scale: cap * (scores / scale / cap).tanh() * scale
    },
    "cap after mask": {
        "masked": lambda scores, allowed, cap, bias: cap(
            (scores + bias).masked_fill(~allowed, -math.inf)
        )
    },
    "cap bends mask": {
        "masked": lambda scores, allowed, cap, bias: cap(scores + bias).masked_fill(
            ~allowed, -math.inf
        )
    },
    "cap as a limit": {"capped": lambda scores, cap, scale: scores.clamp(-cap, cap)},
    "cap not multiplied": {"capped": lambda scores, cap, scale: (scores / cap).tanh()},
    "sinks ignored": {"asked": _without(sinks=None)},
    "sinks scaled": {
        "softmax": lambda scores, sinks, scale: softmax_beside_sinks(
            scores, None if sinks is None else sinks * scale, scale
        )
    },
    "sinks of other heads": {
        "asked": lambda given: (
            given if given.sinks is None else replace(given, sinks=given.sinks.flip(0))
        )
    },
    "sinks without exp": [
        _sinks_without_exp(lambda scores: scores.new_zeros(())),
        _sinks_without_exp(lambda scores: scores.amax(-1, keepdim=True)),
    ],
    "tail dropped": _in_tiles(_tail_dropped),
    "tail counted": _in_tiles(_tail_counted, TILES[1:]),  # of two, it is one key more
    "sums not shrunk": [
        change
        for kept in ((False, False), (True, False), (False, True))
        for change in _in_tiles(partial(_not_shrunk, *kept), (1, *TILES))
    ],
    "contexts averaged": _in_tiles(_averaged),
    "no delta": {"softmax": _without_delta},
    "gradient not scaled": [_scores(query=_not_scaled), _scores(key=_not_scaled)],
    "gradient cut off": [
        _scores(query=_cut_off),
        _scores(key=_cut_off),
        _scores(_cut_off, _cut_off),
    ],
    "gradients not added": [
        dict.fromkeys(("keys", "values"), change)
        for change in (_gradient_of_one_head, _gradients_averaged)
    ],
    "cap without gradient": {
        "capped": lambda scores, cap, scale: (
            scores + (cap * (scores / cap).tanh() - scores).detach()
        )
    },
}

WAYS = {
    name: [Way(name, changes) for changes in ([ways] if isinstance(ways, dict) else ways)]
    for name, ways in _WAYS.items()
}
