"""A page on paper."""

import io
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page
from pypdf import PdfReader

STEP, QUERIES = "steps/03-weights/", "steps/05-queries-keys-and-values/"


@pytest.fixture(scope="module", params=[True, False], ids=["scripts", "no scripts"])
def reader(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
    """Open a tab of a reader whose screen is dark."""
    page = browser.new_page(color_scheme="dark", java_script_enabled=request.param)
    yield page
    page.close()


def printed(page: Page, address: str) -> str:
    """Open a page, and return its words on paper."""
    page.goto(address)
    return on_paper(page)


def on_paper(page: Page) -> str:
    """Return the words of the page that is open, as they are printed."""
    sheets = PdfReader(io.BytesIO(page.pdf(format="A4"))).pages
    return " ".join(" ".join(sheet.extract_text() for sheet in sheets).split())


@pytest.fixture(scope="module")
def paper(address: str, reader: Page) -> str:
    return printed(reader, address + STEP)


def test_paper_has_the_text_the_code_and_the_numbers(paper: str) -> None:
    assert "the duck likes the muddy bank" in paper
    assert "weights = torch.softmax(scores, dim=-1)" in paper
    assert "[0.02, 0.40, 0.02, 0.02, 0.40, 0.15]" in paper


def test_paper_has_the_formulas(paper: str) -> None:
    assert "∑" in paper
    assert "exp (scores" in paper


def test_paper_has_the_solutions_that_are_folded_on_the_screen(paper: str) -> None:
    assert "Solution" in paper
    assert "It mends two of them" in paper


def test_paper_has_what_engineers_need_if_it_was_unfolded(address: str, reader: Page) -> None:
    folded = "In the package"
    assert folded not in printed(reader, address + STEP)
    reader.locator("details.abstract > summary").click()
    assert folded in on_paper(reader)


def test_paper_has_nothing_to_click(paper: str) -> None:
    for words in ("Table of contents", "Skip to content", "Search", "Copy", "Download", "Previous"):
        assert words not in paper


def test_paper_has_all_digits_of_a_heat_map_once(address: str, reader: Page) -> None:
    page = printed(reader, address + QUERIES)
    assert page.count("0.9578") == 1  # in no other output
    assert "Show the numbers" not in page, "a button"


def test_paper_keeps_no_room_for_a_toy_without_its_script(address: str, page: Page) -> None:
    page.route("**/toy.js", lambda route: route.abort())
    lay_out(page, address + STEP)
    assert page.locator("attention-toy").bounding_box() is None


def lay_out(page: Page, address: str) -> None:
    """Open a page with the styles for paper, as wide as paper is."""
    page.emulate_media(color_scheme="dark")
    page.goto(address)
    page.set_viewport_size({"width": 560, "height": 900})
    page.emulate_media(media="print")


def test_paper_is_white_although_the_screen_is_dark(address: str, page: Page) -> None:
    lay_out(page, address + STEP)
    assert page.locator("body").get_attribute("data-md-color-scheme") == "slate"
    colours = page.evaluate(
        """() => Object.fromEntries(["h1", "p", ".highlight code", "table th", "math"].map(
            (name) => [name, getComputedStyle(document.querySelector("article " + name)).color]))"""
    )
    for name, colour in colours.items():
        red, green, blue, *_ = re.findall(r"[\d.]+", colour)
        assert max(map(int, (red, green, blue))) < 128, f"{name} is {colour}"
    cell = page.locator(".printed-matrix i").first.evaluate(
        "cell => { cell.style.color = 'var(--cell-plus)'; return getComputedStyle(cell).color }"
    )
    assert cell == "rgb(69, 144, 234)", "the colour of a light screen"


@pytest.mark.parametrize(
    "path", [STEP, "guides/mask-conventions/", "reference/layers/", "reference/positions/"]
)
def test_nothing_is_cut_off_on_paper(address: str, page: Page, path: str) -> None:
    lay_out(page, address + path)
    cut: list[str] = page.locator(
        "article code, article samp, article .formula, article table"
    ).evaluate_all(
        "boxes => boxes.filter(box => box.scrollWidth > box.clientWidth + 1).map(b => b.innerText)"
    )
    assert not cut
