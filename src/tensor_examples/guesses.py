"""A question with answers to choose from, of which a comment computes the right one.

    ````markdown
    ```guess
    Which word has the highest score with “muddy”?

    - “bank”
    - “muddy” itself<!-- tokens[scores[4].argmax()] -->
    ```
    ````

The reader guesses before the page tells. So the comment is evaluated further down, with the names
that the page has where a paragraph begins with the words of the dialect, such as `**The guess.**`.
It gives words of the right answer, or its numbers in turn. Another answer that says the same would
be right as well, and is refused.
"""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from tensor_examples.asides import Aside
from tensor_examples.conventions import Dialect
from tensor_examples.example import Malformed, Run
from tensor_examples.failures import ExampleFailure
from tensor_examples.fences import Fence, text_outside
from tensor_examples.numbers import numbers_in
from tensor_examples.prose import problem_of_expression

ANSWER = re.compile(r"- +(?P<text>\S.*?) *(?:<!--\s*(?P<said>.*?)\s*-->)? *")
ONE_RIGHT = "write two to four different answers, with a comment that computes it behind the right"


@dataclass(frozen=True)
class Answer:
    """One answer of a question."""

    line: int  # of the file
    text: str
    said: str | None  # the expression behind the right one

    def says(self, result: object) -> bool:
        """Say whether this is what an expression gave: words, a number, or several."""
        if isinstance(result, str):
            return re.search(rf"(?<!\w){re.escape(result)}(?!\w)", self.text) is not None
        values = [Decimal(repr(value)) for value in flat(result)]
        numbers = list(numbers_in(self.text, whole=True))
        return len(numbers) == len(values) and all(
            number.is_near(value) for number, value in zip(numbers, values, strict=True)
        )


@dataclass(frozen=True)
class Guess(Aside):
    """A question, at the line of its right answer."""

    answers: tuple[Answer, ...]

    rule = "prose"

    @property
    def name(self) -> str:
        """Its name within its file."""
        return f"guess:{self.line}"

    @property
    def code(self) -> str:
        """The code that prints the right answer, with all digits of its numbers."""
        said = self.right.said
        return f"it = {said}; print(repr(it.tolist() if hasattr(it, 'tolist') else it))"

    @property
    def right(self) -> Answer:
        """The answer behind which an expression stands."""
        return right_one(self.answers)

    def check(self, run: Run) -> None:
        """Raise an `ExampleFailure` unless the right answer, and no other, is what is computed."""
        printed, said = self.printed(run).strip(), self.right.said
        try:
            result = ast.literal_eval(printed)
            are_right = [answer.says(result) for answer in self.answers]
        except (ValueError, SyntaxError, ArithmeticError):
            problem = f"{said} gives neither words nor numbers, but {printed}"
            raise ExampleFailure(self.path, self.line, problem) from None
        for answer, is_right in zip(self.answers, are_right, strict=True):
            if is_right != (answer is self.right):
                verb = "is marked as right" if answer is self.right else "is right as well"
                problem = f"{answer.text!r} {verb}, and {said} is {printed}"
                raise ExampleFailure(self.path, answer.line, problem)


def answers_of(fence: Fence) -> list[Answer]:
    """Return the answers of a fence: the items of its list."""
    found = [(number, ANSWER.fullmatch(line)) for number, line in fence.numbered]
    return [Answer(line, item["text"], item["said"]) for line, item in found if item]


def right_one(answers: Sequence[Answer]) -> Answer:
    """Return the one answer with an expression."""
    (right,) = (answer for answer in answers if answer.said is not None)
    return right


def problem_of_answers(answers: Sequence[Answer]) -> str | None:
    """Say what is wrong with the answers to a question, before anything is computed."""
    said = [answer.said for answer in answers if answer.said is not None]
    if not 2 <= len({answer.text for answer in answers}) == len(answers) <= 4 or len(said) != 1:
        return ONE_RIGHT
    problem = problem_of_expression(said[0])
    return problem and f"the comment behind the right answer {problem}"


def guesses_in(
    path: str, lines: Sequence[str], fences: Sequence[Fence], dialect: Dialect
) -> Iterator[Guess | Malformed]:
    """Yield each question of a page, or what is wrong with it."""
    outside = text_outside(lines, fences)
    for fence in fences:
        if begins := dialect.questions.get(fence.language):
            answers, below = answers_of(fence), [n for n, _ in outside if n > fence.closing]
            told = [line for line in below if lines[line - 1].startswith(begins)]
            problem = problem_of_answers(answers)
            if not problem and len(told) != 1:
                problem = f"one paragraph below this question has to begin with {begins}"
            if problem:
                yield Malformed(path, fence.opening, problem, rule="prose")
            else:
                right = right_one(answers)
                yield Guess(path, right.line, tuple(answers), runs_at=told[0])


def flat(result: Any) -> Iterator[Any]:
    """Yield the numbers of a result, one by one."""
    if isinstance(result, (list, tuple)):
        for part in result:
            yield from flat(part)
    else:
        yield result
