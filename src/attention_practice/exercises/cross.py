"""Exercise: cross-attention."""

import torch
from torch import Tensor

from attention_practice._exercise import SUITE, Case, Exercise, MistakeNames, known, those_of
from attention_practice._inputs import INPUTS, NARROW, WORDS, vectors
from attention_practice.exercises.attention import EXERCISE as ATTENTION
from attention_practice.exercises.attention import attempt as attention
from attention_practice.exercises.project import EXERCISE as PROJECT
from attention_steps.core import scaled_dot_product_attention

FRENCH = vectors("duck money bank")


def attempt(
    mistakes: MistakeNames,
    inputs: Tensor,
    memory: Tensor,
    W_query: Tensor,
    W_key: Tensor,
    W_value: Tensor,
) -> Tensor:
    inputs, memory = (memory, inputs) if "roles" in mistakes else (inputs, memory)
    asked = torch.cat((inputs, memory), -2) if "both" in mistakes else memory
    as_stored = "not transposed" in mistakes
    W_query, W_key, W_value = (W if as_stored else W.mT for W in (W_query, W_key, W_value))
    query = inputs @ W_query
    key = (inputs if "keys of inputs" in mistakes else asked) @ W_key
    value = (inputs if "values of inputs" in mistakes else asked) @ W_value
    return attention(mistakes, query, key, memory if "memory mixed" in mistakes else value)


def my_cross(inputs, memory, W_query, W_key, W_value):
    query, key, value = inputs @ W_query.mT, memory @ W_key.mT, memory @ W_value.mT
    return scaled_dot_product_attention(query, key, value)


OWN = known("""
    Read: steps/cross-attention/#each-word-asks
    roles: The queries come from the memory, and keys and values from the inputs. Exchange the
        two.
    Read: steps/cross-attention/#the-formula
    values of inputs: The values come from the inputs. Take them from the memory.
    keys of inputs: The keys come from the inputs. Take them from the memory.
    both: Keys and values come from both sentences, one after the other. Take them from the memory
        alone.
    Read: steps/cross-attention/#a-causal-mask-between-two-sentences
    causal: There is a causal mask between the two sentences. The memory is complete, so every
        query may attend to all of it.
    Read: steps/why-divide-by-the-square-root/#the-formula
    length: The scores are divided by the root of the memory's length. Divide by the root of
        head_dim, the last axis of the query.
    Read: steps/queries-keys-and-values/#the-key-is-the-value-as-well
    memory mixed: Your context is a mixture of the memory itself: W_value is not used.
""")

EXERCISE = Exercise(
    part=3,
    task=(
        "Cross-attention: queries from the inputs, keys and values from the memory, the other "
        "sentence. Matrices as nn.Linear stores them; the context has a row for each input."
    ),
    page="steps/cross-attention/",
    attempt=attempt,
    cases=(
        Case("three words and a memory of six", (FRENCH, INPUTS, *NARROW)),
        Case("six words and a memory of three", (INPUTS, FRENCH, *NARROW), WORDS),
        Case("as many words as the memory", (INPUTS, INPUTS.flip(0), *NARROW), WORDS),
    ),
    mistakes=those_of(SUITE, "no scale, no root, multiplied, over queries")
    + those_of(ATTENTION.mistakes, "too late, no softmax")
    + those_of(PROJECT.mistakes, "not transposed")
    + OWN,
    hints=(
        "The sentence that asks has the queries. Keys and values come from the other one.",
        "The scores are (words of the inputs, words of the memory).",
    ),
    solution=my_cross,
)
