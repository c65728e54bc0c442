"""The first screen of a step: its question, and its drawing, complete."""

import pytest
from playwright.sync_api import Page, ViewportSize

from tests.conftest import LOOKED_AT

SCREENS = [ViewportSize(width=1440, height=900), ViewportSize(width=390, height=844)]
# How much of the first picture is on the screen.
SEEN = """() => {
  const picture = document.querySelector(".stage-drawing > svg")
  const { top, bottom } = picture.getBoundingClientRect()
  const shown = Math.min(bottom, innerHeight) - Math.max(top, 0)
  return shown / (bottom - top)
}"""


@pytest.mark.parametrize("screen", SCREENS, ids=["desktop", "phone"])
def test_the_first_screen_of_each_step_has_its_drawing(
    address: str, page: Page, screen: ViewportSize
) -> None:
    page.set_viewport_size(screen)
    for step in (path for path in LOOKED_AT if path.startswith("steps/")):
        page.goto(address + step)
        page.locator("aside.stage.live").wait_for()
        assert page.evaluate(SEEN) >= 0.5, step
