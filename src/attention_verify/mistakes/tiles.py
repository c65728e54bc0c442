"""Mistakes of a kernel: attention tile by tile, and the gradients."""

from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor
from torch.nn.functional import pad

from attention_verify.mistakes.known import TILES, explained_on, known
from attention_verify.oracle import Given, Steps, Weigh, shared, softmax_beside_sinks

# The context, of scores and values, by what makes weights of scores.
Tiled = Callable[[int, Tensor, Tensor, Weigh], Tensor]


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


MISTAKES = (
    *explained_on(
        "steps/tiles/#forward-one-tile-at-a-time",
        known(
            "tail dropped",
            "The keys behind the last whole tile are not read. Round the number of tiles up.",
            *_tiles(_tail_dropped, 2),
            *_tiles(_tail_dropped, 2, when_causal=True),
        ),
        known(
            "tail counted",
            "The last tile is filled up with zeros, which get a share.",
            *_tiles(_tail_counted, 4),
            *_tiles(_tail_counted, 4, when_causal=True),
        ),
        known(
            "hidden tile",
            "A row that begins with a hidden tile is NaN: -inf is taken off -inf.",
            *_tiles(_hidden_first),
        ),
    ),
    *explained_on(
        "steps/softmax-in-parts/#the-sums-are-not-shrunk",
        known(
            "sums not shrunk",
            "A larger score comes in a later tile, and what was summed up is not shrunk.",
            *_tiles(_not_shrunk),
            *_tiles(partial(_not_shrunk, shrunk="sum")),
            *_tiles(partial(_not_shrunk, shrunk="context")),
        ),
    ),
    *explained_on(
        "steps/softmax-in-parts/#the-contexts-are-averaged",
        known(
            "contexts averaged",
            "The contexts of the tiles are averaged. Weigh them by their sums.",
            *_tiles(_averaged, 2),
        ),
    ),
    *explained_on(
        "steps/tiles/#the-backward-pass-forgets-delta",
        known(
            "no delta",
            "The gradient of the scores lacks the row's sum of weights times their gradients.",
            Steps(softmax=_without_delta),
        ),
    ),
    *explained_on(
        "steps/tiles/#the-gradients-tile-by-tile",
        known(
            "gradient not scaled",
            "The gradient of the queries or of the keys lacks the scale.",
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
        ),
    ),
    *explained_on(
        "guides/what-goes-wrong/#the-gradient-is-cut-off",
        known(
            "gradient cut off",
            "No gradient comes back to the queries, to the keys, or to both.",
            Steps(scores=lambda query, key, scale: (query.detach() * scale) @ key.mT),
            Steps(scores=lambda query, key, scale: (query * scale) @ key.mT.detach()),
            Steps(scores=lambda query, key, scale: ((query * scale) @ key.mT).detach()),
        ),
        known(
            "mask without gradient",
            "No gradient comes back to a mask that is added.",
            Steps(bias=lambda bias, scale: bias.detach()),
        ),
    ),
    *explained_on(
        "steps/shared-heads/#the-formula",
        known(
            "gradients not added",
            "A shared key head gets the gradient of one query head, of another group, or the mean "
            "of its group. The gradients of a group are added up.",
            *(
                Steps(keys=one, values=one)
                for one in (
                    partial(_of_one_head, 0),
                    partial(_of_one_head, -1),
                    _mean_of_group,
                    _of_other_group,
                )
            ),
        ),
    ),
    *explained_on(
        "steps/chosen-pairs/#a-soft-cap-with-score_mod",
        known(
            "cap without gradient",
            "The gradient passes the soft cap unchanged.",
            Steps(
                capped=lambda scores, cap, scale: (
                    scores + (cap * (scores / cap).tanh() - scores).detach()
                )
            ),
        ),
    ),
)
