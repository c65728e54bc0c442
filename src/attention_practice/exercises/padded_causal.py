"""Exercise: padding and later words."""

import torch
from torch import Tensor

from attention_practice._exercise import SUITE, Case, Exercise, MistakeNames, known, those_of
from attention_practice._inputs import WORDS
from attention_practice.exercises.padding_mask import EXERCISE as PADDING_MASK
from attention_practice.exercises.padding_mask import attempt as padding_mask


def attempt(mistakes: MistakeNames, lengths: Tensor, n: int) -> Tensor:
    padding = padding_mask(mistakes - {"True hides", "float"}, lengths, n)
    causal = torch.ones(n, n, dtype=torch.bool)
    if "no causal" not in mistakes:
        causal = (
            causal.triu()
            if "other triangle" in mistakes
            else causal.tril(-("own key hidden" in mistakes))
        )
    padding = torch.ones_like(padding) if "causal alone" in mistakes else padding
    mask = padding | causal if "or" in mistakes else padding & causal
    mask = ~mask if "True hides" in mistakes else mask
    return mask.float() if "float" in mistakes else mask


def my_padded_causal(lengths, n):
    place = torch.arange(n)
    return (place < lengths[:, None, None, None]) & (place <= place[:, None])


EXERCISE = Exercise(
    part=3,
    task=(
        "A boolean mask (batch, 1, n, n): a word attends to itself and to words before it, and no "
        "query attends to padding."
    ),
    page="steps/padding-masks/",
    attempt=attempt,
    differentiable=False,
    cases=(
        Case("sentences of six and two words", (torch.tensor([6, 2]), 6), WORDS, WORDS),
        Case("lengths 1, 4 and 3 of 4", (torch.tensor([1, 4, 3]), 4)),
        Case("padding after every sentence", (torch.tensor([2, 3]), 5)),
    ),
    mistakes=those_of(SUITE, "True hides, rows hidden, other triangle, own key hidden")
    + those_of(PADDING_MASK.mistakes, "one more, left, float")
    + known("""
        Read: steps/padding-masks/#the-formula
        or: A key is allowed if either mask allows it. Both must: `&`.
        causal alone: Later words are hidden, and the padding is not: `lengths` is not used.
        Read: steps/causal-masks/#the-formula
        no causal: The padding is hidden, and the words that come later are not.
    """),
    hints=(
        "Two masks, and both must allow: `&`.",
        "The mask of the lengths is (batch, 1, 1, n), the causal one (n, n).",
    ),
    solution=my_padded_causal,
)
