"""The drawings of pages about several devices: what they count is what their pages compute."""

from itertools import product

import pytest
import torch
from playwright.sync_api import Page, expect

from attention_steps.parallel import head_tail_positions
from tests.site_build.on_stage import number, opened
from tests.site_build.run_page import names_of

RING, EXCHANGE, HEADS = "steps/sequence-on-devices", "steps/all-to-all", "steps/heads-on-devices"
COUNT = """async (runs) => {
  const { pairs, positions } = await import(new URL("/assets/stage/scenes/ring.js", location))
  return runs.map((run) => positions(...run)).map((places) => [places, pairs(places)])
}"""
TURNS = """async (asked) => {
  const { turnsOf } = await import(new URL("/assets/stage/scenes/pipeline.js", location))
  return asked.map(([name, count]) => turnsOf(name, count))
}"""


def test_a_ring_shares_out_and_counts_as_its_page_does(address: str, page: Page) -> None:
    pairs = names_of(f"{RING}.md")["pairs"]
    grid = list(product([24, 48], [1, 2, 3, 4, 6], [False, True]))
    page.goto(f"{address}{RING}/")
    for (places, counts), (tokens, ranks, head_and_tail) in zip(
        page.evaluate(COUNT, grid), grid, strict=True
    ):
        expected = (
            [head_tail_positions(tokens, rank, ranks) for rank in range(ranks)]
            if head_and_tail
            else torch.arange(tokens).chunk(ranks)
        )
        assert places == [each.tolist() for each in expected]
        assert counts == pairs(expected).tolist()
        assert sum(map(sum, counts)) == tokens * (tokens + 1) // 2, "every pair once"


def test_a_ring_takes_as_long_as_its_slowest_rank(address: str, page: Page) -> None:
    names = names_of(f"{RING}.md")
    stage = opened(page, f"{address}{RING}/")
    told = page.locator(".stage-live")
    expect(number(stage)).to_have_text(str(int(names["in_order"].amax(1).sum())))
    stage.get_by_role("slider").press("ArrowLeft")
    expect(number(stage)).to_have_text(str(int(names["in_order"][:2].amax(1).sum())))
    expect(told).to_contain_text("turn 2 of 3: rank 0 waits, rank 1 computes 64 pairs")
    stage.get_by_role("button", name="head and tail").click()
    expect(number(stage)).to_have_text(str(int(names["head_tail"][:2].amax(1).sum())))
    stage.get_by_role("button", name="6 ranks").click()
    six = names["pairs"]([head_tail_positions(24, rank, 6) for rank in range(6)])
    expect(number(stage)).to_have_text(str(int(six[:2].amax(1).sum())))


def test_an_exchange_sends_what_its_page_counts(address: str, page: Page) -> None:
    sent = names_of(f"{EXCHANGE}.md")["sent"]
    stage = opened(page, f"{address}{EXCHANGE}/")
    for ranks, keys in product((2, 4, 8), (8, 2)):
        name = "8 ranks" if ranks == 8 else str(ranks)
        stage.get_by_role("button", name=name, exact=True).click()
        stage.get_by_role("button", name=f"{keys} key heads").click()
        ring, exchange = torch.tensor(sent(ranks, keys))
        expect(number(stage)).to_have_text(f"{exchange:.2f}")
        expect(stage).to_contain_text(f"in a ring: {ring:.2f}")
    moment = stage.get_by_role("slider")
    moment.press("ArrowLeft")
    expect(page.locator(".stage-live")).to_contain_text("all tokens of 1 head.")
    # 8 ranks have sent queries, keys and values, and the contexts have not come back.
    expect(number(stage)).to_have_text(f"{exchange - 7 / 64:.2f}")
    moment.press("ArrowLeft")
    expect(number(stage)).to_have_text("0.00")


def test_ranks_with_a_head_each_have_the_parts_and_the_sums_of_their_page(
    address: str, page: Page
) -> None:
    names = names_of(f"{HEADS}.md")
    stage = opened(page, f"{address}{HEADS}/")
    told = page.locator(".stage-live")

    def said(row: torch.Tensor) -> str:
        numbers = zip(row.tolist(), ("water", "money", "acts", "describes"), strict=True)
        told = ", ".join(f"{amount:.2f} {name}" for amount, name in numbers)
        return told.replace("-", "\N{MINUS SIGN}")

    line = stage.get_by_role("slider")
    expect(number(stage)).to_have_text(str(names["output"].numel()))
    line.press("ArrowLeft")
    expect(number(stage)).to_have_text("0")
    expect(told).to_contain_text(f"rank 0 has {said(names['parts'][0, 5])}. Rank 1")
    line.press("ArrowRight")
    expect(told).to_contain_text(f"on both ranks {said(names['parts'][:, 5].sum(0))}.")
    stage.get_by_role("button", name="backward").click()
    expect(told).to_contain_text(f"on both ranks {said(names['summed'][0])}.")
    stage.get_by_role("button", name="not summed").click()
    expect(number(stage)).to_have_text("0")
    expect(told).to_contain_text(f"Rank 1 has {said(names['not_summed'][1])}.")


@pytest.mark.parametrize("capacity", [6, 3])
def test_experts_compute_the_rows_for_which_they_have_room(
    address: str, page: Page, capacity: int
) -> None:
    lesson = names_of("steps/experts.md")
    page.emulate_media(reduced_motion="reduce")  # which draws at once
    stage = opened(page, f"{address}steps/experts/")
    stage.get_by_role("button", name="no limit" if capacity == 6 else "capacity 3").click()
    line = stage.get_by_role("slider")
    for tokens in range(6, 0, -1):
        fetched = lesson["chosen"][:tokens].unique().numel()
        expect(line).to_have_attribute(
            "aria-valuetext", f"token {tokens} of 6: {fetched} of 4 experts fetched so far"
        )
        lost = [token for token, _ in lesson["dropped"](capacity) if token < tokens]
        expect(number(stage)).to_have_text(str(2 * tokens - len(lost)))
        line.press("ArrowLeft")


def test_a_pipeline_waits_where_it_does_on_the_page(address: str, page: Page) -> None:
    lesson = names_of("steps/layers-on-devices.md")
    stage = opened(page, f"{address}steps/layers-on-devices/")
    expect(number(stage)).to_have_text(f"{100 * lesson['bubble']:.0f} %")
    orders = {"gpipe": lesson["gpipe"], "1f1b": lesson["one_f_one_b"]}
    asked = [*product(orders, (1, 4, 8))]
    for (name, count), turns in zip(asked, page.evaluate(TURNS, asked), strict=True):
        lists = lesson["lists_of"](orders[name], 4, count)
        assert len(turns) == lesson["run"](lists, lesson["cost"])
        for todo, actions in zip(lists, zip(*turns, strict=True), strict=True):
            assert [*filter(None, actions)] == [f"{way}{n}" for way, _, n in todo]


def test_a_mesh_adds_the_parts_that_torch_finds(address: str, page: Page) -> None:
    lesson = names_of("steps/many-devices-one-model.md")
    parts = lesson["parts"][:, 0]
    page.emulate_media(reduced_motion="reduce")  # which draws at once
    stage = opened(page, f"{address}steps/many-devices-one-model/")
    line = stage.get_by_role("slider")
    groups = {"tp": "AB", "dp": "AE", "dp + cp": "ACEG", "all three": "ABCDEFGH"}
    for name, group in groups.items():
        stage.get_by_role("button", name=name, exact=True).click()
        line.press("Shift+ArrowRight")  # back to the end, by five and by five
        line.press("Shift+ArrowRight")
        for added in range(len(group), 0, -1):
            told = f"added along {name}: {' + '.join(group[:added])}"
            expect(line).to_have_attribute("aria-valuetext", told)
            ranks = [ord(letter) - ord("A") for letter in group[:added]]
            error = (parts[ranks].sum(0) - lesson["kind_gradient"][0]).abs().max()
            if name == "dp + cp" and added == len(group):
                assert error < 1e-5
                expect(number(stage)).to_have_text("0")
            else:
                assert float(number(stage).text_content() or "") == pytest.approx(
                    error.item(), abs=0.01
                )
            line.press("ArrowLeft")
