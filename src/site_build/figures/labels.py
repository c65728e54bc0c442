"""Places for labels in which they cover neither one another nor what is drawn."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import hypot

from site_build.figures.svg import Point, text, text_width

Sides = tuple[float, float, float, float]  # left, top, right and bottom

LETTERS = 16.0  # the height of a line of text
# Where a label may stand beside its point: to the right and down, in halves of its size.
SIDES = [(1, 0), (-1, 0), (0, -1), (0, 1), (1, -1), (-1, -1), (1, 1), (-1, 1)]
BOLD = 1.08  # how much wider bold letters are
LEADER = 18.0  # the distance from which on a line leads to a label
GAPS = [8.0, 13.0, 19.0, 26.0, 38.0, 52.0]


@dataclass(frozen=True)
class Box:
    """The room of a label around its middle."""

    x: float
    y: float
    wide: float

    @property
    def sides(self) -> Sides:
        """Left, top, right and bottom."""
        half = self.wide / 2
        return self.x - half, self.y - LETTERS / 2, self.x + half, self.y + LETTERS / 2

    def covers(self, other: "Box") -> bool:
        """Say whether two labels would be read as one."""
        apart = (self.wide + other.wide) / 2 + 14
        return abs(self.x - other.x) < apart and abs(self.y - other.y) < LETTERS + 3

    def text(self, words: str, css_class: str, point: Point) -> str:
        """Return the words; beside a point they begin, or end, at the side that is near it."""
        left, _, right, _ = self.sides
        if left >= point[0]:
            return text(left, self.y + 5, words, f"{css_class} start".strip())
        if right <= point[0]:
            return text(right, self.y + 5, words, f"{css_class} end".strip())
        return text(self.x, self.y + 5, words, css_class)

    def holds(self, place: Point) -> bool:
        """Say whether a place is in the box."""
        left, top, right, bottom = self.sides
        return left < place[0] < right and top < place[1] < bottom

    def way(self, point: Point) -> list[Point]:
        """Return places along the shortest line from a point."""
        left, top, right, bottom = self.sides
        near = min(max(point[0], left), right), min(max(point[1], top), bottom)
        return along(point, near)

    def leader(self, point: Point) -> list[Point]:
        """Return both ends of a line from a point, if the label is not just beside it."""
        start, *_, end = self.way(point)
        return [start, end] if distance(start, end) > LEADER else []


@dataclass
class Labels:
    """The labels that have a place, and dots along all lines that are drawn."""

    most: float  # how wide the drawing may be
    boxes: list[Box] = field(default_factory=list)
    dots: list[Point] = field(default_factory=list)

    def take(self, boxes: Iterable[Box], point: Point | None = None) -> Box:
        """Return the box that covers least, and take its room; the first ones are better.

        Args:
            boxes: Where a label may stand.
            point: The point that it belongs to; a line leads to it from further off.
        """
        places = [(box, box.way(point) if point else []) for box in boxes]
        # Of all the dots, only those near one of the boxes count, or near the way to it.
        sides = [box.sides for box, _ in places]
        left, top, right, bottom = hull([*sides, *((*at, *at) for _, way in places for at in way)])
        dots = [
            (x, y) for x, y in self.dots if left - 4 < x < right + 4 and top - 4 < y < bottom + 4
        ]
        best, _ = min(places, key=lambda place: self.covered(place[0], place[1], dots))
        self.boxes.append(best)
        return best

    def beside(self, point: Point, words: str, away: Point) -> Box:
        """Take a place beside a point, rather on the side that is away from another point."""
        wide = text_width(words) * BOLD
        places = []
        for gap in GAPS:
            for right, down in SIDES:
                near = gap * (0.7 if right and down else 1)
                x = point[0] + right * (wide / 2 + near)
                y = point[1] + down * (LETTERS / 2 + near - 2)
                back = right * (away[0] - point[0]) + down * (away[1] - point[1]) > 0
                places.append((gap + 20 * back, Box(x, y, wide)))
        return self.take((box for _, box in sorted(places, key=lambda one: one[0])), point)

    def line(self, start: Point, end: Point) -> None:
        """Take the room of a line."""
        self.dots += along(start, end)

    def covered(self, box: Box, way: list[Point], dots: list[Point]) -> int:
        """Count what a label would cover, and what would be between it and its point."""
        left, top, right, bottom = box.sides
        crossed = sum(other.holds(place) for other in self.boxes for place in way)
        crossed += sum(distance(dot, place) < 4 for dot in dots for place in way[2:])
        under = sum(left - 3 < x < right + 3 and top < y < bottom for x, y in dots)
        sides = [box.sides, *(other.sides for other in self.boxes)]
        outside = max(side[2] for side in sides) - min(side[0] for side in sides) > self.most
        return under + crossed + 5 * sum(map(box.covers, self.boxes)) + 9 * outside

    def frame(self) -> Sides:
        """Return the sides of the room in which everything is."""
        sides = [box.sides for box in self.boxes] + [(*dot, *dot) for dot in self.dots]
        left, top, right, bottom = hull(sides)
        return left - 2, top - 2, right + 2, bottom + 2


def hull(rooms: Iterable[Sides]) -> Sides:
    """Return the sides of the least room that holds others."""
    left, top, right, bottom = zip(*rooms, strict=True)
    return min(left), min(top), max(right), max(bottom)


def along(start: Point, end: Point) -> list[Point]:
    """Return places along a line, its ends among them."""
    count = int(distance(start, end) / 5) + 1
    (x, y), run, rise = start, end[0] - start[0], end[1] - start[1]
    return [(x + run * part / count, y + rise * part / count) for part in range(count + 1)]


def distance(one: Point, other: Point) -> float:
    """Return how far two places are from one another."""
    return hypot(one[0] - other[0], one[1] - other[1])


def roomy(xs: list[float], words: list[str]) -> list[tuple[float, str]]:
    """Return the labels that have room along a line, the last and the first before others."""
    kept: list[tuple[float, str]] = []
    for x, label in [(xs[-1], words[-1]), *zip(xs, words, strict=True)]:
        half = text_width(label) / 2 + 5
        if all(abs(x - other) > half + text_width(name) / 2 for other, name in kept):
            kept.append((x, label))
    return kept


def apart(places: dict[str, float]) -> dict[str, float]:
    """Return the places of labels, with room for each: the mean of pushing down and up."""
    labels = sorted(places, key=lambda label: places[label])
    down = [places[label] for label in labels]
    up = list(down)
    for number in range(1, len(labels)):
        down[number] = max(down[number], down[number - 1] + LETTERS + 1)
        up[-1 - number] = min(up[-1 - number], up[-number] - LETTERS - 1)
    return {label: (a + b) / 2 for label, a, b in zip(labels, down, up, strict=True)}
