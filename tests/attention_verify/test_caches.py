"""A cache is fed in pieces and beside another, and its mistakes are named."""

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

import pytest
import torch
from torch import Tensor

from attention_verify import attention_cases, verify
from tests.attention_verify.attentions import Cache, plain


@pytest.mark.parametrize(
    ("options", "pieces", "named"),
    [
        ({}, (), ()),
        ({"later": "top-left"}, (), ("later piece from 0",)),
        ({"later": "open"}, (), ("future in a piece",)),
        ({"values": "in front"}, (3, 1), ("half in front",)),
        ({"keep": 1}, (), ("cut to window",)),
        ({"later": "top-left"}, (3, 1), ()),  # which this rhythm does not show
    ],
)
def test_a_cache_is_fed_in_several_rhythms(
    options: dict[str, Any], pieces: tuple[int, ...], named: tuple[str, ...]
) -> None:
    features = ["window"] if "keep" in options else ["causal"]
    verdict = verify(partial(Cache, **options), features, interface="cache", pieces=pieces)
    assert verdict.mistakes == named, verdict.text
    assert verdict.passed is not bool(named)


ONE = Cache()


class InOneRoom:
    """A cache with a length of its own, whose room is that of all."""

    room: ClassVar[dict[torch.Size, list[Tensor]]] = {}

    def __init__(self) -> None:
        self.length = 0

    def __call__(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        new = (key, value)
        room = self.room.setdefault(key.shape[:2], [x[:, :, :1].repeat(1, 1, 99, 1) for x in new])
        start, self.length = self.length, self.length + key.shape[2]
        for x, old in zip(new, room, strict=True):
            old[:, :, start : self.length] = x
        rule = torch.ones(query.shape[2], self.length, dtype=torch.bool).tril(start)
        key, value = (x[:, :, : self.length] for x in room)
        return plain(query, key, value, rule)


@pytest.mark.parametrize("make", [lambda: ONE, InOneRoom])
def test_two_caches_with_one_store_are_found(make: Callable[[], Any]) -> None:
    cases = [case for case in attention_cases("causal") if case.name == "causal"]
    assert verify(make, cases=cases, interface="cache").mistakes == ("store shared",)


class InSixteenBits(Cache):
    def __call__(self, query: Tensor, key: Tensor, value: Tensor, window: int = 0) -> Tensor:
        key, value = (x.bfloat16().to(x) for x in (key, value))
        return super().__call__(query, key, value, window)


def test_a_cache_that_rounds_what_it_keeps_does_not_pass() -> None:
    verdict = verify(InSixteenBits, ["causal"], interface="cache")
    assert verdict.mistakes == ("rounded when kept",), verdict.text
