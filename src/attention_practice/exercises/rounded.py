"""Exercise: keys in few bits."""

import torch

from attention_practice._exercise import Case, Exercise, planted
from attention_practice._inputs import numbers

LOUD = torch.tensor([1.0, 40.0, 1.0])  # one channel is much larger


def my_rounded(keys, bits):
    scale = keys.abs().amax(dim=-2, keepdim=True) / (2 ** (bits - 1) - 1)
    return (keys / scale).round() * scale


EXERCISE = Exercise(
    title="Keys in few bits",
    task=(
        "Keys as they are read back from a cache in few bits, with a scale for each channel, which "
        "is a column: (..., n, E) -> (..., n, E). A scale makes the largest number of its channel "
        "2^(bits - 1) - 1. Divide by it, round to the nearest whole number, and multiply again."
    ),
    page="steps/fewer-bits/",
    differentiable=False,
    cases=(
        Case("five words of three channels, 4 bits", (numbers(5, 3) * LOUD, 4)),
        Case("8 bits", (numbers(4, 4, start=1), 8)),
        Case("two heads, 3 bits", (numbers(2, 4, 3, start=2) * LOUD, 3)),
    ),
    mistakes=planted("""
        Read: steps/fewer-bits/#a-scale-for-each-word-for-keys
        by word `dim=-2` -> `dim=-1`: Each word has a scale, so a loud channel leaves nothing of the
            others. Keys get a scale for each channel, dim=-2.
        Read: steps/fewer-bits/#rows-or-columns
        axis 0 `dim=-2` -> `dim=0`: One head is right, and several are not: the largest number is
            taken over axis 0, that of the heads. The words are dim=-2.
        one scale `.amax(dim=-2, keepdim=True)` -> `.max()`: There is one scale for all numbers.
            Each channel has its own.
        Read: steps/fewer-bits/#the-formula
        mean `.amax` -> `.mean`: The scale comes from the mean size, so the largest numbers do not
            fit into the bits. Take the largest.
        no size `.abs()` -> ``: The scale comes from the largest number, and one far below 0 may be
            larger in size: `.abs()` first.
        all bits `(bits - 1)` -> `bits`: The steps are too fine: one bit is the sign, so the largest
            is 2^(bits - 1) - 1.
        one more `) - 1)` -> `))`: The largest number becomes 2^(bits - 1), which has no place: it
            is one less.
        Read: steps/fewer-bits/#round-and-read-back
        cut off `.round` -> `.trunc`: What comes after the point is cut off. Round to the nearest
            whole number.
        down `.round` -> `.floor`: Every number is rounded down. Round to the nearest whole number.
        not rounded `.round()` -> ``: Nothing is rounded: your keys are as they were.
        not read back ` * scale` -> ``: Your numbers are whole: they are what the cache stores.
            Multiply by the scale to read them back.
        upside down `* scale` -> `/ scale`, `keys / scale` -> `keys * scale`: The keys are
            multiplied by the scale first, and divided after. The other way round.
        twice `* scale` -> `/ scale`: The whole numbers are divided by the scale again. Multiply.
    """),
    hints=(
        "The scale of a channel is its largest size divided by 2 ** (bits - 1) - 1.",
        "`keys.abs().amax(dim=-2, keepdim=True)` is the largest size of each channel.",
    ),
    solution=my_rounded,
    lines="""
        largest = keys.abs().amax(dim=-2, keepdim=True)
        largest = keys.abs().amax(dim=-1, keepdim=True)
        largest = keys.amax(dim=-2, keepdim=True)
        largest = keys.abs().max()

        scale = largest / (2 ** (bits - 1) - 1)
        scale = largest / (2**bits - 1)

        whole = (keys / scale).round()
        whole = (keys / scale).trunc()
        whole = keys / scale

        return whole * scale
        return whole
    """,
)
