"""Pages whose drawing is a run: its switches and its line, by key, mouse and finger."""

import re

import pytest
import torch
from playwright.sync_api import Browser, Page, ViewportSize, expect

from tests.conftest import sources
from tests.site_build.on_stage import TOUCHING, number, opened, swipe
from tests.site_build.run_page import names_of

RUNS = [
    f"{path.parent.name}/{path.stem}/"
    for path in sources(".md")
    if "\n```stage run " in path.read_text("utf-8") and path.stem != "writing-a-page"
]
COSTS = "guides/what-attention-costs/"  # whose line is a length
NO_NUMBER = re.compile("undefined|NaN|null|Infinity")


@pytest.mark.parametrize("run", RUNS)
def test_each_choice_is_pressed_and_each_moment_reached_by_key(
    address: str, page: Page, run: str
) -> None:
    page.emulate_media(reduced_motion="reduce")  # which draws at once
    stage = opened(page, address + run)
    line = stage.get_by_role("slider")
    rest = line.get_attribute("aria-valuenow") or "" if line.count() else ""
    options = stage.locator("[data-press^='set ']:not([display])")
    names = options.evaluate_all("(all) => all.map((one) => one.dataset.press)")
    for name in names:
        option = stage.locator(f'[data-press="{name}"]')
        option.press("Enter")
        expect(option).to_have_attribute("aria-pressed", "true")
        expect(option).to_be_focused()
        expect(number(stage)).not_to_have_text(NO_NUMBER)
        assert page.evaluate(TOUCHING) == []
    if not line.count():
        return
    last = line.get_attribute("aria-valuenow") or ""
    if run != COSTS:
        assert last == line.get_attribute("aria-valuemax"), "it rests at its end"
    line.press("ArrowLeft")
    expect(line).to_have_attribute("aria-valuenow", str(int(last) - 1))
    expect(page.locator(".stage-live")).not_to_have_text(NO_NUMBER)
    page.get_by_role("button", name="As printed").click()
    expect(line).to_have_attribute("aria-valuenow", rest)


def test_a_finger_moves_the_line_and_not_the_page(address: str, browser: Browser) -> None:
    room: ViewportSize = {"width": 390, "height": 844}
    with browser.new_context(viewport=room, has_touch=True, is_mobile=True) as context:
        page = context.new_page()
        line = opened(page, f"{address}{RUNS[0]}").get_by_role("slider")
        box = line.bounding_box()
        assert box
        assert box["height"] >= 43.9  # of which a browser draws a part less
        end = (box["x"] + box["width"] - 24, box["y"] + box["height"] / 2)
        swipe(context.new_cdp_session(page), end, -box["width"], 120)
        expect(line).to_have_attribute("aria-valuenow", "0")
        assert page.evaluate("scrollY") == 0


# ---- what is computed in the browser is what the page computes


def test_the_number_is_what_the_page_counts(address: str, page: Page) -> None:
    stage = opened(page, address + "steps/kv-cache/")
    expect(number(stage)).to_have_text(str(sum(range(7))))
    stage.get_by_role("button", name="kept").click()
    expect(number(stage)).to_have_text("6")
    total = sum(names_of("steps/kv-cache.md")["work"](n, True) for n in range(1, 7))
    expect(page.locator(".stage-live")).to_contain_text(f"with {total:,} operations")


LAYERS = """async (texts) => {
  const { layers } = await import(new URL("/assets/stage/scenes/induction.js", location))
  const found = texts.map((text) => layers(text))
  return found.map(({ first, second, expected }) => [first, second, expected])
}"""


def test_both_layers_do_in_the_browser_what_they_do_on_the_page(address: str, page: Page) -> None:
    names = names_of("steps/induction.md")
    texts = ["the duck likes the", "the duck likes the bank the"]
    page.goto(address)
    for text, found in zip(texts, page.evaluate(LAYERS, texts), strict=True):
        x, first = names["layer_1"](names["embedding"][names["tokens"](text)])
        expected, second = names["layer_2"](x)
        for ours, theirs in zip(found, [first, second, expected[-1]], strict=True):
            torch.testing.assert_close(torch.tensor(ours), theirs, rtol=0, atol=1e-5)
