"""Eight devices, which share out three things at once: a line of each hue joins those that talk.

Each row is a device, each column one of the things: 0 for its first half, 1 for its second. Devices
that differ in the last column alone are in one box. A column is named after what is shared out, and
behind a colon after what is sent for it.
"""

from itertools import product

from site_build.figures.cards import HIGH, card
from site_build.figures.svg import (
    SMALL,
    Drawing,
    Stage,
    path,
    points,
    rectangle,
    short,
    text,
    text_width,
)
from site_build.markdown.tensors import Tensor, names_of, value

WIDE, EDGE = 54.0, 10.0  # of a device, and the room beside it
BETWEEN = 26.0  # two boxes
UPPER = EDGE + 18  # the room above it, with its head
BEND, TURN = 10.0, 5.0  # from one line around devices to the next, and how round its corners are
LINE = 22.0  # of the legend

Place = tuple[int, ...]
Point = tuple[float, float]


def mesh(tensors: list[Tensor], options: dict[str, str]) -> list[Drawing]:
    """Draw the devices in their boxes; `halves` names both halves of each column."""
    (tensor,) = tensors
    at = {
        tuple(int(value(digits)) for digits in row): name
        for row, name in zip(tensor.matrix(), tensor.row_names(), strict=True)
    }
    if set(at) != set(product((0, 1), repeat=3)):
        raise ValueError("eight devices are needed, each with another row of three halves")
    halves = names_of(options.pop("halves", ""))
    if len(halves) != 6:
        raise ValueError(f"{len(halves)} names for two halves of three columns")

    left = max(text_width(name, SMALL) for name in halves[2:4]) + 8
    box_wide = 2 * WIDE + 3 * EDGE
    top, box_high = 24 + 2 * BEND, UPPER + HIGH + EDGE
    rows = [top, top + box_high + BETWEEN]
    columns = [left, left + box_wide + BETWEEN]
    centers: dict[Place, Point] = {
        (one, two, three): (
            columns[one] + EDGE + WIDE / 2 + three * (WIDE + EDGE),
            rows[two] + UPPER + HIGH / 2,
        )
        for one, two, three in at
    }

    parts = []
    for one, two in product((0, 1), repeat=2):
        parts.append(path("dial", rectangle(columns[one], rows[two], box_wide, box_high)))
    for half in (0, 1):
        parts.append(text(columns[half] + box_wide / 2, 14, halves[half], "number"))
        parts.append(text(left - 8, rows[half] + box_high / 2 + 4, halves[2 + half], "number end"))
    for place, (x, y) in centers.items():
        parts.append(text(x, y - HIGH / 2 - 7, halves[4 + place[2]], "number faint"))
        device = "".join(card(at[place], WIDE))
        parts.append(f'<g transform="translate({short(x)} {short(y)})">{device}</g>')

    low = rows[1] + box_high + 2 * BEND + 22
    stages = []
    for axis, name in enumerate(tensor.column_names()):
        ways = "".join(way(axis, place, centers) for place in at if place[axis] == 0)
        y = low + LINE * axis
        legend = path("line", f"M4,{short(y - 4)}h22") + text(34, y, name, "number start")
        stages.append(
            Stage(
                name.partition(":")[0], [f'<g class="who-{axis}">{path("line", ways)}{legend}</g>']
            )
        )
    wide = max(
        columns[1] + box_wide,
        34 + max(text_width(name, SMALL) for name in tensor.column_names()),
    )
    return [Drawing(wide, low + LINE * 2 + 8, [], stages=stages, back=parts)]


def way(axis: int, place: Place, centers: dict[Place, Point]) -> str:
    """Return the line from a device to the one that differs from it in one column."""
    other = tuple(1 if number == axis else half for number, half in enumerate(place))
    (x, y), (right, below) = centers[place], centers[other]
    if axis == 2:  # in one box
        return f"M{points([(x + WIDE / 2, y), (right - WIDE / 2, y)])}"
    if axis == 1:  # down to the next box, beside the name of the device there
        return (
            f"M{points([(x - WIDE / 2 + 4, y + HIGH / 2), (x - WIDE / 2 + 4, below - HIGH / 2)])}"
        )
    # Around the devices between them: above the upper row, below the lower one.
    side, way_out = (-1, UPPER) if place[1] == 0 else (1, EDGE)
    start, shift = y + side * HIGH / 2, WIDE / 2 - 4
    far = start + side * (way_out + BEND * (place[2] + 1))
    return (
        f"M{points([(x + shift, start), (x + shift, far - side * TURN)])}"
        f"q0,{short(side * TURN)} {short(TURN)},{short(side * TURN)}"
        f"H{short(right + shift - TURN)}"
        f"q{short(TURN)},0 {short(TURN)},{short(-side * TURN)}V{short(start)}"
    )
