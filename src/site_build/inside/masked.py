"""Which numbers of a printed tensor a mask hides: what `hidden` of an output says.

`hidden="NAME"` names an output of the same page. Where that has False or minus infinity, a number
is hidden: its place in the picture is hatched. From the digits alone nobody could tell, for a
weight that was rounded prints 0.00 as well. `hidden="0"` is for whole numbers, whose zeros no
rounding has made.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from site_build.inside.colours import HIDDEN
from site_build.inside.figures.tensors import Tensor, shape, value

WHOLE = {"0", "0."}


def with_hidden(
    tensors: Sequence[Tensor], hidden: str | None, named: Mapping[str, Sequence[Tensor]]
) -> list[Tensor]:
    """Return tensors that know which of their numbers are hidden.

    Args:
        tensors: Those of an output.
        hidden: What its option says, if it has the option.
        named: The tensors of the page, by the names of their outputs.

    Raises:
        ValueError: If there is no such mask, or if it hides a number that is there.
    """
    if hidden is None:
        return list(tensors)
    if hidden == "0":
        return [replace(tensor, hidden=each(is_whole_zero, tensor.digits)) for tensor in tensors]
    masks = (each(HIDDEN.__contains__, tensor.digits) for tensor in named.get(hidden, ()))
    mask = next((mask for mask in masks if any(leaves(mask))), None)
    if mask is None:
        raise ValueError(f'hidden="{hidden}": no output of that name has False or -inf')
    fitting = [fits(mask, tensor.digits) for tensor in tensors]
    if not any(fitting):
        raise ValueError(f'hidden="{hidden}": no tensor here ends with the shape of that mask')
    return [
        replace(tensor, hidden=spread(mask, tensor.digits, hidden)) if fit else tensor
        for tensor, fit in zip(tensors, fitting, strict=True)
    ]


def is_whole_zero(digits: str) -> bool:
    """Tell whether a number is 0, and refuse one that may have become so by rounding."""
    if digits not in HIDDEN and "." in digits.rstrip("."):
        raise ValueError(
            f'hidden="0": {digits} is no whole number, and a 0 beside it may be a rounded one; '
            "name the output that has the mask"
        )
    return digits in WHOLE


def each(tells: Callable[[str], bool], digits: Any) -> Any:
    """Return what is told of each number, in lists that are nested like theirs."""
    return [each(tells, part) for part in digits] if isinstance(digits, list) else tells(digits)


def hidden_numbers(tensors: Sequence[Tensor]) -> str:
    """Return the places of the numbers that masks hide, counted through all tensors of a block."""
    hides = (leaves(tensor.hidden or each(lambda _: False, tensor.digits)) for tensor in tensors)
    return " ".join(str(place) for place, hidden in enumerate(chain(*hides)) if hidden)


def leaves(nested: Any) -> Iterator[Any]:
    """Yield what is in nested lists."""
    for part in nested if isinstance(nested, list) else ():
        yield from leaves(part) if isinstance(part, list) else [part]


def fits(mask: Any, digits: Any) -> bool:
    """Tell whether the shape of a tensor ends with that of a mask, which is there for each part."""
    return shape(digits)[-len(shape(mask)) :] == shape(mask)


def spread(mask: Any, digits: Any, name: str) -> Any:
    """Return a mask for each part of a tensor that is as large, and check what it hides."""
    if shape(mask) != shape(digits):
        return [spread(mask, part, name) for part in digits]
    for hides, one in zip(leaves(mask), leaves(digits), strict=True):
        if hides and one not in HIDDEN and value(one) != 0:
            raise ValueError(f'hidden="{name}" hides {one}, which is neither 0 nor -inf')
    return mask
