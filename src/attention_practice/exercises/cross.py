"""Exercise: cross-attention."""

import math

import torch
from torch import Tensor

from attention_practice._exercise import Case, Exercise, MistakeNames, known
from attention_practice._inputs import INPUTS, NARROW, WORDS, vectors
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
    query = inputs @ W_query.mT
    key = (inputs if "keys of inputs" in mistakes else memory) @ W_key.mT
    value = (inputs if "values of inputs" in mistakes else memory) @ W_value.mT
    size = memory.shape[-2] if "length" in mistakes else query.shape[-1]
    scores = query @ key.mT / math.sqrt(size)
    if "causal" in mistakes:
        allowed = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
        scores = scores.masked_fill(~allowed, -math.inf)
    return scores.softmax(-1) @ value


def my_cross(inputs, memory, W_query, W_key, W_value):
    query, key, value = inputs @ W_query.mT, memory @ W_key.mT, memory @ W_value.mT
    return scaled_dot_product_attention(query, key, value)


EXERCISE = Exercise(
    name="cross",
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
    mistakes=known("""
        roles: The queries come from the memory, and keys and values from the inputs. Exchange the
            two.
            Read: steps/cross-attention/#each-word-asks
        values of inputs: The values come from the inputs. Take them from the memory.
            Read: steps/cross-attention/#the-formula
        keys of inputs: The keys come from the inputs. Take them from the memory.
            Read: steps/cross-attention/#the-formula
        causal: There is a causal mask between the two sentences. The memory is complete, so every
            query may attend to all of it.
            Read: steps/cross-attention/#a-causal-mask-between-two-sentences
        length: The scores are divided by the root of the memory's length. Divide by the root of
            head_dim, the last axis of the query.
            Read: steps/why-divide-by-the-square-root/#the-formula
    """),
    hints=(
        "The sentence that asks has the queries. Keys and values come from the other one.",
        "The scores are (words of the inputs, words of the memory).",
    ),
    solution=my_cross,
)
