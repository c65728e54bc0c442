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

from attention_verify.mistakes import KNOWN
from attention_verify.mistakes.known import explained_on, known
from attention_verify.words import Mistake

Function = Callable[..., Any]
# How a function is called on the inputs of a case.
Call = Callable[[Function, tuple[Any, ...]], Any]


# The words of mistakes that several exercises know, and the suite for engineers does not.
SHARED = (
    *explained_on(
        "guides/mask-conventions/#what-true-means-in-attn_mask",
        known(
            "float",
            "Your mask holds ones and zeros as floats, and a float mask is added to the scores."
            " Compare, or ask for dtype=torch.bool.",
        ),
    ),
    *explained_on(
        "steps/self-attention-as-a-layer/#for-engineers",
        known(
            "not transposed",
            "The matrices are used as they are stored, (d_out, d_in). The product needs (d_in, "
            "d_out): transpose them.",
        ),
    ),
    *explained_on(
        "steps/queries-keys-and-values/#the-key-is-the-value-as-well",
        known(
            "key is value",
            "Your values equal your keys: both come from W_key. Each has a matrix of its own.",
        ),
    ),
    *explained_on(
        "steps/queries-keys-and-values/#by-hand",
        known(
            "key of query",
            "Your keys are made from the queries. All three are made from the inputs.",
        ),
        known(
            "value of key",
            "Your values are made from the keys. All three are made from the inputs.",
        ),
    ),
    *explained_on(
        "steps/queries-keys-and-values/#the-query-is-the-key-as-well",
        known(
            "one for all",
            "Your keys and values equal your queries: all three come from W_query. Each has a "
            "matrix of its own.",
        ),
    ),
    *explained_on(
        "steps/position-by-rotation/#for-engineers",
        known(
            "halves",
            "Component i is paired with component i + dim/2, the layout of most checkpoints. "
            "Here neighbours are paired.",
        ),
    ),
    *explained_on(
        "steps/why-divide-by-the-square-root/#the-formula",
        known(
            "length",
            "The scores are divided by the root of the number of keys. Divide by the root of "
            "head_dim, the last axis of the query.",
        ),
        known(
            "too late",
            "Your context is too small: the root divides after the softmax, where it changes no"
            " share. Divide the scores.",
        ),
    ),
    *explained_on(
        "steps/weights/",
        known(
            "no softmax",
            "The scores themselves are used as weights: the softmax is missing.",
        ),
    ),
    *explained_on(
        "steps/causal-masks/",
        known(
            "causal",
            "Later words are hidden. No mask is asked for here.",
        ),
    ),
    *explained_on(
        "steps/queries-keys-and-values/#the-formula",
        known(
            "order",
            "Query and key have changed places.",
        ),
    ),
    *explained_on(
        "steps/weights/#the-formula",
        known(
            "no keepdim",
            "Each number is divided by the sum of another row: a sum that has lost its axis is "
            "broadcast along the columns. `sum(dim=-1, keepdim=True)` keeps the axis.",
        ),
    ),
    *explained_on(
        "steps/padding-masks/#the-formula",
        known(
            "one more",
            "One pad of each sentence stays visible: j < length, and not j <= length.",
        ),
    ),
    *explained_on(
        "steps/padding-masks/#not-printed-or-blank",
        known(
            "left",
            "The beginnings are hidden. Here the padding comes after the words.",
        ),
    ),
)


EDIT = re.compile(r"`([^`]*)` -> `([^`]*)`")
ENTRY = re.compile(rf"([^`:]+?)((?:,? {EDIT.pattern.replace('(', '(?:')})*)(?:: (.*))?")


@dataclass(frozen=True)
class Planted(Mistake):
    """A mistake that edits of the solution make: each replaces what stands at one place of it."""

    edits: tuple[tuple[str, str], ...]


def planted(text: str) -> tuple[Planted, ...]:
    """Read mistakes, under the pages that explain them, with all lines but the first indented.

        Read: page
        name `old` -> `new`, `old` -> `new`: what it says
        name of one whose words are shared `old` -> `new`

    Raises:
        ValueError: If an entry is written otherwise.
    """
    shared: dict[str, Mistake] = {**KNOWN, **{mistake.name: mistake for mistake in SHARED}}
    mistakes, page = [], ""
    for entry in re.split(r"\n+(?! )", inspect.cleandoc(text)):
        found = ENTRY.fullmatch(" ".join(entry.split()))
        name, changes, says = found.groups() if found else ("", "", "")
        edits = tuple(EDIT.findall(changes))
        words = Mistake(name, says, page) if says else shared.get(name)
        if name == "Read":
            page = says
        elif edits and words and words.page:
            mistakes.append(Planted(words.name, words.says, words.page, edits))
        else:
            raise ValueError(f"a mistake is written with its edits and words, not {entry!r}")
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
