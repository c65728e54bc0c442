"""The cases: small inputs, of which each shows a mistake that the others do not."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any
from unittest import SkipTest

import torch
from torch import Tensor
from torch.nn.functional import pad

from attention_steps.verify.oracle import Given

FEATURES = {
    "mask": "a boolean mask",
    "float-mask": "a mask that is added to the scores",
    "causal": "no later key is seen",
    "both": "a mask and the causal rule at once",
    "scale": "a scale of the caller's",
    "gqa": "fewer heads of keys than of queries",
    "value-size": "values of another width than queries",
    "window": "a sliding window",
    "softcap": "a soft cap",
    "sinks": "learned sinks",
    "gradients": "a backward pass",
    "float16": "inputs in float16",
    "bfloat16": "inputs in bfloat16",
    "float64": "inputs in float64",
}
DTYPES = {name: getattr(torch, name) for name in ("float16", "bfloat16", "float64")}


@dataclass(frozen=True, eq=False)
class AttentionCase:
    """One call, on which a function is compared with the oracle.

    Attributes:
        name: What is special about it.
        features: What it needs.
        given: The inputs, in float64, exact in bfloat16.
        dtype: In which the function gets them.
        kind: `forward`, `gradients`, `not contiguous` or `twice`.
    """

    name: str
    features: frozenset[str]
    given: Given
    dtype: torch.dtype = torch.float32
    kind: str = "forward"

    def __str__(self) -> str:
        return self.name

    def check(self, function: Callable[..., Any], **options: Any) -> None:
        """Run this case alone, for pytest.

        Args:
            function: Your attention.
            **options: Those of `verify`, such as `layout`.

        Raises:
            AssertionError: If the function fails it; with the mistake, if it is known.
            SkipTest: If it is left out, with the reason.
        """
        from attention_steps.verify.engine import verify  # which needs the cases

        __tracebackhide__ = True
        verdict = verify(function, self.features, cases=[self], **options)
        if verdict.results[0].status == "left out":
            raise SkipTest(verdict.results[0].says)
        if not verdict.passed:
            raise AssertionError(verdict.text)


def uneven_numbers(*shape: int, start: int = 0, size: float = 1.5) -> Tensor:
    """Return numbers without a pattern, the same everywhere, and exact in bfloat16."""
    n = torch.arange(math.prod(shape), dtype=torch.float64)
    wave = torch.sin((n + 1) * 12.9898 + start * 78.233 + n * n * 0.37)
    # Coarser than the last digit of a sine.
    return ((wave * size * 64 / size).round() / 64 * size).bfloat16().double().view(shape)


def _given(
    query_len: int = 5,
    key_len: int = 7,
    heads: tuple[int, int] = (4, 4),
    batch: int = 2,
    width: int = 8,
    value_width: int = 8,
    size: float = 1.5,
    **options: Any,
) -> Given:
    num_heads, groups = heads
    return Given(
        uneven_numbers(batch, num_heads, query_len, width, start=1, size=size),
        uneven_numbers(batch, groups, key_len, width, start=2),
        uneven_numbers(batch, groups, key_len, value_width, start=3),
        **options,
    )


def attention_cases(*features: str) -> list[AttentionCase]:
    """Return the cases for which a function needs no other features than these.

    Args:
        *features: Of `FEATURES`, in one string or several, in any order.

    Returns:
        The cases, to be given to `pytest.mark.parametrize` with `ids=str`.

    Raises:
        ValueError: If there is no such feature.

    Examples:
        >>> from attention_steps.verify import attention_cases
        >>> [str(case) for case in attention_cases("gqa")][-2:]
        ['grouped heads', 'one key head']
    """
    offered = {name.strip() for text in features for name in text.split(",")}
    if unknown := offered - set(FEATURES):
        raise ValueError(f"features must be among {', '.join(FEATURES)}, got {min(unknown)!r}")
    return [case for case in _all_cases() if case.features <= offered]


@cache
def squared(case: AttentionCase, *, is_causal: bool = False) -> AttentionCase:
    """Return a case of self-attention, with queries of zeros before its own; causal, if no mask."""
    given, mask = case.given, case.given.mask
    if (before := given.key.shape[2] - given.query.shape[2]) < 0:
        return case
    if mask is not None:
        mask = torch.cat((mask[:, :, :1].expand(-1, -1, before, -1), mask), 2)
    query = pad(given.query, (0, 0, before, 0))
    causal = given.causal or (is_causal and mask is None)
    return replace(case, given=replace(given, query=query, mask=mask, causal=causal))


@cache
def _all_cases() -> tuple[AttentionCase, ...]:
    cases: list[AttentionCase] = []

    def add(
        name: str, features: str, given: Given, kind: str = "forward", dtype: Any = torch.float32
    ) -> None:
        cases.append(AttentionCase(name, frozenset(features.split()), given, dtype, kind))

    of_texts = uneven_numbers(2, 1, 5, 7, start=9) > -0.4
    of_texts[..., 2] = True  # no row is empty
    of_heads = uneven_numbers(2, 4, 5, 7, start=11) > -0.3
    of_heads[..., 4] = True
    empty = of_texts.clone()
    empty[1, 0, 3] = False
    padding = torch.arange(7) < torch.tensor([7, 4])[:, None, None, None]
    added = uneven_numbers(2, 4, 5, 7, start=5).masked_fill(~of_texts, -math.inf)
    square = of_texts[..., :5] | torch.eye(5, dtype=torch.bool)
    sinks = torch.tensor([1.0, -0.5, 2.0, 0.25], dtype=torch.float64)
    rising = torch.arange(300, dtype=torch.float64)[:, None] / 16

    add("no options", "", _given())
    add("one query", "", _given(1))
    add("one key", "", _given(3, 1))
    add("more queries than keys", "", _given(7, 5))
    large = _given(size=300.0)
    large.query[:, :, 0], large.key[:] = -300.0, large.key.abs()  # one row has low scores alone
    add("large scores", "", large)
    add("not contiguous", "", _given(), "not contiguous")
    add("called twice", "", _given(), "twice")
    add("1021 keys", "", _given(2, 1021, (2, 2), 1, size=4.0))
    rises = _given(2, 300, (1, 1), 1)
    along = uneven_numbers(1, 1, 1, 8, start=1).expand(1, 1, 300, 8)
    add("rising scores", "", replace(rises, key=(along * rising).bfloat16().double()))
    add("mask of each text", "mask", _given(mask=of_texts))
    add("mask of each head", "mask", _given(mask=of_heads))
    add("padding", "mask", _given(7, mask=padding))
    add("mask, large scores", "mask", _given(mask=of_texts, size=300.0))
    add("empty row", "mask", _given(mask=empty))
    add("square mask", "mask", _given(5, 5, mask=square))
    add("float mask", "float-mask", _given(mask=added))
    add("causal", "causal", _given(5, 5, causal=True), "twice")
    add("causal, 2 keys before", "causal", _given(causal=True))
    add("causal, last query", "causal", _given(1, causal=True))
    add("causal, more queries than keys", "causal", _given(7, 5, causal=True))
    add("causal, 197 keys", "causal", _given(197, 197, (2, 2), 1, causal=True))
    add("causal, mask", "causal mask both", _given(5, 5, causal=True, mask=square))
    add("scale", "scale", _given(scale=0.7))
    add("negative scale", "scale", _given(scale=-0.5))
    add("negative scale, causal", "scale causal", _given(5, 5, causal=True, scale=-0.5))
    add("wide values", "value-size", _given(value_width=16))
    add("grouped heads", "gqa", _given(heads=(6, 2)))
    add("one key head", "gqa", _given(heads=(4, 1)))
    add("grouped heads, causal", "gqa causal", _given(5, 5, (6, 2), causal=True))
    add("window", "window causal", _given(7, 7, causal=True, window=3))
    add("window, 6 keys before", "window causal", _given(3, 9, causal=True, window=3))
    add("soft cap", "softcap", _given(7, size=4.0, softcap=1.5))
    add("soft cap, causal", "softcap causal", _given(5, 5, causal=True, size=4.0, softcap=1.5))
    add("soft cap, mask", "softcap mask", _given(size=4.0, softcap=1.5, mask=of_texts))
    add("soft cap, float mask", "softcap float-mask", _given(size=4.0, softcap=1.5, mask=added))
    add("sinks", "sinks", _given(7, sinks=sinks))
    add("sinks, causal", "sinks causal", _given(5, 5, causal=True, sinks=sinks))
    add("gradients", "gradients", _given(), "gradients")
    add("gradients, causal", "gradients causal", _given(5, 5, causal=True), "gradients")
    add("gradients, scale", "gradients scale", _given(scale=0.7), "gradients")
    add("gradients, grouped heads", "gradients gqa", _given(heads=(6, 2)), "gradients")
    bent = _given(size=4.0, softcap=1.5)
    add("gradients, soft cap", "gradients softcap", bent, "gradients")
    add("gradients, sinks", "gradients sinks", _given(sinks=sinks), "gradients")
    add("gradients, empty row", "gradients mask", _given(mask=empty), "gradients")
    wide = partial(_given, width=64, value_width=64)
    for name, dtype in DTYPES.items():
        add(name, name, wide(33, 65), dtype=dtype)
        add(f"{name}, large scores", name, wide(33, 65, size=12.0), dtype=dtype)
        add(f"{name}, 1021 keys", name, _given(2, 1021, (2, 2), 1), dtype=dtype)
        add(f"{name}, causal", f"{name} causal", wide(33, 33, causal=True), dtype=dtype)
    return tuple(cases)


def upstream(case: AttentionCase) -> Tensor:
    """Return the gradient that comes back to the result of a case."""
    given = case.given
    return uneven_numbers(*given.query.shape[:-1], given.value.shape[-1], start=7)
