"""Mistakes of a kernel: attention tile by tile, and the gradients."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import torch
from torch import Tensor
from torch.nn.functional import pad

from attention_verify.oracle import (
    TILES,
    Given,
    Steps,
    Weigh,
    default_scale,
    given_with,
    shared,
    softmax_beside_sinks,
)

# The context, of scores and values, by what makes weights of scores.
Tiled = Callable[[int, Tensor, Tensor, Weigh], Tensor]


def _tail_dropped(size: int, scores: Tensor, value: Tensor, weigh: Weigh) -> Tensor:
    length = scores.shape[-1]
    whole = length // size * size or length
    return weigh(scores[..., :whole]) @ value[..., :whole, :]


def _tail_counted(
    size: int, scores: Tensor, value: Tensor, weigh: Weigh, *, alone: bool = True
) -> Tensor:
    """Fill up the last tile; perhaps not one that stands alone."""
    more = -scores.shape[-1] % size * (alone or scores.shape[-1] > size)
    return weigh(pad(scores, (0, more))) @ pad(value, (0, 0, 0, more))


def _averaged(size: int | list[int], scores: Tensor, value: Tensor, weigh: Weigh) -> Tensor:
    tiles = zip(torch.split(scores, size, -1), torch.split(value, size, -2), strict=True)
    parts = [tile.softmax(-1).nan_to_num(0.0) @ values for tile, values in tiles]
    return weigh(scores) @ value if len(parts) == 1 else torch.stack(parts).mean(0)


def _averaged_parts(number: int) -> Steps:
    """Cut the keys into so many parts, the last one perhaps longer, in place of tiles."""

    def context(scores: Tensor, value: Tensor, weigh: Weigh, given: Given) -> Tensor:
        length = scores.shape[-1]
        size = length // number
        sizes = [size] * (number - 1) + [length - size * (number - 1)] if size else [length]
        return _averaged(sizes, scores, value, weigh)

    return Steps(context=context)


def _not_shrunk(
    size: int, scores: Tensor, value: Tensor, weigh: Weigh, *, shrunk: str = ""
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
        total = total * (shrink if shrunk == "sum" else 1.0) + exp.sum(-1, keepdim=True)
        mixed = mixed * (shrink if shrunk == "context" else 1.0) + exp @ values
    return mixed / total


def _hidden_first(size: int, scores: Tensor, value: Tensor, weigh: Weigh) -> Tensor:
    """Give NaN where a row begins with a tile of which all is hidden: -inf - -inf."""
    empty = (scores[..., :size] == -torch.inf).all(-1, keepdim=True)
    return (weigh(scores) @ value).masked_fill(empty, torch.nan)


def _tiles(tiled: Tiled, times: int = 1, *, when_causal: bool = False) -> list[Steps]:
    """Return a way for each size of tile; perhaps with tiles under the causal rule alone."""

    def way(size: int) -> Steps:
        def context(scores: Tensor, value: Tensor, weigh: Weigh, given: Given) -> Tensor:
            return tiled(size if given.causal or not when_causal else 1, scores, value, weigh)

        return Steps(context=context)

    return [way(times * size) for size in TILES]


def _keys_cut(number: int) -> Steps:
    """Read so many keys, where nothing but them says which are seen."""

    def asked(given: Given) -> Given:
        if given.causal or given.mask is not None:
            return given
        return given_with(given, **dict.fromkeys(("key", "value"), lambda x: x[:, :, :number]))

    return Steps(asked=asked)


def _features_cut(width: Callable[[int], int]) -> Steps:
    def asked(given: Given) -> Given:
        whole = replace(given, scale=default_scale(given))
        kept = width(given.query.shape[-1])
        return given_with(whole, **dict.fromkeys(("query", "key"), lambda x: x[..., :kept]))

    return Steps(asked=asked)


def _multiple_of(number: int) -> Steps:
    return _features_cut(lambda width: width // number * number or width)


def _texts_cut(text: Callable[[Tensor], Tensor]) -> Steps:
    """Read the keys of another text behind the second."""
    return Steps(
        asked=lambda given: given_with(
            given,
            **dict.fromkeys(("key", "value"), lambda x: x[text(torch.arange(len(x)))]),
        )
    )


def _rounded(dtype: torch.dtype) -> Steps:
    return Steps(
        asked=lambda given: given_with(
            given, **dict.fromkeys(("key", "value"), lambda x: x.to(dtype).to(x))
        )
    )


def _without_delta(scores: Tensor, sinks: Tensor | None, scale: float) -> Tensor:
    weights = softmax_beside_sinks(scores, sinks, scale)
    return weights.detach() * (scores - scores.detach()).nan_to_num(0.0).exp()


def _with_gradient(x: Tensor, change: Callable[[Tensor], Tensor]) -> Tensor:
    x = x * 1
    if x.requires_grad:
        x.register_hook(change)  # type: ignore[no-untyped-call]
    return x


def _of_one_head(which: int, x: Tensor, num_heads: int) -> Tensor:
    group = num_heads // x.shape[1]
    one = torch.arange(num_heads)[:, None, None] % group == which % group
    return _with_gradient(shared(x, num_heads), lambda gradient: gradient * one)


def _mean_of_group(x: Tensor, num_heads: int) -> Tensor:
    return _with_gradient(shared(x, num_heads), lambda gradient: gradient * x.shape[1] / num_heads)


def _of_other_group(x: Tensor, num_heads: int) -> Tensor:
    tiled = x.repeat(1, num_heads // x.shape[1], 1, 1)
    return tiled + (shared(x, num_heads) - tiled).detach()


WAYS: dict[str, list[Steps]] = {
    "tail dropped": [*_tiles(_tail_dropped, 2), *_tiles(_tail_dropped, 2, when_causal=True)],
    "not all read": [
        *(_features_cut(partial(min, most)) for most in (32, 64, 96, 112, 120)),
        *map(_multiple_of, (2, 4, 16, 32)),
        _texts_cut(lambda i: i.clamp(max=1)),
        _texts_cut(lambda i: i % 2),
        _texts_cut(lambda i: i * (i < 2)),
        *map(_keys_cut, (512, 1000, 1024, 2000, 2048)),
    ],
    "rounded when kept": [_rounded(torch.bfloat16), _rounded(torch.float16)],
    "tail counted": [
        *_tiles(_tail_counted, 4),
        *_tiles(_tail_counted, 4, when_causal=True),
        *_tiles(partial(_tail_counted, alone=False), 4),
    ],
    "hidden tile": [*_tiles(_hidden_first)],
    "sums not shrunk": [
        *_tiles(_not_shrunk),
        *_tiles(partial(_not_shrunk, shrunk="sum")),
        *_tiles(partial(_not_shrunk, shrunk="context")),
    ],
    "contexts averaged": [*_tiles(_averaged, 2), *map(_averaged_parts, (2, 3, 4, 8))],
    "no delta": [Steps(softmax=_without_delta)],
    "gradient not scaled": [
        Steps(
            scores=lambda query, key, scale: (
                (_with_gradient(query, lambda x: x / scale) * scale) @ key.mT
            )
        ),
        Steps(
            scores=lambda query, key, scale: (
                (query * scale) @ _with_gradient(key, lambda x: x / scale).mT
            )
        ),
    ],
    "gradient cut off": [
        Steps(scores=lambda query, key, scale: (query.detach() * scale) @ key.mT),
        Steps(scores=lambda query, key, scale: (query * scale) @ key.mT.detach()),
        Steps(scores=lambda query, key, scale: ((query * scale) @ key.mT).detach()),
    ],
    "mask without gradient": [Steps(bias=lambda bias, scale: bias.detach())],
    "gradients not added": [
        *(
            Steps(keys=one, values=one)
            for one in (
                partial(_of_one_head, 0),
                partial(_of_one_head, -1),
                _mean_of_group,
                _of_other_group,
            )
        )
    ],
    "cap without gradient": [
        Steps(
            capped=lambda scores, cap, scale: (
                scores + (cap * (scores / cap).tanh() - scores).detach()
            )
        )
    ],
}
