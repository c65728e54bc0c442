"""What opens over a page, looked at with axe."""

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from tests.site_build.axe import violations

STEP = "steps/08-causal-masks/"
WIDE = ViewportSize(width=1280, height=900)
PHONE = ViewportSize(width=390, height=844)


@pytest.fixture(params=[("dark", WIDE), ("light", PHONE)], ids=["dark wide", "light phone"])
def page(page: Page, request: pytest.FixtureRequest) -> Page:
    scheme, size = request.param
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    page.set_viewport_size(size)
    return page


def test_axe_finds_nothing_in_the_results_of_a_search(address: str, page: Page) -> None:
    page.goto(address)
    page.keyboard.press("/")
    page.keyboard.type("mask")
    page.locator(".md-search-result__item").first.wait_for()
    page.locator(".md-search-result summary").first.click()
    assert not violations(page)


def test_axe_finds_nothing_in_the_drawer(address: str, page: Page) -> None:
    page.set_viewport_size(PHONE)
    page.goto(address + STEP)
    page.get_by_role("button", name="Navigation").click()
    part = page.get_by_role("checkbox", name="3 · Attention in a transformer").first
    expect(part).to_be_checked()
    assert not violations(page)
    part.focus()
    page.keyboard.press("Space")
    expect(part).not_to_be_checked()
    assert not violations(page)


def test_axe_finds_nothing_in_the_solutions(address: str, page: Page) -> None:
    page.goto(address + STEP)
    for solution in page.locator("summary").all():
        solution.click()
    assert not violations(page)
