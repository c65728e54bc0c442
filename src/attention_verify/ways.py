"""What comes of a case with known mistakes, and how far rounding may be off."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache

import torch
from torch import Tensor

from attention_verify import mistakes
from attention_verify.cases import Case, upstream
from attention_verify.mistakes import CONVENTIONS
from attention_verify.oracle import RIGHT, Steps, attention, both, gradients


@dataclass(frozen=True, eq=False)
class Way:
    """One way to make a known mistake."""

    name: str
    steps: Steps


Ways = frozenset[Way]
WAYS = {name: [Way(name, steps) for steps in ways] for name, ways in mistakes.WAYS.items()}
# To an answer of CONVENTIONS, its question; to a question, the name of an answer.
QUESTION = {answer: question for question, group in CONVENTIONS.items() for answer in group}
Answers = dict[str, str]
OF_MASK, OF_CAUSAL, OF_EMPTY = CONVENTIONS


@contextmanager
def _one_thread() -> Iterator[None]:
    """Let torch compute small tensors alone: its threads would wait for each other."""
    number = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(number)


@cache
@_one_thread()
def outcome(case: Case, ways: Ways, dtype: torch.dtype = torch.float64) -> Tensor | None:
    """Return what comes of a case with these mistakes; nothing if they exclude each other."""
    steps: Steps | None = RIGHT
    for way in ways:
        steps = steps and both(steps, way.steps)
    if steps is None:
        return None
    given = case.given.to("cpu", dtype)
    if case.kind == "gradients":
        return gradients(given, steps, upstream(case).to(dtype)).detach()
    with torch.no_grad():
        return attention(given, steps)


def base(answers: Answers) -> Ways:
    """Return what the oracle puts in the place of its steps, to answer as the function does."""
    # A mask is turned round where it is handed over, so that an empty row stays empty.
    return frozenset(
        WAYS[answers[question]][0] for question in (OF_CAUSAL, OF_EMPTY) if question in answers
    )


def right(case: Case, answers: Answers, dtype: torch.dtype = torch.float64) -> Tensor:
    """Return what should come of a case, by the function's answers."""
    found = outcome(case, base(answers), dtype)
    assert found is not None  # answers do not exclude each other
    return found


@cache
def shown(case: Case, ways: Ways, other: Ways, dtype: torch.dtype) -> float:
    """Return how far apart two ways to do a case are; a function that is judged changes nothing."""
    one = outcome(case, ways, dtype)
    assert one is not None
    return distance(one, outcome(case, other, dtype))


def distance(got: Tensor, expected: Tensor | None) -> float:
    """Return the largest difference: infinity where one has a number and the other none."""
    if expected is None:
        return math.inf
    largest = float((got.double() - expected.double()).abs().max())
    return largest if math.isfinite(largest) else float(gap(got, expected).max())


def gap(got: Tensor, expected: Tensor) -> Tensor:
    """Return each difference."""
    got, expected = got.double(), expected.double()
    alike = (got == expected) | (got.isnan() & expected.isnan())
    return (got - expected).abs().masked_fill(alike, 0.0).nan_to_num(math.inf, math.inf)


@cache
def tolerance(case: Case, dtype: torch.dtype, ways: Ways) -> float:
    """Return how far a function may be off that computes in a dtype, and makes these mistakes."""
    expected = outcome(case, ways)
    assert expected is not None
    largest = float(expected.nan_to_num(0.0).abs().max())
    eps = torch.finfo(dtype).eps
    if dtype.itemsize == 2:
        # Twice the error of the plain formula in this dtype, as the tests of flash-attn allow.
        plain = outcome(case, ways, dtype)
        assert plain is not None
        return 2 * float((plain.double() - expected).nan_to_num(0.0).abs().max()) + eps * largest
    # A score is rounded by a share of its size, and the logarithm of a weight by as much.
    given = case.given
    steepest = float(given.query.abs().max() * given.key.abs().max())
    return 16 * eps * (1 + steepest * math.sqrt(given.query.shape[-1])) * largest
