"""Clocks: a hand for each pair of columns, at one place after another, which are the rows.

The first column of a pair says how far to the right the tip of the hand is, the second how far up.
`names` are those of the hands.
"""

from site_build.figures.marks import Grid
from site_build.figures.svg import SMALL, Drawing, Stage, circle, straight, text
from site_build.figures.words import lines_of
from site_build.markdown.tensors import Tensor, names_of

RADIUS = 15.0
HIGH = 40.0  # from one hand to the next
TOP = 24.0


def clocks(tensors: list[Tensor], options: dict[str, str]) -> list[Drawing]:
    """Draw a dial for each hand at each place."""
    names = names_of(options.pop("names", ""))
    return [one_wall(tensor, names) for tensor in tensors]


def one_wall(tensor: Tensor, names: list[str]) -> Drawing:
    """Draw the clocks of one matrix: a column for each place, a row for each hand."""
    if tensor.shape[1] != 2 * len(names):
        raise ValueError(f"{len(names)} names for {tensor.shape[1]} columns, two for each hand")
    [line] = lines_of([tensor.row_names()], 2 * RADIUS + 6, letter=SMALL)
    if line.low:
        raise ValueError("the names of the places have no room")
    grid = Grid.of(names, line.slot, HIGH, TOP)
    stages = []
    for column, (word, row) in enumerate(zip(line.words, tensor.values(), strict=True)):
        marks = [text(grid.x(column + 0.5), 14, word, "number")]
        for hand, (right, up) in enumerate(zip(row[::2], row[1::2], strict=True)):
            x, y = grid.middle(hand, column)
            tip = x + right * (RADIUS - 3), y - up * (RADIUS - 3)
            marks += [circle("dial", x, y, RADIUS), straight("hand", (x, y), tip)]
        stages.append(Stage(word, marks))
    wide = grid.x(len(line.words))
    return Drawing(wide, grid.bottom, grid.row_names(), stages=stages)
