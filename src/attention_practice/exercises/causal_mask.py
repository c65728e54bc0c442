"""Exercise: the causal mask."""

import math

import torch
from torch import Tensor

from attention_practice._exercise import SUITE, Case, Exercise, MistakeNames, known, those_of
from attention_practice._inputs import SENTENCE, WORDS


def attempt(mistakes: MistakeNames, n: int) -> Tensor:
    ahead = ("one ahead" in mistakes) - ("own key hidden" in mistakes)
    mask = torch.arange(n) <= torch.arange(n)[:, None] + ahead
    mask = torch.ones_like(mask) if "all" in mistakes else mask
    mask = torch.eye(n, dtype=torch.bool) if "itself" in mistakes else mask
    mask = mask.mT if "other triangle" in mistakes else mask
    mask = ~mask if "True hides" in mistakes else mask
    if "additive" in mistakes:
        return torch.zeros(n, n).masked_fill(~mask, -math.inf)
    return mask.float() if "float" in mistakes else mask


def my_causal_mask(n):
    place = torch.arange(n)
    return place <= place[:, None]


EXERCISE = Exercise(
    part=3,
    task="A boolean mask (n, n): True where the key is the query's own word or an earlier one.",
    page="steps/causal-masks/",
    attempt=attempt,
    differentiable=False,
    cases=(Case(SENTENCE, (6,), WORDS, WORDS), Case("one word", (1,)), Case("three words", (3,))),
    mistakes=those_of(SUITE, "True hides, other triangle, own key hidden, one ahead")
    + known("""
        Read: guides/mask-conventions/#what-true-means-in-attn_mask
        float: Your mask holds ones and zeros as floats, and a float mask is added to the scores.
            Compare, or ask for dtype=torch.bool.
        Read: steps/causal-masks/#the-formula
        all: Every word attends to every word: nothing is hidden.
        itself: Each word attends to itself alone. Earlier words are allowed as well.
        Read: guides/mask-conventions/#translate-a-mask
        additive: Your mask is a float mask of 0 and -inf, to be added to the scores. Such a mask
            works, too, but a boolean mask is asked for.
    """),
    hints=(
        "Query i may attend to key j if j <= i.",
        "Compare `torch.arange(n)` as a row with the same as a column, `[:, None]`.",
        "Or keep the lower triangle of a table of True with `.tril()`.",
    ),
    solution=my_causal_mask,
)
