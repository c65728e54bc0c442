"""Vectors in a plane that the reader drags, and numbers that follow (theme/assets/figures/live.js).

The first output is a matrix, of which `x` and `y` name two columns, or the first two; `drag` names
the rows that are dragged. The second is a vector, or one `row` of a matrix: the numbers with which
the reader starts. They are printed and compared, as all others are. `does` says what follows.

- `next`: which share of the dragged row is which component, as the next word of both `texts`,
  above and below the plane: in each, an arrow leads from the dragged row's word to its place. The
  rows of `goals` are drawn when the reader comes as far as they are. `says` has a sentence for
  each of them, and a last one for everywhere else.
- `mix`: the last row, a mixture of those before it, and the share of each. The row that is dragged,
  just before the last, asks them.
"""

from html import escape

from site_build.figures.controls import live
from site_build.figures.labels import BOLD, Box, Labels, distance
from site_build.figures.marks import ribbon
from site_build.figures.plane import NEAR, ORIGIN, Plane, axes_of
from site_build.figures.svg import (
    SMALL,
    Drawing,
    Point,
    arrow,
    circle,
    short,
    text,
    text_width,
    through,
)
from site_build.markdown.tensors import Tensor, index_of, names_of, value

# How many rows are dragged, and how many numbers follow.
DOES = {"next": (1, 2), "mix": (1, None)}
RESET = " <button type=button>Reset</button>"
BEYOND = 24.0  # the end of an arrow, its label
TEXTS = 20.0  # by which a plane between two texts may be wider


def drag(tensors: list[Tensor], options: dict[str, str]) -> list[Drawing]:
    """Draw what the reader moves as it is at the start, with the numbers below it."""
    does = options.pop("does", "")
    if does not in DOES:
        raise ValueError(f'say what follows, does="...": {", ".join(DOES)}')
    if len(tensors) != 2:
        raise ValueError("two tensors are needed: the vectors, and the numbers that follow")
    vectors, numbers = tensors
    vectors = vectors.two_columns(options.pop("x", None), options.pop("y", None))
    return [dragged(does, vectors, numbers, options)]


def dragged(does: str, vectors: Tensor, numbers: Tensor, options: dict[str, str]) -> Drawing:
    """Draw the vectors, and the groups whose marks the script moves."""
    names = vectors.row_names()
    start = numbers.vector(options.pop("row", None))
    moved = {index_of(name, names) for name in names_of(options.pop("drag", ""))}
    check_count(does, len(names), moved, len(start))
    goals, says, texts = goals_and_texts(names, moved, options) if does == "next" else ([], "", [])
    axes = axes_of([vectors])
    plane = Plane(vectors, axes)
    ends = [end for axis in axes for end in (axis.scale.low, axis.scale.high)]
    shares = list(map(value, start)) if does == "mix" else []
    table = plane.places[min(moved)]  # where a table has the dragged row
    parts = [plane.cross()]
    marks = [mark_of(plane, number, moved, goals, shares, table) for number in range(len(names))]
    parts += plane.axis_names()
    plane.labels.most += TEXTS * bool(texts)
    for number, one in enumerate(texts):
        parts += lookup(plane, one, names[min(moved)], table, above=not number)
    moving = {*moved, len(names) - 1} if shares else moved
    still = [number for number in range(len(names)) if number not in moving]
    for (first, *_), words in plane.together(still, names):
        marks[first] += "".join(plane.label(plane.places[first], words, ORIGIN))
    for number in moving:
        marks[number] += moving_label(plane.labels, plane.places[number], names[number])
    for number, (row, mark) in enumerate(zip(vectors.matrix(), marks, strict=True)):
        here = f' data-drag="{escape(names[number])}"' if number in moved else ""
        here += ' data-goal=""' * (number in goals)
        parts.append(f'<g data-row="{" ".join(row)}"{here}>{mark}</g>')
    data = (
        f'data-scale="{short(plane.scale)}" data-ends="{" ".join(map(short, ends))}" '
        f'data-axes="{escape("|".join(plane.titles))}"'
    )
    what = "an end" if does != "next" else f"“{' '.join(names[number] for number in moved)}”"
    how = f"Drag {what}, or move it with the arrow keys.{RESET}"
    means = f' data-says="{escape(says)}"' if says else ""
    below = live("figures/live", does, how, numbers.column_names(), start, means)
    return plane.drawing(parts, attributes=data, below=below)


def check_count(does: str, rows: int, moved: set[int], numbers: int) -> None:
    """Refuse rows and numbers that are too many or too few for what follows."""
    expected = (DOES[does][0], DOES[does][1] or rows - 2)
    if (len(moved), numbers) != expected:
        raise ValueError(f"{does} drags {expected[0]} rows, and {expected[1]} numbers follow")
    if does == "mix" and moved != {rows - 2}:
        raise ValueError("the row that is dragged comes just before the last, the mixture")


def goals_and_texts(
    names: list[str], moved: set[int], options: dict[str, str]
) -> tuple[list[int], str, list[str]]:
    """Return the goals of a next word, what is said at each, and the texts that it continues."""
    goals = [index_of(goal, names) for goal in names_of(options.pop("goals", ""))]
    says, texts = options.pop("says", ""), options.pop("texts", "").split("|")
    if says.count("|") != len(goals):
        raise ValueError(f'{len(goals) + 1} sentences are needed, divided by "|"')
    if [names[number] in one.split() for one in texts for number in moved] != [True, True]:
        raise ValueError('two texts are needed, texts="one|other", with the dragged word')
    return goals, says, texts


def mark_of(
    plane: Plane,
    number: int,
    moved: set[int],
    goals: list[int],
    shares: list[float],
    table: Point,
) -> str:
    """Return what is drawn of a row: an end that is held, a goal, what is mixed, or the mixture."""
    place, labels = plane.places[number], plane.labels
    if number in moved:
        labels.line(ORIGIN, place)
        return arrow("arrow", ORIGIN, place) if distance(ORIGIN, place) > NEAR else ""
    if number < len(shares):
        labels.line(place, plane.places[-1])
        pull = ribbon("pull", through(place, plane.places[-1]), shares[number])
        return pull + circle("dot", *place, 4)
    if number in goals:
        labels.line(table, place)
        return arrow("arrow sum", table, place) + circle("dot", *place, 5)
    labels.dots.append(place)
    return circle("origin" if shares else "dot", *place, 5)


def moving_label(labels: Labels, place: Point, words: str) -> str:
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


def lookup(plane: Plane, words: str, looked_up: str, place: Point, above: bool) -> list[str]:
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
