"""Two texts, one above the other, and ribbons between them: a matrix of weights.

The columns are the words above, which are asked. The rows are the words below, which ask; they come
one after the other, with their ribbons. A ribbon is as thick as its weight, at both of its ends.
"""

from site_build.figures.arcs import THICK, weight_of
from site_build.figures.svg import LETTER, SMALL, Drawing, Line, Stage, lines_of, path, short, text
from site_build.markdown.tensors import Tensor

HIGH = 96.0  # from one text to the other
LOWER = 20.0  # where words stand on two lines
MOST = 372.0  # together, before they do


def between(tensors: list[Tensor], options: dict[str, str]) -> list[Drawing]:
    """Draw the ribbons of each matrix; there are no options."""
    return [one_pair(tensor) for tensor in tensors]


def one_pair(tensor: Tensor) -> Drawing:
    """Draw the two texts of one matrix."""
    weights = [[weight_of(digits) for digits in row] for row in tensor.matrix()]
    above, below = (
        lines_of([names], 40, most=MOST, letter=SMALL)[0]
        for names in (tensor.column_names(), tensor.row_names())
    )
    whole = max(above.width, below.width)
    tops, bottoms = (
        [(whole - line.width) / 2 + x for x in line.centers] for line in (above, below)
    )
    top = 22 + (LOWER if above.low else 0)
    columns = [list(column) for column in zip(*weights, strict=True)]
    # Ribbons of one word are side by side, as parts of a whole.
    stages = []
    for row, name in enumerate(below.words):
        ribbons = []
        for column, weight in enumerate(weights[row]):
            if weight:
                up = tops[column] + beside(columns[column], row)
                down = bottoms[row] + beside(weights[row], column)
                style = f' style="--weight:{weight:g};stroke-width:{weight * THICK:.3g}"'
                ribbons.append(path("arc", ribbon(down, up, top), style))
        most = max(range(len(above.words)), key=weights[row].__getitem__)
        y = top + HIGH + 20 + below.depth(row, LOWER)
        ribbons.append(text(bottoms[row], y, name))
        stages.append(Stage(f"{name}: {above.words[most]}", ribbons))
    parts = words_of(above, tops)
    high = top + HIGH + 28 + (LOWER if below.low else 0)
    return Drawing(whole, high, parts, stages=stages)


def words_of(line: Line, at: list[float]) -> list[str]:
    """Return the words above, and ticks that lead from those that stand higher."""
    parts = []
    for number, (x, word) in enumerate(zip(at, line.words, strict=True)):
        up = LOWER - line.depth(number, LOWER) if line.low else 0.0
        if up:
            parts.append(path("rule", f"M{short(x)},{short(LETTER + 6)}v{short(up)}"))
        parts.append(text(x, LETTER + (LOWER if line.low else 0) - up, word))
    return parts


def beside(parts: list[float], number: int) -> float:
    """Return where a part of a whole is, from the middle of the whole."""
    return (sum(parts[:number]) + parts[number] / 2 - sum(parts) / 2) * THICK


def ribbon(down: float, up: float, top: float) -> str:
    """Return the way from a word below to a word above."""
    middle, end = short(top + HIGH / 2), short(top + HIGH)
    down_, up_ = short(down), short(up)
    return f"M{down_},{end}C{down_},{middle} {up_},{middle} {up_},{short(top)}"
