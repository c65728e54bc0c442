"""Exercise: weights."""

import torch

from attention_practice._exercise import Case, Exercise, planted
from attention_practice._inputs import (
    BANK_AND_MONEY,
    BATCH,
    INPUTS,
    QUERIES,
    SCORES,
    SENTENCE,
    TWO_QUERIES,
    TWO_SENTENCES,
    WORDS,
)


def my_weights(scores):
    return torch.softmax(scores, dim=-1)


EXERCISE = Exercise(
    title="Weights",
    task=(
        "Turn scores into shares that are positive and add up to 1 in each row: (..., L, S) -> "
        "(..., L, S)."
    ),
    page="steps/weights/",
    cases=(
        Case(SENTENCE, (SCORES,), WORDS, WORDS),
        Case(TWO_QUERIES, (QUERIES @ INPUTS.mT,), BANK_AND_MONEY, WORDS),
        Case("scores of 100 and more", (torch.tensor([[100.0, 99.0, 98.0], [200.0, 0.0, 201.0]]),)),
        Case("scores below 0", (torch.tensor([[3.0, -2.0, 0.0], [-1.0, -2.0, -4.0]]),)),
        Case(BATCH, (TWO_SENTENCES @ TWO_SENTENCES.flip(1).mT,)),
    ),
    mistakes=planted("""
        Read: guides/what-goes-wrong/#rows-do-not-add-up-to-one
        columns `dim=-1` -> `dim=-2`: Your columns add up to 1, and your rows do not: the softmax
            runs over the queries. The keys are the last axis, dim=-1.
        dim=1 `dim=-1` -> `dim=1`: One sentence is right, and a batch is not: with a batch in front,
            axis 1 is that of the queries. Counted from the end, the keys are always dim=-1.
        dim=0 `dim=-1` -> `dim=0`: Your columns add up to 1, and your rows do not: dim=0 runs over
            the queries, and in a batch over the sentences. The keys are the last axis, dim=-1.
        sum of columns `torch.softmax(scores, dim=-1)` -> `(shares := (scores - scores.amax(-1,
            True)).exp()) / shares.sum(-2, True)`: Your columns add up to 1: the exponentials are
            divided by the sum of their column. The keys are the last axis, dim=-1.
        Read: steps/weights/#the-formula
        all at once `torch.softmax(scores, dim=-1)` -> `(shares := (scores - scores.max()).exp()) /
            shares.sum()`: All your weights together add up to 1. Each row should add up to 1.
        all at once, no maximum `torch.softmax(scores, dim=-1)` -> `scores.exp() /
            scores.exp().sum()`: All your weights together add up to 1. Each row should add up to 1,
            and lose its largest score first: exp(100) is more than a float32 can hold.
        no keepdim `torch.softmax(scores, dim=-1)` -> `scores.exp() / scores.exp().sum(dim=-1)`
        maximum of another row `torch.softmax(scores, dim=-1)` -> `(shares := (scores -
            scores.amax(-1)).exp()) / shares.sum(-1, True)`: A maximum that has lost its axis is
            broadcast along the columns, so each number loses the maximum of another row.
            `amax(dim=-1, keepdim=True)` keeps the axis.
        logarithm `softmax(` -> `log_softmax(`: Your numbers are negative: they are logarithms of
            the weights, log_softmax in place of softmax.
        sigmoid `torch.softmax(scores, dim=-1)` -> `scores.sigmoid()`: Each score has a share by
            itself, between 0 and 1: that is a sigmoid. The shares of a row should add up to 1.
        largest only `torch.softmax(scores, dim=-1)` -> `F.one_hot(scores.argmax(dim=-1),
            scores.shape[-1]).to(scores)`: The largest score of a row takes all. A softmax gives
            every key a share.
        not divided `torch.softmax(scores, dim=-1)` -> `(scores - scores.amax(-1,
            keepdim=True)).exp()`
        not divided, no maximum `torch.softmax(scores, dim=-1)` -> `scores.exp()`: The exponentials
            are there, and are not divided by the sum of their row. Subtract the largest score of
            each row first: exp(100) is more than a float32 can hold.
        sigmoid, shared `torch.softmax(scores, dim=-1)` -> `scores.sigmoid() /
            scores.sigmoid().sum(dim=-1, keepdim=True)`: The shares come from a sigmoid, which makes
            all large scores alike. Take the exponential.
        Read: steps/weights/#dividing-by-the-sum-without-the-exponential
        no exponential `torch.softmax(scores, dim=-1)` -> `scores / scores.sum(dim=-1,
            keepdim=True)`: Each score is divided by the sum of its row, without an exponential.
            Scores below 0 then become shares below 0, or NaN.
        absolute `torch.softmax(scores, dim=-1)` -> `scores.abs() / scores.abs().sum(dim=-1,
            keepdim=True)`: The signs are taken away, so a score far below 0 gets a large share. The
            exponential makes every score positive, and a larger score larger.
        cut at 0 `torch.softmax(scores, dim=-1)` -> `scores.relu() / scores.relu().sum(dim=-1,
            keepdim=True)`: Scores below 0 become 0, and the others are divided by their sum: there
            is no exponential. A row without any score above 0 is NaN.
        squared `torch.softmax(scores, dim=-1)` -> `scores**2 / (scores**2).sum(dim=-1,
            keepdim=True)`: The scores are squared in place of the exponential, so a score far below
            0 gets a large share.
        Read: guides/what-goes-wrong/#nan-in-the-output
        no maximum `torch.softmax(scores, dim=-1)` -> `scores.exp() / scores.exp().sum(dim=-1,
            keepdim=True)`: Your weights are NaN where scores are large, because exp(100) is more
            than a float32 can hold. Subtract the largest score of each row first: only differences
            between scores count.
        Read: notebooks/002_softmax_once/
        twice `softmax(scores, dim=-1)` -> `softmax(scores, dim=-1).softmax(-1)`: Your shares are
            nearly equal: the softmax runs twice.
        Read: steps/why-divide-by-the-square-root/
        scaled `scores,` -> `scores / math.sqrt(scores.shape[-1]),`: The scores are divided by a
            root first, so your shares are too equal. Weights are made of the scores as they come.
    """),
    hints=(
        "First make every score positive, and a larger score larger. Then divide by the sum of the "
        "row.",
        "The exponential does the first. `dim=-1` is the axis of the keys, and `keepdim=True` "
        "keeps the sum in its row.",
        "torch has both in one function, `torch.softmax`. Along which axis?",
    ),
    solution=my_weights,
    lines="""
        weights = torch.softmax(scores, dim=-1)
        weights = torch.softmax(scores, dim=0)
        weights = torch.softmax(scores, dim=-2)
        weights = torch.log_softmax(scores, dim=-1)
        weights = scores / scores.sum(dim=-1, keepdim=True)

        return weights
        return torch.softmax(weights, dim=-1)
    """,
)
