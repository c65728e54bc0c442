"""The pictures that show where someone links to the site: two sentences and two banks, or one.

They are drawn from the numbers of the toy, as the pictures on the pages are. Those of the language
model show two words, what it says and what it says instead.
"""

import io
import re
from functools import cache
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from site_build.figures.svg import Point
from site_build.finish.math_font import FONT
from site_build.story_cards import CARDS, Card
from site_build.toy.pages import question_asked, slug_of
from site_build.toy.picture import Band, Picture, hue_of, picture_of, sent
from site_build.toy.words import Sentence

SIZE = (1200, 630)
FINE = 2  # drawn twice as large, and reduced: smooth edges
PAPER, INK, QUIET, EDGE = "#ffffff", "#1a2130", "#5b667c", "#c9d2e0"
SHEET = Path(__file__).parents[1] / "theme" / "assets" / "site.css"
LIGHT = dict(re.findall(r"^  --(\w+): light-dark\((#\w{6})", SHEET.read_text("utf-8"), re.M))
HUES = {
    "water": LIGHT["water"],
    "money": LIGHT["money"],
    "music": LIGHT["now"],
    "none": "#8c96a8",
    "": INK,
}
STEPS = 48  # straight parts of a curve
HIGH = 430 * FINE  # of a picture
BANKS = ("the duck likes the muddy bank", "the banker likes the rich bank")


def draw_social_cards(site: Path, name: str) -> None:
    """Draw the card of the site, and one for each sentence and state that has a page of its own."""
    (site / "assets" / "social-card.png").write_bytes(
        card_png("Which bank? Attention knows.", BANKS, f"{name}: swap a word and see")
    )
    for sentence in sent():
        folder = site / "toy" / slug_of(sentence)
        if folder.is_dir():
            text = question_asked(sentence)
            (folder / "card.png").write_bytes(card_png(text, (sentence.text,), name))
    for state in CARDS:
        folder = site / "model" / state.slug
        if folder.is_dir():
            (folder / "card.png").write_bytes(model_card(state, name))


@cache  # while the site is served, a card seldom changes
def card_png(title: str, sentences: tuple[str, ...], below: str) -> bytes:
    """Return a card as PNG: a title, sentences side by side, and a line of words."""
    width, height = (FINE * side for side in SIZE)
    image = Image.new("RGB", (width, height), PAPER)
    draw = ImageDraw.Draw(image)
    middle = width / 2
    draw.text((middle, 60 * FINE), title, INK, font(58), anchor="mm")
    draw.text((middle, 600 * FINE), below, QUIET, font(24), anchor="mm")
    room = width / len(sentences)
    if len(sentences) > 1:
        draw.line((middle, 116 * FINE, middle, 560 * FINE), EDGE, 2 * FINE)
    for at, text in enumerate(sentences):
        wide = min(room - 80 * FINE, 800 * FINE)
        draw_sentence(draw, Sentence(text), (at + 0.5) * room - wide / 2, 100 * FINE, wide)
    return png(image)


@cache
def model_card(state: Card, below: str) -> bytes:
    """Return the card of a state of the language model as PNG."""
    width, height = (FINE * side for side in SIZE)
    image = Image.new("RGB", (width, height), PAPER)
    draw = ImageDraw.Draw(image)
    draw.text((width / 2, 80 * FINE), state.title, INK, font(52), anchor="mm")
    draw.text((width / 2, 200 * FINE), f"“{state.text}”", INK, font(40), anchor="mm")
    draw.text((width / 2, 600 * FINE), below, QUIET, font(24), anchor="mm")
    for middle, label, word in [
        (0.28 * width, state.before, state.says),
        (0.72 * width, state.after, state.instead),
    ]:
        draw.text((middle, 330 * FINE), label, QUIET, font(30), anchor="mm")
        box = (middle - 150 * FINE, 370 * FINE, middle + 150 * FINE, 490 * FINE)
        draw.rounded_rectangle(box, 60 * FINE, PAPER, HUES[word], 4 * FINE)
        draw.text((middle, 430 * FINE), word, HUES[word], font(64), anchor="mm")
    return png(image)


def png(image: Image.Image) -> bytes:
    """Return a card at its size, as the bytes of a file."""
    file = io.BytesIO()
    image.reduce(FINE).quantize(128, Image.Quantize.FASTOCTREE).save(file, "PNG")
    return file.getvalue()


def draw_sentence(
    draw: ImageDraw.ImageDraw, sentence: Sentence, left: float, top: float, width: float
) -> None:
    """Draw a sentence with its arcs, its ribbons and its line, and what it means."""
    letter = min(46 * FINE, width / 16.5)
    picture = picture_of(
        sentence, width, HIGH, letter, lambda word, high: font(high / FINE).getlength(word)
    )
    for band in picture.arcs + picture.ribbons:
        draw_band(draw, band, left, top)
    words = font(letter / FINE)
    for x, word, asks in picture.words:
        stroke = FINE * 0.45 if asks else 0  # the font has no bold letters
        place = (left + x, top + picture.baseline)
        draw.text(place, word, INK, words, "ms", stroke_width=stroke, stroke_fill=INK)
    draw_line(draw, picture, left, top)
    x, y = left + picture.ended, top + picture.line[2]
    word, high = sentence.words[sentence.asks], letter * 0.85
    half = words.getlength(word) / 2 + letter * 0.6
    edge = HUES[hue_of(sentence)]
    draw.rounded_rectangle((x - half, y - high, x + half, y + high), high, PAPER, edge, 3 * FINE)
    draw.text((x, y), word, INK, words, "mm")
    draw.text((left + width / 2, top + HIGH + 16 * FINE), sentence.verdict, INK, font(34), "mm")


def draw_line(draw: ImageDraw.ImageDraw, picture: Picture, left: float, top: float) -> None:
    """Draw the line from one meaning to the other, and a ring where the word began."""
    *ends, low = picture.line
    middle, y, ring = left + sum(ends) / 2, top + low, 8 * FINE
    for end, pole, anchor in zip(ends, picture.poles, ("ls", "rs"), strict=True):
        draw.line((left + end, y, middle, y), mixed(HUES[pole], 0.75), 6 * FINE)
        place = (left + end, y + picture.letter * 1.75)
        draw.text(place, pole.upper(), HUES[pole], font(20), anchor)
    began = left + picture.began
    draw.ellipse((began - ring, y - ring, began + ring, y + ring), PAPER, QUIET, 2 * FINE)


def draw_band(draw: ImageDraw.ImageDraw, band: Band, left: float, top: float) -> None:
    """Draw a curve as the outline of its width: PIL's own wide lines have cracks."""
    half = max(FINE, band.width) / 2
    sides: tuple[list[Point], list[Point]] = ([], [])
    for step in range(STEPS + 1):
        (x, y), (run, rise) = point_of(band, step / STEPS), direction_of(band, step / STEPS)
        for side, sign in zip(sides, (half, -half), strict=True):
            side.append((left + x - sign * rise, top + y + sign * run))
    colour = mixed(HUES[band.hue], 0.6 if band.hue else 0.42)
    draw.polygon(sides[0] + sides[1][::-1], colour)


def point_of(band: Band, t: float) -> Point:
    """Return a point of a curve, t from its start to its end."""
    parts = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
    x, y = (
        sum(part * point[axis] for part, point in zip(parts, band.curve, strict=True))
        for axis in (0, 1)
    )
    return x, y


def direction_of(band: Band, t: float) -> Point:
    """Return where a curve leads at a point, as a step of length 1."""
    (x, y), (next_x, next_y) = (point_of(band, min(max(at, 0), 1)) for at in (t - 0.01, t + 0.01))
    run, rise = next_x - x, next_y - y
    length = (run**2 + rise**2) ** 0.5
    return run / length, rise / length


def mixed(colour: str, share: float) -> tuple[int, int, int]:
    """Return a colour on paper, with a share of itself."""
    red, green, blue = (
        round(255 + share * (int(colour[at : at + 2], 16) - 255)) for at in (1, 3, 5)
    )
    return red, green, blue


@cache
def font(height: float) -> ImageFont.FreeTypeFont:
    """Return the letters of the titles, at a height on the card."""
    return ImageFont.truetype(FONT, round(height * FINE))
