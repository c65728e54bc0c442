"""Exercise: one step for several texts."""

import torch

from attention_practice._exercise import Case, Exercise, planted
from attention_practice._inputs import COLUMNS, INPUTS, numbers
from attention_steps.core import scaled_dot_product_attention
from attention_steps.masks import causal_mask
from tiny_lm.words import vectors

RICH = vectors("the rich bank")


def my_batched(query, keys, values, sizes):
    contexts = []
    for rows, key, value in zip(query.split(sizes), keys, values, strict=True):
        mask = causal_mask(len(rows), len(key), offset=len(key) - len(rows))
        contexts.append(scaled_dot_product_attention(rows, key, value, mask))
    return torch.cat(contexts)


EXERCISE = Exercise(
    title="One step for several texts",
    task=(
        "Attention in one step that serves several texts. The rows of `query` (rows, E) are the "
        "new words of all texts, one text after the other: sizes[t] rows of text t. keys[t] and "
        "values[t] hold all words of text t, the new ones last. Each new word attends to its own "
        "text, up to itself. causal_mask(L, S, offset=S - L) and scaled_dot_product_attention are "
        "there. The result has a row for each row of `query`."
    ),
    page="steps/many-at-once/",
    differentiable=False,
    cases=(
        Case(
            "“muddy bank” of one text, “bank” of another",
            (torch.cat((INPUTS[4:], RICH[2:])), (INPUTS, RICH), (INPUTS, RICH), (2, 1)),
            ("muddy", "bank", "bank"),
            COLUMNS,
        ),
        Case(
            "three texts",
            (
                numbers(6, 3),
                tuple(numbers(n, 3, start=n) for n in (4, 5, 3)),
                tuple(numbers(n, 2, start=n + 9) for n in (4, 5, 3)),
                (2, 3, 1),
            ),
        ),
    ),
    mistakes=planted("""
        no scale `, mask)` -> `, mask, scale=1.0)`
        top-left `, offset=len(key) - len(rows)` -> ``
        one ahead `- len(rows)` -> `- len(rows) + 1`
        Read: steps/many-at-once/#one-cache-for-all-texts
        one cache `keys, values, strict` -> `[keys[0]] * len(keys), [values[0]] * len(keys),
            strict`: All texts attend to the cache of the first. Each has its own.
        all caches `keys, values, strict` -> `[torch.cat(keys)] * len(keys), [torch.cat(values)] *
            len(keys), strict`: Each text also attends to the words of the others: the caches are
            joined.
        order `keys, values, strict` -> `keys[::-1], values[::-1], strict`: The texts and the caches
            come in opposite orders.
        Read: steps/many-at-once/#one-step-for-several-texts
        new words alone `len(key), offset=len(key) - len(rows)` -> `len(rows)`, `key, value, mask`
            -> `key[-len(rows) :], value[-len(rows) :], mask`: The new words attend to each other
            alone, and not to what their text has in its cache.
        last rows `cat(contexts)` -> `cat([context[-1:] for context in contexts])`: There is one row
            for each text, that of its last word. The other rows are needed by the next layer.
        Read: steps/causal-masks/#the-formula
        all `, mask)` -> `)`: A new word attends to all words of its text, later ones too, where a
            text has several new words.
    """),
    hints=(
        "`query.split(sizes)` gives the rows of each text; go through them with keys and values.",
        "With L new words and S in all, the first new word has place S - L.",
        "Lay the contexts under each other again: torch.cat.",
    ),
    solution=my_batched,
    lines="""
    def my_batched(query, keys, values, sizes):
        contexts = []

        for rows, key, value in zip(query.split(sizes), keys, values):
        for rows, key, value in zip(query.split(sizes), keys[:1] * 9, values[:1] * 9):
        for rows, key, value in zip(query.split(sizes), keys[::-1], values[::-1]):

            L, S = len(rows), len(key)

            mask = causal_mask(L, S, offset=S - L)
            mask = causal_mask(L, S)
            mask = None

            contexts.append(scaled_dot_product_attention(rows, key, value, mask))
            contexts.append(scaled_dot_product_attention(rows, key, key, mask))

        return torch.cat(contexts)
        return torch.cat([context[-1:] for context in contexts])
    """,
)
