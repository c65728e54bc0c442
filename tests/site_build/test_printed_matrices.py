"""Every printed matrix is also a picture, drawn in the text itself."""

import re
from collections.abc import Iterator
from itertools import pairwise

import pytest
import torch
from playwright.sync_api import Browser, Locator, Page, expect

from tests.conftest import ROOT
from tests.site_build.markdown.plain_markdown import convert
from tests.site_build.printed_matrices import DRAW_ALL, drawn, matrices_in, matrices_on
from tests.wcag import contrast

STEP, BLOCK = "steps/11-cross-attention/", ".language-output[data-rows][data-tensors=weights]"
MATRIX = "tensor([[0.1000, 0.2000],\n        [0.3000, 0.4000]])"

# ---- what is drawn

SHARES = """(block) => [...block.querySelectorAll(".printed-cell")].map((cell) =>
  cell.matches(".hidden") ? null :
    (cell.matches(".minus") ? -1 : 1) * Number(cell.style.getPropertyValue("--share")))"""
ADD = """([text, names]) => {
  document.querySelector(".case")?.remove();
  const block = document.createElement("div");
  block.className = "case language-output highlight";
  Object.assign(block.dataset, names);
  block.append(document.createElement("pre"));
  block.firstChild.append(document.createElement("samp"));
  block.firstChild.firstChild.textContent = text;
  document.querySelector("article h1").after(block);
}"""


READOUT = ".printed-readout"
BOXES = """(block) => [...block.querySelectorAll(".printed-cell")].map((cell) =>
  cell.getBoundingClientRect().toJSON())"""
STYLES = """(block) => [...block.querySelectorAll(".printed-cell")].map((cell) => {
  const {color, backgroundImage: image} = getComputedStyle(cell);
  return {color, image, paper: getComputedStyle(cell.closest("samp, code")).backgroundColor};
})"""
READ_THROUGH = """async () => {
  for (const block of document.querySelectorAll(".language-output, .language-pycon")) {
    block.scrollIntoView();
    await new Promise(requestAnimationFrame);
    await new Promise(requestAnimationFrame);
  }
}"""
PLACES = """() => [...document.querySelectorAll("pre > :is(code, samp)")].flatMap((code) =>
  [code.getBoundingClientRect().top + scrollY, code.scrollWidth, code.offsetHeight])"""
WATCH_SHIFTS = """async () => {
  await document.fonts.ready;
  const article = document.querySelector("article");
  globalThis.shifted = [];
  new PerformanceObserver((list) => shifted.push(...list.getEntries().flatMap((entry) =>
    entry.sources.map(({node}) => node).filter((node) => article.contains(node))
      .map((node) => node.textContent))))
    .observe({type: "layout-shift"});
}"""


@pytest.fixture(scope="module")
def sheet(address: str, browser: Browser) -> Iterator[Page]:
    """Open a page to print on."""
    page = browser.new_page()
    page.goto(address + "reference/notation/")
    yield page
    page.close()


def show(page: Page, text: str, **names: str) -> Locator:
    """Print a text on a page, draw it, and return its block."""
    page.evaluate(ADD, [text, names])
    page.evaluate(DRAW_ALL)
    block = page.locator(".case")
    assert block.locator("samp").text_content() == text
    # The grammar of the script is that of the build.
    assert drawn(block) == matrices_in(text)
    return block


# ---- scales


@pytest.mark.parametrize(
    ("printed", "shares", "meaning"),
    [
        ("tensor([0.0000, 0.2500, 1.0000])", [0, 0.5, 1], "colours from 0 to 1"),
        ("tensor([0.0100, 0.0900])", [0.1, 0.3], "colours from 0 to 1"),
        ("tensor([0., 2., 8.])", [0, 0.25, 1], "colours from 0 to 8"),
        ("tensor([-2.,  1.,  0.])", [-1, 0.5, 0], "colours from -2 to 2"),
        ("tensor([-0.5000, 0.2500])", [-1, 0.5], "colours from -0.5 to 0.5"),
        ("tensor([ True, False])", [1, None], "True is filled"),
        ("tensor([0, 1, 4])", [0, 0.25, 1], "colours from 0 to 4"),
        ("tensor([[1, 0]], dtype=torch.int32)", [1, 0], "colours from 0 to 1"),
        ("tensor([0.2500,   -inf,    inf,    nan])", [0.5, *[None] * 3], "colours from 0 to 1"),
        ("tensor([nan, nan])", [None, None], "colours from 0 to 1"),
        ("tensor([-4., -inf, 2.])", [-1, None, 0.5], "colours from -4 to 4"),
        ("tensor([0., 0.])", [0, 0], "colours from 0 to 1"),
        ("tensor([-0.0000, 1.0000])", [0, 1], "colours from 0 to 1"),
        ("tensor([1.0000e-04, 1.0000e+00])", [0.01, 1], "colours from 0 to 1"),
        ("tensor([2.5000e+01, 1.0000e+02])", [0.25, 1], "colours from 0 to 100"),
        ("tensor([2., 4.], grad_fn=<MulBackward0>)", [0.5, 1], "colours from 0 to 4"),
        ("tensor([2., 4.], requires_grad=True)", [0.5, 1], "colours from 0 to 4"),
        ("Parameter containing:\ntensor([[2., 4.]])", [0.5, 1], "colours from 0 to 4"),
        ("tensor([1.0300, 1.1000])", [0, 1], "numbers close together: colours from 1.03 to 1.1"),
        ("tensor([0.9999, 1.0000])", [0.99995, 1], "colours from 0 to 1"),
        ("array([[2. , 0.5],\n       [1. , 0. ]])", [1, 0.25, 0.5, 0], "colours from 0 to 2"),
    ],
)
def test_colours_fit_what_is_printed(
    sheet: Page, printed: str, shares: list[float | None], meaning: str
) -> None:
    block = show(sheet, printed)
    assert block.evaluate(SHARES) == [share and pytest.approx(share) for share in shares]
    block.locator(".printed-cell").first.hover()
    assert sheet.locator(READOUT).inner_text().splitlines()[1] == meaning


@pytest.mark.parametrize(
    "printed",
    [
        "tensor(2.3000)",
        "torch.Size([2, 3])",
        "[0.5, 0.25]",
        "[0.23609 0.00739]",
        "tensor([0.1000, 0.2000,  ..., 0.8000, 0.9000])",
        "tensor([1.+2.j, 0.+1.j])",
        "tensor([])",
        "tensor([], size=(0, 3))",
        "array(['Your', 'journey'])",
        "tensor([three, numbers])",
        "expected a tensor, got [1.0, 2.0]",
    ],
)
def test_what_is_no_matrix_is_left_alone(sheet: Page, printed: str) -> None:
    assert show(sheet, printed).locator("samp *").count() == 0


def test_tensors_stand_among_other_text_and_each_has_its_scale(sheet: Page) -> None:
    block = show(sheet, "mistake: tensor([2., 4.]) [1.0]\nfix:     tensor([1., 0.]) True")
    assert block.evaluate(SHARES) == [0.5, 1, 1, 0]


def test_matrices_of_one_tensor_share_its_scale_and_know_their_index(sheet: Page) -> None:
    printed = "tensor([[[1., 2.],\n         [0., 0.]],\n\n        [[0., 0.],\n         [0., 4.]]])"
    block = show(sheet, printed)
    assert block.locator(".printed-matrix").count() == 2
    assert block.evaluate(SHARES) == [0.25, 0.5, 0, 0, 0, 0, 0, 1]
    assert read(sheet, block, 1).startswith("[0, 0, 1]: 2.\n")
    assert read(sheet, block, 7).startswith("[1, 1, 1]: 4.\n")


def test_cells_lie_side_by_side_in_a_grid(sheet: Page) -> None:
    numbers = torch.arange(32) / 7 - 2
    for tensor in (numbers.reshape(4, 8), numbers):  # torch breaks the vector into four lines
        boxes = show(sheet, str(tensor)).evaluate(BOXES)
        lines = [boxes[start : start + 8] for start in range(0, 32, 8)]
        for line in lines:
            for left, right in pairwise(line):
                assert right["left"] == pytest.approx(left["right"], abs=0.1)
        for column in zip(*lines, strict=True):
            assert len({(round(box["left"]), round(box["right"])) for box in column}) == 1
            for above, below in pairwise(column):
                assert above["bottom"] >= below["top"]  # the colour leaves a gap of a pixel


def test_numbers_that_differ_from_the_fix_are_ringed(sheet: Page) -> None:
    pair = "mistake: tensor([0.2, 0.3, 0.5])\nfix:     tensor([0.2, 0.8, 0.0])"
    html = convert(f"```output tensors='wrong right'\n{pair}\n```")
    sheet.evaluate(
        """(html) => {
            document.querySelector(".case")?.remove();
            document.querySelector("article h1").insertAdjacentHTML("afterend", html);
            document.querySelector("h1 + div").classList.add("case");
        }""",
        html,
    )
    sheet.evaluate(DRAW_ALL)
    block = sheet.locator(".case")
    assert drawn(block) == matrices_in(pair)
    assert (block.locator("samp").text_content() or "").rstrip() == pair
    assert block.locator(".wrong").all_inner_texts() == [" 0.3,", " 0.5]"]
    assert read(sheet, block, 1).startswith("wrong: [1]: 0.3")
    assert read(sheet, block, 4).startswith("right: [1]: 0.8")
    for width, beside in ((899, False), (900, True)):
        sheet.set_viewport_size({"width": width, "height": 800})
        mistake, fix = (block.locator(name).bounding_box() for name in (".mistake", ".fix"))
        assert mistake
        assert fix
        assert (mistake["y"] == fix["y"]) == beside
        assert (mistake["x"] < fix["x"]) == beside


# ---- colours


def channels(colour: str) -> list[float]:
    """Return red, green and blue of the first computed colour in a style, and its opacity."""
    found = re.search(r"(color\(srgb|rgba?\() ?([^)]*)\)", colour)
    assert found is not None
    *parts, opacity = [*(float(part) for part in re.findall(r"[\d.]+", found[2])), 1.0][:4]
    return [*(parts if "srgb" in found[1] else [part / 255 for part in parts]), opacity]


def contrast_in(style: dict[str, str]) -> float:
    """Return the contrast of a cell's text with its colour on the paper."""
    *over, opacity = channels(style["image"])
    under = channels(style["paper"])
    mixed = [opacity * o + (1 - opacity) * u for o, u in zip(over, under, strict=False)]
    return contrast(channels(style["color"])[:3], mixed)


@pytest.fixture(params=["default", "slate"])
def scheme(sheet: Page, request: pytest.FixtureRequest) -> Page:
    """Colour the page to print on, light and dark."""
    sheet.evaluate("(scheme) => { document.body.dataset.mdColorScheme = scheme }", request.param)
    return sheet


def test_what_a_mask_made_zero_is_hatched_where_the_output_says_so(sheet: Page) -> None:
    masked = "tensor([0.5000]) tensor([[1.0000, 0.0000], [0.0000, 0.9999]])"
    assert show(sheet, masked, hidden="2 3").evaluate(SHARES)[1:4] == [1, None, None]
    assert show(sheet, masked).evaluate(SHARES)[1:4] == [1, 0, 0]


def test_infinity_looks_like_no_number(scheme: Page) -> None:
    style = show(scheme, "tensor([-inf])").evaluate(STYLES)[0]
    assert style["image"].startswith("repeating-linear-gradient")
    assert contrast_in(style) >= 4.5, "the lines themselves are faint enough"


# ---- reading a cell


def open_step(page: Page, address: str) -> Locator:
    """Go to the weights of a step and return their block."""
    page.goto(address + STEP)
    block = page.locator(BLOCK).first
    block.scroll_into_view_if_needed()
    expect(block.locator(".printed-cell")).to_have_count(42)
    return block


def read(page: Page, block: Locator, cell: int) -> str:
    """Point at a cell of a block and return what the readout says."""
    block.locator(".printed-cell").nth(cell).hover()
    return page.locator(READOUT).inner_text()


def test_the_mouse_reads_a_cell_without_hiding_its_row(address: str, page: Page) -> None:
    block = open_step(page, address)
    assert read(page, block, 7) == "weights: row canard, column duck: 0.8765\ncolours from 0 to 1"
    readout = page.locator(READOUT).bounding_box()
    cell = block.locator(".printed-cell").nth(7).bounding_box()
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
            "steps/15-windows-and-sinks/",
            ".heat-map tbody td >> nth=10",
            "row two, column muddy: 0.50",
        ),
        ("steps/08-causal-masks/", ".map rect >> nth=5", "row likes, column likes: 0.96"),
    ],
    ids=["table", "figure"],
)
def test_a_cell_of_a_table_or_figure_is_read_between_a_row_and_a_column(
    address: str, page: Page, path: str, cell: str, said: str
) -> None:
    page.goto(address + path)
    page.locator(cell).hover()
    assert page.locator(READOUT).inner_text() == said
    marked = page.locator(cell).evaluate(CROSSED)
    assert len(marked) > 1
    assert all(map(all, marked)), "its row and its column, and nothing else"
    page.locator("h1").hover()
    assert page.locator(".crossed").count() == 0


@pytest.mark.parametrize(
    ("names", "words"),
    [
        ({}, "[1, 0]"),
        ({"rows": "Your journey"}, "row journey, column 0"),
        ({"columns": "Your journey"}, "row 1, column Your"),
        ({"rows": "too many names", "columns": "Your journey"}, "row 1, column Your"),
        ({"rows": "Your journey", "tensors": "query"}, "query: row journey, column 0"),
        ({"tensors": "query"}, "query: [1, 0]"),
        ({"rows": "<b>x</b> &amp;"}, "row &amp;, column 0"),
    ],
)
def test_the_readout_takes_the_names_that_fit(
    sheet: Page, names: dict[str, str], words: str
) -> None:
    assert read(sheet, show(sheet, MATRIX, **names), 2) == f"{words}: 0.3000\ncolours from 0 to 1"


def test_the_numbers_of_a_vector_have_the_names_of_columns(sheet: Page) -> None:
    vectors = "tensor([0.5000, 0.2500]) tensor([1.])"
    block = show(sheet, vectors, rows="x", columns="Your journey", tensors="weights sum")
    assert read(sheet, block, 1).startswith("weights: journey: 0.2500\n")
    assert read(sheet, block, 2).startswith("sum: [0]: 1.\n")


def test_the_keyboard_moves_from_cell_to_cell(address: str, page: Page) -> None:
    block = open_step(page, address)
    grid = block.get_by_role("grid", name="weights, 7 rows, 6 columns")
    expect(grid).to_have_count(1)
    assert "arrow keys" in (grid.get_attribute("aria-label") or "")
    # The block before it is code, with a button to copy it.
    page.locator(f".language-python:has(+ {BLOCK}) button").first.focus()
    page.keyboard.press("Tab")
    focus = page.locator(":focus")
    for key, cell in [
        ("", "row le, column the: 0.4399"),
        ("ArrowRight", "row le, column duck: 0.0001"),
        ("ArrowDown", "row canard, column duck: 0.8765"),
        ("End", "row canard, column bank: 0.1186"),
        ("ArrowRight", "row canard, column bank: 0.1186"),
        ("ArrowUp", "row le, column bank: 0.0011"),
        ("ArrowUp", "row le, column bank: 0.0011"),
        ("ArrowLeft", "row le, column muddy: 0.0595"),
        ("Home", "row le, column the: 0.4399"),
        ("ArrowDown", "row canard, column the: 0.0003"),
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
    expect(focus).to_have_attribute("aria-label", "weights: row canard, column the: 0.0003")
    assert block.locator("[tabindex='0']").count() == 1


def test_only_what_the_text_does_not_say_is_a_stop_of_the_tab_key(sheet: Page) -> None:
    stops = ".case .printed-cell[tabindex]"
    show(sheet, "tensor([1., 2.])\ntensor([[1., 2.]])")
    assert sheet.locator(stops).count() == 0
    show(sheet, "tensor([1., 2.])", columns="Your journey")
    assert sheet.locator(stops).count() == 1
    show(sheet, MATRIX)
    assert sheet.locator(stops).count() == 1


def test_a_finger_reads_a_cell(address: str, browser: Browser) -> None:
    context = browser.new_context(has_touch=True, viewport={"width": 390, "height": 844})
    page = context.new_page()
    open_step(page, address).locator(".printed-cell").nth(7).tap()
    expect(page.locator(READOUT)).to_contain_text("row canard, column duck: 0.8765")
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


def test_nothing_about_a_picture_moves(sheet: Page) -> None:
    block = show(sheet, MATRIX)
    block.locator(".printed-cell").first.hover()
    for element in (".case .printed-cell", READOUT):
        style = sheet.locator(element).first.evaluate(
            "(element) => [getComputedStyle(element).transitionDuration,"
            " getComputedStyle(element).animationName]"
        )
        assert style == ["0s", "none"]


# ---- the page around it


def test_what_is_copied_is_what_was_printed(address: str, page: Page) -> None:
    page.goto(address + STEP)
    page.evaluate(DRAW_ALL)
    for block in page.locator(".language-output samp").all():
        block.evaluate("(code) => getSelection().selectAllChildren(code)")
        page.keyboard.press("Control+c")
        printed = block.text_content() or ""
        assert page.evaluate("navigator.clipboard.readText()").rstrip("\n") == printed.rstrip("\n")


def test_numbers_are_selected_with_the_mouse(address: str, page: Page) -> None:
    cells = open_step(page, address).locator(".printed-cell")
    first, last = cells.nth(0).bounding_box(), cells.nth(7).bounding_box()
    assert first
    assert last
    page.mouse.move(first["x"] + 1, first["y"] + first["height"] / 2)
    page.mouse.down()
    page.mouse.move(last["x"] + last["width"] - 1, last["y"] + last["height"] / 2, steps=4)
    page.mouse.up()
    selected = page.evaluate("String(getSelection())")
    assert selected.startswith("[0.4399, 0.0001")
    assert selected.endswith("[0.0003, 0.8765,")


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize(("path", "cells"), [(STEP, 60), ("reference/masks/", 48)])
def test_drawing_moves_nothing(address: str, page: Page, width: int, path: str, cells: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(address + path, wait_until="networkidle")
    page.evaluate(WATCH_SHIFTS)
    before = page.evaluate(PLACES)
    page.evaluate(READ_THROUGH)
    expect(page.locator(".printed-cell").nth(cells - 1)).to_be_attached()
    assert page.evaluate(PLACES) == pytest.approx(before, abs=1)  # of rounding
    assert page.evaluate("shifted") == []


def test_a_block_is_drawn_when_it_comes_near_the_screen(address: str, page: Page) -> None:
    page.goto(address + STEP, wait_until="networkidle")
    last = page.locator(".language-output:not(details *):has-text('tensor([')").last
    assert last.locator(".printed-cell").count() == 0
    last.scroll_into_view_if_needed()
    expect(last.locator(".printed-cell")).not_to_have_count(0)


def test_paper_has_all_pictures(address: str, page: Page) -> None:
    page.goto(address + STEP)
    page.pdf()
    assert drawn(page) == matrices_on(ROOT / "docs" / f"{STEP.rstrip('/')}.md")


def test_what_is_drawn_is_left_as_it_is(address: str, page: Page) -> None:
    first = open_step(page, address).locator(".printed-cell").first.element_handle()
    page.evaluate(DRAW_ALL)
    assert first.evaluate("(cell) => cell.isConnected")


def test_without_javascript_the_text_is_there(address: str, browser: Browser) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address + STEP)
    assert "[0.4399, 0.0001, 0.0595, 0.4399, 0.0595, 0.0011]" in page.locator(BLOCK).inner_text()
    context.close()
