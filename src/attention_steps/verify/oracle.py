"""The right attention, as steps, and the wrong ones in their place."""

import inspect
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import pad

from attention_steps.verify.adapters import FIRST_PIECE
from attention_steps.verify.known import WRITTEN

Changes = dict[str, Callable[..., Any]]  # by the name of the step


@dataclass(frozen=True, eq=False)
class Given:
    """What attention is called with.

    Attributes:
        query: Shape `(batch, num_heads, L, head_dim)`.
        key: Shape `(batch, num_kv_heads, S, head_dim)`.
        value: Shape `(batch, num_kv_heads, S, value_dim)`.
        mask: Boolean, True attends; or added. It has four axes, some perhaps of size 1.
        causal: Whether a query sees no later key. The last query has the last key.
        window: How many keys a query sees, its own among them; with `causal`.
        scale: Of the scores. Defaults to `1 / sqrt(head_dim)`.
        softcap: Bends the scaled scores, before the mask.
        sinks: For each head, the score of a key whose value is 0.
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
    def is_square(self) -> bool:
        """Whether there are as many queries as keys."""
        return self.query.shape[2] == self.key.shape[2]

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
    "called": lambda given, attend: attend(given),
    "scale": default_scale,
    "keys": shared,
    "values": shared,
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
    "context": lambda scores, value, weigh, given: weigh(scores) @ value,
    "emptied": lambda context, empty: context.masked_fill(empty, 0.0),
}


def attention(given: Given, wrong: Changes) -> Tensor:
    """Compute attention, with the steps in `wrong` in the place of the right ones."""
    do = {**STEPS, **wrong}
    result: Tensor = do["called"](do["asked"](given), partial(_attention, do))
    return result


def _attention(do: Changes, given: Given) -> Tensor:
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
        value,
        lambda scores: do["weights"](do["softmax"](scores, given.sinks, scale), allowed),
        given,
    )
    result: Tensor = do["emptied"](context, empty)
    return result


def _may_see(do: Changes, given: Given) -> Tensor:
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
    # Of a number: autograd imports for two seconds to take the upstream gradient.
    total = (context * upstream).sum()
    found = torch.autograd.grad(total, leaves, materialize_grads=True)
    return torch.cat([gradient.flatten() for gradient in found])


@dataclass(frozen=True, eq=False)
class Way:
    """A way to make a known mistake."""

    name: str
    changes: Changes


def changes_of(ways: Iterable[Way]) -> Changes | None:
    """Join the changes of mistakes; None if two change one step."""
    together: Changes = {}
    for step, change in ((step, x) for way in ways for step, x in way.changes.items()):
        if step in together and step != "asked":
            return None
        before = together.get(step)
        together[step] = _after(change, before) if before else change
    return together


def _after(then: Callable[..., Any], first: Callable[..., Any]) -> Callable[..., Any]:
    return lambda given: then(first(given))


def _given_with(given: Given, **changes: Callable[[Any], Any]) -> Given:
    old = {name: getattr(given, name) for name in changes}
    return replace(given, **{name: changes[name](x) for name, x in old.items() if x is not None})


def _swapped(given: Given, **names: str) -> Given:
    """Take tensors for others of their shape."""
    others: dict[str, Any] = {name: getattr(given, other) for name, other in names.items()}
    fits = all(x.shape == getattr(given, name).shape for name, x in others.items())
    return replace(given, **others) if fits else given


def _numbers(mask: Tensor, given: Given, seen: float, hidden: float) -> Tensor:
    return (torch.where(mask, seen, hidden) if mask.dtype == torch.bool else mask).to(given.query)


def _cut_per_head(given: Given) -> Given:
    three = (given.query, given.key, given.value)
    if len({x.shape for x in three}) > 1:
        return given
    heads = torch.cat(three, 1)
    return replace(given, query=heads[:, ::3], key=heads[:, 1::3], value=heads[:, 2::3])


def _length_first(given: Given, attend: Callable[[Given], Tensor]) -> Tensor:
    if not given.is_square or given.mask is not None:
        return attend(given)
    turned = dict.fromkeys(("query", "key", "value"), lambda x: x.transpose(0, 2))
    return attend(_given_with(given, **turned)).transpose(0, 2)


def _viewed(x: Tensor) -> Tensor:
    return x.transpose(1, 2).reshape(x.shape)


def _without_exchange(x: Tensor) -> Tensor:
    return x.reshape(x.transpose(1, 2).shape).transpose(1, 2)


def _first_piece(x: Tensor, given: Given) -> Tensor:
    later = torch.arange(x.shape[2])[:, None] >= FIRST_PIECE
    return x.masked_fill(later, 0.0) if given.causal else x


def _beside_zeros(
    scores: Tensor, sinks: Tensor | None, count: Callable[[Tensor], Tensor]
) -> Tensor:
    """Let as many keys with a score of 0 take a share as the query's place says."""
    query_len, key_len = scores.shape[-2:]
    zeros = count(torch.arange(key_len - query_len, key_len)[:, None]).clamp(min=0)
    more = zeros.to(scores.dtype).log().expand(*scores.shape[:-1], 1)
    return softmax_beside_sinks(torch.cat((scores, more), -1), sinks, 1.0)[..., :-1]


def _exp32(x: Tensor) -> Tensor:
    """Return exp, with the range of float32."""
    return x.masked_fill(x > 88.72, math.inf).masked_fill(x < -103.97, -math.inf).exp()


def _by_hand(
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


def _without_delta(weights: Tensor, scores: Tensor) -> Tensor:
    return weights.detach() * (scores - scores.detach()).nan_to_num(0.0).exp()


def _with_gradient(x: Tensor, change: Callable[[Tensor], Tensor]) -> Tensor:
    x = x * 1
    if x.requires_grad:
        x.register_hook(change)  # type: ignore[no-untyped-call]
    return x


def _of_one_head(x: Tensor, num_heads: int, which: int) -> Tensor:
    group = num_heads // x.shape[1]
    one = torch.arange(num_heads)[:, None, None] % group == which % group
    return _with_gradient(shared(x, num_heads), lambda gradient: gradient * one)


Weigh = Callable[[Tensor], Tensor]


def _tail_dropped(size: int, scores: Tensor, value: Tensor, weigh: Weigh) -> Tensor:
    length = scores.shape[-1]
    whole = length // size * size or length
    return weigh(scores[..., :whole]) @ value[..., :whole, :]


def _tail_counted(size: int, scores: Tensor, value: Tensor, weigh: Weigh) -> Tensor:
    more = -scores.shape[-1] % size
    return weigh(pad(scores, (0, more))) @ pad(value, (0, 0, 0, more))


def _averaged(size: int, scores: Tensor, value: Tensor, weigh: Weigh) -> Tensor:
    tiles = zip(torch.split(scores, size, -1), torch.split(value, size, -2), strict=True)
    parts = [tile.softmax(-1).nan_to_num(0.0) @ values for tile, values in tiles]
    return weigh(scores) @ value if len(parts) == 1 else torch.stack(parts).mean(0)


def _not_shrunk(size: int, scores: Tensor, value: Tensor, weigh: Weigh, *shrunk: str) -> Tensor:
    if scores.shape[-1] <= size:
        return weigh(scores) @ value
    zero = value.new_zeros(())
    largest, total, mixed = scores[..., :1], zero, zero
    tiles = zip(torch.split(scores, size, -1), torch.split(value, size, -2), strict=True)
    for tile, values in tiles:
        before, largest = largest, torch.maximum(largest, tile.amax(-1, keepdim=True))
        exp = (tile - largest).exp().nan_to_num(0.0)
        shrink = (before - largest).exp().nan_to_num(0.0)
        total = total * (shrink if "sum" in shrunk else 1.0) + exp.sum(-1, keepdim=True)
        mixed = mixed * (shrink if "context" in shrunk else 1.0) + exp @ values
    return mixed / total


# A way with one of these words in it is a way for each of its numbers.
MANY = {"SIZE": (1, 2, 4, 8, 16, 32, 64, 128), "FAR": (10.0, 100.0, 1000.0)}


def _ways(name: str, written: str) -> Iterator[Way]:
    for word, numbers in MANY.items():
        if word in written:
            yield from (way for x in numbers for way in _ways(name, written.replace(word, str(x))))
            return
    changes: Changes = {}
    for steps, _, change in (part.partition(": ") for part in written.split("; ") if part):
        for step in steps.split(", "):
            arguments = ", ".join(inspect.signature(STEPS[step]).parameters)
            changes[step] = eval(f"lambda {arguments}: {change}", globals())
    yield Way(name, changes)


WAYS = {
    name: [way for written in ways for way in _ways(name, written)]
    for name, ways in WRITTEN.items()
}
