"""What all figures are drawn with. A unit is a pixel for a reader with letters of usual size."""

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape

Point = tuple[float, float]

LETTER = 14.0  # the height of words, in units; theme/assets/figures/figures.css has it as well
SMALL = 13.0  # and of numbers
NARROW, BROAD = set("fijlrtI'|.,:;!() "), set("mwMWOQ%@\N{MINUS SIGN}")


@dataclass(frozen=True)
class Drawing:
    """A panel: how large it is, and what is in it."""

    width: float
    height: float
    parts: list[str]
    attributes: str = ""

    def svg(self) -> str:
        """Return the element."""
        more = f" {self.attributes}" if self.attributes else ""
        box = f"0 0 {short(self.width)} {short(self.height)}"
        return f'<svg viewBox="{box}"{more}>{"".join(self.parts)}</svg>'


def short(number: float) -> str:
    """Return a coordinate without digits that no one can see."""
    return f"{round(number, 1) + 0.0:.1f}".removesuffix(".0")  # adding 0 takes the sign from -0


def points(places: Iterable[Point]) -> str:
    """Return the places that a path goes through."""
    return "L".join(f"{short(x)},{short(y)}" for x, y in places)


def through(*places: Point) -> str:
    """Return a way that goes straight from place to place."""
    return f"M{points(places)}"


def text(x: float, y: float, words: str, css_class: str = "") -> str:
    """Return words whose middle is at x, or whose start or end is, where the class says so."""
    name = f' class="{css_class}"' if css_class else ""
    return f'<text x="{short(x)}" y="{short(y)}"{name}>{escape(words, quote=False)}</text>'


def path(css_class: str, way: str, style: str = "") -> str:
    """Return a path."""
    return f'<path class="{css_class}" d="{way}"{style}/>'


def straight(css_class: str, *places: Point) -> str:
    """Return a line that goes straight from place to place."""
    return path(css_class, through(*places))


def rectangle(left: float, top: float, wide: float, high: float) -> str:
    """Return the outline of a rectangle, as a path has it."""
    return f"M{short(left)},{short(top)}h{short(wide)}v{short(high)}h{short(-wide)}z"


def cell_size(wide: float, high: float) -> str:
    """Return how large all cells of a drawing are, for its attributes."""
    return f'style="--wide:{short(wide)}px;--high:{short(high)}px"'


def text_width(words: str, height: float = LETTER) -> float:
    """Return how wide a text is at most: readers have fonts of their own."""
    return height * sum(
        0.4 if letter in NARROW else 0.95 if letter in BROAD else 0.7 if letter.isupper() else 0.62
        for letter in words
    )
