"""From page to page, and to an address where there is no page."""

import re
from typing import Literal

import pytest
from playwright.sync_api import Page, expect

from tests.site_build.reading import wait

STEP = "steps/weights/"


@pytest.mark.parametrize(("motion", "fades"), [("no-preference", True), ("reduce", False)])
def test_one_page_fades_into_the_next_unless_the_reader_wants_no_motion(
    address: str, new_tab: Page, motion: Literal["no-preference", "reduce"], fades: bool
) -> None:
    new_tab.emulate_media(reduced_motion=motion)
    new_tab.add_init_script(
        "onpagereveal = ({viewTransition}) => { fades = Boolean(viewTransition) }"
    )
    new_tab.goto(address + STEP)
    new_tab.get_by_role("link", name=re.compile("^Next .*Context vectors")).click()
    expect(new_tab).to_have_title("Context vectors - Attention Steps")
    wait(new_tab, "'fades' in window")  # a page has its title before it is revealed
    assert new_tab.evaluate("fades") is fades


def test_the_next_page_is_named_with_its_question_and_its_minutes(address: str, page: Page) -> None:
    page.goto(address + STEP)
    asked = page.locator("a[rel=next] em").inner_text()
    minutes = page.locator("a[rel=next] small").inner_text().removeprefix("Next · ")
    page.locator("a[rel=next]").click()
    expect(page).to_have_title("Context vectors - Attention Steps")
    assert asked
    expect(page.locator("article .question").first).to_have_text(asked)
    expect(page.locator(".eye")).to_have_text(re.compile(rf"Step 4 of \d+ · {minutes}"))


def test_the_bar_has_every_step_in_its_part(address: str, page: Page) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(address + STEP)
    steps = page.locator(".dots a").all_inner_texts()
    assert [int(step.partition(" · ")[0]) for step in steps] == [*range(1, len(steps) + 1)]
    expect(page.locator(".dots [aria-current]")).to_have_text("3 · Weights")
    expect(page.locator(".dots b")).to_have_text("One word asks")
    page.set_viewport_size({"width": 390, "height": 844})
    turns = page.locator(".turns")
    expect(turns.locator("span")).to_have_text(f"3 / {len(steps)}")
    turns.get_by_role("link", name="Next: Context vectors").click()
    expect(turns.locator("span")).to_have_text(f"4 / {len(steps)}")


@pytest.mark.parametrize(("path", "contents"), [(STEP, 0), ("", 0), ("guides/what-goes-wrong/", 1)])
def test_only_what_is_looked_up_has_contents_beside_it(
    address: str, page: Page, path: str, contents: int
) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(address + path)
    expect(page.locator(".md-sidebar")).to_have_count(contents)


def test_a_scheme_that_was_chosen_stays(address: str, page: Page) -> None:
    body = page.locator("body")
    page.goto(address + STEP)
    page.get_by_role("button", name="Dark mode").click()
    page.get_by_role("link", name=re.compile("^Next .*Context vectors")).click()
    expect(page).to_have_title("Context vectors - Attention Steps")
    expect(body).to_have_attribute("data-md-color-scheme", "slate")
    other = page.context.new_page()
    other.goto(address)
    expect(other.locator("body")).to_have_attribute("data-md-color-scheme", "slate")
    other.get_by_role("button", name="Dark mode").click()
    expect(body).to_have_attribute("data-md-color-scheme", "default")
    page.go_back()
    expect(body).to_have_attribute("data-md-color-scheme", "default")


def test_an_address_without_a_page_says_where_to_go(address: str, page: Page) -> None:
    page.goto(address + "404.html")
    expect(page).to_have_title("Page not found - Attention Steps")
    links = page.locator("article").get_by_role("link")
    expect(links.filter(has_text="Tokens become vectors")).to_be_visible()
    links.filter(has_text="How to begin").click()
    expect(page).to_have_title("How to begin - Attention Steps")
