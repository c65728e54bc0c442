"""What all figures are drawn with. A unit is a pixel for a reader with letters of usual size."""

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape

LETTER = 14.0  # the height of words, in units; theme/assets/figures.css has it as well
NARROW, WIDE = set("fijlrtI'|.,:;!() "), set("mwMWOQ%@")


@dataclass(frozen=True)
class Drawing:
    """A panel: how large it is, what is in it, and where its upper left corner is."""

    width: float
    height: float
    parts: list[str]
    left: float = 0
    top: float = 0

    def svg(self) -> str:
        """Return the element."""
        box = " ".join(map(short, (self.left, self.top, self.width, self.height)))
        return f'<svg viewBox="{box}">{"".join(self.parts)}</svg>'


@dataclass(frozen=True)
class Line:
    """Words side by side. Where they are too wide for it, every other one stands lower."""

    words: list[str]
    slot: float
    low: bool

    @property
    def width(self) -> float:
        """How wide the words are together."""
        return self.slot * len(self.words)

    @property
    def centers(self) -> list[float]:
        """Where the middle of each word is."""
        return [self.slot * (number + 0.5) for number in range(len(self.words))]

    def depth(self, number: int, step: float) -> float:
        """Return how much lower a word stands than the first."""
        return step if self.low and number % 2 else 0.0

    def draw(self, top: float, step: float, marked: int | None = None) -> list[str]:
        """Return the words, and ticks that lead to those that stand lower."""
        parts = []
        for number, (x, word) in enumerate(zip(self.centers, self.words, strict=True)):
            if depth := self.depth(number, step):
                parts.append(path("rule", f"M{short(x)},{short(top - LETTER)}v{short(depth)}"))
            parts.append(text(x, top + depth, word, "asks" if number == marked else ""))
        return parts


def line_of(words: list[str], slot: float, least: float = 33, most: float = 360) -> Line:
    """Return words side by side.

    Args:
        words: The words.
        slot: How much room each has, if its letters need no more.
        least: How much room each has where there are many.
        most: How wide they are together before every other one stands lower.
    """
    widths = [text_width(word) for word in words]
    slot = max(slot, max(widths) + 10)
    if slot * len(words) <= most:
        return Line(words, slot, low=False)
    # What stands lower is led to between two words, and leaves room for the next of its own line.
    neighbours = zip(widths, widths[2:], strict=False)
    pairs = max(((one + other) / 4 for one, other in neighbours), default=0.0)
    return Line(words, max(least, pairs + 4, max(widths) / 2 + 3), low=True)


def short(number: float) -> str:
    """Return a coordinate without digits that no one can see."""
    return f"{number:.1f}".removesuffix(".0").replace("-0", "0" if abs(number) < 0.05 else "-0")


def points(places: Iterable[tuple[float, float]]) -> str:
    """Return the places that a path goes through."""
    return "L".join(f"{short(x)},{short(y)}" for x, y in places)


def text(x: float, y: float, words: str, css_class: str = "") -> str:
    """Return words whose middle is at x, or whose start or end is, where the class says so."""
    name = f' class="{css_class}"' if css_class else ""
    return f'<text x="{short(x)}" y="{short(y)}"{name}>{escape(words, quote=False)}</text>'


def path(css_class: str, way: str, style: str = "") -> str:
    """Return a path."""
    return f'<path class="{css_class}" d="{way}"{style}/>'


def circle(css_class: str, x: float, y: float, radius: float) -> str:
    """Return a circle."""
    return f'<circle class="{css_class}" cx="{short(x)}" cy="{short(y)}" r="{short(radius)}"/>'


def arrow(css_class: str, start: tuple[float, float], end: tuple[float, float]) -> str:
    """Return an arrow; its head is a part of its path, since a page has many figures."""
    run, rise = end[0] - start[0], end[1] - start[1]
    length = (run**2 + rise**2) ** 0.5
    run, rise = run / length * 9, rise / length * 9
    neck = end[0] - run, end[1] - rise
    sides = [(neck[0] + sign * rise * 0.45, neck[1] - sign * run * 0.45) for sign in (1, -1)]
    return path(css_class, f"M{points([start, neck])}M{points([end, *sides])}Z")


def text_width(words: str, height: float = LETTER) -> float:
    """Return about how wide a text is, whatever the reader's font is."""
    return height * sum(
        0.34 if letter in NARROW else 0.88 if letter in WIDE else 0.7 if letter.isupper() else 0.57
        for letter in words
    )
