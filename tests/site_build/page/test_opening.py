"""The first screen of a step: its question, and its drawing, complete."""

import pytest
from playwright.sync_api import Page, ViewportSize

from site_build.page.opening import opening, still
from tests.conftest import LOOKED_AT

QUESTION = '<h1>T</h1><p class="question">Why?</p>'
LEAD = "<p>So.</p>"
FIGURE = "<hand-figure></hand-figure>"
GUESS = '<div class="admonition question guess"><ul><li>a</ul><p role="status"></p></div>'
HAND = (
    '<div><hand-figure><svg class="hand-hatching"></svg><div class="hand-stage">'
    '<svg class="wide" role="group"><g tabindex="0" data-key="a" class="b"/></svg></div>'
    "</hand-figure></div>"
)
SCREENS = [ViewportSize(width=1440, height=900), ViewportSize(width=390, height=844)]
# How much of the first picture is on the screen.
# A page with a stage has it beside all of its text, in place of a drawing of its opening.
SEEN = """() => {
  const PICTURES = ".hand-stage, .stage-drawing > svg"
  const drawing = document.querySelector(".opening-drawing, aside.stage")
  const picture = drawing.querySelector(PICTURES)
  const { top, bottom } = picture.getBoundingClientRect()
  const shown = Math.min(bottom, innerHeight) - Math.max(top, 0)
  return shown / (bottom - top)
}"""


def test_the_guess_stands_beside_the_drawing_and_all_else_after_it() -> None:
    parts = opening(QUESTION + LEAD + FIGURE + "\n" + GUESS + "<h2>Two</h2>")
    assert parts is not None
    assert (parts.asks, parts.drawing) == (QUESTION, FIGURE)
    assert parts.tells == LEAD + "\n" + GUESS
    assert parts.rest == "<h2>Two</h2>"


@pytest.mark.parametrize("html", ["<h1>T</h1>" + FIGURE, QUESTION + LEAD, FIGURE + QUESTION])
def test_a_page_without_a_question_or_a_drawing_after_it_has_no_opening(html: str) -> None:
    assert opening(html) is None
    assert still(html, "") == ""


def test_a_still_can_be_looked_at_and_not_pressed() -> None:
    picture = '<svg aria-hidden="true" class="wide"><g class="b"/></svg>'
    hatching = '<svg class="hand-hatching"></svg>'
    assert still(QUESTION + HAND, "") == f'<div class="hand-stage">{hatching}{picture}</div>'
    assert still(QUESTION + HAND, HAND) == f'<div class="hand-stage">{picture}</div>'


@pytest.mark.parametrize("screen", SCREENS, ids=["desktop", "phone"])
def test_the_first_screen_of_each_step_has_its_drawing(
    address: str, page: Page, screen: ViewportSize
) -> None:
    page.set_viewport_size(screen)
    for step in (path for path in LOOKED_AT if path.startswith("steps/")):
        page.goto(address + step)
        page.locator(".opening-drawing, aside.stage.live").wait_for()
        assert page.evaluate(SEEN) >= 0.5, step
