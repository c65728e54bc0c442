"""A page as the search shows it: in sentences.

The search keeps the text of a page and little of its markup. So a formula would read
"scoresij=∑equeryiekeyje", and a table or a picture would be one long line without a stop.
"""

import re
from html import escape, unescape
from xml.etree import ElementTree

FORMULA = re.compile(r"<math.*?</math>", re.DOTALL)
# A heading in a summary would end its section with the summary: the parser leaves it there.
FOLDED_QUESTION = re.compile(
    r'<details class="question">\s*<summary>(.*?)</summary>(.*?)</details>', re.DOTALL
)
# Pictures, printed matrices that are drawn, and what says only that something can be opened.
NO_SENTENCE = re.compile(
    r"<svg.*?</svg>"
    r'|<table class="heat-map".*?</table>'
    r"|<summary.*?</summary>"
    r'|<p class="admonition-title">.*?</p>',
    re.DOTALL,
)
# What a stage wraps a title in: the theme's parser would begin with a section that has no title.
WRAPPED = re.compile(r"^(?:\s*<(?:div|section)\b[^>]*>)+\s*(?=<h1)")
# The theme's parser is slow, and code has a mark on each word.
CODE = re.compile(r"<pre.*?</pre>", re.DOTALL)
MARK = re.compile(r"</?(?!pre|code)\w[^>]*>")
TABLE = re.compile(r"<table>.*?</table>", re.DOTALL)
ROW = re.compile(r"<tr>(.*?)</tr>", re.DOTALL)
CELL = re.compile(r"<t[hd].*?>(.*?)</t[hd]>", re.DOTALL)
# Other elements that stand on a line of their own.
LINE = re.compile(r"<(/?)(?:caption|dd|dt|figcaption)\b.*?>")

HTML_ENTITY = re.compile(r"&(?!(?:lt|gt|amp);)\w+;")  # XML knows but a few
SIGNS = {"∑": "sum", "⋅": "·", "\N{FUNCTION APPLICATION}": "", "\N{INVISIBLE SEPARATOR}": ""}
AROUND = re.compile(r"\s+(?=[,.;:)\]])|(?<=[(\[])\s+")


def as_sentences(html: str) -> str:
    """Return a page whose formulas are words and whose rows of tables are paragraphs."""
    html = FORMULA.sub(as_words, WRAPPED.sub("", html))
    html = NO_SENTENCE.sub("", FOLDED_QUESTION.sub(r"\1\2", html))
    html = CODE.sub(lambda code: MARK.sub("", code[0]), html)
    html = TABLE.sub(lambda table: "".join(map(as_paragraph, ROW.findall(table[0]))), html)
    return LINE.sub(r"<\1p>", html)


def as_words(formula: re.Match[str]) -> str:
    """Return a formula as words, and one that is displayed as a paragraph."""
    words = escape(in_words(formula[0]), quote=False)
    return f"<p>{words}</p>" if formula[0].startswith('<math display="block"') else words


def as_paragraph(row: str) -> str:
    """Return a row of a table as one paragraph."""
    cells = [cell.strip() for cell in CELL.findall(row)]
    return f"<p>{' · '.join(filter(None, cells))}</p>"


def in_words(mathml: str) -> str:
    """Read a formula, as "sum over e of query_ie key_je"."""
    words = read(ElementTree.fromstring(HTML_ENTITY.sub(lambda sign: unescape(sign[0]), mathml)))
    return AROUND.sub("", " ".join(words.split()))


def read(element: ElementTree.Element) -> str:
    """Read an element of MathML."""
    parts = [read(child) for child in element]
    short = [part.replace(" ", "") for part in parts]  # an index such as "ij"
    match element.tag, parts:
        case "msub", [base, _]:
            return f"{base}_{short[1]}"
        case "msup", [base, _]:
            return f"{base}{short[1]}" if short[1] == "\N{PRIME}" else f"{base}^{short[1]}"
        case "msubsup", [base, _, _]:
            return f"{base}_{short[1]}^{short[2]}"
        case "munder", [base, under]:
            return f"{base} over {under} of"
        case "mover", [base, _]:
            return base
        case "mfrac", [top, bottom]:
            return " / ".join(f"({part})" if " " in part else part for part in (top, bottom))
        case "mtable", _:
            return ", ".join(parts)
        case "msqrt", _:
            return f"the square root of {' '.join(parts)}"
    text = (element.text or "").strip()
    return " ".join([SIGNS.get(text, text), *parts])
