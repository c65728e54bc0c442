"""Exercise: keys in few bits."""

import torch
from torch import Tensor

from attention_practice._exercise import Case, Exercise, MistakeNames, known
from attention_practice._inputs import numbers

LOUD = torch.tensor([1.0, 40.0, 1.0])  # one channel is much larger


def attempt(mistakes: MistakeNames, keys: Tensor, bits: int) -> Tensor:
    most = 2.0 ** (bits - ("all bits" not in mistakes)) - ("one more" not in mistakes)
    size = keys if "no size" in mistakes else keys.abs()
    axis = -1 if "by word" in mistakes else 0 if "axis 0" in mistakes else -2
    largest = size.amax(axis, keepdim=True)
    largest = size.max() if "one scale" in mistakes else largest
    largest = size.mean(axis, keepdim=True) if "mean" in mistakes else largest
    scale = largest / most
    scale = 1 / scale if "upside down" in mistakes else scale
    whole = keys / scale
    if "cut off" in mistakes:
        whole = whole.trunc()
    elif "down" in mistakes:
        whole = whole.floor()
    elif "not rounded" not in mistakes:
        whole = whole.round()
    if "twice" in mistakes:
        return whole / scale
    return whole if "not read back" in mistakes else whole * scale


def my_rounded(keys, bits):
    scale = keys.abs().amax(dim=-2, keepdim=True) / (2 ** (bits - 1) - 1)
    return (keys / scale).round() * scale


EXERCISE = Exercise(
    part=6,
    task=(
        "Keys as they are read back from a cache in few bits, with a scale for each channel, which "
        "is a column: (..., n, E) -> (..., n, E). A scale makes the largest number of its channel "
        "2^(bits - 1) - 1. Divide by it, round to the nearest whole number, and multiply again."
    ),
    page="steps/fewer-bits/",
    attempt=attempt,
    differentiable=False,
    cases=(
        Case("five words of three channels, 4 bits", (numbers(5, 3) * LOUD, 4)),
        Case("8 bits", (numbers(4, 4, start=1), 8)),
        Case("two heads, 3 bits", (numbers(2, 4, 3, start=2) * LOUD, 3)),
    ),
    mistakes=known("""
        Read: steps/fewer-bits/#a-scale-for-each-word-for-keys
        by word: Each word has a scale, so a loud channel leaves nothing of the others. Keys get a
            scale for each channel, dim=-2.
        Read: steps/fewer-bits/#rows-or-columns
        axis 0: One head is right, and several are not: the largest number is taken over axis 0,
            that of the heads. The words are dim=-2.
        one scale: There is one scale for all numbers. Each channel has its own.
        Read: steps/fewer-bits/#the-formula
        mean: The scale comes from the mean size, so the largest numbers do not fit into the bits.
            Take the largest.
        no size: The scale comes from the largest number, and one far below 0 may be larger in size:
            `.abs()` first.
        all bits: The steps are too fine: one bit is the sign, so the largest is 2^(bits - 1) - 1.
        one more: The largest number becomes 2^(bits - 1), which has no place: it is one less.
        Read: steps/fewer-bits/#round-and-read-back
        cut off: What comes after the point is cut off. Round to the nearest whole number.
        down: Every number is rounded down. Round to the nearest whole number.
        not rounded: Nothing is rounded: your keys are as they were.
        not read back: Your numbers are whole: they are what the cache stores. Multiply by the scale
            to read them back.
        upside down: The keys are multiplied by the scale first, and divided after. The other way
            round.
        twice: The whole numbers are divided by the scale again. Multiply.
    """),
    hints=(
        "The scale of a channel is its largest size divided by 2 ** (bits - 1) - 1.",
        "`keys.abs().amax(dim=-2, keepdim=True)` is the largest size of each channel.",
    ),
    solution=my_rounded,
)
