"""Axe, which looks for what bars a reader from a page."""

from typing import Any

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page


def violations(page: Page, **options: Any) -> list[str]:
    """Let axe look at a page; return what it finds."""
    if page.evaluate("typeof axe === 'undefined'"):
        page.evaluate(AXE_SCRIPT)
    found: list[str] = page.evaluate(
        """async (options) => {
            const {violations} = await axe.run({resultTypes: ["violations"], ...options})
            return violations.flatMap(({id, nodes}) =>
                nodes.map(({html, failureSummary}) => `${id}: ${html} ${failureSummary}`))
        }""",
        options,
    )
    return found
