"""The figures on what is kept: held to torch, to the functions of their pages, and by a reader."""

import itertools
from typing import Any

import torch
from playwright.sync_api import Page, expect

from attention_steps import linear_attention, sliding_window_mask
from tests.site_build.on_stage import number, opened
from tests.site_build.run_page import names_of

WINDOWS, CHOSEN = "steps/windows-and-sinks", "steps/chosen-keys"
STATE, SHARED = "steps/without-softmax", "steps/shared-heads"

# ---- windows and sinks

READ = """async (asked) => {
  const at = new URL("/assets/stage/scenes/windowing.js", location)
  const {mayRead, reached, ring} = await import(at)
  return asked.map(([n, window, sinks, layers]) => [
    Array.from({length: n}, (_, asks) => mayRead(n, asks, {window, sinks})),
    reached(n, {window, sinks}, layers),
    ring(n, {window, sinks})])
}"""


def test_a_window_reads_reaches_and_keeps_what_its_mask_says(address: str, page: Page) -> None:
    asked = list(itertools.product((4, 12), range(1, 7), range(3), range(1, 5)))
    page.goto(address + WINDOWS)
    for (n, window, sinks, layers), (may, part, slots) in zip(
        asked, page.evaluate(READ, asked), strict=True
    ):
        i, j = torch.arange(n)[:, None], torch.arange(n)
        mask = sliding_window_mask(n, window=window) | ((j < sinks) & (j <= i))
        assert mask.tolist() == may
        assert (mask.float().matrix_power(layers)[-1] > 0).tolist() == part
        assert sorted(at for at in slots if at >= 0) == mask[-1].nonzero().flatten().tolist()


def test_the_number_is_that_of_the_keys_that_are_kept(address: str, page: Page) -> None:
    page.emulate_media(reduced_motion="reduce")  # which draws at once
    stage = opened(page, f"{address}{WINDOWS}/")
    expect(number(stage)).to_have_text("3")
    stage.get_by_role("button", name="and a sink").click()
    expect(number(stage)).to_have_text("4")
    stage.get_by_role("button", name="3 layers").click()
    expect(page.locator(".stage-live")).to_contain_text(f"{3 * (3 - 1) + 1 + 1} tokens have a part")
    for _ in range(9):
        stage.get_by_role("slider").press("ArrowLeft")
    expect(number(stage)).to_have_text("3")


# ---- chosen keys

READS = """async (asked) => {
  const at = new URL("/assets/stage/scenes/choosing.js", location)
  const { best, lost, roughOf, sharesOf } = await import(at)
  return asked.map(([way, block, count]) => {
    const reads = best(roughOf(way, block), count)
    return [reads, sharesOf(reads), lost(reads)]
  })
}"""


def test_the_keys_that_are_chosen_and_what_is_lost_are_those_of_the_page(
    address: str, page: Page
) -> None:
    names = names_of(f"{CHOSEN}.md")
    scores, bank = names["scores"], names["bank"]
    ways = {"last": torch.arange(12.0), "index": names["inputs"][:, 0] * bank[0], "scores": scores}
    asked = [*itertools.product(ways, [1], range(1, 13)), *itertools.product(ways, [3], (3, 6, 9))]
    page.goto(address)
    for (way, block, count), found in zip(asked, page.evaluate(READS, asked), strict=True):
        rough = ways[way].unflatten(0, (-1, block)).mean(dim=1).repeat_interleave(block)
        chosen = names["best"](rough, count)
        shares = torch.softmax(scores.masked_fill(~chosen, -torch.inf), dim=-1)
        lost = names["all_weights"][~chosen].sum()
        assert found[0] == chosen.tolist()
        torch.testing.assert_close(torch.tensor(found[1]).float(), shares)
        torch.testing.assert_close(torch.tensor(found[2]).float(), lost)


def test_the_number_is_what_the_page_loses(address: str, page: Page) -> None:
    names = names_of(f"{CHOSEN}.md")
    stage = opened(page, f"{address}{CHOSEN}/")
    for option, way in [(1, "index"), (2, "best four"), (0, "window")]:
        stage.locator(f'[data-press="set way {option}"]').click()
        lost = names["all_weights"][~names["ways"][way]].sum().item()
        expect(number(stage)).to_have_text(f"{lost * 100:.0f} %")


# ---- the state


def test_the_state_after_each_token_is_that_of_linear_attention(address: str, page: Page) -> None:
    sentences = names_of(f"{STATE}.md")["sentences"]
    page.emulate_media(reduced_motion="reduce")  # which draws at once
    stage = opened(page, f"{address}{STATE}/")
    for rule, options in {"add": {}, "decay": {"decay": 0.5}, "delta rule": {"beta": 1.0}}.items():
        stage.get_by_role("button", name=rule).press("Enter")
        stage.get_by_role("slider").focus()
        for count in range(3, 0, -1):
            who, water = sentences[:count].split([2, 1], dim=1)
            each: dict[str, Any] = {
                name: torch.full((count,), share) for name, share in options.items()
            }
            duck, bank = linear_attention(who, who, water, **each)[1][:, 0].tolist()
            said = f"the duck has {duck:g} water and the bank {bank:g}.".replace("-", "\u2212")
            expect(page.locator(".stage-live")).to_contain_text(said)
            expect(number(stage)).to_have_text(f"{duck:g}".replace("-", "\u2212"))
            page.keyboard.press("ArrowLeft")
        page.keyboard.press("Shift+ArrowRight")  # to the end


# ---- shared heads


def test_each_way_to_share_heads_takes_the_bytes_of_the_page(address: str, page: Page) -> None:
    names = names_of(f"{SHARED}.md")
    page.emulate_media(reduced_motion="reduce")  # which draws at once
    stage = opened(page, f"{address}{SHARED}/")
    for back in range(4):
        for way, sizes in zip(["MHA", "GQA", "MQA", "MLA"], names["models"].values(), strict=True):
            stage.get_by_role("button", name=way).click()
            gib = names["bytes_of"](*sizes, 2 ** (17 - back)) / 2**30
            expect(number(stage)).to_have_text(f"{gib:.2f}")
        stage.get_by_role("slider").press("ArrowLeft")
