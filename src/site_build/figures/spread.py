"""Piles of numbers that spread, and what pushes them back.

The first output is a matrix: each row is a pile, each column a number that grows, each entry its
share of the pile, with as many numbers above 0 as below. The second has a row for each pile: how
far its numbers are spread, and how far once they are divided. Behind the pile that was divided
stands the one that was not.
"""

from dataclasses import dataclass
from itertools import pairwise

from site_build.figures.labels import BOLD
from site_build.figures.scale import Scale
from site_build.figures.svg import Drawing, Stage, path, rectangle, short, text, text_width
from site_build.markdown.tensors import Tensor, rounded, value

WIDE, HIGH = 170.0, 46.0
ROW = HIGH + 18


@dataclass(frozen=True)
class Heap:
    """Numbers in the order of their size, and the share of each."""

    numbers: list[float]
    shares: list[float]

    def outline(self, middle: float, base: float, across: float, up: float) -> str:
        """Return bars side by side, where one number takes so much room across and up."""
        thick = min(after - before for before, after in pairwise(self.numbers)) * across
        return "".join(
            rectangle(middle + number * across - thick / 2, base, thick, -share * up)
            for number, share in zip(self.numbers, self.shares, strict=True)
            if share
        )


def spread(tensors: list[Tensor], options: dict[str, str]) -> list[Drawing]:
    """Draw the piles below one another; there are no options."""
    if len(tensors) != 2 or tensors[1].shape != (len(tensors[0].matrix()), 2):
        raise ValueError("a matrix of shares is needed, and two spreads for each of its rows")
    piles, spreads = tensors
    numbers = list(map(value, piles.column_names()))
    heaps = [Heap(numbers, list(map(value, row))) for row in piles.matrix()]
    names, titles, labels = piles.row_names(), spreads.column_names(), rounded(spreads.digits.flat)
    across = WIDE / (numbers[-1] - numbers[0] + numbers[1] - numbers[0])
    up = Scale.of((share for heap in heaps for share in heap.shares), HIGH).unit
    left = max(map(text_width, names)) + 10
    middle, right = left + WIDE / 2, left + WIDE + 6
    stages, pressed = [], Stage(titles[1], [])
    for number, (name, heap) in enumerate(zip(names, heaps, strict=True)):
        base = HIGH + 4 + ROW * number
        wide, narrow = spreads.matrix()[number]
        before, after = (
            f"{title} {labels[digits]}"
            for title, digits in zip(titles, (wide, narrow), strict=True)
        )
        stands = [
            path("rule", f"M{short(left)},{short(base)}h{short(WIDE)}"),
            path("box", heap.outline(middle, base, across, up)),
            text(left - 8, base - 4, name, "end"),
            text(right, base - 22, before, "number start"),
        ]
        stages.append(Stage(f"{name}: {before}", stands))
        by = value(narrow) / value(wide)
        way = f' style="--from:scaleX({1 / by:.3g})"'
        pressed.parts.append(path("bar slides", heap.outline(middle, base, across * by, up), way))
        pressed.parts.append(text(right, base - 5, after, "number start asks"))
    widest = max(map(text_width, labels.values()))
    room = (max(map(text_width, titles)) + widest) * BOLD
    high = 8 + ROW * len(heaps)
    return [Drawing(right + room, high, [], stages=[*stages, pressed])]
