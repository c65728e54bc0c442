"""Exercise: patch one place."""

from attention_practice._exercise import Case, Exercise, planted
from attention_practice._inputs import BLOCKS, COLUMNS, INPUTS, WORDS, numbers
from tiny_lm.words import vectors

RICH = vectors("the duck likes the rich bank")


def my_patched(x, other, blocks, layer, place):
    for number, block in enumerate(blocks):
        if number == layer:
            x = x.clone()
            x[place] = other[place]
        x, other = block(x), block(other)
    return x


EXERCISE = Exercise(
    title="Patch one place",
    task=(
        "Run x (L, E) through all blocks. Just before block number `layer`, replace the vector of "
        "one place by that of another text. `other` (L, E) are the first vectors of that text: run "
        "them through the same blocks up to there. Return the result for x."
    ),
    page="reference/training/",
    cases=(
        Case("“muddy” from “rich”, before block 0", (INPUTS, RICH, BLOCKS, 0, 4), WORDS, COLUMNS),
        Case("“bank”, before block 1", (INPUTS, RICH, BLOCKS, 1, 5), WORDS, COLUMNS),
        Case(
            "place 1 of four, before block 1 of three",
            (numbers(4, 4), numbers(4, 4, start=1), (BLOCKS[1], *BLOCKS), 1, 1),
        ),
    ),
    mistakes=planted("""
        Read: steps/look-inside/#put-one-word-of-another-text-in-its-place
        after `if number == layer: x = x.clone() x[place] = other[place] x, other = block(x),
            block(other)` -> `x, other = torch.where((torch.arange(len(x))[:, None] == place) &
            (number == layer), block(other), block(x)), block(other)`: The vector is put in after
            the block, and so one block too late.
        not run `x, other = block(x), block(other)` -> `x = block(x)`: The vector is that of the
            other text before any block. Run the other text through the same blocks.
        every block `number == layer` -> `True`: The vector is put in before several blocks. Once is
            enough.
        no further `x, other = block(x)` -> `if number < layer: x, other = block(x)`: The blocks
            from `layer` on do not run. Return what comes after the last block.
        added `] = other` -> `] += other`: The vector is added to the one that was there. It should
            take its place.
        first blocks skipped `(blocks)` -> `(blocks[layer:], layer)`: The blocks before `layer` do
            not run. All blocks do; the vector changes on the way.
        at the end `if number == layer: x = x.clone() x[place] = other[place] x, other = block(x),
            block(other)` -> `x = block(x)`, `return x` -> `return
            torch.where(torch.arange(len(x))[:, None] == place, other, x)`: The vector is put in
            after the last block, where it changes no other word.
    """),
    hints=(
        "Run both texts, block by block: x, other = block(x), block(other).",
        "In place of `x[place] = ...`, which would change the caller's tensor, write into "
        "`x.clone()`.",
    ),
    solution=my_patched,
    lines="""
        for number, block in enumerate(blocks):

            if number == layer:
            if number == 0:

                x = x.clone()

                x[place] = other[place]
                x[:] = other

            x, other = block(x), block(other)
            x = block(x)

        return x
        return other
    """,
)
