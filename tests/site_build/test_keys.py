"""The figure of a query that meets keys, as a reader has it, and by torch's numbers."""

import pytest
import torch
from playwright.sync_api import Browser, Page, expect

from tests.site_build.run_page import names_of

QUERIES = "steps/queries-keys-and-values"
FIGURE = ".figure:has(.keys)"
WORDS = ["the", "duck", "likes", "the", "rich", "bank"]


def test_each_word_asks_and_the_slider_changes_a_key(address: str, page: Page) -> None:
    names = names_of(f"{QUERIES}.md")
    page.goto(f"{address}{QUERIES}/")
    figure = page.locator(FIGURE)
    figure.scroll_into_view_if_needed()
    buttons = figure.get_by_role("button")
    slider = figure.get_by_role("slider", name="“rich” describes")
    said = figure.get_by_role("status")
    expect(slider).to_be_visible()
    expect(buttons).to_have_text(WORDS)
    expect(said).to_be_empty()
    inputs = names["rich_inputs"]
    seen = set()
    for asks, describes in [(5, 3.0), (5, 1.5), (5, 0.0), (1, 0.5), (0, 0.5), (4, 3.0)]:
        buttons.nth(asks).press("Enter")
        slider.fill(str(describes))
        changed = inputs.clone()
        changed[4, 3] = describes
        query, key = inputs[asks] @ names["asks"], changed @ names["tells"]
        shares = torch.softmax(query * key, dim=0)
        water, money = (shares @ (inputs @ names["gives"].T)).tolist()
        holds = [f"{100 * one / (water + money):.0f} %" for one in (water, money)]
        expect(figure.locator("[aria-pressed=true]")).to_have_text(WORDS[asks])
        expect(figure.locator("text.asks")).to_have_text([WORDS[asks], f"{query:.0f}"])
        expect(figure.locator("b")).to_have_text(holds)
        equal = shares.max() - shares.min() < 0.005
        meaning = "all shares are equal" if equal else f"“{WORDS[shares.argmax()]}”"
        expect(said).to_contain_text(meaning)
        shown = figure.locator("[data-row] .end").all_text_contents()
        assert [float(one) for one in shown] == pytest.approx(shares.tolist(), abs=0.0051)
        thick = figure.locator(".pull").evaluate_all(
            "(ribbons) => ribbons.map((ribbon) => parseFloat(getComputedStyle(ribbon).strokeWidth))"
        )
        assert [one / sum(thick) for one in thick] == pytest.approx(shares.tolist(), abs=1e-3)
        seen.add(str(shown))
    assert len(seen) == 6


def test_without_a_script_the_printed_shares_are_there(address: str, browser: Browser) -> None:
    context = browser.new_context(java_script_enabled=False)
    plain = context.new_page()
    plain.goto(f"{address}{QUERIES}/")
    figure = plain.locator(FIGURE)
    expect(figure.get_by_role("button").first).to_be_hidden()
    shown = ["0.02", "0.00", "0.00", "0.02", "0.96", "0.00"]
    expect(figure.locator("[data-row] .end")).to_have_text(shown)
    context.close()
