"""What a reader can do who has a keyboard, and no mouse."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.site_build.reading import read_through

STEP = "steps/causal-masks/"

# Notes what can be worked, each tab stop, and the stops at which a reader cannot see
# that the focus is there: out of sight, or with no change in them, their labels or around them.
# A field for text opens the search, and shows its caret; a box to check is seen by its label.
NOTE_STOPS = """() => {
    const controls = "a[href], button, input:not([type=radio]), summary, [tabindex]"
    const signs = ["outlineStyle", "outlineColor", "boxShadow", "backgroundColor", "color"]
    const look = (stop) => [stop, stop.nextElementSibling, stop.parentElement].map((part) =>
        part && signs.map((sign) => getComputedStyle(part)[sign]).join()).join()
    const isShown = (stop) => {
        const {left, right} = stop.getBoundingClientRect()
        return right >= 0 && left <= innerWidth && (stop.matches("input") ||
            stop.checkVisibility({visibilityProperty: true, opacityProperty: true}))
    }
    window.controls = [...document.querySelectorAll(controls)]
    window.stops = []
    window.unseen = []
    addEventListener("focusin", ({target}) => {
        stops.push(target)
        if (target.type === "text") return
        const focused = look(target)
        const shown = isShown(target)
        const left = () => requestAnimationFrame(() => {
            if (!shown || look(target) === focused) unseen.push(target.outerHTML.slice(0, 150))
        })
        target.addEventListener("focusout", left, {once: true})
    })
}"""
CAME_ROUND = "stops.indexOf(stops[0], 1) > 0"
LEFT_OUT = """() => controls
    .filter((control) => control.checkVisibility({visibilityProperty: true}))
    .filter((control) => control.tabIndex >= 0 && !stops.includes(control))
    .map((control) => control.outerHTML.slice(0, 150))"""


def walk(page: Page) -> None:
    """Press the Tab key through the whole page, until the first stop comes again."""
    page.evaluate(NOTE_STOPS)
    for _ in range(25):
        for _ in range(25):
            page.keyboard.press("Tab")
        if page.evaluate(CAME_ROUND):
            return
    pytest.fail(f"no end: {page.evaluate('document.activeElement.outerHTML')}")


@pytest.mark.parametrize(
    ("path", "width"),
    [
        ("", 1280),
        (STEP, 390),
        ("notebooks/002_softmax_once/", 1280),
        ("reference/attention/", 1280),
    ],
)
def test_the_tab_key_comes_to_everything_and_shows_where_it_is(
    address: str, page: Page, path: str, width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 844})
    page.goto(address + path)
    read_through(page)
    walk(page)
    assert page.evaluate(LEFT_OUT) == []
    assert page.evaluate("unseen") == []


def test_the_first_stop_skips_to_the_text(address: str, page: Page) -> None:
    page.goto(address + STEP)
    page.keyboard.press("Tab")
    expect(page.locator(":focus")).to_have_text("Skip to content")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(page.locator("article :focus")).to_have_count(1)


def test_the_drawer_opens_leads_on_and_closes(address: str, page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(address + STEP)
    menu = page.get_by_role("button", name="Navigation")
    part = page.get_by_role("checkbox", name="3 · From attention to a model").first
    menu.focus()
    page.keyboard.press("Space")
    expect(part).to_be_focused()  # the part of this page is open
    page.keyboard.press("Space")
    page.keyboard.press("Shift+Tab")
    expect(page.get_by_role("checkbox", name="2 · It learns by itself")).to_be_focused()
    page.keyboard.press("Escape")
    expect(menu).to_be_focused()
    expect(menu).to_have_attribute("aria-expanded", "false")
    page.keyboard.press("Enter")
    branches = ("Two texts", "A batch of texts", "Long texts, many devices", "Many readers")
    for _ in ("Home", "Ten minutes", *"1234", *branches, "Practice", "Guides"):  # after the logo
        page.keyboard.press("Tab")
    expect(page.get_by_role("checkbox", name="Guides")).to_be_focused()
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page).to_have_title(re.compile("^How to begin"))


def test_the_drawer_closes_when_the_focus_leaves_it(address: str, page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(address)
    menu = page.get_by_role("button", name="Navigation")
    menu.focus()
    page.keyboard.press("Enter")
    expect(menu).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("Shift+Tab")
    expect(menu).to_have_attribute("aria-expanded", "false")
