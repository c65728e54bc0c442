"""Exercise: attention with rotation."""

import torch
from torch import Tensor

from attention_practice._exercise import SUITE, Case, Exercise, MistakeNames, known, those_of
from attention_practice._inputs import COLUMNS, INPUTS, SENTENCE, WORDS, numbers
from attention_practice.exercises.attention import EXERCISE as ATTENTION
from attention_practice.exercises.attention import attempt as attention
from attention_practice.exercises.rotary import EXERCISE as ROTARY
from attention_practice.exercises.rotary import attempt as rotary
from attention_steps.core import scaled_dot_product_attention
from attention_steps.positions import rotary_embedding


def attempt(
    mistakes: MistakeNames, query: Tensor, key: Tensor, value: Tensor, positions: Tensor
) -> Tensor:
    not_turned = "not turned" in mistakes
    query = query if "keys only" in mistakes or not_turned else rotary(mistakes, query, positions)
    key = key if "queries only" in mistakes or not_turned else rotary(mistakes, key, positions)
    value = rotary(mistakes, value, positions) if "values turned" in mistakes else value
    context = attention(mistakes, query, key, value)
    return rotary(mistakes, context, positions) if "context turned" in mistakes else context


def my_rotary_attention(query, key, value, positions):
    query = rotary_embedding(query, positions, interleaved=True)
    key = rotary_embedding(key, positions, interleaved=True)
    return scaled_dot_product_attention(query, key, value)


OWN = known("""
    Read: steps/position-by-rotation/#the-values-are-turned-as-well
    values turned: The values are turned as well, so the context depends on where the text
        begins. Turn queries and keys alone.
    context turned: The context is turned as well, so it depends on where the text begins. Turn
        queries and keys alone.
    Read: steps/position-by-rotation/#turn-a-query-turn-a-key
    keys only: Only the keys are turned, so a score depends on the place and not on the
        distance. Turn the queries too.
    queries only: Only the queries are turned, so a score depends on the place and not on the
        distance. Turn the keys too.
    not turned: Neither queries nor keys are turned, or what was turned is not used.
""")

EXERCISE = Exercise(
    part=3,
    task=(
        "Attention in which queries and keys are turned by their positions first, values are not. "
        "rotary_embedding(x, positions, interleaved=True) turns. Query, key, value and result are "
        "(..., n, E), positions (n,)."
    ),
    page="steps/position-by-rotation/",
    attempt=attempt,
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
    mistakes=those_of(SUITE, "no scale, no root, multiplied, over queries")
    + those_of(ATTENTION.mistakes, "no softmax")
    + those_of(ROTARY.mistakes, "halves")
    + OWN,
    hints=(
        "Turn first, then attend as before.",
        "Two calls of rotary_embedding, with the same positions.",
    ),
    solution=my_rotary_attention,
)
