r"""Holds a formula against its page: on the tensors that the page has, and on others.

The left side is what the code of the page computed, never what the formula says. Two axes of a
page may happen to be equally long, and a tensor symmetric, which hides an exchanged index. So the
line of code that made the left side runs once more on random tensors whose axes all have different
lengths, and the formula has to hold there, too.
"""

import ast
import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from typing import Any

import numpy as np
import torch

from formulas.assignments import assignments
from formulas.compute import Array, Scope, difference, same
from formulas.derive import derivation, shown
from formulas.read import read
from formulas.tree import Derivative, Equation, Letter, Name, UnreadError, walk

__all__ = ["assignments", "displays", "numbers", "problem"]  # which tensor_examples calls

MARK = re.compile(r"\\q*uad\s*\\text\{\(not computed: (?P<reason>[^{}]+)\)\}")
LONGEST = 100  # characters of a derivation that a message shows
SIZES = (5, 3, 7, 4, 6, 2, 9, 8)  # of the axes of random tensors, in turn


@np.errstate(divide="ignore", invalid="ignore", over="ignore")  # it is told, as any difference
def problem(latex: str, names: Mapping[str, Any], made_by: Mapping[str, str]) -> str:
    """Say what is wrong with a display, or nothing.

    Args:
        latex: Of one equation or several.
        names: The variables of the page, as they are there.
        made_by: The statement of the page that gave each its value.
    """
    where = ""
    try:
        for equation in read(latex):
            if not equation.relations:
                raise UnreadError("this is no equation")
            scopes = {"": Scope(names, Derivatives(names, made_by), call)}
            if others := random_names(equation, names, made_by):
                scopes["with other tensors, "] = Scope(others, call=call)
            for where, scope in scopes.items():
                if wrong := at_first_difference(equation, scope):
                    return where + wrong
            where = ""
    except UnreadError as error:
        return where + str(error)
    return ""


def numbers(latex: str, names: Mapping[str, Any]) -> str:
    """Return the tensors of a display, one a line, for a card that shows where each comes from.

    Raises:
        UnreadError: If it cannot be read.
    """
    scope, used = Scope(names), {}
    for equation in read(latex):
        scope.measure(equation)
        for node in (node for side in equation.sides for node in walk(side)):
            if isinstance(node, Name | Letter) and node.name not in scope.sizes:
                used[node.name] = scope.array(node.name)
    return "".join(f"{name} = {written(array.tolist())}\n" for name, array in used.items())


def written(numbers: Any) -> str:
    """Return numbers in lists, with five digits behind the point, and six of a small number."""
    if isinstance(numbers, list):
        return f"[{', '.join(map(written, numbers))}]"
    digits = 5 if abs(numbers) >= 0.01 else 6
    text = f"{numbers:.{digits}f}".rstrip("0").rstrip(".") if np.isfinite(numbers) else str(numbers)
    return "0" if text == "-0" else text


def call(function: Callable[..., Any], *arguments: Array) -> Any:
    """Call a function of the page with numbers and tensors as the page has them."""
    whole = [not each.ndim and each == np.floor(each) for each in arguments]
    kind = torch.get_default_dtype()
    found = function(
        *(
            int(each) if is_whole else torch.tensor(each, dtype=kind)
            for each, is_whole in zip(arguments, whole, strict=True)
        )
    )
    return found.detach().double().numpy() if isinstance(found, torch.Tensor) else found


def at_first_difference(equation: Equation, scope: Scope) -> str:
    """Say where the sides of an equation first differ, and by what, or nothing."""
    found = difference(equation, scope)
    if found is None:
        return ""
    places = "".join(f" at {letter}={place}" for letter, place in found.places.items())
    left, right = found.left, found.right
    if left.shape != right.shape and not left.size == right.size == 1:
        shapes = list(left.shape), list(right.shape)
        return f"the left side has the shape {shapes[0]}{places}, and the right side {shapes[1]}"
    if left.size > 1:  # a row or a matrix, of which one element is told
        first = tuple(np.argwhere(~same(left, right, found.allowed))[0])
        element = ", ".join(str(axis) for axis in first)
        told = f"{shown(left[first])}{places} at [{element}]"
        return f"the left side is {told}, and the right side {shown(right[first])}"
    try:
        text = derivation(equation, scope, **found.places).text
    except UnreadError:
        text = shown(right)  # a function of whole rows
    by_hand = f"{text} = " if len(text) < LONGEST and text != shown(right) else ""
    return f"the left side is {shown(left)}{places}, and the right side {by_hand}{shown(right)}"


class Derivatives:
    """Computes the derivative of one variable of a page by another, by running its line again."""

    def __init__(self, names: Mapping[str, Any], made_by: Mapping[str, str]) -> None:
        self.names, self.made_by = names, made_by

    def __call__(self, of: str, by: str) -> np.ndarray[Any, Any]:
        """Return one number for each pair of an element of the first and one of the second."""
        if not self.made_by.get(of) or by not in self.names:
            raise UnreadError(f'no line of the page computes "{of}" from "{by}"')
        leaf = self.names[by].detach().clone().requires_grad_()
        names = {**self.names, by: leaf}
        exec(self.made_by[of], names)
        result = names[of]
        if not result.requires_grad:
            raise UnreadError(f'"{of}" does not depend on "{by}" in {self.made_by[of]}')
        rows = [torch.autograd.grad(x, leaf, retain_graph=True)[0] for x in result.reshape(-1)]
        return torch.stack(rows).reshape(*result.shape, *leaf.shape).double().numpy()


def random_names(
    equation: Equation, names: Mapping[str, Any], made_by: Mapping[str, str]
) -> dict[str, Any] | None:
    """Return the names of a page with random tensors, and what its code makes of them.

    All axes have different lengths, or those of the page where its code takes no others.

    Returns:
        None where there is no such line of code.
    """
    left = equation.sides[0]
    nodes = [node for side in equation.sides for node in walk(side)]
    if not isinstance(left, Name) or not made_by.get(left.name):
        return None
    if any(isinstance(node, Derivative) for node in nodes):
        return None
    used = [
        node
        for node in nodes
        if isinstance(node, Name | Letter) and node.name != left.name and node.name in names
    ]
    for shape in (odd_shape, page_shape):
        if changed := changed_names(left.name, used, names, made_by, shape):
            return changed
    return None


Shape = Callable[[Name | Letter, torch.Tensor, dict[Any, int]], list[int] | None]


def odd_shape(node: Name | Letter, tensor: torch.Tensor, axes: dict[Any, int]) -> list[int] | None:
    """Return lengths that differ from axis to axis, as long as the others of their letter."""
    if not tensor.is_floating_point():
        return None  # places, which must fit, and masks
    index = node.index if isinstance(node, Name) else ()
    kinds = [
        place.name if isinstance(place, Letter) else size
        for place, size in itertools.zip_longest(index, tensor.shape[: len(index)])
    ]
    kinds += tensor.shape[len(index) :]
    return [axes.setdefault(kind, SIZES[len(axes) % len(SIZES)]) for kind in kinds]


def page_shape(node: Name | Letter, tensor: torch.Tensor, axes: dict[Any, int]) -> list[int] | None:
    """Return the lengths that a tensor has on the page."""
    return list(tensor.shape)


def changed_names(
    left: str,
    used: Sequence[Name | Letter],
    names: Mapping[str, Any],
    made_by: Mapping[str, str],
    shape: Shape,
) -> dict[str, Any] | None:
    """Return the names of a page with random tensors of some shapes, if its code takes them."""
    made = {name for name, line in made_by.items() if line == made_by[left]}
    axes: dict[Any, int] = {}
    numbers = torch.Generator().manual_seed(0)
    others: dict[str, torch.Tensor] = {}
    tensors = {node.name: node for node in used if isinstance(names[node.name], torch.Tensor)}
    for name, node in tensors.items():
        if name in made:
            continue
        lengths = shape(node, names[name], axes)
        if lengths is None:
            return None
        if names[name].is_floating_point():
            others[name] = torch.randn(lengths, generator=numbers, dtype=names[name].dtype)
    lines = Lines(names, made_by, set(others))
    lines.add(left)
    others = {name: others[name] for name in others if name in lines.reached}
    lines = Lines(names, made_by, set(others))
    for name in [*(node.name for node in used), left]:
        lines.add(name)
    stale = {
        name
        for name in tensors
        if name not in others and made_by.get(name) not in lines.again and name not in lines.read
    }
    if made_by[left] not in lines.again or stale or not lines.is_whole:
        return None  # the code takes other names, or none
    changed = {**names, **others}
    try:
        for line in lines.again:
            exec(line, changed)
    except Exception:
        return None  # such as a line that takes only as many heads as there are
    return changed


class Lines:
    """The lines of a page that run again after some of its tensors have changed.

    A change goes on through tensors: a number that is read off a shape, or a layer, brings none.

    Args:
        names: The variables of the page.
        made_by: The line that made each.
        changed: The names of those tensors.
    """

    def __init__(
        self, names: Mapping[str, Any], made_by: Mapping[str, str], changed: Set[str]
    ) -> None:
        self.names, self.made_by, self.changed = names, made_by, changed
        self.seen: dict[str, bool] = {}  # whether a line depends on one of them
        self.reached: set[str] = set()  # those that a line reads, at first or second hand
        self.read: set[str] = set()  # all names that the lines read
        self.is_whole = True  # no name that they need is made by a loop

    @property
    def again(self) -> list[str]:
        """The lines that make something else now, in their order."""
        return [line for line, is_new in self.seen.items() if is_new]

    def add(self, name: str) -> bool:
        """Add the lines that make a name, and say whether it is another tensor then."""
        if name in self.changed:
            self.reached.add(name)
            return True
        line = self.made_by.get(name)
        if not line:
            self.is_whole &= line is None
            return False
        if line not in self.seen:
            self.seen[line] = False  # a name that is read where it is made: x = x + 1
            read = {x.id for x in ast.walk(ast.parse(line)) if isinstance(x, ast.Name)}
            self.read |= read
            found = [self.add(each) for each in sorted(read) if self.made_by.get(each) != line]
            del self.seen[line]
            self.seen[line] = any(found)  # behind those that it needs
        return self.seen[line] and isinstance(self.names.get(name), torch.Tensor)


def displays(text: str) -> Iterator[tuple[int, str, str]]:
    r"""Yield each display of a page: its line, its LaTeX, and why it is not computed, if so marked.

    The mark stands in the formula, for the reader as well: `\qquad \text{(not computed: a limit)}`.
    """
    for found in re.finditer(r"\$\$(?P<latex>.+?)\$\$", text, re.DOTALL):
        mark = MARK.search(found["latex"])
        line = text.count("\n", 0, found.start()) + 1
        yield line, MARK.sub("", found["latex"]), mark["reason"] if mark else ""
