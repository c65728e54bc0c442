"""A browser that cannot draw is told of in a line."""

import re
from pathlib import Path

import pytest

from site_build import browser as drawing
from site_build.browser import BrowserError, draw_stills
from site_build.pytest_pages import problems_with_stills
from site_build.stage import Staged
from tests.conftest import ROOT

ONE = Staged("scores", "no page", {"six": 500})  # which has no numbers
KV_CACHE = ROOT / "docs" / "steps" / "kv-cache.md"


@pytest.fixture
def browser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return where a test writes what is taken for the browser."""
    path = tmp_path / "browser"
    monkeypatch.setattr(drawing, "NAMED", [str(path)])
    monkeypatch.setattr(drawing, "draws", drawing.launched)
    return path


@pytest.mark.parametrize(
    ("script", "told"),
    [("echo 'no screen' >&2; exit 3", "no screen"), ("exec /is/not/there", "not found")],
    ids=["ends", "is not there"],
)
def test_a_browser_that_cannot_be_used_is_one_line(browser: Path, script: str, told: str) -> None:
    browser.write_text(f"#!/bin/sh\n{script}", "utf-8")
    browser.chmod(0o700)
    with pytest.raises(BrowserError, match=rf"^{browser} cannot be used; .*CHROMIUM.*{told}"):
        draw_stills(ONE)
    # And so where figures are written, after the outputs: nothing dies of it.
    ((line, problem),) = problems_with_stills(KV_CACHE, ROOT, update=True)
    assert re.search(told, problem)
    assert "\n" not in problem
    assert line == 1


@pytest.mark.usefixtures("browser")
def test_no_browser_is_one_line_too() -> None:
    with pytest.raises(BrowserError, match=r"^no browser: install Chromium; .* was looked for$"):
        draw_stills(ONE)


@pytest.mark.usefixtures("playwright")
def test_a_script_that_fails_says_so() -> None:
    with pytest.raises(ValueError, match=r'^the script of the scene "scores" fails: .*TypeError'):
        draw_stills(ONE)
