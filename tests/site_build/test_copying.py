"""What a reader copies or takes away: by mouse, key and finger, and without scripts."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, CDPSession, Locator, Page, expect

from tests.conftest import PAGES
from tests.site_build.copying.copied import Copied, copied
from tests.site_build.downloads.test_page_files import file_of
from tests.site_build.reading import wait

WEIGHTS = "steps/weights/"
CODE = ".language-python[data-needs-lines], .language-pycon"
# Folded code and many outputs, docstrings, a notebook, and exercises in one.
KINDS = [WEIGHTS, "reference/layers/", "notebooks/004_run_out_of_order/", "practice/part-1/"]


def expect_copied(page: Page, text: str) -> None:
    """Wait until the clipboard has a text."""
    read = "async (text) => (await navigator.clipboard.readText()) === text"
    wait(page, read, arg=text)


def with_a_slice(site: Path, page: Page) -> tuple[Copied, Locator]:
    """Return the first block of the page in the open that needs lines of its page."""
    found = copied(site, WEIGHTS)
    number, block = next((n, each) for n, each in enumerate(found) if each.added > 1)
    return block, page.locator(CODE).nth(number)


@pytest.mark.parametrize("path", KINDS)
def test_a_button_copies_the_program_that_was_run(
    address: str, site: Path, page: Page, path: str
) -> None:
    page.goto(address + path)
    page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    programs = [block.program for block in copied(site, path)]
    blocks = page.locator(CODE)
    expect(blocks).to_have_count(len(programs))
    for number in {0, 1, len(programs) - 2, len(programs) - 1}:
        blocks.nth(number).locator("[data-md-type=copy]").click()
        expect_copied(page, programs[number])


def test_the_button_says_what_it_gives_and_the_one_beside_it_gives_the_block(
    address: str, site: Path, page: Page
) -> None:
    page.goto(address + WEIGHTS)
    block, shown = with_a_slice(site, page)
    button = shown.get_by_role("button", name=f"Copy, with the {block.added} lines it needs")
    button.press("Enter")
    status = page.get_by_role("status").filter(has_text="Copied")
    expect(status).to_have_text(f"Copied, with the {block.added} lines it needs")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(status).to_have_text("Copied, this block alone")
    expect_copied(page, block.code)


def test_a_finger_copies_and_is_then_offered_the_block_alone(
    address: str, site: Path, touch: tuple[Page, CDPSession]
) -> None:
    page, _ = touch
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(address + WEIGHTS)
    block, shown = with_a_slice(site, page)
    alone = shown.get_by_role("button", name="Copy this block alone")
    expect(alone).to_be_hidden()
    shown.locator("[data-md-type=copy]").tap()
    expect_copied(page, block.program)
    alone.tap()
    expect_copied(page, block.code)


def test_what_a_wheel_does_not_bring_is_said(address: str, page: Page) -> None:
    page.goto(address + "guides/mask-conventions/")
    button = page.locator("[data-needs-also='numpy onnx'] [data-md-type=copy]").first
    expect(button).to_have_attribute("title", re.compile("; it imports numpy, onnx$"))


def test_an_output_has_no_copy_button(address: str, page: Page) -> None:
    page.goto(address + WEIGHTS)
    expect(page.locator(".language-python button").first).to_be_attached()
    expect(page.locator(".language-output button")).to_have_count(0)


# ---- the page as a whole -----


def test_each_page_with_code_has_one_menu(site: Path) -> None:
    with_code = re.compile(r'<div class="language-(python|pycon) highlight"[^>]*><pre>')
    for path in PAGES:
        html = (site / path / "index.html").read_text("utf-8")
        has_code = bool(with_code.search(html))
        assert html.count('id="__take"') == has_code, path
        buttons = html.count('popovertarget="__take"')
        assert buttons == (2 if has_code else 0), path  # in the bar, and in the sheet of a phone


def test_the_menu_stands_in_the_bar_or_the_sheet_of_a_phone_and_opens_and_closes_by_key(
    address: str, site: Path, page: Page
) -> None:
    for width in (1440, 390):
        page.set_viewport_size({"width": width, "height": 800})
        page.goto(address + WEIGHTS)
        if width == 390:
            expect(page.get_by_role("button", name="Take this page with you")).to_be_hidden()
            page.get_by_role("button", name="All pages").press("Enter")
        button = page.get_by_role("button", name="Take this page with you")
        expect(button).to_be_in_viewport()
        link = page.get_by_role("link", name="Download as a notebook")
        expect(link).to_be_hidden()
        button.press("Enter")
        expect(link).to_be_in_viewport(ratio=1)
        page.keyboard.press("Escape")
        expect(link).to_be_hidden()
        expect(button).to_be_focused()
    button.press("Enter")
    with page.expect_download() as download:
        link.click()
    assert download.value.suggested_filename == "weights.ipynb"
    notebook = file_of(site, "steps/weights", ".ipynb").read_bytes()
    assert download.value.path().read_bytes() == notebook


def test_a_finger_hits_each_line_of_the_menu(address: str, touch: tuple[Page, CDPSession]) -> None:
    page, _ = touch
    page.goto(address + WEIGHTS)
    page.get_by_role("button", name="All pages").tap()
    page.get_by_role("button", name="Take this page with you").tap()
    lines = page.locator("#__take :is(a, button)")
    expect(lines.first).to_be_visible()
    heights = lines.evaluate_all("all => all.map((line) => line.getBoundingClientRect().height)")
    assert len(heights) > 2
    assert min(heights) >= 44
    sizes = lines.evaluate_all("all => all.map((line) => getComputedStyle(line).fontSize)")
    assert len(set(sizes)) == 1


def test_without_scripts_the_menu_opens_and_its_links_lead_to_the_files(
    address: str, browser: Browser
) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address + WEIGHTS)
    page.get_by_role("button", name="Take this page with you").click()
    expect(page.get_by_role("button", name="Copy as a script")).to_be_hidden()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download as a script").click()
    assert download.value.suggested_filename == "weights.py"
    context.close()


def test_a_page_is_copied_as_a_script(address: str, site: Path, page: Page) -> None:
    page.goto(address + WEIGHTS)
    page.get_by_role("button", name="Take this page with you").click()
    page.get_by_role("button", name="Copy as a script").click()
    expect(page.get_by_role("status").filter(has_text="Copied")).to_be_visible()
    expect_copied(page, file_of(site, "steps/weights", ".py").read_text("utf-8"))


def test_the_reader_is_told_when_there_is_nothing_to_copy(address: str, page: Page) -> None:
    page.goto(address + WEIGHTS)
    page.route("**/*.py", lambda route: route.abort())
    page.get_by_role("button", name="Take this page with you").click()
    page.get_by_role("button", name="Copy as a script").click()
    expect(page.get_by_text("Could not copy")).to_be_visible()
