r"""The displayed formulas of a file, each of which is computed with the tensors of its examples.

What reads and computes them is not ours: a dialect names a module for it. A formula of a page runs
at the end of its section, with the names as they are there; one of a docstring or a notebook runs
after all of its examples.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from typing import Any

from tensor_examples.conventions import Dialect
from tensor_examples.example import Example, NotRun, Run
from tensor_examples.failures import ExampleFailure
from tensor_examples.fences import Fence, text_outside
from tensor_examples.prose import aside_of
from tensor_examples.script import CodeBlock, Script

HEADING = re.compile(r"\s*#{1,6} ")


@dataclass(frozen=True)
class Formula(Example):
    """A displayed formula, at its line."""

    latex: str
    made_by: dict[str, str]  # the statements that gave its names their values
    module: str
    place: int  # the line before which it runs
    printed: Callable[[Run], str] | None = None  # what its code prints in a run

    @property
    def name(self) -> str:
        """Its name within its file."""
        return f"formula:{self.line}"

    @property
    def outputs(self) -> int:
        """A formula is compared as an output is."""
        return 1

    @property
    def code(self) -> str:
        """The code that prints what is wrong with it, or nothing."""
        checker = f"__import__({self.module!r}, fromlist=['problem']).problem"
        return f"print({checker}({self.latex!r}, globals(), {self.made_by!r}), end='')"

    @property
    def aside(self) -> tuple[int, CodeBlock]:
        """That code, and where it runs."""
        return self.place, aside_of(self.code, self.line)

    def check(self, run: Run) -> None:
        """Raise an `ExampleFailure` if its two sides differ, or if it cannot be computed."""
        assert self.printed is not None
        if problem := self.printed(run):
            raise ExampleFailure(self.path, self.line, f"this formula: {problem}")


def formulas_in(
    path: str,
    lines: Sequence[str],
    fences: Sequence[Fence],
    sources: Sequence[tuple[int, str]],
    dialect: Dialect,
) -> Iterator[Formula | NotRun]:
    """Yield each displayed formula of a text, and each that is marked as not computed.

    Args:
        path: Of the file.
        lines: Of the text.
        fences: Of the text, which hold no formulas.
        sources: The code of the file, each piece with its line.
        dialect: It names the module that computes formulas.
    """
    if not dialect.formulas or not any("$$" in line for line in lines):
        return
    outside = dict(text_outside(lines, fences))
    text = "\n".join(outside.get(number, "") for number in range(1, len(lines) + 1))
    module: Any = import_module(dialect.formulas)
    headings = [number for number, line in outside.items() if HEADING.match(line)]
    for line, latex, reason in module.displays(text):
        if reason:
            yield NotRun(path, line, f"a formula: {reason}")
            continue
        end = min((number for number in headings if number > line), default=len(lines) + 1)
        made_by = module.assignments([source for at, source in sources if at < end])
        yield Formula(path, line, latex, made_by, dialect.formulas, end)


def run_in(script: Script, displayed: Iterable[Formula | NotRun]) -> Iterator[Formula | NotRun]:
    """Yield each formula with what its code prints in a script, of which it is a part."""

    def printed(line: int, run: Run) -> str:
        return run.result(script, line).shown

    for each in displayed:
        if isinstance(each, Formula):
            each = replace(each, printed=partial(printed, each.line))
        yield each
