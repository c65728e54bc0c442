"""The grammar of a printed tensor."""

import json
import re
from collections.abc import Iterator
from typing import Any

# An array's digits stand apart from its brackets, and both break their lines.
TENSOR = re.compile(r"\b(?:tensor|array)\((\[[-+.\w\s,[\]]*\])")
ELEMENT = re.compile(r"[-+.\w]+")
NUMBER = re.compile(r"-?(\d+\.?\d*(e[-+]\d+)?|inf|nan)|True|False")


def tensors_in(text: str) -> Iterator[Any]:
    """Yield each printed tensor of one axis or more as nested lists of its digits.

    One that is shortened or not whole, or holds something else than real numbers, is an empty list.

    Example:
        >>> from tensor_examples.printed import tensors_in
        >>> list(tensors_in("tensor([[0.1000,   -inf]], dtype=torch.float64)"))
        [[['0.1000', '-inf']]]
        >>> list(tensors_in("tensor(0.5) tensor([0.1, ..., 0.9]) array([True])"))
        [[], ['True']]
    """
    for printed in TENSOR.findall(text):
        is_real = all(map(NUMBER.fullmatch, ELEMENT.findall(printed)))
        try:
            yield json.loads(ELEMENT.sub(r'"\g<0>"', printed)) if is_real else []
        except json.JSONDecodeError:  # a bracket or a comma is missing
            yield []
