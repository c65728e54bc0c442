"""Exercise: attention."""

import math

import torch

from attention_practice._exercise import Case, Exercise, planted
from attention_practice._inputs import (
    BATCH,
    COLUMNS,
    INPUTS,
    SENTENCE,
    TWO_SENTENCES,
    UNEVEN,
    WORDS,
)


def my_attention(query, key, value):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    return torch.softmax(scores, dim=-1) @ value


EXERCISE = Exercise(
    title="Attention",
    task=(
        "Scores divided by the square root of head_dim, softmax, context: (..., L, E), (..., S, "
        "E), (..., S, Ev) -> (..., L, Ev)."
    ),
    page="steps/why-divide-by-the-square-root/",
    cases=(
        Case(SENTENCE, (INPUTS, INPUTS, INPUTS), WORDS, COLUMNS),
        Case("five queries and four keys of three components", UNEVEN),
        Case(BATCH, (TWO_SENTENCES, TWO_SENTENCES.flip(1), TWO_SENTENCES)),
        Case("two heads", tuple(torch.stack([x, x.flip(0)])[None] for x in UNEVEN)),
        Case("scores of 100 and more", tuple(x * 20 for x in UNEVEN)),
    ),
    mistakes=planted("""
        no scale ` / math.sqrt(query.shape[-1])` -> ``
        no root `math.sqrt(query.shape[-1])` -> `query.shape[-1]`
        multiplied `/ math` -> `* math`
        over queries `dim=-1` -> `dim=-2`
        softmax twice `dim=-1)` -> `dim=-1).softmax(-1)`
        keys mixed `@ value` -> `@ key`
        no keepdim `torch.softmax(scores, dim=-1)` -> `scores.exp() / scores.exp().sum(-1)`
        Read: steps/why-divide-by-the-square-root/#the-formula
        length `query.shape[-1]` -> `key.shape[-2]`
        too late ` / math.sqrt(query.shape[-1])` -> ``, `@ value` -> `/ math.sqrt(query.shape[-1]) @
            value`
        value's width `query.shape` -> `value.shape`: The scores are divided by the root of the
            values' width, which need not be that of the queries. Divide by the root of head_dim,
            the last axis of the query.
        queries `query.shape[-1]` -> `query.shape[-2]`: The scores are divided by the root of the
            number of queries. Divide by the root of head_dim, the last axis of the query.
        Read: guides/what-goes-wrong/#the-models-width-instead-of-the-heads
        first axis `query.shape[-1]` -> `query.shape[1]`: The divisor comes from axis 1. With a
            batch or heads in front, axis 1 is not head_dim: count from the end, `query.shape[-1]`.
        Read: guides/what-goes-wrong/#rows-do-not-add-up-to-one
        dim=0 `dim=-1` -> `dim=0`: For one sentence the shares of each column add up to 1: dim=0
            runs over the queries, and in a batch over the sentences. The keys are the last axis,
            dim=-1.
        no softmax `torch.softmax(scores, dim=-1)` -> `scores`
        Read: steps/scores/#the-formula
        swapped `query @ key.mT` -> `key @ query.mT`: Query and key have changed places, so each
            word answers where it should ask.
        causal `softmax(scores` -> `softmax(scores.masked_fill(torch.ones_like(scores).triu(1) > 0,
            -math.inf)`
        Read: steps/context-vectors/
        weights alone ` @ value` -> ``: Your result are the weights. The context is missing: weights
            @ value.
    """),
    hints=(
        "All its parts are written: scores, weights, context. One thing comes between the first "
        "two.",
        "Divide by `math.sqrt(query.shape[-1])` before the softmax.",
    ),
    solution=my_attention,
    lines="""
        scores = query @ key.mT
        scores = key @ query.mT

        scores = scores / math.sqrt(query.shape[-1])
        scores = scores / query.shape[-1]
        scores = scores * math.sqrt(query.shape[-1])
        # nothing

        weights = torch.softmax(scores, dim=-1)
        weights = torch.softmax(scores, dim=-2)
        weights = torch.softmax(scores, dim=0)
        weights = scores

        return weights @ value
        return weights @ key
        return value @ weights
    """,
)
