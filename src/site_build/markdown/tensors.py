"""Printed tensors with the names of their axes, from which cells, tables and figures are made."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from itertools import chain, repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from site_build.markdown.colours import FILLED, HIDDEN, scale_of, shade
from tensor_examples.numbers import PYTHON
from tensor_examples.printed import tensors_in

NO_BREAK = "\N{NO-BREAK SPACE}"
REAL = re.compile(rf"-?{PYTHON}")

Digits = NDArray[np.str_]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Tensor:
    """A printed tensor: its digits, the names that its output gives, and what a mask hides."""

    digits: Digits
    rows: list[str]
    columns: list[str]
    name: str
    masked: Mask

    @property
    def shape(self) -> tuple[int, ...]:
        """How long each axis is."""
        return self.digits.shape

    def row_names(self) -> list[str]:
        """Return a name for each row."""
        return named(self.rows, len(self.matrix()), "rows")

    def column_names(self) -> list[str]:
        """Return a name for each column, or for each number of a vector."""
        return named(self.columns, self.shape[-1], "columns")

    def matrix(self) -> list[list[str]]:
        """Return the digits of a matrix, row by row."""
        if len(self.shape) != 2:
            raise ValueError(f"a matrix is needed, and the shape is {self.shape}")
        digits: list[list[str]] = self.digits.tolist()
        return digits

    def hidden(self) -> Mask:
        """Return which numbers are hidden: by a mask, or as their digits say."""
        hidden: Mask = self.masked | hides(self.digits)
        return hidden


def tensors_of(text: str, options: dict[str, str]) -> list[Tensor]:
    """Return the tensors of an output, with the names that its options give to both axes."""
    heat = options.get("heat", "")
    rows, columns = (names_of(options.get(axis, heat)) for axis in ("rows", "columns"))
    names = chain(names_of(options.get("tensors", "")), repeat(""))
    return [
        Tensor(digits, rows, columns, name, np.zeros_like(digits, bool))
        for digits, name in zip(map(np.array, tensors_in(text)), names, strict=False)
    ]


def hides(digits: Digits) -> Mask:
    """Return where a mask is printed that lets nothing through."""
    return np.isin(digits, list(HIDDEN))


def names_of(text: str) -> list[str]:
    """Return the names in an option; a space within a name is one at which nothing is divided."""
    names = text.split("|") if "|" in text else text.split()
    return [NO_BREAK.join(name.split()) for name in names if name.strip()]


def named(names: list[str], count: int, axis: str) -> list[str]:
    """Return names, of which there has to be one for each part of an axis."""
    if len(names) != count:
        raise ValueError(f"its output has {len(names)} names for {count} {axis}")
    return names


def index_of(name: str, names: list[str]) -> int:
    """Return the place of a name, or of an index where names occur twice."""
    name = " ".join(names_of(f"{name}|"))
    if names.count(name) == 1:
        return names.index(name)
    if name in names:
        raise ValueError(f'"{name}" is there {names.count(name)} times: give its index')
    if name.isdecimal() and int(name) < len(names):
        return int(name)
    raise ValueError(f'there is no "{name}" among: {" ".join(names)}')


def value(digits: str) -> float:
    """Return a printed number."""
    if not REAL.fullmatch(digits):
        raise ValueError(f"{digits} cannot be drawn")
    return float(digits)


def values_of(digits: Iterable[str]) -> dict[str, float]:
    """Return printed numbers, but not what is True or hidden."""
    return {one: value(one) for one in sorted({*digits} - HIDDEN - {FILLED})}


def shades_of(values: Mapping[str, float]) -> dict[str, str]:
    """Return the colours of numbers, on one scale."""
    scale = scale_of(values.values())
    return {digits: shade(scale.share(number)) for digits, number in values.items()}


def rounded(digits: Iterable[str]) -> dict[str, str]:
    """Return printed numbers with two decimals, or with none where all are whole."""
    numbers = {one: Decimal(str(value(one))) for one in digits}
    whole = all(number == int(number) for number in numbers.values())
    unit = Decimal(1) if whole else Decimal("0.01")
    # Adding 0 takes the sign from what was rounded to 0.
    return {
        one: str(number.quantize(unit, ROUND_HALF_UP) + 0).replace("-", "\N{MINUS SIGN}")
        for one, number in numbers.items()
    }


def as_json(tensor: Tensor) -> dict[str, Any]:
    """Return the numbers of a tensor, with the names of its rows and columns."""
    names = {"rows": tensor.rows, "columns": tensor.columns}
    spaced = {axis: [name.replace(NO_BREAK, " ") for name in each] for axis, each in names.items()}
    return {"values": read_digits(tensor.digits.tolist())} | {a: n for a, n in spaced.items() if n}


def read_digits(digits: Any) -> Any:
    """Return numbers for printed ones: 1 and 0 for True and False, None for minus infinity."""
    if isinstance(digits, list):
        return [read_digits(each) for each in digits]
    words = {"True": 1, "False": 0, "-inf": None}
    if digits in words:
        return words[digits]
    number = value(digits)
    return int(number) if number == int(number) else number
