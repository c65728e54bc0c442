"""All that figures write can be read: in the light and in the dark, on a phone and on paper."""

from itertools import combinations
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.conftest import ROOT
from tests.site_build.axe import violations
from tests.site_build.figures.examples import EXAMPLES, draw
from tests.wcag import contrast, luminance

STYLES = "".join(
    (ROOT / "src" / "site_build" / "theme" / "assets" / name).read_text("utf-8")
    for name in ("site.css", "heat/heat.css", "figures/figures.css")
)
SCHEMES = {"light": "default", "dark": "slate"}
TEXTS = """() => [...document.querySelectorAll("svg text")]
  .filter((text) => text.textContent && text.checkVisibility({opacityProperty: true}))
  .map((text) => {
    const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true})
    const rgb = (colour) => {
      canvas.fillStyle = colour
      canvas.fillRect(0, 0, 1, 1)
      return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3).map((part) => part / 255)
    }
    const before = text.previousElementSibling
    const square = before?.localName === "rect" && getComputedStyle(before)
    const {left, right, top, bottom} = text.getBoundingClientRect()
    const svg = text.closest("svg")
    return {
      words: text.textContent,
      ink: rgb(getComputedStyle(text).fill),
      ground: rgb(square ? square.fill : getComputedStyle(document.body).backgroundColor),
      size: parseFloat(getComputedStyle(text).fontSize)
        * svg.getBoundingClientRect().width / svg.viewBox.baseVal.width,
      figure: [...document.querySelectorAll("svg")].indexOf(svg),
      box: [left, top, right, bottom],
      panel: [svg.getBoundingClientRect().left, svg.getBoundingClientRect().right],
    }
  })"""


def show(page: Page, width: int, scheme: str) -> list[dict[str, Any]]:
    """Show all examples, and return what is known of their texts."""
    page.set_viewport_size({"width": width, "height": 800})
    background = "var(--md-default-bg-color, #fff)"
    page.set_content(
        f'<!doctype html><html lang="en" class="{scheme}" style="font-size: 125%">'
        "<title>Figures</title>"
        f"<style>{STYLES} body {{ margin: 16px; background: {background} }}</style>"
        f'<body data-md-color-scheme="{SCHEMES[scheme]}"><main class="md-typeset">'
        f"<h1>Figures</h1>{''.join(draw(*example) for example in EXAMPLES.values())}</main>"
    )
    found: list[dict[str, Any]] = page.evaluate(TEXTS)
    return found


@pytest.mark.parametrize(("scheme", "width", "least"), [("light", 390, 12), ("dark", 1440, 13)])
def test_all_that_is_written_can_be_read(page: Page, scheme: str, width: int, least: float) -> None:
    found = show(page, width, scheme)
    assert len(found) > 100
    for text in found:
        assert contrast(text["ink"], text["ground"]) >= 4.5, text
        assert round(text["size"], 1) >= least, text
    assert violations(page) == []


def test_figures_on_paper_are_light(page: Page) -> None:
    page.emulate_media(media="print")
    first, *_ = show(page, 700, "dark")
    assert luminance(first["ground"]) > 0.9
    assert luminance(first["ink"]) < 0.3
    fill = "getComputedStyle(document.querySelector('.bar')).fill"
    printed = page.evaluate(fill)
    page.emulate_media(media="screen")
    assert printed != page.evaluate(fill)
    page.evaluate("document.documentElement.className = 'light'")
    assert printed == page.evaluate(fill)


@pytest.mark.parametrize("width", [320, 1440])
def test_no_text_is_cut_off_or_touches_another(page: Page, width: int) -> None:
    found = show(page, width, "light")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for text in found:
        left, _, right, _ = text["box"]
        assert 0 <= left <= right <= width, text
        assert text["panel"][0] - 1 <= left <= right <= text["panel"][1] + 1, text
    for one, other in combinations(found, 2):
        if one["figure"] == other["figure"]:
            left, top, right, bottom = one["box"]
            apart = (
                right <= other["box"][0]
                or other["box"][2] <= left
                or bottom <= other["box"][1] + 4  # of the room above and below letters
                or other["box"][3] <= top + 4
            )
            assert apart, (one, other)
