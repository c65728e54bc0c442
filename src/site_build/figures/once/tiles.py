"""Tiles that are swept over a matrix, and what fast memory holds at each moment.

Three outputs: the number of each cell's tile, counted from 1; what is computed in each cell; and a
matrix for each tile, of what its rows carry on to the next one, such as a maximum and a sum. A tile
that has been left keeps its number alone. Rows that have been left keep what they ended with.
"""

from dataclasses import dataclass
from itertools import product

import numpy as np

from site_build.figures.marks import Grid, Heat, label
from site_build.figures.svg import (
    SMALL,
    Drawing,
    Stage,
    cell_size,
    path,
    rectangle,
    short,
    text,
    text_width,
)
from site_build.figures.words import lines_of
from site_build.markdown.tensors import Tensor, rounded

HIGH = 26.0
QUERIES = "queries"
MOST = 160.0  # the room for the names of the columns side by side
GAP = 4.0  # to the right of the matrix


@dataclass(frozen=True)
class Tile:
    """The rows and the columns of a tile."""

    rows: range
    columns: range


def tiles(tensors: list[Tensor], options: dict[str, str]) -> list[Drawing]:
    """Draw the matrix, and a moment for each tile; there are no options."""
    if len(tensors) < 3:
        raise ValueError("three outputs are needed: numbers of tiles, cells, and what is held")
    numbers, cells, *held = tensors
    sweep = tiles_of(np.array(numbers.counts(numbers.digits.size + 1, least=1)))
    fits = [one.shape[0] for one in held] == [len(tile.rows) for tile in sweep]
    if numbers.shape != cells.shape or not fits:
        raise ValueError(f"what is held does not fit {len(sweep)} tiles of a {numbers.shape}")
    return [swept(sweep, cells, held, numbers)]


def tiles_of(cells: "np.ndarray[tuple[int, int], np.dtype[np.int_]]") -> list[Tile]:
    """Return the tiles in their order."""
    found: list[Tile] = []
    for number in range(1, len(np.unique(cells)) + 1):
        places = np.nonzero(cells == number)
        rows, columns = (range(min(axis, default=0), max(axis, default=0) + 1) for axis in places)
        if len(places[0]) != len(rows) * len(columns):
            raise ValueError(f"there is no rectangle of the number {number}")
        if any(tile.rows == rows for tile in found[:-1]) and found[-1].rows != rows:
            raise ValueError(f"tile {number} comes back to rows that were finished")
        found.append(Tile(rows, columns))
    return found


def swept(sweep: list[Tile], cells: Tensor, held: list[Tensor], names: Tensor) -> Drawing:
    """Draw what the fast memory holds at each tile."""
    heat, digits = Heat(cells.digits.flat), cells.matrix()
    slot = heat.widest + 7
    (line,) = lines_of([names.column_names()], slot, slot, MOST, SMALL)
    left = Grid.of([QUERIES, *names.row_names()], 0, 0).left
    grid = Grid(names.row_names(), line.slot, HIGH, left, 58.0 if line.low else 40.0)
    # What is carried stands in columns of its own, as wide as what is written there.
    right = left + line.reach + GAP
    carried = []
    for column, name in enumerate(held[0].column_names()):
        labels = rounded(one for tensor in held for one in tensor.digits[:, column])
        room = max(text_width(words, SMALL) for words in (name, *labels.values())) + 4
        carried.append((name, right + room / 2, labels))
        right += room

    def box(tile: Tile) -> tuple[float, float, float, float]:
        rows, columns = tile.rows, tile.columns
        return grid.x(columns.start), grid.y(rows.start), grid.x(columns.stop), grid.y(rows.stop)

    stages, left_behind = [], list[str]()
    for number, tile in enumerate(sweep, 1):
        x, y, end, low = box(tile)
        across = f"M0,{short(y)}H{short(right)}V{short(low)}H0Z"
        down = f"M{short(x)},22H{short(end)}V{short(y)}H{short(x)}Z"
        now = [path("held", across + down)]
        for row, column in product(tile.rows, tile.columns):
            place = grid.x(column) + 1, grid.y(row) + 1
            now.append(heat.square(digits[row][column], *place, line.slot - 2, HIGH - 2))
        carry = [
            label(at, grid.y(row + 0.5), labels[one])
            for row, numbers in zip(tile.rows, held[number - 1].matrix(), strict=True)
            for (_, at, labels), one in zip(carried, numbers, strict=True)
        ]
        stays = tile.rows not in [after.rows for after in sweep[number:]]
        parts = left_behind + (carry if stays else [])
        stages.append(Stage(f"{number} of {len(sweep)}", parts, now + ([] if stays else carry)))
        left_behind = [label((x + end) / 2, (y + low) / 2, str(number), "faint")]
    outlines = (rectangle(x, y, end - x, low - y) for x, y, end, low in map(box, sweep))
    frame = [
        text(left - 8, grid.top - 5, QUERIES, "number end faint"),
        text(left + line.width / 2, 14, "keys, values", "number faint"),
        *line.above(35, 18, left),
        *grid.row_names("end"),
        *(text(x, grid.top - 5, name, "number faint") for name, x, _ in carried),
        path("rule", "".join(outlines)),
    ]
    size = cell_size(line.slot - 2, HIGH - 2)
    return Drawing(right, grid.bottom + 2, frame, stages=stages, attributes=size)
