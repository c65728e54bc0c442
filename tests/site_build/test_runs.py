"""Pages whose drawing is a run: its switches and its line, by key, mouse and finger."""

import random
import re
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
import torch
from playwright.sync_api import Browser, Page, expect

from tests.conftest import sources
from tests.site_build.on_stage import TOUCHING, number, opened, swipe
from tests.site_build.run_page import names_of

RUNS = [
    f"{path.parent.name}/{path.stem}/"
    for path in sources(".md")
    if "\n```stage run " in path.read_text("utf-8") and path.stem != "writing-a-page"
]
COSTS = "guides/what-attention-costs/"  # whose line is a length
NO_NUMBER = re.compile("undefined|NaN|null|Infinity")


@pytest.mark.parametrize("run", RUNS)
def test_each_choice_is_pressed_and_each_moment_reached_by_key(
    address: str, page: Page, run: str
) -> None:
    page.emulate_media(reduced_motion="reduce")  # which draws at once
    stage = opened(page, address + run)
    line = stage.get_by_role("slider")
    rest = line.get_attribute("aria-valuenow") or "" if line.count() else ""
    options = stage.locator("[data-press^='set ']:not([display])")
    names = options.evaluate_all("(all) => all.map((one) => one.dataset.press)")
    for name in names:
        option = stage.locator(f'[data-press="{name}"]')
        option.press("Enter")
        expect(option).to_have_attribute("aria-pressed", "true")
        expect(option).to_be_focused()
        expect(number(stage)).not_to_have_text(NO_NUMBER)
        assert page.evaluate(TOUCHING) == []
    if not line.count():
        return
    last = line.get_attribute("aria-valuenow") or ""
    if run != COSTS:
        assert last == line.get_attribute("aria-valuemax"), "it rests at its end"
    line.press("ArrowLeft")
    expect(line).to_have_attribute("aria-valuenow", str(int(last) - 1))
    expect(page.locator(".stage-live")).not_to_have_text(NO_NUMBER)
    page.get_by_role("button", name="As printed").click()
    expect(line).to_have_attribute("aria-valuenow", rest)


def test_a_finger_moves_the_line_and_not_the_page(address: str, browser: Browser) -> None:
    room = {"width": 390, "height": 844}
    with browser.new_context(viewport=room, has_touch=True, is_mobile=True) as context:
        page = context.new_page()
        line = opened(page, f"{address}{RUNS[0]}").get_by_role("slider")
        box = line.bounding_box()
        assert box
        assert box["height"] >= 43.9  # of which a browser draws a part less
        end = (box["x"] + box["width"] - 24, box["y"] + box["height"] / 2)
        swipe(context.new_cdp_session(page), end, -box["width"], 120)
        expect(line).to_have_attribute("aria-valuenow", "0")
        assert page.evaluate("scrollY") == 0


# ---- what is computed in the browser is what the page computes

PASSES = """async (asked) => {
  const { passes } = await import(new URL("/assets/stage/scenes/caching.js", location))
  return asked.map((each) => passes(...each).map(({ now, kept }) => [now, kept]))
}"""


def test_each_pass_computes_what_it_does_on_the_page(address: str, page: Page) -> None:
    names = names_of("steps/kv-cache.md")
    asked = [(tokens, cached) for tokens in (1, 6, 12) for cached in (False, True)]
    page.goto(address + "steps/kv-cache/")
    for each, found in zip(asked, page.evaluate(PASSES, asked), strict=True):
        assert [*map(list, names["passes"](*each))] == found


def test_the_number_is_what_the_page_counts(address: str, page: Page) -> None:
    stage = opened(page, address + "steps/kv-cache/")
    expect(number(stage)).to_have_text(str(sum(range(7))))
    stage.get_by_role("button", name="kept").click()
    expect(number(stage)).to_have_text("6")
    total = sum(names_of("steps/kv-cache.md")["work"](n, n - 1) for n in range(1, 7))
    expect(page.locator(".stage-live")).to_contain_text(f"with {total:,} operations")


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


def served(lesson: dict[str, Any], refill: bool, most: int) -> list[list[list[object]]]:
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


LAYERS = """async (texts) => {
  const { layers } = await import(new URL("/assets/stage/scenes/induction.js", location))
  const found = texts.map((text) => layers(text))
  return found.map(({ first, second, expected }) => [first, second, expected])
}"""


def test_both_layers_do_in_the_browser_what_they_do_on_the_page(address: str, page: Page) -> None:
    names = names_of("steps/induction.md")
    texts = ["the duck likes the", "the duck likes the bank the"]
    page.goto(address)
    for text, found in zip(texts, page.evaluate(LAYERS, texts), strict=True):
        x, first = names["layer_1"](names["embedding"][names["tokens"](text)])
        expected, second = names["layer_2"](x)
        for ours, theirs in zip(found, [first, second, expected[-1]], strict=True):
            torch.testing.assert_close(torch.tensor(ours), theirs, rtol=0, atol=1e-5)
