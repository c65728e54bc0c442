"""Exercise: one step for several texts."""

from collections.abc import Sequence

import torch
from torch import Tensor

from attention_practice._exercise import SUITE, Case, Exercise, MistakeNames, known, those_of
from attention_practice._inputs import COLUMNS, INPUTS, numbers, vectors
from attention_practice.exercises.cached_mask import attempt as cached_mask
from attention_steps.core import scaled_dot_product_attention
from attention_steps.masks import causal_mask

RICH = vectors("the rich bank")


def attempt(
    mistakes: MistakeNames,
    query: Tensor,
    keys: Sequence[Tensor],
    values: Sequence[Tensor],
    sizes: Sequence[int],
) -> Tensor:
    if "one cache" in mistakes:
        keys, values = [keys[0]] * len(keys), [values[0]] * len(keys)
    if "all caches" in mistakes:
        keys, values = [torch.cat([*keys])] * len(keys), [torch.cat([*values])] * len(keys)
    if "order" in mistakes:
        keys, values = keys[::-1], values[::-1]
    contexts = []
    for rows, key, value in zip(torch.split(query, [*sizes]), keys, values, strict=True):
        if "new words alone" in mistakes:
            key, value = key[-len(rows) :], value[-len(rows) :]
        mask = cached_mask(mistakes & {"all", "top-left", "one ahead"}, len(rows), len(key))
        scale = 1.0 if "no scale" in mistakes else None
        contexts.append(scaled_dot_product_attention(rows, key, value, mask, scale=scale))
    if "last rows" in mistakes:
        contexts = [context[-1:] for context in contexts]
    return torch.cat(contexts)


def my_batched(query, keys, values, sizes):
    contexts = []
    for rows, key, value in zip(query.split(sizes), keys, values, strict=True):
        mask = causal_mask(len(rows), len(key), offset=len(key) - len(rows))
        contexts.append(scaled_dot_product_attention(rows, key, value, mask))
    return torch.cat(contexts)


EXERCISE = Exercise(
    part=6,
    task=(
        "Attention in one step that serves several texts. The rows of `query` (rows, E) are the "
        "new words of all texts, one text after the other: sizes[t] rows of text t. keys[t] and "
        "values[t] hold all words of text t, the new ones last. Each new word attends to its own "
        "text, up to itself. causal_mask(L, S, offset=S - L) and scaled_dot_product_attention are "
        "there. The result has a row for each row of `query`."
    ),
    page="steps/many-at-once/",
    attempt=attempt,
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
    mistakes=those_of(SUITE, "no scale, top-left, one ahead")
    + known("""
        Read: steps/many-at-once/#one-cache-for-all-texts
        one cache: All texts attend to the cache of the first. Each has its own.
        all caches: Each text also attends to the words of the others: the caches are joined.
        order: The texts and the caches come in opposite orders.
        Read: steps/many-at-once/#one-step-for-several-texts
        new words alone: The new words attend to each other alone, and not to what their text has
            in its cache.
        last rows: There is one row for each text, that of its last word. The other rows are needed
            by the next layer.
        Read: steps/causal-masks/#the-formula
        all: A new word attends to all words of its text, later ones too, where a text has several
            new words.
    """),
    hints=(
        "`query.split(sizes)` gives the rows of each text; go through them with keys and values.",
        "With L new words and S in all, the first new word has place S - L.",
        "Lay the contexts under each other again: torch.cat.",
    ),
    solution=my_batched,
)
