"""The site, built once for all tests that look at it, and a browser to look with."""

import functools
import gc
import os
import subprocess
import sys
import threading
from collections.abc import Generator, Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urljoin

import pytest
from filelock import FileLock
from playwright.sync_api import (
    Browser,
    BrowserContext,
    CDPSession,
    ConsoleMessage,
    Page,
    Playwright,
    expect,
)

from site_build.browser import MISSING, launched
from site_build.browser import browser as browser_path
from site_build.browser import playwright as the_playwright
from tests.results import OPTION

ROOT = Path(__file__).parents[1]
CHROMIUM = browser_path()
# As long as Playwright waits for a press: with 5 seconds, a busy machine fails what is only late.
expect.set_options(timeout=30_000)


def sources(*suffixes: str) -> list[Path]:
    """Return the pages and notebooks of the site.

    MkDocs leaves out what begins with a dot.
    """
    return [
        path
        for path in sorted((ROOT / "docs").rglob("*"))
        if path.suffix in suffixes and not any(part.startswith(".") for part in path.parts)
    ]


# The address of each page below that of the site.
PAGES = [
    "",
    *(
        f"{path.relative_to(ROOT / 'docs').with_suffix('').as_posix()}/"
        for path in sources(".md", ".ipynb")
        if path.stem != "index"
    ),
]

# About twenty pages with every kind of element between them, which each push looks at in a browser
# and whose blocks of code it runs alone. ALL_PAGES=1 takes all, as the weekly workflow does.
A_FEW = [
    "",
    "404.html",
    "ten-minutes/",
    "steps/tokens-become-vectors/",
    "steps/scores/",
    "steps/weights/",
    "steps/causal-masks/",
    "steps/multi-head-attention/",
    "steps/position-by-rotation/",
    "steps/who-finds-the-numbers/",
    "steps/windows-and-sinks/",
    "steps/tiles/",
    "steps/many-devices-one-model/",
    "steps/in-a-real-model/",
    "steps/guess-the-next-word/",
    "guides/what-attention-costs/",
    "guides/writing-a-page/",
    "practice/write-it-yourself/",
    "reference/layers/",
    "reference/attention/",
    "notebooks/003_formula_and_numbers/",
]
LOOKED_AT = PAGES if os.environ.get("ALL_PAGES") else A_FEW


def build_site(*options: str, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Build a site as a reader of the README would, strictly."""
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", *options]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        OPTION, action="store_true", help="write the results in tests, and their pages"
    )


def pytest_configure(config: pytest.Config) -> None:
    # pytest-xdist begins with the files of many tests, which are not those that take long.
    config.option.loadscopereorder = False
    # What the tests build is not published: the record of their run is not there yet.
    os.environ.pop("PUBLISH", None)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark each test that needs a browser, the built site or a run of pytest's own, as slow.

    The search, which takes long, comes first: one worker builds the site for it while the others
    run the pages, and later none waits for it.
    """
    items.sort(key=lambda item: item.path.name != "test_search.py")
    for item in items:
        fixtures = getattr(item, "fixturenames", ())
        if "browser" in fixtures:
            item.add_marker("browser")
        if {"site", "pytester"}.intersection(fixtures):
            item.add_marker("slow")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if CHROMIUM is None:
        terminalreporter.write_line(f"{MISSING}. What needs one was skipped.")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Look for no garbage in torch and the tests, which stay: it took a fifth of the collection."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the built site, which the workers of pytest-xdist share."""
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent  # each worker has a folder in it
    folder, is_built = shared / "site", shared / "site is built"
    with FileLock(shared / "site.lock"):
        if not is_built.exists():
            built = build_site("-d", str(folder))
            assert built.returncode == 0, built.stderr
            is_built.touch()
    return folder


class QuietHandler(SimpleHTTPRequestHandler):
    """Serves files without writing a line for each."""

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="session")
def address(site: Path) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(QuietHandler, directory=site))
    address = f"http://127.0.0.1:{server.server_port}/"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield address
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="session")
def playwright() -> Playwright:
    # A missing browser is a reason to skip on somebody's machine, and a failure in CI.
    if CHROMIUM is None and "CI" not in os.environ:
        pytest.skip(MISSING)
    return the_playwright()


@pytest.fixture(scope="session")
def browser(playwright: Playwright) -> Iterator[Browser]:
    with launched() as browser:
        yield browser


@pytest.fixture(scope="module")
def context(browser: Browser) -> Iterator[BrowserContext]:
    """Return a window of a reader who keeps the files of one page for the next.

    They prefer no motion, or each test would wait for figures that play.
    """
    context = browser.new_context(
        reduced_motion="reduce", permissions=["clipboard-read", "clipboard-write"]
    )
    yield context
    context.close()


@pytest.fixture
def new_tab(context: BrowserContext) -> Iterator[Page]:
    """Return a tab of its own, for what a tab keeps: a clock, or a script for all its pages."""
    tab = context.new_page()
    yield tab
    tab.close()


def refuse(*_: object, **__: object) -> None:
    """Keep a test from what would hold for the tests after it."""
    raise AssertionError("a tab keeps this for all its pages: take `new_tab` in place of `page`")


@pytest.fixture(scope="module")
def kept_tab(context: BrowserContext) -> Page:
    """Return the tab in which the pages of all tests open: a new one takes as long as a page."""
    tab = context.new_page()
    for keeps, name in ((tab, "add_init_script"), (tab.clock, "install")):
        setattr(keeps, name, refuse)
    return tab


@pytest.fixture
def page(kept_tab: Page) -> Iterator[Page]:
    """Return the tab of a reader who has chosen nothing yet."""
    tab = kept_tab
    refused: list[str] = []

    def note(message: ConsoleMessage) -> None:
        if "Content Security Policy" in message.text:
            refused.append(message.text)

    tab.on("console", note)
    tab.set_viewport_size({"width": 1280, "height": 720})
    tab.emulate_media(
        media="null",
        color_scheme="light",
        reduced_motion="reduce",
        forced_colors="none",
        contrast="null",
    )
    yield tab
    tab.unroute_all()
    tab.context.unroute_all()  # what a test held back, the next one gets
    for other in tab.context.pages:
        if other is not tab:
            other.close()
    if tab.url.startswith("http"):
        tab.goto(urljoin(tab.url, "/robots.txt"))  # ends what the page before still does
        tab.evaluate("localStorage.clear(), sessionStorage.clear()")
    tab.mouse.move(0, 0)
    tab.remove_listener("console", note)
    assert not refused, "the page's policy stands in the way of what it does"


@pytest.fixture
def touch(browser: Browser) -> Iterator[tuple[Page, CDPSession]]:
    """Return the page of somebody with a phone, and their finger."""
    context = browser.new_context(
        viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True
    )
    page = context.new_page()
    yield page, context.new_cdp_session(page)
    context.close()
