"""What the figure of "All to all" counts, held to its page."""

from itertools import product

import pytest
from playwright.sync_api import Page, expect

from tests.site_build.run_page import names_of

SENT = """async (cases) => {
  const { sent } = await import(new URL("/assets/interactive/exchange/sent.js", location))
  return cases.map((each) => sent(...each))
}"""


def test_the_browser_counts_as_the_page_does(address: str, page: Page) -> None:
    sent = names_of("steps/all-to-all.md")["sent"]
    cases = [case for case in product((2, 4, 8, 64), (2, 8, 64), (1, 2, 8)) if case[2] <= case[1]]
    page.goto(address)
    for case, found in zip(cases, page.evaluate(SENT, cases), strict=True):
        assert found == {way: pytest.approx(count) for way, count in sent(*case).items()}


def test_it_refuses_more_devices_than_heads(address: str, page: Page) -> None:
    page.goto(f"{address}steps/all-to-all/#exchange&devices=8&heads=4")
    figure = page.locator("hand-figure.live")
    says = figure.locator(".hand-says")
    expect(says).to_contain_text("some devices would have none")
    figure.get_by_label("8", exact=True).and_(page.locator("[name=exchange-heads]")).press("Space")
    expect(says).to_contain_text("Each keeps one part of eight and trades the others.")
    figure.get_by_role("slider", name="moment").press("Home")
    expect(says).to_contain_text("one token of all eight heads")
