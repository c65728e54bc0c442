"""Printed tensors as text: it stands in a grid, and is selected and copied as it is."""

import re
from collections.abc import Callable
from itertools import pairwise

import pytest
from playwright.sync_api import Locator, Page

from tests.site_build.markdown.plain_markdown import convert

STEP, BLOCK = "steps/weights/", ".language-output[data-rows]:has([data-name=weights])"
CELL = ".printed-matrix i"

Show = Callable[..., Locator]


@pytest.fixture
def show(address: str, page: Page) -> Show:
    """Return what opens a page on which something is printed, and returns the blocks."""
    place = address + "reference/notation/"

    def show(*printed: tuple[str, str]) -> Locator:
        html = convert("\n\n".join(f"```output {how}\n{text}\n```" for text, how in printed))
        # Without its policy, which would refuse the style attributes of a fence that is not built.
        whole = re.sub('<meta http-equiv="Content[^>]*>', "", page.request.get(place).text())
        body = whole.replace("</h1>", f"</h1><section id=printed>{html}</section>")
        page.route(place, lambda route: route.fulfill(body=body))
        page.goto(place)
        return page.locator("#printed > .language-output")

    return show


def open_step(page: Page, address: str) -> Locator:
    """Go to the weights of a step and return their block."""
    page.goto(address + STEP)
    block = page.locator(BLOCK).first
    block.scroll_into_view_if_needed()
    return block


def test_cells_stand_in_a_grid(address: str, page: Page) -> None:
    boxes = (
        open_step(page, address)
        .locator(CELL)
        .evaluate_all("(cells) => cells.map((cell) => cell.getBoundingClientRect().toJSON())")
    )
    lines = [boxes[start : start + 6] for start in range(0, 36, 6)]
    for line in lines:
        for left, right in pairwise(line):
            assert right["left"] > left["right"], "a comma stands between"
    for column in zip(*lines, strict=True):
        assert len({(round(box["left"]), round(box["right"])) for box in column}) == 1
        for above, below in pairwise(column):
            assert above["bottom"] >= below["top"]  # the colour leaves a gap of a pixel


def test_a_mistake_stands_beside_its_fix_where_there_is_room(show: Show, page: Page) -> None:
    block = show(("mistake: tensor([0.2, 0.3])\nfix:     tensor([0.2, 0.8])", ""))
    for width, beside in ((899, False), (900, True)):
        page.set_viewport_size({"width": width, "height": 800})
        mistake, fix = (block.locator(name).bounding_box() for name in (".mistake", ".fix"))
        assert mistake
        assert fix
        assert (mistake["y"] == fix["y"]) == beside
        assert (mistake["x"] < fix["x"]) == beside


def test_numbers_are_selected_with_the_mouse_and_copied(address: str, page: Page) -> None:
    cells = open_step(page, address).locator(CELL)
    first, last = cells.nth(0).bounding_box(), cells.nth(7).bounding_box()
    assert first
    assert last
    page.mouse.move(first["x"] + 1, first["y"] + first["height"] / 2)
    page.mouse.down()
    page.mouse.move(last["x"] + last["width"] - 1, last["y"] + last["height"] / 2, steps=4)
    page.mouse.up()
    page.keyboard.press("Control+c")
    copied = page.evaluate("navigator.clipboard.readText()").splitlines()
    assert copied[0] == "0.10, 0.04, 0.04, 0.10, 0.70, 0.04],"
    assert copied[1] == "        [0.00, 0.73"


def test_what_is_copied_is_what_was_printed(address: str, page: Page) -> None:
    page.goto(address + STEP)
    page.locator("details").evaluate_all("(folds) => folds.forEach((fold) => (fold.open = true))")
    for block in page.locator(".language-output samp").all():
        block.evaluate("(code) => getSelection().selectAllChildren(code)")
        page.keyboard.press("Control+c")
        printed = block.text_content() or ""
        assert page.evaluate("navigator.clipboard.readText()").rstrip("\n") == printed.rstrip("\n")
