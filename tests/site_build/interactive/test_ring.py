"""The devices of the browser, held to those of the page."""

from itertools import product

import torch
from playwright.sync_api import Page

from attention_steps.parallel import head_tail_positions
from tests.site_build.run_page import names_of

COUNT = """async (runs) => {
  const { pairs, positions } = await import(new URL("/assets/interactive/ring/turns.js", location))
  return runs.map(([words, devices, headAndTail, isCausal]) => {
    const places = positions(words, devices, headAndTail)
    return [places, pairs(places, isCausal)]
  })
}"""


def test_the_browser_shares_out_and_counts_as_the_page_does(address: str, page: Page) -> None:
    lesson = names_of("steps/sequence-on-devices.md")
    grid = list(product([24, 48], [1, 2, 3, 4, 6], [False, True], [False, True]))
    page.goto(address)
    found = page.evaluate(COUNT, grid)
    for (places, counts), (words, devices, head_and_tail, is_causal) in zip(
        found, grid, strict=True
    ):
        expected = (
            [head_tail_positions(words, device, devices) for device in range(devices)]
            if head_and_tail
            else torch.arange(words).chunk(devices)
        )
        assert places == [each.tolist() for each in expected]
        assert counts == lesson["pairs"](expected, is_causal).tolist()
        whole = words * (words + 1) // 2 if is_causal else words**2
        assert sum(map(sum, counts)) == whole, "every pair once"
