"""Exercise: padding and later words."""

import torch
from torch import Tensor

from attention_practice._exercise import Case, Exercise, MistakeNames, known
from attention_practice._inputs import WORDS
from attention_practice.exercises.padding_mask import attempt as padding_mask


def attempt(mistakes: MistakeNames, lengths: Tensor, n: int) -> Tensor:
    padding = padding_mask(mistakes - {"inverted", "float"}, lengths, n)
    causal = torch.ones(n, n, dtype=torch.bool)
    if "no causal" not in mistakes:
        causal = causal.triu() if "upper" in mistakes else causal.tril(-("strict" in mistakes))
    padding = torch.ones_like(padding) if "causal alone" in mistakes else padding
    mask = padding | causal if "or" in mistakes else padding & causal
    mask = ~mask if "inverted" in mistakes else mask
    return mask.float() if "float" in mistakes else mask


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
        Read: steps/padding-masks/#the-rows-are-masked-not-the-columns
        rows: Pads do not ask: their rows are empty, and the softmax of such a row is 0 / 0. A pad
            may ask, since nobody reads its answer. Lengths belong to the keys, the last axis.
        Read: steps/padding-masks/#the-formula
        or: A key is allowed if either mask allows it. Both must: `&`.
        one more: One pad of each sentence stays visible: j < length, and not j <= length.
        causal alone: Later words are hidden, and the padding is not: `lengths` is not used.
        Read: steps/padding-masks/#not-printed-or-blank
        left: The beginnings are hidden. Here the padding comes after the words.
        Read: guides/mask-conventions/#what-true-means-in-attn_mask
        inverted: True and False have changed places. True means that a query may attend to the key.
        float: Your mask holds ones and zeros as floats, and a float mask is added to the scores.
            Compare, or ask for dtype=torch.bool.
        Read: steps/causal-masks/#the-formula
        no causal: The padding is hidden, and the words that come later are not.
        upper: Each word attends to itself and to later words. Keep the lower triangle, j <= i.
        Read: guides/what-goes-wrong/#nan-in-the-output
        strict: No word attends to itself, so the first word has no key at all, and its softmax is 0
            / 0.
    """),
    hints=(
        "Two masks, and both must allow: `&`.",
        "The mask of the lengths is (batch, 1, 1, n), the causal one (n, n).",
    ),
    solution=my_padded_causal,
)
