"""The walk and the merge of the browser, held to those of the page and to torch's softmax."""

from itertools import permutations

import torch
from playwright.sync_api import Page, expect

from tests.site_build.on_stage import number, opened
from tests.site_build.run_page import names_of

WALK = """async ([scores, values, orders]) => {
  const { merge, walk } = await import(new URL("/assets/stage/scenes/online.js", location))
  return orders.map((order) => {
    const heard = (from, to, shrinks) => walk(order.slice(from, to).map((word) => scores[word]),
      order.slice(from, to).map((word) => values[word]), shrinks)
    const rows = (all) => all.map(({ max, total, context }) => [max, total, ...context])
    const merged = [1, 2, 3, 4, 5].map((cut) => {
      const { shares, context } = merge(heard(0, cut).at(-1), heard(cut, 6).at(-1))
      return [...shares, ...context]
    })
    return [rows(heard(0, 6)), rows(heard(0, 6, false)), merged]
  })
}"""


def test_every_order_and_every_cut_is_torchs(address: str, page: Page) -> None:
    lesson = names_of("steps/softmax-in-parts.md")
    inputs, scores = lesson["inputs"].double(), lesson["scores"].double()
    orders = list(permutations(range(6)))
    page.goto(address)
    found = page.evaluate(WALK, [scores.tolist(), inputs.tolist(), orders])
    kept, forgotten, merged = (torch.tensor(each).double() for each in zip(*found, strict=True))
    heard, values = scores[torch.tensor(orders)], inputs[torch.tensor(orders)]
    maximum = heard.cummax(dim=1).values
    whole = torch.softmax(scores, dim=0) @ inputs

    sums = heard.exp().cumsum(dim=1)
    contexts = (heard.exp()[..., None] * values).cumsum(dim=1) / sums[..., None]
    expected = torch.cat([maximum[..., None], (sums / maximum.exp())[..., None], contexts], dim=2)
    torch.testing.assert_close(kept, expected)

    late = (heard - maximum).exp()  # the mistake of the page: what was there is not shrunk
    torch.testing.assert_close(forgotten[..., 1], late.cumsum(dim=1))
    wrong = (late[..., None] * values).sum(dim=1) / late.sum(dim=1, keepdim=True)
    torch.testing.assert_close(forgotten[:, -1, 2:], wrong)

    for cut in range(1, 6):
        lse = torch.stack([part.logsumexp(dim=1) for part in (heard[:, :cut], heard[:, cut:])])
        torch.testing.assert_close(merged[:, cut - 1, :2], torch.softmax(lse, dim=0).T)
        torch.testing.assert_close(merged[:, cut - 1, 2:], whole.expand(len(orders), -1))


def test_the_walk_of_the_page_is_that_of_the_browser(address: str, page: Page) -> None:
    lesson = names_of("steps/softmax-in-parts.md")
    inputs, scores = lesson["inputs"], lesson["scores"]
    page.goto(address)
    numbers = [scores.tolist(), inputs.tolist()]
    for order in ([0, 1, 2, 3, 4, 5], [5, 4, 3, 2, 1, 0], [2, 5, 0, 1, 3, 4]):
        [[kept, _, _]] = page.evaluate(WALK, [*numbers, [order]])
        context, rows = lesson["walk"](scores[order], inputs[order])
        torch.testing.assert_close(torch.tensor(kept)[:, :2], rows[:, [1, 3]])
        torch.testing.assert_close(torch.tensor(kept)[-1, 2:], context)


def test_the_number_is_that_of_the_page_and_its_mistakes_are_those_of_the_page(
    address: str, page: Page
) -> None:
    lesson = names_of("steps/softmax-in-parts.md")
    right = lesson["context"][0]
    not_shrunk = (lesson["mistake"] / lesson["mistake"].sum()) @ lesson["inputs"]
    stage = opened(page, address + "steps/softmax-in-parts/")
    expect(number(stage)).to_have_text(f"{right:.2f}")
    for cut, wrong in [(0, not_shrunk[0]), (2, lesson["contexts"].mean(dim=0)[0])]:
        stage.locator(f'[data-press="set cut {cut}"]').click()
        for option, water in enumerate([right, wrong]):
            stage.locator(f'[data-press="set right {option}"]').click()
            expect(number(stage)).to_have_text(f"{water:.2f}")
