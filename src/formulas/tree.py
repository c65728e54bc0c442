"""What a formula consists of, once its LaTeX is read."""

from dataclasses import dataclass, fields
from typing import Any


class UnreadError(Exception):
    """The formula uses what this reader does not know, or what its page does not have."""


@dataclass(frozen=True)
class Number:
    """A number that stands in the formula, such as the 2 of `2c`."""

    value: float


@dataclass(frozen=True)
class Letter:
    r"""A single letter: an axis if it stands as an index, otherwise a variable of the page."""

    name: str


@dataclass(frozen=True)
class Name:
    r"""A variable of the page, `\mathrm{scores}_{ij}`: its name in the code, and its indices."""

    name: str
    index: "tuple[Node, ...]" = ()


@dataclass(frozen=True)
class Slice:
    r"""The places `0 \ldots t`, both included."""

    first: "Node"
    last: "Node"


@dataclass(frozen=True)
class Operation:
    """Two parts with a sign between them: `+ - * / ^ mod`, or a relation of the two."""

    sign: str
    left: "Node"
    right: "Node"


@dataclass(frozen=True)
class Reduction:
    r"""`\sum_e …`, or the same with `\max` or `\min`; without letters, over all that there is.

    Each letter goes along its axis, or through a set: `\sum_{c \in \mathrm{chosen}_i}`.
    """

    name: str
    letters: tuple[str, ...]
    body: "Node"
    among: "Node | None" = None


@dataclass(frozen=True)
class Call:
    r"""A function of its arguments: `\exp(x)`, `\sqrt{x}`, `|x|`, or one that the page defines."""

    name: str
    arguments: "tuple[Node, ...]"


@dataclass(frozen=True)
class Cases:
    """Values, each with its condition; the last may have none."""

    rows: "tuple[tuple[Node, Node | None], ...]"


@dataclass(frozen=True)
class Derivative:
    r"""`\frac{\partial \, \mathrm{loss}}{\partial \, W}`."""

    of: Name
    by: Name


Node = Number | Letter | Name | Slice | Operation | Reduction | Call | Cases | Derivative

RELATIONS = ("=", "<", "<=", ">", ">=", "in")


@dataclass(frozen=True)
class Equation:
    """Sides with relations between them: `a = b = c`, or `a <= b`."""

    sides: tuple[Node, ...]
    relations: tuple[str, ...]


def parts(node: Node) -> list[Node]:
    """Return the nodes of which a node is made, in the order in which they are read."""
    found: list[Node] = []

    def add(value: Any) -> None:
        if isinstance(value, Node):
            found.append(value)
        elif isinstance(value, tuple):
            for one in value:
                add(one)

    for field in fields(node):
        add(getattr(node, field.name))
    return found


def walk(node: Node) -> list[Node]:
    """Return a node and all that it is made of."""
    return [node, *(deeper for part in parts(node) for deeper in walk(part))]
