"""Vectors in a plane: a matrix, of which `x` and `y` name two columns, or the first two.

Arrows start at the origin. With `from` they start at the point of that row, and lead to the rows
that `to` names, or to all; the other rows are points. All panels have one scale, which is the same
along both axes, so that angles and lengths are true. The numbers on the axes are the largest and
the smallest of the printed ones.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from site_build.figures.labels import Box, Labels, distance
from site_build.figures.scale import Scale
from site_build.figures.svg import (
    Drawing,
    Point,
    arrow,
    circle,
    path,
    straight,
    text,
    text_width,
    through,
)
from site_build.markdown.tensors import Tensor, index_of, names_of, rounded, value

WIDE, HIGH = 270.0, 240.0
MOST = 350.0  # with the names
NEAR = 3.0  # what the eye takes for one point
ORIGIN = (0.0, 0.0)


@dataclass(frozen=True)
class Axis:
    """How far an axis goes, and what is written at its ends."""

    scale: Scale
    ends: dict[float, str]

    @classmethod
    def of(cls, digits: list[str], room: float) -> "Axis":
        """Return the axis of printed numbers."""
        labels = {value(one): rounded([one])[one] for one in digits}
        scale = Scale.of(labels, room)
        ends = {end: labels[end] for end in labels if end in (scale.low, scale.high) and end}
        return cls(scale, ends)


def axes_of(vectors: list[Tensor]) -> list[Axis]:
    """Return both axes of planes that have one scale."""
    columns = np.concatenate([tensor.digits for tensor in vectors]).T
    return [
        Axis.of(column.tolist(), room) for column, room in zip(columns, (WIDE, HIGH), strict=True)
    ]


class Plane:
    """A plane that is drawn: its axes, and the labels that have found room."""

    def __init__(self, vectors: Tensor, axes: list[Axis]) -> None:
        """Take a matrix of two columns, and how far the axes go."""
        self.axes, self.titles = axes, vectors.column_names()
        self.labels = Labels(MOST)
        self.scale = min(axis.scale.unit for axis in axes)
        self.places = [(value(x) * self.scale, -value(y) * self.scale) for x, y in vectors.matrix()]

    def cross(self) -> str:
        """Return the lines of both axes."""
        (left, right), (low, high) = (
            (axis.scale.low * self.scale, axis.scale.high * self.scale + 12) for axis in self.axes
        )
        flat, upright = [(left, 0.0), (right, 0.0)], [(0.0, -low), (0.0, -high)]
        for start, end in (flat, upright):
            self.labels.line(start, end)
        return path("rule", through(*flat) + through(*upright))

    def axis_names(self) -> list[str]:
        """Return the names of both axes, and the numbers at their ends."""
        (across, up), scale = self.axes, self.scale
        written: list[tuple[list[Point], str]] = [
            ([(end * scale, 14), (end * scale, -14)], label) for end, label in across.ends.items()
        ]
        for end, label in up.ends.items():
            beside = 8 + text_width(label) / 2
            written.append(([(-beside, -end * scale), (beside, -end * scale)], label))
        written.append(([(0.0, -up.scale.high * scale - 22)], self.titles[1]))
        # The name of the flat axis ends where the axis does.
        ends_at = across.scale.high * scale + 12 - text_width(self.titles[0]) / 2
        written.append(([(ends_at, down) for down in (14, 34, -14)], self.titles[0]))
        parts = []
        for choice, words in written:
            box = self.labels.take([Box(x, y, text_width(words)) for x, y in choice])
            parts.append(text(box.x, box.y + 5, words, "faint"))
        return parts

    def label(self, place: Point, words: str, away: Point, css_class: str = "") -> list[str]:
        """Return the label of a point, and a line to it from further off."""
        box = self.labels.beside(place, words, away)
        leader = box.leader(place)
        line = [straight("rule", *leader)] if leader else []
        return [*line, box.text(words, css_class, place)]

    def together(self, numbers: Iterable[int], names: list[str]) -> Iterator[tuple[list[int], str]]:
        """Yield numbers of places, together where the eye sees one, and their names."""
        groups: list[list[int]] = []
        for number in numbers:
            place = self.places[number]
            near = (one for one in groups if distance(place, self.places[one[0]]) <= NEAR)
            if group := next(near, None):
                group.append(number)
            else:
                groups.append([number])
        for group in groups:
            yield group, ", ".join(dict.fromkeys(names[number] for number in group))

    def drawing(self, parts: list[str], **more: Any) -> Drawing:
        """Return the drawing, with all that has taken room."""
        left, top, right, bottom = self.labels.frame()
        return Drawing(right - left, bottom - top, parts, left, top, large=True, **more)


def plane(tensors: list[Tensor], options: dict[str, str]) -> list[Drawing]:
    """Draw an arrow or a point for each row."""
    columns = options.pop("x", None), options.pop("y", None)
    start, ends = options.pop("from", None), names_of(options.pop("to", ""))
    if ends and start is None:
        raise ValueError('arrows that lead "to" rows start somewhere: say from="..."')
    vectors = [tensor.two_columns(*columns) for tensor in tensors]
    axes = axes_of(vectors)
    return [one_plane(each, axes, start, ends) for each in vectors]


def one_plane(vectors: Tensor, axes: list[Axis], start: str | None, ends: list[str]) -> Drawing:
    """Draw what is in one plane; the labels come last, where there is room for them."""
    shown, names = Plane(vectors, axes), vectors.row_names()
    begin = index_of(start, names) if start is not None else None
    tips = {index_of(end, names) for end in ends} or set(range(len(names))) - {begin}
    parts = [shown.cross()]

    origin = shown.places[begin] if begin is not None else ORIGIN
    dots = []
    for number, place in enumerate(shown.places):
        if number in tips and distance(place, origin) > NEAR:
            shown.labels.line(origin, place)
            parts.append(arrow("arrow", origin, place))
        else:
            shown.labels.dots.append(place)
            dots.append(circle("origin" if number == begin else "dot", *place, 4))
    parts += [*dots, *shown.axis_names()]
    for group, words in shown.together(range(len(names)), names):
        css_class = "asks" if begin in group else ""
        parts += shown.label(shown.places[group[0]], words, origin, css_class)
    return shown.drawing(parts)
