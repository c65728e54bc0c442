"""The grammar of a printed tensor."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from tensor_examples.numbers import PRINTED, PYTHON, exactly

# An array's digits stand apart from its brackets, and both break their lines.
TENSOR = re.compile(r"\b(?:tensor|array)\((\[[-+.\w\s,[\]]*\])")
ELEMENT = re.compile(r"[-+.\w]+")
NUMBER = re.compile(rf"-?(?:{PYTHON}|inf|nan)|True|False")


def tensors_in(text: str) -> Iterator[Any]:
    """Yield each printed tensor of one axis or more as nested lists of its digits.

    One that is shortened or not whole, or holds something else than real numbers, is an empty list.

    Examples:
        >>> from tensor_examples.printed import tensors_in
        >>> list(tensors_in("tensor([[0.1000,   -inf]], dtype=torch.float64)"))
        [[['0.1000', '-inf']]]
        >>> list(tensors_in("tensor(0.5) tensor([0.1, ..., 0.9]) array([True])"))
        [[], ['True']]
    """
    for printed in TENSOR.findall(text):
        is_real = all(map(NUMBER.fullmatch, ELEMENT.findall(printed)))
        try:
            yield json.loads(ELEMENT.sub(r'"\g<0>"', printed)) if is_real else []
        except json.JSONDecodeError:  # a bracket or a comma is missing
            yield []


@dataclass
class Numbers:
    """The numbers of a list, of the arguments of a call, or of what is left of a line."""

    values: list[Decimal] = field(default_factory=list)
    is_list: bool = False
    is_row: bool = True  # no list in it


PIECE = re.compile(
    rf"(?P<number>{PRINTED.pattern})|(?P<opens>[(\[{{])|(?P<closes>[)\]}}])|\n", re.I
)


def lists_in(text: str) -> Iterator[Numbers]:
    r"""Yield the numbers of each list in some code and outputs, of each call, and of each line.

    A list of lists has the numbers of all of them.

    Examples:
        >>> from tensor_examples.printed import lists_in
        >>> [list(map(str, each.values)) for each in lists_in("tensor([[1, 2],\\n [3, 4]]) 5")]
        [['1', '2'], ['3', '4'], ['1', '2', '3', '4'], [], ['5']]
    """
    opened = [Numbers()]
    for piece in PIECE.finditer(text):
        if piece["number"]:
            opened[-1].values.append(exactly(piece["number"]))
        elif piece["opens"]:
            before = text[max(0, piece.start() - 1) : piece.start()]
            opened.append(Numbers(is_list=not (before.isalnum() or before in ("_", ")", "]"))))
        elif piece["closes"] and len(opened) > 1:
            closed = opened.pop()
            yield closed
            if closed.is_list and opened[-1].is_list:
                opened[-1].values += closed.values
                opened[-1].is_row = False
        elif len(opened) == 1:
            yield opened.pop()
            opened.append(Numbers())
    yield from reversed(opened)
