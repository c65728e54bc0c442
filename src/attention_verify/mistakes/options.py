"""Mistakes in a soft cap and in sinks."""

import math
from collections.abc import Callable
from dataclasses import replace

import torch
from torch import Tensor

from attention_verify.mistakes.scores import by_hand
from attention_verify.oracle import TILES, Given, Steps, default_scale, given_with


def _sinks(change: Callable[[Tensor, Given], Tensor]) -> Steps:
    """Take other sinks, where some are given."""
    return Steps(asked=lambda given: given_with(given, sinks=lambda x: change(x, given)))


def _in_each_tile(size: int) -> Steps:
    return _sinks(lambda sinks, given: sinks + math.log(-(-given.key.shape[2] // size)))


def _first_column(scores: Tensor, sinks: Tensor | None, scale: float) -> Tensor:
    """Drop the last column of the weights, where the sink stands in the first."""
    if sinks is None:
        return scores.softmax(-1)
    sink = sinks.to(scores.dtype)[:, None, None].expand(*scores.shape[:-1], 1)
    return torch.cat((sink, scores), -1).softmax(-1)[..., :-1]


WAYS: dict[str, list[Steps]] = {
    "cap ignored": [Steps(asked=lambda given: replace(given, softcap=None))],
    "cap before scale": [
        Steps(capped=lambda scores, cap, scale: cap * (scores / scale / cap).tanh() * scale)
    ],
    "cap as a limit": [Steps(capped=lambda scores, cap, scale: scores.clamp(-cap, cap))],
    "scores times cap": [Steps(capped=lambda scores, cap, scale: scores * (scores / cap).tanh())],
    "cap not multiplied": [Steps(capped=lambda scores, cap, scale: (scores / cap).tanh())],
    "cap after mask": [
        Steps(
            masked=lambda scores, allowed, cap, bias: cap(
                (scores + bias).masked_fill(~allowed, -math.inf)
            )
        )
    ],
    "cap bends mask": [
        Steps(
            masked=lambda scores, allowed, cap, bias: cap(scores + bias).masked_fill(
                ~allowed, -math.inf
            )
        )
    ],
    "sinks ignored": [Steps(asked=lambda given: replace(given, sinks=None))],
    "sinks scaled": [_sinks(lambda sinks, given: sinks * default_scale(given))],
    "sinks of other heads": [
        _sinks(lambda sinks, given: sinks.flip(0)),
        _sinks(lambda sinks, given: sinks[:1].expand(len(sinks))),
    ],
    "sinks without exp": [
        by_hand(lambda scores, sink: 0.0, lambda sink: sink),
        by_hand(lambda scores, sink: scores.amax(-1, True), lambda sink: sink),
    ],
    "sinks not shifted": [
        by_hand(lambda scores, sink: scores.amax(-1, True), torch.exp),
        by_hand(lambda scores, sink: torch.maximum(scores.amax(-1, True), sink), torch.exp),
    ],
    "column of another": [Steps(softmax=_first_column)],
    "sinks in each tile": [*map(_in_each_tile, TILES)],
}
