"""No run is silent about what it finds and does not run, or does not compare."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest

from tensor_examples.conventions import RULES, Dialect
from tensor_examples.example import Malformed, NotRun
from tensor_examples.notebooks import CellExample, parse_notebook
from tests.tensor_examples.elsewhere import Project, block
from tests.tensor_examples.project_files import NOTEBOOKS

# ---- pages

HUGGING_FACE = "```python\nprint(1)\n```\n\n```python out\n2\n```\n"
# Pages on which something is left out by default: its place, and what is said of it.
LEFT_OUT = {
    "another language": (f"{block('x = 1')}\n```py\n1 / 0\n```\n", 5, "write ```python instead of"),
    "an output in a fence of code": (HUGGING_FACE, 5, "write ```output instead of ```python out"),
    "an output without code": ("```output\n2\n```\n", 1, "this output has no python block"),
    "two outputs": (f"{block('print(1)', '1')}\n```output\n2\n```\n", 9, "this output has no"),
    "a fence that is not closed": (
        "```python\nprint(1)\n\n```output\n2\n```\n",
        1,
        "this fence is",
    ),
}


@pytest.mark.parametrize(("page", "line", "told"), LEFT_OUT.values(), ids=LEFT_OUT.keys())
def test_what_looks_like_an_example_is_listed_where_it_is_no_failure(
    project: Project, page: str, line: int, told: str
) -> None:
    project.configure()
    outcome = project.told("page.md", page)
    assert f"page.md::line:{line}: not compared: {told}" in outcome
    assert " 1 not run or not compared" in outcome
    assert "failed" not in outcome


def test_what_is_left_out_for_one_reason_is_one_line(project: Project) -> None:
    project.configure()
    said = project.told(
        "page.md", "```py\nx\n```\n\n<!-- not run: why -->\n" + "```py\nx\n```\n" * 2
    )
    assert "page.md::line:1, line:9: not compared: write ```python instead of ```py" in said
    assert "page.md::line:6: not run: why" in said
    assert "0 outputs of examples compared, 3 not run or not compared" in said


@pytest.mark.parametrize("outputs", ["python out", "Python out", "out"])
def test_an_output_may_be_marked_with_several_words(project: Project, outputs: str) -> None:
    project.configure(outputs=[outputs])
    path = project.write("page.md", HUGGING_FACE.replace("python out", f"{outputs} copy=false"))
    assert "page.md:6: expected 2, got 1" in project.run().text
    project.run("--update-outputs")
    assert path.read_text().endswith(f"```{outputs} copy=false\n1\n```\n")


@pytest.mark.parametrize(
    ("marks", "told"),
    [
        ({"languages": ("{code-cell}",)}, "examples_languages: no fence .* '{code-cell}'"),
        ({"outputs": ("out=1",)}, "examples_outputs: no fence .* 'out=1'"),
        ({"outputs": ("output", "{out}")}, "examples_outputs: no fence .* '{out}'"),
        ({"languages": (">>>",)}, "examples_languages: no fence .* '>>>'"),
        ({"outputs": ("python",)}, "examples_outputs: 'python' is the language of code"),
        ({"languages": ("py run",), "outputs": ("py",)}, "examples_outputs: 'py run' is the"),
        ({"languages": ("",), "outputs": ("",)}, "examples_outputs: '' is the language"),
    ],
)
def test_a_mark_that_matches_nothing_is_refused(marks: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        Dialect(**marks)


def test_a_setting_that_matches_nothing_is_named(project: Project) -> None:
    project.configure(languages=["{code-cell}"])
    assert "ERROR: examples_languages: no fence can have the language" in project.run().text


# ---- notebooks


def rewritten(path: Path, change: Callable[[Any], None] = lambda _: None, **form: Any) -> str:
    """Write a notebook in another form, and return its text."""
    book = json.loads(path.read_text())
    change(book)
    path.write_text(json.dumps(book, **form))
    return path.read_text()


def sources_as_strings(book: Any) -> None:
    for cell in book["cells"]:
        cell["source"] = "".join(cell["source"])


def turned_round(book: Any) -> None:
    for part in (book, *book["cells"]):
        for name in reversed(list(part)):
            part[name] = part.pop(name)


FORMS: dict[str, tuple[Callable[[Any], None], dict[str, Any]]] = {
    "two spaces": (lambda _: None, {"indent": 2}),
    "tabs and spaces": (lambda _: None, {"indent": "\t", "separators": (" ,", " : ")}),
    "another order": (turned_round, {"indent": 1}),
    "sources as strings": (sources_as_strings, {"indent": 1}),
    "one line": (lambda _: None, {}),
}
TEXT = "A text.\n\nIt is 0.7.\n```py\nx\n```"
CODE = "x = 6 * 7\ny = x  # 42"


def notebook_of(project: Project) -> Path:
    path = project.notebook("book.ipynb", ("print(1)", "2\n"), (CODE, ""), ("", ""), ("1 / 0", ""))
    book = nbformat.read(path, 4)
    book.cells.insert(0, nbformat.v4.new_markdown_cell(TEXT, id="text"))
    book.cells[1].metadata.alt = "It is 0.3."
    nbformat.write(book, path)
    return path


@pytest.mark.parametrize(("change", "form"), FORMS.values(), ids=FORMS.keys())
def test_a_notebook_is_read_in_whatever_form(
    project: Project, change: Callable[[Any], None], form: dict[str, Any]
) -> None:
    path = notebook_of(project)
    canonical = list(parse_notebook("book.ipynb", path.read_text()))
    text = rewritten(path, change, **form)
    form_problem, *found = parse_notebook("book.ipynb", text)
    assert [each.name for each in found if isinstance(each, CellExample)] == [
        "cell:1", "cell:2", "cell:3"
    ]  # fmt: skip
    assert isinstance(form_problem, Malformed)
    assert form_problem.rule == "form"
    assert [type(each) for each in found] == [type(each) for each in canonical]
    lines = text.split("\n")
    problems = {each.problem: each.line for each in found if isinstance(each, Malformed)}
    places = [
        ("0.7 is", "0.7"),
        ("0.3 is", "0.3"),
        ("write ```python", "```py"),
        ("nobody", "# 42"),
    ]
    for problem, place in places:
        (line,) = [line for told, line in problems.items() if told.startswith(problem)]
        assert place in lines[line - 1]
    for cell in [each for each in found if isinstance(each, CellExample)]:
        whole = "\n".join(lines[cell.line - 1 : cell.end - 1])
        assert json.dumps(cell.code.split("\n")[0])[1:-1] in whole


def test_a_wrong_output_is_found_in_a_notebook_of_another_form(project: Project) -> None:
    project.configure()
    path = notebook_of(project)
    rewritten(path)
    outcome = project.run()
    assert outcome.counts["failed"] == 2
    for told in ("(cell-1), line 1 of its output: expected 2, got 1", "raises ZeroDivisionError"):
        assert told in outcome.text


def test_it_is_written_anew_only_where_an_output_is_wrong(project: Project) -> None:
    project.configure()
    right = project.notebook("right.ipynb", ("print(1)", "1\n"))
    wrong = project.notebook("wrong.ipynb", ("print(1)", "2\n"), ("print(2)", "3\n"))
    before, written = rewritten(right, indent=2), wrong.read_text()
    rewritten(wrong, indent=2)
    said = project.run("--update-outputs").text
    assert "wrong.ipynb:1: written as Jupyter writes it: run this again" in said
    assert (right.read_text(), wrong.read_text()) == (before, written)
    project.run("--update-outputs")
    assert wrong.read_text() == written.replace('"2\\n', '"1\\n').replace('"3\\n', '"2\\n')


@pytest.mark.parametrize("minor", range(7))
@pytest.mark.parametrize("ids", [True, False])
def test_each_minor_format_that_jupyter_opens_is_read(
    project: Project, minor: int, ids: bool
) -> None:
    path = project.notebook("book.ipynb", ("print(1)", "1\n"))
    book = json.loads(path.read_text())
    book["nbformat_minor"] = minor
    if not ids:
        del book["cells"][0]["id"]
    (cell,) = parse_notebook("book.ipynb", json.dumps(book, indent=1, sort_keys=True))
    assert isinstance(cell, CellExample)


def test_an_output_that_is_not_compared_is_listed(project: Project) -> None:
    path = project.notebook("book.ipynb", ("1", ""), ("2", "2\n"))
    book = nbformat.read(path, 4)
    data = {"text/html": "<b>1</b>", "image/svg+xml": "<svg/>", "application/json": {}}
    book.cells[0].outputs = [
        nbformat.v4.new_output("display_data", data),
        nbformat.v4.new_output("stream", name="stderr", text="oh"),
    ]
    one, other = parse_notebook("book.ipynb", nbformat.writes(book))
    assert one.left_out(frozenset()) == "not compared: application/json, image/svg+xml, stderr"
    assert one.left_out(frozenset({"outputs"})) == "not compared: stderr"
    assert one.left_out(frozenset(RULES)) == other.left_out(frozenset()) == ""


@pytest.mark.parametrize("path", NOTEBOOKS, ids=[path.stem for path in NOTEBOOKS])
def test_no_cell_of_this_project_is_left_out(path: Path) -> None:
    found = parse_notebook(str(path), path.read_text("utf-8"))
    assert [each for each in found if isinstance(each, NotRun | Malformed)] == []
