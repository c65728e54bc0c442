"""A page on paper."""

import io
import re
from collections.abc import Iterable, Iterator

import pytest
from playwright.sync_api import Browser, Page, expect
from pypdf import PdfReader

STEP = "steps/induction/"


@pytest.fixture(scope="module", params=[True, False], ids=["scripts", "no scripts"])
def reader(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
    """Open a tab of a reader whose screen is dark."""
    page = browser.new_page(color_scheme="dark", java_script_enabled=request.param)
    yield page
    page.close()


def sheets_of(page: Page) -> list[str]:
    """Return the words of each sheet of the page that is open, as it is printed."""
    return [sheet.extract_text() for sheet in PdfReader(io.BytesIO(page.pdf(format="A4"))).pages]


def words_of(sheets: Iterable[str]) -> str:
    return " ".join(" ".join(sheets).split())


def test_paper_has_all_that_is_read_and_nothing_to_click(address: str, reader: Page) -> None:
    reader.goto(address + STEP)
    sheets = sheets_of(reader)
    assert all(words.strip() for words in sheets), "no sheet is empty"
    paper = words_of(sheets)
    for words in ("expected, weights = layer_2(x)", "[0.0194, 0.9611, 0.0194, 0.0000, 0.0000]"):
        assert words in paper
    places = [paper.index(words) for words in ("Remember", "Build it", "Solution of my_induction")]
    assert sorted(places) == places, "the solution comes last"
    for words in ("Table of contents", "Skip to content", "Search", "Copy", "Download", "Previous"):
        assert words not in paper


def test_paper_has_home_as_it_rests(address: str, reader: Page) -> None:
    reader.goto(address)
    words = words_of(sheets_of(reader))
    assert "water" in words
    assert "ducks" not in words, "what the model said before it had learned"


def lay_out(page: Page, address: str) -> None:
    """Open a page with the styles for paper, as wide as paper is."""
    page.emulate_media(color_scheme="dark")
    page.goto(address)
    page.set_viewport_size({"width": 560, "height": 900})
    page.emulate_media(media="print")


def test_paper_is_white_although_the_screen_is_dark(address: str, page: Page) -> None:
    lay_out(page, address + "steps/queries-keys-and-values/")
    expect(page.locator("body")).to_have_attribute("data-md-color-scheme", "slate")
    colours = page.evaluate(
        """() => Object.fromEntries(["h1", "p", ".highlight code", "table th", "math"].map(
            (name) => [name, getComputedStyle(document.querySelector("article " + name)).color]))"""
    )
    for name, colour in colours.items():
        red, green, blue, *_ = re.findall(r"[\d.]+", colour)
        assert max(map(int, (red, green, blue))) < 128, f"{name} is {colour}"
    cell = page.locator(".printed-matrix i").first.evaluate(
        "cell => { cell.style.color = 'var(--cell-full)'; return getComputedStyle(cell).color }"
    )
    assert cell == "rgb(146, 139, 125)", "the colour of a light screen"


@pytest.mark.parametrize("path", ["guides/mask-conventions/", "reference/layers/"])
def test_nothing_is_cut_off_on_paper(address: str, page: Page, path: str) -> None:
    lay_out(page, address + path)
    cut: list[str] = page.locator(
        "article code, article samp, article .formula, article table"
    ).evaluate_all(
        "boxes => boxes.filter(box => box.scrollWidth > box.clientWidth + 1).map(b => b.innerText)"
    )
    assert not cut
