"""The record of what was verified, and whether a page is still the one that was."""

import json
from pathlib import Path

import pytest

from tensor_examples import record
from tests.tensor_examples.elsewhere import Project

PAGE = "```python\nprint(1)\n```\n\n```output\n1\n```\n\n<!-- not run: why -->\n```python\n1\n```\n"


def recorded(project: Project, *arguments: str) -> dict[str, dict[str, object]]:
    project.run("--record=out/record.json", *arguments)
    written = record.read(project.folder / "out" / "record.json")
    assert written is not None
    pages: dict[str, dict[str, object]] = written["pages"]
    return pages


def test_a_right_page_is_recorded_and_a_changed_one_not_verified(project: Project) -> None:
    page = project.write("docs/page.md", PAGE)
    written = recorded(project)
    assert written == {
        "docs/page.md": {"sha256": record.sha256(PAGE.encode()), "outputs": 1, "not_run": 1}
    }
    whole = record.read(project.folder / "out" / "record.json")
    assert record.verified(whole, "docs/page.md", project.folder)
    page.write_text(PAGE + " ")
    assert not record.verified(whole, "docs/page.md", project.folder)
    assert not record.verified(whole, "docs/other.md", project.folder)
    assert not record.verified(None, "docs/page.md", project.folder)


def test_a_page_is_recorded_only_when_all_of_it_was_right(project: Project) -> None:
    project.write("page.md", PAGE)
    project.write("wrong.md", PAGE.replace("output\n1", "output\n2"))
    assert recorded(project).keys() == {"page.md"}
    assert recorded(project, "page.md::line:2").keys() == set()


def test_the_record_says_how_and_where(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    project.write("page.md", PAGE)
    recorded(project, "--exact-outputs")
    written = json.loads((project.folder / "out" / "record.json").read_text())
    assert written["date"] == "1970-01-02"
    assert written["exact"] is True
    assert written["format"] == record.FORMAT
    assert written["torch"].startswith("2.")
    assert written.keys() >= {"python", "platform", "mutants"}


def test_a_test_can_add_figures_about_mutants(project: Project) -> None:
    project.write(
        "test_it.py", "def test(record_property):\n    record_property('mutants', {'a': 1})\n"
    )
    recorded(project)
    assert json.loads((project.folder / "out" / "record.json").read_text())["mutants"] == {"a": 1}


def test_a_record_of_another_format_is_none(tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    assert record.read(path) is None
    path.write_text('{"format": 0}')
    assert record.read(path) is None
