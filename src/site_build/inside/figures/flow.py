"""One word's attention as a whole: arcs to all words, and what it takes from each, in one vector.

The first output is the vector of its weights. The second has two rows: the vector that the word had
before, and its context. `query` says which word asks.
"""

from dataclasses import dataclass, replace

from site_build.inside.colours import scale_of, shade
from site_build.inside.figures.arcs import THICK, arcs, weight_of
from site_build.inside.figures.labels import BOLD
from site_build.inside.figures.svg import (
    Drawing,
    Line,
    Stage,
    lines_of,
    path,
    short,
    text,
    text_width,
)
from site_build.inside.figures.tensors import Tensor, rounded, value

FALL = 52.0  # from the words to the vector
HIGH = 30.0
GAP = 8.0  # a vector's name, the vector


def flow(tensors: list[Tensor], options: dict[str, str]) -> list[Drawing]:
    """Draw arcs above the words, and streams from the words into a vector below them."""
    if len(tensors) != 2 or [len(tensors[0].shape), *tensors[1].shape[:-1]] != [1, 2]:
        raise ValueError("a vector of weights is needed, and a matrix of two rows: before, after")
    weights, vectors = tensors
    if "row" in options or "query" not in options:
        raise ValueError('choose the word that asks, with query="..."')
    (above,) = arcs([weights], options)
    (words,) = lines_of([weights.column_names()], 40)
    shares = list(map(weight_of, weights.vector(None)))
    start = above.height
    below = Vectors.of(vectors, above.width / 2, start + FALL)
    middle = below.left + below.line.width / 2
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
    stages = [*above.stages, Stage("values", streams), Stage("context", below.row(1))]
    size = f'style="--wide:{short(below.line.slot - 2)}px;--high:{short(HIGH)}px"'
    return [
        replace(
            above,
            width=max(above.width, below.left + below.line.width),
            height=below.top + 2 * HIGH + 23,
            parts=[*above.parts, *below.row(0), *below.column_names()],
            stages=stages,
            attributes=size,
        )
    ]


@dataclass(frozen=True)
class Vectors:
    """Two vectors as rows of squares, the later one on top, and where they are."""

    tensor: Tensor
    line: Line
    left: float
    top: float

    @classmethod
    def of(cls, tensor: Tensor, middle: float, top: float) -> "Vectors":
        """Place them in the middle, or further right, where their names need the room."""
        (line,) = lines_of([tensor.column_names()], 52, letter=13)
        room = max(map(text_width, tensor.row_names())) * BOLD + GAP
        return cls(tensor, line, max(middle - line.width / 2, room), top)

    def row(self, number: int) -> list[str]:
        """Return the squares of a row, with its name before them."""
        digits = self.tensor.matrix()
        scale = scale_of(value(one) for row in digits for one in row)
        top = self.top + (1 - number) * (HIGH + 2)
        name = self.tensor.row_names()[number]
        parts = [text(self.left - GAP, top + HIGH / 2 + 5, name, "asks end" if number else "end")]
        for x, one, label in zip(
            self.line.centers, digits[number], rounded(digits[number]), strict=True
        ):
            at = f'x="{short(self.left + x - self.line.slot / 2 + 1)}" y="{short(top)}"'
            parts.append(f"<rect {at}{shade(scale.share(value(one)))}/>")
            parts.append(text(self.left + x, top + HIGH / 2 + 5, label, "number"))
        return parts

    def column_names(self) -> list[str]:
        """Return the names of the columns, below the rows."""
        y = self.top + 2 * HIGH + 18
        return [
            text(self.left + x, y, name, "number faint")
            for x, name in zip(self.line.centers, self.line.words, strict=True)
        ]
