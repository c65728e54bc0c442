"""Heads side by side: what each one looks at and finds, how that is joined, and what comes of it.

The first tensor is the matrix that mixes: a row for each result, and a column for each number that
the heads have found, with their names. Three tensors follow for each panel: the weights, a row for
each head; what each head found, a row for each as well; and the results. `query` is the word that
asks.
"""

from site_build.figures.arcs import Sentence
from site_build.figures.scale import Scale
from site_build.figures.svg import (
    SMALL,
    Drawing,
    Line,
    Stage,
    cell_size,
    lines_of,
    path,
    rectangle,
    short,
    slides,
    text,
    text_width,
)
from site_build.markdown.tensors import Tensor, find, rounded, shades_of, value, values_of

CELL, HIGH = 44.0, 24.0
BETWEEN = 8.0  # the numbers of two heads
APART = 26.0  # two sentences
BAR = 43.0  # of the largest result, to either side; its number has room on the other
TITLE = 18.0
JOINED = "side by side"


def heads(tensors: list[Tensor], options: dict[str, str]) -> list[Drawing]:
    """Draw the way from the sentences of all heads to the results."""
    query = options.pop("query", None)
    mixes, *rest = tensors
    if query is None or not rest or len(rest) % 3:
        raise ValueError('say query="...", the mixing matrix, and three tensors for each panel')
    lines = lines_of([tensor.column_names() for tensor in rest[::3]], 40)
    panels = zip(lines, rest[::3], rest[1::3], rest[2::3], strict=True)
    return [one_way(line, find(query, line.words), mixes, *panel) for line, *panel in panels]


def one_way(
    line: Line, asks: int, mixes: Tensor, weights: Tensor, found: Tensor, results: Tensor
) -> Drawing:
    """Draw one panel, from top to bottom."""
    if len(mixes.matrix()[0]) != found.digits.size or len(mixes.matrix()) != results.digits.size:
        raise ValueError("the matrix does not fit what is found, or the results")
    count, wide = found.shape
    sentences = [Sentence(line, row, asks) for row in weights.matrix()]
    base = max(sentence.height() for sentence in sentences)
    fans = [sentence.draw(base) for sentence in sentences]
    left = max(text_width(name, SMALL) for name in [JOINED, *mixes.row_names()]) + 10
    ends = left + (count * wide) * CELL + (count - 1) * BETWEEN
    whole = max(ends + 10 + 2 * BAR, count * line.width + (count - 1) * APART)
    start = (whole - count * line.width - (count - 1) * APART) / 2

    boxes = TITLE + fans[0].height + 18
    joined = boxes + HIGH + 28
    parts = [text(left - 10, joined + HIGH / 2 + 4, JOINED, "number end")]
    stages, joins = [], []
    for head, (name, fan) in enumerate(zip(weights.row_names(), fans, strict=True)):
        x = start + head * (line.width + APART)
        middle = x + line.width / 2
        at = middle - wide * CELL / 2
        heads_of_columns = [
            text(at + (column + 0.5) * CELL, boxes - 6, of, "number faint")
            for column, of in enumerate(mixes.column_names()[head * wide :][:wide])
        ]
        arcs = [part for stage in fan.stages for part in stage.parts]
        box = cells(found, found.matrix()[head], at, boxes)
        parts += [text(middle, 13, name, "number who"), moved(x, TITLE, fan.parts)]
        stages.append(Stage(f"head {head}", [moved(x, TITLE, arcs), *heads_of_columns, box]))
        to = left + head * (wide * CELL + BETWEEN)
        box = cells(found, found.matrix()[head], to, joined)
        joins.append(slides(box, (to - at, joined - boxes)))
    stages.append(Stage(JOINED, joins))

    top = joined + HIGH + 24
    grid, bars = [], []
    scale = Scale.of(map(abs, map(value, results.vector())), BAR)
    zero = ends + 10 + BAR
    labels = rounded(results.vector())
    for number, (name, row) in enumerate(zip(mixes.row_names(), mixes.matrix(), strict=True)):
        y = top + number * HIGH
        grid.append(text(left - 10, y + HIGH / 2 + 4, name, "number end"))
        for head in range(count):
            at = left + head * (wide * CELL + BETWEEN)
            grid.append(cells(mixes, row[head * wide : (head + 1) * wide], at, y))
        digits = results.vector()[number]
        long = scale.length(value(digits))
        if long:
            bar = rectangle(zero, y + 4, long, HIGH - 8)
            bars.append(path("minus bar" if long < 0 else "bar", bar))
        side = "start" if long < 0 else "end"
        at = zero + (4 if long < 0 else -4)
        bars.append(text(at, y + HIGH / 2 + 4, labels[digits], f"number {side}"))
    rule = path("rule", f"M{short(zero)},{short(top)}v{short(HIGH * len(mixes.matrix()))}")
    stages += [Stage("mixed", grid), Stage("results", bars)]
    high = top + HIGH * len(mixes.matrix()) + 4
    size = cell_size(CELL - 2, HIGH - 2)
    return Drawing(whole, high, [*parts, rule], stages=stages, attributes=size)


def moved(x: float, y: float, parts: list[str]) -> str:
    """Return marks at another place."""
    return f'<g transform="translate({short(x)} {short(y)})">{"".join(parts)}</g>'


def cells(tensor: Tensor, row: list[str], left: float, top: float) -> str:
    """Return some numbers of a tensor, side by side, with its colours."""
    everything = list(tensor.digits.flat)
    labels, shades = rounded(everything), shades_of(values_of(everything))
    return "".join(
        f'<rect x="{short(left + number * CELL)}" y="{short(top)}"{shades[digits]}/>'
        + text(left + (number + 0.5) * CELL - 1, top + HIGH / 2 + 3.5, labels[digits])
        for number, digits in enumerate(row)
    )
