"""Vectors in a plane: a matrix, of which `x` and `y` name two columns, or the first two.

Arrows start at the origin. With `from` they start at the point of that row, and lead to the rows
that `to` names, or to all; the other rows are points. All panels have one scale, which is the same
along both axes, so that angles and lengths are true. The numbers on the axes are the largest and
the smallest of the printed ones.
"""

from dataclasses import dataclass, field
from math import hypot

from site_build.figures.svg import Drawing, arrow, circle, path, points, text, text_width
from site_build.figures.tensors import Tensor, find, rounded, value

Place = tuple[float, float]

WIDE, HIGH = 230.0, 220.0
LETTERS = 16.0  # the height of a line of text
# Where a label may stand: how far its middle is from its point, in parts of its size and beyond.
SIDES = [(1, 0), (-1, 0), (0, -1), (0, 1), (1, -1), (-1, -1), (1, 1), (-1, 1)]


@dataclass
class Labels:
    """Finds places for labels in which they do not cover what is drawn."""

    left: float
    right: float
    taken: list[tuple[float, float, float, float]] = field(default_factory=list)  # boxes
    dots: list[Place] = field(default_factory=list)  # along all that is drawn

    def place(self, point: Place, words: str, away: Place) -> Place:
        """Return where a label's middle is, and take the room; rather away from a place."""
        wide = text_width(words)
        choices = []
        for gap in (8.0, 14.0, 22.0):
            for right, down in SIDES:
                slant = 0.75 if right and down else 1.0
                x = point[0] + right * (wide / 2 + gap * slant)
                y = point[1] + down * (LETTERS / 2 + gap * slant - 2)
                box = (x - wide / 2, y - LETTERS / 2, x + wide / 2, y + LETTERS / 2)
                towards = right * (away[0] - point[0]) + down * (away[1] - point[1])
                outside = box[0] < self.left or box[2] > self.right
                cost = (
                    (self.covered(box) + 3 * outside) * 100
                    + gap
                    + (towards > 0) * 6
                    + (slant < 1) * 2
                )
                choices.append((cost, x, y, box))
        _, x, y, box = min(choices)
        self.taken.append(box)
        return x, y

    def take(self, x: float, y: float, words: str) -> None:
        """Take the room of words whose middle is given."""
        wide = text_width(words)
        self.taken.append((x - wide / 2, y - LETTERS / 2, x + wide / 2, y + LETTERS / 2))

    def line(self, start: Place, end: Place) -> None:
        """Take the room of a line, as dots."""
        count = int(distance(start, end) / 6) + 1
        self.dots += [
            (
                start[0] + (end[0] - start[0]) * part / count,
                start[1] + (end[1] - start[1]) * part / count,
            )
            for part in range(count + 1)
        ]

    def covered(self, box: tuple[float, float, float, float]) -> int:
        """Count what a box would cover."""
        left, top, right, bottom = box
        return sum(
            left < other[2] and other[0] < right and top < other[3] and other[1] < bottom
            for other in self.taken
        ) + sum(left - 3 < x < right + 3 and top - 1 < y < bottom + 1 for x, y in self.dots)


def plane(tensors: list[Tensor], options: dict[str, str]) -> list[Drawing]:
    """Draw an arrow or a point for each row."""
    columns = options.pop("x", None), options.pop("y", None)
    start, ends = options.pop("from", None), options.pop("to", "").split()
    if ends and start is None:
        raise ValueError('arrows that lead "to" rows start somewhere: say from="..."')
    chosen = [tensor.two_columns(*columns) for tensor in tensors]
    rows = [
        [(row[first], row[second]) for row in tensor.matrix()]
        for tensor, (first, second) in zip(tensors, chosen, strict=True)
    ]
    axes = [Axis([pair[number] for pairs in rows for pair in pairs]) for number in (0, 1)]
    spans = [(WIDE, axes[0].high - axes[0].low), (HIGH, axes[1].high - axes[1].low)]
    scale = min((room / span for room, span in spans if span), default=1.0)
    drawings = []
    for tensor, pairs, pair in zip(tensors, rows, chosen, strict=True):
        names = tensor.row_names()
        begin = find(start, names) if start is not None else None
        tips = {find(end, names) for end in ends} or set(range(len(names))) - {begin}
        places = [(value(x) * scale, -value(y) * scale) for x, y in pairs]
        titles = [tensor.column_names()[column] for column in pair]
        end = axes[0].high * scale + 18 + text_width(titles[0])
        labels = Labels(axes[0].low * scale - 45, end)
        parts = draw_axes(axes, titles, scale, labels)
        parts += draw_rows(places, names, begin, tips, labels)
        left, top = (min(box[side] for box in labels.taken) - 2 for side in (0, 1))
        right, bottom = (max(box[side] for box in labels.taken) + 2 for side in (2, 3))
        drawings.append(Drawing(right - left, bottom - top, parts, left, top))
    return drawings


class Axis:
    """How far an axis goes, and what is written at its ends."""

    def __init__(self, digits: list[str]) -> None:
        numbers = list(map(value, digits))
        self.low, self.high = min(0.0, *numbers), max(0.0, *numbers)
        labels = zip(numbers, rounded(digits), strict=True)
        self.ends = {number: label for number, label in labels if number in (self.low, self.high)}
        self.ends.pop(0.0, None)


def draw_axes(axes: list[Axis], titles: list[str], scale: float, labels: Labels) -> list[str]:
    """Draw the axes with their names, and the numbers at which they end."""
    across, up = axes
    left, right = across.low * scale, across.high * scale + 12
    top, bottom = -up.high * scale - 12, -up.low * scale
    parts = [path("rule", f"M{points([(left, 0), (right, 0)])}M{points([(0, bottom), (0, top)])}")]
    labels.line((left, 0), (right, 0))
    labels.line((0, bottom), (0, top))
    names = [(right + 6 + text_width(titles[0]) / 2, 0.0, titles[0], "faint")]
    names.append((0.0, top - 10, titles[1], "faint"))
    for number, label in across.ends.items():
        names.append((number * scale, 14.0, label, "number faint"))
    for number, label in up.ends.items():
        names.append((-8 - text_width(label) / 2, -number * scale, label, "number faint"))
    for x, y, words, css_class in names:
        labels.take(x, y, words)
        parts.append(text(x, y + 5, words, css_class))
    return parts


def draw_rows(
    places: list[Place], names: list[str], begin: int | None, tips: set[int], labels: Labels
) -> list[str]:
    """Draw the arrows, the points and the names of both."""
    origin = places[begin] if begin is not None else (0.0, 0.0)
    parts = []
    for number, place in enumerate(places):
        labels.dots.append(place)
        if number in tips and distance(place, origin) > 3:
            labels.line(origin, place)
            parts.append(arrow("arrow", origin, place))
        else:
            parts.append(circle("origin" if number == begin else "dot", *place, 4))
    for together in coincident(places):
        place = places[together[0]]
        words = ", ".join(dict.fromkeys(names[number] for number in together))
        x, y = labels.place(place, words, origin)
        parts.append(text(x, y + 5, words, "asks" if begin in together else ""))
    return parts


def coincident(places: list[Place]) -> list[list[int]]:
    """Return the numbers of the places, together where the eye sees one."""
    groups: list[list[int]] = []
    for number, place in enumerate(places):
        near = (group for group in groups if distance(place, places[group[0]]) <= 3)
        if group := next(near, None):
            group.append(number)
        else:
            groups.append([number])
    return groups


def distance(one: Place, other: Place) -> float:
    """Return how far two places are from one another."""
    return hypot(one[0] - other[0], one[1] - other[1])
