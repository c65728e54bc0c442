"""The prose of a page, line by line: each number in it is bound to what the page computes."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import groupby

from tensor_examples.example import Edit, Example, Malformed, Settings
from tensor_examples.failures import ExampleFailure
from tensor_examples.numbers import Number, numbers_in, printed_in
from tensor_examples.script import Block, Script, Style

SOURCE = re.compile(r"source:\s*\S")
HOW = "write behind it what it is, like 0.25<!-- weights[0, 1] --> or 0.25<!-- source: whose -->"


@dataclass(frozen=True)
class Prose(Example):
    """A line with numbers, each of which comes from somewhere."""

    numbers: tuple[Number, ...]

    @property
    def name(self) -> str:
        """What to call it in its file."""
        return f"prose:{self.line}"

    @property
    def bound(self) -> int:
        """How many numbers there are."""
        return len(self.numbers)

    @property
    def code(self) -> str:
        """What prints the numbers that are computed, with all their digits."""
        return "; ".join(f"print(repr(float({number.said})))" for number in self.computed)

    @property
    def computed(self) -> list[Number]:
        """The numbers behind which an expression stands."""
        return list(filter(is_computed, self.numbers))

    def printed(self, settings: Settings) -> str:
        """Return what the code prints."""
        return ""

    def results(self, settings: Settings) -> list[tuple[Number, Decimal]]:
        """Return each number that is computed, and what comes out."""
        printed = self.printed(settings).split() if self.code else []
        return list(zip(self.computed, map(Decimal, printed), strict=True))

    def check(self, settings: Settings) -> None:
        """Raise an `ExampleFailure` unless each number is what the comment behind it gives."""
        for number, value in self.results(settings):
            if not number.is_near(value):
                problem = f"{number.written} is written, and {number.said} is"
                raise ExampleFailure(self.path, self.line, f"{problem} {number.rewritten(value)}")


@dataclass(frozen=True)
class ProseOfPage(Prose):
    """A line of a page. Its code is a block of the page's script."""

    script: Script

    @property
    def block(self) -> Block:
        """The code as a block of the script."""
        return Block(self.code, self.line, None, self.line + 1, Style(), aside=True)

    def printed(self, settings: Settings) -> str:
        """Return what the block prints."""
        return self.script.output_of(self.block, settings)

    def refresh(self, settings: Settings) -> list[Edit]:
        """Return the edit that writes what the comments give into the line, if one is needed."""
        line = self.script.text.split("\n")[self.line - 1]
        changes: list[str] = []
        for number, value in reversed(self.results(settings)):  # so that columns stay right
            if not number.is_near(value):
                new, end = number.rewritten(value), number.column + len(number.written)
                line = line[: number.column] + new + line[end:]
                changes.insert(0, f"was {number.written}, now {new}")
        edit = Edit(self.path, self.line, self.line, self.line + 1, [line], "; ".join(changes))
        return [edit] if changes else []


def is_computed(number: Number) -> bool:
    """Say whether the comment behind a number is an expression."""
    return number.said is not None and not SOURCE.match(number.said)


def prose_of_page(script: Script, prose: str, code: str) -> Iterator[Example]:
    """Yield each line with numbers, or what is wrong with them; lets the script compute them.

    What stands above the first block of code is computed after the last one.

    Args:
        script: Of the page.
        prose: The page, with spaces in place of all that is no prose.
        code: The code of the page and its outputs.
    """
    first = script.blocks[0].line if script.blocks else 0
    for found in lines_of(script.path, prose, code):
        if isinstance(found, Prose):
            found = ProseOfPage(found.path, found.line, found.numbers, script)
            script.blocks += [found.block] if found.code else []
        yield found
    script.blocks.sort(key=lambda block: (block.line < first, block.line))


def lines_of(path: str, prose: str, code: str) -> Iterator[Prose | Malformed]:
    """Yield each line with numbers, or what is wrong with them."""
    known = printed_in(code)
    for line, group in groupby(numbers_in(prose), lambda number: number.line + 1):
        numbers = tuple(group)
        problems = [found for number in numbers if (found := problem_with(number, known))]
        yield from (Malformed(path, line, problem) for problem in problems)
        if not problems:
            yield Prose(path, line, numbers)


def problem_with(number: Number, known: set[Decimal]) -> str | None:
    """Say what is wrong with a number, if it comes from nowhere."""
    if is_computed(number):
        try:
            ast.parse(str(number.said), mode="eval")
        except (SyntaxError, ValueError):
            return f"the comment behind {number.written} is no expression: {HOW}"
    elif number.said is None:
        if not number.stands_in(known):
            return f"{number.written} stands in no output and no code of this page: {HOW}"
        if any(other.stands_in(known) for other in neighbours(number)):
            return f"{number.written} may be any of several numbers of this page: {HOW}"
    return None


def neighbours(number: Number) -> Iterator[Number]:
    """Yield a number with its last digit one more and one less.

    Where these stand on the page as well, a wrong digit would pass for a right one.
    """
    digits = Decimal(number.digits.replace(",", ""))
    unit = Decimal(1).scaleb(int(digits.as_tuple().exponent))
    for other in (digits + unit, digits - unit):
        yield replace(number, digits=str(abs(other)))
