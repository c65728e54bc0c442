"""A page of fragments: a block that fails ends no page, and takes with it what needs it."""

import pytest

from tensor_examples import isolation
from tests.tensor_examples.elsewhere import Project, block

PAGE = "\n".join(
    [
        block("import math\nx = 1"),
        block("import math\nstep = 2\ny = 1 / 0\nz = math.pi"),  # line 7: fails at 9
        block("print(x + step)", "4"),  # wrong
        block("def f():\n    return z\n\n\nx = f()"),  # line 22: needs z
        block("x = 7\nprint(x, math.floor(2.5))", "7 2"),  # sets it anew
        block("print(z)", "1"),  # line 39: needs z
        block("model.fit(x)"),  # line 47
        block("%timeit f(x)"),  # line 51
        block("import mylib\nimport math.nothing"),  # line 55
        block("import math.nothing"),  # fails at line 60
        block("import math\nmath.sqrt(...)"),  # line 64
        block("row = [1]\nrow[..., 0]"),  # fails at line 70
    ]
)


def test_each_block_of_a_page_is_tried(project: Project) -> None:
    project.configure(fragments="true")
    told = project.told("page.md", PAGE)
    for failure in (
        "page.md:9: raises ZeroDivisionError",
        "page.md:18: expected 4, got 3",
        "page.md:60: raises ModuleNotFoundError: No module named 'math.nothing'",
    ):
        assert failure in told
    assert "line:22, line:39: not run: it needs 'z' of line 7, which failed or was not" in told
    assert "line:47: not run: no block above sets 'model'" in told
    assert "line:51: not run: it is not whole, or not Python" in told
    assert "line:55: not run: mylib is not installed" in told
    assert "line:64: not run: it has ... for what it leaves out" in told
    assert "page.md:70: raises TypeError" in told
    assert "4 failed, 2 passed, 6 skipped" in told
    project.configure()
    assert "1 failed, 1 passed, 10 skipped" in project.run().text


def test_a_block_that_ends_its_process_ends_the_page(project: Project) -> None:
    project.configure(fragments="true")
    page = block("import os\nos._exit(1)") + block("print(1)", "1")
    assert "page.md:2: ends its process" in project.told("page.md", page)
    assert project.run().counts == {"failed": 1, "skipped": 1}


def test_each_cell_of_a_notebook_is_tried(project: Project) -> None:
    project.configure(fragments="true")
    project.notebook(
        "book.ipynb",
        ("x = 1\n\n\ndef f():\n    return 1 / 0", ""),
        ("y = 2\nz = f()", ""),
        ("print(x + y)", "4\n"),
        ("%matplotlib inline\nprint(z)", ""),
        ("while True:\n    pass", ""),
        ("print(x)", "1\n"),
        ("pick()", ""),
        ("import mylib", ""),
    )
    told = project.run("--example-timeout=1")
    assert told.counts == {"passed": 2, "failed": 2, "skipped": 4}
    assert "cell In [2] (cell-2), line 2: raises ZeroDivisionError" in told.text
    assert "cell In [3] (cell-3), line 1 of its output: expected 4, got 3" in told.text
    assert "not run: it needs 'z' of cell In [2] (cell-2), which failed" in told.text
    assert "not run: no block above sets 'pick'" in told.text
    assert "not run: mylib is not installed" in told.text
    assert "cell:5: left after 1 seconds (see --example-timeout)" in told.text


@pytest.mark.parametrize("stop", ["", "import signal\nsignal.pthread_sigmask(0, [14])\n"])
def test_a_block_that_is_late_is_left_and_what_does_not_need_it_goes_on(
    project: Project, monkeypatch: pytest.MonkeyPatch, stop: str
) -> None:
    monkeypatch.setattr(isolation, "PATIENCE", 1)
    project.configure(fragments="true")
    endless = f"{stop}while True:\n    pass\ny = 1"
    project.write("other.md", block("print(1)", "2"))
    page = block("x = 1") + block(endless) + block("print(y)") + block("print(x)", "2")
    project.write("page.md", page)
    told = project.run("--example-timeout=1")
    assert "page.md::line:5: left after 1 seconds (see --example-timeout)" in told.text
    assert "other.md:6: expected 2, got 1" in told.text
    if stop:  # only the end of its process stops it
        assert "line:12, line:15: not run, because the block at line 5 failed" in told.text
    else:
        assert "line:10: not run: it needs 'y' of line 5, which failed" in told.text
        assert "page.md:17: expected 2, got 1" in told.text
    project.configure()
    assert project.run("--example-timeout=1").failed == 2, "a script may not be late"


def test_a_notebook_ends_whose_kernel_does_not_listen(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(isolation, "PATIENCE", 1)
    project.configure(fragments="true")
    endless = "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True:\n    pass"
    project.notebook("book.ipynb", ("print(1)", "2"), (endless, ""), ("print(1)", "1"))
    told = project.run("--example-timeout=1")
    assert told.counts == {"failed": 1, "skipped": 2}
    assert "cell In [1] (cell-1), line 1 of its output: expected 2, got 1" in told.text
    assert "cell:2: left after 1 seconds (see --example-timeout)" in told.text
    assert "cell:3: not run, because cell In [2] (cell-2) failed" in told.text
    project.configure()
    assert (
        "cell In [2] (cell-2): ran for more than 1 seconds"
        in project.run("--example-timeout=1").text
    )


def test_a_name_that_a_library_lacks_is_a_mistake(project: Project) -> None:
    project.configure(fragments="true")
    project.write("helper.py", "def f():\n    return nothing\n")
    told = project.told("page.md", block("from helper import f\nf()"))
    assert "page.md:3: raises NameError: name 'nothing' is not defined" in told


def test_the_value_that_ends_a_fragment_is_its_output_where_it_is_meant(project: Project) -> None:
    project.configure(fragments="true")
    page = [
        block("x = [1]\nx", "[1]"),
        block("print(2)\nx", "2\n[1]"),
        block("print(3)\nx", "3"),  # the value is not meant
        block("x", "[4]"),
        block("print(5)\nx", "6"),
    ]
    told = project.told("page.md", "".join(page))
    assert "page.md:31: element [0]: expected 4, got 1" in told
    assert "page.md:39: expected 6, got 5" in told
    assert "2 failed, 3 passed" in told
    project.run("--update-outputs")
    written = (project.folder / "page.md").read_text()
    assert written == "".join(page).replace("[4]", "[1]").replace("\n6\n", "\n5\n")
    project.configure()
    assert project.run().failed == 3
