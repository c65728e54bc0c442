"""Rounding in the browser, held to that of the page, for every way of sharing a scale."""

from itertools import product

import torch
from playwright.sync_api import Page

from tests.site_build.run_page import names_of

ROUND = """async (runs) => {
  const { round } = await import(new URL("/assets/interactive/fewer-bits/round.js", location))
  return runs.map((run) => round(...run).read)
}"""


def test_both_round_to_the_same_numbers(address: str, page: Page) -> None:
    lesson = names_of("steps/fewer-bits.md")
    generator = torch.Generator().manual_seed(0)
    drawn = [torch.randn(6, 8, generator=generator, dtype=torch.float64) for _ in range(5)]
    ties = torch.tensor([[7.0, 0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 3.5]], dtype=torch.float64)
    tables = [lesson["keys"].double(), *drawn, ties]
    runs = list(product(tables, range(2, 9), lesson["ways"]))
    page.goto(address)
    found = page.evaluate(ROUND, [[x.tolist(), bits, way] for x, bits, way in runs])
    for read, (x, bits, way) in zip(found, runs, strict=True):
        dim, *turn = lesson["ways"][way]
        turn = turn[0].double() if turn else torch.eye(8, dtype=torch.float64)
        expected = lesson["load"](*lesson["store"](x @ turn, bits, dim)) @ turn.T
        torch.testing.assert_close(torch.tensor(read).double(), expected, atol=1e-6, rtol=1e-6)
