"""Bars over words: a vector, or one `row` of a matrix. All panels have one scale."""

from site_build.figures.svg import Drawing, Stage, lines_of, path, rectangle, short, text
from site_build.markdown.tensors import Tensor, find, rounded, value

HIGH = 110.0
LABEL = 22.0  # the room that a number takes
WORDS = 22.0


def bars(tensors: list[Tensor], options: dict[str, str]) -> list[Drawing]:
    """Draw a bar for each number."""
    row = options.pop("row", None)
    vectors = [tensor.vector(row) for tensor in tensors]
    every = [digits for vector in vectors for digits in vector]
    labels, values = rounded(every), [value(digits) for digits in every]
    top, bottom = max(0.0, *values), min(0.0, *values)
    scale = HIGH / (top - bottom or 1)
    zero = LABEL + top * scale
    words_at = zero - bottom * scale + (LABEL if bottom else 0) + WORDS
    drawings = []
    sentences = lines_of([tensor.column_names() for tensor in tensors], 48)
    for tensor, vector, line in zip(tensors, vectors, sentences, strict=True):
        thick = line.slot * 0.56
        asks = find(row, tensor.rows) if row and tensor.rows == tensor.columns else None
        stages = []
        for x, word, digits in zip(line.centers, line.words, vector, strict=True):
            parts = []
            label, tall = labels[digits], value(digits) * scale
            if tall:
                bar = rectangle(x - thick / 2, zero, thick, -tall)
                parts.append(path("minus" if tall < 0 else "bar", bar))
            label_at = zero - tall + (16 if tall < 0 else -6)
            size = "number" if label.strip("0.") else "number faint"
            parts.append(text(x, label_at, label, size))
            stages.append(Stage(f"{word}: {label}", parts))
        rule = path("rule", f"M0,{short(zero)}h{short(line.width)}")
        parts = [*line.draw(words_at, 18, asks), rule]
        high = words_at + (24 if line.low else 6)
        drawings.append(Drawing(line.width, high, parts, stages=stages))
    return drawings
