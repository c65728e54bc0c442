"""The prose of a page, line by line: each number in it is bound to a result of the page."""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from itertools import groupby

from tensor_examples.asides import Aside
from tensor_examples.example import Edit, Malformed, Run, Unbound
from tensor_examples.failures import ExampleFailure
from tensor_examples.numbers import Number, numbers_in, printed_in

AN_EXAMPLE = "an example"  # says that a number is no result
SOURCE = re.compile(r"source:\s*\S")
# A name and a year, a file or address, an issue.
WHERE = re.compile(r"[^\W\d]{3}.*\b(?:19|20)\d\d\b|\w\.[a-z]{2,}\b|#\d+")
WRITE_A_COMMENT = (
    "write a comment right behind the number, with the code that computes it, as in "
    "0.25<!-- weights[0, 1] -->, or with its source, as in 0.25<!-- source: Luong et al. 2015 -->; "
    "or, if it is no result, 0.25<!-- an example -->"
)


@dataclass(frozen=True)
class Prose(Aside):
    """A line with numbers. Each is printed on the page, computed by a comment, or has a source."""

    numbers: tuple[Number, ...]
    text: str = ""  # of the line, where a refresh may write it

    rule = "prose"

    @property
    def name(self) -> str:
        """Its name within its file."""
        return f"prose:{self.line}"

    @property
    def bound(self) -> int:
        """How many numbers are compared, or have a source."""
        return sum(number.said != AN_EXAMPLE for number in self.numbers)

    @property
    def left_out(self) -> str:
        """Which numbers are no results."""
        written = [number.written for number in self.numbers if number.said == AN_EXAMPLE]
        return f"not compared: {', '.join(written)}, an example" * bool(written)

    @property
    def code(self) -> str:
        """The code that prints the numbers which are computed, with all their digits."""
        return "; ".join(f"print(repr(float({number.said})))" for number in self.computed)

    @property
    def computed(self) -> list[Number]:
        """The numbers behind which an expression stands."""
        return list(filter(is_computed, self.numbers))

    def results(self, run: Run) -> list[tuple[Number, Decimal]]:
        """Return each number that is computed, and what comes out."""
        printed = self.printed(run).split() if self.code else []
        try:
            return list(zip(self.computed, map(Decimal, printed), strict=True))
        except (InvalidOperation, ValueError):
            problem = f"a comment prints more than its number: {' '.join(printed)}"
            raise ExampleFailure(self.path, self.line, problem) from None

    def check(self, run: Run) -> None:
        """Raise an `ExampleFailure` unless each number is what the comment behind it gives."""
        for number, value in self.results(run):
            if not number.is_near(value):
                problem = f"{number.written} is written, and {number.said} is"
                problem = f"{problem} {number.rewritten(value)}"
                raise ExampleFailure(self.path, self.line, problem)

    def refresh(self, run: Run) -> list[Edit]:
        """Return the edit that writes what the comments give into the line, if one is needed."""
        if not self.text:
            return super().refresh(run)
        line, changes = self.text, list[str]()
        for number, value in reversed(self.results(run)):  # so that columns stay right
            if not number.is_near(value):
                new, start = number.rewritten(value), number.column
                end = start + len(number.sign + number.digits)  # its unit may be on the next line
                line = line[:start] + new.removesuffix(number.unit) + line[end:]
                changes.insert(0, f"was {number.written}, now {new}")
        edit = Edit(self.path, self.line, self.line, self.line + 1, [line], "; ".join(changes))
        return [edit] if changes else []


def is_computed(number: Number) -> bool:
    """Say whether the comment behind a number is an expression."""
    return number.said not in (None, AN_EXAMPLE) and not SOURCE.match(str(number.said))


def lines_with_numbers(
    path: str, prose: str, code: str, lines: Sequence[str] = ()
) -> Iterator[Prose | Malformed]:
    """Yield each line of some prose with numbers, or the problems of those numbers.

    Args:
        path: Of the file.
        prose: The file, with spaces in place of all that is not prose.
        code: The code of the file and its outputs.
        lines: Of the file, where a refresh may write them.
    """
    known = printed_in(code)
    for line, group in groupby(numbers_in(prose), lambda number: number.line + 1):
        numbers = tuple(group)
        found = [problem_with_number(number, known) for number in numbers]
        problems = dict.fromkeys(problem for problem in found if problem)  # each once
        yield from (Unbound(path, line, problem, rule="prose") for problem in problems)
        if not problems:
            yield Prose(path, line, numbers, lines[line - 1] if lines else "")


def problem_with_number(number: Number, known: set[Decimal]) -> str | None:
    """Say what is wrong with a number, if it is bound to nothing."""
    if number.said and SOURCE.match(number.said) and not WHERE.search(number.said[7:]):
        return f"the source of {number.written} has no year, file or address: {WRITE_A_COMMENT}"
    if is_computed(number):
        problem = problem_of_expression(str(number.said))
        if problem:
            return f"the comment behind {number.written} {problem}: {WRITE_A_COMMENT}"
    elif number.said is None:
        if not number.stands_in(known):
            return f"{number.written} is in no output and no code of this page: {WRITE_A_COMMENT}"
        near_misses = list(neighbours(number))
        for n in sorted(known) if near_misses else ():
            if any(other.stands_in({n}) for other in near_misses):
                near = f"{number.written} is a digit away from {n} of this page"
                return f"{near}, so a slip would not be seen: {WRITE_A_COMMENT}"
    return None


def problem_of_expression(said: str) -> str | None:
    """Say why a comment computes nothing."""
    try:
        nodes = ast.walk(ast.parse(said, mode="eval"))
    except (SyntaxError, ValueError):
        return "is not an expression"
    is_bound = any(isinstance(node, ast.Name) for node in nodes)
    return None if is_bound else "has no name of the page, so it binds nothing"


def neighbours(number: Number) -> Iterator[Number]:
    """Yield a number with its last digit one more and one less.

    Where these stand on the page as well, a wrong digit would pass for a right one. With one
    decimal alone, too many do, and what is quoted stands there as it is.
    """
    if number.is_quoted or number.value.as_tuple().exponent == -1:
        return
    digits = Decimal(number.plain)
    unit = Decimal(1).scaleb(int(digits.as_tuple().exponent))
    for other in (digits + unit, digits - unit):
        yield replace(number, digits=str(abs(other)))
