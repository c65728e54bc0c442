"""The card of a formula: every number says where it comes from, to the eye, the ear and by hand."""

import itertools
import re
from collections.abc import Iterator
from typing import Any

import pytest
from mpmath import iv
from playwright.sync_api import Browser, CDPSession, Locator, Page, expect

from formulas.derive import derive
from site_build.formula_card import Card, tensors_of
from tensor_examples.fences import find_fences
from tests.conftest import ROOT

STEPS = ROOT / "docs" / "steps"
NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?")
WORDS = {name: getattr(iv, name) for name in ("exp", "log", "sin", "cos", "sqrt")}
PYTHON = {"·": "*", "\N{MINUS SIGN}": "-", "∞": "inf", "^": "**"}
# What a reader sees of each number of each card, in turn.
ALL_TOLD = """async () => {
  const { cards } = await import("/assets/formula/card.js");
  return cards.map((card) => [...card.answers].map(([key, answer]) => {
    card.say(answer);
    const text = card.told.querySelectorAll("span")[1].textContent;
    return [key, text, card.told.querySelector("strong")?.textContent.slice(2) ?? text];
  }));
}"""


def cards_of(page: str) -> Iterator[Card]:
    """Yield the cards of a page, as they stand in its file."""
    text = (STEPS / f"{page}.md").read_text("utf-8")
    for fence in find_fences(text.split("\n")):
        if fence.language == "card":
            above = "\n".join(text.split("\n")[: fence.opening - 1])
            yield Card(above.split("$$")[-2], tensors_of("\n".join(fence.lines)), fence.options)


PAGES = sorted(path.stem for path in STEPS.glob("*.md") if "\n```card" in path.read_text("utf-8"))


def worked_out(text: str) -> Any:
    """Return between which numbers a text lies, by Python's own arithmetic, as it was rounded."""

    def between(found: re.Match[str]) -> str:
        decimals = max(len(found[0].partition(".")[2]), 4)
        return f"number({found[0]}, {0.5 / 10**decimals})"

    for sign, python in PYTHON.items():
        text = text.replace(sign, python)
    names = {**WORDS, "number": lambda x, room: iv.mpf([x - room, x + room]), "inf": iv.inf}
    return eval(NUMBER.sub(between, text), {"__builtins__": {}}, names)


def comes_to(text: str, number: float) -> bool:
    """Tell whether a derivation that a reader sees comes to a number."""
    if number in (float("inf"), -float("inf")):
        return text == ("∞" if number > 0 else "\N{MINUS SIGN}∞")
    result, room = worked_out(text), max(abs(number) * 2e-5, 2e-5)
    return bool(result.a <= number + room and number - room <= result.b)


def test_a_derivation_that_is_wrong_is_seen() -> None:
    assert comes_to("1 · 3 + 2 · (-1)", 1.0)
    assert comes_to("exp(3) / (exp(0) + exp(3))", 0.95257)
    for wrong in ("1 · 3 - 2 · (-1)", "1 · 3 + 2 · (-1.001)", "1.0003"):
        assert not comes_to(wrong, 1.0), wrong
    assert not comes_to("exp(3) / (exp(0) + exp(2))", 0.95257)


def open_cards(page: Page, address: str, name: str) -> Locator:
    """Go to a step, and return its first card, once it can be pressed."""
    page.goto(f"{address}steps/{name}/")
    card = page.locator("formula-card").first
    card.scroll_into_view_if_needed()
    expect(card.locator(".card-told[role=status]")).to_be_attached()
    return card


@pytest.mark.parametrize("name", PAGES)
def test_each_number_is_what_its_derivation_comes_to(address: str, page: Page, name: str) -> None:
    """And Python, which writes the one that stands there without scripts, derives the same."""
    open_cards(page, address, name)
    for card, numbers in zip(cards_of(name), page.evaluate(ALL_TOLD), strict=True):
        assert {key: told for key, *told in numbers} == dict(derived(card))
        for key, text, result in numbers:
            tensor, *places = key.split(",")
            number = card.tensors[tensor]
            for place in places:
                number = number[int(place)]
            if result in ("True", "False"):
                assert (result == "True") == bool(number), (key, text)
            else:
                assert comes_to(text, number), (key, text, number)
                assert comes_to(result, number), (key, result, number)


def derived(card: Card) -> Iterator[tuple[str, list[str]]]:
    """Yield each number that a card explains, and how it comes about."""
    for part in card.parts:
        for places in itertools.product(*map(range, part.letters.values())):
            at = dict(zip(part.letters, places, strict=True))
            index = (int(derive(place, card.tensors, at).value) for place in part.index)
            found = derive(part.element, card.tensors, at)
            yield ",".join([part.name, *map(str, index)]), [found.text, found.result]


# ---- by mouse, finger and keys


def cell(card: Locator, key: str) -> Locator:
    return card.locator(f'[data-cell="{key}"]').first


def test_a_number_that_is_pressed_says_where_it_comes_from(address: str, page: Page) -> None:
    card = open_cards(page, address, "tiles")
    told = card.get_by_role("status")
    expect(told).to_contain_text("the share that “bank” takes from “muddy” exp(3 ")
    expect(told).to_contain_text("= 0.3973")
    cell(card, "weights,1,4").click()
    expect(told).to_contain_text("the share that “duck” takes from “muddy”")
    expect(card.locator(".from")).to_have_count(2)
    for source in ("scores,1,4", "lse,1"):
        expect(cell(card, source)).to_have_class(re.compile("from"))
    expect(card.locator("[aria-selected=true]")).to_have_attribute("data-cell", "weights,1,4")
    cell(card, "lse,1").click()
    expect(told).to_have_text("lse[1] = 10.3142")
    expect(card.locator(".from")).to_have_count(6)  # the numbers that read it


def test_a_finger_presses_a_number(address: str, touch: tuple[Page, CDPSession]) -> None:
    page, _ = touch
    card = open_cards(page, address, "tiles")
    cell(card, "weights,1,1").tap()
    told = card.get_by_role("status")
    expect(told).to_contain_text("the share that “duck” takes from “duck”")
    expect(told).to_contain_text("= 0.7303")


def test_keys_move_from_number_to_number(address: str, page: Page) -> None:
    card = open_cards(page, address, "tiles")
    grid, told = (
        card.get_by_role("grid", name="weights, 6 rows, 6 columns"),
        card.get_by_role("status"),
    )
    cell(card, "weights,5,0").click()
    focus = page.locator(":focus")
    grid.locator("[tabindex='0']").focus()
    for key, name, said in [
        ("ArrowRight", "bank, duck: 0.3973", "the share that “bank” takes from “duck”"),
        ("ArrowUp", "muddy, duck: 0.00012", "the share that “muddy” takes from “duck”"),
        ("End", "muddy, bank: 0", "the share that “muddy” takes from “bank”"),
        ("Home", "muddy, the: 0", "the share that “muddy” takes from “the”"),
        ("ArrowLeft", "muddy, the: 0", "the share that “muddy” takes from “the”"),
    ]:
        page.keyboard.press(key)
        expect(focus).to_have_attribute("aria-label", name)
        expect(told).to_contain_text(said)
    expect(grid.locator("[tabindex='0']")).to_have_count(1)


def test_a_name_lights_in_formula_code_and_numbers(address: str, page: Page) -> None:
    card = open_cards(page, address, "tiles")
    card.get_by_role("button", name="lse").click()
    for place in ("math", "code", ".card-scheme"):
        expect(card.locator(f"{place} .lit").first).to_have_text(re.compile("^lse"))
    card.locator("math [data-name=weights]").click()
    expect(card.locator("code .lit")).to_have_text("weights")
    expect(card.get_by_role("button", name="weights")).to_have_attribute("aria-pressed", "true")


def test_a_letter_says_what_it_counts(address: str, page: Page) -> None:
    card = open_cards(page, address, "tiles")
    said = "scores_ij is the score of token i with token j."
    card.get_by_role("button", name="What is i?").click()
    expect(card.get_by_role("status")).to_have_text(said)
    expect(card.locator(".card-scheme .lit").first).to_have_text("the")
    cell(card, "weights,4,0").click()
    card.locator("math [data-letter=j]").first.click()
    expect(card.get_by_role("status")).to_have_text(said)


# ---- printed tensors


def test_a_printed_number_says_below_its_block_where_it_comes_from(
    address: str, page: Page
) -> None:
    open_cards(page, address, "kv-cache")
    block = page.locator(".language-output:has([data-name=contexts].printed-matrix)").first
    number = block.locator(".explained").nth(11)
    number.click()
    answer = page.locator(".language-output + .card-answer").filter(visible=True)
    expect(answer).to_contain_text("how much money “bank” takes 0.0509 · 0 + ")
    expect(cell(page.locator("formula-card"), "values,5,1")).to_have_class(re.compile("from"))
    told = page.locator("formula-card .card-told")
    expect(told).to_contain_text("how much money “bank” takes")
    expect(told).to_have_attribute("aria-live", "off")  # the answer is heard, once
    number.focus()
    page.keyboard.press("ArrowLeft")
    expect(answer).to_contain_text("how much water “bank” takes")
    page.keyboard.press("Escape")
    expect(answer).to_have_count(0)


# ---- without scripts, on paper, and on a phone


def test_without_scripts_and_on_paper_one_derivation_is_text(
    address: str, page: Page, browser: Browser
) -> None:
    with browser.new_context(java_script_enabled=False) as context:
        plain = context.new_page()
        plain.goto(f"{address}steps/tiles/")
        text = plain.locator("formula-card .card-told").inner_text()
    assert text.splitlines()[0] == "the share that “bank” takes from “muddy”"
    assert "exp(3) / exp(3.9232)" in text
    card = open_cards(page, address, "tiles")
    page.emulate_media(media="print")
    expect(card.locator(".card-scheme").first).to_be_hidden()
    expect(card.locator(".card-told")).to_be_visible()


@pytest.mark.parametrize("name", PAGES)
def test_a_card_fits_a_phone(address: str, page: Page, name: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    open_cards(page, address, name)
    beyond = page.evaluate(
        """() => [...document.querySelectorAll("formula-card *")].filter((part) => {
          const { right, width } = part.getBoundingClientRect();
          return width && right > innerWidth;
        }).map((part) => part.outerHTML.slice(0, 80))"""
    )
    assert beyond == []
    assert page.evaluate("document.documentElement.scrollWidth") == 390
