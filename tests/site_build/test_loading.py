"""While a page loads: what is drawn before its scripts have run, and that nothing shifts."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, CDPSession, Page, Route, expect

from tests.conftest import CHROMIUM, ROOT
from tests.site_build.hands.test_hands import FIGURES
from tests.site_build.test_toy import DOOR, STEPS

FONT, STYLES, THEME = "**/math.woff2", "**/style.*", "**/bundle.*"

DRAWN = """() => new Promise((drawn) =>
    new PerformanceObserver(drawn).observe({type: "paint", buffered: true}))"""

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
HAS_FONT = """() => new Promise((has) => {
    const look = () => performance.getEntriesByType("resource").some(({name}) =>
        name.endsWith(".woff2")) ? has() : setTimeout(look, 10)
    look()
})"""

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


class Held:
    """Requests of a page that are held back until it lets them go."""

    def __init__(self, page: Page, url: str) -> None:
        self.routes: list[Route] = []
        self.over = False
        page.route(url, self.hold)

    def hold(self, route: Route) -> None:
        if self.over:
            route.continue_()
        else:
            self.routes.append(route)

    def let_go(self) -> None:
        self.over = True
        for route in self.routes:
            route.continue_()


def begin(page: Page, address: str) -> None:
    """Go to a page, and wait for nothing."""
    page.add_init_script(NOTE_MOVES)
    page.evaluate("(address) => { location = address }", address)
    page.wait_for_url(address, wait_until="commit")


def test_a_page_is_drawn_without_waiting_for_the_themes_script(address: str, page: Page) -> None:
    theme = Held(page, THEME)
    begin(page, address + NEEDED[0])
    page.evaluate(DRAWN)
    theme.let_go()
    expect(page.locator(".md-code__nav").first).to_be_attached()


ASSETS = ROOT / "src" / "site_build" / "theme" / "assets"
# What finds the results comes with the index: test_search.py. What trains comes when the reader
# presses a button: test_watching.py.
LATER = {"find", "narrate", "trainer", "whole", "train", "worker"}
# What draws the whole model comes when the reader touches it: test_whole.py. The fields of the
# calculator come when their fold is opened: hands/test_costs.py.
TOUCHED = {
    "hands/costs/fields.js",
    *(f"whole/{name}.js" for name in ("compute", "picture", "say", "state", "words")),
    *(path.relative_to(ASSETS).as_posix() for path in (ASSETS / "whole" / "inside").glob("*.js")),
}
SCRIPTS = [
    script
    for path in ASSETS.rglob("*.js")
    if path.stem not in LATER and (script := path.relative_to(ASSETS).as_posix()) not in TOUCHED
]


# Scripts are fetched where they are needed, when that comes near the screen.
NEEDED = ("steps/context-vectors/", "Now it takes these shares, and gets a new row")
LINK = DOOR + "#the-otter-likes-the-wet-bank&subject=otter,2,0,1,0,0&numbers"
NEEDED_BY = {
    "toy/numbers": (LINK, "Attention is: compare, share out, take."),
    "toy/links": (LINK, "Attention is: compare, share out, take."),
    "toy/own": (LINK, "Attention is: compare, share out, take."),
    "toy/film": (DOOR, "Attention is: compare, share out, take."),
    "toy/steps/controls": ("steps/queries-keys-and-values/", "The question of a word is its"),
    **{f"toy/steps/{step}": (f"steps/{step}/", "Copy as a script") for step in STEPS},
    "toy/steps/head-words": ("steps/a-head-that-was-trained/", "Copy as a script"),
    "build/built": ("practice/write-it-yourself/", "There are 39 functions."),
    "build/": ("steps/scores/", "You are here"),
    "keys/": ("steps/queries-keys-and-values/", "The question of a word is its"),
    "learn/": ("steps/how-it-learns/", "Here is one step, small enough"),
    "whole/here": ("steps/scores/", "You are here"),
    "whole/link/": ("steps/the-whole-model/#whole&text=muddy", "Here is the whole model. Swap"),
    "whole/": ("steps/the-whole-model/", "Here is the whole model. Swap"),
    **{f"hands/{name}/": (path, "You are here") for name, path in FIGURES.items()},
    "hands/costs/": ("guides/what-attention-costs/", "A word here is a token"),
    "hands/a": (FIGURES["windows"], "Copy as a script"),  # what draws attention
    "hands/": ("steps/tiles/", "You do not need to store it at all"),
    "model/own": ("steps/the-whole-model/#whole&text=muddy", "Here is the whole model. Swap"),
    "model/": (FIGURES["guess-ahead"], "You are here"),
    "training/random": (FIGURES["guess-ahead"], "You are here"),
    "writing/": ("steps/let-it-write/#whole&text=muddy", "and draw a few stories"),
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


@pytest.mark.parametrize("script", [*SCRIPTS, "javascripts/bundle."])
def test_a_page_does_without_any_script_that_is_missing(
    address: str, returning: tuple[Page, CDPSession], script: str
) -> None:
    page, network = returning
    page.goto("about:blank")  # ends what the page before still does
    path, text = next((at for name, at in NEEDED_BY.items() if script.startswith(name)), NEEDED)
    wrong: list[str] = []
    missing: set[str] = set()  # a script is asked for again by the next part that needs it
    page.on("pageerror", lambda error: wrong.append(error.message))
    page.on("requestfailed", lambda request: missing.add(request.url))
    network.send("Network.setBlockedURLs", {"urls": [f"*/assets/{script}*"]})
    if script.startswith("search/"):  # of a worker, which asks for itself
        page.route(f"**/assets/{script}", lambda route: route.abort())
    with page.expect_event("requestfailed"):
        page.goto(address + path)
        page.evaluate(READ_THROUGH)
    page.wait_for_load_state("networkidle")
    for _ in range(3):  # by then what was refused has been told
        page.evaluate("new Promise(requestAnimationFrame)")
    assert len(missing) == 1
    assert wrong == []
    expect(page.get_by_text(text).first).to_be_visible()
    if script in SCRIPTS:
        expect(page.locator(".md-code__nav").first).to_be_attached()  # the theme has started
    page.unroute_all()


@pytest.fixture(scope="module")
def window(browser: Browser) -> Iterator[Browser]:
    """Start a browser whose boxes have scroll bars, as on most desktops."""
    browser = browser.browser_type.launch(
        executable_path=CHROMIUM, args=["--no-sandbox"], ignore_default_args=["--hide-scrollbars"]
    )
    yield browser
    browser.close()


@pytest.mark.parametrize("width", [390, 1000, 1350])
@pytest.mark.parametrize(
    "path",
    [
        "",
        "steps/why-divide-by-the-square-root/",
        "notebooks/003_formula_and_numbers/",
        "reference/layers/",
        "guides/mask-conventions/",  # a table on the first screen
        "404.html",
    ],
)
def test_nothing_moves_when_the_scripts_start(
    address: str, window: Browser, width: int, path: str
) -> None:
    page = window.new_page(viewport={"width": width, "height": 900})
    styles, theme = Held(page, STYLES), Held(page, THEME)
    begin(page, address + path)
    page.evaluate(HAS_FONT)
    styles.let_go()
    page.evaluate(DRAWN)
    theme.let_go()
    page.wait_for_load_state("networkidle")
    assert page.evaluate(MOVED) == []
    page.close()


def test_titles_keep_the_font_that_they_were_drawn_in(address: str, page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 900})
    font, theme = Held(page, FONT), Held(page, THEME)
    begin(page, address)
    page.evaluate(DRAWN)
    font.let_go()
    page.evaluate(HAS_FONT)
    theme.let_go()
    page.wait_for_load_state("networkidle")
    assert page.evaluate(MOVED) == []


def test_the_font_is_fetched_together_with_the_styles(address: str, page: Page) -> None:
    Held(page, STYLES)
    with page.expect_request_finished(lambda request: request.url.endswith(".woff2")):
        begin(page, address)


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
        assert page.locator("article").inner_text().startswith("Opened as a file") == says
        middles = page.evaluate(
            "[...document.querySelectorAll('article > p:first-child, article > h1')].map(part => {"
            "const { left, right } = part.getBoundingClientRect(); return Math.round(left + right);"
            "})"
        )
        assert (len(middles), len(set(middles))) == (1 + says, 1), "both in the middle"
