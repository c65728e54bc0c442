"""Accessibility violations, as axe finds them."""

from typing import Any

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page


def violations(page: Page, within: str = "html", **options: Any) -> list[str]:
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
