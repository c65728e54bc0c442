"""Mistakes in a soft cap and in sinks."""

import math
from collections.abc import Callable
from dataclasses import replace

import torch
from torch import Tensor

from attention_verify.mistakes.known import TILES, explained_on, given_with, known
from attention_verify.mistakes.scores import by_hand
from attention_verify.oracle import Given, Steps, default_scale


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


MISTAKES = (
    *explained_on(
        "steps/chosen-pairs/#a-soft-cap-with-score_mod",
        known(
            "cap ignored",
            "The soft cap does nothing.",
            Steps(asked=lambda given: replace(given, softcap=None)),
        ),
        known(
            "cap before scale",
            "The cap bends the scores before they are scaled.",
            Steps(capped=lambda scores, cap, scale: cap * (scores / scale / cap).tanh() * scale),
        ),
        known(
            "cap as a limit",
            "The scores are cut off at softcap, and not bent by tanh.",
            Steps(capped=lambda scores, cap, scale: scores.clamp(-cap, cap)),
        ),
        known(
            "scores times cap",
            "tanh(scores / softcap) is multiplied by the scores. Take softcap.",
            Steps(capped=lambda scores, cap, scale: scores * (scores / cap).tanh()),
        ),
        known(
            "cap not multiplied",
            "tanh(scores / softcap) is not multiplied by softcap.",
            Steps(capped=lambda scores, cap, scale: (scores / cap).tanh()),
        ),
    ),
    *explained_on(
        "steps/chosen-pairs/#the-cap-comes-after-the-mask",
        known(
            "cap after mask",
            "The cap comes after the mask, so -inf becomes -softcap: hidden keys get a share.",
            Steps(
                masked=lambda scores, allowed, cap, bias: cap(
                    (scores + bias).masked_fill(~allowed, -math.inf)
                )
            ),
        ),
        known(
            "cap bends mask",
            "The float mask is added before the cap, and bent with the scores.",
            Steps(
                masked=lambda scores, allowed, cap, bias: cap(scores + bias).masked_fill(
                    ~allowed, -math.inf
                )
            ),
        ),
    ),
    *explained_on(
        "steps/windows-and-sinks/#sinks-what-must-not-be-forgotten",
        known(
            "sinks ignored",
            "The sinks do nothing.",
            Steps(asked=lambda given: replace(given, sinks=None)),
        ),
        known(
            "sinks scaled",
            "The sinks are multiplied by the scale. They are taken as they are.",
            _sinks(lambda sinks, given: sinks * default_scale(given)),
        ),
        known(
            "sinks of other heads",
            "The sinks stand in the wrong heads.",
            _sinks(lambda sinks, given: sinks.flip(0)),
            _sinks(lambda sinks, given: sinks[:1].expand(len(sinks))),
        ),
        known(
            "sinks without exp",
            "The row's sum has the sinks themselves. Their exponentials belong there.",
            Steps(
                softmax=lambda scores, sinks, scale: by_hand(
                    scores, sinks, lambda sink: 0.0, lambda sink: sink
                )
            ),
            Steps(
                softmax=lambda scores, sinks, scale: by_hand(
                    scores, sinks, lambda sink: scores.amax(-1, True), lambda sink: sink
                )
            ),
        ),
        known(
            "sinks not shifted",
            "The maximum is taken off the scores, not off the sinks.",
            Steps(
                softmax=lambda scores, sinks, scale: by_hand(
                    scores, sinks, lambda sink: scores.amax(-1, True), torch.exp
                )
            ),
            Steps(
                softmax=lambda scores, sinks, scale: by_hand(
                    scores,
                    sinks,
                    lambda sink: torch.maximum(scores.amax(-1, True), sink),
                    torch.exp,
                )
            ),
        ),
        known(
            "column of another",
            "The wrong column is dropped: the first key has the sink's share, and each key that of "
            "the key before.",
            Steps(softmax=_first_column),
        ),
        known(
            "sinks in each tile",
            "The sinks are counted once for each tile.",
            *map(_in_each_tile, TILES),
        ),
    ),
)
