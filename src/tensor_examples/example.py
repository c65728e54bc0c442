"""What an example is to the rest: something to check, or to bring up to date."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

from tensor_examples.failures import ExampleFailure


@dataclass(frozen=True)
class Settings:
    """How examples are run and compared."""

    exact: bool = False  # compare outputs character for character
    seconds: float = 60  # that one example may take


@dataclass(frozen=True)
class Edit:
    """A change to a file that brings an output up to date."""

    path: str
    line: int
    start: int  # offsets in the text of the file
    end: int
    text: str
    summary: str  # what it changes, for the author


class Example(Protocol):
    """What a parser finds in a file."""

    @property
    def name(self) -> str:
        """What to call it in its file, such as `line:12`."""

    @property
    def line(self) -> int:
        """The line of the file on which it begins."""

    def check(self, settings: Settings) -> int:
        """Return how many outputs were compared, or raise an `ExampleFailure`."""

    def refresh(self, settings: Settings) -> list[Edit]:
        """Return the edits that bring the example's output up to date."""


Parser = Callable[[str, str], Iterable[Example]]  # from the path and the text of a file


@dataclass(frozen=True)
class Malformed:
    """Something that looks like an example and is not one."""

    path: str
    place: int | str  # a line, or the name of a cell
    problem: str

    @property
    def name(self) -> str:
        """Where it stands."""
        return f"line:{self.place}"

    @property
    def line(self) -> int:
        """The line on which it stands, or the first of a file that names its places."""
        return self.place if isinstance(self.place, int) else 1

    def check(self, settings: Settings) -> int:
        """Fail, and say what to write instead."""
        raise ExampleFailure(self.path, self.place, self.problem)

    def refresh(self, settings: Settings) -> list[Edit]:
        """Fail: no output can be written for it."""
        raise ExampleFailure(self.path, self.place, self.problem)


@dataclass(frozen=True)
class NotRun:
    """An example that its author has opted out of running, for a reason that is given."""

    path: str
    line: int
    reason: str

    @property
    def name(self) -> str:
        """Where it stands."""
        return f"line:{self.line}"

    def check(self, settings: Settings) -> int:
        """Compare nothing."""
        return 0

    def refresh(self, settings: Settings) -> list[Edit]:
        """Change nothing."""
        return []
