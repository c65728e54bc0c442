"""Marks that figures are put together from: each is a function from places to SVG.

Each mark means one thing. A square is a number, and its colour says which. A ribbon is as wide as
its weight.
"""

from collections.abc import Iterable, Sequence

from site_build.figures.svg import (
    SMALL,
    Point,
    path,
    points,
    short,
    text,
    text_width,
    through,
)
from site_build.markdown.colours import FILLED, shade
from site_build.markdown.tensors import rounded, shades_of, values_of

BESIDE = 8.0  # from a name to what it names
THICK = 20.0  # a ribbon whose weight is 1; theme/assets/figures/figures.css has it as well


def group(parts: Iterable[str], at: Point) -> str:
    """Return marks that stand around a place."""
    return f'<g transform="translate({short(at[0])} {short(at[1])})">{"".join(parts)}</g>'


def label(x: float, y: float, words: str, css_class: str = "number") -> str:
    """Return words of one line, as high above a place as below it."""
    return text(x, y + 4.5, words, css_class)


def upright(start: Point, end: Point) -> str:
    """Return a way between two places, one of which is above the other."""
    middle = (start[1] + end[1]) / 2
    return bent(start, (start[0], middle), (end[0], middle), end)


def bent(start: Point, *pulls: Point) -> str:
    """Return a curve from a place, with what pulls it at both of its ends, to the last place."""
    return f"{through(start)}C{' '.join(points([one]) for one in pulls)}"


def ribbon(css_class: str, way: str, share: float) -> str:
    """Return a ribbon along a way; the style sheet makes it as wide as its weight."""
    return path(css_class, way, f' style="--weight:{share:g}"')


def side_by_side(parts: Sequence[float]) -> list[float]:
    """Return how far the middle of each part of a ribbon is from the middle of the whole."""
    ends = [sum(parts[:number]) + part / 2 for number, part in enumerate(parts)]
    return [(end - sum(parts) / 2) * THICK for end in ends]


class Heat:
    """Squares whose colours are numbers, on one scale for all the printed digits."""

    def __init__(self, digits: Iterable[str]) -> None:
        """Take all digits that are to be compared by their colours."""
        values = values_of(digits)
        self.labels = rounded(values)
        self.shades = {**shades_of(values), FILLED: shade(1)}

    @property
    def widest(self) -> float:
        """How wide the widest label is."""
        return max((text_width(words, SMALL) for words in self.labels.values()), default=0.0)

    def square(self, digits: str, x: float, y: float, wide: float, high: float) -> str:
        """Return a square at its upper left corner, and what is written in its middle."""
        written = self.labels.get(digits)
        words = label(x + wide / 2, y + high / 2, written, "") if written else ""
        place = f'x="{short(x)}"' + (f' y="{short(y)}"' if y else "")
        return f"<rect {place}{self.shades[digits]}/>{words}"
