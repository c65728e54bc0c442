"""The readout of a cell, by mouse, finger and keyboard; and printed tensors as text."""

import re
from collections.abc import Callable
from itertools import pairwise

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.site_build.markdown.plain_markdown import convert

STEP, BLOCK = "steps/dropout/", ".language-output[data-rows]:has([data-name=weights])"
FOLD = "article > details.abstract > summary"  # of what is for makers, and of the weights
READOUT, CELL = ".printed-readout", ".printed-matrix i"
MATRIX = "tensor([[0.1000, 0.2000],\n        [0.3000, 0.4000]])"
VECTORS = "tensor([0.5000, 0.2500]) tensor([1.])"
TWO = "tensor([[[1.], [2.]], [[3.], [4.]]])"

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
    page.locator(FOLD).click()
    block = page.locator(BLOCK).first
    block.scroll_into_view_if_needed()
    expect(block.get_by_role("grid").first).to_be_attached()
    return block


def read(page: Page, block: Locator, cell: int) -> str:
    """Point at a cell of a block and return what the readout says."""
    block.locator(CELL).nth(cell).hover()
    return page.locator(READOUT).inner_text()


def test_the_mouse_reads_a_cell_without_hiding_its_row(address: str, page: Page) -> None:
    block = open_step(page, address)
    assert read(page, block, 7) == "weights: row duck, column duck: 0.73\ncolours from 0 to 1"
    readout = page.locator(READOUT).bounding_box()
    cell = block.locator(CELL).nth(7).bounding_box()
    assert readout
    assert cell
    assert (
        readout["y"] + readout["height"] <= cell["y"] or readout["y"] >= cell["y"] + cell["height"]
    )
    page.locator("h1").hover()
    assert not page.locator(READOUT).is_visible()


CROSSED = """(cell) => {
  const rows = [...cell.parentNode.parentNode.children];
  const cells = [...cell.parentNode.querySelectorAll(cell.tagName)];
  const column = cells.indexOf(cell);
  return rows.map((row) => [...row.querySelectorAll(cell.tagName)].map((other, k) =>
    other.matches(".crossed") === (row === cell.parentNode || k === column)));
}"""


@pytest.mark.parametrize(
    ("path", "cell", "said"),
    [
        (
            "steps/windows-and-sinks/",
            ".heat-map tbody td >> nth=10",
            "row 2, column muddy: 0.50",
        ),
        ("steps/dropout/", ".map rect >> nth=5", "row the, column bank: 0.04"),
        (STEP, f"{BLOCK} i >> nth=7", "weights: row duck, column duck: 0.73"),
    ],
    ids=["table", "figure", "text"],
)
def test_a_cell_is_read_between_a_row_and_a_column(
    address: str, page: Page, path: str, cell: str, said: str
) -> None:
    page.goto(address + path)
    page.locator(FOLD).click()
    page.locator(cell).hover()
    assert page.locator(READOUT).inner_text().startswith(said)
    marked = page.locator(cell).evaluate(CROSSED)
    assert len(marked) > 1
    assert all(map(all, marked)), "its row and its column, and nothing else"
    page.locator("h1").hover()
    assert page.locator(".crossed").count() == 0


# What is printed, the options of its fence, a cell, what is read there, and stops of the tab key.
NAMED = [
    (MATRIX, "", 2, "[1, 0]: 0.3000", 1),
    (MATRIX, 'rows="Your journey"', 2, "row journey, column 0: 0.3000", 1),
    (MATRIX, 'columns="Your journey"', 2, "row 1, column Your: 0.3000", 1),
    (f"{MATRIX}\n{VECTORS}", 'rows="Your journey"', 5, "[1]: 0.2500", 1),
    (MATRIX, 'rows="a b" tensors="query"', 2, "query: row b, column 0: 0.3000", 1),
    (MATRIX, 'tensors="query"', 2, "query: [1, 0]: 0.3000", 1),
    (MATRIX, 'rows="<b>x</b> &amp;"', 2, "row &amp;, column 0: 0.3000", 1),
    (VECTORS, 'columns="Your journey" tensors="x y"', 1, "x: journey: 0.2500", 1),
    (VECTORS, 'columns="Your journey" tensors="x y"', 2, "y: [0]: 1.", 1),
    ("tensor([1., 2.])\ntensor([[1., 2.]])", "", 3, "[0, 1]: 2.", 0),
    (TWO, "", 1, "[0, 1, 0]: 2.", 2),
    (TWO, "", 2, "[1, 0, 0]: 3.", 2),
]


def test_the_readout_takes_the_names_that_fit(show: Show, page: Page) -> None:
    blocks = show(*((printed, options) for printed, options, *_ in NAMED))
    for number, (_, _, cell, words, stops) in enumerate(NAMED):
        block = blocks.nth(number)
        assert read(page, block, cell).splitlines()[0] == words
        # Only what the text does not say is a stop of the tab key.
        assert block.locator("[tabindex]").count() == stops, words


def test_the_keyboard_moves_from_cell_to_cell(address: str, page: Page) -> None:
    block = open_step(page, address)
    grid = block.get_by_role("grid", name="weights, 6 rows, 6 columns")
    expect(grid).to_have_count(1)
    assert "arrow keys" in (grid.get_attribute("aria-label") or "")
    # The block before it is code, with buttons to copy it.
    page.locator(f".language-python:has(+ {BLOCK}) button").first.focus()
    page.keyboard.press("Tab")  # to the one that copies the block alone
    page.keyboard.press("Tab")
    focus = page.locator(":focus")
    for key, cell in [
        ("", "row the, column the: 0.10"),
        ("ArrowRight", "row the, column duck: 0.04"),
        ("ArrowDown", "row duck, column duck: 0.73"),
        ("End", "row duck, column bank: 0.00"),
        ("ArrowRight", "row duck, column bank: 0.00"),
        ("ArrowUp", "row the, column bank: 0.04"),
        ("ArrowUp", "row the, column bank: 0.04"),
        ("ArrowLeft", "row the, column muddy: 0.70"),
        ("Home", "row the, column the: 0.10"),
        ("ArrowDown", "row duck, column the: 0.00"),
    ]:
        if key:
            page.keyboard.press(key)
        expect(focus).to_have_attribute("aria-label", f"weights: {cell}")
        expect(page.locator(READOUT)).to_have_text(re.compile(re.escape(cell)))
    page.keyboard.press("Escape")
    expect(page.locator(READOUT)).to_be_hidden()
    page.keyboard.press("Tab")
    expect(block.locator(":focus")).to_have_count(0)
    page.keyboard.press("Shift+Tab")
    expect(focus).to_have_attribute("aria-label", "weights: row duck, column the: 0.00")
    assert block.locator("[tabindex='0']").count() == 1


def test_a_finger_reads_a_cell(address: str, browser: Browser) -> None:
    context = browser.new_context(has_touch=True, viewport={"width": 390, "height": 844})
    page = context.new_page()
    open_step(page, address).locator(CELL).nth(7).tap()
    expect(page.locator(READOUT)).to_contain_text("row duck, column duck: 0.73")
    page.locator("h2").nth(1).tap()
    expect(page.locator(READOUT)).to_be_hidden()
    context.close()


def test_the_readout_stays_on_a_narrow_screen(address: str, page: Page) -> None:
    page.set_viewport_size({"width": 320, "height": 640})
    block = open_step(page, address)
    for cell in (0, 5, 35):
        read(page, block, cell)
        box = page.locator(READOUT).bounding_box()
        assert box
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 320
        assert page.evaluate("document.documentElement.scrollWidth") == 320


# ---- the text around the cells


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
