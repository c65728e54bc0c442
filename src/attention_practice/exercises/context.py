"""Exercise: context."""

from attention_practice._exercise import Case, Exercise, planted
from attention_practice._inputs import (
    BANK_AND_MONEY,
    BATCH,
    COLUMNS,
    INPUTS,
    QUERIES,
    SCORES,
    SENTENCE,
    TWO_QUERIES,
    TWO_SENTENCES,
    WORDS,
    numbers,
)


def my_context(weights, value):
    return weights @ value


EXERCISE = Exercise(
    title="Context",
    task=(
        "Mix the values by the weights, one context vector for each query: (..., L, S), (..., S, "
        "Ev) -> (..., L, Ev)."
    ),
    page="steps/context-vectors/",
    cases=(
        Case(SENTENCE, (SCORES.softmax(-1), INPUTS), WORDS, COLUMNS),
        Case(TWO_QUERIES, ((QUERIES @ INPUTS.mT).softmax(-1), INPUTS), BANK_AND_MONEY, COLUMNS),
        Case("four words of four components", (numbers(4, 4).softmax(-1), numbers(4, 4, start=1))),
        Case(BATCH, ((TWO_SENTENCES @ TWO_SENTENCES.mT).softmax(-1), TWO_SENTENCES)),
    ),
    mistakes=planted("""
        Read: steps/context-vectors/#the-formula
        weights turned `weights @` -> `weights.mT @`: Each word collects the shares that the others
            take from it: the weights are transposed. A query's shares are its row.
        value turned `@ value` -> `@ value.mT`: The values are transposed. Their rows are words, as
            the columns of the weights are, so they fit as they are.
        sides `weights @ value` -> `value @ weights`: The two have changed sides of the `@`. The
            rows of the weights are queries, and their columns meet the rows of the values: weights
            @ value.
        Read: steps/context-vectors/#a-weighted-sum-by-hand
        plain mean `weights @` -> `torch.ones_like(weights) / weights.shape[-1] @`: All rows are
            equal: each is the plain average of the values, and the weights are not used.
        largest only `weights @` -> `F.one_hot(weights.argmax(-1), weights.shape[-1]).to(value) @`:
            Each row is a single value, the one with the largest weight. A weighted sum takes a
            share of every value.
        divided `@ value` -> `/ value.shape[-2] @ value`: Your numbers are too small by the number
            of words. The weights of a row add up to 1 already, so nothing is left to divide.
        Read: notebooks/002_softmax_once/
        softmax again `weights @` -> `weights.softmax(-1) @`: Your rows are too much alike: the
            weights go through a softmax once more. They are shares already.
    """),
    hints=(
        "For one query, multiply each value by its weight and add up.",
        "A matrix product takes a row of weights and all values.",
    ),
    solution=my_context,
    lines="""
        context = weights @ value
        context = weights.mT @ value
        context = weights @ value.mT
        context = value[weights.argmax(dim=-1)]

        return context
        return context / value.shape[-2]
    """,
)
