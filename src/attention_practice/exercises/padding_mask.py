"""Exercise: the padding mask."""

import torch
from torch import Tensor

from attention_practice._exercise import SUITE, Case, Exercise, MistakeNames, known, those_of
from attention_practice._inputs import WORDS
from attention_practice.exercises.causal_mask import EXERCISE as CAUSAL_MASK


def attempt(mistakes: MistakeNames, lengths: Tensor, n: int) -> Tensor:
    column = torch.arange(n)
    lengths = lengths[:, None, None, None] + ("one more" in mistakes)
    mask = column >= n - lengths if "left" in mistakes else column < lengths
    mask = mask.mT if "rows hidden" in mistakes else mask
    mask = ~mask if "True hides" in mistakes else mask
    mask = mask.float() if "float" in mistakes else mask
    return mask[:, 0, 0] if "axes missing" in mistakes else mask


def my_padding_mask(lengths, n):
    return torch.arange(n) < lengths[:, None, None, None]


EXERCISE = Exercise(
    part=3,
    task=(
        "A boolean mask (batch, 1, 1, n): True at the words of each sentence, False at the padding "
        "after them. lengths is (batch,)."
    ),
    page="steps/padding-masks/",
    attempt=attempt,
    differentiable=False,
    cases=(
        Case("sentences of six and two words", (torch.tensor([6, 2]), 6), (), WORDS),
        Case("lengths 1, 4 and 3 of 4", (torch.tensor([1, 4, 3]), 4)),
        Case("padding after every sentence", (torch.tensor([2, 3]), 5)),
    ),
    mistakes=those_of(SUITE, "True hides, rows hidden")
    + those_of(CAUSAL_MASK.mistakes, "float")
    + known("""
        Read: steps/padding-masks/#the-formula
        one more: One pad of each sentence stays visible: j < length, and not j <= length.
        Read: steps/padding-masks/#not-printed-or-blank
        left: The beginnings are hidden. Here the padding comes after the words.
        Read: guides/mask-conventions/#which-shapes-it-takes
        axes missing: Your mask is (batch, n). With two axes of size 1 between, (batch, 1, 1, n), it
            fits scores of (batch, num_heads, n, n).
    """),
    hints=(
        "Key j is a word if j < length.",
        "Lengths as (batch, 1, 1, 1), compared with `torch.arange(n)`, give (batch, 1, 1, n).",
    ),
    solution=my_padding_mask,
)
