r"""The displayed formulas of a file, each of which is computed with the tensors of its examples.

What reads and computes them is not ours: a dialect names a module for it. A formula of a page runs
at the end of its section, with the names as they are there; one of a docstring or a notebook runs
after all of its examples.

A fence `card` directly below a formula holds the tensors that it names, as an output holds what
code prints: they are compared, and brought up to date in the same way.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from tensor_examples.asides import Aside
from tensor_examples.compare import Difference, difference
from tensor_examples.conventions import Dialect
from tensor_examples.example import Edit, Malformed, NotRun, Run
from tensor_examples.failures import ExampleFailure
from tensor_examples.fences import Fence, text_outside
from tensor_examples.numbers import PRINTED, exactly

CARD = "card"
SMALL = 0.01  # a number below it has one digit more
HEADING = re.compile(r"\s*#{1,6} ")


@dataclass(frozen=True)
class Formula(Aside):
    """A displayed formula, at its line."""

    latex: str
    made_by: dict[str, str]  # the statements that gave its names their values
    module: str
    card: Fence | None = None

    @property
    def name(self) -> str:
        """Its name within its file."""
        return f"formula:{self.line}"

    @property
    def outputs(self) -> int:
        """A formula is compared as an output is, and so are its tensors."""
        return 1 + bool(self.card)

    @property
    def code(self) -> str:
        """The code that prints what is wrong with it, or nothing."""
        module = f"__import__({self.module!r}, fromlist=['problem'])"
        check = f"{module}.problem({self.latex!r}, globals(), {self.made_by!r})"
        numbers = f"{module}.numbers({self.latex!r}, globals())" if self.card else "''"
        return f"problem = {check}; print(bool(problem)); print(problem or {numbers}, end='')"

    def check(self, run: Run) -> None:
        """Raise an `ExampleFailure` if its two sides differ, or if its tensors are others."""
        numbers = self.numbers(run)
        if self.card and (wrong := self.differs(numbers)):
            line = self.card.opening + 1 + wrong.line
            raise ExampleFailure(self.path, line, f"this card: {wrong.message}")

    def refresh(self, run: Run) -> list[Edit]:
        """Return the edit that writes the tensors of the formula into its card."""
        numbers, card = self.numbers(run), self.card
        if card is None or not self.differs(numbers):
            return []
        first, end = card.opening + 1, card.closing
        return [Edit(self.path, self.line, first, end, numbers, "the numbers of a card")]

    def differs(self, numbers: list[str]) -> Difference | None:
        """Return where the card has others; not all machines agree on all of its digits."""
        assert self.card is not None
        return difference(in_full("\n".join(self.card.lines)), in_full("\n".join(numbers)))

    def numbers(self, run: Run) -> list[str]:
        """Return the tensors of the formula, one a line."""
        is_wrong, *printed = self.printed(run).splitlines()
        if is_wrong == "True":
            raise ExampleFailure(self.path, self.line, f"this formula: {' '.join(printed)}")
        return printed


def in_full(numbers: str) -> str:
    """Return the numbers of a card with all digits that they were rounded to, zeros as well.

    A difference of one unit in the last of them is the machine's; with two digits it is a mistake.
    """

    def spelled(found: re.Match[str]) -> str:
        number = exactly(found[0])
        return f"{number:.{5 if abs(number) >= SMALL else 6}f}"

    return PRINTED.sub(spelled, numbers)


def formulas_in(
    path: str,
    lines: Sequence[str],
    fences: Sequence[Fence],
    sources: Sequence[tuple[int, str]],
    dialect: Dialect,
) -> Iterator[Formula | NotRun | Malformed]:
    """Yield each displayed formula of a text, and what is not computed, or stands below none.

    Args:
        path: Of the file.
        lines: Of the text.
        fences: Of the text, which hold no formulas.
        sources: The code of the file, each piece with its line.
        dialect: It names the module that computes formulas.
    """
    cards = {fence.opening: fence for fence in fences if fence.language == CARD}
    if not dialect.formulas or not (cards or any("$$" in line for line in lines)):
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
        below = line + latex.count("\n") + 1
        while below < end and not lines[below - 1].strip():
            below += 1
        card = cards.pop(below, None)
        yield Formula(path, line, latex, made_by, dialect.formulas, card, runs_at=end)
    for opening in cards:
        yield Malformed(path, opening, "this card stands below no formula that is computed")
