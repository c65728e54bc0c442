"""Formulas become MathML while the site is built.

The browser needs no script for it, a screen reader can read it, and a mistake in a formula
fails the build. `pymdownx.arithmatex` finds the formulas; this converts them.
"""

import html
import re

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


def with_mathml(html: str) -> str:
    """Return a page with MathML in place of the TeX that arithmatex has marked."""
    return FORMULA.sub(to_mathml, html)


def to_mathml(formula: re.Match[str]) -> str:
    """Convert one formula; a display formula keeps its box, which scrolls when it is wide.

    Those that stand side by side become formulas of their own: a phone shows one below the other.
    """
    tex = html.unescape(formula["tex"]).strip()
    display = formula["tag"] == "div"
    try:
        mathml = "".join(
            converter.convert_with_local_state(part, displaystyle=display)
            for part in (APART.split(tex) if display else [tex])
        )
    except LatexError as error:
        raise ValueError(f"the formula {tex!r} is not valid: {error}") from error
    # All subscripts stand at one height.
    mathml = LOW_WORD.sub(r'<msub><mpadded depth="0">\1</mpadded>', mathml)
    after = formula["after"]
    if not display and after:
        # A line begins with no full stop.
        return f'<span class="unbroken">{mathml}{after}</span>'
    # tabindex: a keyboard can scroll the box too
    return f'<div class="formula" tabindex="0">{mathml}</div>{after}' if display else mathml
