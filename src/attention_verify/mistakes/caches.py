"""Mistakes of a cache, which gets some tokens at a time."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import torch
from torch import Tensor

from attention_verify.mistakes.scores import beside_zeros
from attention_verify.oracle import Given, Steps, given_with

PROMPT = 3  # tokens that come at once, where nobody says how many
ROOMS = tuple(16 * 2**n for n in range(8))  # the numbers of slots that a cache may have
# Of the tokens that are kept, the new ones and the number of earlier calls: those that are given
# back, and those that are kept then.
Keeping = Callable[[list[int], list[int], int], tuple[list[int], list[int]]]


def _spans(given: Given) -> Iterator[tuple[int, int]]:
    """Yield where each piece begins and ends."""
    start = 0
    for size in given.sizes:
        yield start, start + size
        start += size


def _bounds(i: Tensor, given: Given) -> tuple[Tensor, Tensor]:
    """Return, for the places of queries, where their piece begins, and where it ends."""
    sizes = torch.tensor(given.sizes)
    ends = sizes.cumsum(0).repeat_interleave(sizes)
    starts = ends - sizes.repeat_interleave(sizes)
    return starts[i], ends[i]


def _in_pieces(rule: Callable[[Tensor, Tensor, Given], Tensor]) -> Steps:
    """See by another rule where a cache is given pieces."""
    return Steps(causal=lambda i, j, given: rule(i, j, given) if given.pieces else j <= i)


def _keeping(keep: Keeping) -> Steps:
    """Let each piece see what a cache gives back, up to the query's own token."""

    def causal(i: Tensor, j: Tensor, given: Given) -> Tensor:
        kept: list[int] = []
        seen = torch.zeros(len(j), len(j), dtype=torch.bool)
        for call, (start, end) in enumerate(_spans(given)):
            given_back, kept = keep(kept, [*range(start, end)], call)
            seen[start:end, given_back] = True
        return seen[i[:, 0]] & (j <= i)

    return _in_pieces(causal)


def _written(place: Callable[[list[int], int], int], *, cut: bool = False) -> Steps:
    """Write new tokens at a place over those that stand there, and cut off the rest, or not."""

    def keep(kept: list[int], new: list[int], call: int) -> tuple[list[int], list[int]]:
        at = place(kept, call)
        rest = [] if cut else kept[at + len(new) :]
        return ([*kept[:at], *new, *rest],) * 2

    return _keeping(keep)


def _last(number: int) -> Steps:
    """Keep so many tokens, the last ones."""
    return _keeping(lambda kept, new, call: ([*kept, *new], [*kept, *new][-number:]))


def _per_piece(rule: Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]) -> Steps:
    """See by a rule of the places of query and key, and of where the query's piece begins, ends."""
    return _in_pieces(lambda i, j, given: rule(i, j, *_bounds(i, given)))


def _half(name: str) -> Steps:
    def asked(given: Given) -> Given:
        later = torch.arange(given.key.shape[2])[:, None] >= given.sizes[0]
        return given_with(given, **{name: lambda x: x.masked_fill(later, 0.0)})

    return Steps(asked=lambda given: asked(given) if given.pieces else given)


def _in_front(*names: str) -> Steps:
    """Put the newer pieces of these tensors before the older ones."""

    def called(given: Given, attend: Callable[[Given], Tensor]) -> Tensor:
        if not given.pieces:
            return attend(given)
        contexts, order = [], torch.arange(0)
        for start, end in _spans(given):
            order = torch.cat((torch.arange(start, end), order))
            parts = {
                name: getattr(given, name)[:, :, order if name in names else slice(end)]
                for name in ("key", "value")
            }
            contexts.append(attend(replace(given, query=given.query[:, :, start:end], **parts)))
        return torch.cat(contexts, 2)

    return Steps(called=called)


def _empty_slots(slots: int, i: Tensor, *, later: bool = False) -> Tensor:
    """Say how many slots are empty behind a token; perhaps of those behind the prompt alone."""
    return (slots - 1 - i) * ((i >= PROMPT) | (not later))


WAYS: dict[str, list[Steps]] = {
    "first key alone": [_per_piece(lambda i, j, start, end: j <= i - start)],
    "later piece from 0": [_per_piece(lambda i, j, start, end: j <= i - start * (end - start > 1))],
    "future in a piece": [
        _per_piece(lambda i, j, start, end: j < end),
        _per_piece(lambda i, j, start, end: j < torch.where(start > 0, end, i + 1)),
    ],
    "replaced": [_per_piece(lambda i, j, start, end: (j <= i) & (j >= start))],
    "not kept": [_keeping(lambda kept, new, call: ([*kept, *new], kept if call else new))],
    "prompt not kept": [
        _keeping(lambda kept, new, call: ([*kept, *new], [*kept, *new] * (call > 0)))
    ],
    "first token lost": [
        _keeping(lambda kept, new, call: ([*kept, *new], [*kept, *new][call == 0 :])),
    ],
    "forgets": [*map(_last, range(2, 9)), *map(_last, ROOMS)],
    "last slot": [_written(lambda kept, call: max(len(kept) - 1, 0))],
    "half kept": [_half("key"), _half("value")],
    "half in front": [_in_front("value"), _in_front("key")],
    "slot 0 again": [_written(lambda kept, call: 0)],
    "moved by one": [
        _written(lambda kept, call: call, cut=True),
        _written(lambda kept, call: call),
    ],
    "cut to window": [
        _in_pieces(
            lambda i, j, given: (j <= i) & (j >= _bounds(i, given)[1] - (given.window or len(j)))
        )
    ],
    "empty slots": [
        beside_zeros(lambda i: (i >= PROMPT) * 1),
        *(beside_zeros(partial(_empty_slots, slots)) for slots in ROOMS),
        *(beside_zeros(partial(_empty_slots, slots, later=True)) for slots in ROOMS),
    ],
}
