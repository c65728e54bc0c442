"""Exercise: scores."""

from attention_practice._exercise import Case, Exercise, planted
from attention_practice._inputs import (
    BANK_AND_MONEY,
    BATCH,
    INPUTS,
    QUERIES,
    SENTENCE,
    TWO_QUERIES,
    TWO_SENTENCES,
    WORDS,
    numbers,
)


def my_scores(query, key):
    return query @ key.mT


EXERCISE = Exercise(
    title="Scores",
    task=(
        "Score each query against each key with a dot product: (..., L, E), (..., S, E) -> (..., "
        "L, S)."
    ),
    page="steps/scores/",
    cases=(
        Case(SENTENCE, (INPUTS, INPUTS), WORDS, WORDS),
        Case(TWO_QUERIES, (QUERIES, INPUTS), BANK_AND_MONEY, WORDS),
        Case("four words of four components", (numbers(4, 4), numbers(4, 4, start=1))),
        Case(BATCH, (TWO_SENTENCES, TWO_SENTENCES.flip(1))),
    ),
    mistakes=planted("""
        Read: guides/what-goes-wrong/#the-transpose-is-left-out
        no transpose `.mT` -> ``: The product pairs words of the one with components of the other.
            Transpose the keys first, so that each key is a column.
        Read: steps/scores/#all-words-at-once
        .T `.mT` -> `.T`: One sentence is right, and a batch is not: `.T` reverses all axes, that of
            the batch too. `.mT`, or `.transpose(-2, -1)`, exchanges the last two.
        Read: steps/scores/#the-formula
        swapped `query @ key.mT` -> `key @ query.mT`: Rows and columns have changed places: your
            rows belong to the keys. A row belongs to a query.
        own key `query @ key.mT` -> `(query * key).sum(-1)`: Each query meets the key of its own
            place alone. Each query should meet every key: `query @ key.mT`.
        Read: guides/what-goes-wrong/#a-dot-product-is-not-a-cosine
        cosine `query @ key` -> `F.normalize(query, dim=-1) @ F.normalize(key, dim=-1)`: Each score
            is divided by the lengths of its two vectors, which makes it a cosine. A dot product
            also counts how long the vectors are.
        Read: steps/why-divide-by-the-square-root/
        scaled `key.mT` -> `key.mT / math.sqrt(query.shape[-1])`: Each score is divided by the
            square root of head_dim already. “Why divide by the square root” will do so; here raw
            dot products are asked for.
        Read: steps/scores/#by-hand
        not added `@ key.mT` -> `* key`: The components are multiplied and not added up: `*` where
            `@` belongs.
        distance `query @ key.mT` -> `torch.cdist(query, key)`: Your numbers are distances: 0 for
            equal vectors, and large for those that differ. A dot product is large for vectors that
            point the same way.
        averaged `key.mT` -> `key.mT / query.shape[-1]`: The products are averaged: your numbers are
            too small by the number of components. A dot product adds them up.
        Read: steps/weights/
        softmax `query @ key.mT` -> `(query @ key.mT).softmax(-1)`: Your rows add up to 1: a softmax
            runs already. Scores come before it.
    """),
    hints=(
        "A dot product multiplies component by component and adds up: for one query and one key, "
        "`(query[i] * key[j]).sum()`.",
        "A matrix product does it for all pairs, if each key is a column.",
        "`.mT` exchanges the last two axes and leaves a batch alone.",
    ),
    solution=my_scores,
    lines="""
        keys = key.mT
        keys = key.T
        keys = key

        scores = query @ keys
        scores = query * keys
        scores = keys.mT @ query.mT

        return scores
        return scores / query.shape[-1]
    """,
)
