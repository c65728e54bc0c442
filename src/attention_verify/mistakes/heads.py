"""Mistakes in how heads are shared, cut and joined."""

from collections.abc import Callable
from dataclasses import replace

import torch
from torch import Tensor

from attention_verify.oracle import Given, Steps, given_with

ROLES = ("query", "key", "value")


def _tiled(x: Tensor, num_heads: int) -> Tensor:
    return x.repeat(1, num_heads // x.shape[1], 1, 1)


def _first(x: Tensor, num_heads: int) -> Tensor:
    return x[:, :1].expand(-1, num_heads, -1, -1)


def _cut_per_head(given: Given) -> Given:
    three = (given.query, given.key, given.value)
    if len({x.shape for x in three}) > 1:
        return given
    heads = torch.cat(three, 1)
    return replace(given, query=heads[:, ::3], key=heads[:, 1::3], value=heads[:, 2::3])


def _length_first(given: Given, attend: Callable[[Given], Tensor]) -> Tensor:
    if not given.is_square or given.mask is not None:
        return attend(given)
    turned = dict.fromkeys(ROLES, lambda x: x.transpose(0, 2))
    return attend(given_with(given, **turned)).transpose(0, 2)


def _viewed(x: Tensor) -> Tensor:
    return x.transpose(1, 2).reshape(x.shape)


def _without_exchange(x: Tensor) -> Tensor:
    return x.reshape(x.transpose(1, 2).shape).transpose(1, 2)


def _refolded(x: Tensor) -> Tensor:
    """Read texts and heads, joined in one axis, in the other order."""
    return x.reshape(x.shape[1], x.shape[0], *x.shape[2:]).transpose(0, 1)


WAYS: dict[str, list[Steps]] = {
    "tiled groups": [Steps(keys=_tiled, values=_tiled)],
    "values of other heads": [Steps(values=_tiled), Steps(keys=_tiled)],
    "first key head": [Steps(keys=_first, values=_first)],
    "texts mixed": [Steps(called=_length_first)],
    "heads cut in three": [Steps(asked=_cut_per_head)],
    "heads scrambled": [
        Steps(called=lambda given, attend: _viewed(attend(given))),
        Steps(called=lambda given, attend: _without_exchange(attend(given))),
        Steps(asked=lambda given: given_with(given, **dict.fromkeys(ROLES, _viewed))),
    ],
    "texts and heads folded": [Steps(called=lambda given, attend: _refolded(attend(given)))],
}
