"""Writes out how one number of a tensor comes from the numbers that its formula reads."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from formulas.compute import Array, Scope
from formulas.tree import (
    Call,
    Cases,
    Equation,
    Letter,
    Name,
    Node,
    Number,
    Operation,
    Reduction,
    Slice,
)

# How strongly each sign binds. A part that binds less than what it stands in gets brackets.
BINDS = {"+": 1, "-": 1, "*": 2, "dot": 2, "/": 2, "mod": 2, "^": 3}
SHOWN = {"*": " · ", "dot": " · ", "mod": " mod ", "<=": " ≤ ", ">=": " ≥ ", "in": " in "}
MINUS = "\N{MINUS SIGN}"


def shown(numbers: Array, digits: int = 4) -> str:
    """Return a number or a row of numbers as a reader sees it, without a tail of zeros."""
    if numbers.ndim:
        return f"({', '.join(shown(number, digits) for number in numbers)})"
    if np.isinf(numbers):
        return "∞" if numbers > 0 else f"{MINUS}∞"
    text = f"{float(numbers):.{digits}f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text.replace("-", MINUS)


def bracketed(number: Array) -> str:
    """Return a factor, in brackets if it is negative."""
    return f"({shown(number)})" if number < 0 else shown(number)


@dataclass
class Derivation:
    """Writes the right side of an equation with numbers in the place of names.

    Args:
        scope: The variables, and how long the axes are.
        cells: The cells that were read so far, each as the name of its tensor and its places.
    """

    scope: Scope
    cells: list[tuple[str, tuple[int, ...]]] = field(default_factory=list)

    def text(self, node: Node, at: Mapping[str, int], within: int = 0) -> str:
        """Return a node in numbers, in brackets where it binds less than what it stands in."""
        match node:
            case Number(constant):
                return shown(np.asarray(constant))
            case Name(_, index) if any(isinstance(place, Slice) for place in index):
                return shown(self.scope.value(node, at))  # several cells
            case Name() | Letter():
                text = self._cell(node, at)
                return f"({text})" if within > 1 and text.startswith(MINUS) else text
            case Operation(sign, left, right):
                binds = BINDS.get(sign, 0)
                if sign == "*" and left == Number(-1.0):
                    text = f"{MINUS}{self.text(right, at, 2)}"
                    return f"({text})" if within else text
                if sign == "dot" and self.scope.value(left, at).ndim == 1:
                    return self._dot(left, right, at, within)
                parts = self.text(left, at, binds), self.text(right, at, binds + (sign in "-/^"))
                text = SHOWN.get(sign, f" {sign} ").join(parts)
                return f"({text})" if binds < within else text
            case Reduction("sum", letters, body, None) if letters:
                terms = [self.text(body, {**at, **p}, 1) for p in self.scope.places(letters)]
                text = " + ".join(terms)
                return f"({text})" if within > 1 and len(terms) > 1 else text
            case Reduction(name, letters, body, None) if letters:
                terms = [self.text(body, {**at, **p}) for p in self.scope.places(letters)]
                return f"{name}({', '.join(terms)})"
            case Call(name, arguments) if name != "transpose":
                return f"{name}({', '.join(self.text(part, at) for part in arguments)})"
            case Cases(rows):
                for value, condition in rows:
                    if condition is None or self.scope.value(condition, at).all():
                        return self.text(value, at, within)
        return shown(self.scope.value(node, at))

    def _dot(self, left: Node, right: Node, at: Mapping[str, int], within: int) -> str:
        pairs = zip(self.scope.value(left, at), self.scope.value(right, at), strict=True)
        text = " + ".join(f"{bracketed(x)} · {bracketed(y)}" for x, y in pairs)
        return f"({text})" if within > 1 else text

    def _cell(self, node: Name | Letter, at: Mapping[str, int]) -> str:
        if isinstance(node, Name):
            places = tuple(int(self.scope.value(place, at)) for place in node.index)
            self.cells.append((node.name, places))
        return shown(self.scope.value(node, at))


def derivation(equation: Equation, scope: Scope, **at: int) -> tuple[str, Derivation]:
    r"""Return how a number comes about, and what was read for it.

    Args:
        equation: Such as the one of the scores.
        scope: The variables of the page, after `difference` has measured the axes.
        **at: A place on each axis of the left side, `i=5, j=4`.

    Example:
        >>> from formulas.compute import Scope
        >>> from formulas.derive import derivation
        >>> from formulas.read import read
        >>> names = {"query": [[1, 2]], "key": [[3, -1]], "scores": [[1]]}
        >>> (scores,) = read(
        ...     r"\mathrm{scores}_{ij} = \sum_e \mathrm{query}_{ie} \, \mathrm{key}_{je}"
        ... )
        >>> scope = Scope(names)
        >>> scope.measure(scores)
        >>> derivation(scores, scope, i=0, j=0)[0]
        '1 · 3 + 2 · (−1)'
    """
    derived = Derivation(scope)
    return derived.text(equation.sides[1], at), derived
