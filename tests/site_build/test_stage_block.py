"""The stage of the transformer block: a line of sixteen numbers, and parts that are pressed off."""

import re
from itertools import product

import pytest
from playwright.sync_api import CDPSession, Locator, Page, expect

from tests.site_build.on_stage import BLOCK, middle, number, opened, to
from tests.site_build.run_page import names_of

MINUS = "\N{MINUS SIGN}"
LIVE = ".stage-live"


def part(stage: Locator, name: str, block: int) -> Locator:
    return stage.get_by_role("button", name=f"{name} of block {block}", exact=True)


def test_each_number_of_the_line_is_a_sum_that_the_page_prints(address: str, page: Page) -> None:
    parts = names_of("steps/the-whole-model.md")["parts"].tolist()
    stage = opened(page, address + BLOCK)
    to(page, "added")
    for place, (x, _, note, heard) in enumerate(zip(*parts, strict=True)):
        page.locator('[data-stage="parts"] i').nth(place).click()
        expect(number(stage)).to_have_text(f"{heard:.2f}".replace("-", MINUS))
        expect(page.locator(LIVE)).to_have_text(
            f"Number {place}: {x:.2f} and {note:.2f} of attention are {heard:.2f}.".replace(
                "-", MINUS
            )
        )
    page.locator('[data-stage="parts"] i').nth(3).click()
    stage.get_by_role("button", name="number 3:").press("ArrowRight")
    expect(stage.get_by_role("button", name="number 4:")).to_be_focused()


@pytest.mark.parametrize("name", ["attention", "MLP", "plus"])
def test_a_part_pressed_off_gives_what_python_gives(address: str, page: Page, name: str) -> None:
    names = names_of("steps/the-whole-model.md")
    stage = opened(page, address + BLOCK)
    to(page, "off")
    for block in (1, 2):
        expect(part(stage, name, block)).to_have_attribute("aria-pressed", "true")
        part(stage, name, block).click()
        expect(part(stage, name, block)).to_have_attribute("aria-pressed", "false")
    without, guess = names["without"], names["guess"]
    rich, muddy = (guess(without(name, names[kind])) for kind in ("rich", "muddy"))
    expect(page.locator(LIVE)).to_have_text(
        f"Without {name} 1, {name} 2. rich bank: {rich}; muddy bank: {muddy}."
    )
    for block in (1, 2):
        part(stage, name, block).press("Enter")
    expect(page.locator(LIVE)).to_have_text("rich bank: money 1.00; muddy bank: water 1.00.")


def test_the_adjectives_are_exchanged_and_the_duck_is_asked_for(address: str, page: Page) -> None:
    names = names_of("steps/the-whole-model.md")
    stage = opened(page, address + BLOCK)
    for kind, asked in product(("muddy", "rich"), ("bank", "duck")):
        bank = stage.get_by_role("button", name=re.compile("swap this word")).nth(1)
        bank.click()
        page.get_by_role("menuitemradio", name=kind, exact=True).click()
        stage.get_by_role("button", name=re.compile("swap this word")).nth(2).click()
        page.get_by_role("menuitemradio", name=asked, exact=True).click()
        text = names[kind].replace("the bank is", f"the {asked} is")
        said = names["guess"](names["without"]("nothing", text))
        expect(page.locator(LIVE)).to_have_text(f"{kind} bank: {said}.")


def test_the_task_is_done_by_keys(address: str, page: Page) -> None:
    stage = opened(page, address + BLOCK)
    to(page, "off")
    task = page.locator(".stage-task")
    part(stage, "attention", 1).press("Enter")
    expect(part(stage, "attention", 1)).to_have_attribute("aria-pressed", "false")
    expect(task).not_to_have_class(re.compile("done"))
    part(stage, "attention", 2).press(" ")
    expect(task).to_have_class(re.compile("done"))


def test_the_task_is_done_by_a_finger(address: str, touch: tuple[Page, CDPSession]) -> None:
    page, _ = touch
    stage = opened(page, address + BLOCK)
    to(page, "off")
    for block in (1, 2):
        chip = part(stage, "attention", block)
        expect(chip).to_have_attribute("aria-pressed", "true")
        page.touchscreen.tap(*middle(chip))
        expect(chip).to_have_attribute("aria-pressed", "false")
    expect(page.locator(".stage-task")).to_have_class(re.compile("done"))
