"""Heat maps: matrices as coloured squares, with the rule of colours that tables have.

All panels have one scale. What is hidden, minus infinity, False or what the mask of the output
hides, is hatched, unlike a small number; what is True is filled.
"""

from itertools import chain

from site_build.figures.marks import BESIDE, Heat, group, label
from site_build.figures.svg import SMALL, Drawing, cell_size, path, text_width, through
from site_build.figures.words import Line, lines_of
from site_build.markdown.tensors import Tensor

WIDE, HALF = 370.0, 325.0  # of a map alone, and of one beside another


def maps(tensors: list[Tensor], options: dict[str, str]) -> list[Drawing]:
    """Draw a square for each number."""
    heat = Heat(digits for tensor in tensors for digits in tensor.digits.flat)
    side = max(36.0, heat.widest + 3)
    names = list(chain.from_iterable(tensor.row_names() for tensor in tensors))
    left = max(text_width(name, SMALL) for name in names) + BESIDE
    most = (WIDE if len(tensors) == 1 else HALF) - left
    lines = lines_of([tensor.column_names() for tensor in tensors], side, side, most, SMALL)
    return [one_map(*both, heat, left, side) for both in zip(tensors, lines, strict=True)]


def one_map(tensor: Tensor, line: Line, heat: Heat, left: float, side: float) -> Drawing:
    """Draw one matrix, below the names of its columns."""
    names, top = tensor.row_names(), 42.0 if line.low else 24.0
    wide, high = line.slot - 2, side - 2
    rows: list[str] = []
    for row, name in enumerate(names):
        cells = [label(-BESIDE, high / 2, name, "end")]
        for column, (digits, hidden) in enumerate(
            zip(tensor.matrix()[row], tensor.hidden()[row], strict=True)
        ):
            x = column * line.slot
            square = hatched(x, wide, high) if hidden else heat.square(digits, x, 0, wide, high)
            cells.append(square)
        rows.append(group(cells, (left, top + row * side)))
    heads = line.above(14, 18, left - 1)
    size = cell_size(wide, high)
    high = top + side * len(names)
    return Drawing(left + line.reach, high, [*rows, *heads], attributes=size)


def hatched(x: float, wide: float, high: float) -> str:
    """Return a square of strokes."""
    ways = (
        through((x, high / 2), (x + wide / 2, 0)),
        through((x, high), (x + wide, 0)),
        through((x + wide / 2, high), (x + wide, high / 2)),
    )
    return path("hatched", "".join(ways))
