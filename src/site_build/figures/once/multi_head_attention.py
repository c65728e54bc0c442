"""What heads find, and how it is mixed.

`heads`: heads side by side, what each one looks at and finds, how that is joined, and what comes of
it. The first tensor is the matrix that mixes: a row for each result, and a column for each number
that the heads have found, with their names. Three tensors follow for each panel: the weights, a row
for each head; what each head found, a row for each as well; and the results. `query` is the word
that asks.
"""

from itertools import chain

from site_build.figures.arcs import WeightedWords
from site_build.figures.bars import flat_bar
from site_build.figures.marks import BESIDE, Grid, Heat, group, label
from site_build.figures.motion import slides
from site_build.figures.scale import Scale
from site_build.figures.svg import Drawing, Stage, cell_size, straight, text
from site_build.figures.words import Line, lines_of
from site_build.markdown.tensors import Tensor, index_of, rounded, value

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
    return [one_way(line, index_of(query, line.words), mixes, *panel) for line, *panel in panels]


def one_way(
    line: Line, asks: int, mixes: Tensor, weights: Tensor, found: Tensor, results: Tensor
) -> Drawing:
    """Draw one panel, from top to bottom."""
    if mixes.shape != (results.digits.size, found.digits.size):
        raise ValueError("the matrix does not fit what is found, or the results")
    count, wide = found.shape
    sentences = [WeightedWords(line, row, asks) for row in weights.matrix()]
    base = max(sentence.height() for sentence in sentences)
    fans = [sentence.draw(base) for sentence in sentences]
    step = line.width + APART
    grid = Grid.of([JOINED, *mixes.row_names()], CELL, HIGH)
    part = wide * CELL + BETWEEN  # of what is joined
    zero = grid.left + count * part - BETWEEN + 10 + BAR
    whole = max(zero + BAR, count * step - APART)

    boxes = TITLE + fans[0].height + 18
    joined = boxes + HIGH + 28
    parts = [label(grid.left - BESIDE, joined + HIGH / 2, JOINED, "number end")]
    stages, joins, heat = [], [], Heat(found.digits.flat)
    for head, (name, fan) in enumerate(zip(weights.row_names(), fans, strict=True)):
        x = (whole - count * step + APART) / 2 + head * step
        middle = x + line.width / 2
        at, to = middle - wide * CELL / 2, grid.left + head * part
        names = [
            text(at + (column + 0.5) * CELL, boxes - 6, of, "number faint")
            for column, of in enumerate(mixes.column_names()[head * wide :][:wide])
        ]
        arcs = group(chain.from_iterable(stage.parts for stage in fan.stages), at=(x, TITLE))
        box, after = (
            cells(heat, found.matrix()[head], *place) for place in ((at, boxes), (to, joined))
        )
        parts += [text(middle, 13, name, "number"), group(fan.parts, at=(x, TITLE))]
        stages.append(Stage(f"head {head}", [arcs, *names, box]))
        joins.append(slides(after, (to - at, joined - boxes)))
    stages.append(Stage(JOINED, joins))

    top = joined + HIGH + 24
    mixing, bars, heat = [], [], Heat(mixes.digits.flat)
    scale = Scale.of(map(abs, map(value, results.vector())), BAR)
    labels = rounded(results.vector())
    for number, (name, row) in enumerate(zip(mixes.row_names(), mixes.matrix(), strict=True)):
        y = top + number * HIGH
        mixing.append(label(grid.left - BESIDE, y + HIGH / 2, name, "number end"))
        for head in range(count):
            mixing.append(cells(heat, row[head * wide :][:wide], grid.left + head * part, y))
        digits = results.vector()[number]
        bars += flat_bar(zero, y + HIGH / 2, scale.length(value(digits)), HIGH - 8, labels[digits])
    low = top + HIGH * len(mixes.matrix())
    stages += [Stage("mixed", mixing), Stage("results", bars)]
    size = cell_size(CELL - 2, HIGH - 2)
    parts.append(straight("rule", (zero, top), (zero, low)))
    return Drawing(whole, low + 4, parts, stages=stages, attributes=size)


def cells(heat: Heat, digits: list[str], left: float, top: float) -> str:
    """Return some numbers side by side, with their colours."""
    return "".join(
        heat.square(one, left + number * CELL, top, CELL - 2, HIGH - 2)
        for number, one in enumerate(digits)
    )
