"""Vectors in a plane that the reader drags, and numbers that follow (theme/assets/figures/live.js).

The first output is a matrix, of which `x` and `y` name two columns, or the first two; `drag` names
the rows that are dragged. The second is a vector, or one `row` of a matrix: the numbers with which
the reader starts. They are printed and compared, as all others are. `does` says what follows.

- `place`: nothing but the two numbers of the row itself.
- `dot`: the dot product of two rows, their lengths, and the angle between them.
- `mix`: the last row, a mixture of those before it, and the share of each. The row that is dragged,
  just before the last, asks them.
- `turn`: a slider takes the place of dragging. It turns two rows by a radian a step; their dot
  product and the angle between them stay.
"""

from html import escape

from site_build.figures.labels import BOLD, Box, Labels, Place, distance
from site_build.figures.plane import NEAR, ORIGIN, Plane, axes_of
from site_build.figures.svg import (
    Drawing,
    arrow,
    circle,
    path,
    points,
    short,
    text,
    text_width,
)
from site_build.markdown.tensors import Tensor, find, names_of, two_decimals, value

THICK = 14.0  # of the pull of a row whose share is 1; theme/assets/figures/live.js has it as well
# How many rows are dragged, and how many numbers follow.
DOES = {"place": (1, 2), "dot": (2, 4), "mix": (1, None), "turn": (0, 2)}
ROOM = 1.5  # from the longest arrow's label to the name of an axis
BEYOND = 30.0  # the end of an arrow, its label
ABOVE = 14.0  # the end of a mixture, which has its pulls below it


def drag(tensors: list[Tensor], options: dict[str, str]) -> list[Drawing]:
    """Draw the plane as it is at the start, with the numbers below it."""
    does, dragged = options.pop("does", ""), names_of(options.pop("drag", ""))
    if does not in DOES:
        raise ValueError(f'say what follows, does="...": {", ".join(DOES)}')
    if len(tensors) != 2:
        raise ValueError("two tensors are needed: the vectors, and the numbers that follow")
    vectors, numbers = tensors
    vectors = vectors.two_columns(options.pop("x", None), options.pop("y", None))
    rows, names = vectors.matrix(), vectors.row_names()
    start = numbers.vector(options.pop("row", None))
    moved = {find(name, names) for name in dragged}
    expected = (DOES[does][0], DOES[does][1] or len(rows) - 2)
    if (len(moved), len(start)) != expected:
        raise ValueError(f"{does} drags {expected[0]} rows, and {expected[1]} numbers follow")
    if does == "mix" and moved != {len(rows) - 2}:
        raise ValueError("the row that is dragged comes just before the last, the mixture")
    if does in ("dot", "turn") and len(rows) != 2:
        raise ValueError(f"{does} is of two rows")

    axes = axes_of([vectors])
    ends = [end for axis in axes for end in (axis.low, axis.high)]
    if does in ("dot", "turn"):  # to all sides, with room for the label of an end
        reach = max(map(abs, ends))
        ends = [-reach, reach] * 2
        for axis in axes:
            axis.low, axis.high, axis.ends = -reach * ROOM, reach * ROOM, {}
    plane = Plane(vectors, axes)
    places, labels = plane.places, plane.labels
    shares = list(map(value, start)) if does == "mix" else []
    moving = moved or {0, 1}
    parts = [plane.cross()]
    marks = []
    for number, place in enumerate(places):
        if number in moving:
            labels.line(ORIGIN, place)
            marks.append(arrow("arrow", ORIGIN, place) if distance(ORIGIN, place) > NEAR else "")
        elif number < len(shares):
            width = f' style="stroke-width:{short(shares[number] * THICK)}"'
            pull = path("pull", f"M{points([place, places[-1]])}", width)
            labels.line(place, places[-1])
            marks.append(pull + circle("dot", *place, 4))
        else:
            labels.dots.append(place)
            marks.append(circle("origin" if shares else "dot", *place, 5))
    parts += plane.axis_names()
    if shares:
        moving = {*moving, len(rows) - 1}
    for number in moving:
        below = None
        if shares:
            below = -ABOVE if number == len(rows) - 1 else BEYOND
        marks[number] += moving_label(labels, places[number], names[number], below)
    still = [number for number in range(len(rows)) if number not in moving]
    for (first, *_), words in plane.together(still, names):
        marks[first] += "".join(plane.label(places[first], words, ORIGIN))
    for number, (row, mark) in enumerate(zip(rows, marks, strict=True)):
        here = f' data-drag="{escape(names[number])}"' if number in moved else ""
        parts.append(f'<g data-row="{" ".join(row)}"{here}>{mark}</g>')
    data = (
        f'data-scale="{short(plane.scale)}" data-ends="{" ".join(map(short, ends))}" '
        f'data-axes="{escape("|".join(plane.titles))}"'
    )
    shown = numbers_below(does, numbers.column_names(), start)
    return [plane.drawing(parts, attributes=data, below=shown)]


def moving_label(labels: Labels, place: Place, words: str, below: float | None) -> str:
    """Return a label beyond the end of an arrow, or to its right and so much below it.

    theme/assets/figures/live.js puts it into the same place, wherever the end is dragged.
    """
    wide = text_width(words) * BOLD
    length = distance(ORIGIN, place) or 1.0
    if below is not None:
        x, y = place[0] + wide / 2, place[1] + below
    else:
        x, y = (one + BEYOND * one / length for one in place)
    box = labels.take([Box(x, y, wide)])
    return text(box.x, box.y + 5, words, "asks")


def numbers_below(does: str, names: list[str], digits: list[str]) -> str:
    """Return the numbers that follow, as they are at the start, and the slider of what turns."""
    shown = "".join(
        f"<span>{escape(name)} <b>{two_decimals(one)}</b></span>"
        for name, one in zip(names, digits, strict=True)
    )
    how = "Drag an end, or move it with the arrow keys."
    if does == "turn":
        how = "places on <input type=range max=12 value=0>"
    return (
        f'<div class="figure-live" data-needs="figures/live" data-does="{does}" '
        f"data-search-exclude>"
        f'<label class="for-scripts">{how}</label>{shown}</div>'
    )
