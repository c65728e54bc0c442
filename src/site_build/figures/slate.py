"""A slate on which words write, one after another: each row of a matrix is what stands there then.

A number is written where it is new. What stood there before is crossed out.
"""

from site_build.figures.svg import (
    SMALL,
    Drawing,
    Stage,
    lines_of,
    path,
    rectangle,
    short,
    text,
    text_width,
)
from site_build.markdown.tensors import Tensor, rounded, value

HIGH = 28.0
TOP = 20.0


def slate(tensors: list[Tensor], options: dict[str, str]) -> list[Drawing]:
    """Draw a slate for each matrix; there are no options."""
    labels = [rounded(tensor.digits.flat) for tensor in tensors]
    slot = max(text_width(label, SMALL) for each in labels for label in each.values()) + 14
    # Words that stood lower would stand on the slate.
    words = lines_of([tensor.row_names() for tensor in tensors], slot, most=float("inf"))
    return [
        one_slate(tensor, line.centers, written)
        for tensor, line, written in zip(tensors, words, labels, strict=True)
    ]


def one_slate(tensor: Tensor, centers: list[float], labels: dict[str, str]) -> Drawing:
    """Draw what is written on one slate, from left to right."""
    names = tensor.column_names()
    left = max(map(text_width, names)) + 8
    wide, high = centers[0] + centers[-1], HIGH * len(names)
    stages = [
        Stage(word, [text(left + x, 13, word)])
        for x, word in zip(centers, tensor.row_names(), strict=True)
    ]
    parts = []
    for number, name in enumerate(names):
        y = TOP + HIGH * (number + 0.5)
        parts.append(text(left - 8, y + 5, name, "end"))
        stands, strike = 0.0, ""
        for x, stage, row in zip(centers, stages, tensor.matrix(), strict=True):
            digits = row[number]
            if value(digits) == stands:
                continue
            half = text_width(labels[digits], SMALL) / 2
            stage.parts.append(strike + text(left + x, y + 5, labels[digits], "number"))
            stands = value(digits)
            strike = path("struck", f"M{short(left + x - half)},{short(y)}h{short(2 * half)}")
    parts.append(path("dial", rectangle(left, TOP, wide, high)))
    return Drawing(left + wide, TOP + high + 1, parts, stages=stages)
