"""The outputs that are compared in a notebook, and the cell and line that a failure names.

A kernel takes a second to start, so these tests make few notebooks of many cells.
"""

import nbformat
import pytest

from tensor_examples.example import Run, Settings
from tensor_examples.failures import ExampleFailure
from tensor_examples.notebooks import parse_notebook
from tests.tensor_examples.elsewhere import Project

pytestmark = pytest.mark.slow

SVG = "from IPython.display import SVG\nSVG('<svg xmlns=\"http://www.w3.org/2000/svg\"/>')"
CELLS = [
    ("import numpy as np\nx = np.array([0.25, 1.0])", "", None),
    ("print(x)", "[0.25 1.  ]\n", None),
    (
        "print('a', x * 2)",
        "a [0.5 3. ]\n",
        ", line 1 of its output: element [1]: expected 3., got 2.",
    ),
    ("print('missing')", "", ", line 1 of its output: expected nothing more, got missing"),
    ("pass", "left over\n", ", line 1 of its output: expected left, got nothing more"),
    ("x", "", ", line 1 of its output: element [1]: expected 1.01, got 1."),
    ("import sys\nprint('oh', file=sys.stderr)", "", ": writes to stderr"),
    ("print(1)", "1\n", ": is stored as In [None], and is code cell 8"),
    ("print(1)", "2\n", ", line 1 of its output: expected 2, got 1"),  # not its count
    ("1 / 1", "", ", line 1 of its output: expected NameError"),
    (SVG, "", ": shows image/svg+xml, which is not compared"),
    ("print('a')\n'b'", "a\n'b'\n", ": stores stream of text, and shows stream of text; exec"),
    (
        "def half(x):\n    return x / 0\n\n\nhalf(1)",
        "",
        ", line 5: raises ZeroDivisionError: divis",
    ),
    ("print('never')", "never\n", "not run, because cell In [13] (cell-13) failed"),
]


def test_each_cell_is_compared_where_it_stands(project: Project) -> None:
    path = project.notebook("book.ipynb", *((code, printed) for code, printed, _ in CELLS))
    book = nbformat.read(path, 4)
    data = {"text/plain": "array([0.25, 1.01])"}
    error = nbformat.v4.new_output("error", ename="NameError", evalue="x", traceback=[])
    book.cells[5].outputs = [nbformat.v4.new_output("execute_result", data, execution_count=6)]
    book.cells[7].execution_count, book.cells[8].execution_count = None, 2
    book.cells[9].outputs = [error]
    book.cells[1].metadata.tags = ["skip-execution"]  # no tag leaves a cell out
    book.cells[12].metadata.tags = ["raises-exception"]
    nbformat.write(book, path)
    outcome = project.run("-rs")
    assert outcome.counts == {"passed": 2, "failed": 11, "skipped": 1}
    for number, (_, _, message) in enumerate(CELLS, 1):
        cell = f"book.ipynb:cell In [{number}] (cell-{number})" * (number < len(CELLS))
        assert (f"{cell}{message}" if message else "    half(1)") in outcome.text


def test_an_empty_cell_is_no_example_and_stores_nothing(project: Project) -> None:
    path = project.notebook("book.ipynb", ("", ""), ("", "1\n"))
    first, *rest = parse_notebook(str(path), path.read_text())
    assert rest == []
    with pytest.raises(ExampleFailure, match="stores an output and has no code"):
        first.check(Run(Settings()))


BAD = {
    "": "is not JSON",
    "{": "is not JSON",
    "[]": "is JSON, but not a notebook",
    "{}": "is JSON, but not a notebook",
    '{"nbformat": 3}': "has notebook format 3: save it in format 4",
    '{"nbformat": 4}': "is not a valid notebook",
    '{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [{}]}': "is not a valid note",
}


@pytest.mark.parametrize(("text", "problem"), BAD.items())
def test_a_file_that_is_no_notebook_is_told_in_one_line(text: str, problem: str) -> None:
    with pytest.raises(ExampleFailure, match=rf"^book\.ipynb:1: {problem}[^\n]*$"):
        list(parse_notebook("book.ipynb", text))


def test_images_are_compared_by_their_pixels(project: Project) -> None:
    draw = "from PIL import Image\nfor _ in range(2):\n    display(Image.new('RGB', (40, 40), {}))"
    red = (draw.format("'red'"), "")
    path = project.notebook("book.ipynb", red, red, red, red)
    assert project.run("--update-outputs").passed == 4
    assert project.run().passed == 4
    book = nbformat.read(path, 4)
    blue, larger, other_kinds, fewer = book.cells
    blue.source = draw.format("'blue'")
    larger.source = blue.source.replace("(40, 40)", "(40, 41)")  # the text of an image has its size
    for output in other_kinds.outputs:
        del output.data["text/plain"]
    del fewer.outputs[1]
    nbformat.write(book, path)
    outcome = project.run()
    assert outcome.failed == 4
    for place in (
        "[1] (cell-1), image 1 of its output: differs from the drawn",
        "[2] (cell-2), line 1 of its output: expected 40x40, got 40x41",
        "[3] (cell-3), line 1 of its output: expected nothing more",
        "[4] (cell-4), line 1 of its output: expected nothing more",
    ):
        assert f"cell In {place}" in outcome.text


def test_a_cell_is_left_out_for_a_reason_alone(project: Project) -> None:
    cells = [
        ("x = 1", ""),
        ("# not run: it needs four GPUs\nx = 1 / 0", ""),
        ("# not run\n1", ""),
        ("print(x)", "1\n"),
    ]
    project.notebook("book.ipynb", *cells)
    outcome = project.run()
    assert outcome.counts == {"passed": 2, "failed": 1, "skipped": 1}
    assert ": not run: it needs four GPUs" in outcome.text
    assert "begin the cell with # not run: the reason" in outcome.text
