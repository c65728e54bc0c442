"""Writes a formula in single numbers: what one element of its left side is made of.

Whatever notation a formula is written in, matrices or indices, its elements are written in one
small language, which a script can read as well. An element is a list that begins with its kind:

- `["number", 2]`, and `["place", "i"]`, the place on an axis as a number;
- `["cell", "query", [place, …]]`, a number of a tensor; before its first row stand zeros;
- `["+", one, other]`, the same with `- * / ^ mod` or a relation;
- `["sum", "e", count, body]`, the same with `max` and `min`: over the places of an axis;
- `["call", "exp", element]`, a function of numbers;
- `["cases", [[value, condition], …]]`, of which the last condition may be None.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from string import ascii_lowercase
from typing import Any

from formulas.compute import Scope, free_letters
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
    UnreadError,
    walk,
)

Element = list[Any]
SIGNS = {"dot": "*"}
OF_NUMBERS = {"exp", "log", "sin", "cos", "sqrt", "abs", "round"}


@dataclass(frozen=True)
class Grid:
    """A part of a formula: how long its open axes are, and its element at some places."""

    lengths: tuple[Element, ...]
    at: Callable[..., Element]


@dataclass(frozen=True)
class Elements:
    """One equation in single numbers.

    Args:
        name: Of the tensor on its left side.
        index: The place of an element in this tensor, from the letters.
        letters: The axes of the left side, and how long each is.
        element: What an element is made of.
    """

    name: str
    index: list[Element]
    letters: dict[str, int]
    element: Element


def elements(equation: Equation, scope: Scope) -> Elements:
    r"""Return what each element of a tensor is made of.

    Raises:
        UnreadError: If the left side is no tensor, or if the right has no single numbers.

    Examples:
        >>> from formulas.compute import Scope
        >>> from formulas.elements import elements
        >>> from formulas.read import read
        >>> (equation,) = read(r"\mathrm{context} = \mathrm{weights} \, \mathrm{value}")
        >>> names = {"weights": [[1, 2]], "value": [[3], [4]], "context": [[11]]}
        >>> elements(equation, Scope(names)).element[:3]
        ['sum', 'b', ['number', 2]]
    """
    scope.measure(equation)
    left, right = equation.sides[0], equation.sides[1]
    if not isinstance(left, Name | Letter) or equation.relations[0] != "=":
        raise UnreadError("the left side is no tensor")
    written = _Written(scope, equation)
    named = written.grid(left)
    letters = {
        letter: scope.sizes[letter] for letter in free_letters(left) if letter in scope.sizes
    }
    extra = [written.fresh() for _ in named.lengths]
    made = written.grid(right)
    if len(made.lengths) not in (0, len(extra)):
        raise UnreadError("the two sides have different axes")
    places = [["place", letter] for letter in extra]
    for letter, length in zip(extra, named.lengths, strict=True):
        letters[letter] = int(length[1])
    index = named.at(*places)[2]
    return Elements(left.name, index, letters, made.at(*places[: len(made.lengths)]))


class _Written:
    """Writes the parts of one formula."""

    def __init__(self, scope: Scope, equation: Equation) -> None:
        self.scope = scope
        nodes = [node for side in equation.sides for node in walk(side)]
        used = {node.name for node in nodes if isinstance(node, Letter)}
        letters = "e" + ascii_lowercase.replace("e", "")
        self.free = (letter for letter in letters if letter not in used)

    def fresh(self) -> str:
        """Return a letter for an axis to which the formula gives none: `e` is the first."""
        return next(self.free)

    def grid(self, node: Node) -> Grid:
        """Return a part of the formula."""
        match node:
            case Number(constant):
                return one(["number", constant])
            case Letter(name) if name in self.scope.sizes:
                return one(["place", name])
            case Letter(name):
                return self.cells(name, ())
            case Name(name, index):
                return self.cells(name, index)
            case Operation("*" | "dot", left, right):
                return self.product(self.grid(left), self.grid(right))
            case Operation(sign, left, right):
                return each(lambda *two: [sign, *two], self.grid(left), self.grid(right))
            case Reduction(name, letters, body, None):
                return self.reduced(name, letters, self.grid(body))
            case Call("transpose", (argument,)):
                return transposed(self.grid(argument))
            case Call("softmax", (argument,)):
                return self.softmax(self.grid(argument))
            case Call(name, (argument,)) if name in OF_NUMBERS:
                return each(lambda element: ["call", name, element], self.grid(argument))
            case Call(name, (argument,)) if name in self.scope.names:  # a factor before a bracket
                return self.product(self.cells(name, ()), self.grid(argument))
            case Cases(rows):
                return self.cases(rows)
        raise UnreadError(f"{type(node).__name__.lower()} has no single numbers here")

    def cells(self, name: str, index: tuple[Node, ...]) -> Grid:
        """Return the elements of a tensor that an index leaves open."""
        shape = self.scope.array(name).shape
        firsts: list[Element] = []  # a place that is open begins there
        lengths: list[Element] = []
        for axis, length in enumerate(shape):
            place = index[axis] if axis < len(index) else None
            match place:
                case None:
                    firsts.append(["open", ["number", 0]])
                    lengths.append(["number", length])
                case Slice(first, last):
                    begin, end = (self.grid(node).at() for node in (first, last))
                    firsts.append(["open", begin])
                    lengths.append(plus(["-", end, begin], ["number", 1]))
                case _:
                    firsts.append(self.grid(place).at())

        def at(*places: Element) -> Element:
            rest = iter(places)
            return ["cell", name, [plus(next(rest), f[1]) if f[0] == "open" else f for f in firsts]]

        return Grid(tuple(lengths), at)

    def product(self, left: Grid, right: Grid) -> Grid:
        """Return a product of numbers, vectors or matrices, as it is written."""
        if not left.lengths or not right.lengths:
            return each(lambda *two: ["*", *two], left, right)
        if left.lengths[-1] == ["number", 1] != right.lengths[0]:  # a column and a row
            raise UnreadError("a column times a row")
        letter, own = self.fresh(), len(left.lengths) - 1
        place, texts = ["place", letter], max(len(right.lengths) - 2, 0)  # of a batch

        def at(*places: Element) -> Element:
            two = left.at(*places[:own], place), right.at(*places[:texts], place, *places[own:])
            return ["sum", letter, left.lengths[-1], ["*", *two]]

        return Grid((*left.lengths[:-1], *right.lengths[texts + 1 :]), at)

    def reduced(self, name: str, letters: Sequence[str], body: Grid) -> Grid:
        """Return a sum over some letters, or over all that there is."""
        if letters:
            sizes = [["number", self.scope.sizes[letter]] for letter in letters]
            return each(lambda element: nested(name, letters, sizes, element), body)
        fresh = [self.fresh() for _ in body.lengths]
        inner = body.at(*(["place", letter] for letter in fresh))
        return one(nested(name, fresh, body.lengths, inner))

    def softmax(self, scores: Grid) -> Grid:
        """Return shares that add up to 1 along the last axis."""
        letter = self.fresh()

        def at(*places: Element) -> Element:
            exponentials = (
                ["call", "exp", scores.at(*places[:-1], last)]
                for last in (places[-1], ["place", letter])
            )
            return ["/", next(exponentials), ["sum", letter, scores.lengths[-1], *exponentials]]

        return Grid(scores.lengths, at)

    def cases(self, rows: Sequence[tuple[Node, Node | None]]) -> Grid:
        """Return values with their conditions, which are of single numbers."""
        written = [
            (self.grid(value).at(), None if condition is None else self.grid(condition).at())
            for value, condition in rows
        ]
        return one(["cases", [list(row) for row in written]])


def one(element: Element) -> Grid:
    """Return a part that is a single number."""
    return Grid((), lambda: element)


def plus(one: Element, other: Element) -> Element:
    """Return a sum of two places, without zeros."""
    if other[0] == "number" == one[0]:
        return ["number", one[1] + other[1]]
    if one[0] == "-" and one[2] == ["number", 0.0]:
        one = one[1]
    return one if other[:2] in (["number", 0], ["number", 0.0]) else ["+", one, other]


def each(of: Callable[..., Element], *grids: Grid) -> Grid:
    """Return what is computed number by number; a single number goes with all of a matrix."""
    largest = max(grids, key=lambda grid: len(grid.lengths))
    own = [len(grid.lengths) for grid in grids]

    def at(*places: Element) -> Element:
        return of(*(g.at(*places[len(places) - n :]) for g, n in zip(grids, own, strict=True)))

    return Grid(largest.lengths, at)


def transposed(grid: Grid) -> Grid:
    """Return a matrix with its last two axes exchanged; a row becomes a column."""
    if len(grid.lengths) == 1:
        return Grid((*grid.lengths, ["number", 1]), lambda *places: grid.at(*places[:-1]))
    *others, rows, columns = grid.lengths
    return Grid((*others, columns, rows), lambda *at: grid.at(*at[:-2], at[-1], at[-2]))


def nested(
    name: str, letters: Sequence[str], sizes: Sequence[Element], element: Element
) -> Element:
    """Return a sum over several axes."""
    for letter, size in zip(reversed(letters), reversed(sizes), strict=True):
        element = [name, letter, size, element]
    return element
