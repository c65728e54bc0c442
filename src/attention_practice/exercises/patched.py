"""Exercise: patch one place."""

from collections.abc import Sequence

import torch
from torch import Tensor

from attention_practice._exercise import Case, Exercise, MistakeNames, known
from attention_practice._inputs import BLOCKS, COLUMNS, INPUTS, WORDS, Part, numbers, vectors

RICH = vectors("the duck likes the rich bank")


def attempt(
    mistakes: MistakeNames, x: Tensor, other: Tensor, blocks: Sequence[Part], layer: int, place: int
) -> Tensor:
    start, here = other, torch.arange(len(x))[:, None] == place
    if "first blocks skipped" in mistakes:
        x, blocks, layer = torch.where(here, other, x), blocks[layer:], -1
    for number, block in enumerate(blocks):
        is_here = number == layer or "every block" in mistakes
        is_here = is_here and "at the end" not in mistakes
        if is_here and "after" not in mistakes:
            put = start if "not run" in mistakes else other
            x = torch.where(here, put + x if "added" in mistakes else put, x)
            if "no further" in mistakes:
                return x
        x, other = block(x), block(other)
        if is_here and "after" in mistakes:
            x = torch.where(here, start if "not run" in mistakes else other, x)
    return torch.where(here, start, x) if "at the end" in mistakes else x


def my_patched(x, other, blocks, layer, place):
    for number, block in enumerate(blocks):
        if number == layer:
            x = x.clone()
            x[place] = other[place]
        x, other = block(x), block(other)
    return x


EXERCISE = Exercise(
    part=5,
    task=(
        "Run x (L, E) through all blocks. Just before block number `layer`, replace the vector of "
        "one place by that of another text. `other` (L, E) are the first vectors of that text: run "
        "them through the same blocks up to there. Return the result for x."
    ),
    page="steps/look-inside/",
    attempt=attempt,
    cases=(
        Case("“muddy” from “rich”, before block 0", (INPUTS, RICH, BLOCKS, 0, 4), WORDS, COLUMNS),
        Case("“bank”, before block 1", (INPUTS, RICH, BLOCKS, 1, 5), WORDS, COLUMNS),
        Case(
            "place 1 of four, before block 1 of three",
            (numbers(4, 4), numbers(4, 4, start=1), (BLOCKS[1], *BLOCKS), 1, 1),
        ),
    ),
    mistakes=known("""
        Read: steps/look-inside/#put-one-word-of-another-text-in-its-place
        after: The vector is put in after the block, and so one block too late.
        not run: The vector is that of the other text before any block. Run the other text through
            the same blocks.
        every block: The vector is put in before several blocks. Once is enough.
        no further: The blocks from `layer` on do not run. Return what comes after the last block.
        added: The vector is added to the one that was there. It should take its place.
        first blocks skipped: The blocks before `layer` do not run. All blocks do; the vector
            changes on the way.
        at the end: The vector is put in after the last block, where it changes no other word.
    """),
    hints=(
        "Run both texts, block by block: x, other = block(x), block(other).",
        "In place of `x[place] = ...`, which would change the caller's tensor, write into "
        "`x.clone()`.",
    ),
    solution=my_patched,
)
