"""`--update-outputs` writes what the code prints, and not one byte more."""

from pathlib import Path

import nbformat
import pytest

from tests.tensor_examples.elsewhere import Project

PAGE = """
    # A page   \t

    ```python
    import torch
    print(torch.tensor([0.25, 0.75]))
    ```

    ```output heat="a" caption="b"
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

REFRESHED = (
    PAGE.replace("0.2500]", "0.7500]")
    .replace(
        'two")\n       ```\n',
        'two")\n       ```\n\n       ```output\n       one\n\n       two\n       ```\n',
    )
    .replace("> 2\n    > 1\n", "> 3\n")
)


@pytest.mark.parametrize("newline", [b"\n", b"\r\n"])
def test_a_page_changes_where_its_outputs_are_wrong(project: Project, newline: bytes) -> None:
    path = project.write("page.md", PAGE)
    path.write_bytes(path.read_bytes().replace(b"\n", newline))
    refreshed = project.write("expected", REFRESHED).read_bytes().replace(b"\n", newline)
    outcome = project.run("--update-outputs")
    assert path.read_bytes() == refreshed
    assert "page.md:9: 1 number(s) changed, by up to 0.5000" in outcome.text
    assert "page.md:15: an output was missing" in outcome.text
    assert "page.md:23: was 2, now 3" in outcome.text

    assert project.run("--exact-outputs").passed == 3
    project.run("--update-outputs")
    assert path.read_bytes() == refreshed


def test_an_output_may_be_missing_at_the_very_end(project: Project) -> None:
    path = project.write("page.md", "```python\nprint(1)\n```")
    project.run("--update-outputs")
    assert path.read_text() == "```python\nprint(1)\n```\n\n```output\n1\n```"


def test_an_output_that_is_no_more_becomes_empty(project: Project) -> None:
    path = project.write("page.md", "```python\nx = 1\n```\n\n```output\n1\n```\n")
    project.run("--update-outputs")
    assert path.read_text() == "```python\nx = 1\n```\n\n```output\n```\n"
    assert project.run().passed == 1


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
    assert "1 number(s)" not in outcome.text
    assert "book.ipynb:4: was 1, now 2" in outcome.text
    refreshed = path.read_text()
    book.cells[0].outputs[0].text = "2\n"
    added = [
        nbformat.v4.new_output("stream", name="stdout", text="ü\n"),
        nbformat.v4.new_output("execute_result", {"text/plain": "3"}, execution_count=2),
    ]
    book.cells[1].execution_count, book.cells[1].outputs = 2, added
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
    assert "book.ipynb:4: was 2, now 1" in project.run("--update-outputs").text


def unchanged(project: Project, path: Path) -> str:
    before = path.read_bytes()
    text = project.run("--update-outputs").text
    assert path.read_bytes() == before
    return text


def test_a_file_whose_code_raises_is_left_alone(project: Project) -> None:
    page = "```python\nprint(1)\n```\n\n```output\n2\n```\n\n```python\n1 / 0\n```\n"
    text = unchanged(project, project.write("page.md", page))
    assert "page.md:10: raises ZeroDivisionError" in text
    assert "page.md: left as it was, because some of its code failed" in text


def test_a_notebook_that_raises_is_left_alone(project: Project) -> None:
    text = unchanged(project, project.notebook("book.ipynb", ("print(1)", ""), ("1 / 0", "")))
    assert "book.ipynb: left as it was" in text


UNWRITABLE = {
    "a fence in an output": ("page.md", "```python\nprint('`' * 3)\n```\n"),
    "a prompt": ("module.py", '"""\n>>> print(">>> 1")\n"""\n'),
    "quotes": ("module.py", '"""\n>>> print(chr(34) * 3)\n"""\n'),
    "a backslash": ("module.py", '"""\n>>> chr(92)\n"""\n'),
}


@pytest.mark.parametrize(("name", "text"), UNWRITABLE.values(), ids=UNWRITABLE.keys())
def test_what_would_not_read_back_is_not_written(project: Project, name: str, text: str) -> None:
    assert "prints what cannot be written below it" in unchanged(project, project.write(name, text))


def test_other_files_are_refreshed_all_the_same(project: Project) -> None:
    project.write("bad.md", "```python\n1 / 0\n```\n")
    good = project.write("good.md", "```python\nprint(1)\n```\n")
    project.run("--update-outputs")
    assert "```output\n1\n```" in good.read_text()


def test_one_path_can_be_refreshed(project: Project) -> None:
    one, other = (project.write(name, "```python\nprint(1)\n```\n") for name in ("a.md", "b.md"))
    project.run("--update-outputs", "a.md")
    assert "output" in one.read_text()
    assert "output" not in other.read_text()


@pytest.mark.parametrize("option", ["--exact-outputs", "--record=record.json"])
def test_a_refresh_compares_nothing(project: Project, option: str) -> None:
    assert "--update-outputs compares nothing" in project.run("--update-outputs", option).text
