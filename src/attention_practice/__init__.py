"""Write attention yourself, and be told which mistake it is.

    from attention_practice import check, hint, solution, task

    task("weights")             # what to write


    def my_weights(scores):
        ...


    check(my_weights)           # right, or which mistake it makes, and where it is explained
    hint("weights")
    solution("weights")

A function is compared with the right one, and with the functions that make each known mistake, on
inputs that tell all of them apart. A mistake is named only where every result is equal to its
results. Nothing is sent, and nothing is stored: progress lasts as long as Python runs, or is kept
in a file that you name, `progress("attention.json")`.

`diagnose` returns the report that `check` prints, and `attention_practice.grade` judges a folder of
answers. Because they run the functions, grade those of others in a sandbox.
"""

import difflib
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from torch import Tensor

from attention_practice._diagnosis import Report, examine
from attention_practice._exercise import Exercise
from attention_practice._words import reading, wrapped
from attention_practice.exercises import EXERCISES

__all__ = ["Report", "check", "diagnose", "hint", "progress", "solution", "task"]

_done: set[str] = set()
_hints_given: dict[str, int] = {}
_kept_in: list[Path] = []  # the file that the reader named, if any


def task(name: str) -> None:
    """Print the task of an exercise.

    Args:
        name: Of the exercise.

    Raises:
        ValueError: If there is no such exercise.

    Examples:
        >>> from attention_practice import task
        >>> task("embed")
        def my_embed(token_ids, table):
        <BLANKLINE>
        Look up the row of each token in the table: (...,), (V, E) -> (..., E).
        Read: steps/tokens-become-vectors/
    """
    exercise = _find(name)
    print(wrapped(f"{exercise.stub}\n\n{exercise.task}\n{reading(exercise.page)}"))


def check(exercise: str | Callable[..., Any], function: Callable[..., Any] | None = None) -> None:
    """Say whether a function is right, or which mistake it makes.

    Args:
        exercise: The name of the exercise; or the function, if it is called `my_` and that name.
        function: The function, or for `cache` the class. Defaults to `exercise`.

    Raises:
        TypeError: If there is no function to check.
        ValueError: If there is no such exercise.

    Examples:
        >>> import torch
        >>> from attention_practice import check
        >>> def my_weights(scores):
        ...     return torch.softmax(scores, dim=-1)
        >>> check(my_weights)
        weights: right, on all 5 inputs.
        Set 1  ○○●○  1 of 4, next: embed
    """
    print(diagnose(exercise, function).text)


def diagnose(
    exercise: str | Callable[..., Any], function: Callable[..., Any] | None = None
) -> Report:
    """Return the report that `check` prints.

    Args:
        exercise: The name of the exercise; or the function, if it is called `my_` and that name.
        function: The function, or for `cache` the class. Defaults to `exercise`.

    Returns:
        The report: `passed`, `kind`, `text`, and the names of the known `mistakes`.

    Raises:
        TypeError: If there is no function to check.
        ValueError: If there is no such exercise.

    Examples:
        >>> from attention_practice import diagnose
        >>> diagnose("scores", lambda query, key: key @ query.mT).mistakes
        ('swapped',)
    """
    found, written = _meant(exercise, function)
    report = examine(found, written)
    if report.passed:
        _done.add(found.name)
        _keep()
        return _with_line(report, _progress(found.part))
    left = _hints_given.get(found.name, 0) < len(found.hints)
    help_line = f'Stuck? {"hint" if left else "solution"}("{found.name}")'
    return _with_line(report, f"{help_line}\n{_progress(found.part)}")


def hint(name: str) -> None:
    """Print the next hint; after the last one, how to see the solution.

    Args:
        name: Of the exercise.

    Raises:
        ValueError: If there is no such exercise.

    Examples:
        >>> from attention_practice import hint
        >>> hint("context")
        Hint 1 of 2: For one query, multiply each value by its weight and add up.
    """
    exercise = _find(name)
    number = _hints_given.get(name, 0)
    if number == len(exercise.hints):
        print(f'There are no more hints. solution("{name}") prints one way to write it.')
        return
    _hints_given[name] = number + 1
    print(wrapped(f"Hint {number + 1} of {len(exercise.hints)}: {exercise.hints[number]}"))


def solution(name: str) -> None:
    """Print one way to write it.

    Args:
        name: Of the exercise.

    Raises:
        ValueError: If there is no such exercise.

    Examples:
        >>> from attention_practice import solution
        >>> solution("context")
        def my_context(weights, value):
            return weights @ value
    """
    print(_find(name).source)


def progress(file: str | Path | None = None) -> None:
    """Print which exercises are done, a line for each part, and keep it in a file if you name one.

    Args:
        file: Where to keep it from now on. What the file holds counts as done. Defaults to the file
            that was named last; without one, nothing is written.

    Raises:
        ValueError: If the file holds something else.

    Examples:
        >>> import torch
        >>> from attention_practice import diagnose, progress
        >>> diagnose("weights", lambda scores: torch.softmax(scores, dim=-1)).passed
        True
        >>> progress()
        Set 1  ○○●○  1 of 4, next: embed
        Set 2  ○○○○○○  0 of 6, next: project
        Set 3  ○○○○○○○○○○○○○○○○  0 of 16, next: causal_mask
        Set 4  ○○○○○○○○○○○  0 of 11, next: cache
        Set 5  ○○○○○  0 of 5, next: padded_loss
        Set 6  ○○○○  0 of 4, next: batched
    """
    if file is not None:
        path = Path(file)
        _done.update(_kept(path))
        _kept_in[:] = [path]
        _keep()
    for part in sorted({exercise.part for exercise in EXERCISES.values()}):
        print(_progress(part))


def _progress(part: int) -> str:
    """Draw how many exercises of a part are done, and name the next."""
    names = [name for name, exercise in EXERCISES.items() if exercise.part == part]
    dots = "".join("●" if name in _done else "○" for name in names)
    left = [name for name in names if name not in _done]
    then = f"next: {left[0]}" if left else "all done"
    return f"Set {part}  {dots}  {len(names) - len(left)} of {len(names)}, {then}"


def _kept(path: Path) -> list[str]:
    """Return the names that a file holds; none if there is no such file yet."""
    if not path.exists():
        return []
    try:
        done = json.loads(path.read_text("utf-8"))["done"]
    except (ValueError, KeyError, TypeError):
        done = None
    if not isinstance(done, list) or not all(isinstance(name, str) for name in done):
        raise ValueError(f"file must be new, or one that progress has written, got {path}")
    return done


def _keep() -> None:
    for path in _kept_in:
        path.write_text(json.dumps({"done": sorted(_done)}) + "\n", "utf-8")


def _with_line(report: Report, line: str) -> Report:
    return replace(report, text=wrapped(f"{report.text}\n{line}"))


def _find(name: str) -> Exercise:
    if name in EXERCISES:
        return EXERCISES[name]
    near = difflib.get_close_matches(name, EXERCISES, 1)
    known = f"is {near[0]!r} meant?" if near else f"there are {', '.join(EXERCISES)}"
    raise ValueError(f"there is no exercise {name!r}: {known}")


def _meant(
    exercise: str | Callable[..., Any], function: Callable[..., Any] | None
) -> tuple[Exercise, Callable[..., Any]]:
    """Find the exercise and the function that a call of `check` means."""
    if isinstance(exercise, str) and function is None:
        raise TypeError(f'give the function as well: check("{exercise}", my_{exercise})')
    written = exercise if function is None else function
    if not callable(written):
        tensor = f"a tensor of shape {tuple(getattr(written, 'shape', ()))}"
        what = tensor if isinstance(written, Tensor) else repr(written)
        raise TypeError(f"give the function itself, as in check(my_weights), not {what}")
    if isinstance(exercise, str):
        return _find(exercise), written
    name = str(getattr(exercise, "__name__", ""))
    if not name.startswith("my_"):
        # A lambda's name cannot be written in a call.
        called = name if name.isidentifier() else "function"
        likely = called.removeprefix("My").lower()
        known = likely if likely in EXERCISES else "weights"
        raise ValueError(f'say which exercise {called} is for, as in check("{known}", {called})')
    return _find(name.removeprefix("my_")), written
