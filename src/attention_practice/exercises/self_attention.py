"""Exercise: one head."""

import math

import torch
from torch import Tensor

from attention_practice._exercise import SUITE, Case, Exercise, MistakeNames, known, those_of
from attention_practice._inputs import (
    BATCH,
    INPUTS,
    NARROW,
    SENTENCE,
    SQUARE,
    TWO_SENTENCES,
    WORDS,
)
from attention_practice.exercises.attention import EXERCISE as ATTENTION
from attention_practice.exercises.attention import attempt as attention
from attention_practice.exercises.project import EXERCISE as PROJECT
from attention_practice.exercises.project import attempt as project


def attempt(
    mistakes: MistakeNames, inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor
) -> Tensor:
    query, key, value = project(mistakes, inputs, W_query, W_key, W_value)
    value = inputs if "inputs mixed" in mistakes else value
    if "model's width" in mistakes:
        query = query * math.sqrt(query.shape[-1] / inputs.shape[-1])
    if "inputs compared" in mistakes:
        query = key = inputs
    key = query if "one for both" in mistakes else key
    context = attention(mistakes, query, key, value)
    return context + inputs if "inputs added" in mistakes else context


def my_self_attention(inputs, W_query, W_key, W_value):
    query, key, value = (inputs @ W.mT for W in (W_query, W_key, W_value))
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    return torch.softmax(scores, dim=-1) @ value


OWN = known("""
    Read: steps/why-divide-by-the-square-root/#the-models-width-instead-of-the-heads
    model's width: The scores are divided by the root of the inputs' width. Divide by the root
        of head_dim, the width of the query.
    Read: steps/queries-keys-and-values/#the-key-is-the-value-as-well
    inputs mixed: Your context is a mixture of the inputs: W_value is not used.
    Read: steps/queries-keys-and-values/#the-formula
    order: Query and key have changed places, so each word answers where it should ask.
    Read: steps/the-whole-model/#add-and-do-not-replace
    inputs added: The inputs are added to the context. A block does that later; a head returns
        the context alone.
    Read: steps/queries-keys-and-values/#the-query-is-the-key-as-well
    one for both: Your keys equal your queries: both come from W_query. Each has a matrix of its
        own.
    inputs compared: The inputs are compared with each other: W_query and W_key are not used.
""")

EXERCISE = Exercise(
    part=2,
    task=(
        "One head from inputs to context: project, score, scale, softmax, mix. Matrices as "
        "nn.Linear stores them: (..., n, d_in), three times (d_out, d_in) -> (..., n, d_out)."
    ),
    page="steps/self-attention-as-a-layer/",
    attempt=attempt,
    cases=(
        Case(SENTENCE, (INPUTS, *NARROW), WORDS),
        Case("square matrices", (INPUTS, *SQUARE), WORDS),
        Case(BATCH, (TWO_SENTENCES, *NARROW)),
    ),
    mistakes=those_of(SUITE, "no scale, no root, multiplied, over queries")
    + those_of(ATTENTION.mistakes, "too late, dim=0, no softmax, length, causal, weights alone")
    + those_of(
        PROJECT.mistakes, "not transposed, key is value, key of query, value of key, one for all"
    )
    + OWN,
    hints=(
        "First project, then attention: two functions that are written already.",
        "After the projections head_dim is `query.shape[-1]`, and no longer the width of the "
        "inputs.",
    ),
    solution=my_self_attention,
)
