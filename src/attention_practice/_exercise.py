"""An exercise: one function that the reader writes, with the mistakes that are known for it."""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from attention_steps.verify.known import KNOWN, Mistake, known

__all__ = ["NO_MISTAKES", "Call", "Case", "Exercise", "Function", "Mistake", "MistakeNames", "call"]
__all__ += ["SUITE", "known", "those_of"]

Function = Callable[..., Any]
# How a function is called on the inputs of a case.
Call = Callable[[Function, tuple[Any, ...]], Any]
# The names of the mistakes that an attempt makes.
MistakeNames = frozenset[str]
NO_MISTAKES: MistakeNames = frozenset()
# The mistakes and answers of the suite for engineers: what both know has one name and text.
SUITE = tuple(KNOWN.values())


def those_of(mistakes: Sequence[Mistake], names: str) -> tuple[Mistake, ...]:
    """Return the mistakes with these names, separated by commas: a whole knows those of its parts.

    Raises:
        KeyError: If there is no such mistake.
    """
    by_name = {mistake.name: mistake for mistake in mistakes}
    return tuple(by_name[name.strip()] for name in names.split(","))


@dataclass(frozen=True, eq=False)  # one is the same as itself alone: tensors have no one equality
class Case:
    """Inputs on which functions are compared, with words for the axes of the result."""

    name: str
    inputs: tuple[Any, ...]
    rows: Sequence[str] = ()
    columns: Sequence[str] = ()


def call(function: Function, inputs: tuple[Any, ...]) -> Any:
    """Call a function with the inputs of a case."""
    return function(*inputs)


@dataclass(frozen=True)
class Exercise:
    """One function to write, called `my_` and the name of the exercise.

    Attributes:
        part: Of the course.
        task: What to write, with shapes.
        page: Of the step that teaches it.
        attempt: `attempt(mistakes, *inputs)` returns the result with these mistakes. It is right
            without any, and two mistakes at once need no code of their own.
        cases: Inputs that tell the right function and all known mistakes apart.
        mistakes: Those that `attempt` can make.
        hints: Given one at a time.
        solution: One way to write it, as a reader would: without types.
        results: A word for each tensor that is returned.
        differentiable: Whether gradients are compared, and results in float64.
        in_pairs: Whether to look for two mistakes at once.
        run: How to call the function on the inputs of a case.
        long: Inputs with a prime number of keys, for which no tensor may hold scores of all keys.
    """

    part: int
    task: str
    page: str
    attempt: Function
    cases: Sequence[Case]
    mistakes: Sequence[Mistake]
    hints: Sequence[str]
    solution: Function
    results: tuple[str, ...] = ("result",)
    differentiable: bool = True
    in_pairs: bool = True
    run: Call = call
    long: tuple[Any, ...] = ()

    @property
    def name(self) -> str:
        """The name of the solution without `my_`."""
        return self.solution.__name__.removeprefix("my_").removeprefix("My").lower()

    @property
    def source(self) -> str:
        """The solution as text."""
        return inspect.getsource(self.solution).rstrip("\n")

    @property
    def parameters(self) -> list[str]:
        """The names of the function's parameters."""
        return list(inspect.signature(self.attempt).parameters)[1:]

    @property
    def stub(self) -> str:
        """The head of what the reader writes."""
        return self.source.partition(":\n")[0] + ":"

    @property
    def right(self) -> Function:
        """The function that is right."""
        return self.making(NO_MISTAKES)

    def making(self, mistakes: MistakeNames) -> Function:
        """Return the function that makes these mistakes."""
        return partial(self.attempt, mistakes)
