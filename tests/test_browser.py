"""The site in a real browser: Chromium, headless."""

import subprocess
import sys

import pytest
from playwright.sync_api import Browser, Page

from conftest import ROOT, sources

PAGES = [
    "",
    *(
        f"{path.relative_to(ROOT / 'docs').with_suffix('').as_posix()}/"
        for path in sources(".md", ".ipynb")
        if path.stem != "index"
    ),
]


@pytest.mark.parametrize("path", PAGES)
def test_a_page_loads_without_a_complaint(address: str, page: Page, path: str) -> None:
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(f"console: {message.text}"))
    page.on("pageerror", lambda error: complaints.append(f"error: {error}"))
    page.on("requestfailed", lambda request: complaints.append(f"failed: {request.url}"))
    page.on(
        "request",
        lambda request: (
            None
            if request.url.startswith((address, "data:", "blob:"))
            else complaints.append(f"another host: {request.url}")
        ),
    )
    response = page.goto(address + path, wait_until="networkidle")
    assert response is not None
    assert response.ok
    assert not complaints


@pytest.mark.parametrize("path", PAGES)
def test_a_page_fits_a_narrow_phone(address: str, page: Page, path: str) -> None:
    page.set_viewport_size({"width": 320, "height": 640})
    page.goto(address + path)
    assert page.evaluate("document.documentElement.scrollWidth") == 320


def copied(page: Page, block: str) -> str:
    """Press the copy button of the first block that a selector finds; return the clipboard."""
    page.locator(block).first.hover()
    page.locator(f"{block} button[data-md-type=copy], {block} .md-clipboard").first.click()
    text: str = page.evaluate("navigator.clipboard.readText()")
    return text


def test_copied_code_runs(address: str, page: Page) -> None:
    page.goto(address)
    code = copied(page, ".language-python")
    assert code.startswith("import torch\n")
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == page.locator(".language-output code").first.inner_text().strip()


def test_copied_docstring_example_runs(address: str, page: Page) -> None:
    page.goto(address + "reference/api/")
    code = copied(page, ".language-pycon")
    assert ">>>" not in code
    assert "tensor([[" not in code.splitlines()[-1], "the output is not copied"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_an_output_has_no_copy_button(address: str, page: Page) -> None:
    page.goto(address)
    page.locator(".language-output").first.hover()
    assert not page.locator(".language-output .md-clipboard").first.is_visible()


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("softmax", "3. Weights"),
        ("dot product", "2. Scores"),
        ("embedding", "1. Tokens become vectors"),
        ("context vectors", "4. Context vectors"),
        ("causal mask", "8. Causal masks"),
        ("rotary", "12. Where is position?"),
        ("alibi_slopes", "API"),
    ],
)
def test_search_finds_a_page(address: str, page: Page, words: str, found: str) -> None:
    page.goto(address)
    page.keyboard.press("/")
    page.keyboard.type(words)
    page.locator(".md-search-result__link h1").first.wait_for()
    titles = page.locator(".md-search-result__link h1").all_inner_texts()
    assert found in titles


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_takes_the_colours_of_the_system(address: str, page: Page, scheme: str) -> None:
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    page.goto(address)
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    brightness = sum(int(part) for part in background[4:-1].split(",")[:3])
    assert (brightness < 200) == (scheme == "dark")


def test_brackets_stretch_around_a_fraction(address: str, page: Page) -> None:
    """They do only in a font that is made for mathematics, and that was loaded."""
    page.goto(address + "reference/api/")
    page.evaluate("document.fonts.ready")
    assert page.evaluate("document.fonts.check('16px \"STIX Two subset\"')")
    heights = page.evaluate(
        "[...document.querySelectorAll('math mo')].filter(o => o.textContent === '(')"
        ".map(o => o.getBoundingClientRect().height)"
    )
    assert max(heights) > 1.5 * min(heights)


def test_the_page_is_whole_without_javascript(address: str, browser: Browser) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address + "steps/03-weights/")
    text = page.locator("article").inner_text()
    context.close()
    assert "0.2379" in text
    assert "Softmax twice" in text
