"""The right attention, as steps: a mistake puts another step in the place of one of them."""

import math
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any

import torch
from torch import Tensor

Changes = dict[str, Callable[..., Any]]  # by the name of the step


@dataclass(frozen=True, eq=False)
class Given:
    """What attention is called with.

    Attributes:
        query: Shape `(batch, num_heads, L, head_dim)`.
        key: Shape `(batch, num_kv_heads, S, head_dim)`.
        value: Shape `(batch, num_kv_heads, S, value_dim)`.
        mask: Boolean, True attends; or a float mask, which is added. It has all four axes, some
            perhaps of size 1.
        causal: Whether a query sees no later key. The queries are the last of the keys.
        window: How many keys a query sees at most, its own among them; with `causal`.
        scale: Factor on the scores. Defaults to `1 / sqrt(head_dim)`.
        softcap: Bends the scaled scores to `softcap * tanh(scores / softcap)`, before the mask.
        sinks: For each head, the score of one more key, whose value is 0.
    """

    query: Tensor
    key: Tensor
    value: Tensor
    mask: Tensor | None = None
    causal: bool = False
    window: int | None = None
    scale: float | None = None
    softcap: float | None = None
    sinks: Tensor | None = None

    def to(self, device: str | torch.device, dtype: torch.dtype) -> "Given":
        """Return the same on a device, its numbers in a dtype."""
        tensors: dict[str, Any] = {
            field.name: x.to(device, dtype if x.is_floating_point() else x.dtype)
            for field in fields(self)
            if isinstance(x := getattr(self, field.name), Tensor)
        }
        return replace(self, **tensors)

    @property
    def options(self) -> dict[str, Any]:
        """What is asked for besides query, key and value."""
        asked = {field.name: getattr(self, field.name) for field in fields(self)[3:]}
        return {name: x for name, x in asked.items() if x is not None and x is not False}

    @property
    def has_boolean_mask(self) -> bool:
        """Whether there is a mask that is not added."""
        return self.mask is not None and self.mask.dtype == torch.bool


def default_scale(given: Given) -> float:
    """Return the scale, by default 1 / sqrt(head_dim)."""
    return 1 / math.sqrt(given.query.shape[-1]) if given.scale is None else given.scale


def shared(x: Tensor, num_heads: int) -> Tensor:
    """Give each query head its key head: neighbours share one."""
    return x.repeat_interleave(num_heads // x.shape[1], dim=1)


def softmax_beside_sinks(scores: Tensor, sinks: Tensor | None, scale: float) -> Tensor:
    """Return the weights: a sink takes its share of each row of its head."""
    if sinks is None:
        return scores.softmax(-1)
    sink = sinks.to(scores.dtype)[:, None, None].expand(*scores.shape[:-1], 1)
    return torch.cat((scores, sink), -1).softmax(-1)[..., :-1]


STEPS: Changes = {
    "asked": lambda given: given,
    "scale": default_scale,
    "keys": shared,
    "values": shared,
    "mixed": lambda key, value: value,
    "scores": lambda query, key, scale: (query * scale) @ key.mT,
    "capped": lambda scores, cap, scale: cap * (scores / cap).tanh(),
    # The places of the queries, shape (L, 1), among the keys, shape (S,).
    "places": lambda query_len, key_len: torch.arange(key_len - query_len, key_len)[:, None],
    "causal": lambda i, j: j <= i,
    "window": lambda i, j, window: j > i - window,
    "mask": lambda mask: mask,
    "bias": lambda bias, scale: bias,
    "masked": lambda scores, allowed, cap, bias: (cap(scores) + bias).masked_fill(
        ~allowed, -math.inf
    ),
    "filled": lambda scores, empty: scores.masked_fill(empty, 0.0),
    "softmax": softmax_beside_sinks,
    "weights": lambda weights, allowed: weights,
    "context": lambda scores, value, weigh: weigh(scores) @ value,
    "emptied": lambda context, empty: context.masked_fill(empty, 0.0),
}


def attention(given: Given, wrong: Changes) -> Tensor:
    """Compute attention, with the steps in `wrong` in the place of the right ones."""
    do = {**STEPS, **wrong}
    given = do["asked"](given)
    num_heads, scale, cap = given.query.shape[1], do["scale"](given), given.softcap
    key, value = do["keys"](given.key, num_heads), do["values"](given.value, num_heads)
    scores = do["masked"](
        do["scores"](given.query, key, scale),
        allowed := _may_see(do, given),
        lambda scores: scores if cap is None else do["capped"](scores, cap, scale),
        0.0 if given.mask is None or given.has_boolean_mask else do["bias"](given.mask, scale),
    )
    empty = (scores == -math.inf).all(-1, keepdim=True)
    context = do["context"](
        do["filled"](scores, empty),
        do["mixed"](key, value),
        lambda scores: do["weights"](do["softmax"](scores, given.sinks, scale), allowed),
    )
    result: Tensor = do["emptied"](context, empty)
    return result


def _may_see(do: Changes, given: Given) -> Tensor:
    """Return what each query may see, but for what a float mask hides."""
    (batch, num_heads, query_len, _), key_len = given.query.shape, given.key.shape[2]
    i, j = do["places"](query_len, key_len), torch.arange(key_len)
    allowed = torch.ones(batch, num_heads, query_len, key_len, dtype=torch.bool)
    if given.causal:
        allowed = allowed & do["causal"](i, j)
    if given.window is not None:
        allowed = allowed & do["window"](i, j, given.window)
    if given.has_boolean_mask:
        allowed = allowed & do["mask"](given.mask)
    return allowed


def gradients(given: Given, wrong: Changes, upstream: Tensor) -> Tensor:
    """Return the gradients of query, key and value, one behind the other."""
    leaves = [x.detach().clone().requires_grad_() for x in (given.query, given.key, given.value)]
    query, key, value = leaves
    context = attention(replace(given, query=query, key=key, value=value), wrong)
    return gradients_of(context, leaves, upstream)


def gradients_of(context: Tensor, leaves: list[Tensor], upstream: Tensor) -> Tensor:
    """Return the gradients of some tensors, one behind the other."""
    # Of a number: to be given the upstream gradient, autograd imports what takes two seconds.
    total = (context * upstream).sum()
    found = torch.autograd.grad(total, leaves, materialize_grads=True)
    return torch.cat([gradient.flatten() for gradient in found])
