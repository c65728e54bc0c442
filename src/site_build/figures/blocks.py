"""Blocks of a table of pairs, of which a rule allows all, some or none.

The blocks of the first output stand there at first; those of which the second allows no pair drop
out. A block of which all pairs are allowed, 2, is a square; one of which some are, 1, a triangle.
Rows that begin in the same column belong together, and have one hue.
"""

from site_build.figures.svg import SMALL, Drawing, Stage, path, points, rectangle, text, text_width
from site_build.markdown.tensors import Tensor, value

SIDE = 27.0
GAP = 8.0
SORTS = {2: "all pairs", 1: "some pairs", 0: "dropped"}


def blocks(tensors: list[Tensor], options: dict[str, str]) -> list[Drawing]:
    """Draw the blocks of two rules; there are no options."""
    if len(tensors) != 2 or tensors[0].shape != tensors[1].shape:
        raise ValueError("two outputs of one shape are needed: of a rule, and of a stricter one")
    before, after = (kinds(tensor) for tensor in tensors)
    names = tensors[0].row_names()
    if any(
        old < new
        for one, two in zip(before, after, strict=True)
        for old, new in zip(one, two, strict=True)
    ):
        raise ValueError("a stricter rule allows no block that the first does not")
    left = max(text_width(name, SMALL) for name in names) + GAP
    first = sorted({begin(row) for row in after})
    low = SIDE * len(names) + 34  # of what the shapes mean
    stages = []
    for tensor, table in zip(tensors, (before, after), strict=True):
        drawn = []
        for row, line in enumerate(table):
            hue = first.index(begin(after[row]))
            ways = [shape(kind, left + SIDE * n, SIDE * row) for n, kind in enumerate(line) if kind]
            drawn.append(f'<g class="who-{hue}">{path("full", "".join(ways))}</g>')
        count = sum(kind > 0 for line in table for kind in line)
        total = text(
            left, low - 14, f"{tensor.name}: {count} of {tensor.digits.size} blocks", "start"
        )
        stages.append(Stage(tensor.name, [], [*drawn, total]))
    back = [
        text(left - GAP, SIDE * (number + 0.5) + 4.5, name, "number end")
        for number, name in enumerate(names)
    ]
    gaps = [
        rectangle(left + SIDE * column + 1, SIDE * row + 1, SIDE - 2, SIDE - 2)
        for row, line in enumerate(before)
        for column, kind in enumerate(line)
        if kind
    ]
    back.append(path("gap", "".join(gaps)))
    across = 0.0
    for kind, words in SORTS.items():
        back.append(path("full" if kind else "gap", shape(kind or 2, across, low)))
        back.append(text(across + SIDE + 4, low + SIDE / 2 + 4.5, words, "number start"))
        across += SIDE + text_width(words, SMALL) + 12
    wide = max(across - 2, left + SIDE * len(before[0]))
    return [Drawing(wide, low + SIDE + 1, [], stages=stages, back=back)]


def kinds(tensor: Tensor) -> list[list[int]]:
    """Return which sort each block is of."""
    table = [[int(value(digits)) for digits in row] for row in tensor.matrix()]
    if not {kind for row in table for kind in row} <= {*SORTS}:
        raise ValueError("all pairs of a block are allowed, 2, or some, 1, or none, 0")
    return table


def begin(row: list[int]) -> int:
    """Return the first column of which pairs are allowed."""
    return next((column for column, kind in enumerate(row) if kind), len(row))


def shape(kind: int, left: float, top: float) -> str:
    """Return the outline of a block: a square, or the triangle below its diagonal."""
    if kind == 2:
        return rectangle(left + 1, top + 1, SIDE - 2, SIDE - 2)
    low = top + SIDE - 1
    return f"M{points([(left + 1, top + 1), (left + 1, low), (left + SIDE - 1, low)])}z"
