"""No change to a printed number can hide, in any file of this project."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.tensor_examples.elsewhere import Project
from tests.tensor_examples.mutation import (
    IMAGE_KINDS,
    Verdict,
    counts,
    first_change,
    mutants_of,
    verdicts,
)
from tests.tensor_examples.project_files import NOTEBOOKS, PAGES, ROOT, SOURCES

pytestmark = pytest.mark.slow


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
    of_text = {"first digit", "last digit", "sign", "boolean", "row", "shape"}
    assert kinds.keys() >= of_text | IMAGE_KINDS
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


STEP = "docs/steps/context-vectors.md"
END_TO_END = [
    (STEP, "0.02, 0.11, 0.83", "0.02, 0.11, 0.84"),
    (STEP, "context (2, 2)", "context (2, 3)"),
    (STEP, "tensor(True) tensor(True)", "tensor(True) tensor(False)"),
    (STEP, "    tensor([2.25, 0.04", "    tensor([2.25, 0.05"),
    (STEP, "            [1.00, 1.00],\n            [1.34", "            [1.34"),
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
