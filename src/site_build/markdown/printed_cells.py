"""The cells of printed tensors: each number of a text that belongs to a tensor gets its colour.

No letter of the text changes. An element stands around each number, one around each row, and one
around each matrix or vector, with the name of its tensor, by which the card of a formula finds the
numbers that it explains (site_build.formula_card).
"""

import re
from collections.abc import Iterable
from html import escape, unescape
from itertools import count, repeat
from math import isfinite

import numpy as np

from site_build.markdown.colours import scale_of, shade
from site_build.markdown.tensors import Mask, Tensor, tensors_of
from tensor_examples.printed import ELEMENT, TENSOR

ROW = re.compile(r"\[[^[\]]+\]")
# An example of Python as HTML, and its output, which site_build.markdown.quiet_code has joined.
EXAMPLE = re.compile(r'<div class="language-pycon.*?</div>', re.DOTALL)
PRINTED = re.compile(r'(?<=<span class="go">)[^<]*')
TRUTH = {"True": 1.0, "False": None}


def with_cells(
    text: str, tensors: Iterable[Tensor], wrong: Iterable[Mask | None] = repeat(None)
) -> str:
    """Return the HTML of a printed text.

    Args:
        text: What a program printed.
        tensors: Those of the text, in their order; others may follow.
        wrong: Which numbers of each tensor are ringed.
    """
    html, end = "", 0
    for found, tensor, rings in zip(TENSOR.finditer(text), tensors, wrong, strict=False):
        html += escape(text[end : found.start(1)], quote=False) + drawn(found[1], tensor, rings)
        end = found.end(1)
    return html + escape(text[end:], quote=False)


def with_cells_in_examples(html: str) -> str:
    """Return a page whose examples of Python, such as those of docstrings, have cells."""

    def printed(found: re.Match[str]) -> str:
        text = unescape(found[0])
        return with_cells(text, tensors_of(text, {}))

    return EXAMPLE.sub(lambda example: PRINTED.sub(printed, example[0]), html)


def drawn(printed: str, tensor: Tensor, wrong: Mask | None) -> str:
    """Return the HTML of a tensor; one that is shortened stays as it is."""
    if not tensor.digits.size:
        return printed
    numbers = [number_of(digits) for digits in tensor.digits.flat]
    scale = scale_of(number for number in numbers if number is not None)
    hidden = tensor.hidden()
    rings = np.zeros_like(hidden) if wrong is None else wrong
    looks = (
        shade(None if number is None or hides else scale.share(number), *["wrong"] * bool(ring))
        for number, hides, ring in zip(numbers, hidden.flat, rings.flat, strict=True)
    )
    cells = ELEMENT.sub(lambda digits: f"<i{next(looks)}>{digits[0]}</i>", printed)
    name = f' data-name="{escape(tensor.name)}"' * bool(tensor.name)
    return in_rows(cells, tensor.shape, name)


def in_rows(cells: str, shape: tuple[int, ...], said: str) -> str:
    """Return a tensor with an element around each row and around each matrix."""
    height = shape[-2] if shape[1:] else 1
    kind = "printed-matrix" if shape[1:] else "printed-matrix vector"
    rows = count()

    def row(found: re.Match[str]) -> str:
        line = next(rows) % height
        begins = f'<span class="{kind}"{said}>' * (line == 0)
        return f"{begins}<span>{found[0]}</span>" + "</span>" * (line == height - 1)

    return ROW.sub(row, cells)


def number_of(digits: str) -> float | None:
    """Return a printed number, or None for what has no share of a colour."""
    number = TRUTH[digits] if digits in TRUTH else float(digits)
    return number if number is not None and isfinite(number) else None
