"""While a page loads: what is drawn before its scripts have run, and that nothing shifts."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, CDPSession, Page, expect

from tests.conftest import CHROMIUM
from tests.site_build.reading import Held, wait

FONT, STYLES, THEME = "**/math.woff2", "**/*.css", "**/bundle.*"

DRAWN = "performance.getEntriesByType('paint').length"

NOTE_MOVES = """globalThis.moved = []
const place = ({x, y, width, height}) => [x, y, width, height].join(" ")
new PerformanceObserver((shifts) => {
    for (const {startTime, sources} of shifts.getEntries())
        for (const {node, previousRect, currentRect} of sources) moved.push([
            startTime, node?.outerHTML?.slice(0, 100) ?? node?.textContent, place(previousRect),
            place(currentRect)
        ])
}).observe({type: "layout-shift", buffered: true})"""

# The network has a file a little before the page does, and on a busy machine that is long enough
# for a first drawing without it.
HAS_FONT = "performance.getEntriesByType('resource').some(({name}) => name.endsWith('.woff2'))"

# A busy machine may draw a page of which only a part has been read.
MOVED = """async () => {
    for (const _ of [1, 2]) await new Promise(requestAnimationFrame)
    const [{domInteractive}] = performance.getEntriesByType("navigation")
    return moved.filter(([at]) => at > domInteractive)
}"""


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """Return a tab of a reader who was never here."""
    context = browser.new_context()
    yield context.new_page()
    context.close()


def begin(page: Page, address: str) -> None:
    """Go to a page, and wait for nothing."""
    page.add_init_script(NOTE_MOVES)
    page.evaluate("(address) => { location = address }", address)
    page.wait_for_url(address, wait_until="commit")


def test_a_page_is_drawn_without_waiting_for_the_themes_script(address: str, page: Page) -> None:
    theme = Held(page, THEME)
    begin(page, address + NEEDED[0])
    wait(page, DRAWN)
    theme.let_go()
    wait(page, STARTED)


STARTED = "Boolean(window.alert$)"  # the theme has
# Scripts are fetched where they are needed, when that comes near the screen. Without one of them,
# its page says this all the same.
NEEDED = ("steps/tiles/", "merge it with the result so far, and forget it")
MISSING = {
    "javascripts/bundle.": NEEDED,
    "formula/card.js": NEEDED,
    "progress/progress.js": NEEDED,
    "build/build.js": ("steps/scores/", "Each answer is one score"),
    "stage/page.js": NEEDED,
    "copy/copy.js": ("steps/weights/", "Take this page with you"),
}

READ_THROUGH = """async () => {
    for (const part of document.querySelectorAll("[data-needs]")) {
        part.scrollIntoView()
        for (const _ of [1, 2]) await new Promise(requestAnimationFrame)
    }
}"""


@pytest.fixture(scope="module")
def returning(browser: Browser) -> Iterator[tuple[Page, CDPSession]]:
    """Return the tab of a reader who has the files of the pages before, and its network."""
    context = browser.new_context()
    page = context.new_page()
    network = context.new_cdp_session(page)  # a route would have all files fetched anew
    network.send("Network.enable")
    yield page, network
    context.close()


@pytest.mark.parametrize("script", MISSING)
def test_a_page_does_without_any_script_that_is_missing(
    address: str, returning: tuple[Page, CDPSession], script: str
) -> None:
    page, network = returning
    page.goto("about:blank")  # ends what the page before still does
    path, text = MISSING[script]
    wrong: list[str] = []
    missing: set[str] = set()  # a script is asked for again by the next part that needs it
    page.on("pageerror", lambda error: wrong.append(error.message))
    page.on("requestfailed", lambda request: missing.add(request.url))
    network.send("Network.setBlockedURLs", {"urls": [f"*/assets/{script}*"]})
    with page.expect_event("requestfailed"):
        page.goto(address + path)
        page.evaluate(READ_THROUGH)
    page.wait_for_load_state("networkidle")
    for _ in range(3):  # by then what was refused has been told
        page.evaluate("new Promise(requestAnimationFrame)")
    assert len(missing) == 1
    assert wrong == []
    expect(page.get_by_text(text).first).to_be_visible()
    if "bundle" not in script:
        wait(page, STARTED)
    page.unroute_all()


@pytest.fixture(scope="module")
def window(browser: Browser) -> Iterator[Browser]:
    """Start a browser whose boxes have scroll bars, as on most desktops."""
    browser = browser.browser_type.launch(
        executable_path=CHROMIUM, args=["--no-sandbox"], ignore_default_args=["--hide-scrollbars"]
    )
    yield browser
    browser.close()


@pytest.mark.parametrize(
    ("width", "path"),
    [
        (390, ""),
        (1350, "steps/why-divide-by-the-square-root/"),
        (390, "notebooks/003_formula_and_numbers/"),
        (1000, "reference/layers/"),
        (390, "guides/mask-conventions/"),  # a table on the first screen
    ],
)
def test_nothing_moves_when_the_scripts_start(
    address: str, site: Path, window: Browser, width: int, path: str
) -> None:
    page = window.new_page(viewport={"width": width, "height": 900})
    styles, theme = Held(page, STYLES), Held(page, THEME)
    begin(page, address + path)
    if ".woff2" in (site / path / "index.html").read_text():  # it has formulas
        wait(page, HAS_FONT)
    styles.let_go()
    wait(page, DRAWN)
    theme.let_go()
    page.wait_for_load_state("networkidle")
    assert page.evaluate(MOVED) == []
    page.close()


TITLE = """() => {
    const words = document.createRange()
    words.selectNodeContents(document.querySelector("article h1"))
    return words.getBoundingClientRect().width
}"""


def test_titles_keep_the_font_that_they_were_drawn_in(address: str, page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 900})
    font, theme = Held(page, FONT), Held(page, THEME)
    begin(page, address + "steps/weights/")
    wait(page, DRAWN)
    theme.let_go()
    page.wait_for_load_state("domcontentloaded")
    width = page.evaluate(TITLE)
    font.let_go()
    wait(page, HAS_FONT)
    page.wait_for_load_state("networkidle")
    page.evaluate("document.fonts.ready.then(() => {})")
    assert page.evaluate(TITLE) == width > 0
    assert page.evaluate(MOVED) == []


def test_the_font_is_fetched_together_with_the_styles(address: str, page: Page) -> None:
    Held(page, STYLES)
    with page.expect_request_finished(lambda request: request.url.endswith(".woff2")):
        begin(page, address + "steps/scores/")


def test_brackets_stretch_around_a_fraction(address: str, page: Page) -> None:
    """They do only in a font that is made for mathematics, and that was loaded."""
    page.goto(address + "reference/attention/")
    page.evaluate("document.fonts.ready")
    assert page.evaluate("document.fonts.check('16px \"STIX Two subset\"')")
    heights = page.evaluate(
        "[...document.querySelectorAll('math mo')].filter(o => o.textContent === '(')"
        ".map(o => o.getBoundingClientRect().height)"
    )
    assert max(heights) > 1.5 * min(heights)


def test_a_page_that_was_opened_as_a_file_says_that_it_needs_a_server(
    address: str, site: Path, page: Page
) -> None:
    for url, says in ((site.as_uri() + "/index.html", True), (address, False)):
        page.goto(url)
        begins = re.compile(r"^\s*Opened as a file" if says else r"^(?!\s*Opened as a file)")
        expect(page.locator("article")).to_have_text(begins)
        lefts = page.evaluate(
            "[...document.querySelectorAll('article > p:first-child, article > h1')]"
            ".map(part => part.getBoundingClientRect().left)"
        )
        assert (len(lefts), len(set(lefts))) == (1 + says, 1), "both begin at one edge"
