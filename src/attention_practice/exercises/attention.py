"""Exercise: attention."""

import math

import torch
from torch import Tensor

from attention_practice._exercise import SUITE, Case, Exercise, MistakeNames, known, those_of
from attention_practice._inputs import (
    BATCH,
    COLUMNS,
    INPUTS,
    SENTENCE,
    TWO_SENTENCES,
    UNEVEN,
    WORDS,
)
from attention_practice.exercises.weights import EXERCISE as WEIGHTS


def attempt(mistakes: MistakeNames, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    size = query.shape[1 if "first axis" in mistakes else -1]
    size = key.shape[-2] if "length" in mistakes else size
    size = value.shape[-1] if "value's width" in mistakes else size
    size = query.shape[-2] if "queries" in mistakes else size
    root = float(size) if "no root" in mistakes else math.sqrt(size)
    root = 1.0 if "no scale" in mistakes else 1 / root if "multiplied" in mistakes else root
    scores = key @ query.mT if "swapped" in mistakes else query @ key.mT
    scores = scores / (1.0 if "too late" in mistakes else root)
    if "causal" in mistakes:
        allowed = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
        scores = scores.masked_fill(~allowed, -math.inf)
    dim = 0 if "dim=0" in mistakes else -2 if "over queries" in mistakes else -1
    weights = scores if "no softmax" in mistakes else scores.softmax(dim)
    if "no keepdim" in mistakes:
        weights = scores.exp() / scores.exp().sum(-1)
    weights = weights.softmax(-1) if "softmax twice" in mistakes else weights
    weights = weights / root if "too late" in mistakes else weights
    if "weights alone" in mistakes:
        return weights
    return weights @ (key if "keys mixed" in mistakes else value)


def my_attention(query, key, value):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    return torch.softmax(scores, dim=-1) @ value


EXERCISE = Exercise(
    part=2,
    task=(
        "Scores divided by the square root of head_dim, softmax, context: (..., L, E), (..., S, "
        "E), (..., S, Ev) -> (..., L, Ev)."
    ),
    page="steps/why-divide-by-the-square-root/",
    attempt=attempt,
    cases=(
        Case(SENTENCE, (INPUTS, INPUTS, INPUTS), WORDS, COLUMNS),
        Case("five queries and four keys of three components", UNEVEN),
        Case(BATCH, (TWO_SENTENCES, TWO_SENTENCES.flip(1), TWO_SENTENCES)),
        Case("two heads", tuple(torch.stack([x, x.flip(0)])[None] for x in UNEVEN)),
        Case("scores of 100 and more", tuple(x * 20 for x in UNEVEN)),
    ),
    mistakes=those_of(
        SUITE, "no scale, no root, multiplied, over queries, softmax twice, keys mixed"
    )
    + those_of(WEIGHTS.mistakes, "no keepdim")
    + known("""
        Read: steps/why-divide-by-the-square-root/#the-formula
        length: The scores are divided by the root of the number of keys. Divide by the root of
            head_dim, the last axis of the query.
        too late: Your context is too small: the root divides after the softmax, where it changes no
            share. Divide the scores.
        value's width: The scores are divided by the root of the values' width, which need not be
            that of the queries. Divide by the root of head_dim, the last axis of the query.
        queries: The scores are divided by the root of the number of queries. Divide by the root of
            head_dim, the last axis of the query.
        Read: steps/why-divide-by-the-square-root/#the-models-width-instead-of-the-heads
        first axis: The divisor comes from axis 1. With a batch or heads in front, axis 1 is not
            head_dim: count from the end, `query.shape[-1]`.
        Read: steps/weights/#softmax-along-the-wrong-axis
        dim=0: For one sentence the shares of each column add up to 1: dim=0 runs over the queries,
            and in a batch over the sentences. The keys are the last axis, dim=-1.
        Read: steps/weights/
        no softmax: The scores themselves are used as weights: the softmax is missing.
        Read: steps/scores/#the-formula
        swapped: Query and key have changed places, so each word answers where it should ask.
        Read: steps/causal-masks/
        causal: Later words are hidden. No mask is asked for here.
        Read: steps/context-vectors/
        weights alone: Your result are the weights. The context is missing: weights @ value.
    """),
    hints=(
        "All its parts are written: scores, weights, context. One thing comes between the first "
        "two.",
        "Divide by `math.sqrt(query.shape[-1])` before the softmax.",
    ),
    solution=my_attention,
)
