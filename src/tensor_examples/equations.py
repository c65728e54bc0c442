r"""The displayed formulas of a page, each of which is computed with the tensors of the page.

What reads and computes them is not ours: a dialect names a module for it. There a formula runs at
the end of its section, with the names as they are there.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from tensor_examples.conventions import Dialect
from tensor_examples.example import Example, NotRun, Run
from tensor_examples.failures import ExampleFailure
from tensor_examples.fences import Fence, text_outside
from tensor_examples.prose import aside_of
from tensor_examples.script import CodeBlock, Script

HEADING = re.compile(r"\s*#{1,6} ")
WORD = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True)
class Formula(Example):
    """A displayed formula, at its line."""

    latex: str
    made_by: dict[str, str]  # the statements of the page that gave its names their values
    module: str
    place: int  # the line before which it runs
    script: Script | None = None

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
        assert self.script is not None
        if problem := run.result(self.script, self.line).shown:
            raise ExampleFailure(self.path, self.line, f"this formula: {problem}")


def formulas_in(
    path: str,
    lines: Sequence[str],
    fences: Sequence[Fence],
    blocks: Sequence[CodeBlock],
    dialect: Dialect,
) -> Iterator[Formula | NotRun]:
    """Yield each displayed formula of a page, and each that is marked as not computed."""
    if not dialect.formulas:
        return
    outside = dict(text_outside(lines, fences))
    text = "\n".join(outside.get(number, "") for number in range(1, len(lines) + 1))
    if "$$" not in text:
        return
    module: Any = import_module(dialect.formulas)
    headings = [number for number, line in outside.items() if HEADING.match(line)]
    for line, latex, reason in module.displays(text):
        if reason or lines[line - 1].startswith(" "):
            yield NotRun(path, line, f"a formula: {reason or 'in a fold'}")
            continue
        end = min((number for number in headings if number > line), default=len(lines) + 1)
        made_by = module.assignments([block.source for block in blocks if block.line < end])
        words = set(WORD.findall(latex.replace(r"\_", "_")))
        used = {name: code for name, code in made_by.items() if words & {name, *name.split("_")}}
        yield Formula(path, line, latex, used, dialect.formulas, end)
