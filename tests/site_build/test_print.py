"""A page on paper."""

import io
import re
from collections.abc import Iterable, Iterator

import pytest
from playwright.sync_api import Browser, Page, expect
from pypdf import PdfReader

STEP = "steps/induction/"
PADS = "steps/padding-masks/"


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


TO_TRY = [
    (PADS, ["Add blank pages until"], "“the” takes 0.51 from the blank pages."),
]


def test_paper_has_a_picture_where_nothing_was_tried(address: str, reader: Page) -> None:
    for path, to_try, picture in TO_TRY:
        reader.goto(address + path)
        sheets = sheets_of(reader)
        assert all(words.strip() for words in sheets), "no sheet is empty"
        unread = words_of(sheets)
        assert picture in unread
        for words in to_try:
            assert words not in unread
        if path == PADS:
            assert "Show the numbers" not in unread, "a button"
    reader.goto(address)
    words = words_of(sheets_of(reader))
    assert "water" in words
    assert "ducks" not in words, "what the model said before it had learned"


@pytest.mark.parametrize(("path", "to_try", "picture"), TO_TRY)
def test_paper_says_what_to_try_where_it_was_tried(
    address: str, page: Page, path: str, to_try: list[str], picture: str
) -> None:
    page.goto(address + path)
    page.locator("attention-toy").scroll_into_view_if_needed()
    page.locator(".toy-tray button").first.focus()
    page.locator("attention-toy.live").wait_for()
    tried = words_of(sheets_of(page))
    for words in to_try:
        assert words in tried
    assert tried.count(picture) <= 1, "one picture"


# Whether the picture of the toy is within the column; then how far from the start of each arc the
# next word is, as a share of the picture.
OFF = """() => {
  const svg = document.querySelector(".toy-stage > svg:not(.toy-printed)")
  const {left, right, width} = svg.getBoundingClientRect()
  const column = document.querySelector("article").getBoundingClientRect()
  const words = [...svg.querySelectorAll(".toy-on-paper text")]
    .map((word) => word.getBoundingClientRect())
  const arcs = [...svg.querySelectorAll(".toy-arcs path")].slice(0, words.length - 1)
    .map((arc) => arc.getPointAtLength(0).matrixTransform(arc.getScreenCTM()))
  return [left >= column.left && right <= column.right + 1, ...arcs.map((arc) =>
    Math.min(...words.map((word) =>
      Math.hypot(word.left + word.width / 2 - arc.x, word.top - arc.y) / width)))]
}"""


@pytest.mark.parametrize("width", [1440, 794])
def test_the_arcs_of_the_toy_begin_at_its_words_on_paper(
    address: str, page: Page, width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{address}toy/the-duck-likes-the-muddy-bank/")
    page.locator("attention-toy").scroll_into_view_if_needed()
    page.locator("attention-toy.live .toy-tray button").first.wait_for()
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 660, "height": 900})
    fits, *off = page.evaluate(OFF)
    assert fits
    assert max(off) < 0.04
    expect(page.locator(".toy-words")).to_be_hidden()


def test_paper_keeps_no_room_for_the_parts_of_a_toy_without_its_script(
    address: str, page: Page
) -> None:
    page.route("**/toy.js", lambda route: route.abort())
    lay_out(page, address + PADS)
    toy = page.locator("attention-toy")
    expect(toy.locator(".handout")).to_be_visible()
    for part in toy.locator("> :not(.handout)").all():
        assert part.bounding_box() is None


def lay_out(page: Page, address: str) -> None:
    """Open a page with the styles for paper, as wide as paper is."""
    page.emulate_media(color_scheme="dark")
    page.goto(address)
    page.set_viewport_size({"width": 560, "height": 900})
    page.emulate_media(media="print")


def test_paper_is_white_although_the_screen_is_dark(address: str, page: Page) -> None:
    lay_out(page, address + "steps/multi-head-attention/")
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
