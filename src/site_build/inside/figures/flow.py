"""One word's attention as a whole: arcs to all words, and what it takes from each, in one vector.

The first output is the vector of its weights, the second its context. `query` says which word asks.
"""

from dataclasses import replace

from site_build.inside.colours import scale_of, shade
from site_build.inside.figures.arcs import THICK, arcs, weight_of
from site_build.inside.figures.labels import BOLD
from site_build.inside.figures.svg import (
    Drawing,
    Stage,
    lines_of,
    path,
    short,
    text,
    text_width,
)
from site_build.inside.figures.tensors import Tensor, rounded, value

FALL = 58.0  # from the words to the vector
HIGH = 30.0
GAP = 8.0  # the vector's name, the vector


def flow(tensors: list[Tensor], options: dict[str, str]) -> list[Drawing]:
    """Draw arcs above the words, and streams from the words into a vector below them."""
    if [len(tensor.shape) for tensor in tensors] != [1, 1]:
        raise ValueError("two vectors are needed: the weights, and the context")
    weights, context = tensors
    if "row" in options or "query" not in options:
        raise ValueError('choose the word that asks, with query="..."')
    name = options["query"]
    (above,) = arcs([weights], options)
    (words,) = lines_of([weights.column_names()], 40)
    shares = list(map(weight_of, weights.vector(None)))
    start = above.height
    vector, top, size, middle, right = vector_of(context, name, above.width / 2, start + FALL)
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
    stages = [*above.stages, Stage("values", streams), Stage("context", vector)]
    width = max(above.width, right)
    return [replace(above, width=width, height=top, stages=stages, attributes=size)]


def vector_of(
    context: Tensor, name: str, middle: float, top: float
) -> tuple[list[str], float, str, float, float]:
    """Return a vector as a row of squares with names, where it ends, and how large a square is.

    And where its middle and its right end are: further right, where its name needs the room.
    """
    digits = context.vector(None)
    (line,) = lines_of([context.column_names()], 52, letter=13)
    left = max(middle - line.width / 2, text_width(name) * BOLD + 1.5 * GAP)
    scale = scale_of(map(value, digits))
    parts = []
    for x, one, label, column in zip(
        line.centers, digits, rounded(digits), line.words, strict=True
    ):
        at = f'x="{short(left + x - line.slot / 2 + 1)}" y="{short(top)}"'
        parts.append(f"<rect {at}{shade(scale.share(value(one)))}/>")
        parts.append(text(left + x, top + HIGH / 2 + 5, label, "number"))
        parts.append(text(left + x, top + HIGH + 16, column, "number faint"))
    parts.append(text(left - GAP, top + HIGH / 2 + 5, name, "asks end"))
    size = f'style="--wide:{short(line.slot - 2)}px;--high:{short(HIGH)}px"'
    return parts, top + HIGH + 21, size, left + line.width / 2, left + line.width
