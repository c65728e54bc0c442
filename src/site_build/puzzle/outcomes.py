"""What torch made of every program of a puzzle, and what `check` says of it.

This is all that a reader's browser knows: it computes nothing, and shows what is written here.
"""

import json
import math
import re
import traceback
from collections.abc import Sequence
from typing import Any
from zlib import crc32

from torch import Tensor

from attention_practice._diagnosis import examine
from attention_practice._exercise import Exercise, compiled
from attention_practice._outcome import are_tensors, close, copied, run
from attention_practice.exercises import EXERCISES
from attention_verify.words import headline
from site_build.puzzle.lines import (
    Choice,
    Puzzle,
    in_an_order_that_tells_nothing,
    read_puzzle,
)

DIGITS = 2
PROGRAM = "<program>"
EASIER = (1, 2)  # the parts in which there is more before the function from nothing


def puzzle_of(exercise: str) -> Puzzle:
    """Return the puzzle of an exercise.

    Raises:
        ValueError: If there is no such exercise, or if it has no lines, or wrong ones.
    """
    if exercise not in EXERCISES:
        raise ValueError(f"there is no exercise {exercise!r}")
    return read_puzzle(exercise, EXERCISES[exercise].lines, EXERCISES[exercise].stub)


def outcomes_of(puzzle: Puzzle) -> str:
    """Run every program of a puzzle, and return what a page needs, as JSON.

    Raises:
        ValueError: If the first lines are not right, or if no line alone makes a mistake that has a
            name.
    """
    exercise = EXERCISES[puzzle.exercise]
    told: dict[str, int] = {}  # each outcome once, with its number
    programs = []
    to_find = []
    to_repair = []

    def number_of(outcome: dict[str, Any]) -> int:
        return told.setdefault(json.dumps(outcome, ensure_ascii=False), len(told))

    for choice in puzzle.choices():
        outcome, mistakes = outcome_of_program(exercise, puzzle, choice)
        programs.append(number_of(outcome))
        if not any(choice) and outcome["kind"] != "right":
            raise ValueError(f"the first lines should be right: {outcome}")
        if sum(map(bool, choice)) == 1 and len(mistakes) == 1:
            # Numbers that differ can be seen, so a program that has some comes first; among
            # these it is any, but always the same.
            to_find.append((not differing_numbers(outcome), crc32(bytes(choice)), choice))
        if sum(map(bool, choice)) == len(mistakes) == 2:
            to_repair.append((not differing_numbers(outcome), crc32(bytes(choice)), choice))
    if not to_find:
        raise ValueError("no line alone makes a mistake with a name")
    case = exercise.cases[0]
    find = min(to_find)[-1]
    early = exercise.part in EASIER
    orders = puzzle.orders() if early else ()
    ordered = [number_of(outcome_of_order(exercise, puzzle, order)) for order in orders]
    outcomes = [json.loads(outcome) for outcome in told]
    page = {
        "task": exercise.task,
        "part": exercise.part,
        "for": case.name,
        "rows": list(case.rows),
        "columns": list(case.columns),
        "results": list(exercise.results),
        "head": puzzle.head,
        "places": puzzle.places,
        "orders": [in_an_order_that_tells_nothing(lines) for lines in puzzle.places],
        "find": find,
        "repair": min(to_repair)[-1] if to_repair else None,
        "predict": to_predict(puzzle, find, programs, outcomes) if early else None,
        "ordered": ordered,
        "outcomes": outcomes,
        "programs": programs,
    }
    lines = [f' "{name}": {json.dumps(each, ensure_ascii=False)}' for name, each in page.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def to_predict(
    puzzle: Puzzle, find: Choice, programs: Sequence[int], outcomes: Sequence[dict[str, Any]]
) -> dict[str, Any] | None:
    """Return a program and up to three results, one of them its own, if results differ.

    The program has at most one wrong line, and is not the one whose wrong line is looked for later.
    """
    by_result: dict[str, tuple[int, Choice]] = {}  # the first program that gives a result
    for choice, number in zip(puzzle.choices(), programs, strict=True):
        numbers = outcomes[number].get("numbers")
        if numbers and sum(map(bool, choice)) <= 1 and choice != find:
            shown = json.dumps([table["rows"] for table in numbers])
            by_result.setdefault(shown, (number, choice))
    anyhow = sorted(by_result.values(), key=lambda each: crc32(bytes(each[1])))
    if len(anyhow) < 2:
        return None
    answers = sorted((number for number, _ in anyhow[:3]), key=lambda n: crc32(str(n).encode()))
    return {"program": anyhow[0][1], "answers": answers}


def differing_numbers(outcome: dict[str, Any]) -> int:
    """Return how many numbers of an outcome differ from the right ones."""
    return sum(len(table["wrong"]) for table in outcome.get("numbers", []))


def outcome_of_program(
    exercise: Exercise, puzzle: Puzzle, choice: Choice
) -> tuple[dict[str, Any], Sequence[str]]:
    """Return what a program does with the first input, and the names of its mistakes."""
    program = puzzle.program(choice)
    outcome, mistakes, error = outcome_of_text(exercise, program)
    if isinstance(error, NameError):
        raise ValueError(f"{error}, in\n{program}")
    if error:
        outcome["at"] = [raising_place(error, puzzle, choice)]
    return outcome, mistakes


def outcome_of_order(exercise: Exercise, puzzle: Puzzle, order: Choice) -> dict[str, Any]:
    """Return what the right lines do in another order, in which names may be used too early."""
    outcome, _, error = outcome_of_text(exercise, puzzle.in_order(order))
    if error:
        frames = traceback.extract_tb(error.__traceback__)
        line = max([frame.lineno or 0 for frame in frames if frame.filename == PROGRAM], default=0)
        outcome["at"] = [line - 2]  # below the head
    if isinstance(error, UnboundLocalError) and (name := re.search("'(.+?)'", str(error))):
        outcome["raised"] = f"UnboundLocalError: {name[1]} is used before it is there"
    return outcome


def outcome_of_text(
    exercise: Exercise, program: str
) -> tuple[dict[str, Any], Sequence[str], BaseException | None]:
    """Return what a program does with the first input, the names of its mistakes, its exception."""
    function = compiled(program, PROGRAM, exercise.solution)
    case = exercise.cases[0]
    got = run(exercise, function, copied(case.inputs)).value
    right = run(exercise, exercise.solution, copied(case.inputs)).value
    report = examine(exercise, function)
    told = report.text.removeprefix(f"{exercise.name}: ").split("\n")
    in_full = "\n".join(line for line in told if not line.startswith("Read: "))
    outcome: dict[str, Any] = {
        "kind": report.kind,
        "says": report.says or ("" if report.kind == "difference" else in_full),
        "partly": report.partly and f"{report.partly[0].upper()}{report.partly[1:]}",
        "read": [] if report.passed else list(report.pages),
        "numbers": tables(got, right),
    }
    if isinstance(got, BaseException):
        outcome |= {"says": report.says, "raised": headline(got)}
    error = got if isinstance(got, BaseException) else None
    return {name: each for name, each in outcome.items() if each}, report.mistakes, error


def raising_place(error: BaseException, puzzle: Puzzle, choice: Choice) -> int:
    """Return the place whose line raised an exception, or -1 if none did."""
    frames = traceback.extract_tb(error.__traceback__)
    line = max([frame.lineno or 0 for frame in frames if frame.filename == PROGRAM], default=0)
    tops = (Puzzle("", puzzle.head, puzzle.places[:n]) for n in range(len(choice) + 1))
    ends = [top.program(choice[:n]).count("\n") + 1 for n, top in enumerate(tops)]
    return sum(end < line for end in ends) - 1


def tables(got: Any, right: list[Tensor]) -> list[dict[str, Any]]:
    """Return the results as printed numbers, those marked that differ from the right ones."""
    if not are_tensors(got):
        return []
    return [table_of(x, right[number : number + 1]) for number, x in enumerate(got)]


def table_of(x: Tensor, right: Sequence[Tensor]) -> dict[str, Any]:
    """Return a tensor as rows, with the places of the numbers that differ, or else its shape."""
    matrix = x.reshape(-1, x.shape[-1]) if x.dim() else x.reshape(1, 1)
    rows = [[as_printed(value) for value in row] for row in matrix.tolist()]
    if not right or right[0].shape != x.shape:
        return {"rows": rows, "wrong": [], "shape": list(x.shape)}
    return {"rows": rows, "wrong": (~close(x, right[0])).flatten().nonzero().flatten().tolist()}


def as_printed(value: float | bool) -> str:
    """Return a number as the page shows it, a zero without a sign."""
    if isinstance(value, bool | int) or not math.isfinite(value):
        return str(value)
    return f"{round(value, DIGITS) + 0.0:.{DIGITS}f}"
