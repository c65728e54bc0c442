"""Exercise: query, key and value."""

from attention_practice._exercise import Case, Exercise, planted
from attention_practice._inputs import BATCH, INPUTS, NARROW, SENTENCE, SQUARE, TWO_SENTENCES, WORDS


def my_project(inputs, W_query, W_key, W_value):
    return inputs @ W_query.mT, inputs @ W_key.mT, inputs @ W_value.mT


EXERCISE = Exercise(
    title="Query, key and value",
    task=(
        "Make query, key and value from the inputs, and return the three. Each row of a matrix "
        "makes one component, as in nn.Linear: (..., n, d_in), three times (d_out, d_in) -> three "
        "times (..., n, d_out)."
    ),
    page="steps/queries-keys-and-values/",
    results=("query", "key", "value"),
    cases=(
        Case(SENTENCE, (INPUTS, *NARROW), WORDS),
        Case("square matrices", (INPUTS, *SQUARE), WORDS),
        Case(BATCH, (TWO_SENTENCES, *NARROW)),
    ),
    mistakes=planted("""
        Read: reference/layers/#a-layer-from-three-matrices
        not transposed `W_query.mT` -> `W_query`, `W_key.mT` -> `W_key`, `W_value.mT` -> `W_value`
        matrix first `inputs @ W_query.mT` -> `W_query @ inputs`, `inputs @ W_key.mT` -> `W_key @
            inputs`, `inputs @ W_value.mT` -> `W_value @ inputs`: The matrix stands on the left.
            Words are rows, so the inputs come first: inputs @ W.mT.
        turned `inputs @ W_query.mT` -> `W_query @ inputs.mT`, `inputs @ W_key.mT` -> `W_key @
            inputs.mT`, `inputs @ W_value.mT` -> `W_value @ inputs.mT`: Rows and columns have
            changed places: your words are columns. inputs @ W.mT keeps them in rows.
        one for all `@ W_key` -> `@ W_query`, `@ W_value` -> `@ W_query`
        Read: guides/what-goes-wrong/#the-key-is-the-value-as-well
        key is value `@ W_value` -> `@ W_key`
        inputs mixed `inputs @ W_value.mT` -> `inputs`: The inputs are returned as values: W_value
            is not used.
        Read: steps/queries-keys-and-values/#the-formula
        order `inputs @ W_query.mT, inputs @ W_key.mT` -> `inputs @ W_key.mT, inputs @ W_query.mT`
        value second `inputs @ W_key.mT, inputs @ W_value.mT` -> `inputs @ W_value.mT, inputs @
            W_key.mT`: The values are returned where the keys are asked for: query, key, value.
        key of query `@ W_key.mT` -> `@ W_query.mT @ W_key.mT`
        value of key `@ W_value.mT` -> `@ W_key.mT @ W_value.mT`
    """),
    hints=(
        "Each of the three is the inputs times one matrix.",
        "nn.Linear keeps its matrix as (d_out, d_in) and multiplies by the transpose.",
    ),
    solution=my_project,
    lines="""
        W_query, W_key, W_value = W_query.mT, W_key.mT, W_value.mT
        # nothing

        query = inputs @ W_query

        key = inputs @ W_key
        key = query @ W_key

        value = inputs @ W_value
        value = inputs @ W_key

        return query, key, value
        return key, query, value
    """,
)
