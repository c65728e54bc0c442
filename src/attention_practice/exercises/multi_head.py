"""Exercise: the whole layer."""

import math

from torch import Tensor

from attention_practice._exercise import SUITE, Case, Exercise, MistakeNames, known, those_of
from attention_practice._inputs import BATCH, INPUTS, MATRICES, SENTENCE, TWO_SENTENCES, WORDS
from attention_practice.exercises.attention import EXERCISE as ATTENTION
from attention_practice.exercises.attention import attempt as attention
from attention_practice.exercises.merge_heads import attempt as merge_heads
from attention_practice.exercises.project import EXERCISE as PROJECT
from attention_practice.exercises.project import attempt as project
from attention_practice.exercises.split_heads import attempt as split_heads
from attention_steps.core import scaled_dot_product_attention


def attempt(
    mistakes: MistakeNames,
    inputs: Tensor,
    W_query: Tensor,
    W_key: Tensor,
    W_value: Tensor,
    W_out: Tensor,
    num_heads: int,
) -> Tensor:
    num_heads = 1 if "one head" in mistakes else num_heads
    projected = project(mistakes, inputs, W_query, W_key, W_value)
    cut = mistakes & {"words cut", "in turn"}
    query, key, value = (split_heads(cut, x, num_heads) for x in projected)
    if "between heads" in mistakes:
        query, key, value = (x.transpose(-3, -2) for x in (query, key, value))
    if "root of width" in mistakes:
        query = query * math.sqrt(query.shape[-1] / inputs.shape[-1])
    if mistakes & {"over heads", "weights averaged"}:
        scores = query @ key.mT / (1.0 if "no scale" in mistakes else math.sqrt(query.shape[-1]))
        weights = scores.softmax(-3 if "over heads" in mistakes else -1)
        weights = weights.mean(-3, keepdim=True) if "weights averaged" in mistakes else weights
        context = weights @ value
    else:
        context = attention(mistakes, query, key, value)
    context = context.transpose(-3, -2) if "between heads" in mistakes else context
    merged = merge_heads(mistakes & {"no transpose"}, context)
    if "no W_out" in mistakes:
        return merged
    return merged @ (W_out if "W_out as stored" in mistakes else W_out.mT)


def my_multi_head(inputs, W_query, W_key, W_value, W_out, num_heads):
    query, key, value = (
        (inputs @ W.mT).unflatten(-1, (num_heads, -1)).transpose(-3, -2)
        for W in (W_query, W_key, W_value)
    )
    context = scaled_dot_product_attention(query, key, value)
    return context.transpose(-3, -2).flatten(-2) @ W_out.mT


OWN = known("""
    Read: guides/what-goes-wrong/#heads-are-scrambled
    words cut: On the way in, the words are cut into heads and not the components.
    no transpose: On the way back the axes are joined before they are exchanged, so words and
        heads are mixed up.
    between heads: The heads of a word attend to each other, and no word to another: the axis of
        the heads stays behind that of the words. Exchange the two, `.transpose(-3, -2)`.
    in turn: The heads get the components in turn, as cards are dealt. Head 0 gets the first
        head_dim components.
    Read: steps/multi-head-attention/#mix-what-they-found
    no W_out: W_out is missing, so the results of the heads are side by side and not mixed.
    one head: There is a single head, as wide as the model: `num_heads` is not used.
    Read: steps/self-attention-as-a-layer/#for-engineers
    not transposed: The matrices of queries, keys and values are used as they are stored,
        (d_out, d_in). They are square, so nothing fails. The product needs (d_in, d_out):
        transpose each.
    W_out as stored: W_out is used as it is stored, (d_out, d_in). The product needs
        (d_in, d_out): transpose it.
    Read: steps/weights/#softmax-along-the-wrong-axis
    over heads: The softmax runs over the heads. The keys are the last axis, dim=-1.
    Read: steps/multi-head-attention/#the-average-of-the-heads
    weights averaged: All heads use the average of their weights, so no head has weights of its
        own.
    Read: steps/queries-keys-and-values/#the-key-is-the-value-as-well
    inputs mixed: The heads mix the inputs: W_value is not used.
""")

EXERCISE = Exercise(
    part=3,
    task=(
        "Project, split, attend in each head, merge, mix with W_out. All four matrices are stored "
        "as in nn.Linear: (..., n, d), four times (d, d) -> (..., n, d)."
    ),
    page="steps/multi-head-attention/",
    attempt=attempt,
    cases=(
        Case(SENTENCE, (INPUTS, *MATRICES, 2), WORDS),
        Case(BATCH, (TWO_SENTENCES, *MATRICES, 2)),
        Case("four heads", (INPUTS, *MATRICES, 4), WORDS),
    ),
    mistakes=those_of(SUITE, "no scale, no root, root of width, multiplied, over queries")
    + those_of(ATTENTION.mistakes, "too late, no softmax, length, causal")
    + those_of(PROJECT.mistakes, "one for all, key is value, order")
    + OWN,
    hints=(
        "All its parts are written: project, split_heads, attention, merge_heads.",
        "With two heads of two shapes go (6, 4), (2, 6, 2), (2, 6, 6), (2, 6, 2), (6, 4).",
    ),
    solution=my_multi_head,
)
