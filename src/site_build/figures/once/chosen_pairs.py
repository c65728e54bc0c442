"""Blocks of a table of pairs, of which a rule allows all, some or none.

The blocks of the first output stand there at first; those of which the second allows no pair drop
out. A block of which all pairs are allowed, 2, is a square; one of which some are, 1, a triangle.
Rows that begin in the same column belong together, and have one hue.
"""

from itertools import chain

from site_build.figures.marks import Grid, group, label, together, who
from site_build.figures.svg import SMALL, Drawing, Stage, path, text, text_width, through
from site_build.markdown.tensors import Tensor

SIDE = 27.0
SORTS = {2: "all pairs", 1: "some pairs", 0: "dropped"}


def blocks(tensors: list[Tensor], options: dict[str, str]) -> list[Drawing]:
    """Draw the blocks of two rules; there are no options."""
    if len(tensors) != 2 or tensors[0].shape != tensors[1].shape:
        raise ValueError("two outputs of one shape are needed: of a rule, and of a stricter one")
    before, after = tables = [tensor.counts(below=3) for tensor in tensors]
    if any(old < new for old, new in zip(chain(*before), chain(*after), strict=True)):
        raise ValueError("a stricter rule allows no block that the first does not")
    grid = Grid.of(tensors[0].row_names(), SIDE, SIDE)
    low = grid.bottom + 34  # of what the shapes mean
    begins = [next((column for column, kind in enumerate(row) if kind), len(row)) for row in after]
    hues = sorted(set(begins))
    stages = []
    for tensor, table in zip(tensors, tables, strict=True):
        drawn = []
        for row, line in enumerate(table):
            ways = [shape(grid, row, column, kind) for column, kind in enumerate(line) if kind]
            drawn.append(group(together("full", ways), who(hues.index(begins[row]))))
        count = sum(kind > 0 for kind in chain(*table))
        total = f"{tensor.name}: {count} of {tensor.digits.size} blocks"
        drawn.append(text(grid.left, low - 14, total, "start"))
        stages.append(Stage(tensor.name, [], drawn))
    there = [
        grid.cell(row, column)
        for row, line in enumerate(before)
        for column, kind in enumerate(line)
        if kind
    ]
    back, across = [*grid.row_names(), *together("gap", there)], 0.0
    for kind, words in SORTS.items():
        sample = shape(Grid([""], SIDE, SIDE, across, low), 0, 0, kind or 2)
        back.append(path("full" if kind else "gap", sample))
        back.append(label(across + SIDE + 4, low + SIDE / 2, words, "number start"))
        across += SIDE + text_width(words, SMALL) + 12
    wide = max(across - 2, grid.x(len(before[0])))
    return [Drawing(wide, low + SIDE + 1, [], stages=stages, back=back)]


def shape(grid: Grid, row: int, column: int, kind: int) -> str:
    """Return the outline of a block: a square, or the triangle below its diagonal."""
    if kind == 2:
        return grid.cell(row, column)
    left, right = grid.x(column) + 1, grid.x(column + 1) - 1
    top, low = grid.y(row) + 1, grid.y(row + 1) - 1
    return f"{through((left, top), (left, low), (right, low))}z"
