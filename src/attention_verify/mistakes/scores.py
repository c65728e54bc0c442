"""Mistakes in the scale, in the softmax, and in which tensor has which role."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from attention_verify.oracle import Given, Steps, Weigh, default_scale, softmax_beside_sinks


def by_hand(
    largest: Callable[[Tensor, Tensor], Tensor | float],
    share: Callable[[Tensor], Tensor] | None = None,
) -> Steps:
    """Take another number than the largest off scores and sinks; or give sinks another share."""

    def softmax(scores: Tensor, sinks: Tensor | None, scale: float) -> Tensor:
        if sinks is None and share:
            return scores.softmax(-1)
        sink = scores.new_tensor(-math.inf) if sinks is None else sinks.to(scores)[:, None, None]
        most = largest(scores, sink)
        exp, rest = _exp32(scores - most), share(sink) if share else _exp32(sink - most)
        return exp / (exp.sum(-1, keepdim=True) + rest)

    return Steps(softmax=softmax)


def beside_zeros(count: Callable[[Tensor], Tensor]) -> Steps:
    """Let as many keys with a score of 0 take a share as the query's place says."""

    def softmax(scores: Tensor, sinks: Tensor | None, scale: float) -> Tensor:
        query_len, key_len = scores.shape[-2:]
        zeros = count(torch.arange(key_len - query_len, key_len)[:, None]).clamp(min=0)
        more = zeros.to(scores.dtype).log().expand(*scores.shape[:-1], 1)
        return softmax_beside_sinks(torch.cat((scores, more), -1), sinks, 1.0)[..., :-1]

    return Steps(softmax=softmax)


def _exp32(x: Tensor) -> Tensor:
    """Return exp, with the range of float32."""
    return x.masked_fill(x > 88.72, math.inf).masked_fill(x < -103.97, -math.inf).exp()


def _divided_last(scores: Tensor, value: Tensor, weigh: Weigh, given: Given) -> Tensor:
    """Mix the values by the exponentials, which may overflow, and divide by their sum then."""
    if given.sinks is not None:
        return weigh(scores) @ value
    exp = _exp32(scores)
    return exp @ value / exp.sum(-1, keepdim=True)


def _unless_given(scale: Callable[[Given], float]) -> Steps:
    """Scale otherwise, where the caller gives no scale."""
    return Steps(scale=lambda given: given.scale or scale(given))


def _with_empty_rows(softmax: Callable[[Tensor], Tensor]) -> Steps:
    """Take another softmax, which rows without any key go through as they are."""
    return Steps(
        filled=lambda scores, empty: scores,
        emptied=lambda context, empty: context,
        softmax=lambda scores, sinks, scale: softmax(scores),
    )


def _with(**others: str) -> Steps:
    """Take tensors for others of their shape."""

    def asked(given: Given) -> Given:
        taken: dict[str, Any] = {name: getattr(given, other) for name, other in others.items()}
        fits = all(x.shape == getattr(given, name).shape for name, x in taken.items())
        return replace(given, **taken) if fits else given

    return Steps(asked=asked)


def _in_base_2(scores: Tensor, sinks: Tensor | None, scale: float) -> Tensor:
    base = math.log(2)
    return softmax_beside_sinks(scores * base, None if sinks is None else sinks * base, scale)


WAYS: dict[str, list[Steps]] = {
    "no scale": [_unless_given(lambda given: 1.0)],
    "root of another axis": [
        _unless_given(lambda given: given.key.shape[2] ** -0.5),
        _unless_given(lambda given: given.query.shape[2] ** -0.5),
        _unless_given(lambda given: given.query.shape[1] ** -0.5),
        _unless_given(lambda given: given.value.shape[3] ** -0.5),
        _unless_given(lambda given: 2 ** (-0.5 * (given.query.shape[3] - 1).bit_length())),
        _unless_given(lambda given: (-(-given.query.shape[3] // 128) * 128) ** -0.5),
    ],
    "multiplied": [_unless_given(lambda given: given.query.shape[3] ** 0.5)],
    "no root": [_unless_given(lambda given: 1 / given.query.shape[3])],
    "root of width": [_unless_given(lambda given: given.query[0, :, 0].numel() ** -0.5)],
    "scale ignored": [Steps(asked=lambda given: replace(given, scale=None))],
    "scaled twice": [
        Steps(
            scale=lambda given: (
                default_scale(given) * (given.query.shape[3] ** -0.5 if given.scale else 1.0)
            )
        )
    ],
    "over queries": [
        _with_empty_rows(lambda scores: scores.softmax(-2).nan_to_num(0.0)),
        _with_empty_rows(lambda scores: scores.nan_to_num().softmax(-2)),
    ],
    "over heads": [
        _with_empty_rows(lambda scores: scores.softmax(1).nan_to_num(0.0)),
        _with_empty_rows(lambda scores: scores.nan_to_num().softmax(1)),
    ],
    "not divided": [
        Steps(softmax=lambda scores, sinks, scale: (scores - scores.amax(-1, True)).exp())
    ],
    "base 2": [Steps(softmax=_in_base_2)],
    "softmax twice": [Steps(softmax=lambda *inputs: softmax_beside_sinks(*inputs).softmax(-1))],
    "no maximum": [by_hand(lambda scores, sink: 0.0), Steps(context=_divided_last)],
    "another maximum": [
        by_hand(lambda scores, sink: scores.max()),
        by_hand(lambda scores, sink: scores.amax(-1, True).clamp(min=0)),
    ],
    "one key more": [
        beside_zeros(torch.ones_like),
        Steps(
            softmax=lambda scores, sinks, scale: (
                _exp32(scores) / (_exp32(scores).sum(-1, keepdim=True) + 1)
            )
        ),
    ],
    "keys mixed": [_with(value="key")],
    "values compared": [_with(key="value")],
    "key and value swapped": [_with(key="value", value="key")],
    "query and key swapped": [_with(query="key", key="query")],
}
