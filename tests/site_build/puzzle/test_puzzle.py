"""Functions in lines to choose from: how they are written, and what is known of their programs."""

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from attention_practice.exercises import EXERCISES
from site_build.puzzle import (
    FOLDER,
    build_it,
    known_outcomes,
    outcomes_path,
    puzzle_in,
    without_shapes,
)
from site_build.puzzle.lines import Puzzle, read_puzzle
from site_build.puzzle.outcomes import outcomes_of, puzzle_of
from site_build.pytest_pages import problems_with_puzzles
from tensor_examples.fences import find_fences
from tests.conftest import ROOT

SCORES = """def my_scores(query, key):

    scores = query @ key.mT
    scores = key @ query.mT
    scores = query @ key

    return scores
    return scores / math.sqrt(query.shape[-1])"""
PAGE = '# Scores\n\n```build exercise="scores"\n```\n'


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "docs" / "scores.md"
    path.parent.mkdir()
    path.write_text(PAGE, "utf-8")
    return path


def known(puzzle: Puzzle) -> dict[tuple[int, ...], dict[str, Any]]:
    """Return what came of each program."""
    told = json.loads(outcomes_of(puzzle))
    return {
        choice: told["outcomes"][number]
        for choice, number in zip(puzzle.choices(), told["programs"], strict=True)
    }


def test_the_first_line_of_each_place_is_right() -> None:
    puzzle = read_puzzle("scores", SCORES)
    assert puzzle.right == (
        "def my_scores(query, key):\n    scores = query @ key.mT\n    return scores"
    )
    assert known(puzzle)[0, 0]["kind"] == "right"


def test_a_line_goes_with_what_is_indented_deeper_and_nothing_is_no_line() -> None:
    text = "def f(x):\n\n    if x:\n        x = 1\n    # nothing\n\n    return x"
    puzzle = read_puzzle("f", text)
    assert puzzle.places == (("    if x:\n        x = 1", "    # nothing"), ("    return x",))
    assert puzzle.program((1, 0)) == "def f(x):\n    return x"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("    return 1\n    return 2", "the first paragraph is the head"),
        ("def f(x):\n\n    return x", "no place has a line to choose"),
        ("def f(x):\n\n    return x\n    return x", "the same line twice"),
    ],
)
def test_what_is_written_otherwise_is_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_puzzle("f", text)


def test_a_mistake_is_named_and_an_exception_says_its_place() -> None:
    told = known(read_puzzle("scores", SCORES))
    assert told[1, 0]["kind"] == "mistake"
    assert str(told[1, 0]["says"]).startswith("Rows and columns have changed places")
    assert told[1, 0]["read"] == ["steps/scores/#the-formula"]
    assert (told[2, 0]["kind"], told[2, 0]["at"]) == ("mistake", [0])
    assert str(told[2, 0]["raised"]).startswith("RuntimeError: mat1 and mat2 shapes")


def test_numbers_are_those_of_torch_and_those_that_differ_are_marked() -> None:
    (table,) = known(read_puzzle("scores", SCORES))[1, 0]["numbers"]
    (right,) = known(read_puzzle("scores", SCORES))[0, 0]["numbers"]
    pairs = zip(chain(*table["rows"]), chain(*right["rows"]), strict=True)
    assert table["wrong"] == [place for place, (one, other) in enumerate(pairs) if one != other]
    assert not right["wrong"]


def test_what_is_right_for_the_sentence_alone_says_so() -> None:
    told = known(
        read_puzzle("scores", SCORES.replace("key.mT", "key.mT\n    scores = query @ key.T"))
    )
    assert str(told[1, 0]["partly"]).startswith("Right for “the duck likes the muddy bank”")


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Let the exercise on scores have other lines."""

    def ask(lines: str) -> None:
        monkeypatch.setitem(EXERCISES, "scores", replace(EXERCISES["scores"], lines=lines))

    return ask


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("    scores = query @ key.mT\n", "", "the first lines should be right"),
        ("query @ key\n", "query @ keys\n", "name 'keys' is not defined"),
    ],
)
def test_wrong_lines_fail_at_their_fence(
    page: Path, asked: Callable[[str], None], old: str, new: str, message: str
) -> None:
    asked(SCORES.replace(old, new))
    ((line, problem),) = problems_with_puzzles(page, page.parents[1], update=True)
    assert line == 3
    assert message in problem


def test_a_fence_names_an_exercise_that_has_lines(page: Path) -> None:
    for name, message in (("scars", "there is no exercise 'scars'"), ("alibi", "no place has a")):
        page.write_text(PAGE.replace("scores", name), "utf-8")
        ((line, problem),) = problems_with_puzzles(page, page.parents[1], update=True)
        assert (line, message in problem) == (3, True)


def test_lines_without_a_head_have_that_of_the_solution() -> None:
    body = "    return query @ key.mT\n    return key"
    assert (
        read_puzzle("scores", body, EXERCISES["scores"].stub).head == "def my_scores(query, key):"
    )


def test_one_line_alone_must_make_a_mistake_with_a_name() -> None:
    lines = SCORES.replace("    scores = key @ query.mT\n", "").replace("query.shape[-1]", "7.5")
    lines = lines.replace("    scores = query @ key\n", "")
    with pytest.raises(ValueError, match="no line alone makes a mistake with a name"):
        outcomes_of(read_puzzle("scores", lines))


def test_outcomes_are_written_and_a_changed_number_fails(page: Path) -> None:
    root = page.parents[1]
    assert "nothing" not in str(list(problems_with_puzzles(page, root, update=True)))
    assert list(problems_with_puzzles(page, root, update=False)) == []
    path = outcomes_path(root, "scores")
    path.write_text(path.read_text("utf-8").replace('"10.00"', '"10.01"', 1), "utf-8")
    ((line, problem),) = problems_with_puzzles(page, root, update=False)
    assert line == 3
    assert "scores.json:" in problem
    assert "10.01" in problem


def test_lines_without_outcomes_are_refused_by_the_build(page: Path) -> None:
    root = page.parents[1]
    with pytest.raises(ValueError, match="--update-outputs"):
        known_outcomes(root, "scores")
    list(problems_with_puzzles(page, root, update=True))
    known = known_outcomes(root, "scores")
    assert "return scores\n</code>" in build_it(puzzle_in(known, "scores"), known)


def puzzles_of_pages() -> list[str]:
    """Return the names of the exercises that pages let build."""
    folders = (ROOT / "docs/steps", ROOT / "docs/reference")
    paths = [path for folder in folders for path in folder.glob("*.md")]
    pages = [path.read_text("utf-8").split("\n") for path in paths]
    fences = (fence for lines in pages for fence in find_fences(lines))
    return [fence.options["exercise"] for fence in fences if fence.language == "build"]


def test_each_file_of_outcomes_belongs_to_one_page_and_has_the_lines_of_its_exercise() -> None:
    names = [name for name, exercise in EXERCISES.items() if exercise.lines]
    assert sorted(puzzles_of_pages()) == sorted(names)
    assert sorted(names) == sorted(path.stem for path in (ROOT / FOLDER).glob("*.json"))
    for name in names:
        assert puzzle_in(known_outcomes(ROOT, name), name) == puzzle_of(name)


def test_most_wrong_programs_are_named() -> None:
    """Of all wrong programs at least half, as `check` would say it."""
    told = [json.loads(path.read_text("utf-8")) for path in (ROOT / FOLDER).glob("*.json")]
    kinds = [each["outcomes"][number]["kind"] for each in told for number in each["programs"]]
    wrong = [kind for kind in kinds if kind != "right"]
    assert sum("mistake" in kind for kind in wrong) > len(wrong) / 2


def test_a_program_is_predicted_and_its_answers_differ() -> None:
    puzzles = [puzzle_of(name) for name in puzzles_of_pages()]
    known = [known_outcomes(ROOT, puzzle.exercise) for puzzle in puzzles]
    asked = [each for each in known if each["predict"]]
    assert len(asked) >= 6
    for each in asked:
        results = [each["outcomes"][number]["numbers"] for number in each["predict"]["answers"]]
        rows = [json.dumps([table["rows"] for table in result]) for result in results]
        assert len(set(rows)) == len(rows) > 1
    for each, puzzle in zip(known, puzzles, strict=True):
        assert each["predict"] is None or each["part"] <= 2
        assert len(each["ordered"]) == (len([*puzzle.orders()]) if each["part"] <= 2 else 0)


def test_lines_in_another_order_may_use_a_name_too_early() -> None:
    text = SCORES.replace(
        "    return scores\n", "    weights = scores.softmax(-1)\n\n    return scores\n"
    )
    told = json.loads(outcomes_of(read_puzzle("scores", text)))
    assert len(told["ordered"]) == 6
    first, *others = (told["outcomes"][number] for number in told["ordered"])
    assert first["kind"] == "right"
    early = [other for other in others if "raised" in other]
    assert {each["raised"] for each in early} == {
        "UnboundLocalError: scores is used before it is there"
    }
    assert {each["at"][0] for each in early} == {0}


@pytest.mark.parametrize(
    ("task", "shown"),
    [
        ("Look it up: (...,), (V, E) -> (..., E).", "Look it up."),
        ("As in nn.Linear: (n, d), twice (d, e) -> (n, e).", "As in nn.Linear."),
        (
            "Out of pages: (pages, E) -> (length, E). `table` is kept.",
            "Out of pages. `table` is kept.",
        ),
        (
            "A boolean mask (n, n): True where it may look.",
            "A boolean mask (n, n): True where it may look.",
        ),
    ],
)
def test_a_page_tells_a_task_without_its_shapes(task: str, shown: str) -> None:
    assert without_shapes(task) == shown


@pytest.mark.parametrize("name", ["embed", "scores", "weights", "context", "project", "attention"])
def test_a_beginner_reads_no_shapes(name: str) -> None:
    known = known_outcomes(ROOT, name)
    told = build_it(puzzle_in(known, name), known).partition("</p>")[0]
    assert "(..." not in told
    assert "\N{RIGHTWARDS ARROW}" not in told


def test_no_mistake_of_plain_scores_is_the_division_that_comes_later() -> None:
    assert "sqrt" not in EXERCISES["scores"].lines
