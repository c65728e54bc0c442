"""One word's attention as a whole: arcs to all words, and what it takes from each, in one vector.

The first output is the vector of its weights. The second has two rows: the vector that the word had
before, and its context. `query` says which word asks.
"""

from dataclasses import replace

from site_build.figures.arcs import THICK, arcs, weight_of
from site_build.figures.labels import BOLD
from site_build.figures.svg import (
    SMALL,
    Drawing,
    Stage,
    cell_size,
    lines_of,
    path,
    short,
    text,
    text_width,
)
from site_build.markdown.tensors import Tensor, rounded, shades_of, values_of

FALL = 58.0  # from the words to the vector
HIGH = 30.0
GAP = 8.0  # the vector's name, the vector


def flow(tensors: list[Tensor], options: dict[str, str]) -> list[Drawing]:
    """Draw arcs above the words, and streams from the words into a vector below them."""
    if len(tensors) != 2 or [len(tensors[0].shape), *tensors[1].shape[:-1]] != [1, 2]:
        raise ValueError("a vector of weights is needed, and a matrix of two rows: before, after")
    weights, vectors = tensors
    if "row" in options or "query" not in options:
        raise ValueError('choose the word that asks, with query="..."')
    name = options["query"]
    (above,) = arcs([weights], options)
    (words,) = lines_of([weights.column_names()], 40)
    shares = list(map(weight_of, weights.vector()))
    start = above.height
    vector, middle = vector_of(vectors, name, above.width / 2, start + FALL)
    ends = middle - sum(shares) * THICK / 2
    streams = []
    for x, share in zip(words.centers, shares, strict=True):
        end = ends + share * THICK / 2
        ends += share * THICK
        way = (
            f"M{short(x)},{short(start)}C{short(x)},{short(start + FALL * 0.7)} "
            f"{short(end)},{short(start + FALL * 0.3)} {short(end)},{short(start + FALL)}"
        )
        if share:
            streams.append(path("taken", way, f' style="stroke-width:{share * THICK:.3g}"'))
    after = [Stage("what it takes", streams), Stage("its new numbers", vector.parts)]
    width = max(above.width, vector.width)
    return [replace(vector, width=width, parts=above.parts, stages=[*above.stages, *after])]


def vector_of(vectors: Tensor, name: str, middle: float, top: float) -> tuple[Drawing, float]:
    """Return a vector as a row of squares, what each number was and what it is, and its middle.

    The middle is further right where the name needs the room.
    """
    before, after = vectors.matrix()
    old, new = rounded(before), rounded(after)
    labels = [
        f"{old[was]} \N{RIGHTWARDS ARROW} {new[now]}"
        for was, now in zip(before, after, strict=True)
    ]
    slot = max(text_width(label, SMALL) for label in labels) + 8
    (line,) = lines_of([vectors.column_names()], slot, slot, letter=SMALL)
    left = max(middle - line.width / 2, text_width(name) * BOLD + 1.5 * GAP)
    shades = shades_of(values_of(after))
    parts = []
    for x, one, label, column in zip(line.centers, after, labels, line.words, strict=True):
        at = f'x="{short(left + x - line.slot / 2 + 1)}" y="{short(top)}"'
        parts.append(f"<rect {at}{shades[one]}/>")
        parts.append(text(left + x, top + HIGH / 2 + 5, label, "number"))
        parts.append(text(left + x, top + HIGH + 16, column, "number faint"))
    parts.append(text(left - GAP, top + HIGH / 2 + 5, name, "asks end"))
    size = cell_size(line.slot - 2, HIGH)
    drawing = Drawing(left + line.width, top + HIGH + 21, parts, attributes=size)
    return drawing, left + line.width / 2
