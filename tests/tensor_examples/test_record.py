"""The record of what was verified, and whether a page is still the one that was."""

import json
from pathlib import Path

import pytest

from tensor_examples import record
from tensor_examples.project_modules import sha256
from tests.tensor_examples.elsewhere import Project, block

PAGE = f"{block('print(1)', '1')}\n<!-- not run: why -->\n{block('1')}"


def recorded(project: Project, *arguments: str) -> dict[str, dict[str, object]]:
    project.run("--record=out/record.json", *arguments)
    written = record.read_record(project.folder / "out" / "record.json")
    assert written is not None
    pages: dict[str, dict[str, object]] = written["pages"]
    return pages


def test_a_right_page_is_recorded_and_a_changed_one_not_verified(project: Project) -> None:
    page = project.write("docs/page.md", PAGE)
    about = {"sha256": sha256(PAGE.encode()), "code": {}, "outputs": 1, "not_run": 1}
    assert recorded(project) == {"docs/page.md": about}
    whole = record.read_record(project.folder / "out" / "record.json")
    assert record.verified(whole, "docs/page.md", project.folder)
    page.write_text(PAGE + " ")
    assert not record.verified(whole, "docs/page.md", project.folder)
    assert not record.verified(whole, "docs/other.md", project.folder)
    assert not record.verified(None, "docs/page.md", project.folder)


def test_a_page_is_not_verified_after_its_code_or_a_version_changed(project: Project) -> None:
    files = ["mine/__init__.py", "mine/core.py", "one.py", "other.py"]
    modules = [project.write(name, "x = 1\n") for name in files]
    page = block("from mine.core import x\nif x:\n    import one\nprint(x)", "1")
    project.write("page.md", page)
    project.notebook("book.ipynb", ("import one\nprint(one.x)", "1\n"))
    written = recorded(project)
    assert {name: sorted(about["code"]) for name, about in written.items()} == {  # type: ignore[call-overload]
        "page.md": ["mine", "one.py"],
        "book.ipynb": ["one.py"],
    }
    whole = record.read_record(project.folder / "out" / "record.json")
    assert whole is not None

    def verified(**changes: str) -> list[bool]:
        names = ["page.md", "book.ipynb"]
        return [record.verified({**whole, **changes}, name, project.folder) for name in names]

    # After a change of mine/__init__.py, mine/core.py, one.py, other.py.
    expected = [[False, True], [False, True], [False, False], [True, True]]
    for module, still_verified in zip(modules, expected, strict=True):
        assert verified() == [True, True]
        module.write_text("x = 2\n")
        assert verified() == still_verified
        module.unlink()
        assert verified() == still_verified
        module.write_text("x = 1\n")
    assert verified(python="3.10.1") == verified(torch="2.12.0") == [False, False]


def test_what_imported_code_imports_counts_as_well(project: Project) -> None:
    project.write("inner.py", "x = 1\n")
    project.write("outer.py", "from inner import x\n")
    project.write("page.md", block("from outer import x\nprint(x)", "1"))
    code = recorded(project)["page.md"]["code"]
    assert isinstance(code, dict)
    assert sorted(code) == ["inner.py", "outer.py"]


def test_a_page_is_recorded_only_when_all_of_it_was_right(project: Project) -> None:
    project.write("page.md", PAGE)
    project.write("wrong.md", PAGE.replace("output\n1", "output\n2"))
    assert recorded(project).keys() == {"page.md"}
    assert recorded(project, "page.md::line:2").keys() == set()


def test_the_record_says_how_and_where_and_what_a_test_adds(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    project.write("page.md", PAGE)
    project.write(
        "test_it.py", "def test(record_property):\n    record_property('mutants', {'a': 1})\n"
    )
    recorded(project, "--exact-outputs")
    written = json.loads((project.folder / "out" / "record.json").read_text())
    assert (written["date"], written["exact"]) == ("1970-01-02", True)
    assert (written["format"], written["mutants"]) == (record.FORMAT, {"a": 1})
    assert written["torch"].startswith("2.")
    assert written.keys() >= {"python", "platform"}


def test_a_record_of_another_format_is_none(tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    assert record.read_record(path) is None
    path.write_text('{"format": 0}')
    assert record.read_record(path) is None
