"""A sum that grows term by term, in a unit that may change: the sum of an online softmax.

Each row of a matrix is a term that comes. Of its columns, `maximum` says in which unit the sum is
from now on, `factor` by how much everything in it shrinks for that, and `total` how much it is
then. A term is a block, and below each row stands what becomes of its blocks in the next one.
"""

from itertools import pairwise

from site_build.figures.svg import SMALL, Drawing, Stage, path, points, rectangle, text, text_width
from site_build.markdown.tensors import Tensor, find, rounded, value

HIGH, ROW = 20.0, 38.0
TOP = 24.0
LONG = 180.0  # the largest sum
GAP = 10.0
COLUMNS = ("maximum", "factor", "total")
HEADS = ("maximum", "sum")


def running(tensors: list[Tensor], options: dict[str, str]) -> list[Drawing]:
    """Draw the blocks of the sum after each term; there are no options."""
    (tensor,) = tensors[:1]
    if len(tensors) > 1:
        raise ValueError("one output is drawn")
    names, rows = tensor.row_names(), tensor.matrix()
    maximum, factor, total = (find(name, tensor.column_names()) for name in COLUMNS)
    sums = blocks_of([(value(row[factor]), value(row[total])) for row in rows])
    labels = rounded(row[column] for row in rows for column in (maximum, total))
    unit = LONG / max(map(sum, sums))
    left = max(text_width(name) for name in names) + GAP + 4
    heads = [left + LONG + GAP]
    heads.append(heads[0] + text_width(HEADS[0], SMALL) + GAP)
    wide = heads[1] + text_width("0.00", SMALL) + 3
    stages = []
    edges: list[float] = []
    for number, (name, row, blocks) in enumerate(zip(names, rows, sums, strict=True)):
        y = TOP + ROW * number
        before, edges = edges, [left + unit * sum(blocks[:n]) for n in range(len(blocks) + 1)]
        parts = [path("shade", shrunk(before, edges, y - ROW + HIGH, y))] if number else []
        kept = (rectangle(start, y, end - start, HIGH) for start, end in pairwise(edges[:-1]))
        parts += [path("tile", "".join(kept))] if number else []
        parts += [
            text((start + end) / 2, y + 15, word, "number")
            for word, (start, end) in zip(names, pairwise(edges[:-1]), strict=False)
            if text_width(word, SMALL) < end - start - 4
        ]
        new = rectangle(edges[-2], y, edges[-1] - edges[-2], HIGH)
        parts.append(path("full", new))
        parts.append(text(left - GAP, y + 15, name, "end"))
        for x, column in zip(heads, (maximum, total), strict=True):
            parts.append(text(x, y + 15, labels[row[column]], "number start"))
        stages.append(Stage(name, parts))
    back = [text(x, 13, head, "number start faint") for x, head in zip(heads, HEADS, strict=True)]
    return [Drawing(wide, TOP + ROW * len(rows) - ROW + HIGH + 2, [], stages=stages, back=back)]


def blocks_of(walk: list[tuple[float, float]]) -> list[list[float]]:
    """Return the terms of each sum: all earlier ones times its factor, and what is new in it.

    Args:
        walk: The factor and the sum of each row.
    """
    sums: list[list[float]] = []
    for factor, total in walk:
        kept = [block * factor for block in sums[-1]] if sums else []
        new = total - sum(kept)
        if new < 0:
            raise ValueError(f"the sum {total} is less than what it is made from")
        sums.append([*kept, new])
    return sums


def shrunk(before: list[float], after: list[float], top: float, low: float) -> str:
    """Return areas that lead from the blocks of a row to the same ones in the next."""
    both = zip(pairwise(before), pairwise(after), strict=False)
    return "".join(
        f"M{points([(left, top), (right, top), (end, low), (start, low)])}z"
        for (left, right), (start, end) in both
    )
