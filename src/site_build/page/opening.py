"""The first screen of a step: what the page asks, beside its first drawing."""

import re
from dataclasses import dataclass

DRAWN = "hand-figure"
DRAWING = re.compile(rf"(<div>)?<({DRAWN})\b.*?</\2>(?(1)\s*</div>)", re.DOTALL)
QUESTION = re.compile(r'<p class="question">.*?</p>', re.DOTALL)
# A guess that follows the drawing stands beside it: the drawing answers it.
GUESS = re.compile(r'\s*<div class="admonition question guess".*?</ul>.*?</div>', re.DOTALL)


@dataclass(frozen=True)
class Opening:
    """The parts of a page that begins with a question and a drawing, as HTML."""

    asks: str  # title and question
    drawing: str
    tells: str  # the sentences above the drawing, and the guess
    rest: str


def opening(html: str) -> Opening | None:
    """Return the parts of a page, or nothing where it does not begin so.

    Args:
        html: What stands in its article.
    """
    if '<aside class="stage"' in html:
        return None  # which stands beside all of its text
    question, drawing = QUESTION.search(html), DRAWING.search(html)
    if not question or not drawing or drawing.start() < question.end():
        return None
    guess = GUESS.match(html, drawing.end())
    end = guess.end() if guess else drawing.end()
    tells = html[question.end() : drawing.start()] + (guess[0] if guess else "")
    return Opening(html[: question.end()], drawing[0], tells, html[end:])


SVG = re.compile(r'<svg class="wide[^>]*>.*?</svg>|<svg viewBox=[^>]*>.*?</svg>', re.DOTALL)
STAGED = re.compile(r'<figure class="stage-still"[^>]*>(.*?)</figure>', re.DOTALL)
# A pattern to which marks of a drawing refer; it stands once on a page.
HATCHING = re.compile(r'<svg class="hand-hatching".*?</svg>', re.DOTALL)
# What only whoever can press it needs.
TO_PRESS = re.compile(r' (?:tabindex|role|aria-[a-z]+|data-key|data-group)="[^"]*"')


def still(html: str, beside: str) -> str:
    """Return the first drawing of a page, for the way to it, or nothing where it is no picture.

    Args:
        html: What stands in the article of the page.
        beside: The same of the page on which the drawing will stand.
    """
    if staged := STAGED.search(html):
        return f'<div aria-hidden="true">{staged[1]}</div>'
    parts = opening(html)
    if not parts or not (svg := SVG.search(parts.drawing)):
        return ""
    picture = TO_PRESS.sub("", svg[0]).replace("<svg ", '<svg aria-hidden="true" ', 1)
    if not (hatching := HATCHING.search(parts.drawing)):
        return ""  # a drawing of many pieces
    pattern = "" if HATCHING.search(beside) else hatching[0]
    return f'<div class="hand-stage">{pattern}{picture}</div>'
