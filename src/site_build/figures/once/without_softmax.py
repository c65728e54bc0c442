"""A slate on which words write, one after another: each row of a matrix is what stands there then.

A number is written where it is new. What stood there before is crossed out.
"""

from site_build.figures.marks import Grid, label
from site_build.figures.svg import (
    LETTER,
    SMALL,
    Drawing,
    Stage,
    path,
    rectangle,
    short,
    text,
    text_width,
)
from site_build.figures.words import lines_of
from site_build.markdown.tensors import Tensor, rounded, value

HIGH = 28.0
TOP = 20.0


def slate(tensors: list[Tensor], options: dict[str, str]) -> list[Drawing]:
    """Draw a slate for each matrix; there are no options."""
    labels = [rounded(tensor.digits.flat) for tensor in tensors]
    slot = max(text_width(words, SMALL) for each in labels for words in each.values()) + 14
    # Words that stood lower would stand on the slate.
    lines = lines_of([tensor.row_names() for tensor in tensors], slot, most=float("inf"))
    return [
        one_slate(*each)
        for each in zip(tensors, labels, (line.slot for line in lines), strict=True)
    ]


def one_slate(tensor: Tensor, labels: dict[str, str], slot: float) -> Drawing:
    """Draw what is written on one slate, from left to right."""
    grid = Grid.of(tensor.column_names(), slot, HIGH, TOP, LETTER)
    stages = []
    stands, strikes = ["0"] * len(grid.names), [""] * len(grid.names)
    for column, (word, digits) in enumerate(zip(tensor.row_names(), tensor.matrix(), strict=True)):
        parts = [text(grid.x(column + 0.5), 13, word)]
        for row, (new, old) in enumerate(zip(digits, stands, strict=True)):
            if value(new) != value(old):
                x, y = grid.middle(row, column)
                parts.append(strikes[row] + label(x, y, labels[new]))
                half = text_width(labels[new], SMALL) / 2
                strikes[row] = path("struck", f"M{short(x - half)},{short(y)}h{short(2 * half)}")
        stages.append(Stage(word, parts))
        stands = digits
    wide = slot * len(stages)
    parts = [
        *grid.row_names("end"),
        path("dial", rectangle(grid.left, TOP, wide, HIGH * len(stands))),
    ]
    return Drawing(grid.left + wide, grid.bottom + 1, parts, stages=stages)
