"""What depends on how wide letters are, with the fonts of one reader and with those of another."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Playwright, ViewportSize, expect

from site_build.browser import launched
from tests.site_build.axe import OF_SIZES, violations

WIDE = ViewportSize(width=1440, height=900)
PHONE = ViewportSize(width=390, height=844)
NARROW = ViewportSize(width=320, height=640)
# A file of each set. Liberation is as wide as Arial and Courier New; DejaVu is wider.
FONTS = {
    "fonts-dejavu-core": "DejaVuSans.ttf",
    "fonts-liberation": "LiberationSans-Regular.ttf",
}
# Pages with long words in tables, formulas and code.
FULL = [
    "guides/mask-conventions/",
    "reference/notation/",
    "steps/shared-heads/",
]
# The aliases, such as Liberation for Arial, are the system's.
SETTINGS = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/conf.d</include>
  <dir>{fonts}</dir>
  <cachedir>{cache}</cachedir>
</fontconfig>
"""


@pytest.fixture(scope="module", params=FONTS)
def browser(
    playwright: Playwright, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Browser]:
    """Return a browser that knows the fonts of one Debian package only."""
    found = next(Path("/usr/share/fonts").rglob(FONTS[request.param]), None)
    # As a missing browser: a reason to skip on somebody's machine, and a failure in CI.
    if found is None and "CI" not in os.environ:
        pytest.skip(f"{request.param} is not installed")
    assert found is not None, f"install {request.param}"
    folder = tmp_path_factory.mktemp("fonts")
    settings = folder / "fonts.conf"
    settings.write_text(SETTINGS.format(fonts=found.parent, cache=folder / "cache"), "utf-8")
    with launched(FONTCONFIG_FILE=str(settings)) as browser:
        yield browser


@pytest.mark.parametrize("path", FULL)
def test_what_is_wider_than_a_phone_is_scrolled_within_the_page(
    address: str, page: Page, path: str
) -> None:
    page.set_viewport_size(NARROW)
    page.goto(address + path)
    assert page.evaluate("document.documentElement.scrollWidth") == NARROW["width"]
    page.set_viewport_size(PHONE)
    assert not violations(page, runOnly=OF_SIZES)


def test_a_table_is_a_tab_stop_once_its_letters_are_too_wide(address: str, page: Page) -> None:
    page.set_viewport_size(WIDE)
    page.goto(address + "steps/heads-on-devices/")
    table = page.locator("article table").filter(visible=True).first
    stop = page.locator("article [tabindex]:has(> * > table)")
    # Wider letters as from another font: no line is broken, so that the box keeps its height.
    table.evaluate("(table) => { table.style.whiteSpace = 'nowrap' }")
    expect(stop).to_have_count(0)
    table.evaluate("(table) => { table.style.letterSpacing = '1em' }")
    expect(stop).to_have_count(1)
