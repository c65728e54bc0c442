"""Boxes in a row, with the shapes that they return: one row for each line of the output.

The output prints names and shapes in the order of the way, such as `x (6, 4) norm (6, 4) + (6, 4)`.
A plus is a sum: what the line begins with is led past the boxes, and added there. `lit` names the
boxes of the page.
"""

import re

from site_build.figures.marks import leads, outline
from site_build.figures.svg import SMALL, Drawing, circle, path, text, text_width
from site_build.markdown.tensors import names_of

PRINTED = re.compile(r"(\w+|\+) *(\(\d+(?:, \d+)*\))")
HIGH, TOP, ROW = 30.0, 26.0, 92.0
GAP = 26.0  # for an arrow
PLUS = 11.0


def boxes(printed: str, options: dict[str, str]) -> list[Drawing]:
    """Draw a row for each line that prints shapes."""
    ways = [way for line in printed.splitlines() if (way := PRINTED.findall(line))]
    if not ways or min(map(len, ways)) < 2:
        raise ValueError("no way is printed there, such as x (6, 4) norm (6, 4)")
    lit = names_of(options.pop("lit", ""))
    if not set(lit) <= {name for way in ways for name, _ in way}:
        raise ValueError(f"there is no box to be lit among {' '.join(lit)}")
    parts: list[str] = []
    widths = [draw_boxes(parts, way, lit, TOP + ROW * number) for number, way in enumerate(ways)]
    return [Drawing(max(widths), ROW * len(ways) - 10, parts)]


def draw_boxes(parts: list[str], way: list[tuple[str, str]], lit: list[str], top: float) -> float:
    """Draw one way, and return how wide it is."""
    x, middle, start, end = 0.0, top + HIGH / 2, 0.0, 0.0
    for number, (name, shape) in enumerate(way):
        half = PLUS if name == "+" else max(text_width(name) * 1.08 / 2 + 8, 15)
        slot = max(half, text_width(shape, SMALL) / 2)
        center = x + slot
        if number:
            parts.append(path("leads", leads((end, middle), (center - half, middle))))
        if name == "+":
            past = (start, top), (start, top - 16), (center, top - 16), (center, middle - PLUS)
            parts += [path("leads", leads(*past)), circle("dial", center, middle, PLUS)]
        else:
            parts.append(
                outline("box held" if name in lit else "box", center, middle, 2 * half, HIGH)
            )
        parts.append(text(center, middle + 5, name, "asks" if name in lit else ""))
        parts.append(text(center, top + HIGH + 17, shape, "number faint"))
        start = center if not number else start
        end, x = center + half, center + slot + GAP
    return x - GAP
