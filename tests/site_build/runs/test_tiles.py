"""The drawing of the tiles: what each query carries on is what torch makes of the keys so far."""

from itertools import product

import pytest
import torch
from playwright.sync_api import Page, expect

from attention_steps import scaled_dot_product_attention
from tests.site_build.on_stage import number, opened
from tests.site_build.run_page import names_of

TILES = "steps/tiles/"
RUNS = """async (runs) => {
  const { carried, tiles } = await import(new URL("/assets/stage/scenes/tiling.js", location))
  const told = ({ max, total, context }) => [max, total, ...context]
  return runs.map(([size, causal]) => tiles(size, causal).map(({ top, left }) => [top, left,
    [...Array(size).keys()].map((row) => told(carried(top + row, left + size, causal)))]))
}"""


@pytest.mark.parametrize("is_causal", [False, True])
def test_each_tile_leaves_what_torch_makes_of_the_keys_so_far(
    address: str, page: Page, is_causal: bool
) -> None:
    x = names_of("steps/tiles.md")["inputs"]
    allowed = torch.ones(6, 6).tril().bool() if is_causal else torch.ones(6, 6).bool()
    scores = (x @ x.T).where(allowed, -torch.inf)
    page.goto(address)
    sizes = [1, 2, 3, 6]
    for size, tiles in zip(
        sizes, page.evaluate(RUNS, [[s, is_causal] for s in sizes]), strict=True
    ):
        starts = product(range(0, 6, size), repeat=2)
        computed = [(i, j) for i, j in starts if allowed[i : i + size, j : j + size].any()]
        assert [(top, left) for top, left, _ in tiles] == computed
        for top, left, carried in tiles:
            rows, end = slice(top, top + size), left + size
            part = scores[rows, :end]
            maximum = part.amax(dim=-1, keepdim=True)
            total = torch.exp(part - maximum).sum(dim=-1, keepdim=True)
            keys = x[:end], x[:end]
            context = scaled_dot_product_attention(x[rows], *keys, allowed[rows, :end], scale=1.0)
            expected = torch.cat([maximum, total, context], dim=-1)
            torch.testing.assert_close(torch.tensor(carried).float(), expected)


def test_the_number_is_what_a_tile_holds_and_the_end_is_the_context_of_the_page(
    address: str, page: Page
) -> None:
    stage = opened(page, address + TILES)
    for option, held, tiles in [(1, "9", "4"), (2, "36", "1"), (0, "4", "9")]:
        stage.locator(f'[data-press="set size {option}"]').click()
        expect(number(stage)).to_have_text(held)
        expect(page.locator(".stage-live")).to_contain_text(f"of {tiles}:")
    lesson = names_of("steps/tiles.md")
    water, money, *_ = (lesson["weights"] @ lesson["inputs"])[5]
    told = f"“bank” has {water:.2f} water and {money:.2f} money"
    expect(page.locator(".stage-live")).to_contain_text(told)
    stage.get_by_role("button", name="causal").click()
    expect(page.locator(".stage-live")).to_contain_text("tile 6 of 6, and 3 left out")
