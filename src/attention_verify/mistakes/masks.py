"""Mistakes in masks, in the causal rule and in windows."""

import math
from collections.abc import Callable
from dataclasses import replace

import torch
from torch import Tensor

from attention_verify.oracle import TILES, Given, Steps, given_with

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


WAYS: dict[str, list[Steps]] = {
    "mask ignored": [Steps(asked=lambda given: replace(given, mask=None))],
    "mask as numbers": [_numbers(1.0, 0.0)],
    "0 times infinity": [_numbers(math.nan, -math.inf), _added(math.nan, -math.inf)],
    "weak mask": [
        *(_numbers(0.0, -far) for far in FAR),
        *(_added(0.0, -far) for far in FAR),
        *(_filled(-far) for far in FAR),
    ],
    "scores times mask": [_filled(0.0)],
    "mask after softmax": [
        Steps(
            masked=lambda scores, allowed, cap, bias: cap(scores) + bias,
            weights=lambda weights, allowed: weights * allowed,
        )
    ],
    "mask of another": [
        _masking(lambda mask, given: mask[:1]),
        _masking(lambda mask, given: mask[:, :1]),
        _masking(_repeated),
        _masking(_heads_for_texts),
        _masking(
            lambda mask, given: _repeated(mask, given) if mask.shape[2] == 1 else mask,
        ),
    ],
    "rows hidden": [
        _masking(lambda mask, given: mask.mT if mask.shape[2] == 1 and given.is_square else mask),
        _masking(lambda mask, given: mask.mT if given.is_square else mask),
    ],
    "mask scaled": [Steps(bias=lambda bias, scale: bias * scale)],
    "mask subtracted": [Steps(bias=lambda bias, scale: -bias)],
    "mask as boolean": [
        _masking(lambda mask, given: mask if mask.dtype == torch.bool else mask > -math.inf)
    ],
    "causal ignored": [Steps(asked=lambda given: replace(given, causal=False))],
    "other triangle": [_causal(lambda i, j: j >= i)],
    "own key hidden": [
        _causal(lambda i, j: j < i),
        Steps(causal=lambda i, j, given: (j < i) | (j == i) & (i < given.sizes[0])),
    ],
    "one ahead": [_causal(lambda i, j: j <= i + 1)],
    "in blocks": [*map(_in_blocks, TILES)],
    "mask drops causal": [
        Steps(asked=lambda given: replace(given, causal=given.causal and given.mask is None))
    ],
    "mask or causal": [Steps(asked=_any_rule)],
    "causal drops mask": [
        Steps(asked=lambda given: replace(given, mask=None if given.causal else given.mask))
    ],
    "window ignored": [Steps(asked=lambda given: replace(given, window=None))],
    "window to both sides": [
        Steps(
            window=lambda i, j, window: (j - i).abs() < window,
            asked=lambda given: replace(given, causal=given.causal and given.window is None),
        )
    ],
    "window as blocks": [_window(lambda i, j, window: i // window == j // window)],
    "window too wide": [_window(lambda i, j, window: j >= i - window)],
    "window too narrow": [_window(lambda i, j, window: j > i - window + 1)],
    "window without offset": [_window(lambda i, j, window: j > i - i[0] - window)],
}
