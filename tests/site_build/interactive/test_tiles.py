"""The sweep of the browser, held to that of the page, and both to attention in one piece."""

from itertools import product
from typing import Any

import pytest
import torch
from playwright.sync_api import Page

from attention_steps import scaled_dot_product_attention
from tests.site_build.run_page import names_of

SWEEP = """async (runs) => {
  const { sweep } = await import(new URL("/assets/interactive/tiles/sweep.js", location))
  return runs.map((run) => sweep(...run).map(({ rows, columns, scores, held }) =>
    [rows[0], columns[0],
     scores.map((row) => row.map((score) => score === -Infinity ? null : score)),
     held.map(({ max, sum, context }) => [max, sum, ...context])]))
}"""


def test_both_sweeps_hold_the_same_at_each_tile(address: str, page: Page) -> None:
    lesson = names_of("steps/tiles.md")
    sentences = [f"the duck likes the {adjective} bank" for adjective in ("muddy", "rich")]
    grid = list(product(sentences, range(1, 8), [False, True]))
    inputs = [lesson["vectors"](sentence) for sentence, *_ in grid]
    page.goto(address)
    runs = [[x.tolist(), size, causal] for x, (_, size, causal) in zip(inputs, grid, strict=True)]
    found = page.evaluate(SWEEP, runs)
    for tiles, x, (_, size, causal) in zip(found, inputs, grid, strict=True):
        expected = lesson["sweep"](x, size, causal)
        assert [(top, left) for top, left, *_ in tiles] == [tile[:2] for tile in expected]
        for (*_, scores, held), (_, _, tile, maximum, total, mixed) in zip(
            tiles, expected, strict=True
        ):
            assert plain(scores).equal(tile)
            torch.testing.assert_close(plain(held), torch.cat([maximum, total, mixed], dim=1))
        ends = {top: plain(held)[:, 2:] for top, _, _, held in tiles}
        whole = scaled_dot_product_attention(x, x, x, is_causal=causal, scale=1.0)
        torch.testing.assert_close(torch.cat([*ends.values()]), whole)


def plain(rows: list[list[Any]]) -> torch.Tensor:
    """Return numbers of a script, in which None is minus infinity."""
    return torch.tensor([[-torch.inf if x is None else float(x) for x in row] for row in rows])


@pytest.mark.parametrize("name", ["scores", "weights"])
def test_the_sweep_of_the_page_is_that_of_its_words(name: str) -> None:
    """The lesson's own table of scores, tile by tile."""
    lesson = names_of("steps/tiles.md")
    x = lesson["inputs"]
    whole = torch.zeros(6, 6)
    for top, left, tile, *_ in lesson["sweep"](x, 4, False):
        whole[top : top + 4, left : left + 4] = tile
    expected = {"scores": whole, "weights": torch.softmax(whole, dim=-1)}[name]
    torch.testing.assert_close(lesson[name], expected)
