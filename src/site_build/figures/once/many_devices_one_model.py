"""Eight devices, which share out three things at once: a line of each hue joins those that talk.

Each row is a device, each column one of the things: 0 for its first half, 1 for its second. Devices
that differ in the last column alone are in one box. A column is named after what is shared out, and
behind a colon after what is sent for it.
"""

from itertools import product

from site_build.figures.marks import HIGH, card, group, label, together
from site_build.figures.svg import (
    SMALL,
    Drawing,
    Point,
    Stage,
    path,
    rectangle,
    short,
    straight,
    text,
    text_width,
    through,
)
from site_build.markdown.tensors import Tensor, names_of

WIDE, EDGE = 54.0, 10.0  # of a device, and the room beside it
BETWEEN = 26.0  # two boxes
UPPER = EDGE + 18  # the room above it, with its head
BEND, TURN = 10.0, 5.0  # from one line around devices to the next, and how round its corners are
LINE = 22.0  # of the legend

Coordinate = tuple[int, ...]


def mesh(tensors: list[Tensor], options: dict[str, str]) -> list[Drawing]:
    """Draw the devices in their boxes; `halves` names both halves of each column."""
    (tensor,) = tensors
    devices = dict(zip(map(tuple, tensor.counts(below=2)), tensor.row_names(), strict=True))
    if set(devices) != set(product((0, 1), repeat=3)):
        raise ValueError("eight devices are needed, each with another row of three halves")
    halves = names_of(options.pop("halves", ""))
    if len(halves) != 6:
        raise ValueError(f"{len(halves)} names for two halves of three columns")

    left = max(text_width(name, SMALL) for name in halves[2:4]) + 8
    wide, high = 2 * WIDE + 3 * EDGE, UPPER + HIGH + EDGE  # of a box
    lefts, tops = ((at, at + size + BETWEEN) for at, size in ((left, wide), (24 + 2 * BEND, high)))
    parts = [path("dial", rectangle(x, y, wide, high)) for x in lefts for y in tops]
    for half, (x, y) in enumerate(zip(lefts, tops, strict=True)):
        parts.append(text(x + wide / 2, 14, halves[half], "number"))
        parts.append(label(left - 8, y + high / 2, halves[2 + half], "number end"))
    centers: dict[Coordinate, Point] = {}
    for (one, two, three), name in devices.items():
        x = lefts[one] + EDGE + WIDE / 2 + three * (WIDE + EDGE)
        y = tops[two] + UPPER + HIGH / 2
        centers[one, two, three] = x, y
        parts.append(text(x, y - HIGH / 2 - 7, halves[4 + three], "number faint"))
        parts.append(group(card(0, 0, name, WIDE), at=(x, y)))

    low, names = tops[1] + high + 2 * BEND + 22, tensor.column_names()
    stages = []
    for axis, name in enumerate(names):
        ways = (way(axis, place, centers) for place in centers if place[axis] == 0)
        y = low + LINE * axis
        legend = (
            straight("line", (4, y - 4), (26, y - 4)),
            text(34, y, name, "number start"),
        )
        stages.append(Stage(name.partition(":")[0], [group([*together("line", ways), *legend])]))
    room = max(lefts[1] + wide, 34 + max(text_width(name, SMALL) for name in names))
    return [Drawing(room, low + LINE * 2 + 8, [], stages=stages, back=parts)]


def way(axis: int, place: Coordinate, centers: dict[Coordinate, Point]) -> str:
    """Return the line from a device to the one that differs from it in one column."""
    other = tuple(1 if number == axis else half for number, half in enumerate(place))
    (x, y), (right, below) = centers[place], centers[other]
    if axis == 2:  # in one box
        return through((x + WIDE / 2, y), (right - WIDE / 2, y))
    if axis == 1:  # down to the next box, beside the name of the device there
        x -= WIDE / 2 - 4
        return through((x, y + HIGH / 2), (x, below - HIGH / 2))
    # Around the devices between them: above the upper row, below the lower one.
    side, way_out = (-1, UPPER) if place[1] == 0 else (1, EDGE)
    start, shift = y + side * HIGH / 2, WIDE / 2 - 4
    far = start + side * (way_out + BEND * (place[2] + 1))
    turn = short(side * TURN)
    return (
        f"{through((x + shift, start), (x + shift, far - side * TURN))}q0,{turn} 5,{turn}"
        f"H{short(right + shift - TURN)}q5,0 5,{short(-side * TURN)}V{short(start)}"
    )
