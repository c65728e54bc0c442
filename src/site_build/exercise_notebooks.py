"""The notebooks of docs/practice, made of the exercises: `python -m site_build.exercise_notebooks`.

A notebook has a set of exercises, each with its task and its solution, of which the site's build
makes the one that a reader solves. The tests compare what is written with what is made.
"""

import io
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import attention_practice
import attention_steps
from attention_practice import check
from attention_practice._exercise import Exercise
from attention_practice.exercises import EXERCISES, PARTS

ROOT = Path(__file__).parents[2]
FOLDER = "docs/practice"
HOW = (
    "Write each function in place of the dots and run its cell. `check` says whether the function "
    "is right, or which mistake it makes and which section explains the mistake. If you are stuck, "
    '`hint("{0}")` gives a hint, a new one each time, and `solution("{0}")` prints one way to '
    "write the function."
)
PYTHON = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}


def notebook_of(part: int) -> str:
    """Return the notebook of a part, solved, as JSON."""
    exercises = [exercise for exercise in EXERCISES.values() if exercise.part == part]
    notebook = {
        "cells": list(_cells(part, exercises)),
        "metadata": {**PYTHON, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def _cells(part: int, exercises: list[Exercise]) -> Iterator[dict[str, Any]]:
    title, about, _ = PARTS[part - 1]
    how = HOW.format(exercises[0].name)
    yield _prose("title", f"# Practice {part}: {title}\n\n{about}\n\n{how}")
    yield _code("imports", _imports(exercises), 1, "")
    attention_practice._done.clear()
    for number, exercise in enumerate(exercises, 2):
        name = exercise.name.replace("_", "-")
        page = exercise.page.partition("#")[0].rstrip("/")
        step = (ROOT / "docs" / f"{page}.md").read_text("utf-8")
        (heading,) = re.findall("^# (.+?)(?: {.*)?$", step, re.MULTILINE)[:1]
        link = f"[{heading}](../{page}.md)"
        yield _prose(f"{name}-task", f"## {exercise.title}\n\n{exercise.task} From {link}.")
        with redirect_stdout(io.StringIO()) as printed:
            check(exercise.name, exercise.solution)
        yield _code(name, _solved(exercise), number, printed.getvalue())


def _imports(exercises: list[Exercise]) -> str:
    """Return the imports that the solutions need."""
    source = "\n".join(exercise.source for exercise in exercises)
    steps = [name for name in attention_steps.__all__ if re.search(rf"\b{name}\b", source)]
    lines = [
        "import math\n" * ("math." in source),
        "import torch",
        "import torch.nn.functional as F" * ("F." in source),
        "\nfrom attention_practice import check, hint, solution",
        f"from attention_steps import {', '.join(sorted(steps))}" * bool(steps),
    ]
    return "\n".join(line for line in lines if line)


def _solved(exercise: Exercise) -> str:
    body = exercise.source.removeprefix(exercise.stub)
    called = exercise.solution.__name__
    given = called if called.startswith("my_") else f'"{exercise.name}", {called}'
    marked = f"{exercise.stub}\n    ### BEGIN SOLUTION{body}\n    ### END SOLUTION"
    return f"{marked}\n\n\ncheck({given})"


def _prose(name: str, text: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "id": name, "metadata": {}, "source": _lines(text)}


def _code(name: str, text: str, count: int, printed: str) -> dict[str, Any]:
    # As wide as the column of a page, by the settings of docs.
    command = [sys.executable, "-m", "ruff", "format", "--stdin-filename", f"{FOLDER}/{name}.py"]
    run = subprocess.run(
        [*command, "-"], input=text, capture_output=True, text=True, check=True, cwd=ROOT
    )
    output = {"name": "stdout", "output_type": "stream", "text": _lines(printed)}
    return {
        "cell_type": "code",
        "execution_count": count,
        "id": name,
        "metadata": {},
        "outputs": [output] if printed else [],
        "source": _lines(run.stdout.rstrip("\n")),
    }


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


if __name__ == "__main__":
    for part in range(1, len(PARTS) + 1):
        (ROOT / FOLDER / f"part-{part}.ipynb").write_text(notebook_of(part), "utf-8")
