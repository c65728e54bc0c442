"""Exercise: the cache."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from attention_practice._exercise import Case, Exercise, planted
from attention_practice._inputs import COLUMNS, INPUTS, numbers
from attention_practice._outcome import are_tensors
from attention_verify.words import FormError


def append_in_pieces(make_cache: Callable[[], Any], inputs: tuple[Any, ...]) -> list[Tensor] | None:
    """Append key and value in pieces, and collect the keys and values that come back."""
    key, value, *lengths = inputs
    pieces = list(zip(key.split(lengths, -2), value.split(lengths, -2), strict=True))
    one, other = (_sizes(make_cache().append(*pieces[0])) for _ in range(2))
    if one != other:
        raise FormError(
            "A new cache already holds the rows of another one: what the class itself holds is "
            "shared by all. Begin with nothing on `self`, in `__init__`."
        )
    cache, given = make_cache(), []
    for piece in pieces:
        pair = cache.append(*piece)
        if pair is None:
            return None
        returned = list(pair) if isinstance(pair, tuple | list) else [pair]
        if len(returned) != 2 or not are_tensors(returned):
            types = ", ".join(type(x).__name__ for x in returned)
            raise FormError(
                f"append should return two tensors, all keys and all values, and returned: {types}."
            )
        given += returned
    return given


def _sizes(returned: Any) -> list[torch.Size]:
    several = returned if isinstance(returned, tuple | list) else ()
    return [x.shape for x in several if isinstance(x, Tensor)]


class MyCache:
    def __init__(self):
        self.key = self.value = None

    def append(self, key, value):
        if self.key is not None:
            key = torch.cat((self.key, key), dim=-2)
            value = torch.cat((self.value, value), dim=-2)
        self.key, self.value = key, value
        return key, value


EXERCISE = Exercise(
    title="The cache",
    task=(
        "A class whose append(key, value) puts the new rows, (..., n, E), after those that are "
        "kept, and returns all keys and all values."
    ),
    page="steps/kv-cache/",
    run=append_in_pieces,
    differentiable=False,
    results=tuple(
        f"{what} after the {which} piece"
        for which in ("first", "second", "third")
        for what in ("keys", "values")
    ),
    cases=(
        Case("words 0 to 2, then 3, then 4 and 5", (INPUTS, INPUTS.flip(1), 3, 1, 2), (), COLUMNS),
        Case("two heads", (numbers(2, 4, 3), numbers(2, 4, 2, start=1), 2, 1, 1)),
    ),
    mistakes=planted("""
        Read: steps/kv-cache/#keep-them
        in front `(self.key, key)` -> `(key, self.key)`, `(self.value, value)` -> `(value,
            self.value)`: New words come before the old ones. Put them after the old ones.
        replaced `torch.cat((self.key, key), dim=-2)` -> `key`, `torch.cat((self.value, value),
            dim=-2)` -> `value`
        keys only `torch.cat((self.value, value), dim=-2)` -> `value`: The keys are kept, and the
            values are not.
        not kept `self.value = key, value` -> `self.value = (key, value) if self.key is None else
            (self.key, self.value)`
        exchanged `return key, value` -> `return value, key`: Keys and values have changed places in
            what is returned.
        keys twice `return key, value` -> `return key, key`: The keys are returned as values.
        Read: steps/kv-cache/#the-formula
        axis 0 `key), dim=-2` -> `key), dim=0`, `value), dim=-2` -> `value), dim=0`: The pieces are
            joined along axis 0. With heads in front that is the axis of the heads: the words are
            dim=-2.
        last axis `key), dim=-2` -> `key), dim=-1`, `value), dim=-2` -> `value), dim=-1`: The pieces
            are joined along the last axis, that of the components. The words are dim=-2.
    """),
    hints=(
        "`torch.cat((self.key, key), dim=-2)`: words are the last axis but one.",
        "The first time there is nothing to join to.",
    ),
    solution=MyCache,
    lines="""
    class MyCache:
        def __init__(self):
            self.key = self.value = None

        def append(self, key, value):

            if self.key is not None:
                key = torch.cat((self.key, key), dim=-2)
                value = torch.cat((self.value, value), dim=-2)
            if self.key is not None:
                key = torch.cat((key, self.key), dim=-2)
                value = torch.cat((value, self.value), dim=-2)
            if self.key is not None:
                key = torch.cat((self.key, key), dim=0)
                value = torch.cat((self.value, value), dim=0)

            self.key, self.value = key, value
            if self.key is None:
                self.key, self.value = key, value

            return key, value
            return key, key
    """,
)
