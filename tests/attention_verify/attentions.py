"""Attention as people write it, right and wrong, for the suite to judge."""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from attention_verify.oracle import Given, Steps, attention

Attend = Callable[..., Tensor]


def making(steps: Steps) -> Attend:
    """Return attention in the dtype of its inputs, by these steps."""

    def attend(query: Tensor, key: Tensor, value: Tensor, **options: Any) -> Tensor:
        return attention(Given(query, key, value, **options), steps)

    return attend


def cache_making(steps: Steps) -> Callable[[], Attend]:
    """Return what makes a cache by these steps, which it knows from what it got so far."""

    def make() -> Attend:
        kept: list[list[Tensor]] = [[], [], []]

        def step(*piece: Tensor, **options: Any) -> Tensor:
            for old, new in zip(kept, piece, strict=True):
                old.append(new)
            pieces = tuple(x.shape[2] for x in kept[0])
            query, key, value = (torch.cat(x, 2) for x in kept)
            given = Given(query, key, value, causal=True, pieces=pieces, **options)
            return attention(given, steps)[:, :, -pieces[-1] :]

        return step

    return make


def plain(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
    """Return attention as it is often written, with -inf and a plain softmax."""
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    return scores.softmax(-1) @ value


def plain_of_transformers(
    module: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any, **options: Any
) -> Tensor:
    """Return attention in the form that models of transformers call."""
    scores = query @ key.mT * options["scaling"]
    if mask is not None:
        is_boolean = mask.dtype == torch.bool
        scores = scores.masked_fill(~mask, -math.inf) if is_boolean else scores + mask
    context: Tensor = scores.softmax(-1) @ value
    return context.transpose(1, 2)


class Cache:
    """A right cache, with a choice for each thing that is often wrong."""

    def __init__(self, later: str = "bottom-right", values: str = "behind", keep: int = 0) -> None:
        self.later, self.values, self.keep = later, values, keep
        self.kept: tuple[Tensor, ...] = ()

    def __call__(self, query: Tensor, key: Tensor, value: Tensor, window: int = 0) -> Tensor:
        if self.kept:
            key = torch.cat((self.kept[0], key), 2)
            pair = (self.kept[1], value)
            value = torch.cat(pair if self.values == "behind" else pair[::-1], 2)
        if self.keep and window:
            key, value = key[:, :, -window:], value[:, :, -window:]
        self.kept = key, value
        i, j = torch.arange(query.shape[2])[:, None], torch.arange(key.shape[2])
        i = i + len(j) - len(i) if self.later == "bottom-right" or len(i) == 1 else i
        rule = (j <= i) & (j > i - (window or len(j)))
        if self.later == "open":
            rule = torch.ones_like(rule)
        return plain(query, key, value, rule).nan_to_num(0.0)
