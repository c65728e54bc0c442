"""Bad files and bad code get one clear line, and do not stop the others."""

import pytest

from tests.tensor_examples.elsewhere import Project

GOOD = "```python\nprint(1)\n```\n\n```output\n1\n```\n"


def test_a_page_that_is_not_utf_8(project: Project) -> None:
    project.write("good.md", GOOD)
    project.write("page.md", "").write_bytes(b"# Title\n\nna\xefve\n")
    outcome = project.run()
    assert "page.md:3: is not UTF-8: save it in that encoding" in outcome.text
    assert "Traceback" not in outcome.text
    assert outcome.passed == 1


def test_a_byte_order_mark_is_no_mistake(project: Project) -> None:
    project.write("page.md", "\ufeff" + GOOD)
    assert project.run().passed == 1


@pytest.mark.parametrize("name", ["book.ipynb", "module.py"])
def test_a_file_of_another_kind(project: Project, name: str) -> None:
    project.write(name, "{ not this")
    outcome = project.run()
    assert f"{name}:1: is not" in outcome.text
    assert "Traceback" not in outcome.text
    assert outcome.failed == 1


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
    project.write("page.md", f"```python\n{code}\n```\n")
    outcome = project.run("--example-timeout=0.2")
    assert problem in outcome.text
    assert len(outcome.text) < 3000
    assert (outcome.passed, outcome.failed) == (1, 1)


def test_a_notebook_that_does_not_end(project: Project) -> None:
    project.notebook("book.ipynb", ("print(1)", "1\n"), ("while True:\n    pass", ""), ("1", ""))
    outcome = project.run("--example-timeout=1")
    assert "cell In [2] (cell-2), line 1: ran for more than 1 seconds" in outcome.text
    assert "cell In [3] (cell-3): not run, because cell In [2] (cell-2) failed" in outcome.text
    assert outcome.passed == 1


def test_a_notebook_that_ends_its_kernel(project: Project) -> None:
    project.notebook("book.ipynb", ("import os\nos._exit(1)", ""), ("1", ""))
    assert "cell In [1] (cell-1): ended the kernel" in project.run().text


def test_a_notebook_for_an_unknown_kernel(project: Project) -> None:
    path = project.notebook("book.ipynb", ("print(1)", "1\n"))
    kernel = '"metadata": {"kernelspec": {"name": "fortran", "display_name": "F"}},\n "nbformat"'
    path.write_text(path.read_text().replace('"metadata": {},\n "nbformat"', kernel))
    assert "needs a kernel that is not installed: fortran" in project.run().text
