"""Places for labels in which they cover neither one another nor what is drawn."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import hypot

from site_build.figures.svg import text_width

Place = tuple[float, float]

LETTERS = 16.0  # the height of a line of text
# Where a label may stand beside its point: to the right and down, in halves of its size.
SIDES = [(1, 0), (-1, 0), (0, -1), (0, 1), (1, -1), (-1, -1), (1, 1), (-1, 1)]
GAPS = [8.0, 13.0, 19.0, 26.0, 38.0, 52.0]


@dataclass(frozen=True)
class Box:
    """The room of a label around its middle."""

    x: float
    y: float
    wide: float

    @property
    def sides(self) -> tuple[float, float, float, float]:
        """Left, top, right and bottom."""
        half = self.wide / 2
        return self.x - half, self.y - LETTERS / 2, self.x + half, self.y + LETTERS / 2

    def covers(self, other: "Box") -> bool:
        """Say whether two labels would be read as one."""
        apart = (self.wide + other.wide) / 2 + 14
        return abs(self.x - other.x) < apart and abs(self.y - other.y) < LETTERS - 1


@dataclass
class Labels:
    """The labels that have a place, and dots along all lines that are drawn."""

    left: float
    right: float
    boxes: list[Box] = field(default_factory=list)
    dots: list[Place] = field(default_factory=list)

    def take(self, places: Iterable[Place], words: str) -> Place:
        """Return the place, of the middle, that covers least; the first ones are better."""
        boxes = [Box(x, y, text_width(words)) for x, y in places]
        best = min(boxes, key=self.covered)
        self.boxes.append(best)
        return best.x, best.y

    def beside(self, point: Place, words: str, away: Place) -> Place:
        """Return a place beside a point, rather on the side that is away from another point."""
        wide = text_width(words) / 2
        places = []
        for gap in GAPS:
            for right, down in SIDES:
                near = gap * (0.7 if right and down else 1)
                x = point[0] + right * (wide + near)
                y = point[1] + down * (LETTERS / 2 + near - 2)
                back = right * (away[0] - point[0]) + down * (away[1] - point[1]) > 0
                places.append((gap + 6 * back, (x, y)))
        return self.take((place for _, place in sorted(places, key=lambda one: one[0])), words)

    def leader(self, point: Place) -> list[Place]:
        """Return a line from a point to the label that came last, if it is not beside it."""
        left, top, right, bottom = self.boxes[-1].sides
        near = min(max(point[0], left), right), min(max(point[1], top), bottom)
        return [point, near] if distance(point, near) > 18 else []

    def line(self, start: Place, end: Place) -> None:
        """Take the room of a line."""
        count = int(distance(start, end) / 5) + 1
        (x, y), run, rise = start, end[0] - start[0], end[1] - start[1]
        self.dots += [
            (x + run * part / count, y + rise * part / count) for part in range(count + 1)
        ]

    def covered(self, box: Box) -> int:
        """Count what a label would cover; the edge of the drawing counts more."""
        left, top, right, bottom = box.sides
        dots = sum(left - 3 < x < right + 3 and top < y < bottom for x, y in self.dots)
        outside = left < self.left or right > self.right
        return dots + 5 * sum(map(box.covers, self.boxes)) + 9 * outside

    def frame(self) -> tuple[float, float, float, float]:
        """Return the sides of the room in which everything is."""
        sides = [box.sides for box in self.boxes] + [(x, y, x, y) for x, y in self.dots]
        left, top, right, bottom = zip(*sides, strict=True)
        return min(left) - 2, min(top) - 2, max(right) + 2, max(bottom) + 2


def distance(one: Place, other: Place) -> float:
    """Return how far two places are from one another."""
    return hypot(one[0] - other[0], one[1] - other[1])
