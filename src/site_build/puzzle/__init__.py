"""A fence for a function that the reader builds from lines, in place of writing it.

    ````markdown
    ```build exercise="scores"
    ```
    ````

The lines stand in the file of the exercise. Every program that can be built of them was run by
torch before the page was made: `pytest --update-outputs` writes the lines and what came of them
into docs/assets/puzzles, and the tests compare it. The build, and the reader's browser, only read
it.
"""

import json
import re
from html import escape
from pathlib import Path
from typing import Any

from markdown import Markdown
from pymdownx.superfences import SuperFencesException

from site_build.markdown.extension import reader_of
from site_build.puzzle.lines import NOTHING, Puzzle, in_an_order_that_tells_nothing

FOLDER = "docs/assets/puzzles"
COLUMN, PHONE = 26.4, 20.3  # rem, of text; on a phone its numbers are smaller
TICK = "\N{WHITE SQUARE}"
WRITE = "write its outcomes with `pytest --update-outputs` and the path of the page"


def build_fence(
    text: str, language: str, css_class: str, options: dict[str, Any], md: Markdown, **rest: Any
) -> str:
    """Render the element, in the way that SuperFences calls it."""
    try:
        if text.strip():
            raise ValueError("the lines stand in the file of the exercise, and not in the fence")
        exercise = options.get("exercise", "")
        known = known_outcomes(reader_of(md).root, exercise)
        return build_it(puzzle_in(known, exercise), known)
    except ValueError as error:
        raise SuperFencesException(f"build: {error}") from error


def outcomes_path(root: Path, exercise: str) -> Path:
    """Return where the outcomes of a puzzle stand."""
    return root / FOLDER / f"{exercise}.json"


def known_outcomes(root: Path, exercise: str) -> dict[str, Any]:
    """Return the lines of an exercise, and what came of their programs.

    Raises:
        ValueError: If nothing is known of it.
    """
    path = outcomes_path(root, exercise)
    if not path.exists():
        raise ValueError(f"of an exercise {exercise!r} nothing is known: {WRITE}")
    known: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return known


def puzzle_in(known: dict[str, Any], exercise: str) -> Puzzle:
    """Return the puzzle whose outcomes are known."""
    return Puzzle(exercise, known["head"], tuple(map(tuple, known["places"])))


def without_shapes(task: str) -> str:
    """Return a task without the shapes behind its colon: who presses lines has no use for them."""
    return re.sub(r": \([^`]*?->.*?(?=\.(?:\s|$))", "", task)


def build_it(puzzle: Puzzle, known: dict[str, Any]) -> str:
    """Return the task, the element that its script fills, a quiz for paper, and the solution."""
    task = re.sub("`(.+?)`", r"<code>\1</code>", escape(without_shapes(known["task"])))
    return (
        f'<div class="build"><p>{task}</p><build-it data-needs="build/build" '
        f'name="{puzzle.exercise}" role="group" aria-label="Build my_{puzzle.exercise}" '
        f'data-search-exclude style="--lines:{len(puzzle.places)};--rows:{room_for(known, COLUMN)};'
        f'--rows-on-a-phone:{room_for(known, PHONE)}"></build-it>'
        f"<pre class=build-quiz>{escape(quiz(puzzle))}</pre>"
        f"<details class=build-solution><summary>Solution of my_{puzzle.exercise}</summary>"
        '<div class="language-python highlight"><pre>'
        f"<code>{escape(puzzle.right)}\n</code></pre></div></details></div>"
    )


def quiz(puzzle: Puzzle) -> str:
    """Return the function for paper: each place with its lines, to tick one."""
    places = (
        [lines[number] for number in in_an_order_that_tells_nothing(lines)]
        for lines in puzzle.places
    )
    return "\n".join(
        [puzzle.head]
        + [
            line if len(lines) == 1 else f"{TICK}{line.replace(NOTHING, '(no line here)')}"
            for lines in places
            for line in lines
        ]
    )


def room_for(known: dict[str, Any], column: float) -> int:
    """Return how many rows are drawn at first, in a column of so many rem, to keep room for."""
    number = 0
    for lines, chosen in zip(known["places"], known["find"], strict=True):
        number = number * len(lines) + chosen
    tables = known["outcomes"][known["programs"][number]].get("numbers", [])
    shown = [table for table in tables if table["wrong"] or "shape" in table] or tables
    rows = 0
    for table in shown:
        columns = len(table["rows"][0])
        words = known["columns"] if len(known["columns"]) == columns else [""] * columns
        names = 2.6 if known["rows"] and len(table["rows"]) % len(known["rows"]) == 0 else 0
        longest = max(map(len, table["rows"][0]))
        wide = names + sum(max(0.35 * longest + 0.45, 0.33 * len(word) + 0.5) for word in words)
        below = 2 * wide + 1.4 > column  # the right map does not fit beside it
        rows += (len(table["rows"]) + 1) * (1 + below) + (len(tables) > 1)
    return rows
