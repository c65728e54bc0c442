"""The schedule of the browser, held to that of the page, and readers that are moved."""

import random
import re
from itertools import product

from playwright.sync_api import Page, expect

from tests.site_build.interactive.test_hands import held
from tests.site_build.run_page import names_of

SCHEDULE = """async (runs) => {
  const { schedule } = await import(
    new URL("/assets/interactive/many-at-once/schedule.js", location))
  return runs.map(([texts, arrives, places, refill, most]) =>
    schedule(texts, { arrives, places, refill, most }))
}"""


def test_both_schedules_are_the_same_whenever_readers_come(address: str, page: Page) -> None:
    lesson = names_of("steps/many-at-once.md")
    dice = random.Random(0)
    arrivals = [[0] * 6, [7, 0, 0, 0, 0, 0], [0, 2, 4, 6, 8, 8]]
    arrivals += [[dice.randrange(21) for _ in range(6)] for _ in range(40)]
    runs = list(product([lesson["lengths"]], arrivals, range(1, 5), [False, True], [1, 4, 100]))
    page.goto(address)
    found = page.evaluate(SCHEDULE, [list(run) for run in runs])
    for steps, run in zip(found, runs, strict=True):
        expected = lesson["schedule"](*run)
        assert [[tuple(place) for place in step] for step in steps] == expected


def test_a_reader_is_moved_with_keys_and_with_the_mouse(address: str, page: Page) -> None:
    lesson = names_of("steps/many-at-once.md")
    figure = held(page, address, "many-at-once")
    said = figure.locator(".hand-says")
    card = figure.get_by_role("slider", name="A comes in step").filter(visible=True)
    for _ in range(7):
        card.press("ArrowRight")
    expect(card).to_have_attribute("aria-valuetext", "step 8")
    expected = lesson["schedule"](lesson["lengths"], [7, 0, 0, 0, 0, 0], refill=False)
    expect(said).to_contain_text(f"fetched {len(expected)} times")
    card.press("ArrowDown")
    below = figure.get_by_role("slider", name="B comes in step").filter(visible=True)
    expect(below).to_be_focused()

    box = below.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + 200, box["y"] + box["height"] / 2, steps=4)
    page.mouse.up()
    expect(below).to_have_attribute("aria-valuetext", re.compile(r"^step ([5-9]|\d\d)$"))
    moved = int((below.get_attribute("aria-valuetext") or "").removeprefix("step ")) - 1
    expected = lesson["schedule"](lesson["lengths"], [7, moved, 0, 0, 0, 0], refill=False)
    fetched = sum(any(text is not None for text, _ in step) for step in expected)
    expect(said).to_contain_text(f"fetched {fetched} times")
