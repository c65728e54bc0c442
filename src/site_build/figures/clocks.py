"""Clocks: a hand for each pair of columns, at one place after another, which are the rows.

The first column of a pair says how far to the right the tip of the hand is, the second how far up.
`names` are those of the hands.
"""

from site_build.figures.svg import (
    SMALL,
    Drawing,
    Stage,
    circle,
    lines_of,
    path,
    points,
    text,
    text_width,
)
from site_build.markdown.tensors import Tensor, names_of, value

RADIUS = 15.0
HIGH = 40.0  # from one hand to the next
TOP = 24.0


def clocks(tensors: list[Tensor], options: dict[str, str]) -> list[Drawing]:
    """Draw a dial for each hand at each place."""
    names = names_of(options.pop("names", ""))
    return [one_wall(tensor, names) for tensor in tensors]


def one_wall(tensor: Tensor, names: list[str]) -> Drawing:
    """Draw the clocks of one matrix: a column for each place, a row for each hand."""
    rows = [[value(digits) for digits in row] for row in tensor.matrix()]
    if len(rows[0]) != 2 * len(names):
        raise ValueError(f"{len(names)} names for {len(rows[0])} columns, two for each hand")
    [line] = lines_of([tensor.row_names()], 2 * RADIUS + 6, letter=SMALL)
    if line.low:
        raise ValueError("the names of the places have no room")
    left = max(text_width(name, SMALL) for name in names) + 10
    parts = [
        text(left - 10, TOP + HIGH * (hand + 0.5) + 4, name, "number end")
        for hand, name in enumerate(names)
    ]
    stages = []
    for word, across, row in zip(line.words, line.centers, rows, strict=True):
        x = left + across
        marks = [text(x, 14, word, "number")]
        for hand, (right, up) in enumerate(zip(row[::2], row[1::2], strict=True)):
            y = TOP + HIGH * (hand + 0.5)
            tip = x + right * (RADIUS - 3), y - up * (RADIUS - 3)
            marks += [circle("dial", x, y, RADIUS), path("hand", f"M{points([(x, y), tip])}")]
        stages.append(Stage(word, marks))
    return Drawing(left + line.width, TOP + HIGH * len(names), parts, stages=stages)
