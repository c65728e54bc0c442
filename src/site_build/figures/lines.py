"""Lines over steps: each column of a matrix is a line with its name at its end.

The names of the rows are the steps, numbers that grow. Lines that end high, at half of the highest
or more, are coloured. All panels have one scale.
"""

from itertools import pairwise

from site_build.figures.labels import apart, roomy
from site_build.figures.scale import Scale
from site_build.figures.svg import SMALL, Drawing, Stage, circle, straight, text, text_width
from site_build.markdown.tensors import Tensor, rounded, value

WIDE, HIGH = 220.0, 150.0
TOP = 10.0
MOST = 80.0  # the room for the names of lines that end together


def lines(tensors: list[Tensor], options: dict[str, str]) -> list[Drawing]:
    """Draw a line for each column."""
    labels = rounded(digits for tensor in tensors for row in tensor.matrix() for digits in row)
    loud = max(value(last) for tensor in tensors for last in tensor.matrix()[-1]) / 2
    scale = Scale.of(map(value, labels), HIGH)
    return [one_chart(tensor, scale, labels, loud, "moves" in options) for tensor in tensors]


def one_chart(
    tensor: Tensor, scale: Scale, labels: dict[str, str], loudest: float, moves: bool
) -> Drawing:
    """Draw the lines of one tensor; where they move, as one part from each step to the next.

    Lines that end at the loudest or above are coloured.
    """
    steps, columns = tensor.row_names(), list(zip(*tensor.matrix(), strict=True))
    left = max(text_width(labels[column[0]], SMALL) for column in columns) + 10
    xs = [left + part * WIDE for part in fractions(list(map(value, steps)))]
    zero = TOP + scale.down(0)
    parts = [straight("rule", (left, zero), (left + WIDE, zero))]
    starts: dict[str, float] = {}
    ends: dict[str, float] = {}
    called: dict[str, list[str]] = {}
    cuts = list(pairwise(range(len(xs)))) if moves else [(0, len(xs) - 1)]
    stages = [Stage(steps[end], []) for _, end in cuts]
    named = zip(tensor.column_names(), columns, strict=True)
    by_end = sorted(named, key=lambda one: value(one[1][-1]))
    for name, column in by_end:
        places = list(zip(xs, (TOP + scale.down(value(one)) for one in column), strict=True))
        loud = value(column[-1]) >= loudest > 0
        for (start, end), stage in zip(cuts, stages, strict=True):
            css_class = "line" if loud else "line faint"
            stage.parts.append(straight(css_class, *places[start : end + 1]))
        stages[-1].parts.append(circle("head" if loud else "dot", *places[-1], 3.5))
        first, last = labels[column[0]], labels[column[-1]]
        starts.setdefault(first, places[0][1])
        ends.setdefault(last, places[-1][1])
        called.setdefault(last, []).append(name)
    starts, ends = apart(starts), apart(ends)
    parts += [text(left - 8, y + 4.5, label, "number end faint") for label, y in starts.items()]
    right = left + WIDE + 9
    named_ends = [text(right, y + 4.5, label, "number start") for label, y in ends.items()]
    right += max(text_width(label, SMALL) for label in ends) + 4
    together = {label: shared_label(names) for label, names in called.items()}
    named_ends += [
        text(right, ends[label] + 4.5, words, "start") for label, words in together.items()
    ]
    stages[-1].parts.extend(named_ends)
    right += max(map(text_width, together.values()))
    bottom = max(TOP + HIGH, *starts.values(), *ends.values()) + 24
    parts += [text(x, bottom, step, "number faint") for x, step in roomy(xs, steps)]
    return Drawing(right + 2, bottom + 8, parts, stages=stages)


def shared_label(names: list[str]) -> str:
    """Return the names of lines that end together."""
    words = ", ".join(dict.fromkeys(names))
    return words if text_width(words) <= MOST else "others"


def fractions(steps: list[float]) -> list[float]:
    """Return where each step is, from 0 to 1."""
    if len(steps) < 2:
        raise ValueError("a line needs two steps")
    if any(after <= before for before, after in pairwise(steps)):
        raise ValueError("the steps do not grow")
    return [(step - steps[0]) / (steps[-1] - steps[0]) for step in steps]
