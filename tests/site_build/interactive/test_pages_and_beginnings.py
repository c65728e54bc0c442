"""The pages of the browser, held to those of the page, and texts that come and leave."""

import random
from collections.abc import Iterator

from playwright.sync_api import Page, expect

from tests.site_build.interactive.test_hands import held
from tests.site_build.run_page import names_of

ALLOCATE = """async (runs) => {
  const { allocate } = await import(
    new URL("/assets/interactive/pages-and-beginnings/allocate.js", location))
  return runs.map((run) => allocate(...run).map(({ tables, waiting }) =>
    [Object.fromEntries(tables), waiting]))
}"""


def stories(names: str, count: int) -> Iterator[str]:
    """Yield what happens: texts come, and those that are there leave."""
    dice = random.Random(0)
    for _ in range(count):
        here: set[str] = set()
        events = ""
        for _ in range(dice.randrange(1, 13)):
            name = dice.choice(names)
            events += name.lower() if name in here else name
            here ^= {name}
        yield events


def test_both_give_the_same_pages_to_texts_that_come_and_leave(address: str, page: Page) -> None:
    lesson = names_of("steps/pages-and-beginnings.md")
    words = {**lesson["words"], "E": lesson["words"]["A"][:8]}  # its last word is read, too
    runs = [
        (words, events, size, room // size)
        for events in stories("ABCDE", 200)
        for size, room in [(1, 32), (2, 32), (4, 32), (2, 16)]
    ]
    page.goto(address)
    found = page.evaluate(ALLOCATE, [list(run) for run in runs])
    for steps, run in zip(found, runs, strict=True):
        assert [tuple(step) for step in steps] == lesson["allocate"](*run), run[1:]


def test_what_is_allocated_is_what_the_cache_of_the_page_takes() -> None:
    lesson = names_of("steps/pages-and-beginnings.md")
    for events in stories("ABCD", 25):
        pool, tables = lesson["Pool"](), {}
        for event in events:
            name = event.upper()
            if event == name:
                tables[name] = lesson["read"](pool, lesson["texts"][name])[1]
            else:
                lesson["release"](pool, tables.pop(name))
        steps = lesson["allocate"](lesson["words"], events, lesson["SIZE"], 24)
        assert steps[-1] == (tables, []), events


def test_a_text_comes_and_leaves_when_it_is_pressed(address: str, page: Page) -> None:
    lesson = names_of("steps/pages-and-beginnings.md")
    figure = held(page, address, "pages-and-beginnings")
    said = figure.locator(".hand-says")
    figure.get_by_role("slider", name="what happens").press("Home")  # where no text is there
    for events in ["B", "BC", "BCb"]:
        name = f"{events[-1].upper()}, {lesson['texts'][events[-1].upper()]}"
        button = figure.get_by_role("button", name=name).filter(visible=True)
        button.press("Enter")
        expect(button).to_have_attribute("aria-pressed", str(events[-1].isupper()).lower())
        expect(figure.locator(".hand-bar output")).to_have_text(f"{len(events)} of {len(events)}")
    tables, _ = lesson["allocate"](lesson["words"], "BC", 2, 16)[-1]
    stay = len({*tables["B"]} & {*tables["C"]})
    assert stay == 2
    expect(said).to_contain_text("B leaves. Two of its pages stay, for C.")
