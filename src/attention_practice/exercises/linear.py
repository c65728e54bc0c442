"""Exercise: attention without a softmax."""

import math

import torch
from torch import Tensor

from attention_practice._exercise import Case, Exercise, MistakeNames, known
from attention_practice._inputs import COLUMNS, INPUTS, SENTENCE, WORDS, numbers


def attempt(mistakes: MistakeNames, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    table = query @ key.mT
    if "softmax" in mistakes:
        hidden = torch.ones_like(table).triu(1).bool()
        scores = table / (math.sqrt(query.shape[-1]) if "scaled" in mistakes else 1.0)
        return scores.masked_fill(hidden, -math.inf).softmax(-1) @ value
    if "overwritten" in mistakes:
        table = table * torch.eye(table.shape[-1]).to(table)
    elif "not causal" not in mistakes:
        table = table.tril(-1 if "read first" in mistakes else 0)
    context = table @ value / (math.sqrt(query.shape[-1]) if "scaled" in mistakes else 1.0)
    if "shares" in mistakes:
        context = context / table.sum(-1, keepdim=True)
    if "divided" in mistakes:
        context = context / torch.arange(1, context.shape[-2] + 1)[:, None]
    return context


def my_linear(query, key, value):
    return (query @ key.mT).tril() @ value


EXERCISE = Exercise(
    part=4,
    task=(
        "Attention without a softmax: each word adds the product of its key and its value to a "
        "state (E, Ev), and then reads the state with its query: (..., n, E), (..., n, E), (..., "
        "n, Ev) -> (..., n, Ev)."
    ),
    page="steps/without-softmax/",
    attempt=attempt,
    cases=(
        Case(SENTENCE, (INPUTS, INPUTS, INPUTS), WORDS, COLUMNS),
        Case(
            "values of two components",
            (numbers(5, 3), numbers(5, 3, start=1), numbers(5, 2, start=2)),
        ),
        Case(
            "two heads",
            (numbers(2, 4, 3), numbers(2, 4, 3, start=1), numbers(2, 4, 2, start=2)),
        ),
    ),
    mistakes=known("""
        Read: steps/without-softmax/#written-as-it-is-read
        not causal: Each word reads a state that all words have written, later ones too.
        read first: Each word reads before it writes, so it does not read itself.
        overwritten: Each word replaces the state. Add to the state.
        Read: steps/without-softmax/#the-formula
        scaled: The queries are divided by the root of head_dim. Without a softmax nothing is
            divided here.
        divided: Each row is divided by the number of words so far. Nothing is divided here.
        softmax: That is causal attention with a softmax. Here there is none.
        shares: Each row is divided by the sum of its products, as if they were shares. Nothing is
            divided here.
    """),
    hints=(
        "A word writes `key[t][:, None] * value[t]`.",
        "All at once: query @ key.mT, with the later keys set to 0, times value.",
    ),
    solution=my_linear,
)
