"""Exercise: weights under a mask."""

import math

import torch
from torch import Tensor

from attention_practice._exercise import SUITE, Case, Exercise, MistakeNames, known, those_of
from attention_practice._inputs import SCORES, SENTENCE, TWO_SENTENCES, WORDS, numbers

EMPTY_ROW = torch.tensor([[True, True, False], [False, False, False], [True, False, True]])
PADDED = torch.arange(6) < torch.tensor([6, 4])[:, None, None]


def attempt(mistakes: MistakeNames, scores: Tensor, mask: Tensor) -> Tensor:
    if "no mask" in mistakes:
        return scores.softmax(-1)
    mask = (~mask if "True hides" in mistakes else mask).expand(scores.shape)
    if "mask after softmax" in mistakes:
        return scores.softmax(-1) * mask
    if mistakes & {"zero, but for empty rows", "no mask, but for empty rows", "empty row seen"}:
        some = mask.any(-1, keepdim=True)
        fill = 0.0 if "zero, but for empty rows" in mistakes else -math.inf
        hidden = scores.masked_fill(~mask & some, fill)
        hidden = scores if "no mask, but for empty rows" in mistakes else hidden
        weights = hidden.softmax(-1)
        return weights if "empty row seen" in mistakes else weights.masked_fill(~some, 0.0)
    if "shared again" in mistakes:
        kept = scores.softmax(-1) * mask
        return kept / kept.sum(-1, keepdim=True)
    if "no maximum" in mistakes:
        kept = scores.exp() * mask
        return (kept / kept.sum(-1, keepdim=True)).masked_fill(~mask.any(-1, True), 0.0)
    if "over queries" in mistakes:
        return scores.masked_fill(~mask, -math.inf).softmax(-2).nan_to_num(0.0)
    if "scores times mask" in mistakes:
        return scores.masked_fill(~mask, 0.0).softmax(-1)
    if "mask as numbers" in mistakes:
        return (scores + mask.to(scores)).softmax(-1)
    if "times infinity" in mistakes:
        return (scores + (1 - mask.to(scores)) * -math.inf).softmax(-1)
    if "large number" in mistakes:
        return scores.masked_fill(~mask, -1e9).softmax(-1)
    weights = scores.masked_fill(~mask, -math.inf).softmax(-1)
    empty = ~mask.any(-1, keepdim=True)
    return weights if "empty is NaN" in mistakes else weights.masked_fill(empty, 0.0)


def my_masked_weights(scores, mask):
    some = mask.any(dim=-1, keepdim=True)
    hidden = scores.masked_fill(~mask & some, -math.inf)
    return torch.softmax(hidden, dim=-1).masked_fill(~some, 0.0)


EXERCISE = Exercise(
    part=3,
    task=(
        "Weights where hidden keys (mask False) get 0 and the others share 1. A row in which every "
        "key is hidden becomes zeros. Scores are (..., L, S), and the mask broadcasts to them."
    ),
    page="steps/causal-masks/",
    attempt=attempt,
    cases=(
        Case(SENTENCE, (SCORES, torch.ones(6, 6, dtype=torch.bool).tril()), WORDS, WORDS),
        Case("a batch with padding", (TWO_SENTENCES @ TWO_SENTENCES.mT, PADDED)),
        Case("a row in which all is hidden", (numbers(3, 3), EMPTY_ROW)),
        Case(
            "scores of 100 and more",
            (
                torch.tensor([[100.0, 99.0, 200.0], [200.0, 0.0, 1.0]]),
                torch.tensor([[True, True, False], [False, True, True]]),
            ),
        ),
    ),
    mistakes=those_of(
        SUITE,
        "True hides, scores times mask, mask after softmax, mask as numbers, no maximum, "
        "over queries, empty is NaN",
    )
    + known("""
        Read: steps/causal-masks/#multiplying-the-weights-by-the-mask
        shared again: The hidden keys are taken out after the exponential, and the rest is divided
            by its sum. Where the visible keys are far below the hidden ones, or none is visible,
            that is 0 / 0. Hide the scores before.
        Read: steps/padding-masks/#zeros-are-not-nothing
        zero, but for empty rows: Hidden keys still get a share: their scores are set to 0, and
            exp(0) is 1. Minus infinity gives 0.
        Read: guides/mask-conventions/#a-row-with-no-key-left
        large number: A row in which every key is hidden has equal shares, as a large negative
            number in place of minus infinity would give it. Such a row should be zeros.
        empty row seen: A row in which every key is hidden has shares of all its keys. It should be
            zeros.
        Read: steps/causal-masks/#the-formula
        no mask: Your weights are those without a mask. If you call masked_fill, use its result: it
            leaves `scores` as it is.
        no mask, but for empty rows: Your weights are those without a mask, but for the rows without
            a key. masked_fill leaves `scores` as it is: use its result.
        Read: guides/what-goes-wrong/#nan-in-the-output
        times infinity: Your weights are NaN, because 0 times infinity is NaN. Choose between scores
            and minus infinity with masked_fill or torch.where.
    """),
    hints=(
        "Before the softmax: `scores.masked_fill(~mask, -math.inf)`.",
        "A row in which all scores are -inf becomes NaN. `mask.any(dim=-1, keepdim=True)` tells "
        "which rows have a key.",
        "Let no NaN arise: leave such a row as it is, and fill it with 0 after the softmax.",
    ),
    solution=my_masked_weights,
)
