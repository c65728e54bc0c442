"""The site in a real browser: Chromium, headless."""

import subprocess
import sys

from playwright.sync_api import Browser, Page


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
    assert ran.stdout.strip() == page.locator(".language-output samp").first.inner_text().strip()


def test_copied_docstring_example_runs(address: str, page: Page) -> None:
    page.goto(address + "reference/attention/")
    code = copied(page, ".language-pycon")
    assert ">>>" not in code
    assert "tensor([[" not in code.splitlines()[-1], "the output is not copied"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_an_output_has_no_copy_button(address: str, page: Page) -> None:
    page.goto(address)
    page.locator(".language-output").first.hover()
    assert not page.locator(".language-output .md-clipboard").first.is_visible()


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


# Asks an address in each way that a page has; returns the ways in which it got something.
ASK = """async (address) => {
    const get = (name, properties) => new Promise((done) => {
        const element = Object.assign(document.createElement(name), properties)
        element.onload = () => done(name)
        element.onerror = () => done()
        document.querySelector("article").append(element)
    })
    const got = await Promise.all([
        get("img", {src: address + "assets/logo.svg"}),
        get("script", {src: address + "assets/page-tools/page-tools.js"}),
        get("link", {rel: "stylesheet", href: address + "assets/site.css"}),
        fetch(address, {mode: "no-cors"}).then(() => "fetch", () => undefined),
    ])
    return got.filter(Boolean)
}"""


def test_no_page_can_reach_another_host(address: str, page: Page) -> None:
    page.goto(address)
    assert page.evaluate(ASK, address) == ["img", "script", "link", "fetch"]
    assert page.evaluate(ASK, address.replace("127.0.0.1", "localhost")) == []


def test_the_page_is_whole_without_javascript(address: str, browser: Browser) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address + "steps/03-weights/")
    text = page.locator("article").inner_text()
    context.close()
    assert "0.2379" in text
    assert "Softmax twice" in text
