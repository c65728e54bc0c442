"""Squares over names, whose areas are the numbers of a vector. All panels have one scale."""

from site_build.figures.svg import Drawing, path, rectangle, text, text_width
from site_build.markdown.tensors import Tensor, rounded, value

SIDE = 130.0  # of the largest square
LABEL = 22.0  # the room that a number takes
GAP = 8.0


def areas(tensors: list[Tensor], options: dict[str, str]) -> list[Drawing]:
    """Draw a square for each number; there are no options."""
    vectors = [tensor.vector() for tensor in tensors]
    every = [digits for vector in vectors for digits in vector]
    labels, values = rounded(every), [value(digits) for digits in every]
    if min(values) < 0:
        raise ValueError("an area is not negative")
    scale = SIDE / (max(values) ** 0.5 or 1)
    drawings = []
    for tensor, vector in zip(tensors, vectors, strict=True):
        parts, left = [], 0.0
        for name, digits in zip(tensor.column_names(), vector, strict=True):
            side = value(digits) ** 0.5 * scale
            slot = max(side, text_width(name), text_width(labels[digits])) + GAP
            x = left + slot / 2
            if side:
                parts.append(path("bar", rectangle(x - side / 2, LABEL + SIDE, side, -side)))
            parts.append(text(x, LABEL + SIDE - side - 6, labels[digits], "number"))
            parts.append(text(x, LABEL + SIDE + 18, name))
            left += slot
        drawings.append(Drawing(left, LABEL + SIDE + 24, parts))
    return drawings
