"""Cards that travel: marks that stand in another place after each step of a figure.

A mark keeps its way, which is where it stands before the first step and after each one. The script
of moving figures sets it there, and the style sheet lets it glide. A figure begins with each at the
start of its way; without a script and on paper it stands at the end.
"""

from site_build.figures.svg import SMALL, path, rectangle, short, text, text_width

HIGH = 24.0  # of a card
SQUARE, STEP = 10.0, 13.0  # a square that counts, and how far it is from one to the next


def to(x: float, y: float) -> str:
    """Return a place, in the way that a style has it."""
    return f"translate({short(x)}px,{short(y)}px)"


def travels(parts: list[str], way: list[str], css_class: str = "") -> str:
    """Return marks around the origin, which stand at each place of a way in turn."""
    name = f' class="{css_class}"' if css_class else ""
    ends = f"--start:{way[0]};--end:{way[-1]}"
    return f'<g{name} data-way="{"|".join(way)}" style="{ends}">{"".join(parts)}</g>'


def card(words: str, wide: float, high: float = HIGH) -> list[str]:
    """Return a card around the origin, with what is written on it."""
    return [outline("tile", 0, 0, wide, high), text(0, 4.5, words, "number")]


def outline(css_class: str, x: float, y: float, wide: float, high: float = HIGH) -> str:
    """Return a rectangle around a place: a `gap` is a place for a card, and nothing is there."""
    return path(css_class, rectangle(x - wide / 2, y - high / 2, wide, high))


def widest(words: list[str]) -> float:
    """Return how wide cards are on which any of the words can stand."""
    return float(round(max(text_width(word, SMALL) for word in words) + 8))


def squares(css_class: str, x: float, y: float, count: int) -> list[str]:
    """Return squares in a row, one for each that is counted."""
    each = (rectangle(x + STEP * number, y, SQUARE, SQUARE) for number in range(count))
    return [path(css_class, "".join(each))] if count else []
