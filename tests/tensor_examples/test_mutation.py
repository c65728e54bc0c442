"""No change to a printed number can hide, in any file of this project.

The outputs that stand in the files are taken as what the code prints: that they are is what
the run of the examples themselves has shown. So a file is only read here, and each of its outputs
compared, with one change, through the same code that the plugin calls.
"""

import copy
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

import pytest

from tensor_examples.documents import parser_of
from tensor_examples.example import Example, Settings
from tensor_examples.failures import ExampleFailure
from tensor_examples.notebooks import CellExample
from tensor_examples.numbers import DECIMAL, EXPONENT
from tensor_examples.script import ScriptExample
from tests.tensor_examples.elsewhere import Project
from tests.tensor_examples.project_files import NOTEBOOKS, PAGES, ROOT, SOURCES

pytestmark = pytest.mark.slow

T = TypeVar("T")
NUMBER = re.compile(rf"(?P<mantissa>{DECIMAL}|\d+\.?)(?P<exponent>{EXPONENT})?(?!\w)")


@dataclass(frozen=True)
class Mutant:
    """An output with one change."""

    kind: str
    output: str
    line: int  # of the change, from 0
    forgivable: bool = False  # by one unit in the last digit of a rounded number


@dataclass(frozen=True)
class Verdict:
    """The verdict of the checks on a mutant."""

    mutant: Mutant
    path: str
    exact: bool
    caught: bool
    at_its_line: bool


def mutants_of(output: str) -> list[Mutant]:
    """Return an output with one change each."""
    made = [*digits(output), *signs(output), *booleans(output), *rows(output), *shapes(output)]
    return [mutant for mutant in made if mutant.output != output]


def some_of(found: Sequence[T]) -> list[T]:
    """Return the first, the middle and the last of what was found."""
    return [found[place] for place in sorted({0, len(found) // 2, len(found) - 1} if found else ())]


def replaced(
    kind: str, output: str, start: int, end: int, by: str, forgive: bool = False
) -> Mutant:
    """Return an output in which something is replaced."""
    return Mutant(kind, output[:start] + by + output[end:], output.count("\n", 0, start), forgive)


def digits(output: str) -> Iterator[Mutant]:
    """Change the first and the last digit of some numbers, and the last of an exponent."""
    for number in some_of(list(NUMBER.finditer(output))):
        mantissa = number["mantissa"]
        rounded = len(mantissa.partition(".")[2]) >= 2
        places = [number.start() + match.start() for match in re.finditer(r"\d", mantissa)]
        changes = [("first digit", places[0], False)]
        changes += [("last digit", places[-1], rounded)] * (len(places) > 1)
        changes += [("exponent", number.end() - 1, False)] * bool(number["exponent"])
        for kind, place, forgive in changes:
            digit = int(output[place])
            by = str(digit + 1 if digit < 9 else 8)
            yield replaced(kind, output, place, place + 1, by, forgive)


def signs(output: str) -> Iterator[Mutant]:
    """Flip the sign of some numbers. A rounded zero is the same number with either."""
    numbers = [n for n in NUMBER.finditer(output) if not output[: n.start()][-1:].isalnum()]
    for number in some_of(numbers):
        start = number.start()
        minus = output[:start].endswith("-")
        zero = "." in number.group() and not float(number.group())
        yield replaced("sign", output, start - minus, start, "" if minus else "-", zero)


def booleans(output: str) -> Iterator[Mutant]:
    """Swap True and False."""
    for word in some_of(list(re.finditer(r"\b(True|False)\b", output))):
        yield replaced("boolean", output, *word.span(), str(word.group() != "True"))


def rows(output: str) -> Iterator[Mutant]:
    """Drop the first, the middle or the last row."""
    lines = output.rstrip("\n").split("\n")
    if len(lines) > 1:
        # An empty line between two matrices of a tensor is no row, nor is one that would be last.
        for number in some_of([number for number, line in enumerate(lines) if line.strip()]):
            changed = "\n".join(lines[:number] + lines[number + 1 :]).rstrip("\n")
            yield Mutant("row", changed, first_change(output, changed))


def first_change(output: str, changed: str) -> int:
    """Return the number of the first line that is not the same, or of the last one."""
    pairs = zip(output.split("\n"), changed.split("\n"), strict=False)
    differ = (number for number, (before, after) in enumerate(pairs) if before != after)
    return next(differ, changed.count("\n"))


def shapes(output: str) -> Iterator[Mutant]:
    """Put one more pair of brackets around a tensor or a shape."""
    start, end = output.find("["), output.rfind("]") + 1
    if -1 < start < end:
        yield replaced("shape", output, start, end, f"[{output[start:end]}]")


def verdicts(path: Path) -> Iterator[Verdict]:
    """Yield the verdicts on the mutants of every output of a file."""
    for example in parser_of(path.name)(str(path), path.read_text("utf-8")):
        for mutant, compare, line in of_example(example):
            for exact in (True, False):
                try:
                    compare(Settings(exact=exact))
                except ExampleFailure as failure:
                    told = str(failure.place).endswith(str(line))
                    yield Verdict(mutant, str(path), exact, True, told)
                else:
                    yield Verdict(mutant, str(path), exact, False, False)


def of_example(example: Example) -> Iterator[tuple[Mutant, Callable[[Settings], None], str | int]]:
    """Yield each mutant of an example, how it is compared, and where it has to be told."""
    if isinstance(example, ScriptExample) and (output := example.block.output):
        for mutant in mutants_of(output.text):
            block = replace(example.block, output=replace(output, text=mutant.output))
            changed = replace(example, block=block)
            line = output.line + mutant.line
            yield mutant, partial(changed.compare, output.text), line
    elif isinstance(example, CellExample):
        for number, stored in enumerate(example.cell.outputs):
            for mutant in mutants_of(stored.get("text", "").rstrip("\n")):
                outputs = copy.deepcopy(example.cell.outputs)
                outputs[number].text = mutant.output
                yield mutant, partial(example.compare, outputs), "output"


def counts(found: list[Verdict]) -> dict[str, dict[str, int]]:
    """Return how many mutants there were, and how many of them were caught."""
    counted = {}
    for mode in ("exact", "default"):
        of_mode = [verdict for verdict in found if verdict.exact == (mode == "exact")]
        counted[mode] = {
            "tried": len(of_mode),
            "caught": sum(verdict.caught for verdict in of_mode),
            "of_last_digits_tried": sum(verdict.mutant.forgivable for verdict in of_mode),
            "of_last_digits_caught": sum(v.mutant.forgivable and v.caught for v in of_mode),
        }
    return counted


@pytest.fixture(scope="module")
def found() -> list[Verdict]:
    return [verdict for path in [*PAGES, *NOTEBOOKS, *SOURCES] for verdict in verdicts(path)]


def test_only_a_last_digit_escapes_and_never_an_exact_comparison(found: list[Verdict]) -> None:
    escaped = [verdict for verdict in found if not verdict.caught]
    assert [each for each in escaped if each.exact or not each.mutant.forgivable] == []


def test_each_mutant_is_caught_at_its_line(found: list[Verdict]) -> None:
    assert [verdict for verdict in found if verdict.caught and not verdict.at_its_line] == []


def test_every_kind_of_mutant_was_tried(
    found: list[Verdict], record_property: Callable[[str, object], None]
) -> None:
    record_property("mutants", counts(found))
    kinds = Counter(verdict.mutant.kind for verdict in found)
    assert kinds.keys() >= {"first digit", "last digit", "sign", "boolean", "row", "shape"}
    assert {Path(each.path).suffix for each in found if each.caught} == {".md", ".py", ".ipynb"}


def test_what_the_mutants_are() -> None:
    mutants = [(mutant.kind, mutant.output) for mutant in mutants_of("tensor([0.25])\nTrue")]
    assert mutants == [
        ("first digit", "tensor([1.25])\nTrue"),
        ("last digit", "tensor([0.26])\nTrue"),
        ("sign", "tensor([-0.25])\nTrue"),
        ("boolean", "tensor([0.25])\nFalse"),
        ("row", "True"),
        ("row", "tensor([0.25])"),
        ("shape", "tensor([[0.25]])\nTrue"),
    ]


STEP = "docs/steps/weights.md"
END_TO_END = [
    (STEP, "0.02, 0.11, 0.83", "0.02, 0.11, 0.84"),
    (STEP, "tensor([0., 3., 0., 0., 3., 2.])", "tensor([[0., 3., 0., 0., 3., 2.]])"),
    (STEP, "changes nothing: True", "changes nothing: False"),
    (STEP, " 1.00, 20.09,", " 1.00, 20.10,"),
    (STEP, "        [0.00, 0.73, 0.00, 0.00, 0.27, 0.00],\n", ""),
    ("src/tensor_examples/compare.py", "expected 1., got 0.5000", "expected 1., got 0.5001"),
]


def test_a_mutant_fails_in_a_run_of_pytest(project: Project) -> None:
    places = []
    for number, (name, right, wrong) in enumerate(END_TO_END):
        text = (ROOT / name).read_text(encoding="utf-8")
        mutant = text.replace(right, wrong, 1)
        file = project.write(f"{number}/{Path(name).name}", "")
        file.write_text(mutant, encoding="utf-8")
        line = first_change(text, mutant) + 1
        places.append(f"{file.relative_to(project.folder)}:{line}: ")
    outcome = project.run("--exact-outputs")
    assert outcome.failed == len(END_TO_END)
    assert [place for place in places if place not in outcome.text] == []
