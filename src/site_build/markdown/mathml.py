"""Formulas become MathML while the site is built.

The browser needs no script for it, a screen reader can read it, and a mistake in a formula
fails the build. `pymdownx.arithmatex` finds the formulas; this converts them.
"""

import html
import re
from xml.etree import ElementTree

from math_core import LatexError, LatexToMathML

# What arithmatex writes in its generic mode: \(...\) in a span, \[...\] in a div.
FORMULA = re.compile(
    r'<(?P<tag>span|div) class="arithmatex">\\[(\[](?P<tex>.*?)\\[)\]]</(?P=tag)>'
    r"(?P<after>[.,;:?!)]*)",
    re.DOTALL,
)
# What stands between formulas of one line.
APART = re.compile(r"\\q?quad\b")
# A word whose letters reach below the line, with a subscript.
LOW_WORD = re.compile(r"<msub><mrow>(<mspace/><mi>\w*[gjpqy]\w*</mi>)</mrow>")
converter = LatexToMathML(fancy_error=False)
NAMED = re.compile(r"&(?!lt|gt|amp)\w+;")  # signs that XML does not know, none of them wide
# What a reader knows already stands in grey, \class{known}{…}. The converter knows only colours.
KNOWN, GREY = r"\class{known}", r"\textcolor{gray}"
DRAWN = {'<mrow style="color:#808080;">': '<mrow class="known">'}
SCRIPT = 0.7  # of the size of a letter
LONG = 34  # letters, beyond which a formula is set smaller on a phone


def with_mathml(html: str) -> str:
    """Return a page with MathML in place of the TeX that arithmatex has marked."""
    return FORMULA.sub(to_mathml, html)


def to_mathml(formula: re.Match[str]) -> str:
    """Convert one formula; a display formula keeps its box, which scrolls when it is wide.

    Those that stand side by side become formulas of their own: a phone shows one below the other.
    """
    tex = html.unescape(formula["tex"]).strip().replace(KNOWN, GREY)
    display = formula["tag"] == "div"
    try:
        mathml = "".join(
            converter.convert_with_local_state(part, displaystyle=display)
            for part in (APART.split(tex) if display else [tex])
        )
    except LatexError as error:
        raise ValueError(f"the formula {tex!r} is not valid: {error}") from error
    for drawn, marked in DRAWN.items():
        mathml = mathml.replace(drawn, marked)
    # All subscripts stand at one height.
    mathml = LOW_WORD.sub(r'<msub><mpadded depth="0">\1</mpadded>', mathml)
    after = formula["after"]
    if not display and after:
        # A line begins with no full stop.
        return f'<span class="unbroken">{mathml}{after}</span>'
    if not display:
        return mathml
    found = re.findall("<math.*?</math>", mathml, re.DOTALL)
    is_long = max(width(ElementTree.fromstring(NAMED.sub("", part))) for part in found) > LONG
    # tabindex: a keyboard can scroll the box too
    return f'<div class="formula{" long" * is_long}" tabindex="0">{mathml}</div>{after}'


def width(element: ElementTree.Element) -> float:
    """Return about how many letters wide a formula is: of a fraction, its wider half."""
    tag, parts = element.tag, [width(part) for part in element]
    if tag in ("mfrac", "mtable", "munder", "munderover"):
        return max(parts, default=0.0)
    if tag in ("msub", "msup"):
        return parts[0] + SCRIPT * parts[1]
    if tag == "msubsup":
        return parts[0] + SCRIPT * max(parts[1:])
    return len((element.text or "").strip("\u2061")) + sum(parts)
