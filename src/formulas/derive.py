"""Writes out how one number of a tensor comes from the numbers that its formula reads.

`theme/assets/formula/derive.js` does the same in the browser, to the letter.
"""

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import ROUND_HALF_UP, Decimal
from math import inf, isfinite
from typing import Any

import numpy as np

from formulas.compute import FUNCTIONS, Array, Scope
from formulas.elements import Element, Elements, elements
from formulas.tree import Equation, UnreadError

# How strongly each sign binds. A part that binds less than what it stands in gets brackets.
BINDS = {"+": 1, "-": 1, "*": 2, "/": 2, "mod": 2, "^": 3}
SHOWN = {"*": "·", "<=": "≤", ">=": "≥", "-": "\N{MINUS SIGN}"}
SIGNS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": lambda one, other: one / other if other else inf,
    "^": operator.pow,
    "mod": operator.mod,
    "and": lambda one, other: one and other,
    "=": operator.eq,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
OVER: dict[str, Callable[[list[float]], float]] = {"sum": sum, "max": max, "min": min}
LONGEST = 12  # terms that a reader adds up
MINUS = "\N{MINUS SIGN}"
Cell = tuple[str, tuple[int, ...]]


def shown(numbers: Array | float) -> str:
    """Return a number or a row of numbers as a reader sees it: four digits behind the point.

    Of what is smaller than a thousandth, two digits that count; and no tail of zeros.
    """
    if np.ndim(numbers):
        return f"({', '.join(shown(number) for number in np.asarray(numbers))})"
    number = float(numbers)
    if not isfinite(number):
        return {inf: "∞", -inf: f"{MINUS}∞"}.get(number, "nan")
    exact = Decimal(number)
    last = -4 if abs(number) >= 0.001 or not number else max(exact.adjusted() - 1, -9)
    text = f"{exact.quantize(Decimal(1).scaleb(last), ROUND_HALF_UP):f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text.replace("-", MINUS)


@dataclass(frozen=True)
class Derived:
    """A number, how it comes about, and the cells that were read for it."""

    value: float
    text: str
    cells: list[Cell] = field(default_factory=list)
    because: list[str] = field(default_factory=list)  # the conditions that hold
    binds: int = 4
    is_sum: bool = False  # or has one inside

    def within(self, binds: int) -> str:
        """Return its text where it stands in something, in brackets if that binds more."""
        is_loose = self.binds < binds or (binds > 1 and self.text.startswith(MINUS))
        return f"({self.text})" if is_loose else self.text

    @property
    def result(self) -> str:
        """Return the number as a reader sees it, or the truth of a relation."""
        return str(self.value) if isinstance(self.value, bool) else shown(self.value)

    @property
    def in_short(self) -> "Derived":
        """The same, as a single number where it has a sum: one sum is enough for a reader."""
        return replace(self, text=shown(self.value), binds=4) if self.is_sum else self


def derive(element: Element, tensors: Mapping[str, Any], at: Mapping[str, int]) -> Derived:
    """Return how an element comes about at some places.

    Args:
        element: As `elements` writes it.
        tensors: Its numbers.
        at: The place on each axis.
    """

    def value_of(name: str, index: Sequence[int]) -> float:
        found = tensors[name]
        for place in index:
            if place < 0:
                return 0.0
            found = found[place]
        return float(found)

    def walk(element: Element, at: Mapping[str, int], in_sum: bool = False) -> Derived:
        match element:
            case ["number", number]:
                return Derived(number, shown(number))
            case ["place", letter]:
                return Derived(at[letter], shown(at[letter]))
            case ["cell", name, index]:
                inner = [walk(place, at) for place in index]
                places = tuple(int(place.value) for place in inner)
                read = [cell for place in inner for cell in place.cells]
                value = value_of(name, places)
                return Derived(value, shown(value), [*read, (name, places)])
            case ["sum" | "max" | "min" as kind, letter, size, body]:
                count = int(walk(size, at).value)
                terms = [walk(body, {**at, letter: place}, True) for place in range(count)]
                value = OVER[kind]([term.value for term in terms])
                text, binds = joined(kind, terms, value)
                cells = [cell for term in terms for cell in term.cells]
                return Derived(value, text, cells, binds=binds, is_sum=True)
            case ["call", name, argument]:
                inside = walk(argument, at, in_sum)
                value = float(FUNCTIONS[name](inside.value))
                return replace(inside, value=value, text=f"{name}({inside.text})", binds=4)
            case ["cases", rows]:
                for value, condition in rows:
                    if condition is None or walk(condition, at).value:
                        if condition is not None:
                            because.append(walk(condition, at).text)
                        return walk(value, at, in_sum)
                raise UnreadError(f"no case holds at {dict(at)}")
            case ["*", ["number", -1.0], other]:
                inside = walk(other, at, in_sum)
                return replace(
                    inside, value=-inside.value, text=f"{MINUS}{inside.within(2)}", binds=1
                )
            case [sign, *two]:
                left, right = (walk(part, at, in_sum) for part in two)
                if in_sum:
                    left, right = left.in_short, right.in_short
                binds = BINDS.get(sign, 0)
                text = f" {SHOWN.get(sign, sign)} ".join(
                    [left.within(binds), right.within(binds + (sign in "-/^"))]
                )
                cells = [*left.cells, *right.cells]
                value, is_sum = SIGNS[sign](left.value, right.value), left.is_sum or right.is_sum
                return Derived(value, text, cells, binds=binds, is_sum=is_sum)
        raise UnreadError(f"an element cannot be {element}")

    because: list[str] = []
    return replace(walk(element, at), because=because)


def joined(kind: str, terms: Sequence[Derived], value: float) -> tuple[str, int]:
    """Return the text of some terms, and how strongly it binds; of very many, what they come to."""
    if len(terms) > LONGEST:
        return shown(value), 4
    if kind != "sum":
        return f"{kind}({', '.join(term.text for term in terms)})", 4
    text = " + ".join(term.text for term in terms).replace(f" + {MINUS}", f" {MINUS} ")
    return text, 1 if terms[1:] else terms[0].binds


def derivation(equation: Equation, scope: Scope, **at: int) -> Derived:
    r"""Return how a number comes about.

    Args:
        equation: Such as the one of the scores.
        scope: The variables of the page.
        **at: A place on each axis of the left side, `i=5, j=4`.

    Raises:
        UnreadError: If the formula has no single numbers.

    Examples:
        >>> from formulas.compute import Scope
        >>> from formulas.derive import derivation
        >>> from formulas.read import read
        >>> names = {"query": [[1, 2]], "key": [[3, -1]], "scores": [[1]]}
        >>> (scores,) = read(
        ...     r"\mathrm{scores}_{ij} = \sum_e \mathrm{query}_{ie} \, \mathrm{key}_{je}"
        ... )
        >>> derivation(scores, Scope(names), i=0, j=0).text
        '1 · 3 + 2 · (−1)'
    """
    found: Elements = elements(equation, scope)
    return derive(found.element, {name: scope.array(name) for name in names_in(found.element)}, at)


def names_in(element: Element) -> list[str]:
    """Return the tensors that an element reads, each once."""
    own = [element[1]] if element[:1] == ["cell"] else []
    deeper = [name for part in element if isinstance(part, list) for name in names_in(part)]
    return list(dict.fromkeys([*own, *deeper]))
