"""Accessibility violations, as axe finds them."""

from typing import Any

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page, expect

from tests.site_build.reading import read_through

# These rules compare colours, which takes longest.
OF_COLOURS = ["color-contrast", "link-in-text-block"]
# axe leaves the size of targets out unless it is asked for.
SIZES_AS_WELL = {"target-size": {"enabled": True}}
# And these ask what the width of letters changes.
OF_SIZES = ["scrollable-region-focusable", "target-size"]
ALL_BUT_COLOURS = SIZES_AS_WELL | {rule: {"enabled": False} for rule in OF_COLOURS}


# A page without what is around its article, which is the same on each; axe still takes it for one.
PAGE_ALONE = {"include": ["html"], "exclude": [".bar", ".sheet", ".md-sidebar", ".end"]}


def violations(
    page: Page, within: str | dict[str, list[str]] = "html", **options: Any
) -> list[str]:
    """Let axe look at a page, or at a part of it; return what it finds."""
    if page.evaluate("typeof axe === 'undefined'"):
        page.evaluate(AXE_SCRIPT)
    found: list[str] = page.evaluate(
        """async ([within, options]) => {
            // What follows a change of the window's size comes with the next frames.
            const frame = () => new Promise(requestAnimationFrame)
            await frame()
            await frame()
            const {violations} = await axe.run(within, {resultTypes: ["violations"], ...options})
            return violations.flatMap(({id, nodes}) =>
                nodes.map(({html, failureSummary}) => `${id}: ${html} ${failureSummary}`))
        }""",
        [within, options],
    )
    return found


def violations_on_a_desktop(page: Page, address: str, within: str = "article") -> list[str]:
    """Open a page, and return what axe finds in a wide window, in the light and in the dark."""
    page.emulate_media(color_scheme="light")
    page.goto(address)
    read_through(page)
    in_the_light = violations(page, within)
    page.emulate_media(color_scheme="dark")
    expect(page.locator("body")).to_have_attribute("data-md-color-scheme", "slate")
    return in_the_light + violations(page, within, runOnly=OF_COLOURS)
