"""Bars over words: a vector, or one `row` of a matrix. All panels have one scale."""

from site_build.figures.svg import (
    Drawing,
    path,
    rectangle,
    straight,
    text,
)
from site_build.figures.words import lines_of
from site_build.markdown.tensors import Tensor, index_of, rounded, value

HIGH = 110.0
LABEL = 22.0  # the room that a number takes
WORDS = 22.0


def bars(tensors: list[Tensor], options: dict[str, str]) -> list[Drawing]:
    """Draw a bar for each number."""
    row = options.pop("row", None)
    vectors = [tensor.vector(row) for tensor in tensors]
    labels = rounded(digits for vector in vectors for digits in vector)
    numbers = [0.0, *map(value, labels)]
    low, high = min(numbers), max(numbers)
    unit = HIGH / (high - low or 1)
    zero = LABEL + high * unit
    words_at = zero - low * unit + (LABEL if low else 0) + WORDS
    drawings = []
    sentences = lines_of([tensor.column_names() for tensor in tensors], 48)
    for tensor, vector, line in zip(tensors, vectors, sentences, strict=True):
        thick = line.slot * 0.56
        asks = index_of(row, tensor.rows) if row and tensor.rows == tensor.columns else None
        parts: list[str] = []
        for x, digits in zip(line.centers, vector, strict=True):
            label, tall = labels[digits], value(digits) * unit
            if tall:
                bar = rectangle(x - thick / 2, zero, thick, -tall)
                parts.append(path("bar", bar))
            label_at = zero - tall + (16 if tall < 0 else -6)
            size = "number" if label.strip("0.") else "number faint"
            parts.append(text(x, label_at, label, size))
        parts += line.below(words_at, 18, asks)
        parts.append(straight("rule", (0, zero), (line.width, zero)))
        height = words_at + (24 if line.low else 6)
        drawings.append(Drawing(line.width, height, parts))
    return drawings
