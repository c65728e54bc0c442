"""The notebooks of the practice are those that are made of the exercises."""

import json

import pytest

import attention_practice as practice
from attention_practice.exercises import EXERCISES, PARTS
from site_build.exercise_notebooks import FOLDER, notebook_of
from tests.conftest import ROOT


@pytest.mark.parametrize("part", range(1, len(PARTS) + 1))
def test_a_notebook_is_that_of_its_exercises(part: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(practice, "_done", set())
    written = (ROOT / FOLDER / f"part-{part}.ipynb").read_text("utf-8")
    assert written == notebook_of(part), "write it with `python -m site_build.exercise_notebooks`"
    printed = "".join(
        text
        for cell in json.loads(written)["cells"]
        for output in cell.get("outputs", [])
        for text in output["text"]
    )
    names = [name for name, exercise in EXERCISES.items() if exercise.part == part]
    assert printed.count(": right, on all ") == len(names)
    assert printed.endswith("all done\n")
