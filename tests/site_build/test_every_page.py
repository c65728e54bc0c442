"""What holds on every page of the site, looked at in one load of each."""

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, Request, ViewportSize, expect

from tests.conftest import PAGES, ROOT
from tests.site_build.axe import OF_COLOURS, PAGE_ALONE, SIZES_AS_WELL, violations
from tests.site_build.printed_matrices import drawn, matrices_on
from tests.site_build.reading import read_through
from tests.site_build.test_axe import KINDS

WIDE = ViewportSize(width=1280, height=900)
PHONE = ViewportSize(width=390, height=844)
NARROW = ViewportSize(width=320, height=640)
KILOBYTE = 1000
HEADERS = 300  # of a response, about
TEXT = {".css", ".html", ".js", ".json", ".svg", ".xml"}


@dataclass
class Opened:
    """A page in the browser, what it fetched, and what was wrong while it loaded."""

    page: Page
    path: str = ""
    fetched: list[Request] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    first_visit: list[Request] = field(default_factory=list)  # without what is fetched further down


@pytest.fixture(scope="module")
def plain(browser: Browser) -> Iterator[Page]:
    """Return a tab of a reader who has switched JavaScript off."""
    context = browser.new_context(java_script_enabled=False)
    yield context.new_page()
    context.close()


@pytest.fixture(scope="module")
def tab(address: str, browser: Browser) -> Iterator[Opened]:
    """Return a tab without a cache: each page is the first that its reader visits."""
    context = browser.new_context(reduced_motion="reduce")
    page = context.new_page()
    context.new_cdp_session(page).send("Network.setCacheDisabled", {"cacheDisabled": True})
    tab = Opened(page)
    complain = tab.complaints.append
    page.on("requestfinished", lambda request: tab.fetched.append(request))
    page.on("console", lambda message: complain(f"console: {message.text}"))
    page.on("pageerror", lambda error: complain(f"error: {error}"))
    page.on("requestfailed", lambda request: complain(f"failed: {request.url}"))
    page.on(
        "request",
        lambda request: (
            None
            if request.url.startswith((address, "about:", "data:", "blob:"))
            else complain(f"another host: {request.url}")
        ),
    )
    yield tab
    context.close()


@pytest.fixture(scope="module", params=[*PAGES, "404.html"], ids=lambda path: path or "home")
def opened(address: str, tab: Opened, plain: Page, request: pytest.FixtureRequest) -> Opened:
    tab.page.goto("about:blank")  # ends what the page before may still fetch
    tab.fetched.clear()
    tab.complaints.clear()
    tab.path = request.param
    tab.page.set_viewport_size(WIDE)
    tab.page.emulate_media(color_scheme="light")
    response = tab.page.goto(address + tab.path)
    assert response is not None
    assert response.ok
    plain.goto(address + tab.path)  # meanwhile the other tab fetches what it needs
    tab.first_visit = tab.fetched
    if tab.page.locator("[data-needs]").count():
        tab.page.wait_for_load_state("networkidle")
        tab.first_visit = [*tab.fetched]
        read_through(tab.page)
    return tab


@pytest.fixture
def page(opened: Opened) -> Page:
    return opened.page


# Each block of code and of what it prints, and whether it shows that it goes on, if it does.
BLOCKS = """async () => {
  const folded = [...document.querySelectorAll("article details:not([open])")];
  for (const fold of folded) fold.open = true;
  for (const _ of [1, 2]) await new Promise(requestAnimationFrame);
  const found = [...document.querySelectorAll("article pre > :is(code, samp)")]
    .filter((block) => block.clientWidth)
    .map((block) => [block, ...block.querySelectorAll("span")]
      .find((box) => box.scrollWidth > box.clientWidth + 1 && box.clientWidth &&
        getComputedStyle(box).overflowX !== "visible"))
    .map((box) => box && [box.textContent.slice(0, 80), getComputedStyle(box).maskImage]);
  for (const fold of folded) fold.open = false;
  return found;
}"""


def words(page: Page) -> list[str]:
    """Return the words of a page that can be seen, but for what only a script can do."""
    found: list[str] = page.locator("article").evaluate(
        """(article) => {
            const scripted =
                "button:not(.guess *), attention-toy, watch-it-learn, whole-model, build-it, "
                + "hand-figure, .for-scripts"
            for (const part of article.querySelectorAll(scripted))
                part.style.display = "none"
            const words = article.innerText.split(/\\s+/)
            for (const part of article.querySelectorAll(scripted))
                part.style.removeProperty("display")
            return words
        }"""
    )
    return found


# The tests stand in the order of their windows: each change lays the page out anew.


WORDS_BEYOND = """() => [...document.querySelectorAll("article .figure svg text")]
  .filter((text) => {
    const {left, right, width} = text.getBoundingClientRect();
    const picture = text.closest("svg").getBoundingClientRect();
    return width && (left < picture.left - 1 || right > picture.right + 1);
  })
  .map((text) => text.textContent)"""


def test_no_word_of_a_figure_stands_beyond_its_picture(page: Page) -> None:
    assert page.evaluate(WORDS_BEYOND) == []


def test_it_says_the_same_without_javascript(page: Page, plain: Page) -> None:
    assert words(plain) == words(page)
    assert plain.locator("a[href]").filter(visible=True).count() > 12, "a way on"


def test_axe_finds_no_colour_that_is_hard_to_see_in_the_light(opened: Opened) -> None:
    opened.page.set_viewport_size(WIDE)
    if opened.path in KINDS:  # between them, these pages have every kind of element
        assert not violations(opened.page, within="article", runOnly=OF_COLOURS)


EDGES = """(all) => all.map((one) => {
  const {left, top, right, bottom} = one.getBoundingClientRect()
  return [left, top, right, bottom]
})"""
SIZES = """() => [...document.querySelectorAll(".printed-matrix i, .heat-map td")]
  .map((cell) => parseFloat(getComputedStyle(cell).fontSize))"""


@pytest.mark.parametrize(("window", "least"), [(WIDE, 13), (PHONE, 12)], ids=["wide", "phone"])
def test_the_digits_of_a_tensor_can_be_read(page: Page, window: ViewportSize, least: int) -> None:
    page.set_viewport_size(window)
    assert min(page.evaluate(SIZES), default=least) >= least


def test_an_answer_to_guess_is_large_enough_for_a_finger(page: Page) -> None:
    page.set_viewport_size(PHONE)
    buttons = page.locator(".guess button")
    for left, top, right, bottom in buttons.evaluate_all(EDGES):
        assert min(right - left, bottom - top) >= 44
        assert right <= PHONE["width"]
    guesses = page.locator(".guess").count()
    assert buttons.count() >= 2 * guesses
    assert page.locator(".guessed").count() == guesses


def test_axe_finds_nothing_on_a_phone_in_the_dark(opened: Opened) -> None:
    page = opened.page
    page.set_viewport_size(PHONE)
    if opened.path in KINDS:
        page.emulate_media(color_scheme="dark")
        expect(page.locator("body")).to_have_attribute("data-md-color-scheme", "slate")
        within = PAGE_ALONE if opened.path else "html"
        assert not violations(page, within, rules=SIZES_AS_WELL)


@pytest.mark.parametrize("window", [PHONE, NARROW], ids=["phone", "narrow"])
def test_hardly_a_block_scrolls_sideways_on_a_phone(page: Page, window: ViewportSize) -> None:
    page.set_viewport_size(window)
    blocks = page.evaluate(BLOCKS)
    wide = [block for block in blocks if block]
    assert len(wide) <= ceil(len(blocks) / 10), wide
    assert all("gradient" in edge for _, edge in wide), "an edge shows that it goes on"


def test_it_fits_a_narrow_phone(page: Page) -> None:
    page.set_viewport_size(NARROW)
    assert page.evaluate("document.documentElement.scrollWidth") == NARROW["width"]


def test_every_printed_tensor_has_cells_without_a_script(opened: Opened, plain: Page) -> None:
    name = opened.path.strip("/") or "index"
    printed = [
        matrix for source in (ROOT / "docs").glob(f"{name}.*") for matrix in matrices_on(source)
    ]
    # A page of the reference has its own order.
    order = json.dumps if name.startswith("reference/") else lambda matrix: ""
    assert sorted(drawn(plain), key=order) == sorted(printed, key=order)


# The last two come last, so that nothing is waited for.


def test_it_is_loaded_and_looked_at_without_a_complaint(opened: Opened) -> None:
    opened.page.wait_for_load_state("networkidle")
    assert not opened.complaints


def test_a_first_visit_is_light(opened: Opened, site: Path) -> None:
    opened.page.wait_for_load_state("networkidle")
    urls = {request.url for request in opened.first_visit}
    urls |= {worker.url for worker in opened.page.workers}
    limit = 120 if opened.path.startswith("notebooks/") else 100
    assert sum(weight(url, site) for url in urls if url.startswith("http")) < limit * KILOBYTE


def weight(url: str, site: Path) -> int:
    """Return the bytes of an answer, as a server sends it: compressed."""
    file = site / urlsplit(url).path.lstrip("/")
    file = file / "index.html" if file.is_dir() else file
    body = file.read_bytes()
    return HEADERS + len(gzip.compress(body, 6) if file.suffix in TEXT else body)
