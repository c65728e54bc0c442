"""The record of what was verified, and whether a page is still the one that was."""

import json
import re
from importlib import metadata
from pathlib import Path

import pytest

from tensor_examples import plugin, record
from tensor_examples.example import Settings
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


def test_what_was_verified_is_left_out_until_something_changes(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write("mine/__init__.py", "x = 1\n")
    data = project.write("mine/data.json", "1")
    page = project.write("page.md", block("import mine\nprint(mine.x)", "1"))
    project.write("other.md", block("print(2)", "2"))
    of_the_run = ["--record=out/record.json"]

    def compared(*options: str) -> int:
        """Return how many outputs are compared by a run that leaves out what was verified."""
        run = project.run("--unverified", *of_the_run, *options)
        counted = re.search(r"(\d+) outputs? of", run.text)
        assert not run.failed
        return int(counted[1]) if counted else 0

    assert compared() == 2
    before = (project.folder / "out/record.json").read_text()
    assert compared() == 0
    assert (project.folder / "out/record.json").read_text() == before, "what is left out stays"
    page.write_text(block("import mine\nprint(mine.x + 1)", "2"))
    assert [compared(), compared()] == [1, 0]
    data.write_text("2")
    assert [compared(), compared()] == [1, 0]
    assert [compared("--exact-outputs"), compared("--exact-outputs")] == [2, 0]
    assert compared() == 0, "it was compared more strictly"
    recorded(project)
    assert compared("--exact-outputs") == 2
    monkeypatch.setattr(record, "FORMAT", record.FORMAT + 1)
    assert compared() == 2


def test_other_checks_verify_all_anew(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.write("page.md", block("print(2)", "2"))
    recorded(project)
    whole = record.read_record(project.folder / "out" / "record.json")

    def left_out(checks: str, settings: Settings) -> list[str]:
        return list(record.still_right(whole, project.folder, settings, checks))

    checks = record.hash_of_checks("marks")
    assert whole is not None
    whole["checks"] = checks
    assert left_out(checks, Settings()) == ["page.md"]
    whole["rules"].remove("prose")
    assert left_out(checks, Settings()) == []
    whole["rules"].append("prose")
    assert left_out(record.hash_of_checks("other marks"), Settings()) == []
    monkeypatch.setattr(record, "hash_of", lambda place: "other code of the checks")
    assert left_out(record.hash_of_checks("marks"), Settings()) == []
    monkeypatch.undo()
    torch = list(metadata.distributions(name="torch"))
    monkeypatch.setattr(metadata, "distributions", lambda **which: torch)  # nothing else
    assert left_out(record.hash_of_checks("marks"), Settings()) == []


def test_no_run_hashes_what_it_does_not_record(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write("page.md", block("import os\nprint(1)", "1"))

    def hashed(*_: object) -> str:
        raise AssertionError("to hash all that is installed takes a second")

    monkeypatch.setattr(record, "hash_of_checks", hashed)
    monkeypatch.setattr(plugin, "project_code", hashed)
    assert project.run().passed == 1


def test_unverified_needs_to_know_what_was_verified(project: Project) -> None:
    assert "--unverified needs --record" in project.run("--unverified").text


def test_a_record_of_another_format_is_none(tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    assert record.read_record(path) is None
    path.write_text('{"format": 0}')
    assert record.read_record(path) is None
