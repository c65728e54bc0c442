"""The figures on what is kept: held to torch, to the functions of their pages, and by a reader."""

import itertools
from collections.abc import Callable
from typing import Any

import pytest
import torch
from playwright.sync_api import Locator, Page, expect

from attention_steps import linear_attention, scaled_dot_product_attention, trace_attention
from tests.site_build.on_stage import number, opened
from tests.site_build.reading import stir
from tests.site_build.run_page import names_of

WINDOWS, CHOSEN = "steps/windows-and-sinks", "steps/chosen-keys"
SLATE, SHARED = "steps/without-softmax", "steps/shared-heads"
THICK = 24  # units of the drawing for column, for a share of 1
TEXTS = {"duck": "the duck likes the muddy bank", "money": "the bank likes money"}

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


def widths(figure: Locator, of: str) -> list[float]:
    """Return how wide the lines of the picture are, in shares."""
    lines = figure.locator(f"svg.wide .{of} [stroke-width]")
    found = lines.evaluate_all("all => all.map((one) => +one.getAttribute('stroke-width'))")
    return [width / THICK for width in found]


# ---- windows and sinks

READ = """async (asked) => {
  const {mayRead, reached} = await import(new URL("/assets/interactive/windows/reach.js", location))
  return asked.map(([n, window, sinks, layers]) => [
    Array.from({length: n}, (_, asks) => mayRead(n, asks, {window, sinks})),
    reached(n, {window, sinks}, layers)])
}"""


def test_a_window_reads_and_reaches_what_it_does_on_the_page(address: str, page: Page) -> None:
    names = names_of(f"{WINDOWS}.md")
    asked = list(itertools.product((4, 6), range(1, 7), range(3), range(1, 5)))
    page.goto(address + WINDOWS)
    for (n, window, sinks, layers), (may, part) in zip(
        asked, page.evaluate(READ, asked), strict=True
    ):
        assert names["may_read"](n, window, sinks).tolist() == may
        assert names["reached"](n, window, sinks, layers).tolist() == part


ASK = """async ([asked, texts]) => {
  const {ask, headOf} = await import(new URL("/assets/interactive/ask.js", location))
  const {mayRead} = await import(new URL("/assets/interactive/windows/reach.js", location))
  const numbers = JSON.parse(document.querySelector("hand-figure script").textContent)
  return asked.map(([text, window, sinks]) => {
    const words = texts[text].split(" ")
    const head = headOf(numbers.head, words)
    return words.map((_, asks) => ask(head, asks, mayRead(words.length, asks, {window, sinks})))
  })
}"""


def test_what_is_found_in_a_window_is_what_torch_finds(address: str, page: Page) -> None:
    names = names_of(f"{WINDOWS}.md")
    asked = list(itertools.product(TEXTS, range(1, 7), range(3)))
    page.goto(address + WINDOWS)
    for (text, window, sinks), found in zip(asked, page.evaluate(ASK, [asked, TEXTS]), strict=True):
        query, key, value = names["project"](names["vectors"](TEXTS[text]))
        mask = names["may_read"](len(query), window, sinks)
        expected = trace_attention(query, key, value, mask)
        shares = torch.tensor([each["shares"] for each in found], dtype=torch.float32)
        context = torch.tensor([each["context"] for each in found], dtype=torch.float32)
        torch.testing.assert_close(shares, expected.weights)
        torch.testing.assert_close(context, expected.context)


def test_arcs_and_ribbons_are_as_wide_as_the_weights(show: Show) -> None:
    text = "duck"
    names = names_of(f"{WINDOWS}.md")
    query, key, value = names["project"](names["vectors"](TEXTS[text]))
    last = len(query) - 1
    weights = trace_attention(query, key, value, names["may_read"](last + 1, 2, 1)).weights[last]
    figure = show(WINDOWS, f"windows&text={text}&window=2&sinks=1&t={last}")
    read = [share for share in weights.tolist() if share > 0.0005]
    assert widths(figure, "ribbons") == pytest.approx(
        [max(share, 0.8 / THICK) for share in read], abs=0.005 / THICK
    )
    solid = widths(figure, "arcs")[-len(read) :]  # those in front, the nearest first, then the ring
    first, *_, before, itself = read
    thin = 1 / THICK
    assert solid == pytest.approx(
        [max(before, thin), max(first, thin), itself][3 - len(solid) :], abs=0.005 / THICK
    )


def test_the_edge_of_the_window_is_dragged_and_moved_by_keys(show: Show, page: Page) -> None:
    figure = show(WINDOWS, "windows&t=5")
    edge = figure.locator("svg.wide").get_by_role("slider")
    expect(edge).to_have_attribute("aria-valuetext", "a window of 3")
    box = edge.bounding_box()
    assert box
    assert box["width"] >= 44
    assert box["height"] >= 44
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 180, y, steps=4)
    page.mouse.up()
    expect(edge).to_have_attribute("aria-valuenow", "5")
    edge.press("ArrowRight")
    expect(edge).to_have_attribute("aria-valuenow", "4")
    expect(figure.get_by_role("radio", name="4").first).to_be_checked()
    edge.press("Home")
    expect(edge).to_have_attribute("aria-valuenow", "6")
    expect(edge).to_be_focused()


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


# ---- the slate

WRITTEN = """async (asked) => {
  const {write} = await import(new URL("/assets/interactive/slate/write.js", location))
  const numbers = JSON.parse(document.querySelector("hand-figure script").textContent)
  const rows = numbers.sentences.values
  return asked.map(([order, overwrites, decay, beta]) => order.reduce((slate, at) =>
    write(slate, rows[at].slice(0, 2), rows[at][2], {overwrites, decay, beta}), [0, 0]))
}"""


def test_the_slate_is_that_of_linear_attention(address: str, page: Page) -> None:
    sentences = names_of(f"{SLATE}.md")["sentences"]
    orders = [[0, 1, 2], [2, 1, 0], [1, 0, 2, 0], [0, 0, 2, 1]]
    tenths = [tenth / 10 for tenth in range(11)]
    asked = list(itertools.product(orders, (0, 1), tenths, tenths))
    page.goto(address + SLATE)
    for (order, overwrites, decay, beta), slate in zip(
        asked, page.evaluate(WRITTEN, asked), strict=True
    ):
        key, value = sentences[order].split([2, 1], dim=1)
        options = {"decay": torch.full((len(order),), decay)}
        if overwrites:
            options["beta"] = torch.full((len(order),), beta)
        _, expected = linear_attention(key, key, value, chunk_size=1, **options)
        assert slate == pytest.approx(expected[:, 0].tolist(), abs=1e-5)


def test_sentences_are_put_in_order_by_hand_and_by_keys(show: Show, page: Page) -> None:
    figure = show(SLATE, "slate&t=3")
    said = figure.locator(".hand-says")
    expect(said).to_contain_text("The duck has 0, the bank 1.")
    cards = figure.locator("svg.wide").get_by_role("slider")
    expect(cards).to_have_count(3)
    cards.first.press("ArrowRight")
    wet = figure.locator("svg.wide [data-key=w]")
    expect(wet).to_have_attribute("aria-valuenow", "2")
    expect(wet).to_be_focused()
    box = wet.bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 1.2 * box["width"], y, steps=3)
    page.mouse.up()
    expect(wet).to_have_attribute("aria-valuenow", "3")
    figure.get_by_role("radio", name="overwrites").press("Space")
    figure.locator(".hand-bar input").press("End")
    expect(said).to_contain_text("finds \u22123 and writes the difference. The duck has 3")


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
