"""Rings of slots: each row of a matrix says which word stands in which slot.

A number is the place of a word, counted from 0, and the words are the names of the rows. A slot
with a negative number is empty. What is new, compared with the row before, is marked.
"""

from math import cos, pi, sin

from site_build.figures.svg import Drawing, Stage, path, points, short, text
from site_build.markdown.tensors import Tensor, value

OUTER, INNER = 60.0, 10.0
MOST = 3  # rings side by side


def ring(tensors: list[Tensor], options: dict[str, str]) -> list[Drawing]:
    """Draw a ring for each row, below its name; there are no options."""
    return [rings(tensor) for tensor in tensors]


def rings(tensor: Tensor) -> Drawing:
    """Draw the rings of one matrix."""
    words = tensor.row_names()
    rows = [[place(digits, len(words)) for digits in row] for row in tensor.matrix()]
    if len(rows[0]) < 2:
        raise ValueError("a ring has two slots at least")
    wide, high = 2 * OUTER + 5, 2 * OUTER + 36
    stages = []
    before = [-1] * len(rows[0])
    for number, row in enumerate(rows):
        x, y = wide * (number % MOST + 0.5), high * (number // MOST) + OUTER + 24
        parts = [text(x, y - OUTER - 8, words[number])]
        # What is marked lies above its neighbours, whose lines it shares.
        for slot, index in sorted(enumerate(row), key=lambda one: one[1] != before[one[0]]):
            new = index != before[slot]
            middle, way = sector(x, y, slot, len(row))
            parts.append(path("hand" if new else "rule", way))
            if index >= 0:
                parts.append(text(*middle, words[index], "asks" if new else ""))
        stages.append(Stage(words[number], parts))
        before = row
    lines = (len(rows) - 1) // MOST + 1
    return Drawing(wide * min(len(rows), MOST), high * lines, [], stages=stages)


def place(digits: str, count: int) -> int:
    """Return the place of a word."""
    number = value(digits)
    if number != int(number) or number >= count:
        raise ValueError(f"{digits} is not the place of one of {count} words")
    return int(number)


def sector(x: float, y: float, slot: int, slots: int) -> tuple[tuple[float, float], str]:
    """Return where the word of a slot stands, and the outline of the slot; the first is on top."""

    def at(radius: float, turn: float) -> tuple[float, float]:
        angle = 2 * pi * (slot + turn) / slots - pi / 2
        return x + radius * cos(angle), y + radius * sin(angle)

    start, end = at(OUTER, -0.5), at(OUTER, 0.5)
    back, home = at(INNER, 0.5), at(INNER, -0.5)
    outer, inner = (f"A{short(radius)},{short(radius)} 0 0" for radius in (OUTER, INNER))
    way = f"M{points([start])}{outer} 1 {points([end])}L{points([back])}{inner} 0 {points([home])}Z"
    middle = at((OUTER + INNER) / 2 - 2, 0)
    return (middle[0], middle[1] + 5), way
