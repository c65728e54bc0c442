"""A figure of each kind, drawn from what was printed, and what its drawing holds."""

import re
from functools import cache
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from tests.site_build.markdown.plain_markdown import convert

WORDS = "the duck likes the muddy bank"
VECTOR = "tensor([0., 3., 0., 0., 3., 2.])"
SHARES = "tensor([0.0198, 0.3973, 0.0198, 0.0198, 0.3973, 0.1461])"
NEGATIVE = "tensor([ 1.5000, -0.7251,  0.0004, -2.0000])"
MATRIX = """tensor([[1.0000, 0.0000, 0.0000], [0.2500, 0.7500, 0.0000], [0.1250, 0.2450,
0.6300]])"""
HIDDEN = "tensor([[0.0000, -inf], [-1.2500, 5.0000]])"
MASK = "tensor([[True, False], [True, True]])"
SENTENCE = "the animal didn't cross the street because it was too tired"
TIRED = (
    "tensor([0.0010, 0.9610, 0.0010, 0.0020, 0.0010, 0.0080, 0.0010, 0.02, 0.0010, 0.0010, 0.002])"
)
STEPS3 = "tensor([[0.0000, 0.2500, 0.7500], [0.0000, 1.0000, 0.0000]])"
DIAGONAL = f"tensor([{', '.join(str([float(i == j) for j in range(11)]) for i in range(11))}])"
SQUARE = 'rows="a b" columns="a b"'
AXES = 'rows="a b c" columns="a b c"'

# The options of a figure, those of its output, what is printed: one of each kind at least.
EXAMPLES = {
    "bars": ("bars", "", f'columns="{WORDS}"', VECTOR),
    "negative bars": ("bars", "", 'columns="water money acts describes"', NEGATIVE),
    "a row of bars": ("bars", 'row="c"', AXES, MATRIX),
    "bars of many words": ("bars", "", f'columns="{SENTENCE}"', TIRED),
    "arcs": ("arcs", 'query="bank"', f'columns="{WORDS}"', SHARES),
    "a row of arcs": ("arcs", 'row="c"', AXES, MATRIX),
    "arcs of many words": ("arcs", 'query="it"', f'columns="{SENTENCE}"', TIRED),
    "between": ("between", "", 'rows="rive boueuse" columns="the muddy bank"', STEPS3),
    "between two lines": ("between", "", f'heat="{SENTENCE}"', DIAGONAL),
    "map": ("map", "", AXES, MATRIX),
    "hidden": ("map", "", SQUARE, HIDDEN),
    "mask": ("map", "", SQUARE, MASK),
}


@cache
def draw(kind: str, options: str = "", names: str = "", printed: str = VECTOR) -> str:
    """Return the figure of one output, or of two, whose parts // divides; they stand below it."""
    html = convert(page_of(kind, options, names, printed))
    found = re.search("<figure.*?</figure>", html, re.DOTALL)
    assert found, html
    return found[0]


def page_of(kind: str, options: str, names: str, printed: str) -> str:
    """Return the Markdown of a figure and its outputs."""
    outputs = list(zip(names.split("//"), printed.split("//"), strict=True))
    of = " ".join(f"numbers{at or ''}" for at in range(len(outputs)))
    fences = "\n\n".join(
        f'```output name="numbers{at or ""}" {named.strip()}\n{digits.strip()}\n```'
        for at, (named, digits) in enumerate(outputs)
    )
    return f'```figure kind="{kind}" of="{of}" {options}\nWhat is seen.\n```\n\n{fences}'


def drawings(figure: str) -> list[Element]:
    """Return the panels of a figure."""
    return [ElementTree.fromstring(svg) for svg in re.findall("<svg.*?</svg>", figure, re.DOTALL)]


def drawing(kind: str, options: str = "", names: str = "", printed: str = VECTOR) -> Element:
    """Return the only panel of a figure."""
    (panel,) = drawings(draw(kind, options, names, printed))
    return panel


def of_class(panel: Element, *names: str) -> list[Element]:
    """Return the elements that have one of the classes."""
    return [element for element in panel.iter() if element.get("class") in names]


def coordinates(path: Element) -> list[float]:
    """Return the numbers of a path."""
    return [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", path.get("d", ""))]


def ways(panel: Element, *names: str) -> list[list[float]]:
    """Return the numbers of each path of a class."""
    return [coordinates(path) for path in of_class(panel, *names)]


def texts(panel: Element) -> list[str]:
    """Return what is written in a panel."""
    return [element.text or "" for element in panel.iter("text")]


def numbers_of(printed: str) -> list[float]:
    """Return the numbers that are printed."""
    return [float(number) for number in re.findall(r"-?\d+\.\d*", printed)]
