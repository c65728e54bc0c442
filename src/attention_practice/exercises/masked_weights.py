"""Exercise: weights under a mask."""

import math

import torch

from attention_practice._exercise import Case, Exercise, planted
from attention_practice._inputs import SCORES, SENTENCE, TWO_SENTENCES, WORDS, numbers

EMPTY_ROW = torch.tensor([[True, True, False], [False, False, False], [True, False, True]])
PADDED = torch.arange(6) < torch.tensor([6, 4])[:, None, None]


def my_masked_weights(scores, mask):
    some = mask.any(dim=-1, keepdim=True)
    hidden = scores.masked_fill(~mask & some, -math.inf)
    return torch.softmax(hidden, dim=-1).masked_fill(~some, 0.0)


EXERCISE = Exercise(
    title="Weights under a mask",
    task=(
        "Weights where hidden keys (mask False) get 0 and the others share 1. A row in which every "
        "key is hidden becomes zeros. Scores are (..., L, S), and the mask broadcasts to them."
    ),
    page="steps/padding-masks/",
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
    mistakes=planted("""
        True hides `some = mask.any` -> `some = (mask := ~mask).any`
        scores times mask `~mask & some, -math.inf` -> `~mask, 0.0`, `.masked_fill(~some, 0.0)` ->
            ``
        mask after softmax `scores.masked_fill(~mask & some, -math.inf)` -> `scores`,
            `.masked_fill(~some, 0.0)` -> ` * mask`
        mask as numbers `scores.masked_fill(~mask & some, -math.inf)` -> `scores + mask.to(scores)`,
            `.masked_fill(~some, 0.0)` -> ``
        no maximum `torch.softmax(hidden, dim=-1)` -> `(shares := scores.exp() *
            mask).div(shares.sum(-1, keepdim=True))`
        over queries `~mask & some` -> `~mask`, `dim=-1).masked_fill(~some, 0.0)` ->
            `dim=-2).nan_to_num(0.0)`
        empty is NaN ` & some` -> ``, `.masked_fill(~some, 0.0)` -> ``
        Read: guides/what-goes-wrong/#multiplying-the-weights-by-the-mask
        shared again `scores.masked_fill(~mask & some, -math.inf)` -> `torch.softmax(scores, dim=-1)
            * mask`, `torch.softmax(hidden, dim=-1).masked_fill(~some, 0.0)` -> `hidden /
            hidden.sum(-1, keepdim=True)`: The hidden keys are taken out after the exponential, and
            the rest is divided by its sum. Where the visible keys are far below the hidden ones, or
            none is visible, that is 0 / 0. Hide the scores before.
        Read: steps/padding-masks/#zeros-are-not-nothing
        zero, but for empty rows `-math.inf` -> `0.0`: Hidden keys still get a share: their scores
            are set to 0, and exp(0) is 1. Minus infinity gives 0.
        Read: guides/mask-conventions/#a-row-with-no-key-left
        large number `~mask & some, -math.inf` -> `~mask, -1e9`, `.masked_fill(~some, 0.0)` -> ``: A
            row in which every key is hidden has equal shares, as a large negative number in place
            of minus infinity would give it. Such a row should be zeros.
        empty row seen `.masked_fill(~some, 0.0)` -> ``: A row in which every key is hidden has
            shares of all its keys. It should be zeros.
        Read: steps/causal-masks/#the-formula
        no mask `scores.masked_fill(~mask & some, -math.inf)` -> `scores`, `.masked_fill(~some,
            0.0)` -> ``: Your weights are those without a mask. If you call masked_fill, use its
            result: it leaves `scores` as it is.
        no mask, but for empty rows `scores.masked_fill(~mask & some, -math.inf)` -> `scores`: Your
            weights are those without a mask, but for the rows without a key. masked_fill leaves
            `scores` as it is: use its result.
        Read: guides/what-goes-wrong/#nan-in-the-output
        times infinity `scores.masked_fill(~mask & some, -math.inf)` -> `scores + (1 -
            mask.to(scores)) * -math.inf`, `.masked_fill(~some, 0.0)` -> ``: Your weights are NaN,
            because 0 times infinity is NaN. Choose between scores and minus infinity with
            masked_fill or torch.where.
    """),
    hints=(
        "Before the softmax: `scores.masked_fill(~mask, -math.inf)`.",
        "A row in which all scores are -inf becomes NaN. `mask.any(dim=-1, keepdim=True)` tells "
        "which rows have a key.",
        "Let no NaN arise: leave such a row as it is, and fill it with 0 after the softmax.",
    ),
    solution=my_masked_weights,
    lines="""
        some = mask.any(dim=-1, keepdim=True)

        scores = scores.masked_fill(~mask & some, -math.inf)
        scores = scores.masked_fill(~mask & some, 0.0)
        scores = scores.masked_fill(~mask, -math.inf)
        scores.masked_fill(~mask & some, -math.inf)

        weights = torch.softmax(scores, dim=-1)

        return weights.masked_fill(~some, 0.0)
        return weights
    """,
)
