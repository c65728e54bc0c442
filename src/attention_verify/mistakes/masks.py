"""Mistakes in masks, in the causal rule and in windows."""

import math
from collections.abc import Callable
from dataclasses import replace

import torch
from torch import Tensor

from attention_verify.mistakes.known import TILES, explained_on, given_with, known
from attention_verify.oracle import Given, Steps

FAR = (10.0, 100.0, 1000.0)  # what stands for minus infinity where it is too near


def _masking(mask: Callable[[Tensor, Given], Tensor]) -> Steps:
    """Take another mask, where one is given."""
    return Steps(asked=lambda given: given_with(given, mask=lambda x: mask(x, given)))


TURNED = _masking(lambda mask, given: ~mask if mask.dtype == torch.bool else mask)


def _numbers(seen: float, hidden: float) -> Steps:
    """Add numbers in the place of a boolean mask."""
    return _masking(
        lambda mask, given: (
            torch.where(mask, seen, hidden) if mask.dtype == torch.bool else mask
        ).to(given.query)
    )


def _added(seen: float, hidden: float) -> Steps:
    """Add numbers to all scores, in the place of what is hidden for any reason."""
    return Steps(
        masked=lambda scores, allowed, cap, bias: (
            cap(scores) + bias + torch.where(allowed, seen, hidden).to(scores)
        )
    )


def _filled(hidden: float) -> Steps:
    return Steps(
        masked=lambda scores, allowed, cap, bias: (cap(scores) + bias).masked_fill(~allowed, hidden)
    )


def _repeated(mask: Tensor, given: Given) -> Tensor:
    """Repeat texts 0 1 0 1 where the heads of a text are read one after the other."""
    if mask.shape[1] > 1:
        return mask
    heads = mask.repeat(given.query.shape[1], 1, 1, 1)
    return heads.view(len(mask), -1, *mask.shape[2:])


def _heads_for_texts(mask: Tensor, given: Given) -> Tensor:
    if mask.shape[2] == 1:
        return mask
    whole = mask.expand(*given.query.shape[:2], -1, -1)
    return whole.reshape(-1, len(given.query), *mask.shape[2:]).transpose(0, 1)


def _any_rule(given: Given) -> Given:
    if not given.causal or given.mask is None or not given.has_boolean_mask:
        return given
    rule = torch.ones(given.mask.shape[2:], dtype=torch.bool).tril()
    return replace(given, causal=False, mask=given.mask | rule)


def _causal(rule: Callable[[Tensor, Tensor], Tensor]) -> Steps:
    return Steps(causal=lambda i, j, given: rule(i, j))


def _window(rule: Callable[[Tensor, Tensor, int], Tensor]) -> Steps:
    return Steps(window=rule)


def _in_blocks(size: int) -> Steps:
    return _causal(lambda i, j: j // (2 * size) <= i // (2 * size))


OF_MASKS = (
    *explained_on(
        "steps/padding-masks/#the-formula",
        known(
            "mask ignored",
            "The mask changes nothing.",
            Steps(asked=lambda given: replace(given, mask=None)),
        ),
    ),
    *explained_on(
        "guides/how-torch-behaves-at-the-edges/#a-float-mask-of-zeros-and-ones",
        known(
            "mask as numbers",
            "A boolean mask is added as 0 and 1, so hidden keys stay visible.",
            _numbers(1.0, 0.0),
        ),
    ),
    *explained_on(
        "guides/what-goes-wrong/#a-mask-that-is-multiplied-by-infinity",
        known(
            "0 times infinity",
            "A mask gives NaN: 0 is multiplied by infinity. Take torch.where.",
            _numbers(math.nan, -math.inf),
            _added(math.nan, -math.inf),
        ),
    ),
    *explained_on(
        "guides/what-goes-wrong/#a-hidden-token-gets-weight",
        known(
            "weak mask",
            "Hidden keys keep a share: a number like -10 is no -inf.",
            *(_numbers(0.0, -far) for far in FAR),
            *(_added(0.0, -far) for far in FAR),
            *(_filled(-far) for far in FAR),
        ),
    ),
    *explained_on(
        "guides/what-goes-wrong/#scores-are-multiplied-by-zero",
        known(
            "scores times mask",
            "A hidden score becomes 0, and exp(0) is 1. Put -inf in its place.",
            _filled(0.0),
        ),
    ),
    *explained_on(
        "steps/causal-masks/#multiplying-the-weights-by-the-mask",
        known(
            "mask after softmax",
            "Rows add up to less than 1: the weights are masked after the softmax.",
            Steps(
                masked=lambda scores, allowed, cap, bias: cap(scores) + bias,
                weights=lambda weights, allowed: weights * allowed,
            ),
        ),
    ),
    *explained_on(
        "guides/how-torch-behaves-at-the-edges/#a-mask-with-three-axes",
        known(
            "mask of another",
            "A text or a head gets the mask of another: an axis is lost or swapped.",
            _masking(lambda mask, given: mask[:1]),
            _masking(lambda mask, given: mask[:, :1]),
            _masking(_repeated),
            _masking(_heads_for_texts),
            _masking(
                lambda mask, given: _repeated(mask, given) if mask.shape[2] == 1 else mask,
            ),
        ),
    ),
    *explained_on(
        "steps/padding-masks/#the-rows-are-masked-not-the-columns",
        known(
            "rows hidden",
            "The mask hides queries, rows. It hides keys, columns.",
            _masking(
                lambda mask, given: mask.mT if mask.shape[2] == 1 and given.is_square else mask
            ),
            _masking(lambda mask, given: mask.mT if given.is_square else mask),
        ),
    ),
    *explained_on(
        "guides/mask-conventions/#what-true-means-in-attn_mask",
        known(
            "mask scaled",
            "The float mask is scaled with the scores. Add it after the scale.",
            Steps(bias=lambda bias, scale: bias * scale),
        ),
        known(
            "mask subtracted",
            "The float mask is taken off the scores. It is added.",
            Steps(bias=lambda bias, scale: -bias),
        ),
        known(
            "mask as boolean",
            "Of the float mask only -inf counts: its other numbers are not added.",
            _masking(lambda mask, given: mask if mask.dtype == torch.bool else mask > -math.inf),
        ),
    ),
)

OF_CAUSALITY = (
    *explained_on(
        "guides/what-goes-wrong/#the-model-sees-the-future",
        known(
            "causal ignored",
            "A query sees later keys: the causal rule does nothing.",
            Steps(asked=lambda given: replace(given, causal=False)),
        ),
    ),
    *explained_on(
        "steps/causal-masks/#the-formula",
        known(
            "other triangle",
            "A query sees itself and later keys: the other triangle is hidden.",
            _causal(lambda i, j: j >= i),
        ),
    ),
    *explained_on(
        "guides/what-goes-wrong/#the-mask-is-one-diagonal-too-far",
        known(
            "own key hidden",
            "No query sees its own key: the mask is off by one.",
            _causal(lambda i, j: j < i),
            Steps(causal=lambda i, j, given: (j < i) | (j == i) & (i < given.sizes[0])),
        ),
        known(
            "one ahead",
            "A query sees the next key as well: the mask is off by one.",
            _causal(lambda i, j: j <= i + 1),
        ),
        known(
            "in blocks",
            "A query sees all keys up to the end of its block.",
            *map(_in_blocks, TILES),
        ),
    ),
    *explained_on(
        "guides/mask-conventions/#a-mask-and-is_causal-at-once",
        known(
            "mask drops causal",
            "With a mask, the causal rule does nothing.",
            Steps(asked=lambda given: replace(given, causal=given.causal and given.mask is None)),
        ),
        known(
            "mask or causal",
            "A key is seen if the mask or the causal rule allows it. Both must.",
            Steps(asked=_any_rule),
        ),
        known(
            "causal drops mask",
            "With the causal rule, the mask changes nothing.",
            Steps(asked=lambda given: replace(given, mask=None if given.causal else given.mask)),
        ),
    ),
)

OF_WINDOWS = (
    *explained_on(
        "steps/windows-and-sinks/#the-formula",
        known(
            "window ignored",
            "The window does nothing.",
            Steps(asked=lambda given: replace(given, window=None)),
        ),
        known(
            "window to both sides",
            "The window is open to later keys as well.",
            Steps(
                window=lambda i, j, window: (j - i).abs() < window,
                asked=lambda given: replace(given, causal=given.causal and given.window is None),
            ),
        ),
        known(
            "window as blocks",
            "The text is cut into blocks, and a query sees its own block alone.",
            _window(lambda i, j, window: i // window == j // window),
        ),
    ),
    *explained_on(
        "guides/mask-conventions/#is-the-query-counted-in-a-window",
        known(
            "window too wide",
            "The window has one key more: the query's own is not counted.",
            _window(lambda i, j, window: j >= i - window),
        ),
        known(
            "window too narrow",
            "The window has one key less.",
            _window(lambda i, j, window: j > i - window + 1),
        ),
    ),
    *explained_on(
        "steps/kv-cache/#the-offset-does-not-advance",
        known(
            "window without offset",
            "The window is counted from query 0, which is not beside key 0.",
            _window(lambda i, j, window: j > i - i[0] - window),
        ),
    ),
)
