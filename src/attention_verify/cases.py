"""The cases: small inputs, of which each shows a mistake that the others do not."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import combinations
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import pad

from attention_verify.oracle import Given

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
HALF = ("float16", "bfloat16")
# What a feature brings with it.
NEEDS = {"both": {"mask", "causal"}, "window": {"causal"}}
# The rhythms in which a cache gets its tokens, with what they add to the name of a case.
RHYTHMS = {(3, 1): "", (5, 1): ", 5 tokens first", (3, 3, 2): ", in pieces of 3+3+2"}
FEW = 16  # keys, of a case that a cache gets in all rhythms


@dataclass(frozen=True, eq=False)
class Case:
    """One call, on which a function is compared with the oracle.

    Attributes:
        name: What is special about it.
        features: What it needs.
        given: The inputs, in float64, exact in bfloat16, or of fine numbers in float32.
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
    value_width: int = 0,
    size: float = 1.5,
    **options: Any,
) -> Given:
    num_heads, groups = heads
    return Given(
        uneven_numbers(batch, num_heads, query_len, width, start=1, size=size),
        uneven_numbers(batch, groups, key_len, width, start=2),
        uneven_numbers(batch, groups, key_len, value_width or width, start=3),
        **options,
    )


def _fine(given: Given) -> Given:
    """Give the numbers more digits than 16 bits have."""
    for x in (given.query, given.key, given.value):
        x += x.flip(0) / 4096
    return given


def features_of(*texts: str) -> set[str]:
    """Return the features that are named in one text or several.

    Raises:
        ValueError: If there is no such feature.
    """
    named = {name.strip() for text in texts for name in text.split(",")}
    if unknown := named - set(FEATURES):
        raise ValueError(f"features must be among {', '.join(FEATURES)}, got {min(unknown)!r}")
    return named


def cases_for(*features: str) -> list[Case]:
    """Return the cases for which a function needs no other features than these."""
    offered = features_of(*features)
    return [case for case in _all_cases() if case.features <= offered]


@cache
def squared(case: Case, *, is_causal: bool = False) -> Case:
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
def in_pieces(case: Case, pieces: tuple[int, ...] = ()) -> tuple[Case, ...]:
    """Return a case as a cache gets it: in these pieces, or if it is small in several rhythms."""
    whole = squared(case)
    rhythms = {pieces: ""} if pieces else RHYTHMS
    if not whole.given.causal or whole.given.key.shape[2] > FEW:
        rhythms = {pieces or (3, 1): ""}
    return tuple(
        replace(whole, name=f"{case}{told}", given=replace(whole.given, pieces=rhythm))
        for rhythm, told in rhythms.items()
    )


@cache
def _all_cases() -> tuple[Case, ...]:
    alone = [*_plain(), *_with_options()]
    pairs = [
        (one, other)
        for one, other in combinations(FEATURES, 2)
        if not any({one, other} <= case.features for case in alone)
    ]
    return (*alone, *(case for pair in pairs for case in _pair(*pair)))


def _case(
    name: str, features: str, given: Given, kind: str = "forward", dtype: Any = torch.float32
) -> Case:
    return Case(name, frozenset(features.split()), given, dtype, kind)


def _plain() -> Iterator[Case]:
    """Yield the cases without any feature, of usual and unusual sizes."""
    yield _case("no options", "", _given())
    yield _case("one query", "", _given(1))
    yield _case("one key", "", _given(3, 1))
    yield _case("more queries than keys", "", _given(7, 5))
    large = _given(size=300.0)
    large.query[:, :, 0], large.key[:] = -300.0, large.key.abs()  # one row has low scores alone
    yield _case("large scores", "", large)
    yield _case("fine numbers", "", _fine(_given()))
    yield _case("not contiguous", "", _given(), "not contiguous")
    yield _case("called twice", "", _given(), "twice")
    yield _case("1021 keys", "", _given(2, 1021, (2, 2), 1, size=4.0))
    yield _case("2100 keys", "", _given(2, 2100, (1, 1), 1, size=4.0))
    rising = torch.arange(300, dtype=torch.float64)[:, None] / 16
    along = uneven_numbers(1, 1, 1, 8, start=1).expand(1, 1, 300, 8)
    rises = _given(2, 300, (1, 1), 1)
    yield _case("rising scores", "", replace(rises, key=(along * rising).bfloat16().double()))
    for width in (7, 40, 80, 96, 128):
        yield _case(f"head_dim {width}", "", _given(3, 5, (2, 2), 1, width))
    yield _case("five texts", "", _given(3, 5, (2, 2), 5))


OF_TEXTS = uneven_numbers(2, 1, 5, 7, start=9) > -0.4
OF_TEXTS[..., 2] = True  # no row is empty
OF_HEADS = uneven_numbers(2, 4, 5, 7, start=11) > -0.3
OF_HEADS[..., 4] = True
OWN = torch.eye(5, 7, dtype=torch.bool) | torch.ones(5, 7, dtype=torch.bool).tril(2).triu(2)
ADDED = uneven_numbers(2, 4, 5, 7, start=5).masked_fill(~(OF_TEXTS | OWN), -math.inf)
EMPTY = OF_TEXTS.clone()
EMPTY[1, 0, 3] = False
SINKS = torch.tensor([1.0, -0.5, 2.0, 0.25], dtype=torch.float64)


def _with_options() -> Iterator[Case]:
    """Yield the cases of each feature, alone and where it meets the others."""
    add, bent = _case, partial(_given, size=4.0, softcap=1.5)
    square = OF_TEXTS[..., :5] | torch.eye(5, dtype=torch.bool)
    padding = torch.arange(7) < torch.tensor([7, 4])[:, None, None, None]
    later = (torch.arange(40) >= torch.tensor([16, 3])[:, None])[:, None, None]

    yield add("mask of each text", "mask", _given(mask=OF_TEXTS))
    yield add("mask of each head", "mask", _given(mask=OF_HEADS))
    yield add("padding", "mask", _given(7, mask=padding))
    yield add("first 16 keys hidden", "mask", _given(4, 40, (2, 2), mask=later))
    yield add("mask, large scores", "mask", _given(mask=OF_TEXTS, size=300.0))
    yield add("empty row", "mask", _given(mask=EMPTY))
    yield add("square mask", "mask", _given(5, 5, mask=square))
    yield add("float mask", "float-mask", _given(mask=ADDED))
    yield add("causal", "causal", _given(5, 5, causal=True), "twice")
    yield add("causal, 2 keys before", "causal", _given(causal=True))
    yield add("causal, fine numbers", "causal", _fine(_given(5, 5, causal=True)))
    yield add("causal, last query", "causal", _given(1, causal=True))
    yield add("causal, more queries than keys", "causal", _given(7, 5, causal=True))
    yield add("causal, 197 keys", "causal", _given(197, 197, (2, 2), 1, causal=True))
    both = "causal mask both"
    yield add("causal, mask", both, _given(5, 5, causal=True, mask=square))
    yield add("causal, mask, 2 keys before", both, _given(causal=True, mask=OF_HEADS | OWN))
    yield add("scale", "scale", _given(scale=0.7))
    yield add("negative scale", "scale", _given(scale=-0.5))
    yield add("negative scale, causal", "scale causal", _given(5, 5, causal=True, scale=-0.5))
    yield add("wide values", "value-size", _given(value_width=16))
    yield add("grouped heads", "gqa", _given(heads=(6, 2)))
    yield add("one key head", "gqa", _given(heads=(4, 1)))
    yield add("grouped heads, causal", "gqa causal", _given(5, 5, (6, 2), causal=True))
    yield add("grouped heads, mask", "gqa mask", _given(heads=(4, 2), mask=OF_HEADS))
    yield add("window", "window causal", _given(7, 7, causal=True, window=3))
    yield add("window, 6 keys before", "window causal", _given(3, 9, causal=True, window=3))
    yield add("window of all keys", "window causal", _given(6, 6, causal=True, window=6))
    yield add("window wider than the keys", "window causal", _given(6, 6, causal=True, window=9))
    first = _given(3, 40, (2, 2), 1, causal=True, window=8)
    yield add("window, first tiles hidden", "window causal", first)
    yield add("soft cap", "softcap", bent(7))
    yield add("soft cap, causal", "softcap causal", bent(5, 5, causal=True))
    yield add("soft cap, mask", "softcap mask", bent(mask=OF_TEXTS))
    yield add("soft cap, float mask", "softcap float-mask", bent(mask=ADDED))
    yield add("sinks", "sinks", _given(7, sinks=SINKS))
    yield add("sinks, causal", "sinks causal", _given(5, 5, causal=True, sinks=SINKS))
    add = partial(_case, kind="gradients")
    yield add("gradients", "gradients", _given())
    yield add("gradients, causal", "gradients causal", _given(5, 5, causal=True))
    yield add("gradients, scale", "gradients scale", _given(scale=0.7))
    yield add("gradients, grouped heads", "gradients gqa", _given(heads=(6, 2)))
    yield add("gradients, soft cap", "gradients softcap", bent())
    yield add("gradients, sinks", "gradients sinks", _given(sinks=SINKS))
    yield add("gradients, empty row", "gradients mask", _given(mask=EMPTY))
    yield add("gradients, float mask", "gradients float-mask", _given(mask=ADDED))
    wide = partial(_given, width=64)
    for name, dtype in DTYPES.items():
        add = partial(_case, dtype=dtype)
        yield add(name, name, wide(33, 65))
        yield add(f"{name}, large scores", name, wide(33, 65, size=12.0))
        yield add(f"{name}, 1021 keys", name, _given(2, 1021, (2, 2), 1))
        yield add(f"{name}, causal", f"{name} causal", wide(33, 33, causal=True))


def _pair(one: str, other: str) -> Iterator[Case]:
    """Yield a case that joins two features, if they can be joined."""
    named = {one, other}
    features = named.union(*(NEEDS.get(name, ()) for name in named))
    halves = named & {*HALF, "gradients"}
    if {"mask", "float-mask"} <= features or len(named & {*DTYPES}) == 2 or len(halves) == 2:
        return  # there is one mask, one dtype; and gradients in 16 bits have no rule for rounding
    options: dict[str, Any] = {
        "mask": {"mask": OF_HEADS | OWN},
        "float-mask": {"mask": ADDED},
        "causal": {"causal": True},
        "scale": {"scale": 0.7},
        "gqa": {"heads": (4, 2)},
        "value-size": {"value_width": 16},
        "window": {"window": 3},
        "softcap": {"size": 4.0, "softcap": 1.5},
        "sinks": {"sinks": SINKS},
    }
    given = _given(**{k: x for name in features for k, x in options.get(name, {}).items()})
    (dtype,) = {DTYPES[name] for name in named & {*DTYPES}} or {torch.float32}
    kind = "gradients" if "gradients" in named else "forward"
    yield Case(f"{one} and {other}", frozenset(features), given, dtype, kind)


def upstream(case: Case) -> Tensor:
    """Return the gradient that comes back to the result of a case."""
    given = case.given
    return uneven_numbers(*given.query.shape[:-1], given.value.shape[-1], start=7)
