"""Rows that are cut into strips: each number of a matrix says who gets it, counted from 0.

`names` are those who get something. The parts of each stand together, below their name and in their
hue. Where it moves, the rows are whole at first, and are cut one after another.
"""

from site_build.figures.svg import (
    SMALL,
    Drawing,
    Stage,
    path,
    rectangle,
    short,
    slides,
    text,
    text_width,
)
from site_build.markdown.tensors import Tensor, names_of, value

SIDE = 20.0
GAP = 22.0  # between two who get something
TOP = 24.0


def strips(tensors: list[Tensor], options: dict[str, str]) -> list[Drawing]:
    """Draw a tile for each number, on the side of the one that gets it."""
    names = names_of(options.pop("names", ""))
    return [one_cut(tensor, names) for tensor in tensors]


def one_cut(tensor: Tensor, names: list[str]) -> Drawing:
    """Draw how one matrix is cut."""
    owners = [[value(digits) for digits in row] for row in tensor.matrix()]
    if {owner for row in owners for owner in row} != set(range(len(names))):
        raise ValueError(f"the numbers do not count all of {len(names)} names")
    words = tensor.row_names()
    left = max(text_width(word, SMALL) for word in words) + 8
    parts, moved, end = [], [], left
    for who, name in enumerate(names):
        columns = [at for row in owners for at, owner in enumerate(row) if owner == who]
        first, wide = min(columns) * SIDE, (max(columns) - min(columns) + 1) * SIDE
        wide = max(wide, text_width(name, SMALL) * 1.08)
        moved.append(end - left - first)
        parts.append(text(end + wide / 2, 13, name, f"number who who-{who}"))
        end += wide + GAP
    stages = []
    for number, (word, row) in enumerate(zip(words, owners, strict=True)):
        y = TOP + number * SIDE
        parts.append(text(left - 8, y + SIDE / 2 + 4, word, "number end"))
        tiles = []
        for who, way in enumerate(moved):
            lefts = [left + way + at * SIDE for at, owner in enumerate(row) if owner == who]
            outlines = "".join(rectangle(x, 0, SIDE - 2, SIDE - 2) for x in lefts)
            if lefts:
                tiles.append(slides(path(f"tile who-{who}", outlines), (way, 0)))
        # Rows that are cut alike are written alike, and take little room on the page.
        strip = f'<g class="stays" transform="translate(0 {short(y)})">{"".join(tiles)}</g>'
        stages.append(Stage(word, [strip]))
    high = TOP + SIDE * len(words)
    return Drawing(end - GAP, high, parts, stages=stages)
