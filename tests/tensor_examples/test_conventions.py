"""What the configuration of a project sets: the rules that hold, and the marks of its examples."""

import re

import nbformat
import pytest

from tensor_examples.conventions import ALWAYS, RULES, Dialect
from tensor_examples.example import Malformed
from tensor_examples.markdown import parse_page
from tests.tensor_examples.elsewhere import Project, block

MODULE = 'def double(x):\n    """Twice.\n\n    >>> double(2)\n    4\n    """\n    return 2 * x\n'
WARNS = "import sys\nprint('oh', file=sys.stderr)"
# A file for each rule, right but for that rule.
BROKEN = {
    "fences": ("fences.md", "```py\nprint(1)\n```\n"),
    "imports": ("module.py", MODULE),
    "outputs": ("outputs.md", block("print(1)")),
    "prose": ("prose.md", f"It is 0.25.\n\n{block('x = 1')}"),
    "stderr": ("stderr.md", block(WARNS)),
    "text": ("text.md", block("x = 6 * 7  # 42")),
}


def test_each_rule_can_be_switched(project: Project) -> None:
    for name, text in BROKEN.values():
        project.write(name, "").write_text(text)
    for rules in ([], ["all"], *([rule] for rule in BROKEN)):
        project.configure(rules=rules)
        told = project.run().text
        failed = {name for name, _ in BROKEN.values() if f"FAILED {name}::" in told}
        broken = BROKEN if rules == ["all"] else rules
        assert failed == {BROKEN[rule][0] for rule in broken}, rules


def test_rules_of_notebooks_can_be_switched(project: Project) -> None:
    cells = [("print(1)", "1\n"), (WARNS, ""), ("print(2)", "2\n"), ("1 / 0", ""), ("2 / 0", "")]
    path = project.notebook("book.ipynb", *cells)
    book = nbformat.read(path, 4)
    book.cells[0].execution_count = 7
    book.cells[2].outputs.append(nbformat.v4.new_output("stream", name="stderr", text="old"))
    error = nbformat.v4.new_output("error", ename="ZeroDivisionError", evalue="division by zero")
    book.cells[3].outputs, book.cells[4].outputs = (
        [error],
        [nbformat.from_dict({**error, "evalue": "others"})],
    )
    nbformat.write(book, path)
    project.configure(rules=["order"])
    told = project.run()
    assert told.counts == {"passed": 3, "failed": 2}
    assert "cell In [1] (cell-1): is stored as In [7]" in told.text
    assert "cell In [5] (cell-5), line 1 of its output: expected others, got division" in told.text
    project.configure(rules=["stderr"])
    told = project.run()
    assert told.counts == {"passed": 1, "failed": 3, "skipped": 1}
    assert "cell In [3] (cell-3): stores what was written to stderr" in told.text
    assert "cell In [4] (cell-4), line 1: raises ZeroDivisionError" in told.text


def test_without_rules_what_is_not_printed_fails_still(project: Project) -> None:
    project.configure()
    project.write("page.md", block("print(1)", "2"))
    project.write("other.md", block("1 / 0"))
    assert project.run().failed == 2


def test_a_rule_that_does_not_exist_is_named(project: Project) -> None:
    project.configure(rules=["prose", "dates"])
    told = project.run().text
    assert f"no rule is called dates; there are: {', '.join(RULES)}" in told


def test_nothing_is_checked_that_no_one_asked_for(project: Project) -> None:
    text = '[tool.pytest.ini_options]\naddopts = ["-p", "tensor_examples.plugin"]\n'
    (project.folder / "pyproject.toml").write_text(text)
    project.write("page.md", block("print(1)", "2"))
    assert project.run().counts == {}


def test_a_report_counts_what_would_fail_and_fails_nothing(project: Project) -> None:
    project.configure(rules=["prose"])
    project.write("page.md", f"It is 0.25.\n\n{block('print(1)', '2')}\n{block(WARNS)}")
    project.write("other.md", f"{block('1 / 0')}\n{block('print(1)', '1')}\n```py\n```\n")
    outcome = project.run("--examples-report")
    assert outcome.result.ret == 0
    counts = dict(re.findall(r"^(\w+) +(\d+) +(?:fails|off)", outcome.text, re.MULTILINE))
    assert {kind for kind, count in counts.items() if count == "1"} == {
        "differs", "fences", "prose", "raises", "stderr"
    }  # fmt: skip
    assert re.search(r"^prose +1  fails", outcome.text, re.MULTILINE)
    assert re.search(r"^stderr +1  off", outcome.text, re.MULTILINE)
    assert "  page.md:8: expected 2, got 1\n" in outcome.text


def test_a_report_lists_the_first_places_or_all(project: Project) -> None:
    project.write("page.md", "".join(block(f"print({n})", "7") for n in range(7)))
    for option, shown, told in (("-q", 5, "5 of 7 (-v shows all)"), ("-v", 7, "7 of 7")):
        text = project.run("--examples-report", option).text
        assert (text.count("expected 7, got"), f"differs, {told}:" in text) == (shown, True)


@pytest.mark.parametrize("other", ["--update-outputs", "--exact-outputs"])
def test_a_report_is_made_by_itself(project: Project, other: str) -> None:
    assert "--examples-report compares nothing" in project.run("--examples-report", other).text


def test_tolerances_are_settings(project: Project) -> None:
    project.write("page.md", block("print(1.26)", "1.20"))
    project.notebook("book.ipynb", ("print(1.26)", "1.20\n"))
    for name, value, failed in (("rtol", 0.04, 2), ("rtol", 0.06, 0), ("atol", 0.07, 0)):
        project.configure(**{name: str(value)})
        assert project.run().failed == failed
    assert project.run("--exact-outputs").failed == 2
    project.configure(atol="-1")
    assert "ERROR: examples_atol: expected a number from 0, got -1" in project.run().text


def test_a_notebook_without_outputs_is_run_and_asked_for_none(project: Project) -> None:
    project.configure()
    path = project.notebook("book.ipynb", ("print(1)", ""), ("1 / 0", ""))
    before = path.read_text()
    for option in ("-q", "--update-outputs"):
        told = project.run(option)
        assert (told.passed, told.failed) == (1, 1)
        assert "cell In [2] (cell-2), line 1: raises ZeroDivisionError" in told.text
        assert path.read_text() == before
    project.configure(rules=["outputs"])
    assert "cell In [1] (cell-1), line 1 of its output: expected nothing" in project.run().text


# ---- docstrings


def test_a_docstring_sees_the_names_of_its_module(project: Project) -> None:
    project.configure()
    package = project.write("src/package/__init__.py", "SIZE = 1\n").parent
    project.write("src/package/part.py", "")
    (package / "part.py").write_text(f"from package import SIZE\n\n\n{MODULE}")
    (package / "__init__.py").write_text(f"SIZE = 1\n\n\n{MODULE}".replace("double(2)", "SIZE * 4"))
    assert project.run().passed == 2


def test_a_module_that_cannot_be_imported_is_told_at_its_first_example(project: Project) -> None:
    project.configure()
    told = project.told("module.py", f"import nowhere\n\n\n{MODULE}")
    assert "module.py:7: is in a module that cannot be imported: ModuleNotFoundError" in told


def test_an_output_in_a_docstring_ends_with_its_fence(project: Project) -> None:
    project.configure()
    fenced = MODULE.replace("    >>>", "    ```python\n    >>>").replace("4\n", "4\n    ```\n")
    project.write("module.py", "").write_text(fenced)
    assert project.run().passed == 1


# ---- marks

COMMENTED = """\
> ```python
> x = 2
> print(x)
> #> 2
> print(x + 1)
> print()
> print(x + 2)
> #> 3
> #>
> #> 9
> ```
"""
SESSION = """\
1. ```pycon
   >>> x = 2
   >>> for y in range(2):
   ...     print(x + y)
   2
   9
   >>> 1 / 0
   Traceback (most recent call last):
   ZeroDivisionError: division by zero
   ```

   ```
   >>> x + 1
   3
   ```
"""
PLAIN = "```py\nprint(2)\n```\n\n```\n9\n```\n"
MARKED = {
    "in comments": ({"outputs": ["#>"]}, COMMENTED, 10, "expected 9, got 4", 2),
    "at the prompt": ({"outputs": ["output", ">>>"]}, SESSION, 6, "expected 9, got 3", 4),
    "in plain fences": ({"languages": ["py"], "outputs": [""]}, PLAIN, 6, "expected 9, got 2", 1),
}


@pytest.mark.parametrize(
    ("marks", "page", "line", "message", "examples"), MARKED.values(), ids=MARKED.keys()
)
def test_outputs_may_be_marked_otherwise(
    project: Project, marks: dict[str, list[str]], page: str, line: int, message: str, examples: int
) -> None:
    project.configure(**marks)
    path = project.write("page.md", page)
    outcome = project.run()
    assert (outcome.passed, outcome.failed) == (examples - 1, 1)
    assert f"page.md:{line}: {message}" in outcome.text
    project.run("--update-outputs")
    assert path.read_text() == page.replace("9", message[-1])


def test_a_missing_output_is_written_with_the_first_mark(project: Project) -> None:
    project.configure(rules=["outputs"], outputs=["#>", "output"])
    path = project.write("page.md", block("print(1)"))
    project.run("--update-outputs")
    assert path.read_text() == block("print(1)\n#> 1")


def test_a_missing_output_is_not_asked_for_and_not_written_without_the_rule(
    project: Project,
) -> None:
    project.configure()
    path = project.write("page.md", block("print(1)"))
    project.run("--update-outputs")
    assert path.read_text() == block("print(1)")


def test_a_comment_within_a_statement_holds_no_output() -> None:
    page = block("for x in (1, 2):\n    print(x)\n    #> 1\n#> 2")
    found = parse_page("page.md", page, Dialect(outputs=("#>",)))
    wrong = [each for each in found if isinstance(each, Malformed) and each.kind in ALWAYS]
    assert [each.line for each in wrong] == [4]
