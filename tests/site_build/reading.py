"""Read a page through, so that everything is there that comes when it is nearby."""

import pytest
from playwright.sync_api import Page, Route

HAS_SCRIPT = """script => performance.getEntriesByType("resource")
    .some(fetched => fetched.name.endsWith(`/${script}.js`) && fetched.responseEnd)"""
# What is in a fold is nearby once that is open.
UNFOLDED = "[data-needs]:not(details:not([open]) *)"


class Held:
    """Requests of a page that are held back until it lets them go."""

    def __init__(self, page: Page, url: str) -> None:
        self.routes: list[Route] = []
        self.over = False
        page.route(url, self.hold)

    def hold(self, route: Route) -> None:
        if self.over:
            route.continue_()
        else:
            self.routes.append(route)

    def let_go(self) -> None:
        self.over = True
        for route in self.routes:
            route.continue_()


def wait(page: Page, until: str, arg: object = None) -> None:
    """Wait until an expression is true, and not for ever.

    The page's policy lets nothing be evaluated later, as `page.wait_for_function` does.
    """
    look = f"""(arg) => {{
        const found = {until}
        return Boolean(typeof found === "function" ? found(arg) : found)
    }}"""
    for _ in range(3000):
        if page.evaluate(look, arg):
            return
        page.wait_for_timeout(10)
    pytest.fail(f"in vain: {until}")


def stir(page: Page) -> None:
    """Move the mouse, which a figure to hold waits for: that it stands somewhere is no move."""
    for x in (2, 3):
        page.mouse.move(x, 3)


def read_through(page: Page) -> None:
    """Scroll to each part that needs a script, wait for the script, and go back to the top."""
    stir(page)
    for part in page.locator(UNFOLDED).all():
        if not part.evaluate("part => part.checkVisibility()"):
            continue  # such as the dots of the bar, for which a phone has no room
        part.evaluate("part => part.scrollIntoView()")
        # A busy machine may be past a part before the browser sees that it was nearby.
        wait(page, HAS_SCRIPT, arg=part.get_attribute("data-needs"))
    page.evaluate("scrollTo(0, 0)")
