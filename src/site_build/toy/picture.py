"""The picture of a sentence at rest: arcs to the words, ribbons down to the line, and its place.

The same as theme/assets/toy/drawing.js draws in the browser; here for readers without a script, and
for the cards that show where someone links to the toy.
"""

from collections.abc import Callable
from dataclasses import dataclass
from html import escape

from site_build.figures.svg import circle, short, text, text_width
from site_build.toy.words import Sentence, course

Point = tuple[float, float]
GRADIENT = "toy-printed-line"


@dataclass(frozen=True)
class Band:
    """A curve with four points, as Bezier has them, its width, and what it brings."""

    curve: tuple[Point, Point, Point, Point]
    width: float
    hue: str = ""


@dataclass(frozen=True)
class Picture:
    """What is drawn, in units of a box."""

    width: float
    height: float
    letter: float
    words: list[tuple[float, str, bool]]  # the middle of each, and whether it asks
    baseline: float
    arcs: list[Band]
    ribbons: list[Band]
    line: tuple[float, float, float]  # from, to, and how low
    began: float
    ended: float
    poles: list[str]


def picture_of(
    sentence: Sentence,
    width: float = 420,
    height: float = 366,
    letter: float = 18.5,
    measure: Callable[[str, float], float] = text_width,
) -> Picture:
    """Lay out a sentence.

    Args:
        sentence: The sentence.
        width: How wide the picture is.
        height: How high.
        letter: How high the letters of its words are.
        measure: Returns how wide a word is with letters of a height.
    """
    thick, row, gap = width / 16, letter * 2.3, letter * 0.6
    up = 0.46 * (height - row - letter * 3.6)  # the room of the arcs; the ribbons have the rest
    low = height - letter * 2.6
    asks, shares = sentence.asks, sentence.shares
    widths = [measure(word, letter) for word in sentence.words]
    left = (width - sum(widths) - gap * (len(widths) - 1)) / 2
    middles = []
    for wide in widths:
        middles.append(left + wide / 2)
        left += wide + gap
    room = width / 2 - letter * 0.8
    ends = (width / 2 - room, width / 2 + room)
    ended = width / 2 + sentence.place * (room - letter * 2)
    return Picture(
        width,
        height,
        letter,
        [
            (x, word, i == asks)
            for i, (x, word) in enumerate(zip(middles, sentence.words, strict=True))
        ],
        up + row * 0.64,
        arcs_of(middles, shares, asks, up, thick),
        ribbons_of(sentence, middles, ended, (up + row, low - letter * 0.85), thick),
        (*ends, low),
        width / 2,
        ended,
        list(sentence.meanings),
    )


def arcs_of(x: list[float], shares: list[float], asks: int, up: float, thick: float) -> list[Band]:
    """Return the arcs, which end side by side, and the small one to the word itself."""
    wide = [max(thick * share, 0.8) for share in shares]
    order = [*reversed(range(asks)), *reversed(range(asks + 1, len(x)))]
    total, span = sum(wide[j] for j in order), max(x) - min(x)
    end, bands = x[asks] - total / 2, []
    for j in order:
        to = end + wide[j] / 2
        end += wide[j]
        high = up - (up - 8) * (0.28 + 0.72 * abs(x[j] - x[asks]) / span) * 1.28
        bands.append(Band(((x[j], up), (x[j], high), (to, high), (to, up)), wide[j]))
    start, high = x[asks] + total / 2 + wide[asks], up * 0.72
    loop = ((start, up), (start, high), (start + thick * 0.6, high), (start + thick * 0.6, up))
    return [*bands, Band(loop, wide[asks])]


def ribbons_of(
    sentence: Sentence, x: list[float], ended: float, between: tuple[float, float], thick: float
) -> list[Band]:
    """Return the ribbons, which land side by side."""
    top, bottom = between
    land, bands = ended - thick / 2, []
    for from_x, share, vector in zip(x, sentence.shares, sentence.vectors, strict=True):
        to, middle = land + thick * share / 2, (top + bottom) / 2
        land += thick * share
        curve = ((from_x, top), (from_x, middle), (to, middle), (to, bottom))
        bands.append(Band(curve, max(thick * share, 0.6), sentence.hue(vector)))
    return bands


def svg(sentence: Sentence) -> str:
    """Return the picture as SVG, with what is seen in words."""
    picture = picture_of(sentence)
    left, right, low = picture.line
    parts = [
        f'<g class="toy-arcs">{"".join(map(path, picture.arcs))}</g>',
        f'<g class="toy-ribbons">{"".join(map(path, picture.ribbons))}</g>',
        *(
            styled(x, picture.baseline, word, picture.letter, is_asking)
            for x, word, is_asking in picture.words
        ),
        gradient(picture.poles),
        f'<rect x="{short(left)}" y="{short(low - 3)}" width="{short(right - left)}" height="6" '
        f'rx="3" fill="url(#{GRADIENT})"/>',
        circle("toy-began", picture.began, low, 7),
        *(
            text(x, low + picture.letter * 2, pole.upper(), f"toy-pole {pole} {side}")
            for pole, side, x in zip(picture.poles, ("start", "end"), (left, right), strict=True)
        ),
        pill(sentence, picture),
    ]
    box = f"0 0 {short(picture.width)} {short(picture.height)}"
    label = f'role="img" aria-label="{escape(seen(sentence))}"'
    return f'<svg class="toy-printed" viewBox="{box}" {label}>{"".join(parts)}</svg>'


def pill(sentence: Sentence, picture: Picture) -> str:
    """Return the word that asks, at its place on the line."""
    low, letter, word = picture.line[2], picture.letter, sentence.words[sentence.asks]
    wide, high = text_width(word, letter) + letter, letter * 0.85
    box = f'x="{short(picture.ended - wide / 2)}" y="{short(low - high)}"'
    size = f'width="{short(wide)}" height="{short(2 * high)}" rx="{short(high)}"'
    label = text(picture.ended, low + letter * 0.3, word)
    return f'<g class="toy-pill chosen {hue_of(sentence)}"><rect {box} {size}/>{label}</g>'


def hue_of(sentence: Sentence) -> str:
    """Return which meaning the word that asks ends up with, if it does."""
    poles = list(sentence.meanings)
    return "none" if abs(sentence.place) < 1 / 6 else poles[sentence.place > 0]


def gradient(poles: list[str]) -> str:
    """Return the colours of the line."""
    first, last = poles
    stops = f'<stop class="{first}"/><stop offset=".5" class="none"/>'
    last_stop = f'<stop offset="1" class="{last}"/>'
    return f'<linearGradient id="{GRADIENT}">{stops}{last_stop}</linearGradient>'


def styled(x: float, y: float, word: str, letter: float, is_asking: bool) -> str:
    """Return a word of the sentence."""
    weight = ";font-weight:700" if is_asking else ""
    style = f' style="font-size:{letter}px{weight}"'
    return text(x, y, word).replace("<text", f"<text{style}", 1)


def path(band: Band) -> str:
    """Return a curve."""
    (start, *rest) = [f"{short(x)} {short(y)}" for x, y in band.curve]
    hue = f' class="{band.hue}"' if band.hue else ""
    return f'<path{hue} d="M{start}C{" ".join(rest)}" stroke-width="{band.width:.2f}"/>'


def seen(sentence: Sentence) -> str:
    """Say what the picture shows."""
    pairs = sorted(enumerate(sentence.shares), key=lambda pair: -pair[1])
    parts = [
        f"{share:.2f} from {'itself' if i == sentence.asks else f'“{sentence.words[i]}”'}"
        for i, share in pairs
        if share >= 0.05
    ]
    asking = sentence.words[sentence.asks]
    return f"{sentence.text}. “{asking}” takes {', '.join(parts)}. {sentence.verdict}"


def sent() -> list[Sentence]:
    """Return the sentences that have a page and a card of their own."""
    return [Sentence(text) for text in course()["sent"]]
