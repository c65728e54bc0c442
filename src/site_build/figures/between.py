"""Two texts, one above the other, and ribbons between them: a matrix of weights.

The columns are the words above, which are asked. The rows are the words below, which ask. A ribbon
is as thick as its weight, at both of its ends.
"""

from site_build.figures.marks import ribbon, side_by_side, upright
from site_build.figures.svg import LETTER, SMALL, Drawing, text
from site_build.figures.words import lines_of
from site_build.markdown.tensors import Tensor, share_of

HIGH = 96.0  # from one text to the other
LOWER = 20.0  # where words stand on two lines
MOST = 372.0  # together, before they do


def between(tensors: list[Tensor], options: dict[str, str]) -> list[Drawing]:
    """Draw the ribbons of each matrix; there are no options."""
    return [one_pair(tensor) for tensor in tensors]


def one_pair(tensor: Tensor) -> Drawing:
    """Draw the two texts of one matrix."""
    weights = [list(map(share_of, row)) for row in tensor.matrix()]
    above, below = (
        lines_of([names], 40, most=MOST, letter=SMALL)[0]
        for names in (tensor.column_names(), tensor.row_names())
    )
    wide = max(above.width, below.width)
    left, left_below = (wide - above.width) / 2, (wide - below.width) / 2
    top = 22 + LOWER * above.low
    # Ribbons of one word are side by side, as parts of a whole.
    tops = [side_by_side(column) for column in zip(*weights, strict=True)]
    parts: list[str] = []
    for row, (name, shares) in enumerate(zip(below.words, weights, strict=True)):
        x = left_below + below.centers[row]
        parts += [
            ribbon(
                "arc", upright((x + start, top + HIGH), (left + up + tops[column][row], top)), share
            )
            for column, (start, up, share) in enumerate(
                zip(side_by_side(shares), above.centers, shares, strict=True)
            )
            if share
        ]
        parts.append(text(x, top + HIGH + 20 + below.depth(row, LOWER), name))
    high = top + HIGH + 28 + LOWER * below.low
    return Drawing(wide, high, [*parts, *above.above(LETTER, LOWER, left)])
