"""The blocks that the drawing of chosen pairs counts, held to those of the page and of torch."""

from itertools import product
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from torch.nn.attention.flex_attention import create_block_mask

from tests.site_build.on_stage import number, opened
from tests.site_build.run_page import names_of

PAIRS = "steps/chosen-pairs"
RULES, SIZES = ["causal", "window", "packed"], [1, 2, 4]


@pytest.fixture(scope="module")
def lesson() -> dict[str, Any]:
    return names_of(f"{PAIRS}.md", before="\n## The two functions")


def test_each_rule_touches_the_blocks_of_the_page(
    address: str, page: Page, lesson: dict[str, Any]
) -> None:
    page.emulate_media(reduced_motion="reduce")  # which draws at once
    stage = opened(page, f"{address}{PAIRS}/")
    for (at, name), (which, size) in product(enumerate(RULES), enumerate(SIZES)):
        for pressed in (f"set rule {at}", f"set size {which}"):
            stage.locator(f'[data-press="{pressed}"]').press("Enter")
        found = lesson["blocks"](lesson[name], size)
        touched = int((found > 0).sum())
        expect(number(stage)).to_have_text(str(touched))
        told = f"{touched * size**2} pairs, {found.sum()} allowed"
        expect(page.locator(".stage-live")).to_contain_text(told)


@pytest.mark.parametrize(("name", "size"), [*product(RULES, SIZES)])
def test_the_blocks_of_the_page_are_those_of_torch(
    lesson: dict[str, Any], name: str, size: int
) -> None:
    rule = lesson[name]
    made = create_block_mask(rule, None, None, 16, 16, "cpu", BLOCK_SIZE=size)
    assert made.to_dense()[0, 0].bool().equal(lesson["blocks"](rule, size) > 0)
