"""What a reader copies or downloads, in a browser."""

import re
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.site_build.downloads.test_page_files import cells, file_of, notebook_of

STEP = "steps/how-it-learns/"  # its first block stands in the open, and needs no other


def clipboard(page: Page) -> str:
    text: str = page.evaluate("navigator.clipboard.readText()")
    return text


def copied(page: Page, block: str) -> str:
    """Press the copy button of the first block that a selector finds; return the clipboard."""
    page.locator(block).first.hover()
    page.locator(f"{block} button[data-md-type=copy], {block} .md-clipboard").first.click()
    return clipboard(page)


def test_copied_code_runs(address: str, page: Page) -> None:
    page.goto(address + STEP)
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


def test_blocks_are_copied_as_they_run(address: str, site: Path, page: Page) -> None:
    page.goto(address + "steps/weights/")
    page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    blocks = cells(notebook_of(site, "steps/weights"), "code")
    blocks = [code for code in blocks if not re.search("(task|check)\\(", code)]  # in its place
    shown = page.locator(".language-python:not(:has(.filename), .build-solution *)")
    for number in (0, 3, len(blocks) - 1):  # the last is folded
        shown.nth(number).hover()
        shown.nth(number).locator("button").first.click()
        assert clipboard(page) == blocks[number]


def test_a_page_is_taken_away_as_a_script_and_as_a_notebook(
    address: str, site: Path, page: Page
) -> None:
    page.goto(address + "steps/weights/")
    for_makers = page.locator("#for-engineers + .page-tools")
    for_makers.get_by_role("button", name="Copy as a script").click()
    expect(page.get_by_role("status").filter(has_text="Copied")).to_be_visible()
    assert clipboard(page) == file_of(site, "steps/weights", ".py").read_text("utf-8")
    expect(page.get_by_text("Copied", exact=True)).to_have_count(0)
    with page.expect_download() as download:
        page.get_by_role("link", name="Download as a notebook").click()
    assert download.value.suggested_filename == "weights.ipynb"
    notebook = file_of(site, "steps/weights", ".ipynb").read_bytes()
    assert download.value.path().read_bytes() == notebook
    page.route("**/*.py", lambda route: route.abort())
    page.get_by_role("button", name="Copy as a script").click()
    expect(page.get_by_text("Could not copy")).to_be_visible()
