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
from typing import Any

import torch
import torch.nn.functional as F

from attention_verify.words import KNOWN, Mistake, read

Function = Callable[..., Any]
# How a function is called on the inputs of a case.
Call = Callable[[Function, tuple[Any, ...]], Any]


@dataclass(frozen=True)
class Planted(Mistake):
    """A mistake that edits of the solution make: each replaces what stands at one place of it."""

    edits: tuple[tuple[str, str], ...]


def planted(text: str) -> tuple[Planted, ...]:
    """Read mistakes, as `words.read` does, with edits. One that is known needs no words.

    Raises:
        ValueError: If an entry is written otherwise.
    """
    mistakes = []
    for mistake, edits in read(text):
        words = mistake if mistake.says else KNOWN.get(mistake.name)
        if not (edits and words and words.page):
            raise ValueError(f"a mistake is written with its edits and words, not {mistake.name!r}")
        mistakes.append(Planted(words.name, words.says, words.page, edits))
    return tuple(mistakes)


def those_of(mistakes: Sequence[Planted], names: str) -> tuple[Planted, ...]:
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
        title: Of its section in a notebook.
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
        part: Of the course, by the list of all exercises.
        long: Inputs with a prime number of keys, for which no tensor may hold scores of all keys.
        lines: From which a page lets the reader build the function. Paragraphs are places: a place
            has the line that is right, and below it others that people write; what is indented
            deeper belongs to the line above it, and `# nothing` leaves the place empty. The first
            paragraph may be the head; else the stub is.
    """

    title: str
    task: str
    page: str
    cases: Sequence[Case]
    mistakes: Sequence[Planted]
    hints: Sequence[str]
    solution: Function
    results: tuple[str, ...] = ("result",)
    differentiable: bool = True
    in_pairs: bool = True
    run: Call = call
    part: int = 0
    long: tuple[Any, ...] = ()
    lines: str = ""

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


@cache  # the same for every function that is judged
def function_with(mistakes: Sequence[Planted], solution: Function) -> Function | None:
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
