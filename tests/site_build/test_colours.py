"""The colours of numbers: one ramp wherever a number is shown by its place."""

from collections.abc import Iterator
from itertools import combinations, pairwise
from math import dist

import pytest
from playwright.sync_api import Browser, Page

from site_build.markdown.colours import scale_of
from tests.conftest import ROOT
from tests.wcag import contrast, linear

FIGURES = ROOT / "src" / "site_build" / "theme" / "assets" / "figures" / "figures.css"
CELLS = {
    "printed": '<samp><span class="printed-cell {}" style="--share:{}">1</span></samp>',
    "heat map": '<table class="heat-map"><tbody><td class="{}" style="--share:{}">1</table>',
    "lab": '<table class="lab-grid"><tbody><td class="{}" style="--share:{}">1</table>',
    "figure": '<svg class="figure map"><rect class="{}" style="--share:{}"/><text>1</text></svg>',
}

# The colour of a cell and of its digits, as the screen has them, from 0 to 1.
LOOK = """([html, shares]) => {
  const place = document.querySelector("article");
  const dot = new OffscreenCanvas(1, 1).getContext("2d", {willReadFrequently: true});
  const seen = (colour) => {
    dot.fillStyle = colour;
    dot.fillRect(0, 0, 1, 1);
    return [...dot.getImageData(0, 0, 1, 1).data].slice(0, 3).map((channel) => channel / 255);
  };
  return shares.map((share) => {
    const name = share < 0 ? "minus" : "";
    place.innerHTML = html.replace("{}", name).replace("{}", Math.abs(share));
    const cell = place.querySelector("[style]");
    const {fill, backgroundColor, backgroundImage} = getComputedStyle(cell);
    const drawn = cell.matches("rect") ? fill
      : backgroundImage.match(/oklab\\([^)]*\\)/)?.[0] ?? backgroundColor;
    const digits = getComputedStyle(cell.matches("rect") ? cell.nextElementSibling : cell);
    return [drawn, cell.matches("rect") ? digits.fill : digits.color].map(seen);
  });
}"""

# The background, and the hues that tell devices, heads and words apart.
HUES = """() => {
  const place = document.querySelector("article");
  const dot = new OffscreenCanvas(1, 1).getContext("2d", {willReadFrequently: true});
  return ["md-default-bg-color", "who-0", "who-1", "who-2", "who-3"].map((name) => {
    place.innerHTML = `<b style="color: var(--${name})">1</b>`;
    dot.fillStyle = getComputedStyle(place.firstChild).color;
    dot.fillRect(0, 0, 1, 1);
    return [...dot.getImageData(0, 0, 1, 1).data].slice(0, 3).map((channel) => channel / 255);
  });
}"""

Colour = tuple[float, float, float]
STEPS = [step / 100 for step in range(-100, 101)]


def times(matrix: tuple[Colour, ...], colour: Colour) -> Colour:
    """Return the product of a matrix and a vector."""
    x, y, z = (sum(a * b for a, b in zip(row, colour, strict=True)) for row in matrix)
    return x, y, z


# Björn Ottosson, "A perceptual color space for image processing", 2020.
CONES = (
    (0.4122214708, 0.5363325363, 0.0514459929),
    (0.2119034982, 0.6806995451, 0.1073969566),
    (0.0883024619, 0.2817188376, 0.6299787005),
)
OKLAB = (
    (0.2104542553, 0.7936177850, -0.0040720468),
    (1.9779984951, -2.4285922050, 0.4505937099),
    (0.0259040371, 0.7827717662, -0.8086757660),
)
# Machado, Oliveira and Fernandes, "A physiologically-based model for simulation of color vision
# deficiency", 2009: at full severity, on the amounts of light.
SEEN_BY = {
    "most": ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}


def perceived(colour: Colour, by: str = "most") -> Colour:
    """Return a colour in OKLab, where differences that look equal are as large."""
    light = tuple(max(0.0, c) for c in times(SEEN_BY[by], linear(colour)))
    l, m, s = (c ** (1 / 3) for c in times(CONES, light))  # type: ignore[arg-type]  # noqa: E741
    return times(OKLAB, (l, m, s))


@pytest.fixture(scope="module", params=["default", "slate"])
def sheet(address: str, browser: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
    """Open a page that has room for cells, light and dark."""
    page = browser.new_page()
    page.goto(address + "reference/notation/")
    page.evaluate("(scheme) => { document.body.dataset.mdColorScheme = scheme }", request.param)
    yield page
    page.close()


def looks(page: Page, kind: str) -> list[tuple[Colour, Colour]]:
    """Return the colours of cells and of their digits, from the full minus to the full plus."""
    return [(tuple(a), tuple(b)) for a, b in page.evaluate(LOOK, [CELLS[kind], STEPS])]


@pytest.mark.parametrize("kind", CELLS)
def test_digits_stand_out_on_every_colour(sheet: Page, kind: str) -> None:
    for (cell, digits), share in zip(looks(sheet, kind), STEPS, strict=True):
        assert contrast(cell, digits) >= 4.5, f"at a share of {share}"


def test_one_share_has_one_colour_wherever_it_is_shown(sheet: Page) -> None:
    expected = looks(sheet, "heat map")
    assert len({cell for cell, _ in expected}) > 150, "colours differ"
    for kind in CELLS:
        assert looks(sheet, kind) == expected, kind


def test_equal_steps_look_equal(sheet: Page) -> None:
    colours = [perceived(cell) for cell, _ in looks(sheet, "heat map")[::10]]
    steps = [dist(*pair) for pair in pairwise(colours)]
    assert len(steps) == 20
    for one_hue in (steps[:10], steps[10:]):
        assert max(one_hue) < 1.25 * min(one_hue)
    assert sum(steps[:10]) == pytest.approx(sum(steps[10:]), rel=0.1), "as far below zero as above"
    assert min(steps) > 0.02, "a tenth can be seen"


@pytest.mark.parametrize("eyes", SEEN_BY)
def test_the_sign_can_be_seen_by_all(sheet: Page, eyes: str) -> None:
    colours = [perceived(cell, eyes) for cell, _ in looks(sheet, "heat map")]
    for share in range(25, 101):
        apart = dist(colours[100 - share], colours[100 + share])
        assert apart > 0.2 * share / 100, f"a share of {share} %"
        assert dist(colours[100], colours[100 + share]) > 0.2 * share / 100


@pytest.mark.parametrize("eyes", SEEN_BY)
def test_a_hue_is_read_and_told_from_the_others_by_all(sheet: Page, eyes: str) -> None:
    sheet.add_style_tag(path=FIGURES)  # the site leaves out what no page uses
    ground, *hues = sheet.evaluate(HUES)
    assert min(contrast(hue, ground) for hue in hues) >= 4.5
    pairs = combinations([perceived(hue, eyes) for hue in hues], 2)
    assert min(dist(*pair) for pair in pairs) > 0.1


def test_a_scale_holds_its_numbers() -> None:
    for numbers in ([0.1, 0.9], [0.0, 7.0], [-3.0, 1.0], [-1.0, 4.0], [1.0, 1.1], [0.5, 0.5], []):
        scale = scale_of(numbers)
        shares = [scale.share(number) for number in numbers]
        assert all(-1 <= share <= 1 for share in shares)
        assert [share < 0 for share in shares] == [number < 0 for number in numbers]
        assert sorted(shares) == [scale.share(number) for number in sorted(numbers)]
