"""What axe finds around an article, and in what opens over a page; one_page.py has articles."""

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from tests.site_build.axe import violations, violations_on_a_desktop

STEP = "steps/causal-masks/"
WIDE = ViewportSize(width=1280, height=900)
PHONE = ViewportSize(width=390, height=844)


def test_axe_finds_nothing_around_an_article(address: str, page: Page) -> None:
    assert not violations_on_a_desktop(page, address + STEP, within="html")


@pytest.mark.parametrize(("scheme", "size"), [("dark", WIDE), ("light", PHONE)])
def test_axe_finds_nothing_in_what_opens(
    address: str, page: Page, scheme: str, size: ViewportSize
) -> None:
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    page.set_viewport_size(size)
    page.goto(address + STEP)
    for fold in page.locator("article summary").all():
        fold.click()
    assert not violations(page, within="article details")
    page.evaluate("scrollTo(0, 0)")
    page.keyboard.press("/")
    page.locator(".search input").press_sequentially("mask")
    page.locator(".search li mark").first.wait_for()
    assert not violations(page, within=".search")
    page.keyboard.press("Escape")

    page.set_viewport_size(PHONE)
    page.get_by_role("button", name="All pages").click()
    expect(page.locator(".sheet")).to_be_visible()
    assert not violations(page, within=".sheet")
    page.locator(".sheet").get_by_role("button", name="Take this page with you").click()
    expect(page.locator("#__take")).to_be_visible()
    assert not violations(page, within="#__take")
