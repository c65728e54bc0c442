"""Exercise: one head."""

import math

import torch

from attention_practice._exercise import Case, Exercise, planted, those_of
from attention_practice._inputs import BATCH, INPUTS, NARROW, SENTENCE, SQUARE, TWO_SENTENCES, WORDS
from attention_practice.exercises.attention import EXERCISE as ATTENTION


def my_self_attention(inputs, W_query, W_key, W_value):
    query, key, value = (inputs @ W.mT for W in (W_query, W_key, W_value))
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    return torch.softmax(scores, dim=-1) @ value


EXERCISE = Exercise(
    title="One head",
    task=(
        "One head from inputs to context: project, score, scale, softmax, mix. Matrices as "
        "nn.Linear stores them: (..., n, d_in), three times (d_out, d_in) -> (..., n, d_out)."
    ),
    page="reference/layers/",
    cases=(
        Case(SENTENCE, (INPUTS, *NARROW), WORDS),
        Case("square matrices", (INPUTS, *SQUARE), WORDS),
        Case(BATCH, (TWO_SENTENCES, *NARROW)),
    ),
    mistakes=those_of(
        ATTENTION.mistakes,
        "no scale, no root, multiplied, over queries, too late, dim=0, no softmax, length, causal, "
        "weights alone",
    )
    + planted("""
        not transposed `W.mT` -> `W`
        key is value `W_value))` -> `W_key))`
        key of query `@ key.mT` -> `@ (query @ W_key.mT).mT`
        value of key `@ value` -> `@ (key @ W_value.mT)`
        one for all `W_key, W_value))` -> `W_query, W_query))`
        Read: guides/what-goes-wrong/#the-models-width-instead-of-the-heads
        model's width `query.shape` -> `inputs.shape`: The scores are divided by the root of the
            inputs' width. Divide by the root of head_dim, the width of the query.
        Read: guides/what-goes-wrong/#the-key-is-the-value-as-well
        inputs mixed `@ value` -> `@ inputs`: Your context is a mixture of the inputs: W_value is
            not used.
        Read: steps/queries-keys-and-values/#the-formula
        order `query, key, value =` -> `key, query, value =`: Query and key have changed places, so
            each word answers where it should ask.
        Read: steps/the-whole-model/#add-and-do-not-replace
        inputs added `@ value` -> `@ value + inputs`: The inputs are added to the context. A block
            does that later; a head returns the context alone.
        Read: guides/what-goes-wrong/#the-query-is-the-key-as-well
        one for both `(W_query, W_key, W_value))` -> `(W_query, W_query, W_value))`: Your keys equal
            your queries: both come from W_query. Each has a matrix of its own.
        inputs compared `query @ key.mT` -> `inputs @ inputs.mT`, `query.shape` -> `inputs.shape`:
            The inputs are compared with each other: W_query and W_key are not used.
    """),
    hints=(
        "First project, then attention: two functions that are written already.",
        "After the projections head_dim is `query.shape[-1]`, and no longer the width of the "
        "inputs.",
    ),
    solution=my_self_attention,
    lines="""
        query, key, value = (inputs @ W.mT for W in (W_query, W_key, W_value))
        query, key, value = (inputs @ W.mT for W in (W_key, W_query, W_value))
        query, key, value = (inputs @ W for W in (W_query, W_key, W_value))

        scores = query @ key.mT / math.sqrt(query.shape[-1])
        scores = query @ key.mT / math.sqrt(inputs.shape[-1])
        scores = query @ key.mT

        weights = torch.softmax(scores, dim=-1)
        weights = torch.softmax(scores, dim=-2)

        return weights @ value
        return weights @ inputs
        return inputs + weights @ value
    """,
)
