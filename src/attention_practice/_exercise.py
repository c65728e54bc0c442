"""An exercise: one function that the reader writes, with the mistakes that are known for it."""

import inspect
import math
import re
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from itertools import permutations
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F

from attention_steps.verify.known import KNOWN, Mistake, known

Function = Callable[..., Any]
# How a function is called on the inputs of a case.
Call = Callable[[Function, tuple[Any, ...]], Any]


def planted(text: str, *others: Sequence[Mistake]) -> tuple[Mistake, ...]:
    """Read mistakes, each with its edits: what is in the suite as well has its words from there."""
    return known(text, (*KNOWN.values(), *sum(map(tuple, others), ())))


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
        cases: Inputs that tell the right function and all known mistakes apart.
        mistakes: Those that are known, each an edit of the solution.
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
        return list(inspect.signature(self.solution).parameters)

    @property
    def stub(self) -> str:
        """The head of what the reader writes."""
        return self.source.partition(":\n")[0] + ":"

    def making(self, *names: str) -> Function:
        """Return the function that makes the mistakes of these names.

        Raises:
            ValueError: If their edits do not fit the solution: where the first is written.
        """
        mistakes = tuple(mistake for mistake in self.mistakes if mistake.name in names)
        if function := function_with(mistakes, self.solution):
            return function
        file = inspect.getfile(self.solution)
        before, _, after = Path(file).read_text("utf-8").partition("    mistakes=")
        line = f"{before}{after.partition(mistakes[0].name)[0]}".count("\n") + 1
        raise ValueError(f"{file}:{line}: each edit of {names} must fit the solution just once")


@cache  # the same for every function that is judged
def function_with(mistakes: Sequence[Mistake], solution: Function) -> Function | None:
    """Return a solution with the edits of mistakes; None if one does not fit at just one place."""
    for order in permutations(mistakes):  # one may change what another looks for
        text = inspect.getsource(solution)
        # What two have in common is done once.
        for old, new in dict.fromkeys(edit for mistake in order for edit in mistake.edits):
            # It may go across the ends of lines.
            parts = re.split(re.escape(old).replace(r"\ ", r"\s+"), text)
            text = new.join(parts) if len(parts) == 2 else ""
        with suppress(SyntaxError):  # two edits of one place may make no Python
            if text:
                return compiled(text, inspect.getfile(solution), solution)
    return None


def compiled(text: str, file: str, solution: Function) -> Function:
    """Return the function of a text that stands for a solution, with the names it may use."""
    names = {**vars(sys.modules[solution.__module__]), "math": math, "torch": torch, "F": F}
    exec(compile(text, file, "exec"), names)
    function: Function = names[solution.__name__]
    return function
