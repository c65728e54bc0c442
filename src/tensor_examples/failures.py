"""The message of an example that fails: the place, the difference, little more."""

import os
import re
import traceback
from collections.abc import Callable
from itertools import zip_longest
from typing import Any

from tensor_examples.compare import visible_lines

LINES_SHOWN = 5
WIDTH_SHOWN = 160
UNWRITTEN = re.compile(r"\b(?:new_)?empty(?:_like|_strided)?\(")
STILL_TRUE = (
    "was True, and is False now, so nothing of this file is written; if False is right: "
    "pytest --update-outputs --accept-false"
)


class ExampleFailure(AssertionError):  # noqa: N818 (it is an assertion, not an error in the code)
    """An example is not as it should be; says where, and what to do about it."""

    def __init__(self, path: str, place: int | str, problem: str) -> None:
        super().__init__(path, place, problem)  # all of them, or it could not be pickled
        self.path, self.place, self.problem = path, place, problem

    def __str__(self) -> str:
        # Only now, because the code of an example may be in another folder.
        return f"{os.path.relpath(self.path)}:{self.place}: {self.problem}"


class NotReached(ExampleFailure):
    """An example was not run, because one before it failed."""


def comparison(
    found: str, code: str, expected: str, actual: str, differ: Callable[[str, str], Any]
) -> str:
    """Return a difference, with the lines of both outputs that differ below it.

    Args:
        found: The difference.
        code: That printed.
        expected: What is written below it.
        actual: What it printed.
        differ: Says whether two lines differ.
    """
    if UNWRITTEN.search(code):
        found += "; what empty() returns holds whatever was there before: fill it, then print it"
    pairs = [
        (want, have)
        for want, have in zip_longest(visible_lines(expected), visible_lines(actual))
        if want is None or have is None or differ(want, have)
    ]
    shown = [
        f"    {name:10}{beginning_of(line)}"
        for pair in pairs[:LINES_SHOWN]
        for name, line in zip(("expected", "actual"), pair, strict=True)
        if line is not None
    ]
    if len(pairs) > LINES_SHOWN:
        shown.append(f"    ... and {len(pairs) - LINES_SHOWN} more lines")
    return "\n".join([found, "", *shown]) if shown else found


def beginning_of(text: str) -> str:
    """Return a line, or its beginning where it is very long."""
    return text if len(text) <= WIDTH_SHOWN else f"{text[:WIDTH_SHOWN]}..."


def listing(text: str) -> str:
    """Return the beginning of an output, set off from the message around it."""
    lines = [f"    {beginning_of(line)}" for line in visible_lines(text)]
    if len(lines) > 2 * LINES_SHOWN:
        lines[2 * LINES_SHOWN :] = [f"    ... and {len(lines) - 2 * LINES_SHOWN} more lines"]
    return "\n".join(lines)


def raised(error: BaseException, namespace: dict[str, Any]) -> tuple[int | None, str]:
    """Return the last line of an example that an error passed through, and its traceback.

    The traceback begins in the example, not in the machinery that ran it.
    """
    frames = [
        (frame.f_code.co_filename, line, frame.f_code.co_name, frame.f_globals is namespace)
        for frame, line in traceback.walk_tb(error.__traceback__)
    ]
    while frames and not frames[0][3]:
        del frames[0]
    own_lines = [line for _, line, _, is_own in frames if is_own]
    if isinstance(error, SyntaxError) and not own_lines:
        line = error.lineno
    else:
        line = own_lines[-1] if own_lines else None
    # Without columns: they count from the indent of the file, which the code has not.
    summaries = [traceback.FrameSummary(path, number, name) for path, number, name, _ in frames]
    trace = [*traceback.format_list(summaries), *traceback.format_exception_only(error)]
    return line, "\n".join(f"    {text}" for text in "".join(trace).rstrip().split("\n"))
