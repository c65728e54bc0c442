"""The picture of a sentence at rest: arcs to the words, ribbons down to the line, and its place.

The same as theme/assets/toy/drawing.js draws in the browser; here for the first moment of a page
and for readers without a script, and for the cards that show where someone links to the toy.
"""

from collections.abc import Callable
from dataclasses import dataclass
from html import escape

from site_build.figures.svg import Point, short, text, text_width
from site_build.toy.words import Sentence, course

GRADIENT = "toy-printed-line"
THICK = 1 / 17  # of an arc with the whole share; a part of the picture's width, as all below
REACH = 0.41  # from the middle of the line to where a word of one meaning alone would be
EDGE = 0.01  # beside the line
# The style sheet has these as well, for the words of the page.
LETTER, PAD, GAP, LEAST = 0.05, 0.012, 0.016, 0.112
WIDE, HIGH = 800, 100  # units of what a page stretches to its width, and to its height


@dataclass(frozen=True)
class Band:
    """A curve with four points, as Bezier has them, its width, and what it brings."""

    curve: tuple[Point, Point, Point, Point]
    width: float
    hue: str = ""


@dataclass(frozen=True)
class Picture:
    """What is drawn on a card, in units of its box."""

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
    width: float,
    height: float,
    letter: float,
    measure: Callable[[str, float], float],
) -> Picture:
    """Lay out a sentence.

    Args:
        sentence: The sentence.
        width: How wide the picture is.
        height: How high.
        letter: How high the letters of its words are.
        measure: Returns how wide a word is with letters of a height.
    """
    row = letter * 2.3
    up = 0.46 * (height - row - letter * 3.6)  # the room of the arcs; the ribbons have the rest
    low = height - letter * 2.6
    middles = middles_of([measure(word, letter) for word in sentence.words], letter * 0.6, width)
    between = (up + row, low - letter * 0.85)
    return Picture(
        letter,
        [
            (x, word, i == sentence.asks)
            for i, (x, word) in enumerate(zip(middles, sentence.words, strict=True))
        ],
        up + row * 0.64,
        arcs_of(sentence, middles, up, width),
        ribbons_of(sentence, middles, between, width),
        (EDGE * width, (1 - EDGE) * width, low),
        width / 2,
        ended(sentence) * width,
        list(sentence.meanings),
    )


def middles_of(widths: list[float], gap: float, width: float) -> list[float]:
    """Return the middles of words that stand side by side in the middle of a width."""
    left = (width - sum(widths) - gap * (len(widths) - 1)) / 2
    middles = []
    for wide in widths:
        middles.append(left + wide / 2)
        left += wide + gap
    return middles


def ended(sentence: Sentence) -> float:
    """Return where on the line the word ends up, as a part of the width."""
    return 0.5 + REACH * sentence.place


def arcs_of(sentence: Sentence, x: list[float], up: float, width: float) -> list[Band]:
    """Return the arcs, which end side by side, and the one to the word itself, which is open."""
    thick, asks, shares = THICK * width, sentence.asks, sentence.shares
    wide = [max(thick * share, 0.8) for share in shares]
    order = [*reversed(range(asks)), *reversed(range(asks + 1, len(x)))]
    own, span = wide[asks], max(x) - min(x)
    legs = 1.3 * own + thick / 3
    end = x[asks] - (sum(wide) + legs) / 2

    def arc(start: float, to: float, rise: float, width: float) -> Band:
        high = up * (1 - rise)
        return Band(((start, up), (start, high), (to, high), (to, up)), width)

    bands = []
    for j in order:
        rise = 0.34 + 0.88 * abs(x[j] - x[asks]) / span
        bands.append(arc(x[j], end + wide[j] / 2, rise, wide[j]))
        end += wide[j]
    end += own / 2
    return [*bands, arc(end, end + legs, 0.2 + 0.35 * shares[asks], own)]


def ribbons_of(
    sentence: Sentence, x: list[float], between: tuple[float, float], width: float
) -> list[Band]:
    """Return the ribbons, which land side by side."""
    (top, bottom), thick = between, THICK * width
    land, bands = ended(sentence) * width - thick / 2, []
    for from_x, share, vector in zip(x, sentence.shares, sentence.vectors, strict=True):
        to, middle = land + thick * share / 2, (top + bottom) / 2
        land += thick * share
        curve = ((from_x, top), (from_x, middle), (to, middle), (to, bottom))
        bands.append(Band(curve, max(thick * share, 0.6), sentence.hue(vector)))
    return bands


def stage(sentence: Sentence, opened: int) -> str:
    """Return the words, and what is around them, as large as the browser's script draws it.

    Args:
        sentence: The sentence.
        opened: Which word the chips below are for.
    """
    room = WIDE * LEAST
    widths = [max(room, WIDE * (PAD + 0.9 * text_width(word, LETTER))) for word in sentence.words]
    middles = middles_of(widths, WIDE * GAP, WIDE)
    arcs = arcs_of(sentence, middles, HIGH, WIDE)
    ribbons = ribbons_of(sentence, middles, (0, HIGH), WIDE)
    parts = stretched("arcs", arcs) + stretched("ribbons", ribbons) + line(sentence)
    return (
        f'<div class="toy-printed" role="img" aria-label="{escape(seen(sentence))}">{parts}</div>'
        f'<div class="toy-words" inert>{word_buttons(sentence, opened)}</div>'
    )


def word_buttons(sentence: Sentence, opened: int) -> str:
    """Return the words as buttons, which wait for the script."""
    buttons = []
    for at, word in enumerate(sentence.words):
        kinds = {"slot": len(choices(word)) > 1, "open": at == opened, "asks": at == sentence.asks}
        name = " ".join(kind for kind, holds in kinds.items() if holds)
        buttons.append(f'<button class="{name}"><span>{word}</span><small></small></button>')
    return "".join(buttons)


def choices(word: str) -> list[str]:
    """Return the words that can take the place of one."""
    slots: dict[str, list[str]] = course()["slots"]
    return next(slot for slot in slots.values() if word in slot)


def stretched(name: str, bands: list[Band]) -> str:
    """Return curves that are as wide as the page has room, and as high."""
    box = f'viewBox="0 0 {WIDE} {HIGH}" preserveAspectRatio="none"'
    return f'<svg class="toy-{name}" {box}>{"".join(map(band_path, bands))}</svg>'


def band_path(band: Band) -> str:
    """Return a curve; its width is a part of the picture's, however high that is."""
    (start, *rest) = [f"{short(x)} {short(y)}" for x, y in band.curve]
    hue = f' class="{band.hue}"' if band.hue else ""
    wide = f"{100 * band.width / WIDE:.2f}cqi" if band.width > 1 else "1px"
    return f'<path{hue} d="M{start}C{" ".join(rest)}" style="stroke-width:{wide}"/>'


def line(sentence: Sentence) -> str:
    """Return the line from one meaning to the other, and on it the word, where it began and is."""
    poles = list(sentence.meanings)
    word, at = sentence.words[sentence.asks], f"{100 * ended(sentence):.1f}%"
    half = 11 + 5.5 * len(word)
    stops = f'<stop class="{poles[0]}"/><stop offset=".5" class="none"/>'
    ends = zip(poles, ("start", "end"), (EDGE, 1 - EDGE), strict=True)
    names = [
        f'<text class="toy-pole {pole} {side}" x="{100 * x:.0f}%" y="53">{pole.upper()}</text>'
        for pole, side, x in ends
    ]
    return (
        '<svg class="toy-line">'
        f'<linearGradient id="{GRADIENT}">{stops}<stop offset="1" class="{poles[1]}"/>'
        f'</linearGradient><rect x="1%" y="13" width="98%" height="6" rx="3" '
        f'fill="url(#{GRADIENT})"/><circle class="toy-began" cx="50%" cy="16" r="7"/>'
        f'{"".join(names)}<svg x="{at}"><g class="toy-pill chosen {hue_of(sentence)}">'
        f'<rect x="{short(-half)}" y="-1" width="{short(2 * half)}" height="34" rx="17"/>'
        f"{text(0, 22, word)}</g></svg></svg>"
    )


def hue_of(sentence: Sentence) -> str:
    """Return which meaning the word that asks ends up with, if it does."""
    poles = list(sentence.meanings)
    return "none" if abs(sentence.place) < 1 / 6 else poles[sentence.place > 0]


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
