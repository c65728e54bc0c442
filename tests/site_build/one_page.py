"""What holds on every page of the site, looked at in one load of it."""

import gzip
import json
from math import ceil
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Page, Request, ViewportSize, expect

from tests.conftest import ROOT
from tests.site_build.axe import OF_COLOURS, PAGE_ALONE, SIZES_AS_WELL, violations
from tests.site_build.printed_matrices import drawn, matrices_on
from tests.site_build.reading import read_through

WIDE = ViewportSize(width=1280, height=900)
PHONE = ViewportSize(width=390, height=844)
NARROW = ViewportSize(width=320, height=640)
KILOBYTE = 1000
HEADERS = 300  # of a response, about
TEXT = {".css", ".html", ".js", ".json", ".svg", ".xml"}
FINGER = 44  # pixels that it hits
PATIENCE = 120_000  # milliseconds: a busy machine is no fault of a page

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
# Formulas in the open that go on beyond their box.
FORMULAS_BEYOND = """() => [...document.querySelectorAll("article .formula")]
  .filter((box) => box.offsetParent && box.scrollWidth > box.clientWidth + 1)
  .map((box) => box.textContent)"""
# The words that can be seen, but for what only a script can do.
WORDS = """() => {
  const article = document.querySelector("article")
  const scripted = article.querySelectorAll("button:not(.guess *), "
    + "build-it, .for-scripts, .stage, .stage-still, .stage-task")
  for (const part of scripted) part.style.display = "none"
  const words = article.innerText.split(/\\s+/)
  for (const part of scripted) part.style.removeProperty("display")
  return words
}"""
TWICE = """() => [...document.querySelectorAll("[id]")].map(({id}) => id)
  .filter((id, place, all) => all.indexOf(id) < place)"""
DIGITS = """() => [...document.querySelectorAll(".printed-matrix i, .heat-map td")]
  .map((cell) => parseFloat(getComputedStyle(cell).fontSize))"""


def look_at(browser: Browser, address: str, path: str, site: Path) -> None:
    """Open a page for somebody who was never here, with and without scripts, and look at it."""
    with (
        browser.new_context(reduced_motion="reduce", viewport=WIDE) as context,
        browser.new_context(java_script_enabled=False) as without,
    ):
        page, plain = context.new_page(), without.new_page()
        page.set_default_timeout(PATIENCE)
        fetched: list[Request] = []
        complaints: list[str] = []
        complain = complaints.append

        def asked(request: Request) -> None:
            if not request.url.startswith((address, "about:", "data:", "blob:")):
                complain(f"another host: {request.url}")

        page.on("requestfinished", lambda request: fetched.append(request))
        page.on("console", lambda message: complain(f"console: {message.text}"))
        page.on("pageerror", lambda error: complain(f"error: {error}"))
        page.on("requestfailed", lambda request: complain(f"failed: {request.url}"))
        page.on("request", asked)

        response = page.goto(address + path)
        assert response is not None
        assert response.ok
        plain.goto(address + path)  # meanwhile the other tab fetches what it needs
        page.wait_for_load_state("networkidle")
        urls = {request.url for request in fetched} | {worker.url for worker in page.workers}
        weights = {url: weight(url, site) for url in urls if "://" in url}
        assert sum(weights.values()) <= 130 * KILOBYTE, (sum(weights.values()), weights)
        read_through(page)

        in_a_wide_window(page, plain)
        on_a_phone(page, path)
        on_a_narrow_phone(page)
        has_its_tensors(plain, path)
        page.wait_for_load_state("networkidle")
        assert not complaints


def in_a_wide_window(page: Page, plain: Page) -> None:
    assert page.evaluate(FORMULAS_BEYOND) == []
    assert plain.evaluate(WORDS) == page.evaluate(WORDS), "without scripts, it says the same"
    assert plain.locator("a[href]").filter(visible=True).count() > 12, "a way on"
    assert plain.evaluate(TWICE) == [], "a heading has the id of something around the page"
    assert min(page.evaluate(DIGITS), default=13) >= 13
    assert not violations(page, within="article", runOnly=OF_COLOURS)


def on_a_phone(page: Page, path: str) -> None:
    page.set_viewport_size(PHONE)
    assert page.evaluate(FORMULAS_BEYOND) == []
    assert min(page.evaluate(DIGITS), default=12) >= 12
    for answer in page.locator(".guess button").all():
        box = answer.bounding_box()
        assert box
        assert min(box["width"], box["height"]) >= FINGER
    assert page.locator(".guessed").count() == page.locator(".guess").count()
    blocks_fit(page)
    page.emulate_media(color_scheme="dark")
    expect(page.locator("body")).to_have_attribute("data-md-color-scheme", "slate")
    assert not violations(page, PAGE_ALONE if path else "html", rules=SIZES_AS_WELL)


def on_a_narrow_phone(page: Page) -> None:
    page.set_viewport_size(NARROW)
    assert page.evaluate("document.documentElement.scrollWidth") == NARROW["width"]
    blocks_fit(page)


def blocks_fit(page: Page) -> None:
    """Hardly a block is wider than the screen, and those show at their edge that they go on."""
    blocks = page.evaluate(BLOCKS)
    wide = [block for block in blocks if block]
    assert len(wide) <= ceil(len(blocks) / 10), wide
    assert all("gradient" in edge for _, edge in wide), wide


def has_its_tensors(plain: Page, path: str) -> None:
    """Every printed tensor has its cells, also without a script."""
    sources = (ROOT / "docs").glob(f"{path.strip('/') or 'index'}.*")
    printed = [matrix for source in sources for matrix in matrices_on(source)]
    # A page of the reference has its own order.
    order = json.dumps if path.startswith("reference/") else lambda matrix: ""
    assert sorted(drawn(plain), key=order) == sorted(printed, key=order)


def weight(url: str, site: Path) -> int:
    """Return the bytes of an answer, as a server sends it: compressed."""
    file = site / urlsplit(url).path.lstrip("/")
    file = file / "index.html" if file.is_dir() else file
    body = file.read_bytes()
    return HEADERS + len(gzip.compress(body, 6) if file.suffix in TEXT else body)
