"""Pages whose drawing rounds numbers: what the browser computes is what the page computes."""

import itertools

import pytest
import torch
from playwright.sync_api import Page

from tests.site_build.on_stage import number, opened
from tests.site_build.run_page import names_of

WEIGHTS = "steps/weights-in-few-bits"
ROUNDED = """async (asked) => {
  const { nearest, hadamard } = await import(new URL("/assets/stage/scenes/rounding.js", location))
  return [hadamard(8), asked.map((each) => nearest(...each))]
}"""


def test_weights_are_rounded_and_turned_as_on_the_page(address: str, page: Page) -> None:
    names = names_of(f"{WEIGHTS}.md")
    row = names["row"].double()
    asked = list(itertools.product(range(4, 9), (4, 8)))
    page.goto(address + WEIGHTS)
    turn, rounded = page.evaluate(ROUNDED, [[row[0].tolist(), *each] for each in asked])
    torch.testing.assert_close(torch.tensor(turn), names["hadamard"](8))
    for (bits, group), found in zip(asked, rounded, strict=True):
        assert found == pytest.approx(names["nearest"](row, bits, group)[0].tolist())


def test_the_number_is_the_mean_error_of_the_page(address: str, page: Page) -> None:
    names = names_of(f"{WEIGHTS}.md")
    row, nearest, turn = names["row"], names["nearest"], names["hadamard"](8)
    page.emulate_media(reduced_motion="reduce")  # which draws at once
    stage = opened(page, f"{address}{WEIGHTS}/")
    for bits in (4, 5, 6):
        for option, back in {
            "one scale": nearest(row, bits),
            "groups": nearest(row, bits, 4),
            "rotated": nearest(row @ turn, bits) @ turn.T,
        }.items():
            stage.get_by_role("button", name=option).click()
            shown = float(number(stage).text_content() or "")
            assert shown == pytest.approx((back - row).abs().mean().item(), abs=0.0006)
        stage.get_by_role("slider").press("ArrowLeft")
