"""Exercise: query, key and value."""

from torch import Tensor

from attention_practice._exercise import Case, Exercise, MistakeNames, known
from attention_practice._inputs import (
    BATCH,
    INPUTS,
    NARROW,
    SENTENCE,
    SQUARE,
    TWO_SENTENCES,
    WORDS,
)


def attempt(
    mistakes: MistakeNames, inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor
) -> tuple[Tensor, ...]:
    if "one for all" in mistakes:
        W_key = W_value = W_query
    if "key is value" in mistakes:
        W_value = W_key
    matrices = (W_query, W_key, W_value)
    if "matrix first" in mistakes:
        return tuple(W @ inputs for W in matrices)
    if "turned" in mistakes:
        return tuple(W @ inputs.mT for W in matrices)
    query, key, value = (inputs @ (W if "not transposed" in mistakes else W.mT) for W in matrices)
    if "key of query" in mistakes:
        key = query @ (W_key if "not transposed" in mistakes else W_key.mT)
    if "value of key" in mistakes:
        value = key @ (W_value if "not transposed" in mistakes else W_value.mT)
    value = inputs if "inputs mixed" in mistakes else value
    if "value second" in mistakes:
        return query, value, key
    return (key, query, value) if "order" in mistakes else (query, key, value)


def my_project(inputs, W_query, W_key, W_value):
    return inputs @ W_query.mT, inputs @ W_key.mT, inputs @ W_value.mT


EXERCISE = Exercise(
    part=2,
    task=(
        "Make query, key and value from the inputs, and return the three. The matrices are stored "
        "as in nn.Linear: (..., n, d_in), three times (d_out, d_in) -> three times (..., n, "
        "d_out)."
    ),
    page="steps/queries-keys-and-values/",
    attempt=attempt,
    results=("query", "key", "value"),
    cases=(
        Case(SENTENCE, (INPUTS, *NARROW), WORDS),
        Case("square matrices", (INPUTS, *SQUARE), WORDS),
        Case(BATCH, (TWO_SENTENCES, *NARROW)),
    ),
    mistakes=known("""
        Read: steps/self-attention-as-a-layer/#for-engineers
        not transposed: The matrices are used as they are stored, (d_out, d_in). The product needs
            (d_in, d_out): transpose them.
        matrix first: The matrix stands on the left. Words are rows, so the inputs come first:
            inputs @ W.mT.
        turned: Rows and columns have changed places: your words are columns. inputs @ W.mT
            keeps them in rows.
        Read: steps/queries-keys-and-values/#the-query-is-the-key-as-well
        one for all: Your keys and values equal your queries: all three come from W_query. Each has
            a matrix of its own.
        Read: steps/queries-keys-and-values/#the-key-is-the-value-as-well
        key is value: Your values equal your keys: both come from W_key. Each has a matrix of its
            own.
        inputs mixed: The inputs are returned as values: W_value is not used.
        Read: steps/queries-keys-and-values/#the-formula
        order: Query and key have changed places.
        value second: The values are returned where the keys are asked for: query, key, value.
        Read: steps/queries-keys-and-values/#by-hand
        key of query: Your keys are made from the queries. All three are made from the inputs.
        value of key: Your values are made from the keys. All three are made from the inputs.
    """),
    hints=(
        "Each of the three is the inputs times one matrix.",
        "nn.Linear keeps its matrix as (d_out, d_in) and multiplies by the transpose.",
    ),
    solution=my_project,
)
