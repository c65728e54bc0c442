"""The drawing of the whole model, opened and put into a state."""

from playwright.sync_api import Locator, Page

from tiny_lm.recipe import RECIPE

PAGE = "steps/look-inside/"
INSIDE_PAGE = PAGE
RICH, DUCK = RECIPE.texts[1], RECIPE.texts[3]
TEXTS = [RICH, RICH.replace("rich", "muddy"), DUCK]  # shown at first, the other one, a third


def opened(page: Page, address: str) -> Locator:
    page.goto(address)
    page.locator("whole-model").scroll_into_view_if_needed()
    page.locator("whole-model [inert]").first.wait_for(state="detached")
    page.locator(".whole-tray button").first.focus()
    page.locator("whole-model.live").wait_for()
    return page.locator("whole-model")


def put(drawing: Locator, **attributes: str) -> None:
    """Set attributes, as a script of a page does, and wait until they are drawn."""
    drawing.evaluate(
        """async (drawing, attributes) => {
            for (const [name, value] of Object.entries(attributes))
                if (value) drawing.setAttribute(name, value); else drawing.removeAttribute(name)
            for (const _ of [1, 2]) await new Promise(requestAnimationFrame)
        }""",
        attributes,
    )
    if attributes.get("open", "0") not in {"", "0", "1"}:
        drawing.locator(".whole-inside").wait_for()
