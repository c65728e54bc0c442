"""Figures fail in pytest already, at their lines; the build would fail as well."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from pymdownx.superfences import SuperFencesException

from site_build.pytest_figures import problems_of
from tests.conftest import ROOT
from tests.site_build.markdown.plain_markdown import convert

PAGE = """# A page

```output name="a" columns="x y"
tensor([1., 2.])
```

```figure kind="bars" of="a"
Two bars.
```
"""
WRONG = {
    "a kind": ('kind="bars"', 'kind="barz"', 7, 'there is no kind "barz", but bars'),
    "a name": ('of="a"', 'of="b"', 7, "no such output; named on this page: a"),
    "an option of the figure": ('of="a"', 'of="a" captoin="x"', 7, "it has no use for captoin"),
    "names of an output": ("x y", "x y z", 7, "3"),
    "a fence": ('name="a"', 'name="a" "', 1, "line 3: cannot read"),
}


def test_a_figure_that_can_be_drawn_is_right() -> None:
    assert list(problems_of(PAGE, ROOT)) == []


@pytest.mark.parametrize(("old", "new", "line", "problem"), WRONG.values(), ids=WRONG.keys())
def test_a_wrong_figure_is_told_at_its_line(old: str, new: str, line: int, problem: str) -> None:
    ((told, said),) = problems_of(PAGE.replace(old, new), ROOT)
    assert (told, problem in said) == (line, True), said


def test_the_build_tells_the_same_line() -> None:
    with pytest.raises(SuperFencesException, match=r'^line 7: figure .*: there is no kind "barz"'):
        convert(PAGE.replace("bars", "barz"))


@pytest.mark.slow
def test_pytest_tells_it_of_a_page(tmp_path: Path) -> None:
    page = tmp_path / "docs" / "page.md"
    page.parent.mkdir()
    page.write_text(PAGE.replace("bars", "barz"))
    told = run(tmp_path)
    assert "1 failed" in told
    assert 'docs/page.md:7: there is no kind "barz"' in told
    # Its outputs are written first; this one has no code above it.
    told = run(tmp_path, "-p", "tensor_examples.plugin", "--update-outputs")
    assert "this output has no python block" in told
    assert "there is no kind" not in told


def run(folder: Path, *arguments: str) -> str:
    """Run pytest in a folder, with the plugin and without the settings of this project."""
    (folder / "pytest.ini").write_text("[pytest]\n")
    command = [sys.executable, "-m", "pytest", "-p", "site_build.pytest_figures", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "PYTEST_ADDOPTS": ""}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    ).stdout
