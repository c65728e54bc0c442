"""A browser that its reader has set: larger text, no motion, a dark screen, no JavaScript."""

from collections.abc import Iterator
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.conftest import CHROMIUM

KINDS = [
    "",
    "steps/weights/",
    "notebooks/002_softmax_once/",
    "guides/mask-conventions/",
    "reference/attention/",
    "404.html",
]

# Boxes that hide a part of their text, and neighbours that cover each other.
UNREADABLE = """() => {
    const shown = [...document.querySelectorAll("body :not(math *)")].filter((box) =>
        box.textContent.trim() && box.clientWidth > 1 && box.clientHeight > 1 &&
        box.checkVisibility({visibilityProperty: true, opacityProperty: true}))
    const hides = (value) => value === "hidden" || value === "clip"
    const cut = shown.filter((box) => {
        const {overflowX, overflowY} = getComputedStyle(box)
        return hides(overflowX) && box.scrollWidth > box.clientWidth + 1 ||
            hides(overflowY) && box.scrollHeight > box.clientHeight + 1
    })
    const parts = [...document.querySelector("article").children].filter((part) => {
        const {position, float} = getComputedStyle(part)
        return part.checkVisibility() && position === "static" && float === "none"
    })
    const covered = parts.filter((part, index) => index &&
        part.getBoundingClientRect().top < parts[index - 1].getBoundingClientRect().bottom - 1)
    return [...cut, ...covered].map((box) => box.outerHTML.slice(0, 150))
}"""


@pytest.fixture(scope="module")
def large_text(browser: Browser) -> Iterator[Page]:
    """Open a browser whose reader has set text to 200 %."""
    browser = browser.browser_type.launch(
        executable_path=CHROMIUM,
        args=["--no-sandbox", "--blink-settings=defaultFontSize=32,defaultFixedFontSize=26"],
    )
    yield browser.new_page()
    browser.close()


@pytest.mark.parametrize("path", KINDS)
def test_large_text_is_whole(address: str, large_text: Page, path: str) -> None:
    large_text.goto(address + path)
    assert large_text.evaluate("getComputedStyle(document.documentElement).fontSize") == "40px"
    for width in (1280, 640):
        large_text.set_viewport_size({"width": width, "height": 900})
        assert large_text.evaluate("document.documentElement.scrollWidth") == width
        assert large_text.evaluate(UNREADABLE) == []


def test_nothing_moves_for_a_reader_who_wants_no_motion(address: str, page: Page) -> None:
    page.emulate_media(reduced_motion="reduce")
    page.goto(address + "steps/weights/")
    moving = page.locator("*").evaluate_all(
        """all => all.filter((element) => [undefined, "::before", "::after"].some((part) => {
            const style = getComputedStyle(element, part)
            // An edge that fades follows the reader's own scrolling.
            const animated = style.animationName !== "none" && style.animationName !== "edge"
            return animated || style.scrollBehavior === "smooth" ||
                style.transitionDuration.split(", ").some((duration) => parseFloat(duration) > 0)
        })).map((element) => element.outerHTML.slice(0, 100))"""
    )
    assert moving == []


def test_contents_jump_for_a_reader_who_wants_no_motion(address: str, page: Page) -> None:
    page.emulate_media(reduced_motion="reduce")
    page.set_viewport_size({"width": 1280, "height": 300})
    page.goto(address + "guides/what-goes-wrong/")
    contents = page.locator(".md-sidebar--secondary .md-sidebar__scrollwrap")
    after = (
        "(box, where) => { box.scrollTo({top: where, behavior: 'smooth'}); return box.scrollTop }"
    )
    assert contents.evaluate(after, 100) == 100
    page.emulate_media(reduced_motion="no-preference")
    assert contents.evaluate(after, 0) == 100, "on its way"


SCHEME = """async () => {
    for (const _ of [1, 2]) await new Promise(requestAnimationFrame)  // what the system asks for
    const {colorScheme} = getComputedStyle(document.documentElement)  // of scroll bars and fields
    const background = getComputedStyle(document.body).backgroundColor
    const [red, green, blue] = background.match(/\\d+/g).map(Number)
    return [colorScheme, red + green + blue < 200 ? "dark" : "light"]
}"""


def test_the_page_has_the_colours_of_the_system_until_the_reader_chooses(
    address: str, page: Page
) -> None:
    for system in ("dark", "light"):
        page.emulate_media(color_scheme=system)
        page.goto(address)
        assert page.evaluate(SCHEME) == [system, system]
    page.reload()
    assert page.evaluate(SCHEME) == ["light", "light"], "nothing was kept that nobody chose"
    # The masks at the edges of wide boxes follow the scrolling and not the time: they fade nothing.
    fading = """button => {
        button.click()
        return document.getAnimations()
            .filter(({timeline}) => timeline === document.timeline)
            .map(({effect}) => effect.target.outerHTML.slice(0, 100))
    }"""
    assert page.get_by_role("button", name="Dark mode").evaluate(fading) == [], "all change at once"
    assert page.evaluate(SCHEME) == ["dark", "dark"]
    page.emulate_media(color_scheme="dark")
    page.emulate_media(color_scheme="light")
    assert page.evaluate(SCHEME) == ["dark", "dark"]


def test_the_scheme_changes_in_a_browser_that_keeps_nothing(address: str, new_tab: Page) -> None:
    new_tab.emulate_media(color_scheme="dark")
    errors: list[str] = []
    new_tab.on("pageerror", lambda error: errors.append(error.message))
    new_tab.add_init_script(
        "Object.defineProperty(window, 'localStorage', {get() { throw new Error('denied') }})"
    )
    new_tab.goto(address)
    assert new_tab.evaluate(SCHEME) == ["dark", "dark"]
    new_tab.get_by_role("button", name="Dark mode").click()
    assert new_tab.evaluate(SCHEME) == ["light", "light"]
    assert not errors


@pytest.mark.parametrize(
    ("system", "chosen", "shown"),
    [
        ("light", None, "default"),
        ("dark", None, "slate"),
        ("dark", "default", "default"),
        ("light", "slate", "slate"),
    ],
)
def test_the_first_sight_has_the_readers_colours(
    address: str, page: Page, system: Literal["light", "dark"], chosen: str | None, shown: str
) -> None:
    page.emulate_media(color_scheme=system)
    if chosen:
        page.goto(address)
        page.get_by_role("button", name="Dark mode").click()
        expect(page.locator("body")).to_have_attribute("data-md-color-scheme", chosen)
    page.route("**/bundle.*", lambda route: route.abort())
    page.evaluate("(address) => { location = address }", address + "reference/notation/")
    page.wait_for_url("**/notation/")
    expect(page.locator("body")).to_have_attribute("data-md-color-scheme", shown)
    assert page.evaluate("globalThis.document$ === undefined"), "the theme's script has not run"


def test_all_pages_open_without_javascript(address: str, browser: Browser) -> None:
    page = browser.new_page(
        java_script_enabled=False, viewport={"width": 390, "height": 844}, reduced_motion="reduce"
    )
    page.goto(address + "steps/weights/")
    # Nothing waits to be pressed that needs a script.
    for button in page.locator("button:not([popovertarget])").all():
        expect(button).to_be_hidden()
    link = page.locator(".sheet").get_by_role("link", name="Context vectors")
    expect(link).not_to_be_visible()
    page.get_by_role("button", name="All pages").click()
    link.click()
    expect(page).to_have_title("Context vectors - Attention Steps")
    page.close()
