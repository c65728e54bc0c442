"""Vectors in a plane: a matrix, of which `x` and `y` name two columns, or the first two.

Arrows start at the origin. With `from` they start at the point of that row, and lead to the rows
that `to` names, or to all; the other rows are points. All panels have one scale, which is the same
along both axes, so that angles and lengths are true. The numbers on the axes are the largest and
the smallest of the printed ones.

Vectors with `tensors` for names, such as a sum as it grows, are arrows head to tail instead.
"""

from dataclasses import replace
from itertools import pairwise

from site_build.inside.figures.labels import Box, Labels, Place, distance
from site_build.inside.figures.svg import (
    Drawing,
    Stage,
    arrow,
    circle,
    path,
    points,
    text,
    text_width,
)
from site_build.inside.figures.tensors import Tensor, find, named, names_of, rounded, value

WIDE, HIGH = 230.0, 220.0
MOST = 370.0  # with the names
NEAR = 3.0  # what the eye takes for one point


class Axis:
    """How far an axis goes, and what is written at its ends."""

    def __init__(self, digits: list[str]) -> None:
        self.ends = {value(one): rounded([one])[0] for one in digits}
        self.low, self.high = min(0.0, *self.ends), max(0.0, *self.ends)
        self.ends = {end: label for end, label in self.ends.items() if end in self.limits and end}

    @property
    def limits(self) -> tuple[float, float]:
        """The smallest and the largest number, or 0."""
        return self.low, self.high


def plane(tensors: list[Tensor], options: dict[str, str]) -> list[Drawing]:
    """Draw an arrow or a point for each row."""
    columns = options.pop("x", None), options.pop("y", None)
    if all(len(tensor.shape) == 1 for tensor in tensors):
        return [head_to_tail(stacked(tensors), *columns)]
    start, ends = options.pop("from", None), names_of(options.pop("to", ""))
    if ends and start is None:
        raise ValueError('arrows that lead "to" rows start somewhere: say from="..."')
    chosen = [tensor.two_columns(*columns) for tensor in tensors]
    rows = [
        [(row[first], row[second]) for row in tensor.matrix()]
        for tensor, (first, second) in zip(tensors, chosen, strict=True)
    ]
    axes = [Axis([pair[number] for pairs in rows for pair in pairs]) for number in (0, 1)]
    scale = scale_of(axes)
    drawings = []
    for tensor, two, pairs in zip(tensors, chosen, rows, strict=True):
        titles = [tensor.column_names()[column] for column in two]
        names = tensor.row_names()
        begin = find(start, names) if start is not None else None
        tips = {find(end, names) for end in ends} or set(range(len(names))) - {begin}
        places = [(value(x) * scale, -value(y) * scale) for x, y in pairs]
        drawings.append(one_plane(axes, titles, scale, places, names, begin, tips))
    return drawings


def one_plane(
    axes: list[Axis],
    titles: list[str],
    scale: float,
    places: list[Place],
    names: list[str],
    begin: int | None,
    tips: set[int],
) -> Drawing:
    """Draw what is in one plane; the labels come last, where there is room for them."""
    labels = Labels(MOST)
    parts = [cross(labels, axes, scale)]

    origin = places[begin] if begin is not None else (0.0, 0.0)
    dots = []
    for number, place in enumerate(places):
        if number in tips and distance(place, origin) > NEAR:
            labels.line(origin, place)
            parts.append(arrow("arrow", origin, place))
        else:
            labels.dots.append(place)
            dots.append(circle("origin" if number == begin else "dot", *place, 4))
    parts += dots

    parts += axis_names(labels, axes, titles, scale)
    for together in coincident(places):
        words = ", ".join(dict.fromkeys(names[number] for number in together))
        place = places[together[0]]
        parts += label_of(labels, place, words, origin, "asks" if begin in together else "")
    left, top, right, bottom = labels.frame()
    return Drawing(right - left, bottom - top, parts, left, top)


def scale_of(axes: list[Axis]) -> float:
    """Return how many units a number of 1 takes, along both axes."""
    spans = [(WIDE, axes[0].high - axes[0].low), (HIGH, axes[1].high - axes[1].low)]
    return min((room / span for room, span in spans if span), default=1.0)


def cross(labels: Labels, axes: list[Axis], scale: float) -> str:
    """Return the lines of both axes."""
    across, up = axes
    flat = [(across.low * scale, 0.0), (across.high * scale + 12, 0.0)]
    upright = [(0.0, -up.low * scale), (0.0, -up.high * scale - 12)]
    for start, end in (flat, upright):
        labels.line(start, end)
    return path("rule", f"M{points(flat)}M{points(upright)}")


def axis_names(labels: Labels, axes: list[Axis], titles: list[str], scale: float) -> list[str]:
    """Return the names of both axes, and the numbers at their ends."""
    across, up = axes
    titled = across.high * scale + 18 + text_width(titles[0]) / 2
    written = [([(titled, 0.0)], titles[0]), ([(0.0, -up.high * scale - 22)], titles[1])]
    written += [
        ([(end * scale, 14), (end * scale, -14)], label) for end, label in across.ends.items()
    ]
    for end, label in up.ends.items():
        beside = 8 + text_width(label) / 2
        written.append(([(-beside, -end * scale), (beside, -end * scale)], label))
    parts = []
    for choice, words in written:
        box = labels.take([Box(x, y, text_width(words)) for x, y in choice])
        parts.append(text(box.x, box.y + 5, words, "faint"))
    return parts


def label_of(labels: Labels, place: Place, words: str, away: Place, css_class: str) -> list[str]:
    """Return the label of a point, and a line to it from further off."""
    box = labels.beside(place, words, away)
    leader = box.leader(place)
    line = [path("rule", f"M{points(leader)}")] if leader else []
    return [*line, text(box.x, box.y + 5, words, css_class)]


def stacked(vectors: list[Tensor]) -> Tensor:
    """Return a matrix whose rows are vectors, with the vectors' names."""
    first = vectors[0]
    return replace(
        first, digits=[one.digits for one in vectors], rows=[one.name for one in vectors]
    )


def head_to_tail(sums: Tensor, x: str | None, y: str | None) -> Drawing:
    """Draw how a sum grows, and an arrow to where it ends."""
    two = sums.two_columns(x, y)
    names = named([name for name in sums.rows if name], sums.digits, "tensors")
    rows = [tuple(row[column] for column in two) for row in sums.matrix()]
    axes = [Axis([row[number] for row in rows]) for number in (0, 1)]
    scale, labels = scale_of(axes), Labels(MOST)
    parts = [cross(labels, axes, scale)]
    places = [(0.0, 0.0), *((value(x) * scale, -value(y) * scale) for x, y in rows)]
    stages = [Stage(name, []) for name in names]
    steps = list(zip(stages, pairwise(places), strict=True))
    far = [(stage, step) for stage, step in steps if distance(*step) > NEAR]
    for stage, (start, end) in far:
        labels.line(start, end)
        stage.parts.append(arrow("arrow", start, end))
    labels.line(places[0], places[-1])
    whole = places[0], places[-1]
    if distance(*whole) > NEAR:
        stages.append(Stage("sum", [arrow("arrow sum", *whole)]))
        far.append((stages[-1], whole))
    parts += axis_names(labels, axes, [sums.column_names()[column] for column in two], scale)
    for stage, (start, end) in far:
        middle = (start[0] + end[0]) / 2, (start[1] + end[1]) / 2
        css_class = "asks" if (start, end) == whole else ""
        stage.parts.extend(label_of(labels, middle, stage.name, (0.0, 0.0), css_class))
    left, top, right, bottom = labels.frame()
    return Drawing(right - left, bottom - top, parts, left, top, stages)


def coincident(places: list[Place]) -> list[list[int]]:
    """Return the numbers of the places, together where the eye sees one."""
    groups: list[list[int]] = []
    for number, place in enumerate(places):
        near = (group for group in groups if distance(place, places[group[0]]) <= NEAR)
        if group := next(near, None):
            group.append(number)
        else:
            groups.append([number])
    return groups
