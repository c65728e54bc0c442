"""What a page shows of a training before any script: two texts with their looks, and a curve.

The path of a look is the same whatever its weight. So the build draws all of them, and a script
only says how thick each is: weights and shares are variables in `style`, which learn.css reads.
"""

from html import escape
from math import log, sqrt
from typing import Any

from site_build.figures.svg import short, text_width
from site_build.toy.picture import middles_of
from tiny_lm.recipe import RECIPE

HUES = {"muddy": "water", "rich": "money"}
WIDE, HIGH = 340.0, 166.0
TOPS = [6.0, 104.0]  # of the words of both lines
BOX, GAP, SAID = 28.0, 5.0, 68.0  # the height of a word, what is between two, room for the answer
HEADS = 4  # of two blocks
CURVE_WIDE, CURVE_HIGH = 340.0, 190.0
LEFT, BOTTOM = 16.0, 24.0
MOST_LOSS = 4.2
LOGGED = [0, 50, 200, 500, 1000, 1500]


def both_texts(moment: dict[str, Any], before: dict[str, Any] | None = None, least: int = 0) -> str:
    """Return both texts with the looks and the shares of a moment.

    Args:
        moment: What is recorded of it.
        before: A moment whose answers are there as well, for the styles to choose.
        least: Looks below so many hundredths are left out, where no script will change them.
    """
    shown = zip(RECIPE.texts[:2], moment["texts"], (before or moment)["texts"], strict=False)
    inner = "".join(
        text_and_bars(text, told, earlier["said"] if before else "", least)
        for text, told, earlier in shown
    )
    return f'<div class="learn-texts">{inner}</div>'


def text_and_bars(text: str, told: dict[str, Any], before: str, least: int) -> str:
    """Return one text, and below it the shares of both answers."""
    first, _, second = f"start {text}".partition(" . ")
    lines = [f"{first} .".split(), second.split()]
    words = [word for line in lines for word in line]
    places = word_places(lines)
    boxes, names, looks = [], [], []
    for place, ((x, top, wide), word) in enumerate(zip(places, words, strict=True)):
        most = max(head[place] for head in told["looks"]) / 100
        boxes.append(
            f'<rect x="{short(x - wide / 2)}" y="{short(top)}" width="{short(wide)}" '
            f'height="{short(BOX)}" rx="5"{of_hue(word)} style="--look:{most:g}"/>'
        )
        css = "start" if not place else HUES.get(word, "")
        names.append(svg_word(x, top, word, "asks" if place == len(words) - 1 else css))
    for head, weights in enumerate(told["looks"]):
        ways = (look_path(places, place, head) for place in range(len(words)))
        paths = [
            f'<path d="{d}"{of_hue(word)} style="--look:{weight / 100:g}"/>'
            for d, word, weight in zip(ways, words, weights, strict=True)
            if weight >= least
        ]
        looks.append("".join(paths))
    x, top, wide = places[-1]
    after = x + wide / 2 + GAP + SAID / 2
    said = svg_word(after, top, told["said"], f"said after {told['said']}")
    if before:
        said += svg_word(after, top, before, "said before")
    most = max(range(len(words)), key=lambda place: max(head[place] for head in told["looks"]))
    share = max(head[most] for head in told["looks"])
    label = (
        f"{' '.join(words[1:]).replace(' .', '.')}: it says {told['said']}, and looks most at "
        f"{words[most]}, {share} %"
    )
    bars = bar("water", told["water"]) + bar("money", told["money"])
    return (
        f'<div class="learn-text"><svg viewBox="0 0 {short(WIDE)} {short(HIGH)}" role="img" '
        f'aria-label="{escape(label)}">{"".join(boxes + looks + names)}{said}</svg>'
        f'<div class="learn-bars">{bars}</div></div>'
    )


def of_hue(word: str) -> str:
    """Return the class of what belongs to an adjective."""
    return f' class="{HUES[word]}"' if word in HUES else ""


def svg_word(x: float, top: float, word: str, css: str) -> str:
    """Return a word in the middle of its box."""
    name = f' class="{css}"' if css else ""
    return f'<text{name} x="{short(x)}" y="{short(top + 19)}">{escape(word)}</text>'


def word_places(lines: list[list[str]]) -> list[tuple[float, float, float]]:
    """Return the middle of each word, the top of its line, and how wide it is."""
    places = []
    for line, top, room in zip(lines, TOPS, (0, SAID + GAP), strict=True):
        widths = [text_width(word, 10 if word == "start" else 15) + 4 for word in line]
        middles = middles_of(widths, GAP, WIDE - room)
        places += [(x, top, wide) for x, wide in zip(middles, widths, strict=True)]
    return places


def look_path(places: list[tuple[float, float, float]], place: int, head: int) -> str:
    """Return the way from the last word to another; heads go side by side."""
    (x, top, _), (to, to_top, _) = places[-1], places[place]
    aside = 3 * (head - (HEADS - 1) / 2)
    if to_top < top:
        low, high, middle = top, to_top + BOX, (top + to_top + BOX) / 2
        curve = (x + aside, low, x + aside, middle, to + aside / 2, middle, to + aside / 2, high)
    elif place == len(places) - 1:
        curve = (x - 5, top + BOX, x - 7, top + BOX + 14, x + 7, top + BOX + 14, x + 5, top + BOX)
    else:
        base, deep = top + BOX, top + BOX + min(36, 12 + 0.22 * (x - to))
        curve = (
            x + aside / 2,
            base,
            x + aside / 2,
            deep,
            to + aside / 2,
            deep,
            to + aside / 2,
            base,
        )
    x0, y0, *rest = (str(round(number)) for number in curve)
    return f"M{x0} {y0}C{' '.join(rest)}"


def bar(word: str, share: float) -> str:
    """Return a bar of one answer."""
    style = f'style="--share:{share:.3f}"'
    name, number = f'<b class="{word}">{word}</b>', f"<span>{100 * share:.0f} %</span>"
    return f'{name}<i class="{word}" {style}></i>{number}'


def loss_curve(moments: list[dict[str, Any]], floors: tuple[float, float], words: int) -> str:
    """Return the loss over the steps, and the losses that can be reached."""

    def x(step: float) -> float:
        return LEFT + (CURVE_WIDE - 2 * LEFT) * sqrt(step / LOGGED[-1])

    def y(loss: float) -> float:
        return (CURVE_HIGH - BOTTOM) * (1 - min(loss, MOST_LOSS) / MOST_LOSS)

    levels = [
        (log(words), "every word alike", ""),
        (floors[0], "from the last word alone", ""),
        (floors[1], "the floor: all stories by heart", "floor"),
    ]
    parts = []
    for loss, name, css in levels:
        at = short(y(loss))
        down = 14 if css else -4
        right = short(CURVE_WIDE - LEFT)
        parts.append(
            f'<line class="{css}" x1="{short(LEFT)}" x2="{right}" y1="{at}" y2="{at}"/>'
            f'<text class="level" x="{right}" y="{short(y(loss) + down)}">{loss:.2f} {name}</text>'
        )
    parts += [
        f'<text x="{short(x(step))}" y="{short(CURVE_HIGH - 6)}">{step:,}</text>' for step in LOGGED
    ]
    d = "L".join(f"{short(x(each['step']))} {short(y(each['loss']))}" for each in moments)
    box = f"0 0 {short(CURVE_WIDE)} {short(CURVE_HIGH)}"
    return (
        f'<svg class="learn-curve" viewBox="{box}" role="img" '
        f'aria-label="The loss falls from {moments[0]["loss"]:.2f} to {moments[-1]["loss"]:.2f}. '
        f'The floor is {floors[1]:.2f}.">{"".join(parts)}<path class="before" d=""/>'
        f'<path class="line recorded" d="M{d}"/></svg>'
    )
