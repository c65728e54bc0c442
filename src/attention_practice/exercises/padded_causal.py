"""Exercise: padding and later words."""

import torch
from torch import Tensor

from attention_practice._exercise import Case, Exercise, MistakeNames, known
from attention_practice._inputs import WORDS
from attention_practice.exercises.padding_mask import attempt as padding_mask


def attempt(mistakes: MistakeNames, lengths: Tensor, n: int) -> Tensor:
    padding = padding_mask(mistakes - {"inverted"}, lengths, n)
    causal = torch.ones(n, n, dtype=torch.bool)
    causal = causal if "no causal" in mistakes else causal.tril()
    mask = padding | causal if "or" in mistakes else padding & causal
    mask = ~mask if "inverted" in mistakes else mask
    return mask[:, 0] if "no head axis" in mistakes else mask


def my_padded_causal(lengths, n):
    place = torch.arange(n)
    return (place < lengths[:, None, None, None]) & (place <= place[:, None])


EXERCISE = Exercise(
    name="padded_causal",
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
    mistakes=known("""
        rows: The lengths run along the queries, so pads do not ask, but words still attend to pads.
            Lengths belong to the keys, the last axis.
            Read: steps/padding-masks/#the-rows-are-masked-not-the-columns
        or: A key is allowed if either mask allows it. Both must: `&`.
            Read: steps/padding-masks/#the-formula
        one more: One pad of each sentence stays visible: j < length, and not j <= length.
            Read: steps/padding-masks/#the-formula
        left: The beginnings are hidden. Here the padding comes after the words.
            Read: steps/padding-masks/#not-printed-or-blank
        no head axis: The axis of the heads is missing: (batch, 1, n, n) fits scores of (batch,
            num_heads, n, n).
            Read: guides/mask-conventions/#which-shapes-it-takes
        inverted: True and False have changed places. True means that a query may attend to the key.
            Read: guides/mask-conventions/#what-true-means-in-attn_mask
        no causal: The padding is hidden, and the words that come later are not.
            Read: steps/causal-masks/#the-formula
    """),
    hints=(
        "Two masks, and both must allow: `&`.",
        "The mask of the lengths is (batch, 1, 1, n), the causal one (n, n).",
    ),
    solution=my_padded_causal,
)
