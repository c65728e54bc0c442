"""Which numbers of a printed tensor a mask hides: what `hidden` of an output says.

`hidden="NAME"` names an output of the same page. Where that has False or minus infinity, a number
is hidden: its place in the picture is hatched. From the digits alone nobody could tell, for a
weight that was rounded prints 0.00 as well.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from site_build.markdown.colours import HIDDEN
from site_build.markdown.tensors import Digits, Mask, Tensor, hides, value


def with_hidden(tensors: Sequence[Tensor], hidden: str, printed: Sequence[Tensor]) -> list[Tensor]:
    """Return tensors that know which of their numbers are hidden.

    Args:
        tensors: Those of an output.
        hidden: What its option says.
        printed: The tensors of the output that has this name.

    Raises:
        ValueError: If there is no such mask, or if it hides a number that is there.
    """
    masks = (hides(tensor.digits) for tensor in printed)
    mask = next(filter(np.any, masks), None)
    if mask is None:
        raise ValueError(f'hidden="{hidden}": no output of that name has False or -inf')
    fitting = [tensor.shape[-mask.ndim :] == mask.shape for tensor in tensors]
    if not any(fitting):
        raise ValueError(f'hidden="{hidden}": no tensor here ends with the shape of that mask')
    return [
        replace(tensor, masked=broadcast_mask(mask, tensor.digits, hidden)) if fits else tensor
        for tensor, fits in zip(tensors, fitting, strict=True)
    ]


def broadcast_mask(mask: Mask, digits: Digits, name: str) -> Mask:
    """Return a mask for each part of a tensor that is as large, and check what it hides."""
    masked = np.broadcast_to(mask, digits.shape)
    for one in digits[masked]:
        if one not in HIDDEN and value(one) != 0:
            raise ValueError(f'hidden="{name}" hides {one}, which is neither 0 nor -inf')
    return masked
