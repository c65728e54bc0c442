"""A sum that grows term by term, in a unit that may change: the sum of an online softmax.

Each row of a matrix is a term that comes. Of its columns, `maximum` says in which unit the sum is
from now on, `factor` by how much everything in it shrinks for that, and `total` how much it is
then. A term is a block, and below each row stands what becomes of its blocks in the next one.
"""

from itertools import accumulate, pairwise

from site_build.figures.marks import BESIDE, Grid, label, together
from site_build.figures.svg import (
    LETTER,
    SMALL,
    Drawing,
    Stage,
    path,
    rectangle,
    text,
    text_width,
    through,
)
from site_build.markdown.tensors import Tensor, index_of, rounded, value

HIGH, ROW = 20.0, 38.0
TOP = 24.0
LONG = 180.0  # the largest sum
GAP = 10.0
COLUMNS = ("maximum", "factor", "total")
HEADS = ("maximum", "sum")


def running(tensors: list[Tensor], options: dict[str, str]) -> list[Drawing]:
    """Draw the blocks of the sum after each term; there are no options."""
    (tensor,) = tensors
    names = tensor.row_names()
    columns = (index_of(name, tensor.column_names()) for name in COLUMNS)
    maximum, factor, total = ([row[column] for row in tensor.matrix()] for column in columns)
    sums = terms_of_sums(list(map(value, factor)), list(map(value, total)))
    labels = rounded([*maximum, *total])
    unit = LONG / max(map(sum, sums))
    grid = Grid.of(names, LONG, ROW, TOP, LETTER)
    first = grid.left + LONG + GAP
    second = first + text_width(HEADS[0], SMALL) + GAP
    stages = []
    edges: list[float] = []
    for row, (name, blocks) in enumerate(zip(names, sums, strict=True)):
        y = grid.y(row)
        before, edges = edges, [grid.left + unit * end for end in accumulate(blocks, initial=0)]
        sides = list(pairwise(edges))
        *kept, new = (rectangle(start, y, end - start, HIGH) for start, end in sides)
        parts = together("shade", shrunk(before, edges, y - ROW + HIGH, y)) + together("tile", kept)
        parts += [
            label((start + end) / 2, y + HIGH / 2, word)
            for word, (start, end) in zip(names, sides[:-1], strict=False)
            if text_width(word, SMALL) < end - start - 4
        ]
        parts += [
            path("full", new),
            label(grid.left - BESIDE, y + HIGH / 2, name, "end"),
            label(first, y + HIGH / 2, labels[maximum[row]], "number start"),
            label(second, y + HIGH / 2, labels[total[row]], "number start"),
        ]
        stages.append(Stage(name, parts))
    back = [
        text(x, 13, words, "number start faint")
        for x, words in zip((first, second), HEADS, strict=True)
    ]
    wide = second + text_width("0.00", SMALL) + 3
    return [Drawing(wide, grid.bottom - ROW + HIGH + 2, [], stages=stages, back=back)]


def terms_of_sums(factors: list[float], totals: list[float]) -> list[list[float]]:
    """Return the terms of each sum: all earlier ones times its factor, and what is new in it."""
    sums: list[list[float]] = []
    for factor, total in zip(factors, totals, strict=True):
        kept = [block * factor for block in sums[-1]] if sums else []
        new = total - sum(kept)
        if new < 0:
            raise ValueError(f"the sum {total} is less than what it is made from")
        sums.append([*kept, new])
    return sums


def shrunk(before: list[float], after: list[float], top: float, low: float) -> list[str]:
    """Return areas that lead from the blocks of a row to the same ones in the next."""
    return [
        f"{through((left, top), (right, top), (end, low), (start, low))}z"
        for (left, right), (start, end) in zip(pairwise(before), pairwise(after), strict=False)
    ]
