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
    const signs = ["outlineStyle", "outlineColor", "boxShadow", "backgroundColor", "color",
        "stroke", "opacity"]
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
        ("steps/padding-masks/", 390),
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


@pytest.mark.parametrize("width", [1440, 390])
def test_all_pages_open_over_the_page_and_lead_on(address: str, page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 844})
    page.goto(address + STEP)
    menu, sheet = page.get_by_role("button", name="All pages"), page.locator(".sheet")
    menu.press("Enter")
    page.keyboard.press("Tab")
    expect(sheet.get_by_role("link").first).to_be_focused()
    page.keyboard.press("Escape")
    expect(sheet).to_be_hidden()
    expect(menu).to_be_focused()
    menu.press("Space")
    sheet.get_by_role("link", name="How to begin").press("Enter")
    expect(page).to_have_title(re.compile("^How to begin"))


def test_a_dot_names_its_step_where_the_focus_is(address: str, page: Page) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(address + STEP)
    dot = page.locator(".dots").get_by_role("link", name="10 · Multi-head attention")
    expect(dot.locator("i")).to_have_css("opacity", "0")
    page.locator(".dots [aria-current]").focus()
    page.keyboard.press("Tab")
    expect(dot).to_be_focused()
    expect(dot.locator("i")).to_have_css("opacity", "1")
    page.keyboard.press("Enter")
    expect(page).to_have_title(re.compile("^Multi-head attention"))
