"""Tiles that are swept over a matrix, and what fast memory holds at each moment.

Three outputs: the number of each cell's tile, counted from 1; what is computed in each cell; and a
matrix for each tile, of what its rows carry on to the next one, such as a maximum and a sum. A tile
that has been left keeps its number alone. Rows that have been left keep what they ended with.
"""

from dataclasses import dataclass

import numpy as np

from site_build.figures.svg import (
    SMALL,
    Drawing,
    Stage,
    cell_size,
    lines_of,
    path,
    rectangle,
    short,
    text,
    text_width,
)
from site_build.markdown.tensors import Tensor, rounded, shades_of, value

HIGH = 26.0
QUERIES = "queries"
MOST = 160.0  # the room for the names of the columns side by side
GAP = 6.0  # to the left and to the right of the matrix


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
    sweep = tiles_of(numbers)
    if numbers.shape != cells.shape or [one.shape[0] for one in held] != [
        len(tile.rows) for tile in sweep
    ]:
        raise ValueError(f"what is held does not fit {len(sweep)} tiles of a {numbers.shape}")
    return [Sweep(numbers, cells, held).draw(sweep)]


def tiles_of(numbers: Tensor) -> list[Tile]:
    """Return the tiles in their order."""
    cells = np.array([[int(value(one)) for one in row] for row in numbers.matrix()])
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


class Sweep:
    """Where everything stands."""

    def __init__(self, numbers: Tensor, cells: Tensor, held: list[Tensor]) -> None:
        """Take the three outputs."""
        self.numbers, self.held = numbers, held
        self.digits, self.labels = cells.matrix(), rounded(cells.digits.flat)
        self.shades = shades_of({one: value(one) for one in self.labels})
        self.left = max(text_width(name, SMALL) for name in (QUERIES, *numbers.row_names())) + GAP
        slot = max(text_width(label, SMALL) for label in self.labels.values()) + 7
        (self.line,) = lines_of([numbers.column_names()], slot, slot, MOST, SMALL)
        self.top = 58.0 if self.line.low else 40.0
        # What is carried stands in columns of its own, as wide as what is written there.
        self.carried: list[tuple[str, float, dict[str, str]]] = []
        # The name of the last column may reach beyond its column.
        beyond = self.line.centers[-1] + text_width(self.line.words[-1], SMALL) / 2
        self.right = self.left + max(self.line.width, beyond) + GAP
        for column, name in enumerate(held[0].column_names()):
            labels = rounded(digits for one in held for digits in one.digits[:, column])
            room = max(text_width(words, SMALL) for words in (name, *labels.values())) + 4
            self.carried.append((name, self.right + room / 2, labels))
            self.right += room

    def draw(self, sweep: list[Tile]) -> Drawing:
        """Return the drawing."""
        stages = []
        for number, (tile, after) in enumerate(zip(sweep, [*sweep[1:], None], strict=True)):
            parts = [self.number(number, sweep[number - 1])] if number else []
            carried = self.carry(number, tile)
            now = [self.lit(tile), *self.computed(tile)]
            if after is None or after.rows != tile.rows:
                parts += carried
            else:
                now += carried
            stages.append(Stage(f"{number + 1} of {len(sweep)}", parts, now))
        size = cell_size(self.line.slot - 2, HIGH - 2)
        high = self.top + HIGH * len(self.digits) + 2
        return Drawing(self.right, high, self.frame(sweep), stages=stages, attributes=size)

    def x(self, column: int) -> float:
        """Return where a column begins."""
        return self.left + column * self.line.slot

    def y(self, row: int) -> float:
        """Return where a row begins."""
        return self.top + row * HIGH

    def sides(self, tile: Tile) -> tuple[float, float, float, float]:
        """Return where a tile is: left, top, right and bottom."""
        rows, columns = tile.rows, tile.columns
        return self.x(columns.start), self.y(rows.start), self.x(columns.stop), self.y(rows.stop)

    def number(self, number: int, tile: Tile) -> str:
        """Return the number of a tile, in its middle."""
        left, top, right, bottom = self.sides(tile)
        return text((left + right) / 2, (top + bottom) / 2 + 5, str(number), "faint")

    def lit(self, tile: Tile) -> str:
        """Return bands over the rows and the columns of a tile, from their names on."""
        left, top, right, bottom = self.sides(tile)
        across = f"M0,{short(top)}H{short(self.right)}V{short(bottom)}H0Z"
        down = f"M{short(left)},22H{short(right)}V{short(top)}H{short(left)}Z"
        return path("held", across + down)

    def computed(self, tile: Tile) -> list[str]:
        """Return the cells of a tile."""
        parts = []
        for row in tile.rows:
            for column in tile.columns:
                x, y, digits = self.x(column), self.y(row), self.digits[row][column]
                place = f'x="{short(x + 1)}" y="{short(y + 1)}"'
                parts.append(f"<rect {place}{self.shades[digits]}/>")
                label = self.labels[digits]
                parts.append(text(x + self.line.slot / 2, y + HIGH / 2 + 5, label, "number"))
        return parts

    def carry(self, number: int, tile: Tile) -> list[str]:
        """Return what the rows of a tile carry on."""
        return [
            text(x, self.y(row) + HIGH / 2 + 5, labels[digits], "number")
            for row, line in zip(tile.rows, self.held[number].matrix(), strict=True)
            for (_, x, labels), digits in zip(self.carried, line, strict=True)
        ]

    def frame(self, sweep: list[Tile]) -> list[str]:
        """Return the names of all rows and columns, and the outlines of the tiles."""
        parts = [
            text(self.left - GAP / 2, self.top - 5, QUERIES, "number end faint"),
            text(self.left + self.line.width / 2, 14, "keys, values", "number faint"),
        ]
        for number, (x, name) in enumerate(zip(self.line.centers, self.line.words, strict=True)):
            parts.append(text(self.left + x, 35 + self.line.depth(number, 18), name))
        for row, name in enumerate(self.numbers.row_names()):
            parts.append(text(self.left - GAP / 2, self.y(row) + HIGH / 2 + 5, name, "end"))
        for name, x, _ in self.carried:
            parts.append(text(x, self.top - 5, name, "number faint"))
        sides = [self.sides(tile) for tile in sweep]
        outlines = (rectangle(x, y, right - x, bottom - y) for x, y, right, bottom in sides)
        return [*parts, path("rule", "".join(outlines))]
