"""Examples: the pieces of a file that are checked, or brought up to date, one by one."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from tensor_examples.compare import Difference, difference
from tensor_examples.conventions import RULES
from tensor_examples.failures import ExampleFailure

Result_co = TypeVar("Result_co", covariant=True)


@dataclass(frozen=True)
class Settings:
    """How examples are run and compared."""

    exact: bool = False  # compare outputs character for character
    seconds: float = 60  # that one example may take
    rules: frozenset[str] = frozenset(RULES)  # that hold
    accept_false: bool = False  # write False where True stood

    def difference(self, expected: str, actual: str) -> Difference | None:
        """Return the first place where two outputs differ."""
        return difference(expected, actual, exact=self.exact)


class Program(Protocol[Result_co]):
    """Code that runs as a whole: the blocks of a page or a docstring, the cells of a notebook."""

    def run(self, settings: Settings) -> "Mapping[int, Result_co | ExampleFailure]":
        """Return the result of each of its parts, or why there is none."""


class Run:
    """A run of the examples of a file, in which each program runs once.

    It runs in one go when its first result is asked for. So nothing else happens between two
    blocks of a page, and a single example can be run alone.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.results: dict[Program[Any], Mapping[int, Any]] = {}

    def result(self, program: Program[Result_co], part: int) -> Result_co:
        """Return the result of a part of a program, or raise why there is none."""
        if program not in self.results:
            self.results[program] = program.run(self.settings)
        result: Result_co | ExampleFailure = self.results[program][part]
        if isinstance(result, ExampleFailure):
            raise result
        return result


@dataclass(frozen=True)
class Edit:
    """Lines of a file that are replaced, to bring an output up to date."""

    path: str
    line: int  # of the example, for the author
    first: int  # of the lines that are replaced
    end: int  # the line after them; the same as the first where lines are inserted
    lines: list[str]
    summary: str  # of the change, for the author


@dataclass(frozen=True)
class Example:
    """A piece of a file. This one has nothing to compare."""

    path: str
    line: int  # of the file, on which it begins

    rule = ""  # without which there is nothing to check, if it is not always checked
    is_code = False  # whose output a reader would expect to be compared

    @property
    def end(self) -> int:
        """The line after its last."""
        return self.line + 1

    @property
    def name(self) -> str:
        """Its name within its file."""
        return f"line:{self.line}"

    @property
    def code(self) -> str:
        """The code that it runs."""
        return ""

    @property
    def outputs(self) -> int:
        """How many outputs are compared."""
        return 0

    @property
    def bound(self) -> int:
        """How many numbers in sentences are bound."""
        return 0

    def is_compared(self, rules: frozenset[str]) -> bool:
        """Say whether something of it is compared where some rules hold, if only with nothing."""
        return bool(self.outputs or self.bound or (self.is_code and "outputs" in rules))

    @property
    def left_out(self) -> str:
        """What of it is not run or not compared, and why, or nothing."""
        return ""

    def check(self, run: Run) -> None:
        """Raise an `ExampleFailure` if anything is wrong."""

    def refresh(self, run: Run) -> list[Edit]:
        """Return the edits that bring the example's output up to date, or raise as `check` does."""
        self.check(run)
        return []


Parser = Callable[[str, str], Iterable[Example]]  # from the path and the text of a file


@dataclass(frozen=True)
class Malformed(Example):
    """Something that looks like an example, or like a result, and is not one."""

    problem: str
    rule: str = field(default="", kw_only=True)  # that it breaks, if not what always holds

    def check(self, run: Run) -> None:
        """Fail, and say what to write instead."""
        raise ExampleFailure(self.path, self.line, self.problem)


@dataclass(frozen=True)
class Unbound(Malformed):
    """What stands in no output yet. A refresh may write the output that has it."""

    def refresh(self, run: Run) -> list[Edit]:
        """Return no edit: it is judged by the outputs that the others write."""
        return []


@dataclass(frozen=True)
class NotRun(Example):
    """An example that its author has opted out of running, for a reason that is given."""

    reason: str

    @property
    def left_out(self) -> str:
        """Why it is not run."""
        return f"not run: {self.reason}"
