"""Computes a formula, one place at a time, as a reader would by hand.

Each letter stands for one place of its axis, so `query[i, e]` is a single number, and a sum is a
loop. What has no letters left is a vector or a matrix. Nothing here is torch's: a formula and the
code beside it are computed by two ways that share no function.
"""

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from formulas.tree import (
    Call,
    Cases,
    Derivative,
    Equation,
    Letter,
    Name,
    Node,
    Number,
    Operation,
    Reduction,
    Slice,
    UnreadError,
    parts,
    walk,
)

Array = NDArray[np.float64]
Places = Mapping[str, int]
TOLERANCE = 1e-5  # of the largest number of a tensor: the page computes in 32 bits


def softmax(x: Array) -> Array:
    """Return shares that add up to 1 along the last axis."""
    raised = np.exp(x - x.max(-1, keepdims=True))
    return np.asarray(raised / raised.sum(-1, keepdims=True))


def transpose(x: Array) -> Array:
    """Return a matrix with its last two axes exchanged; a row becomes a column."""
    return x[..., None] if x.ndim == 1 else np.swapaxes(x, -1, -2)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "exp": np.exp,
    "log": np.log,
    "sin": np.sin,
    "cos": np.cos,
    "sqrt": np.sqrt,
    "abs": np.abs,
    "round": np.round,
    "length": np.linalg.norm,
    "softmax": softmax,
    "transpose": transpose,
    "concat": lambda *rows: np.concatenate(rows, -1),
    "max": lambda *x: np.maximum(*x) if len(x) == 2 else np.max(*x),
    "min": lambda *x: np.minimum(*x) if len(x) == 2 else np.min(*x),
}
SIGNS: dict[str, Callable[[Any, Any], Any]] = {
    "+": np.add,
    "-": np.subtract,
    "/": np.divide,
    "^": np.power,
    "mod": np.mod,
    "and": np.logical_and,
    "in": np.isin,
    "=": np.isclose,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}
REDUCTIONS: dict[str, Callable[..., Any]] = {"sum": np.sum, "max": np.max, "min": np.min}


def product(sign: str, left: Array, right: Array) -> Array:
    """Return a product of numbers, vectors or matrices, as it is written."""
    if left.ndim == 0 or right.ndim == 0:
        return left * right
    if left.ndim == right.ndim == 1 and sign == "*":
        raise UnreadError(r"two vectors side by side; their dot product is written with \cdot")
    if left.ndim > 1 and left.shape[-1] == 1 and right.ndim == 1:  # a column and a row
        return left * right
    try:
        return np.asarray(left @ right)
    except ValueError as error:
        raise UnreadError(f"no product of shapes {left.shape} and {right.shape}") from error


@dataclass
class Scope:
    """The variables that a formula may use, and how long its axes are.

    Args:
        names: Tensors, numbers or functions, by their names.
        derivative: Computes the derivative of one variable by another. Defaults to none.
        call: Calls a function of the page. Defaults to a plain call.
    """

    names: Mapping[str, Any]
    derivative: Callable[[str, str], Any] | None = None
    call: Callable[..., Any] = lambda function, *arguments: function(*arguments)
    sizes: dict[str, int] = field(default_factory=dict)
    arrays: dict[str, Array] = field(default_factory=dict)

    def array(self, name: str) -> Array:
        """Return a variable of the page as numbers in 64 bits."""
        if name not in self.arrays:
            if name not in self.names:
                raise UnreadError(f'the page has no variable "{name}"')
            found = self.names[name]
            found = found.detach().double().numpy() if hasattr(found, "detach") else found
            try:
                self.arrays[name] = np.asarray(found, dtype=np.float64)
            except (TypeError, ValueError) as error:
                raise UnreadError(f'"{name}" is no tensor and no number') from error
        return self.arrays[name]

    def measure(self, equation: Equation) -> None:
        """Find out how long each axis is, from the variables that it indexes.

        Raises:
            UnreadError: If two variables disagree.
        """
        indexed = [
            (name, axis, place)
            for side in equation.sides
            for name in walk(side)
            if isinstance(name, Name) and not self.is_delta(name.name)
            for axis, place in enumerate(name.index)
        ]
        for name, axis, place in indexed:
            if isinstance(place, Letter):
                length = self.length(name, axis)
                known = self.sizes.setdefault(place.name, length)
                if known != length:
                    raise UnreadError(
                        f"the axis {place.name} is {known} long, and {length} in {name.name}"
                    )
        for name, axis, place in indexed:  # 2c and 2c+1, of which there are as many as fit
            unknown = [x for x in free_letters(place) if x not in {*self.sizes, *self.names}]
            if isinstance(place, Operation) and place.sign in "+*" and len(unknown) == 1:
                count, length = 0, self.length(name, axis)
                while self.value(place, {unknown[0]: count}) < length:
                    count += 1
                self.sizes[unknown[0]] = count

    def is_delta(self, name: str) -> bool:
        """Tell whether a name is Kronecker's delta, 1 where its two places are the same."""
        return name == "delta" and name not in self.names

    def length(self, name: Name, axis: int) -> int:
        """Return how long an axis of a variable is."""
        shape = self.array(name.name).shape
        if axis >= len(shape):
            raise UnreadError(f"{name.name} has {len(shape)} axes, and {len(name.index)} indices")
        return int(shape[axis])

    def places(self, letters: tuple[str, ...]) -> Iterator[dict[str, int]]:
        """Yield each combination of places of some axes."""
        for letter in letters:
            if letter not in self.sizes:
                raise UnreadError(f"nothing says how long the axis {letter} is")
        for chosen in itertools.product(*(range(self.sizes[letter]) for letter in letters)):
            yield dict(zip(letters, chosen, strict=True))

    def value(self, node: Node, at: Places) -> Array:
        """Return what a node comes to at some places."""
        return np.asarray(self._value(node, at), dtype=np.float64)

    def _value(self, node: Node, at: Places) -> Any:
        match node:
            case Number(constant):
                return constant
            case Letter(name):
                return at[name] if name in at else self.array(name)
            case Name(name, (one, other)) if self.is_delta(name):
                return np.equal(self.value(one, at), self.value(other, at))
            case Name(name, index):
                return self.element(name, index, at)
            case Operation("*" | "dot" as sign, left, right):
                return product(sign, self.value(left, at), self.value(right, at))
            case Operation(sign, left, right):
                return SIGNS[sign](self.value(left, at), self.value(right, at))
            case Reduction():
                return self._reduced(node, at)
            case Call(name, arguments):
                return self._called(name, [self.value(part, at) for part in arguments])
            case Cases(rows):
                for value, condition in rows:
                    if condition is None or self.value(condition, at).all():
                        return self.value(value, at)
                raise UnreadError(f"no case holds at {dict(at)}")
            case Derivative(of, by):
                if self.derivative is None:
                    raise UnreadError("nothing computes a derivative here")
                derived = np.asarray(self.derivative(of.name, by.name))
                index = (*of.index, *by.index)
                return derived[tuple(int(self.value(place, at)) for place in index)]
        raise UnreadError(f"{type(node).__name__.lower()} in a place where it has no value")

    def element(self, name: str, index: tuple[Node, ...], at: Places) -> Array:
        """Return an element, a row or a part of a variable; zeros before the first row."""
        data = self.array(name)
        for axis, place in enumerate(index):
            if isinstance(place, Slice):
                if axis + 1 < len(index):
                    raise UnreadError(f"{name} is cut along an axis that is not its last index")
                first, last = (int(self.value(end, at)) for end in (place.first, place.last))
                data = data[first : last + 1]
                continue
            chosen = self.value(place, at).astype(int)
            if np.any(chosen >= data.shape[0]):
                raise UnreadError(f"{name} has no place {chosen}, it is {data.shape[0]} long")
            data = data[chosen] if np.all(chosen >= 0) else np.zeros_like(data[0])
        return np.asarray(data)

    def _reduced(self, node: Reduction, at: Places) -> Any:
        reduce = REDUCTIONS[node.name]
        if not node.letters:
            return reduce(self.value(node.body, at))
        if node.among is None:
            chosen = self.places(node.letters)
        else:
            (letter,) = node.letters
            members = self.value(node.among, at).ravel().astype(int)
            chosen = ({letter: place} for place in members.tolist())
        return reduce([self.value(node.body, {**at, **places}) for places in chosen], axis=0)

    def _called(self, name: str, arguments: list[Array]) -> Any:
        if name in FUNCTIONS:
            return FUNCTIONS[name](*arguments)
        function = self.names.get(name)
        if callable(function):
            return self.call(function, *arguments)
        if len(arguments) == 1:  # a factor before a bracket
            return product("*", self.array(name), arguments[0])
        raise UnreadError(f'the page has no function "{name}"')


@dataclass(frozen=True)
class Difference:
    """Where two sides of an equation first differ."""

    places: dict[str, int]
    left: Array
    right: Array
    allowed: float  # that rounding may do


def free_letters(node: Node, bound: frozenset[str] = frozenset()) -> list[str]:
    """Return the axes that a side leaves open, in the order in which they are first read."""
    if isinstance(node, Reduction):
        bound = bound | set(node.letters)
    own = [node.name] if isinstance(node, Letter) and node.name not in bound else []
    deeper = [letter for part in parts(node) for letter in free_letters(part, bound)]
    return list(dict.fromkeys([*own, *deeper]))


def difference(equation: Equation, scope: Scope) -> Difference | None:
    """Compute both sides of an equation everywhere, and return the first place where it fails.

    Raises:
        UnreadError: If a side uses what is not there, or an axis that the left side does not have.
    """
    scope.measure(equation)
    letters = tuple(x for x in free_letters(equation.sides[0]) if x in scope.sizes)
    for side in equation.sides[1:]:
        for letter in free_letters(side):
            if letter in scope.sizes and letter not in letters:
                raise UnreadError(f"the axis {letter} is neither summed nor on the left side")
    computed = [
        (places, [scope.value(side, places) for side in equation.sides])
        for places in scope.places(letters)
    ]
    for number, relation in enumerate(equation.relations):
        pairs = [(places, sides[number], sides[number + 1]) for places, sides in computed]
        numbers = np.concatenate([side.ravel() for _, *two in pairs for side in two])
        largest = np.abs(numbers[np.isfinite(numbers)]).max(initial=1e-3)
        for places, left, right in pairs:
            if not holds(relation, left, right, TOLERANCE * largest):
                return Difference(places, left, right, TOLERANCE * largest)
    return None


def same(left: Array, right: Array, allowed: float) -> NDArray[np.bool_]:
    """Tell which elements are equal, but for what rounding may do."""
    with np.errstate(invalid="ignore"):  # of one infinity less another
        return np.asarray((left == right) | (np.abs(left - right) <= allowed))


def holds(relation: str, left: Array, right: Array, allowed: float) -> bool:
    """Tell whether a relation holds for all elements, but for what rounding may do."""
    if left.size == right.size == 1:
        left, right = left.reshape(()), right.reshape(())
    if left.shape != right.shape:
        return False
    equal = same(left, right, allowed)
    if relation == "=":
        return bool(equal.all())
    return bool((equal | SIGNS[relation](left, right)).all())
