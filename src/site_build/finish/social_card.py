"""The picture that shows where someone links to the site: its name beside its first heat map."""

import re
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from site_build.finish.math_font import FONT
from site_build.markdown.colours import scale_of

SIZE = (1200, 630)
PAPER, INK, QUIET, ACCENT = "#ffffff", "#1a2130", "#4c566a", "#e0a03a"
LOW, HIGH = (243, 246, 251), (69, 144, 234)  # the ends of the ramp in heat.css, on light
HEAT_MAP = re.compile(r'<table class="heat-map">.*?</table>', re.DOTALL)
CELL = re.compile(r">(\d[.\d]*)</td>")


def draw_social_card(site: Path, title: str, words: list[str]) -> None:
    """Draw a title, a few lines of words, and the first heat map of the home page.

    Args:
        site: The built site: the picture is made from the digits that its home page shows.
        title: The largest line.
        words: The lines below it.
    """
    heat_map = HEAT_MAP.search((site / "index.html").read_text("utf-8"))
    if not heat_map:
        raise ValueError("the home page has no heat map that the social card could show")
    card = Image.new("RGB", SIZE, PAPER)
    draw = ImageDraw.Draw(card)
    draw.text((80, 150), title, INK, ImageFont.truetype(FONT, 88))
    draw.rectangle((80, 296, 88, 296 + 58 * len(words)), ACCENT)
    for line, text in enumerate(words):
        draw.text((116, 298 + 58 * line), text, QUIET, ImageFont.truetype(FONT, 40))
    draw_cells(draw, [float(digits) for digits in CELL.findall(heat_map.group())])
    card.save(site / "assets" / "social-card.png", optimize=True)


def draw_cells(draw: ImageDraw.ImageDraw, values: list[float]) -> None:
    """Draw the values of a square matrix as coloured cells, at the right."""
    rows = round(len(values) ** 0.5)
    side = 390 / rows
    for index, value in enumerate(values):
        row, column = divmod(index, rows)
        left, top = 740 + column * side, 120 + row * side
        share = scale_of(values).share(value)
        colour = tuple(round(a + share * (b - a)) for a, b in zip(LOW, HIGH, strict=True))
        draw.rounded_rectangle((left, top, left + side - 6, top + side - 6), 6, colour)
