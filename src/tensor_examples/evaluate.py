"""How Sybil evaluates an example: it asks whatever a parser has found."""

from typing import Protocol

from sybil import Document, Example, Region

from tensor_examples.script import Edit, ExampleFailure


class Checked(Protocol):
    """What a parser of this package leaves in a region."""

    def check(self, exact: bool) -> None:
        """Raise an `ExampleFailure` unless the example is as it should be."""

    def refresh(self) -> Edit | None:
        """Return the edit that brings the example's output up to date, if one is needed."""


def check(example: Example) -> None:
    """Evaluate an example, in the way that Sybil calls it."""
    example.parsed.check(exact=False)


class Malformed:
    """Something that looks like an example and is not one."""

    def __init__(self, path: str, line: int, problem: str) -> None:
        self.failure = ExampleFailure(path, line, problem)

    def check(self, exact: bool) -> None:
        """Fail, and say what to write instead."""
        raise self.failure

    def refresh(self) -> None:
        """Fail: no output can be written for it."""
        raise self.failure


def failing(document: Document, start: int, end: int, problem: str) -> Region:
    """Return an example that fails with a message, at the place where it was found."""
    line = document.text.count("\n", 0, start) + 1
    return Region(start, end, Malformed(document.path, line, problem), check)
