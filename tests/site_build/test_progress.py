"""What a browser keeps of a reading: what was read, and where the reader was."""

import pytest
from playwright.sync_api import Page, expect

STEP = "steps/weights/"
READ = ".dots a.read"


@pytest.fixture
def reader(address: str, page: Page) -> Page:
    """A reader who has read one page to its end, and left another after its first section."""
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(address + STEP)
    expect(page.locator(READ)).to_have_count(0)
    page.locator(".next").scroll_into_view_if_needed()
    expect(page.locator(READ)).to_have_text("3 · Weights")
    page.goto(address + "steps/context-vectors/")
    expect(page.locator(READ)).to_have_count(1)
    page.locator("article h2[id]").nth(1).scroll_into_view_if_needed()
    return page


def test_whoever_comes_back_finds_the_place(address: str, reader: Page) -> None:
    second = reader.locator("article h2[id]").nth(1).get_attribute("id")
    reader.goto(address)
    reader.get_by_role("link", name="Go on: ").first.click()
    expect(reader).to_have_url(f"{address}steps/context-vectors/#{second}")


def test_one_press_forgets_it(address: str, reader: Page) -> None:
    reader.goto(address + "guides/about-this-site/")
    reader.get_by_role("button", name="Forget it").press("Enter")
    expect(reader.get_by_role("status").filter(has_text="Forgotten.")).to_be_visible()
    reader.goto(address + "steps/context-vectors/")
    expect(reader.locator(READ)).to_have_count(0)


def test_a_browser_that_keeps_nothing_shows_the_page(address: str, new_tab: Page) -> None:
    wrong: list[str] = []
    new_tab.on("pageerror", lambda error: wrong.append(error.stack or ""))
    new_tab.add_init_script(
        "Object.defineProperty(window, 'localStorage', {get() { throw new Error('refused') }})"
    )
    new_tab.goto(address + STEP)
    new_tab.locator(".next").scroll_into_view_if_needed()
    new_tab.wait_for_load_state("networkidle")
    assert not [stack for stack in wrong if "progress" in stack]
    expect(new_tab.locator("article h2").first).to_be_visible()


@pytest.mark.parametrize(
    "stored",
    [
        "no JSON",
        "null",
        '{"read": null, "made": [1], "guesses": 2, "unknown": {}}',
        '{"last": {}, "again": {"scores": null}, "built": []}',
        '{"last": {"href": "javascript:alert(1)", "title": "Go"}}',
        '{"last": {"href": "//elsewhere.example/", "title": "Go"}}',
        '{"again": {"scores": {"page": "javascript:alert(1)//", "day": 0, "after": 1}}}',
    ],
)
def test_what_cannot_be_read_is_forgotten(address: str, new_tab: Page, stored: str) -> None:
    wrong: list[str] = []
    new_tab.on("pageerror", lambda error: wrong.append(error.stack or ""))
    new_tab.goto(address + "robots.txt")  # a step would keep its place when it is left
    new_tab.evaluate("stored => localStorage.setItem('/.progress', stored)", stored)
    new_tab.goto(address)
    expect(new_tab.locator("a[data-needs='progress/progress']")).to_have_text(
        "Build it from the first step"
    )
    new_tab.goto(address + "steps/induction/")
    new_tab.locator(".guess").scroll_into_view_if_needed()
    new_tab.locator(".guess button").first.click()
    expect(new_tab.locator(".guess [aria-pressed=true]")).to_have_count(1)
    new_tab.goto(address + "practice/write-it-yourself/")
    new_tab.locator("p.built").scroll_into_view_if_needed()
    new_tab.wait_for_load_state("networkidle")
    expect(new_tab.locator("a[href^='javascript:']")).to_have_count(0)
    assert not wrong


def test_what_is_kept_is_that_of_this_site_alone(address: str, page: Page) -> None:
    page.goto(address + STEP)
    page.locator(".next").scroll_into_view_if_needed()
    expect(page.locator(READ)).to_have_count(1)
    assert page.evaluate("Object.keys(localStorage)") == ["/.progress"]
