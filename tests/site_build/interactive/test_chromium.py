"""Any browser draws a figure, and one that cannot is told of in a line."""

import re
from pathlib import Path

import pytest

from site_build.interactive import chromium
from site_build.interactive.chromium import BrowserError, draw_figure
from site_build.pytest_interactive import problems_with_figures
from tests.conftest import ROOT

KV_CACHE = ROOT / "docs" / "steps" / "kv-cache.md"
WITH_A_WINDOW = """
case " $* " in
*" --headless "*) echo "<body> <main>drawn</main>" ;;
*) echo "Missing X server or \\$DISPLAY" >&2; exit 1 ;;
esac
"""


@pytest.fixture
def browser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return where a test writes what is taken for the browser."""
    path = tmp_path / "browser"
    monkeypatch.setattr(chromium, "NAMED", [str(path)])
    monkeypatch.setattr(chromium, "PATIENCE", 0.2)
    return path


def write(path: Path, script: str) -> None:
    path.write_text(f"#!/bin/sh\n{script}", "utf-8")
    path.chmod(0o700)


def test_a_browser_that_would_open_a_window_is_asked_for_none(
    browser: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chromium, "PATIENCE", 100)
    write(browser, WITH_A_WINDOW)
    assert draw_figure("tiles", {}) == "drawn\n"


@pytest.mark.parametrize(
    ("script", "told"),
    [
        ("echo 'no screen' >&2; exit 3", "ended with 3: no screen"),
        ("sleep 100", "showed nothing in 0.2 seconds"),
        ("exec /is/not/there", "ended with 127: .*not found"),
    ],
    ids=["ends", "hangs", "is not there"],
)
def test_a_browser_that_cannot_be_used_is_one_line(browser: Path, script: str, told: str) -> None:
    write(browser, script)
    with pytest.raises(BrowserError, match=rf"^{browser} cannot be used; .*CHROMIUM.*{told}"):
        draw_figure("tiles", {})
    # And so where figures are written, after the outputs: nothing dies of it.
    ((line, problem),) = problems_with_figures(KV_CACHE, ROOT, update=True)
    assert re.search(told, problem)
    assert "\n" not in problem
    assert KV_CACHE.read_text("utf-8").split("\n")[line - 1].startswith("```hand ")


def test_no_browser_is_one_line_too(browser: Path) -> None:
    with pytest.raises(BrowserError, match=r"^no browser: install Chromium; .* was looked for$"):
        draw_figure("tiles", {})
