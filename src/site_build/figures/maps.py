"""Heat maps: matrices as coloured squares, with the rule of colours that tables have.

All panels have one scale. What is hidden, minus infinity, False or what the mask of the output
hides, is hatched, unlike a small number; what is True is filled.
"""

from site_build.figures.svg import (
    SMALL,
    Drawing,
    Line,
    Stage,
    cell_size,
    lines_of,
    path,
    points,
    short,
    text,
    text_width,
)
from site_build.markdown.colours import FILLED, shade
from site_build.markdown.tensors import Tensor, rounded, shades_of, values_of

WIDE, HALF = 370.0, 325.0  # of a map alone, and of one beside another


def maps(tensors: list[Tensor], options: dict[str, str]) -> list[Drawing]:
    """Draw a square for each number."""
    values = values_of(digits for tensor in tensors for digits in tensor.digits.flat)
    labels, shades = rounded(values), {**shades_of(values), FILLED: shade(1)}
    widest = max((text_width(label, SMALL) for label in labels.values()), default=0.0)
    side = max(36.0, widest + 3)
    left = max(text_width(name, SMALL) for tensor in tensors for name in tensor.row_names()) + 8
    most = (WIDE if len(tensors) == 1 else HALF) - left
    lines = lines_of([tensor.column_names() for tensor in tensors], side, side, most, SMALL)
    return [
        one_map(tensor, line, labels, shades, left, side)
        for tensor, line in zip(tensors, lines, strict=True)
    ]


def one_map(
    tensor: Tensor,
    line: Line,
    labels: dict[str, str],
    shades: dict[str, str],
    left: float,
    side: float,
) -> Drawing:
    """Draw one matrix, below the names of its columns."""
    rows = tensor.row_names()
    top = 42.0 if line.low else 24.0
    heads = [
        text(left + x - 1, 14 + line.depth(number, 18), name)
        for number, (x, name) in enumerate(zip(line.centers, line.words, strict=True))
    ]
    stages = []
    for number, name in enumerate(rows):
        cells = []
        row = zip(tensor.matrix()[number], tensor.hidden()[number], strict=True)
        for column, (printed, hidden) in enumerate(row):
            x = column * line.slot
            if hidden:
                cells.append(hatched(x, line.slot - 2, side - 2))
                continue
            cells.append(f'<rect x="{short(x)}"{shades[printed]}/>')
            if printed in labels:
                cells.append(text(x + line.slot / 2 - 1, side / 2 + 3.5, labels[printed]))
        drawn = (
            f'<g transform="translate({short(left)} {short(top + number * side)})">'
            f"{text(-8, side / 2 + 4, name, 'end')}{''.join(cells)}</g>"
        )
        stages.append(Stage(name, [drawn]))
    size = cell_size(line.slot - 2, side - 2)
    high = top + side * len(rows)
    return Drawing(left + line.width, high, heads, stages=stages, attributes=size)


def hatched(x: float, wide: float, high: float) -> str:
    """Return a square of strokes."""
    ways = (
        f"M{points([(x, high / 2), (x + wide / 2, 0)])}",
        f"M{points([(x, high), (x + wide, 0)])}",
        f"M{points([(x + wide / 2, high), (x + wide, high / 2)])}",
    )
    return path("hatched", "".join(ways))
