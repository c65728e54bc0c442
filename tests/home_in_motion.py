"""The picture in motion of the README: the home page, as a visitor sees it for eight seconds.

    pytest tests/home_in_motion.py --record-results

films it anew. The name keeps pytest from collecting this file by itself; a scheduled workflow runs
it, and fails when the home page no longer does what the picture shows.
"""

from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image
from PIL.GifImagePlugin import GifImageFile
from playwright.sync_api import Browser, FloatRect, ViewportSize

from tests.conftest import ROOT
from tests.results import OPTION

PICTURE = ROOT / ".github" / "home.gif"
MEGABYTE = 1_000_000
COLOURS = 40
SIZE: ViewportSize = {"width": 900, "height": 600}
MARGIN = 16
BEFORE, EACH, AFTER = 1500, 150, 2500  # milliseconds


def filmed(browser: Browser, address: str) -> tuple[list[Image.Image], str]:
    """Return the training from its first step to its last, and what the drawing says of its end."""
    page = browser.new_page(viewport=SIZE, color_scheme="light", reduced_motion="reduce")
    page.goto(address, wait_until="networkidle")
    page.locator(".stage.live").wait_for()
    title, ways = page.locator("h1").bounding_box(), page.locator(".ways").bounding_box()
    assert title
    assert ways
    y = title["y"] - MARGIN
    shown = FloatRect(x=0, y=y, width=SIZE["width"], height=ways["y"] - y)
    handle = page.get_by_role("slider")
    last = int(handle.get_attribute("aria-valuemax") or 0)
    for _ in range(last):
        handle.press("ArrowLeft")
    seen: list[Image.Image] = []
    for moment in range(last + 1):
        if moment:
            handle.press("ArrowRight")
        picture = Image.open(BytesIO(page.screenshot(animations="disabled", clip=shown)))
        seen.append(picture.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE))
    last_words = handle.get_attribute("aria-valuetext") or ""
    page.close()
    return seen, last_words


def test_the_readme_shows_what_the_home_page_does(
    browser: Browser, address: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    (first, *others), last_words = filmed(browser, address)
    written = PICTURE if request.config.getoption(OPTION) else tmp_path / PICTURE.name
    durations = [BEFORE, *[EACH] * (len(others) - 1), AFTER]
    first.save(written, save_all=True, append_images=others, duration=durations, loop=0)
    assert written.stat().st_size < MEGABYTE
    with GifImageFile(written) as new, GifImageFile(PICTURE) as shown:
        assert (shown.size, shown.n_frames) == (new.size, new.n_frames)
    readme = (ROOT / "README.md").read_text("utf-8")
    assert last_words in " ".join(readme.split())
