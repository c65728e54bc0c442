"""Bad files and bad code get one clear line, and do not stop the others."""

import nbformat
import pytest

from tests.tensor_examples.elsewhere import Project, block

GOOD = block("print(1)", "1")
FILES = {
    "page.md": (b"# Title\n\nna\xefve\n", ":3: is not UTF-8: save it in that encoding"),
    "book.ipynb": (b"{ not this", ":1: is not JSON"),
    "module.py": (b"{ not this", ":1: is not Python"),
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


CODE = {
    "an endless loop": ("while True:\n    pass", "ran for more than 0.2 seconds"),
    "a loop that catches": (
        "while True:\n    try:\n        x = 1\n    except Exception:\n        pass",
        "ran for more than 0.2 seconds",
    ),
    "sys.exit": ("import sys\nsys.exit(0)", "calls sys.exit, which ends the reader's session"),
    "exit": ("raise SystemExit", "calls sys.exit, which ends the reader's session"),
    "megabytes": ("while True:\n    print('x' * 1000)", "printed more than 1000000 characters"),
    "an exception of its own": ("class Stop(BaseException): pass\nraise Stop(1)", "Stop: 1"),
}


@pytest.mark.parametrize(("code", "problem"), CODE.values(), ids=CODE.keys())
def test_code_that_does_not_end_well(project: Project, code: str, problem: str) -> None:
    project.write("good.md", GOOD)
    project.write("page.md", block(code))
    outcome = project.run("--example-timeout=0.2")
    assert problem in outcome.text
    assert len(outcome.text) < 3000
    assert (outcome.passed, outcome.failed) == (1, 1)


@pytest.mark.slow
def test_a_notebook_that_does_not_end(project: Project) -> None:
    project.notebook("book.ipynb", ("print(1)", "1\n"), ("while True:\n    pass", ""), ("1", ""))
    outcome = project.run("--example-timeout=1")
    assert "cell In [2] (cell-2), line 1: ran for more than 1 seconds" in outcome.text
    assert "cell In [3] (cell-3): not run, because cell In [2] (cell-2) failed" in outcome.text
    assert outcome.passed == 1


@pytest.mark.slow
def test_a_notebook_that_ends_its_kernel(project: Project) -> None:
    project.notebook("book.ipynb", ("import os\nos._exit(1)", ""), ("1", ""))
    assert "cell In [1] (cell-1): ended the kernel" in project.run().text


def test_a_notebook_for_an_unknown_kernel(project: Project) -> None:
    path = project.notebook("book.ipynb", ("print(1)", "1\n"))
    book = nbformat.read(path, 4)
    book.metadata.kernelspec = {"name": "fortran", "display_name": "F"}
    nbformat.write(book, path)
    assert "needs a kernel that is not installed: fortran" in project.run().text
