"""Vectors in a plane that the reader drags, and numbers that follow (theme/assets/figures/live.js).

The first output is a matrix, of which `x` and `y` name two columns, or the first two; `drag` names
the rows that are dragged. The second is a vector, or one `row` of a matrix: the numbers with which
the reader starts. They are printed and compared, as all others are. `does` says what follows.

- `next`: which share of the dragged row is which component, as the next word of both `texts`,
  above and below the plane: in each, an arrow leads from the dragged row's word to its place. The
  rows of `goals` are drawn when the reader comes as far as they are. `says` has a sentence for
  each of them, and a last one for everywhere else.
- `dot`: the dot product of two rows, their lengths, and the angle between them.
- `mix`: the last row, a mixture of those before it, and the share of each. The row that is dragged,
  just before the last, asks them.
- `hands`: the rows are the tips of a clock's hand at one place after another. Two hands show two
  places, which sliders move; the second output is the matrix of the products of all places.
"""

from dataclasses import replace
from html import escape
from math import hypot

from site_build.figures.labels import BOLD, Box, Labels, Place, distance
from site_build.figures.plane import NEAR, ORIGIN, WIDE, Plane, axes_of
from site_build.figures.scale import Scale
from site_build.figures.svg import (
    SMALL,
    Drawing,
    arrow,
    circle,
    path,
    points,
    short,
    text,
    text_width,
)
from site_build.markdown.tensors import NO_BREAK, Tensor, find, names_of, two_decimals, value

THICK = 14.0  # of the pull of a row whose share is 1; theme/assets/figures/live.js has it as well
# How many rows are dragged, and how many numbers follow.
DOES = {"next": (1, 2), "dot": (2, 4), "mix": (1, None)}
ROOM = 1.5  # from the longest arrow's label to the name of an axis
BEYOND = 24.0  # the end of an arrow, its label
TEXTS = 20.0  # by which a plane between two texts may be wider
APART = 2  # the places of two hands, at first


def drag(tensors: list[Tensor], options: dict[str, str]) -> list[Drawing]:
    """Draw what the reader moves as it is at the start, with the numbers below it."""
    does = options.pop("does", "")
    if does not in {*DOES, "hands"}:
        raise ValueError(f'say what follows, does="...": {", ".join([*DOES, "hands"])}')
    if len(tensors) != 2:
        raise ValueError("two tensors are needed: the vectors, and the numbers that follow")
    vectors, numbers = tensors
    vectors = vectors.two_columns(options.pop("x", None), options.pop("y", None))
    if does == "hands":
        return [dial(vectors, numbers)]
    return [dragged(does, vectors, numbers, options)]


def dragged(does: str, vectors: Tensor, numbers: Tensor, options: dict[str, str]) -> Drawing:
    """Draw the vectors, and the groups whose marks the script moves."""
    rows, names = vectors.matrix(), vectors.row_names()
    start = numbers.vector(options.pop("row", None))
    moved = {find(name, names) for name in names_of(options.pop("drag", ""))}
    expected = (DOES[does][0], DOES[does][1] or len(rows) - 2)
    if (len(moved), len(start)) != expected:
        raise ValueError(f"{does} drags {expected[0]} rows, and {expected[1]} numbers follow")
    if does == "mix" and moved != {len(rows) - 2}:
        raise ValueError("the row that is dragged comes just before the last, the mixture")
    if does == "dot" and len(rows) != 2:
        raise ValueError("dot is of two rows")
    goals, says, texts = [], "", []
    if does == "next":
        goals = [find(goal, names) for goal in names_of(options.pop("goals", ""))]
        says, texts = options.pop("says", ""), options.pop("texts", "").split("|")
        if says.count("|") != len(goals):
            raise ValueError(f'{len(goals) + 1} sentences are needed, divided by "|"')
        if [names[number] in one.split() for one in texts for number in moved] != [True, True]:
            raise ValueError('two texts are needed, texts="one|other", with the dragged word')

    axes = axes_of([vectors])
    ends = [end for axis in axes for end in (axis.scale.low, axis.scale.high)]
    if does == "dot":  # to all sides, with room for the label of an end
        reach = max(map(abs, ends))
        ends = [-reach, reach] * 2
        scale = Scale(-reach * ROOM, reach * ROOM, WIDE)
        axes = [replace(axis, scale=scale, ends={}) for axis in axes]
    plane = Plane(vectors, axes)
    places, labels = plane.places, plane.labels
    shares = list(map(value, start)) if does == "mix" else []
    parts = [plane.cross()]
    marks = []
    table = places[min(moved)]  # where a table has the dragged row
    for number, place in enumerate(places):
        if number in moved:
            labels.line(ORIGIN, place)
            marks.append(arrow("arrow", ORIGIN, place) if distance(ORIGIN, place) > NEAR else "")
        elif number < len(shares):
            width = f' style="stroke-width:{short(shares[number] * THICK)}"'
            pull = path("pull", f"M{points([place, places[-1]])}", width)
            labels.line(place, places[-1])
            marks.append(pull + circle("dot", *place, 4))
        elif number in goals:
            labels.line(table, place)
            marks.append(arrow("arrow sum", table, place) + circle("dot", *place, 5))
        else:
            labels.dots.append(place)
            marks.append(circle("origin" if shares else "dot", *place, 5))
    parts += plane.axis_names()
    labels.most += TEXTS * bool(texts)
    for number, one in enumerate(texts):
        parts += lookup(plane, one, names[min(moved)], table, above=not number)
    moving = {*moved, len(rows) - 1} if shares else moved
    still = [number for number in range(len(rows)) if number not in moving]
    for (first, *_), words in plane.together(still, names):
        marks[first] += "".join(plane.label(places[first], words, ORIGIN))
    for number in moving:
        marks[number] += moving_label(labels, places[number], names[number])
    for number, (row, mark) in enumerate(zip(rows, marks, strict=True)):
        here = f' data-drag="{escape(names[number])}"' if number in moved else ""
        here += ' data-goal=""' * (number in goals)
        parts.append(f'<g data-row="{" ".join(row)}"{here}>{mark}</g>')
    data = (
        f'data-scale="{short(plane.scale)}" data-ends="{" ".join(map(short, ends))}" '
        f'data-axes="{escape("|".join(plane.titles))}"'
    )
    what = "an end" if does != "next" else f"“{' '.join(names[number] for number in moved)}”"
    how = f"Drag {what}, or move it with the arrow keys."
    written = map(percent if does == "next" else two_decimals, start)
    shown = zip(numbers.column_names(), written, strict=True)
    return plane.drawing(parts, attributes=data, below=below(does, how, list(shown), says))


def moving_label(labels: Labels, place: Place, words: str) -> str:
    """Return a label beyond the end of an arrow, or where there is room beside it.

    theme/assets/figures/live.js looks for room in the same way, wherever the end is dragged.
    """
    length = distance(ORIGIN, place) or 1.0
    x, y = (one + BEYOND * one / length for one in place)
    beyond = Box(x, y, text_width(words) * BOLD)
    if not labels.covered(beyond, [], labels.dots):
        labels.boxes.append(beyond)
        return text(x, y + 5, words, "asks")
    return labels.beside(place, words, ORIGIN).text(words, "asks", place)


def lookup(plane: Plane, words: str, looked_up: str, place: Place, above: bool) -> list[str]:
    """Return a text above or below a plane, and an arrow from a word of it to a place.

    The word begins where the arrow does, whatever letters a reader has.
    """
    (across, up), scale = plane.axes, plane.scale
    before, _, after = words.partition(looked_up)
    x = across.scale.high * scale / 2
    y = -up.scale.high * scale - 2 * BEYOND - 10 if above else 2 * BEYOND + 10
    for side, part in ((-1, before), (1, looked_up + after)):
        wide = text_width(part, SMALL)
        plane.labels.boxes.append(Box(x + side * wide / 2, y, wide))
    start = x + 12, y + (8 if above else -14)
    ends = place[0], place[1] + (-12 if above else 12)
    plane.labels.line(start, ends)
    return [
        text(x - 4, y, before.strip(), "number end"),
        f'<text x="{short(x)}" y="{short(y)}" class="number start"><tspan>{escape(looked_up)}'
        f"</tspan>{escape(after)}</text>",
        arrow("leads", start, ends),
    ]


def percent(share: str) -> str:
    """Return a share as it is written below a figure."""
    return f"{100 * value(share):.0f} %"


def dial(hands: Tensor, products: Tensor) -> Drawing:
    """Draw the places around a dial, and two hands that point to two of them."""
    names, tips = hands.row_names(), [(value(x), value(y)) for x, y in hands.matrix()]
    if products.shape != (len(names), len(names)) or len(names) <= APART:
        raise ValueError(f"the products of {len(names)} places are needed, 3 places at least")
    longest = max(hypot(*tip) for tip in tips) or 1.0
    radius = WIDE / 2 - 2 * BEYOND
    around = [(x / longest * radius, -y / longest * radius) for x, y in tips]
    parts = [circle("dial", *ORIGIN, radius)]
    for name, (x, y) in zip(names, around, strict=True):
        side = " start" if x > BEYOND else " end" if x < -BEYOND else ""
        out = 1 + BEYOND / (2.5 if side else 1.5) / radius
        parts += [circle("dot", x, y, 3.5), text(x * out, y * out + 5, name, f"faint{side}")]
    for who, place in enumerate((0, APART)):
        hand = arrow(f"arrow who-{who}", ORIGIN, around[place])
        parts.append(f'<g data-row="{" ".join(hands.matrix()[place])}">{hand}</g>')
    parts.append(circle("dot", *ORIGIN, 4))
    table, turns = ("|".join(map(" ".join, one.matrix())) for one in (products, hands))
    data = f'data-hands="{turns}" data-products="{table}"'
    how = slider("both move on", len(names) - 1 - APART, 0) + slider("apart", len(names) - 1, APART)
    product = two_decimals(products.matrix()[0][APART])
    shown = [("score", product)]
    high = radius + BEYOND
    wide = high + max(map(text_width, names)) - 0.4 * BEYOND
    drawing = Drawing(2 * wide, 2 * high, parts, -wide, -high, large=True, attributes=data)
    return replace(drawing, below=below("hands", how, shown, ""))


def slider(name: str, most: int, now: int) -> str:
    """Return a slider with its name."""
    return f"<label>{name} <input type=range max={most} value={now}></label>"


def below(does: str, how: str, shown: list[tuple[str, str]], says: str) -> str:
    """Return how to move it, the numbers that follow, as they are at the start, and what it means.

    The last is empty until something has moved, and is read aloud then.
    """
    numbers = "".join(
        f"<span{f' class=who-{who}' * (does == 'next')}>{escape(name.replace(NO_BREAK, ' '))} "
        f"<b>{number}</b></span>"
        for who, (name, number) in enumerate(shown)
    )
    data = f' data-says="{escape(says)}"' if says else ""
    return (
        f'<div class="figure-live" data-needs="figures/live" data-does="{does}"{data} '
        f'data-search-exclude><div class="for-scripts">{how} <button type=button>Reset</button>'
        f"</div>{numbers}<output></output></div>"
    )
