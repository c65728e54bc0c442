"""The stamp of a page, about its outputs."""

import html
import platform
import re
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from site_build.blocks_and_cells import outputs_in
from site_build.page.stamp import shown_files, spelled, stamp, unproven
from tensor_examples.conventions import RULES
from tensor_examples.project_modules import sha256
from tensor_examples.record import FORMAT, versions
from tests.conftest import ROOT, sources

REFERENCE = [
    f"reference/{path.stem}"
    for path in sources(".md")
    if path.parent.name == "reference" and "\n::: " in path.read_text("utf-8")
]
EXAMPLE = "```python\nprint(1)\n```\n\n```output\n1\n```\n\n"
PACKAGE = "\n".join(
    ["from pack.first import double", "from pack.second import halve", "from pack.third import x"]
)
MODULE = '"""A module.\n\n>>> 1\n1\n"""\n'


def record_of(root: Path, outputs: Mapping[str, int], **changes: Any) -> dict[str, Any]:
    """Return the record of a run in which some files were right."""
    return {
        "format": FORMAT,
        "date": "2026-11-20",
        "exact": True,
        "rules": sorted(RULES),
        **versions(),
        "pages": {
            path: {
                "sha256": sha256((root / path).read_bytes()),
                "outputs": number,
                "code": {},
                "not_run": 0,
            }
            for path, number in outputs.items()
        },
        "mutants": {},
        **changes,
    }


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Make a project with pages, and a package whose docstrings one of them shows."""
    files = {
        "docs/two.md": EXAMPLE * 2,
        "docs/one.md": EXAMPLE,
        "docs/none.md": "No code.\n",
        "docs/api.md": "# API\n\n::: pack.double\n\n::: pack.halve\n",
        "src/pack/__init__.py": PACKAGE,
        "src/pack/first.py": MODULE,
        "src/pack/second.py": MODULE,
        "src/pack/third.py": MODULE,
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


def words(page: str, record: Mapping[str, Any] | None, root: Path) -> str | None:
    found = stamp(page, record, root)
    return found.words if found else None


def outputs_of(page: str) -> int:
    """Return how many outputs a page of this project shows, with those of docstrings."""
    return sum(outputs_in(path, text) for path, text in shown_files(page, ROOT))


def test_a_verified_page_says_how_many_when_and_with_what(root: Path) -> None:
    found = stamp("docs/two.md", record_of(root, {"docs/two.md": 2}), root)
    assert found is not None
    assert found.words == "2 outputs compared, digit by digit"
    assert (found.date, found.day) == ("2026-11-20", "20 November 2026")
    assert found.versions == f"torch 2.13.0, Python {platform.python_version()}"


@pytest.mark.parametrize(
    ("page", "changes", "not_run", "expected"),
    [
        ("docs/one.md", {}, 0, "1 output compared, digit by digit"),
        ("docs/two.md", {"exact": False}, 0, "2 outputs compared"),
        ("docs/two.md", {}, 1, "2 outputs compared, digit by digit, 1 not run"),
    ],
)
def test_the_words_say_no_more_than_was_done(
    root: Path, page: str, changes: dict[str, Any], not_run: int, expected: str
) -> None:
    record = record_of(root, {page: int(expected[0])}, **changes)
    record["pages"][page]["not_run"] = not_run
    assert words(page, record, root) == expected


def test_a_page_that_changed_says_so_and_no_date(root: Path) -> None:
    record = record_of(root, {"docs/two.md": 2})
    (root / "docs" / "two.md").write_text(EXAMPLE * 3)
    found = stamp("docs/two.md", record, root)
    assert found is not None
    assert found.words == "Changed since its 2 outputs were last compared"
    assert (found.date, found.day, found.versions) == ("", "", "")


def test_a_page_that_no_run_compared_says_so_if_it_has_outputs(root: Path) -> None:
    record = record_of(root, {"docs/one.md": 1})
    assert words("docs/two.md", record, root) == "Built without comparing its 2 outputs"
    assert words("docs/none.md", record, root) is None


def test_without_a_record_no_page_says_anything(root: Path) -> None:
    assert words("docs/two.md", None, root) is None
    assert words("docs/none.md", None, root) is None


def test_a_page_of_docstrings_speaks_of_their_modules(root: Path) -> None:
    modules = {"src/pack/first.py": 1, "src/pack/second.py": 1}
    record = record_of(root, modules)
    assert words("docs/api.md", record, root) == "2 outputs compared, digit by digit"
    (root / "src" / "pack" / "second.py").write_text(MODULE + "x = 1\n")
    assert words("docs/api.md", record, root) == "Changed since its 2 outputs were last compared"
    del record["pages"]["src/pack/first.py"]
    assert words("docs/api.md", record, root) == "Built without comparing its 2 outputs"


@pytest.mark.parametrize(
    ("outputs", "changes", "told"),
    [
        ({"docs/one.md": 1, "docs/two.md": 2}, {}, ""),
        ({"docs/one.md": 1}, {}, "docs/two.md: Built without comparing its 2 outputs"),
        ({}, {}, "docs/one.md: Built without comparing its 1 output (the first of 2)"),
        (
            {"docs/one.md": 1, "docs/two.md": 2},
            {"exact": False},
            "docs/one.md: 1 output compared (the first of 2)",
        ),
        ({}, {"rules": ["order", *sorted(RULES)[:-1]]}, "ran without these rules: text"),
    ],
)
def test_what_was_not_compared_digit_by_digit_is_named(
    root: Path, outputs: dict[str, int], changes: dict[str, Any], told: str
) -> None:
    pages = ["docs/none.md", "docs/one.md", "docs/two.md", "docs/made-by-the-build.md"]
    found = unproven(pages, record_of(root, outputs, **changes), root)
    assert told in found if told else found == ""


def test_what_was_changed_or_never_compared_is_named(root: Path) -> None:
    assert "docs/one.md: Built without" in unproven(["docs/one.md"], None, root)
    record = record_of(root, {"docs/one.md": 1})
    record["pages"]["docs/one.md"]["not_run"] = 1
    assert "digit by digit, 1 not run" in unproven(["docs/one.md"], record, root)
    (root / "docs/one.md").write_text(EXAMPLE * 2)
    assert "docs/one.md: Changed since" in unproven(["docs/one.md"], record, root)


def test_a_date_is_spelled_the_same_on_every_machine() -> None:
    assert spelled(date(2026, 3, 1)) == "1 March 2026"


# ---- on this project's pages ------------------------------------------------------------------


@pytest.mark.slow
def test_every_page_with_outputs_has_a_stamp() -> None:
    paths = sources(".md", ".ipynb")
    pages = {path.relative_to(ROOT).as_posix(): path for path in paths}
    shown = [file for page in pages for file in shown_files(page, ROOT)]
    record = record_of(ROOT, {path: outputs_in(path, text) for path, text in shown})
    for page, path in pages.items():
        outputs = outputs_of(page)
        counted = f"{outputs} output{'s' * (outputs != 1)} compared, digit by digit"
        assert words(page, record, ROOT) == (counted if outputs else None), page
        has_code = bool(re.search('```python|"cell_type": "code"', path.read_text("utf-8")))
        assert bool(outputs) == has_code or page[5:-3] in REFERENCE, page


@pytest.mark.parametrize("name", REFERENCE)
def test_the_reference_counts_the_outputs_that_it_shows(site: Path, name: str) -> None:
    """Those of docstrings, and of its own examples."""
    page = (site / name / "index.html").read_text("utf-8")
    blocks = re.findall(r'<div class="language-pycon.*?</pre>', page, re.DOTALL)
    text = "\n".join(html.unescape(re.sub("<[^>]*>", "", block)) for block in blocks)
    shown = re.findall(r"^(?:>>>|\.\.\.).*\n(?!>>>|\.\.\.|\n|$)", text, re.MULTILINE)
    own = page.count('<div class="language-output')
    assert len(shown) + own == outputs_of(f"docs/{name}.md")
