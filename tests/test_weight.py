"""What a first visit costs, and that nothing is missing for it."""

import gzip
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, Request

from conftest import ROOT, sources

KILOBYTE = 1000
HEADERS = 300  # of a response, about
TEXT = (".css", ".js", ".json", ".svg", ".xml", "/")
STEPS = [f"steps/{path.stem}/" for path in sources(".md") if path.parent.name == "steps"]
NOTEBOOKS = [f"notebooks/{path.stem}/" for path in sources(".ipynb")]


def weight(page: Page, address: str, path: str) -> int:
    """Return the bytes of all answers to a first visit, as a server sends them: compressed."""
    requests: list[Request] = []
    page.on("requestfinished", lambda request: requests.append(request))
    page.goto(address + path, wait_until="networkidle")
    bodies = {
        request.url: response.body()
        for request in requests
        if not request.url.startswith("data:")
        if (response := request.response()) and response.status != 304  # as it was before
    }
    for worker in page.workers:
        bodies[worker.url] = page.request.get(worker.url).body()
    return sum(
        HEADERS + len(gzip.compress(body, 6) if url.partition("?")[0].endswith(TEXT) else body)
        for url, body in bodies.items()
    )


@pytest.mark.parametrize("path", ["", *STEPS, "guides/what-goes-wrong/"])
def test_a_first_visit_to_a_step_is_light(address: str, page: Page, path: str) -> None:
    assert weight(page, address, path) < 100 * KILOBYTE


@pytest.mark.parametrize("path", NOTEBOOKS)
def test_a_first_visit_to_a_notebook_is_light(address: str, page: Page, path: str) -> None:
    assert weight(page, address, path) < 120 * KILOBYTE


def test_our_own_scripts_are_light(site: Path) -> None:
    scripts = (ROOT / "src" / "site_build" / "theme" / "assets").glob("*.js")
    built = [(site / "assets" / script.name).read_bytes() for script in scripts]
    assert 0 < sum(len(gzip.compress(script)) for script in built) < 12 * KILOBYTE


def test_the_search_index_is_fetched_at_the_first_query(address: str, page: Page) -> None:
    fetched: list[str] = []
    page.context.on("request", lambda request: fetched.append(request.url.rpartition("/")[2]))
    page.goto(address, wait_until="networkidle")
    assert "search_index.json" in fetched
    assert "full_index.json" not in fetched
    page.keyboard.press("/")
    page.keyboard.type("softmax")
    page.locator(".md-search-result__link").first.wait_for()
    assert fetched.count("full_index.json") == 1


def whole_styles(site: Path, links: list[str]) -> str:
    """Return what the one style sheet was made from, with all that the theme brings."""
    return "".join((site / link).read_text("utf-8") for link in links)


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_style_is_missed(site: Path, address: str, page: Page, width: int, scheme: str) -> None:
    """The page looks as it does with all of the theme's styles."""
    ours = re.findall(r"^  - (assets/.*\.css)$", (ROOT / "mkdocs.yml").read_text("utf-8"), re.M)
    assert ours
    theme = sorted((site / "assets" / "stylesheets").glob("*.css"))
    css = whole_styles(site, [*map(str, theme), "assets/_mkdocstrings.css", *ours])
    [styles] = (site / "assets").glob("style.*.css")
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(
        color_scheme="dark" if scheme == "dark" else "light", reduced_motion="reduce"
    )
    for path in ["", "steps/03-weights/", "notebooks/003_formula_and_numbers/", "reference/masks/"]:
        slim = seen(page, address + path, styles.read_text("utf-8"))
        assert seen(page, address + path, css) == slim, path


def seen(page: Page, address: str, css: str) -> bytes:
    """Return a picture of a page with other styles, and with its font however late that comes."""
    body = css.replace("font-display: optional", "font-display: block")
    page.route("**/style.*.css", lambda route: route.fulfill(body=body, content_type="text/css"))
    page.goto(address, wait_until="networkidle")
    if page.locator("attention-lab").count():
        page.locator(".lab").first.wait_for()
    page.evaluate("document.fonts.ready")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")  # draws what is not near the screen
    picture = page.screenshot(full_page=True)
    page.unroute("**/style.*.css")
    return picture


def test_no_feature_is_on_whose_styles_are_left_out() -> None:
    settings = (ROOT / "mkdocs.yml").read_text("utf-8")
    assert not re.search("annotate|tooltips|mermaid|^repo_url|^  version:", settings, re.MULTILINE)
    for page in sources(".md"):
        assert not re.search(
            r"\{[^}]*\.annotate|```mermaid|^status:", page.read_text("utf-8"), re.M
        )
