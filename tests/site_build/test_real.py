"""The step with a real model: what is pressed shows what was measured."""

import re

from playwright.sync_api import Page, expect

from minilm.shown import shown
from tests.site_build.on_stage import number, opened, to

REAL = "steps/in-a-real-model/"


def ends(word: str, layer: int, head: int) -> str:
    one, other = shown(word).without[:, layer, head, -1]
    return f"{abs(one - other):.2f}"


def test_a_head_is_switched_off_by_mouse_and_by_keys(address: str, page: Page) -> None:
    stage = opened(page, address + REAL)
    expect(number(stage)).to_have_text("0.25")
    to(page, "heads")
    answer = page.locator(".stage-task p").nth(1)
    expect(stage.get_by_role("button", name="Switch head 0.2")).to_have_attribute(
        "aria-pressed", "true"
    )
    expect(answer).to_be_hidden()
    stage.get_by_role("button", name="head 0.0: without it 0.18 apart").click()
    stage.get_by_role("button", name="Switch head 0.0").click()
    expect(number(stage)).to_have_text("0.18")
    expect(answer).to_be_visible()
    told = page.locator(".stage-live")
    expect(told).to_have_text("Without 0.0, the two end 0.18 apart instead of 0.25.")
    stage.get_by_role("button", name=re.compile("^head 0.0:")).press("ArrowRight")
    expect(stage.get_by_role("button", name=re.compile("^head 0.1:"))).to_be_focused()
    expect(number(stage)).to_have_text("0.25")


def test_another_pair_has_its_own_numbers(address: str, page: Page) -> None:
    stage = opened(page, address + REAL)
    to(page, "heads")
    stage.get_by_role("button", name="fan: swap the two sentences").click()
    page.get_by_role("menuitemradio", name="bass").click()
    for layer, head in [(0, 10), (5, 11)]:
        name = f"head {layer}.{head}: without it {ends('bass', layer, head)} apart"
        expect(stage.get_by_role("button", name=name)).to_be_visible()


def test_a_layer_is_pressed_in_the_drawing_and_in_the_output(address: str, page: Page) -> None:
    stage = opened(page, address + REAL)
    stage.get_by_role("button", name="layer 0").click()
    expect(number(stage)).to_have_text("0.10")
    page.locator('[data-stage="paths"] i').nth(8).click()
    expect(number(stage)).to_have_text("0.17")
    expect(page.locator(".stage-live")).to_have_text(
        "After layer 3, fan is at 0.20 with singer and at 0.03 with mechanic, 0.17 apart, "
        "and the other words 0.06."
    )


def test_where_it_looks_is_told(address: str, page: Page) -> None:
    stage = opened(page, address + REAL)
    to(page, "looking")
    stage.get_by_role("button", name=re.compile("^head 0.0:")).click()
    expect(number(stage)).to_have_text("0.61")
    expect(page.locator(".stage-live")).to_contain_text(
        "after singer, start 0.14, the 0.05, singer 0.61"
    )
