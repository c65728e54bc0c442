"""The figure of "Heads on several devices": what it shows is what its page prints."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.site_build.run_page import names_of

PAGE = "steps/heads-on-devices"


@pytest.mark.parametrize(("cut", "send"), [("heads", "outputs"), ("halves", "contexts")])
def test_bars_are_what_each_device_makes_of_what_is_sent(
    address: str, page: Page, cut: str, send: str
) -> None:
    lesson = names_of(f"{PAGE}.md")
    page.set_viewport_size({"width": 1280, "height": 900})
    page.goto(f"{address}{PAGE}/#heads&cut={cut}&send={send}&t=4")
    page.locator("hand-figure.live").wait_for()
    picture = page.locator("hand-figure svg.wide")
    for hue, part in (("water", 0), ("money", 1)):
        bars = picture.locator(f"rect[fill*=hand-{hue}]").all()
        widths = [float(bar.get_attribute("width") or 0) for bar in bars]
        numbers = lesson["found"][cut][send][:, part].tolist()
        unit = 166 / 3.2
        assert widths == pytest.approx([number * unit for number in numbers], abs=0.5)
    right = lesson["found"][cut][send].isclose(lesson["both"], atol=1e-5).all()
    says = re.compile(f"^(?{'=' if right else '!'}The sum is what one device finds)")
    expect(page.locator("hand-figure .hand-says")).to_have_text(says)
