"""Vectors in a plane: a matrix, of which `x` and `y` name two columns, or the first two.

Arrows start at the origin. With `from` they start at the point of that row, and lead to the rows
that `to` names, or to all; the other rows are points. All panels have one scale, which is the same
along both axes, so that angles and lengths are true. The numbers on the axes are the largest and
the smallest of the printed ones.
"""

from site_build.inside.figures.labels import Box, Labels, Place, distance
from site_build.inside.figures.svg import Drawing, arrow, circle, path, points, text, text_width
from site_build.inside.figures.tensors import Tensor, find, names_of, rounded, value

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
    start, ends = options.pop("from", None), names_of(options.pop("to", ""))
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
    across, up = axes
    left, right = across.low * scale, across.high * scale + 12
    top, bottom = -up.high * scale - 12, -up.low * scale
    labels = Labels(MOST)
    labels.line((left, 0), (right, 0))
    labels.line((0, bottom), (0, top))
    parts = [path("rule", f"M{points([(left, 0), (right, 0)])}M{points([(0, bottom), (0, top)])}")]

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

    titled = right + 6 + text_width(titles[0]) / 2
    written = [([(titled, 0.0)], titles[0]), ([(0.0, top - 10)], titles[1])]
    written += [
        ([(end * scale, 14), (end * scale, -14)], label) for end, label in across.ends.items()
    ]
    for end, label in up.ends.items():
        beside = 8 + text_width(label) / 2
        written.append(([(-beside, -end * scale), (beside, -end * scale)], label))
    for choice, words in written:
        box = labels.take([Box(x, y, text_width(words)) for x, y in choice])
        parts.append(text(box.x, box.y + 5, words, "faint"))

    for together in coincident(places):
        words = ", ".join(dict.fromkeys(names[number] for number in together))
        box = labels.beside(places[together[0]], words, origin)
        if leader := box.leader(places[together[0]]):
            parts.append(path("rule", f"M{points(leader)}"))
        parts.append(text(box.x, box.y + 5, words, "asks" if begin in together else ""))
    left, top, right, bottom = labels.frame()
    return Drawing(right - left, bottom - top, parts, left, top)


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
