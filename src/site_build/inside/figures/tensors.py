"""What figures are made from: printed tensors, with the names of their axes."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_UP, Decimal
from functools import cached_property
from itertools import chain, repeat
from typing import Any

from site_build.inside.colours import HIDDEN
from tensor_examples.printed import tensors_in

NO_BREAK = "\N{NO-BREAK SPACE}"
NUMBER = re.compile(r"-?\d[\d.]*(?:e[-+]?\d+)?")


@dataclass(frozen=True)
class Tensor:
    """A printed tensor: its digits in nested lists, and the names that its output gives."""

    digits: Any
    rows: list[str]
    columns: list[str]
    name: str = ""
    hidden: Any = None  # which numbers a mask hides, where their digits do not say so

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """How long each axis is."""
        return shape(self.digits)

    def panels(self) -> Iterator["Tensor"]:
        """Yield the vector or the matrix, or each matrix of several."""
        if len(self.shape) > 2:
            for number, part in enumerate(self.digits):
                hidden = self.hidden and self.hidden[number]
                yield from replace(self, digits=part, hidden=hidden).panels()
        else:
            yield self

    def row_names(self) -> list[str]:
        """Return a name for each row."""
        return named(self.rows, self.matrix(), "rows")

    def column_names(self) -> list[str]:
        """Return a name for each column, or for each number of a vector."""
        return named(self.columns, self.digits[0] if self.shape[1:] else self.digits, "columns")

    def matrix(self) -> list[list[str]]:
        """Return the digits of a matrix, row by row."""
        if len(self.shape) != 2:
            raise ValueError(f"a matrix is needed, and the shape is {self.shape}")
        digits: list[list[str]] = self.digits
        return digits

    def is_hidden(self, row: int, column: int) -> bool:
        """Tell whether a number of a matrix is hidden."""
        by_mask = self.hidden is not None and self.hidden[row][column]
        return by_mask or self.matrix()[row][column] in HIDDEN

    def vector(self, row: str | None) -> list[str]:
        """Return the digits of a vector, or of the row of a matrix that has a name."""
        if row is None and self.shape[1:]:
            raise ValueError(f'the shape is {self.shape}: choose a row with row="..."')
        if row is not None:
            return self.matrix()[find(row, self.row_names())]
        digits: list[str] = self.digits
        return digits

    def two_columns(self, x: str | None, y: str | None) -> tuple[int, int]:
        """Return the columns of two names, or the first two."""
        if len(self.matrix()[0]) < 2:
            raise ValueError(f"two columns are needed, and the shape is {self.shape}")
        first = find(x, self.column_names()) if x is not None else 0
        return first, find(y, self.column_names()) if y is not None else 1


def tensors_of(text: str, options: dict[str, str]) -> list[Tensor]:
    """Return the tensors of an output, with the names that its options give to both axes."""
    heat = options.get("heat", "")
    rows, columns = (names_of(options.get(axis, heat)) for axis in ("rows", "columns"))
    names = names_of(options.get("tensors", ""))
    return [
        Tensor(digits, rows, columns, name)
        for digits, name in zip(tensors_in(text), chain(names, repeat("")), strict=False)
    ]


def names_of(text: str) -> list[str]:
    """Return the names in an option; a space within a name is one at which nothing is divided."""
    names = text.split("|") if "|" in text else text.split()
    return [NO_BREAK.join(name.split()) for name in names if name.strip()]


def shape(tensor: Any) -> tuple[int, ...]:
    """Return the shape of nested lists."""
    return (len(tensor), *shape(tensor[0])) if tensor and isinstance(tensor, list) else ()


def named(names: list[str], of: list[Any], axis: str) -> list[str]:
    """Return names, of which there has to be one for each part of an axis."""
    if len(names) != len(of):
        raise ValueError(f"its output has {len(names)} names for {len(of)} {axis}")
    return names


def find(name: str, names: list[str]) -> int:
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
    if not NUMBER.fullmatch(digits):
        raise ValueError(f"{digits} cannot be drawn")
    return float(digits)


def rounded(digits: list[str]) -> list[str]:
    """Return printed numbers with two decimals, or with none where all are whole."""
    numbers = [Decimal(str(value(text))) for text in digits]
    unit = Decimal(1) if all(number == int(number) for number in numbers) else Decimal("0.01")
    # Adding 0 takes the sign from what was rounded to 0.
    near = (number.quantize(unit, ROUND_HALF_UP) + 0 for number in numbers)
    return [str(number).replace("-", "\N{MINUS SIGN}") for number in near]
