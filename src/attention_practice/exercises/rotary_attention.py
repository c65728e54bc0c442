"""Exercise: attention with rotation."""

import torch

from attention_practice._exercise import Case, Exercise, planted, those_of
from attention_practice._inputs import COLUMNS, INPUTS, SENTENCE, WORDS, numbers
from attention_practice.exercises.multi_head import EXERCISE as MULTI_HEAD
from attention_steps.core import scaled_dot_product_attention
from attention_steps.positions import rotary_embedding


def my_rotary_attention(query, key, value, positions):
    query = rotary_embedding(query, positions, interleaved=True)
    key = rotary_embedding(key, positions, interleaved=True)
    return scaled_dot_product_attention(query, key, value)


EXERCISE = Exercise(
    title="Attention with rotation",
    task=(
        "Attention in which queries and keys are turned by their positions first, values are not. "
        "rotary_embedding(x, positions, interleaved=True) turns. Query, key, value and result are "
        "(..., n, E), positions (n,)."
    ),
    page="reference/positions/",
    cases=(
        Case(SENTENCE, (INPUTS, INPUTS, INPUTS, torch.arange(6)), WORDS, COLUMNS),
        Case(
            "four words from place 3 on",
            (*(numbers(4, 4, start=start) for start in range(3)), torch.arange(3, 7)),
        ),
        Case(
            "two heads at places 0, 2, 3 and 7",
            (*(numbers(2, 4, 4, start=start) for start in range(3)), torch.tensor([0, 2, 3, 7])),
        ),
    ),
    mistakes=those_of(
        MULTI_HEAD.mistakes, "no scale, no root, multiplied, over queries, no softmax"
    )
    + planted("""
        halves `query, positions, interleaved=True` -> `query, positions, interleaved=False`, `key,
            positions, interleaved=True` -> `key, positions, interleaved=False`
        Read: guides/what-goes-wrong/#the-values-are-turned-as-well
        values turned `product_attention(query, key, value` -> `product_attention(query, key,
            rotary_embedding(value, positions, interleaved=True)`: The values are turned as well, so
            the context depends on where the text begins. Turn queries and keys alone.
        context turned `scaled_dot_product_attention(query, key, value)` ->
            `rotary_embedding(scaled_dot_product_attention(query, key, value), positions,
            interleaved=True)`: The context is turned as well, so it depends on where the text
            begins. Turn queries and keys alone.
        Read: steps/position-by-rotation/#turn-a-query-turn-a-key
        keys only `rotary_embedding(query, positions, interleaved=True)` -> `query`: Only the keys
            are turned, so a score depends on the place and not on the distance. Turn the queries
            too.
        queries only `rotary_embedding(key, positions, interleaved=True)` -> `key`: Only the queries
            are turned, so a score depends on the place and not on the distance. Turn the keys too.
        not turned `rotary_embedding(query, positions, interleaved=True)` -> `query`,
            `rotary_embedding(key, positions, interleaved=True)` -> `key`: Neither queries nor keys
            are turned, or what was turned is not used.
    """),
    hints=(
        "Turn first, then attend as before.",
        "Two calls of rotary_embedding, with the same positions.",
    ),
    solution=my_rotary_attention,
)
