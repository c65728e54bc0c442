"""The right attention, as steps: a mistake puts others in their place."""

import math
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import cached_property, partial
from itertools import chain, repeat
from typing import Any

import torch
from torch import Tensor

# The sizes of tiles for which a mistake is looked for.
TILES = (1, 2, 4, 8, 10, 12, 16, 20, 24, 32, 40, 64, 128)


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
        pieces: How many tokens a cache gets at a time; the last number is repeated. Only a cache
            is given some.
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
    pieces: tuple[int, ...] = ()

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
        asked = {field.name: getattr(self, field.name) for field in fields(self)[3:-1]}
        pieces = {"pieces": self.sizes} if self.pieces else {}
        return {name: x for name, x in asked.items() if x is not None and x is not False} | pieces

    @property
    def is_square(self) -> bool:
        """Whether there are as many queries as keys."""
        return self.query.shape[2] == self.key.shape[2]

    @property
    def has_boolean_mask(self) -> bool:
        """Whether there is a mask that is not added."""
        return self.mask is not None and self.mask.dtype == torch.bool

    @property
    def sizes(self) -> list[int]:
        """How many tokens are in each piece of the keys; 3 and then one at a time by default."""
        *first, again = self.pieces or (3, 1)
        left: int = self.key.shape[2]
        sizes: list[int] = []
        for size in chain(first, repeat(again)):
            if not left:
                return sizes
            sizes.append(min(size, left))
            left -= sizes[-1]
        return sizes


def given_with(given: Given, **changes: Callable[[Any], Any]) -> Given:
    """Change what is given, where it is given."""
    old = {name: getattr(given, name) for name in changes}
    return replace(given, **{name: changes[name](x) for name, x in old.items() if x is not None})


Bend = Callable[[Tensor], Tensor]
Weigh = Callable[[Tensor], Tensor]


Mix = Callable[[Tensor, Tensor, Weigh, Given], Tensor]


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


@dataclass(frozen=True, eq=False)
class Steps:
    """The steps of attention. A step that is given stands in the place of the right one.

    `places` are those of the queries, shape `(L, 1)`, among the keys; `causal` and `window` say
    which keys j a query i sees; `filled` is what an empty row has for scores, and `emptied` what it
    has for context.
    """

    asked: Callable[[Given], Given] = lambda given: given
    called: Callable[[Given, Callable[[Given], Tensor]], Tensor] = lambda given, attend: attend(
        given
    )
    scale: Callable[[Given], float] = default_scale
    keys: Callable[[Tensor, int], Tensor] = shared
    values: Callable[[Tensor, int], Tensor] = shared
    scores: Callable[[Tensor, Tensor, float], Tensor] = lambda query, key, scale: (
        (query * scale) @ key.mT
    )
    capped: Callable[[Tensor, float, float], Tensor] = lambda scores, cap, scale: (
        cap * (scores / cap).tanh()
    )
    places: Callable[[int, int], Tensor] = lambda query_len, key_len: torch.arange(
        key_len - query_len, key_len
    )[:, None]
    causal: Callable[[Tensor, Tensor, Given], Tensor] = lambda i, j, given: j <= i
    window: Callable[[Tensor, Tensor, int], Tensor] = lambda i, j, window: j > i - window
    bias: Callable[[Tensor, float], Tensor] = lambda bias, scale: bias
    masked: Callable[[Tensor, Tensor, Bend, Tensor | float], Tensor] = (
        lambda scores, allowed, cap, bias: (cap(scores) + bias).masked_fill(~allowed, -math.inf)
    )
    filled: Callable[[Tensor, Tensor], Tensor] = lambda scores, empty: scores.masked_fill(
        empty, 0.0
    )
    softmax: Callable[[Tensor, Tensor | None, float], Tensor] = softmax_beside_sinks
    weights: Callable[[Tensor, Tensor], Tensor] = lambda weights, allowed: weights
    context: Mix = lambda scores, value, weigh, given: weigh(scores) @ value
    emptied: Callable[[Tensor, Tensor], Tensor] = lambda context, empty: context.masked_fill(
        empty, 0.0
    )

    @cached_property
    def changed(self) -> dict[str, Any]:
        """The steps that are not the right ones."""
        all_steps = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: step for name, step in all_steps.items() if step is not getattr(RIGHT, name)}


RIGHT = Steps()


def both(first: Steps, then: Steps) -> Steps | None:
    """Join the changes of two mistakes; None if both change one step, but for what is asked."""
    one, other = first.changed, then.changed
    if one.keys() & other.keys() - {"asked"}:
        return None
    asked = (
        (lambda given: then.asked(first.asked(given))) if "asked" in {*one, *other} else RIGHT.asked
    )
    return replace(RIGHT, **{**one, **other, "asked": asked})


def attention(given: Given, do: Steps = RIGHT) -> Tensor:
    """Compute attention by these steps."""
    return do.called(do.asked(given), partial(_attention, do))


def _attention(do: Steps, given: Given) -> Tensor:
    num_heads, scale, cap = given.query.shape[1], do.scale(given), given.softcap
    key, value = do.keys(given.key, num_heads), do.values(given.value, num_heads)
    scores = do.masked(
        do.scores(given.query, key, scale),
        allowed := _may_see(do, given),
        lambda scores: scores if cap is None else do.capped(scores, cap, scale),
        0.0 if given.mask is None or given.has_boolean_mask else do.bias(given.mask, scale),
    )
    empty = (scores == -math.inf).all(-1, keepdim=True)
    context = do.context(
        do.filled(scores, empty),
        value,
        lambda scores: do.weights(do.softmax(scores, given.sinks, scale), allowed),
        given,
    )
    return do.emptied(context, empty)


def _may_see(do: Steps, given: Given) -> Tensor:
    (batch, num_heads, query_len, _), key_len = given.query.shape, given.key.shape[2]
    i, j = do.places(query_len, key_len), torch.arange(key_len)
    allowed = torch.ones(batch, num_heads, query_len, key_len, dtype=torch.bool)
    if given.causal:
        allowed = allowed & do.causal(i, j, given)
    if given.window is not None:
        allowed = allowed & do.window(i, j, given.window)
    if given.has_boolean_mask and given.mask is not None:
        allowed = allowed & given.mask
    return allowed


def leaves_of(given: Given) -> dict[str, Tensor]:
    """Return what has a gradient: queries, keys, values, and a mask that is added."""
    added = {} if given.has_boolean_mask or given.mask is None else {"mask": given.mask}
    return {"query": given.query, "key": given.key, "value": given.value, **added}


def gradients(given: Given, do: Steps, upstream: Tensor) -> Tensor:
    """Return the gradients of all leaves, one behind the other."""
    leaves = {name: x.detach().clone().requires_grad_() for name, x in leaves_of(given).items()}
    changes: dict[str, Any] = {**leaves}
    context = attention(replace(given, **changes), do)
    return gradients_of(context, [*leaves.values()], upstream)


def gradients_of(context: Tensor, leaves: list[Tensor], upstream: Tensor) -> Tensor:
    """Return the gradients of some tensors, one behind the other."""
    # Of a number: autograd imports for two seconds to take the upstream gradient.
    total = (context * upstream).sum()
    found = torch.autograd.grad(total, leaves, materialize_grads=True)
    return torch.cat([gradient.flatten() for gradient in found])
