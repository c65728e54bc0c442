"""The blocks of the browser, held to those of the page and of torch."""

from itertools import combinations, product
from typing import Any

import pytest
import torch
from playwright.sync_api import Page
from torch.nn.attention.flex_attention import create_block_mask

from tests.site_build.run_page import names_of

COUNT = """async (states) => {
  const { blocks } = await import(new URL("/assets/interactive/pairs/blocks.js", location))
  return states.map((state) => blocks(16, state.size, state))
}"""
SENTENCES = ["sentences", "window sentences"]
STATES = [
    {"rule": rule, "window": window, "cuts": cuts, "size": size}
    for rule in ["back", "window", *SENTENCES]
    for window in (range(1, 17) if "window" in rule else [1])
    for cuts in (combinations(range(1, 16), 2) if rule in SENTENCES else [(6, 10)])
    for size in [1, 2, 4]
]


def rule_of(state: dict[str, Any]) -> Any:
    """Return the rule of a state, as torch asks for it."""
    sentence = torch.bucketize(torch.arange(16), torch.tensor(state["cuts"]), right=True)

    def rule(batch: Any, head: Any, i: torch.Tensor, j: torch.Tensor) -> torch.Tensor:
        allowed = j <= i
        if "window" in state["rule"]:
            allowed = allowed & (j > i - state["window"])
        if "sentences" in state["rule"]:
            allowed = allowed & (sentence[i] == sentence[j])
        return allowed

    return rule


@pytest.fixture(scope="module")
def lesson() -> dict[str, Any]:
    return names_of("steps/chosen-pairs.md", before="\n## The two functions")


def test_a_block_has_as_many_pairs_as_on_the_page(
    address: str, page: Page, lesson: dict[str, Any]
) -> None:
    page.goto(address)
    found = page.evaluate(COUNT, STATES)
    for counts, state in zip(found, STATES, strict=True):
        assert counts == lesson["blocks"](rule_of(state), state["size"]).tolist(), state


@pytest.mark.parametrize(("name", "size"), [*product(["causal", "window", "packed"], [2, 4])])
def test_the_blocks_of_the_page_are_those_of_torch(
    lesson: dict[str, Any], name: str, size: int
) -> None:
    rule = lesson[name]
    made = create_block_mask(rule, None, None, 16, 16, "cpu", BLOCK_SIZE=size)
    assert made.to_dense()[0, 0].bool().equal(lesson["blocks"](rule, size) > 0)
    same = {"causal": "back", "window": "window", "packed": "sentences"}[name]
    ours = rule_of({"rule": same, "window": 4, "cuts": (6, 10)})
    places = torch.arange(16)[:, None], torch.arange(16)
    assert torch.equal(ours(None, None, *places), rule(None, None, *places))
