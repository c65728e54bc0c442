"""The figures on what is kept: held to torch, to the functions of their pages, and by a reader."""

import itertools
from collections.abc import Callable
from typing import Any

import pytest
import torch
from playwright.sync_api import Locator, Page, expect

from attention_steps import linear_attention, scaled_dot_product_attention, sliding_window_mask
from tests.site_build.on_stage import number, opened
from tests.site_build.reading import stir
from tests.site_build.run_page import names_of

WINDOWS, CHOSEN = "steps/windows-and-sinks", "steps/chosen-keys"
STATE, SHARED = "steps/without-softmax", "steps/shared-heads"

Show = Callable[..., Locator]


@pytest.fixture
def show(address: str, page: Page) -> Show:
    """Return what opens a page at a state of its figure, which has come to life."""

    def open_at(path: str, state: str = "") -> Locator:
        page.goto(f"{address}{path}/#{state}")
        figure = page.locator("hand-figure")
        figure.scroll_into_view_if_needed()
        stir(page)
        expect(figure).to_have_class("live")
        return figure

    return open_at


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
  const {best} = await import(new URL("/assets/interactive/chosen/choose.js", location))
  const numbers = JSON.parse(document.querySelector("hand-figure script").textContent)
  const {values, columns} = numbers.keys
  return asked.map(([way, count]) => best(values.map((row) => row[columns.indexOf(way)]), count))
}"""


def test_the_keys_that_are_chosen_are_those_of_the_page(address: str, page: Page) -> None:
    names = names_of(f"{CHOSEN}.md")
    asked = list(itertools.product(names["ways"], range(13)))
    page.goto(address + CHOSEN)
    for (way, count), found in zip(asked, page.evaluate(READS, asked), strict=True):
        assert names["best"](names["ways"][way], count).tolist() == found


def lost_of(names: dict[str, Any], way: str, count: int) -> str:
    """What the page's weights say is lost."""
    left_out = ~names["best"](names["ways"][way], count)
    return f"{100 * names['all_weights'][left_out].sum().item():.0f} %"


@pytest.mark.parametrize(
    ("way", "moment", "count"),
    [("index", 3, 4), ("mean", 1, 6)],
)
def test_what_is_lost_is_what_torch_says(show: Show, way: str, moment: int, count: int) -> None:
    names = names_of(f"{CHOSEN}.md")
    figure = show(CHOSEN, f"chosen&way={way}&t={moment}")
    expect(figure.locator(".hand-says").locator("b")).to_have_text(lost_of(names, way, count))
    chosen = names["best"](names["ways"][way], count)
    inputs, bank = names["inputs"], names["bank"]
    one = scaled_dot_product_attention(bank[None], inputs, inputs, chosen[None], scale=1.0)
    water, money = one[0, :2].tolist()
    pill = figure.locator("svg.wide rect[rx='17']").last
    at = pill.evaluate("(pill) => +pill.getAttribute('x') + pill.getAttribute('width') / 2")
    assert at == pytest.approx(330 + (money - water) / 3 * 250, abs=0.6)


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
            each = {name: torch.full((count,), share) for name, share in options.items()}
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
