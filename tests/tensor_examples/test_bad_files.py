"""Bad files and bad code get one clear line, and do not stop the others."""

from contextlib import nullcontext
from pathlib import Path

import pytest

from tensor_examples.documents import ExampleDocument
from tensor_examples.example import Settings
from tensor_examples.failures import ExampleFailure
from tensor_examples.notebooks import CellExample
from tests.tensor_examples.elsewhere import Project, block
from tests.tensor_examples.fuzz import broken_notebooks, broken_texts
from tests.tensor_examples.project_files import ROOT

GOOD = block("print(1)", "1")
CELLS = b'{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [{"source": [[]]}]}'
FILES = {
    "page.md": (b"# Title\n\nna\xefve\n", ":3: is not UTF-8: save it in that encoding"),
    "book.ipynb": (b"{ not this", ":1: is not JSON"),
    "module.py": (b"{ not this", ":1: is not Python"),
    "old_mac.py": (b"x = 1\r'''It is.'''\r", ":1: has a carriage return that ends no line"),
    "old_mac.md": (b"# One\n\n```output\r1\r```\n", ":3: has a carriage return that ends no"),
    "list.ipynb": (CELLS, ":1: cannot be read: TypeError"),
    "names.py": (b'def f():\n    U"""It is."""\n', ":1: has a docstring that begins with neither"),
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_cannot_be_read(project: Project, name: str) -> None:
    content, problem = FILES[name]
    project.write("good.md", GOOD)
    project.write(name, "").write_bytes(content)
    outcome = project.run()
    assert name + problem in outcome.text
    assert "Traceback" not in outcome.text
    assert (outcome.passed, outcome.failed) == (1, 1)


BROKEN = {
    "broken.ipynb": (broken_notebooks, "docs/notebooks/003_formula_and_numbers.ipynb"),
    "broken.py": (broken_texts, "src/tensor_examples/compare.py"),
    "broken.md": (broken_texts, "docs/guides/writing-a-page.md"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_file_broken_in_any_way_has_only_examples_and_failures(tmp_path: Path, name: str) -> None:
    broken, source = BROKEN[name]
    path = tmp_path / name
    for content in broken((ROOT / source).read_text("utf-8"), 200):
        path.write_bytes(content)
        examples = [each.parsed for each in ExampleDocument.parse(str(path)).examples()]
        for example in examples:
            if isinstance(example, CellExample):  # whatever is stored can be compared
                with pytest.raises(ExampleFailure) if example.cell.outputs else nullcontext():
                    example.compare([], Settings())


CODE = {
    "while True:\n    pass": "ran for more than 0.2 seconds",
    "raise SystemExit": "calls sys.exit, which ends the reader's session",
    "class Stop(BaseException): pass\nraise Stop(1)": "Stop: 1",
    "e = ValueError('one')\ne.add_note('two')\nraise e": "raises ValueError: one",
}


@pytest.mark.parametrize(("code", "problem"), CODE.items())
def test_code_that_does_not_end_well(project: Project, code: str, problem: str) -> None:
    project.write("good.md", GOOD)
    project.write("page.md", block(code))
    outcome = project.run("--example-timeout=0.2")
    assert problem in outcome.text
    assert len(outcome.text) < 3000
    assert (outcome.passed, outcome.failed) == (1, 1)


def test_a_notebook_that_does_not_end(project: Project) -> None:
    project.notebook("book.ipynb", ("print(1)", "1\n"), ("while True: pass", ""), ("1", ""))
    outcome = project.run("-rs", "--example-timeout=1")
    assert "cell In [2] (cell-2): ran for more than 1 seconds" in outcome.text
    assert "not run, because cell In [2] (cell-2) failed" in outcome.text
    assert outcome.passed == 1
