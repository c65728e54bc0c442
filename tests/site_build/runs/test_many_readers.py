"""What the drawings of the pages for many readers compute, held to what their pages do."""

import random
from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import Any

import pytest
import torch
from playwright.sync_api import Page, expect

from tests.site_build.on_stage import number, opened
from tests.site_build.run_page import names_of

# ---- pages that requests share

ALLOCATE = """async ([runs, pages]) => {
  const { allocate, TEXTS } = await import(new URL("/assets/stage/scenes/paging.js", location))
  const all = runs.map(([events, size, on]) => allocate(TEXTS, events, size, pages, on))
  return [TEXTS, all.map((after) => after.at(-1))]
}"""


def stories(names: str, count: int) -> Iterator[str]:
    """Yield what happens: requests come, and those that are there end."""
    dice = random.Random(0)
    for _ in range(count):
        events = ""
        for name in dice.choices(names, k=dice.randrange(1, 13)):
            there = events.count(name) > events.count(name.lower())
            events += name.lower() if there else name
        yield events


def test_requests_get_the_pages_that_the_cache_of_the_page_takes(
    address: str, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    lesson = names_of("steps/pages-and-beginnings.md")
    runs = [(story, size, on) for story in stories("ABCD", 25) for size in (2, 4) for on in (0, 1)]
    page.goto(address + "steps/pages-and-beginnings/")
    texts, found = page.evaluate(ALLOCATE, [[list(run) for run in runs], 24])
    assert texts == {name: ["<", *text.split()] for name, text in lesson["texts"].items()}
    for (events, size, shares), tables in zip(runs, found, strict=True):
        monkeypatch.setitem(lesson, "SIZE", size)
        pool, taken = lesson["Pool"](), dict[str, list[int]]()
        for event in events:
            name = event.upper()
            if event != name:
                lesson["release"](pool, taken.pop(name))
                continue
            known = lesson["beginning"] if shares else partial(own_beginning, name)
            taken[name] = lesson["read"](pool, lesson["texts"][name], known)[1]
        assert taken == tables, (events, size, shares)


def own_beginning(name: str, ids: list[int], end: int) -> tuple[str, ...]:
    return name, *map(str, ids[:end])


LOWEST = """async () => {
  const { default: Paging } = await import(new URL("/assets/stage/scenes/paging.js", location))
  return [2, 4].map((size) => {
    const scene = Object.assign(new Paging(), { is: { shares: false, size } })
    const marks = scene.layout("run", 994, 844)
    const pages = Object.entries(marks).filter(([name]) => /^page\\d+$/.test(name))
    return [Math.max(...pages.map(([, { y, h }]) => y + h)), marks.memory.y - marks.memory.size]
  })
}"""


def test_the_pages_in_use_are_counted_at_each_moment(address: str, page: Page) -> None:
    stage = opened(page, address + "steps/pages-and-beginnings/")
    shared, alone = zip(*names_of("steps/pages-and-beginnings.md")["in_use"], strict=True)
    line = stage.get_by_role("slider")
    for moment in reversed(range(len(shared))):
        expect(number(stage)).to_have_text(str(shared[moment]))
        line.press("ArrowLeft")
    stage.get_by_role("button", name="each its own").click()
    expect(number(stage)).to_have_text(str(alone[0]))
    line.press("ArrowRight")
    expect(number(stage)).to_have_text(str(alone[1]))
    for lowest, memory in page.evaluate(LOWEST):
        assert lowest < memory, "a page lies over the memory"


# ---- requests that share the steps of a model

SCHEDULE = """async ([requests, runs]) => {
  const { schedule } = await import(new URL("/assets/stage/scenes/batching.js", location))
  return runs.map((run) => schedule(requests, ...run)
    .map((step) => step.map(({ one, rows, writes }) => [one, rows, writes])))
}"""


def test_requests_have_the_places_that_the_loop_of_the_page_gives(address: str, page: Page) -> None:
    lesson = names_of("steps/many-at-once.md")
    requests = list(zip(lesson["sizes"], lesson["written"].tolist(), strict=True))
    runs = [(refill, most) for refill in (False, True) for most in (1, 4, 5, 100)]
    page.goto(address + "steps/many-at-once/")
    for run, found in zip(runs, page.evaluate(SCHEDULE, [requests, runs]), strict=True):
        assert found == served(lesson, *run), run


def served(lesson: dict[str, Any], refill: bool, most: int) -> list[list[Any]]:
    """Return for each step and place the request, the rows that are read, and if it writes."""
    texts, steps = [lesson["Text"](name) for name in lesson["prompts"]], []
    before = [(0, len(text.words)) for text in texts]
    for places in lesson["serve"](texts, refill, most):
        now = [(text.caches[0].length, len(text.words)) for text in texts]
        change = [
            [a - b for a, b in zip(*each, strict=True)] for each in zip(now, before, strict=True)
        ]
        ones = [texts.index(text) if text else None for text in places]
        steps.append(
            [[n, 0, False] if n is None else [n, change[n][0], change[n][1] > 0] for n in ones]
        )
        before = now
    return steps


def test_the_steps_are_what_the_page_counts(address: str, page: Page) -> None:
    stage = opened(page, address + "steps/many-at-once/")
    counts = names_of("steps/many-at-once.md")["counts"]
    for refill, row in zip(["fixed batches", "continuous"], counts, strict=True):
        stage.get_by_role("button", name=refill).click()
        for most, count in zip(["whole prompts", "chunked"], row, strict=True):
            stage.get_by_role("button", name=most).click()
            expect(number(stage)).to_have_text(str(count))


# ---- keys in few bits

ROUND = """async (runs) => {
  const { round } = await import(new URL("/assets/stage/scenes/quantizing.js", location))
  return runs.map((run) => round(...run).read)
}"""


def test_numbers_are_rounded_as_on_the_page(address: str, page: Page) -> None:
    lesson = names_of("steps/fewer-bits.md")
    generator = torch.Generator().manual_seed(0)
    drawn = [torch.randn(6, 8, generator=generator, dtype=torch.float64) for _ in range(5)]
    ties = torch.tensor([[7.0, 0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 3.5]], dtype=torch.float64)
    tables = [lesson["keys"].double(), *drawn, ties]
    runs = list(product(tables, range(2, 9), lesson["ways"]))
    page.goto(address + "steps/fewer-bits/")
    found = page.evaluate(ROUND, [[x.tolist(), bits, way] for x, bits, way in runs])
    for read, (x, bits, way) in zip(found, runs, strict=True):
        expected = lesson["load"](*lesson["store"](x, bits, lesson["ways"][way]))
        torch.testing.assert_close(torch.tensor(read).double(), expected, atol=1e-6, rtol=1e-6)


def test_what_moves_and_what_is_lost_is_what_the_page_prints(address: str, page: Page) -> None:
    stage = opened(page, address + "steps/fewer-bits/")
    lesson = names_of("steps/fewer-bits.md")
    for way, dim in lesson["ways"].items():
        stage.get_by_role("button", name=f"per {way}").click()
        expect(number(stage)).to_have_text(f"{100 * lesson['moved'](4, dim):.1f} %")
        zeros = int((lesson["load"](*lesson["store"](lesson["keys"], 4, dim)) == 0).sum())
        expect(stage.get_by_text(f"{zeros} of 48 keys become 0")).to_be_visible()
    stage.get_by_role("button", name="as trained").click()
    trained = lesson["moved"](4, -2, reader=lesson["plain"])
    expect(number(stage)).to_have_text(f"{100 * trained:.1f} %")
