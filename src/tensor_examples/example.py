"""What an example is to the rest: something to check, or to bring up to date."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from tensor_examples.failures import ExampleFailure


@dataclass(frozen=True)
class Settings:
    """How examples are run and compared."""

    exact: bool = False  # compare outputs character for character
    seconds: float = 60  # that one example may take


@dataclass(frozen=True)
class Edit:
    """Lines of a file that are replaced, to bring an output up to date."""

    path: str
    line: int  # of what it is about, for the author
    first: int  # of the lines that are replaced
    end: int  # the line after them; the same as the first where lines are inserted
    lines: list[str]
    summary: str  # what it changes, for the author


@dataclass(frozen=True)
class Example:
    """What a parser finds in a file. This one has nothing to compare."""

    path: str
    line: int  # of the file, on which it begins

    @property
    def name(self) -> str:
        """What to call it in its file."""
        return f"line:{self.line}"

    @property
    def code(self) -> str:
        """What it runs."""
        return ""

    @property
    def outputs(self) -> int:
        """How many outputs are compared."""
        return 0

    @property
    def bound(self) -> int:
        """How many numbers in sentences are bound."""
        return 0

    def check(self, settings: Settings) -> None:
        """Raise an `ExampleFailure` if anything is wrong."""

    def refresh(self, settings: Settings) -> list[Edit]:
        """Return the edits that bring the example's output up to date, or raise as `check` does."""
        self.check(settings)
        return []


Parser = Callable[[str, str], Iterable[Example]]  # from the path and the text of a file


@dataclass(frozen=True)
class Malformed(Example):
    """Something that looks like an example and is not one."""

    problem: str

    def check(self, settings: Settings) -> None:
        """Fail, and say what to write instead."""
        raise ExampleFailure(self.path, self.line, self.problem)


@dataclass(frozen=True)
class NotRun(Example):
    """An example that its author has opted out of running, for a reason that is given."""

    reason: str
