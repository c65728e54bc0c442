"""`--update-outputs` writes what the code prints, and not one byte more."""

import nbformat
import pytest

from tests.tensor_examples.elsewhere import Project, block

PAGE = """
    # A page   \t

    ```python
    import torch
    print(torch.tensor([0.25, 0.75]))
    ```

    ```output heat="torch" caption="b"
    tensor([0.2500, 0.2500])
    ```

    1. A list

       ```python
       print("one\\n\\ntwo")
       ```

    > ~~~~python
    > print(3)
    > ~~~~
    >
    > ~~~~output
    > 2
    > 1
    > ~~~~

    The end, without a new line"""

ADDED = "\n       ```output\n       one\n\n       two\n       ```\n"
REFRESHED = PAGE.replace("0.2500]", "0.7500]").replace("> 2\n    > 1\n", "> 3\n")
REFRESHED = REFRESHED.replace('two")\n       ```\n', f'two")\n       ```\n{ADDED}')


@pytest.mark.parametrize("newline", [b"\n", b"\r\n"])
def test_a_page_changes_where_its_outputs_are_wrong(project: Project, newline: bytes) -> None:
    path = project.write("page.md", PAGE)
    path.write_bytes(path.read_bytes().replace(b"\n", newline))
    refreshed = project.write("expected", REFRESHED).read_bytes().replace(b"\n", newline)
    outcome = project.run("--update-outputs")
    assert path.read_bytes() == refreshed
    assert "page.md:9: element [1]: was 0.2500, now 0.7500 (they differ by 0.5000)" in outcome.text
    assert "page.md:15: an output was missing" in outcome.text
    assert "page.md:23: was 2, now 3" in outcome.text

    assert project.run("--exact-outputs").passed == 3
    project.run("--update-outputs")
    assert path.read_bytes() == refreshed


WRONG, RIGHT = block("print(1)", "2"), block("print(1)", "1")
REWRITTEN = {
    "at the very end": (block("print(1)").rstrip("\n"), RIGHT.rstrip("\n")),
    "no more": (block("x = 1", "1"), block("x = 1", "").replace("output\n", "output", 1)),
    "mixed line ends": (f"\r\n\n{WRONG}", f"\r\n\n{RIGHT}"),
    "a byte order mark": (f"\ufeff{WRONG}", f"\ufeff{RIGHT}"),
}


@pytest.mark.parametrize(("page", "refreshed"), REWRITTEN.values(), ids=REWRITTEN.keys())
def test_an_output_is_rewritten(project: Project, page: str, refreshed: str) -> None:
    path = project.write("page.md", "")
    path.write_bytes(page.encode())
    project.run("--update-outputs")
    assert path.read_bytes() == refreshed.encode()
    assert project.run("--exact-outputs").passed == 1


DOCSTRING = '''
    class Number:
        """A number.

        >>> print([1.0,
        ...        2.0])
        [1.0]
        >>> print("a\\\\n\\\\nb")
        >>> 1 / 0
        Traceback (most recent call last):
            ...
        ZeroDivisionError: by zero

        The end.
        """
    '''.replace('"""A', 'r"""A').replace("\\\\", "\\")


def test_a_docstring_changes_where_its_outputs_are_wrong(project: Project) -> None:
    path = project.write("module.py", DOCSTRING)
    before = path.read_text()
    project.run("--update-outputs")
    assert path.read_text() == (
        before.replace("[1.0]\n", "[1.0, 2.0]\n")
        .replace('b")\n', 'b")\n    a\n    <BLANKLINE>\n    b\n')
        .replace("Error: by zero", "Error: division by zero")
    )
    assert project.run("--exact-outputs").passed == 3


def test_a_notebook_changes_where_its_outputs_are_wrong(project: Project) -> None:
    path = project.notebook(
        "book.ipynb", ("x = 2\nprint(x)", "1\n"), ("print('ü')\nx + 1", ""), ("print(5)", "5\n")
    )
    book = nbformat.read(path, 4)
    book.cells[1].execution_count = None
    book.cells[2].metadata.lists = [{"a": {}}, {}]
    book.metadata.authors = [{"name": "One"}]
    nbformat.write(book, path)
    outcome = project.run("--update-outputs")
    assert "book.ipynb:3: was 1, now 2" in outcome.text
    refreshed = path.read_text()
    book.cells[0].outputs[0].text = "2\n"
    book.cells[1].execution_count = 2
    book.cells[1].outputs = [
        nbformat.v4.new_output("stream", text="ü\n"),
        nbformat.v4.new_output("execute_result", {"text/plain": "3"}, execution_count=2),
    ]
    assert refreshed == nbformat.writes(book) + "\n"

    assert project.run("--exact-outputs").passed == 3
    project.run("--update-outputs")
    assert path.read_text() == refreshed


def test_a_notebook_is_written_as_jupyter_writes_it(project: Project) -> None:
    path = project.notebook("book.ipynb", ("print(1)", "2\n"))
    written = path.read_text()
    path.write_text(written.replace('"metadata": {},\n   "outputs"', '"metadata": { }, "outputs"'))
    assert "book.ipynb:1: is not written as Jupyter writes it: run" in project.run().text
    assert "written as Jupyter writes it: run this again" in project.run("--update-outputs").text
    assert path.read_text() == written
    assert "book.ipynb:3: was 2, now 1" in project.run("--update-outputs").text


RAISES = "page.md: left as it was: first mend what failed above"
UNWRITABLE = "prints what cannot be written below it"
LEFT_ALONE = {
    "an exception": ("page.md", f"{WRONG}\n{block('1 / 0')}", RAISES),
    "a fence in an output": ("page.md", block("print('`' * 3)"), UNWRITABLE),
    "a prompt": ("module.py", '"""\n>>> print(">>> 1")\n"""\n', UNWRITABLE),
    "quotes": ("module.py", '"""\n>>> print(chr(34) * 3)\n"""\n', UNWRITABLE),
    "a backslash": ("module.py", '"""\n>>> chr(92)\n"""\n', UNWRITABLE),
}


@pytest.mark.parametrize(("name", "text", "told"), LEFT_ALONE.values(), ids=LEFT_ALONE.keys())
def test_a_file_is_left_alone_and_others_are_not(
    project: Project, name: str, text: str, told: str
) -> None:
    path = project.write(name, text)
    other = project.write("other.md", block("print(1)"))
    assert told in project.run("--update-outputs").text
    assert path.read_text() == text
    assert other.read_text() == RIGHT


STATES = "It takes 0.31, or 31 %, twice 0.31<!-- x -->.\n"
TOLD = "x = 0.3125\nprint(x)"
NUMBERS_FIRST = {
    "a new page": block(TOLD),
    "code and sentence together": block(TOLD, "0.4"),
}


@pytest.mark.parametrize("page", NUMBERS_FIRST.values(), ids=NUMBERS_FIRST.keys())
def test_sentences_are_judged_by_the_new_outputs(project: Project, page: str) -> None:
    path = project.write("page.md", f"{STATES}\n{page}")
    assert project.run("--update-outputs").result.ret == 0
    assert path.read_text() == f"{STATES}\n{block(TOLD, '0.3125')}"
    assert project.run().failed == 0


TWO_BARS = '```stage bars of="parts"\nTwo bars, 0.25 and 0.75.\n```'


@pytest.mark.parametrize(
    ("above", "other"),
    [
        ("It has the shape (2, 3).", "It has the shape (2, 4)."),
        ("| a | 0.25 | 0.75 |", "| a | 0.75 | 0.25 |"),
        (TWO_BARS, TWO_BARS.replace("0.25", "0.50")),
    ],
    ids=["a shape", "a table", "a stage"],
)
def test_what_stands_above_its_output_is_judged_by_it(
    project: Project, above: str, other: str
) -> None:
    project.configure(rules=["all"], dialect="site_build.dialect:DIALECT")
    code = "import torch\n\nprint(torch.ones(2, 3).shape, torch.tensor([0.25, 0.75]))"
    empty = f'{block(code)}\n```output name="parts"\n```\n'
    printed = "torch.Size([2, 3]) tensor([0.2500, 0.7500])"
    path = project.write("page.md", f"{above}\n\n{empty}")
    assert project.run("--update-outputs").result.ret == 0
    assert path.read_text() == f"{above}\n\n{empty[:-4]}{printed}\n```\n"
    project.write("page.md", f"{other}\n\n{empty}")
    assert project.run("--update-outputs").result.ret == pytest.ExitCode.TESTS_FAILED
    assert printed in path.read_text()


def test_what_a_refresh_could_not_bind_is_told(project: Project) -> None:
    path = project.write("page.md", f"It takes 0.47.\n\n{block('print(0.3125)')}")
    outcome = project.run("--update-outputs")
    assert path.read_text().endswith(block("print(0.3125)", "0.3125"))
    assert "page.md:1: 0.47 is in no output and no code of this page" in outcome.text
    assert outcome.result.ret == pytest.ExitCode.TESTS_FAILED


def test_a_notebook_that_raises_is_left_alone(project: Project) -> None:
    path = project.notebook("book.ipynb", ("print(1)", ""), ("1 / 0", ""))
    before = path.read_bytes()
    assert "book.ipynb: left as it was" in project.run("--update-outputs").text
    assert path.read_bytes() == before


@pytest.mark.parametrize("option", ["--exact-outputs", "--record=record.json"])
def test_a_refresh_compares_nothing(project: Project, option: str) -> None:
    assert "--update-outputs compares nothing" in project.run("--update-outputs", option).text


FELL = "was True, and is False now, so nothing of this file is written"


@pytest.mark.parametrize("proof", ["equal: True", "equal: True\nequal: True"])
def test_a_proof_that_fails_is_not_written_unless_that_is_said(
    project: Project, proof: str
) -> None:
    page = block("print(1)", "2") + block("print('equal:', 1 > 2)", proof)
    path = project.write("page.md", page)
    outcome = project.run("--update-outputs")
    assert outcome.failed == 1
    assert f"page.md:13: {FELL}" in outcome.text
    assert path.read_text() == page
    assert project.run("--update-outputs", "--accept-false").failed == 0
    assert path.read_text() == page.replace("2\n```", "1\n```", 1).replace(proof, "equal: False")


def test_a_proof_of_a_notebook_is_not_written_either(project: Project) -> None:
    path = project.notebook("book.ipynb", ("print(1 > 2, 1 > 2)", "True False"))
    before = path.read_text()
    outcome = project.run("--update-outputs")
    assert f"book.ipynb:cell In [1] (cell-1): {FELL}" in outcome.text
    assert path.read_text() == before


def test_what_was_not_printed_before_may_be_false(project: Project) -> None:
    code = "print(1 < 2)\nprint(1 > 2)"
    path = project.write("page.md", block(code, "True"))
    assert project.run("--update-outputs").failed == 0
    assert path.read_text() == block(code, "True\nFalse")


def test_a_mask_may_change(project: Project) -> None:
    code = "import torch\nprint(torch.tensor([True, False]))\nprint(1 < 2)"
    path = project.write("page.md", block(code, "tensor([True, True])\nFalse"))
    project.run("--update-outputs")
    assert path.read_text() == block(code, "tensor([ True, False])\nTrue")
