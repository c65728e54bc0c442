"""The colours of numbers: one ramp wherever a number is shown by its place."""

import io
import re
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from math import dist

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Browser, Page

from site_build.markdown.colours import scale_of, shade
from tests.conftest import ROOT
from tests.wcag import contrast

SITE = ROOT / "src" / "site_build" / "theme" / "assets" / "site.css"
CELLS = {
    "printed": "<samp><span class=printed-matrix><span><i{}>1</i></span></span></samp>",
    "heat map": "<table class=heat-map><tbody><td{}>1</table>",
}
EYES = ["none", "protanopia", "deuteranopia", "tritanopia"]
STEPS = [step / 100 for step in range(-100, 101)]

# The colour of a cell's edge in OKLab, and what its inside and its digits are on the screen.
LOOK = """(cells) => {
  const place = document.querySelector("article");
  const paper = getComputedStyle(document.body).backgroundColor;
  const dot = new OffscreenCanvas(1, 1).getContext("2d", {willReadFrequently: true});
  const seen = (...colours) => {
    for (dot.fillStyle of [paper, ...colours]) dot.fillRect(0, 0, 1, 1);
    return [...dot.getImageData(0, 0, 1, 1).data].slice(0, 3).map((channel) => channel / 255);
  };
  return cells.map((html) => {
    place.innerHTML = html;
    const cell = place.querySelector("i, td");
    const colours = /(oklab|color|rgba?)\\([^)]*\\)/g;
    const look = getComputedStyle(cell);
    const lines = look.boxShadow.match(colours) ?? [];
    const images = look.backgroundImage.match(colours) ?? [];
    const layers = images.filter((colour) => colour !== "rgba(0, 0, 0, 0)").reverse();
    if (!layers.length) layers.push(look.backgroundColor);
    const edge = cell.matches(".hidden") ? layers[0] : lines[0] ?? layers[0];
    return [edge, seen(...layers), seen(look.color)];
  });
}"""

Look = tuple[str, tuple[float, ...], tuple[float, ...]]


@pytest.fixture(scope="module", params=["light", "dark"])
def sheet(address: str, browser: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
    """Open a page that has room for cells, light and dark."""
    # Its policy would refuse the attributes of cells that no build has finished.
    page = browser.new_page(color_scheme=request.param, bypass_csp=True)
    page.goto(address + "steps/windows-and-sinks/")
    scheme = page.evaluate("getComputedStyle(document.documentElement).colorScheme")
    assert scheme == request.param
    yield page
    page.close()


def looks(page: Page, kind: str, shares: Sequence[float | None] = STEPS) -> list[Look]:
    """Return the colours of cells and of their digits, from the full minus to the full plus."""
    found: list[Look] = page.evaluate(LOOK, [CELLS[kind].format(shade(share)) for share in shares])
    return found


@pytest.mark.parametrize("kind", CELLS)
def test_digits_stand_out_on_one_ramp(sheet: Page, kind: str) -> None:
    found = looks(sheet, kind)
    less, (zero,), more = found[:100], found[100:101], found[101:]
    assert len({edge for edge, *_ in more}) > 75, "colours differ"
    assert [edge for edge, *_ in less[::-1]] == [edge for edge, *_ in more], "one ramp"
    assert all(inside == zero[1] for _, inside, _ in less), "hollow"
    assert found == looks(sheet, "heat map"), "one share has one colour wherever it is shown"
    for (_, inside, digits), share in zip(found, STEPS, strict=True):
        assert contrast(inside, digits) >= 4.5, f"at a share of {share}"


def test_equal_steps_look_equal(sheet: Page) -> None:
    colours = looks(sheet, "heat map", [share / 10 for share in range(11)])
    places = [re.findall(r"-?\d[\d.e-]*", edge) for edge, *_ in colours]
    steps = [dist(*pair) for pair in pairwise([[*map(float, place)] for place in places])]
    assert len(steps) == 10
    assert max(steps) < 1.25 * min(steps)
    assert min(steps) > 0.02, "a tenth can be seen"


def seen(page: Page, cells: Sequence[str], eyes: str, edge: bool = False) -> list[list[float]]:
    """Return the colours of cells that have some attributes, from 0 to 1, as eyes see them."""
    html = f"<table class=heat-map>{''.join(f'<td{attributes}>' for attributes in cells)}</table>"
    place = page.locator("article")
    place.evaluate("(place, html) => { place.innerHTML = html }", html)
    session = page.context.new_cdp_session(page)
    session.send("Emulation.setEmulatedVisionDeficiency", {"type": eyes})
    row = np.asarray(Image.open(io.BytesIO(place.locator("tr").screenshot())).convert("RGB")) / 255
    height, width, _ = row.shape
    centers = [round((i + 0.5) * width / len(cells)) for i in range(len(cells))]
    colours: list[list[float]] = row[1 if edge else height // 2, centers].tolist()
    return colours


@pytest.mark.parametrize("eyes", EYES)
def test_the_sign_can_be_seen_by_all(sheet: Page, eyes: str) -> None:
    shares = [0.25, 0.5, 0.75, 1.0]
    cells = [shade(s) for s in (0, *shares, *(-s for s in shares))]
    (zero, *middles), (_, *edges) = seen(sheet, cells, eyes), seen(sheet, cells, eyes, edge=True)
    for share, more, less in zip(shares, range(4), range(4, 8), strict=True):
        assert edges[more] == middles[more] == edges[less], "the same number, but for its sign"
        assert middles[less] == zero, "hollow"
        assert dist(zero, edges[less]) > 0.5 * share


@pytest.mark.parametrize("kind", ["printed", "heat map"])
def test_hidden_digits_stand_out_from_their_strokes(sheet: Page, kind: str) -> None:
    [(strokes, cell, digits)] = looks(sheet, kind, [None])
    assert strokes.startswith("color(srgb"), "no colour of the ramp"
    assert contrast(cell, digits) >= 4.5


MEANINGS = ["water", "money", "now", "kept"]


@pytest.mark.parametrize("eyes", EYES)
def test_a_hue_is_read_and_told_from_the_others_by_all(sheet: Page, eyes: str) -> None:
    names = ["md-default-bg-color", "md-code-bg-color", *MEANINGS]
    *grounds, water, money, now, kept = seen(
        sheet, [f' style="background:var(--{name})"' for name in names], eyes
    )
    if eyes == "none":
        paper, fill = grounds
        assert min(contrast(hue, paper) for hue in (water, money, now, kept)) >= 4.5
        assert min(contrast(hue, fill) for hue in (water, money, now)) >= 4.5
    assert dist(water, money) > 0.6, "the two that are compared everywhere"
    assert min(dist(*pair) for pair in combinations((water, money, now, kept), 2)) > 0.15


def test_a_scale_holds_its_numbers() -> None:
    for numbers in ([0.1, 0.9], [0.0, 7.0], [-3.0, 1.0], [-1.0, 4.0], [1.0, 1.1], [0.5, 0.5], []):
        scale = scale_of(numbers)
        shares = [scale.share(number) for number in numbers]
        assert all(-1 <= share <= 1 for share in shares)
        assert [share < 0 for share in shares] == [number < 0 for number in numbers]
        assert sorted(shares) == [scale.share(number) for number in sorted(numbers)]
