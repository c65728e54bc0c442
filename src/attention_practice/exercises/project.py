"""Exercise: query, key and value."""

from attention_practice._exercise import Case, Exercise, planted
from attention_practice._inputs import (
    BATCH,
    INPUTS,
    NARROW,
    SENTENCE,
    SQUARE,
    TWO_SENTENCES,
    WORDS,
)


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
    results=("query", "key", "value"),
    cases=(
        Case(SENTENCE, (INPUTS, *NARROW), WORDS),
        Case("square matrices", (INPUTS, *SQUARE), WORDS),
        Case(BATCH, (TWO_SENTENCES, *NARROW)),
    ),
    mistakes=planted("""
        Read: steps/self-attention-as-a-layer/#for-engineers
        not transposed `W_query.mT` -> `W_query`, `W_key.mT` -> `W_key`, `W_value.mT` -> `W_value`:
            The matrices are used as they are stored, (d_out, d_in). The product needs (d_in,
            d_out): transpose them.
        matrix first `inputs @ W_query.mT` -> `W_query @ inputs`, `inputs @ W_key.mT` -> `W_key @
            inputs`, `inputs @ W_value.mT` -> `W_value @ inputs`: The matrix stands on the left.
            Words are rows, so the inputs come first: inputs @ W.mT.
        turned `inputs @ W_query.mT` -> `W_query @ inputs.mT`, `inputs @ W_key.mT` -> `W_key @
            inputs.mT`, `inputs @ W_value.mT` -> `W_value @ inputs.mT`: Rows and columns have
            changed places: your words are columns. inputs @ W.mT keeps them in rows.
        Read: steps/queries-keys-and-values/#the-query-is-the-key-as-well
        one for all `@ W_key` -> `@ W_query`, `@ W_value` -> `@ W_query`: Your keys and values equal
            your queries: all three come from W_query. Each has a matrix of its own.
        Read: steps/queries-keys-and-values/#the-key-is-the-value-as-well
        key is value `@ W_value` -> `@ W_key`: Your values equal your keys: both come from W_key.
            Each has a matrix of its own.
        inputs mixed `inputs @ W_value.mT` -> `inputs`: The inputs are returned as values: W_value
            is not used.
        Read: steps/queries-keys-and-values/#the-formula
        order `inputs @ W_query.mT, inputs @ W_key.mT` -> `inputs @ W_key.mT, inputs @ W_query.mT`:
            Query and key have changed places.
        value second `inputs @ W_key.mT, inputs @ W_value.mT` -> `inputs @ W_value.mT, inputs @
            W_key.mT`: The values are returned where the keys are asked for: query, key, value.
        Read: steps/queries-keys-and-values/#by-hand
        key of query `@ W_key.mT` -> `@ W_query.mT @ W_key.mT`: Your keys are made from the queries.
            All three are made from the inputs.
        value of key `@ W_value.mT` -> `@ W_key.mT @ W_value.mT`: Your values are made from the
            keys. All three are made from the inputs.
    """),
    hints=(
        "Each of the three is the inputs times one matrix.",
        "nn.Linear keeps its matrix as (d_out, d_in) and multiplies by the transpose.",
    ),
    solution=my_project,
)
