"""Mistakes in the scale, in the softmax, and in which tensor has which role."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from attention_verify.mistakes.known import explained_on, known
from attention_verify.oracle import Given, Steps, default_scale, softmax_beside_sinks


def by_hand(
    scores: Tensor,
    sinks: Tensor | None,
    largest: Callable[[Tensor], Tensor | float],
    share: Callable[[Tensor], Tensor] | None = None,
) -> Tensor:
    """Take another number than the largest off the scores; or give sinks another share."""
    if sinks is None and share:
        return scores.softmax(-1)
    sink = scores.new_tensor(-math.inf) if sinks is None else sinks.to(scores)[:, None, None]
    most = largest(sink)
    exp, rest = _exp32(scores - most), share(sink) if share else _exp32(sink - most)
    return exp / (exp.sum(-1, keepdim=True) + rest)


def beside_zeros(scores: Tensor, sinks: Tensor | None, count: Callable[[Tensor], Tensor]) -> Tensor:
    """Let as many keys with a score of 0 take a share as the query's place says."""
    query_len, key_len = scores.shape[-2:]
    zeros = count(torch.arange(key_len - query_len, key_len)[:, None]).clamp(min=0)
    more = zeros.to(scores.dtype).log().expand(*scores.shape[:-1], 1)
    return softmax_beside_sinks(torch.cat((scores, more), -1), sinks, 1.0)[..., :-1]


def _exp32(x: Tensor) -> Tensor:
    """Return exp, with the range of float32."""
    return x.masked_fill(x > 88.72, math.inf).masked_fill(x < -103.97, -math.inf).exp()


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


MISTAKES = (
    *explained_on(
        "steps/why-divide-by-the-square-root/#the-formula",
        known(
            "no scale",
            "The scores are not divided by the square root of head_dim.",
            _unless_given(lambda given: 1.0),
        ),
        known(
            "root of another axis",
            "The scores are divided by the root of another size than head_dim.",
            _unless_given(lambda given: given.key.shape[2] ** -0.5),
            _unless_given(lambda given: given.query.shape[2] ** -0.5),
            _unless_given(lambda given: given.query.shape[1] ** -0.5),
            _unless_given(lambda given: given.value.shape[3] ** -0.5),
            _unless_given(lambda given: (-(-given.query.shape[3] // 128) * 128) ** -0.5),
        ),
        known(
            "multiplied",
            "The scores are multiplied by the root of head_dim. Divide them by it.",
            _unless_given(lambda given: given.query.shape[3] ** 0.5),
        ),
    ),
    *explained_on(
        "steps/why-divide-by-the-square-root/#head_dim-instead-of-its-root",
        known(
            "no root",
            "The scores are divided by head_dim. Divide them by its square root.",
            _unless_given(lambda given: 1 / given.query.shape[3]),
        ),
    ),
    *explained_on(
        "steps/why-divide-by-the-square-root/#the-models-width-instead-of-the-heads",
        known(
            "root of width",
            "The scores are divided by the root of the model's width, num_heads * head_dim.",
            _unless_given(lambda given: given.query[0, :, 0].numel() ** -0.5),
        ),
    ),
    *explained_on(
        "steps/why-divide-by-the-square-root/#the-scale-argument",
        known(
            "scale ignored",
            "The scale that is given is not used, and the default is.",
            Steps(asked=lambda given: replace(given, scale=None)),
        ),
    ),
    *explained_on(
        "steps/why-divide-by-the-square-root/#divided-twice",
        known(
            "scaled twice",
            "The scale that is given is multiplied by the default one.",
            Steps(
                scale=lambda given: (
                    default_scale(given) * (given.query.shape[3] ** -0.5 if given.scale else 1.0)
                )
            ),
        ),
    ),
    *explained_on(
        "steps/weights/#softmax-along-the-wrong-axis",
        known(
            "over queries",
            "The softmax runs over the queries. The keys are the last axis, dim=-1.",
            _with_empty_rows(lambda scores: scores.softmax(-2).nan_to_num(0.0)),
            _with_empty_rows(lambda scores: scores.nan_to_num().softmax(-2)),
        ),
        known(
            "over heads",
            "The softmax runs over the heads.",
            _with_empty_rows(lambda scores: scores.softmax(1).nan_to_num(0.0)),
            _with_empty_rows(lambda scores: scores.nan_to_num().softmax(1)),
        ),
    ),
    *explained_on(
        "steps/weights/#the-formula",
        known(
            "not divided",
            "The exponentials are there, and are not divided by the sum of their row.",
            Steps(softmax=lambda scores, sinks, scale: (scores - scores.amax(-1, True)).exp()),
        ),
        known(
            "base 2",
            "The weights are powers of 2: exp2 needs the scores times log2(e).",
            Steps(softmax=_in_base_2),
        ),
    ),
    *explained_on(
        "steps/weights/#softmax-twice",
        known(
            "softmax twice",
            "The contexts are too much alike: the softmax runs twice.",
            Steps(softmax=lambda *inputs: softmax_beside_sinks(*inputs).softmax(-1)),
        ),
    ),
    *explained_on(
        "guides/what-goes-wrong/#an-exponential-that-overflows",
        known(
            "no maximum",
            "exp overflows on large scores. Subtract the largest of each row first.",
            Steps(softmax=lambda scores, sinks, scale: by_hand(scores, sinks, lambda sink: 0.0)),
        ),
        known(
            "another maximum",
            "What is subtracted is larger than the row's largest score: exp becomes 0.",
            Steps(
                softmax=lambda scores, sinks, scale: by_hand(
                    scores, sinks, lambda sink: scores.max()
                )
            ),
            Steps(
                softmax=lambda scores, sinks, scale: by_hand(
                    scores, sinks, lambda sink: scores.amax(-1, True).clamp(min=0)
                )
            ),
        ),
    ),
    *explained_on(
        "guides/what-goes-wrong/#rows-do-not-add-up-to-one",
        known(
            "one key more",
            "Rows add up to less than 1: one more key with a score of 0 takes a share.",
            Steps(
                softmax=lambda scores, sinks, scale: beside_zeros(scores, sinks, torch.ones_like)
            ),
        ),
    ),
    *explained_on(
        "steps/queries-keys-and-values/#the-key-is-the-value-as-well",
        known(
            "keys mixed",
            "The keys are mixed. They are compared with the query, and the values are mixed.",
            _with(value="key"),
        ),
        known(
            "values compared",
            "The values are compared with the query, and mixed. Compare the keys.",
            _with(key="value"),
        ),
    ),
    *explained_on(
        "steps/queries-keys-and-values/#keys-and-values-in-each-others-place",
        known(
            "key and value swapped",
            "Keys and values have changed places.",
            _with(key="value", value="key"),
        ),
    ),
    *explained_on(
        "steps/scores/#the-formula",
        known(
            "query and key swapped",
            "Queries and keys have changed places.",
            _with(query="key", key="query"),
        ),
    ),
)
