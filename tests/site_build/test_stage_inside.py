"""The stage that looks into the model: parts off, a patch, and a model of one's own."""

import re

import pytest
import torch
from playwright.sync_api import CDPSession, Locator, Page, expect

from tests.site_build.on_stage import INSIDE, middle, opened, to
from tests.site_build.run_page import names_of
from tiny_lm.model import LanguageModel, encode, trained_model
from tiny_lm.stories import WORDS
from tiny_lm.trace import traced

FILE = "steps/look-inside.md"
QUESTIONS = ["rich bank", "muddy bank", "muddy duck", "rich duck"]
PARTS = ["head 0.0", "head 0.1", "MLP 0", "head 1.0", "head 1.1", "MLP 1"]
SEED = 404


def live(page: Page) -> Locator:
    return page.locator(".stage-live")


def said(shares: torch.Tensor) -> str:
    return f"“{WORDS[int(shares.argmax())]}” {shares.max():.2f}"


def text_about(question: str) -> str:
    """Return the text in which this noun is of this kind, and asked for."""
    names = names_of(FILE)
    return str(names[question.replace(" bank", "").replace(" ", "_")])


def answers(off: set[str]) -> str:
    found = (traced(trained_model(), encode(text_about(q)), off).shares[-1, -1] for q in QUESTIONS)
    return "; ".join(f"{q}: {said(shares)}" for q, shares in zip(QUESTIONS, found, strict=True))


def test_a_part_switched_off_gives_what_python_gives_to_each_question(
    address: str, page: Page
) -> None:
    stage = opened(page, address + INSIDE)
    to(page, "parts")
    off = set()
    for name in PARTS:
        part = stage.get_by_role("button", name=name, exact=True)
        expect(part).to_have_attribute("aria-pressed", "true")
        part.click()
        expect(part).to_have_attribute("aria-pressed", "false")
        off.add(f"{name[-1]}.mlp" if "MLP" in name else name[-3:])
        without = [each for each in PARTS if each in PARTS[: PARTS.index(name) + 1]]
        expect(live(page)).to_have_text(f"Without {', '.join(without)}. {answers(off)}.")
    for name in PARTS:
        stage.get_by_role("button", name=name, exact=True).press("Enter")
    expect(live(page)).to_have_text(f"{answers(set())}.")


def test_the_adjectives_are_exchanged_and_the_duck_is_asked_for(address: str, page: Page) -> None:
    stage = opened(page, address + INSIDE)
    expect(live(page)).to_have_text("")
    for question in ["muddy bank", "rich duck", "muddy duck", "rich bank"]:
        kind, noun = question.split()
        bank = kind if noun == "bank" else {"rich": "muddy", "muddy": "rich"}[kind]
        for place, word in [(1, bank), (2, noun)]:
            stage.get_by_role("button", name=re.compile("swap this word")).nth(place).click()
            page.get_by_role("menuitemradio", name=word, exact=True).click()
        read = traced(trained_model(), encode(text_about(question)))
        weight = read.weights[1][1, -1, 6]
        expect(live(page)).to_have_text(
            f"Head 1.1 takes {weight:.2f} of {bank}. The answer is {said(read.shares[-1, -1])}."
        )
        for place, head in [(10, 0), (11, 1)]:
            cell = stage.locator(f"[data-press='look {place} {head}']")
            label = f"{read.weights[0][head, -1, place]:.2f}"
            expect(cell).to_have_accessible_name(re.compile(f"in head 0.{head}: {label}$"))


def test_a_patch_gives_what_python_gives(address: str, page: Page) -> None:
    names = names_of(FILE)
    stage = opened(page, address + INSIDE)
    to(page, "patch")
    words = ["start", *names["rich"].split()]
    for layer in (0, 1):
        for place, word in enumerate(words):
            money = names["kept"][2 * place + layer]
            name = f"{word} before block {layer}: money {money:.2f}"
            cell = stage.locator(f"[data-press='patch {layer} {place}']")
            expect(cell).to_have_accessible_name(name)
    for layer, place in [(0, 6), (1, 3)]:
        stage.locator(f"[data-press='patch {layer} {place}']").click()
        patch = (layer, place, names["levels"][2 * layer, place])
        shares = traced(trained_model(), encode(names["rich"]), patch=patch).shares[-1, -1]
        expect(live(page)).to_have_text(
            f"With {words[place]} from the other text before block {layer}, "
            f"the answer is {said(shares)}."
        )
    page.keyboard.press("ArrowLeft")
    expect(stage.locator("[data-press='patch 1 2']")).to_be_focused()
    page.keyboard.press("Enter")
    expect(live(page)).to_have_text("Without a patch, the answer is “money” 1.00.")


def test_the_task_is_done_by_a_finger(address: str, touch: tuple[Page, CDPSession]) -> None:
    page, _ = touch
    stage = opened(page, address + INSIDE)
    to(page, "parts")
    task = page.locator(".stage-task")
    for name, done in [("head 1.0", False), ("head 1.1", True)]:
        part = stage.get_by_role("button", name=name, exact=True)
        expect(part).to_have_attribute("aria-pressed", "true")
        page.touchscreen.tap(*middle(part))
        expect(part).to_have_attribute("aria-pressed", "false")
        has_done = expect(task).to_have_class if done else expect(task).not_to_have_class
        has_done(re.compile("done"))


# ---- a model that the reader has trained -----


@pytest.fixture(scope="module")
def model() -> LanguageModel:
    """Return a model that says something else than the course's."""
    torch.manual_seed(SEED)
    model = LanguageModel()
    for each in model.parameters():
        torch.nn.init.normal_(each)
    return model.double().eval()


KEEP = """async ([numbers, seed]) => {
  const { keep } = await import("/assets/tiny_lm/own.js");
  await keep(numbers, seed);
}"""


def test_it_is_looked_into_and_the_courses_is_taken_again(
    address: str, page: Page, model: LanguageModel
) -> None:
    page.goto(f"{address}404.html")
    numbers = torch.cat([each.flatten() for each in model.parameters()]).tolist()
    page.evaluate(KEEP, [numbers, SEED])
    stage = opened(page, address + INSIDE)
    page.mouse.move(5, 5)  # a sign of life, at which the model is fetched
    stage.get_by_role("button", name="take your own model").click()
    read = traced(model, encode(text_about("rich bank")))
    weight = read.weights[1][1, -1, 6]
    expect(live(page)).to_have_text(
        f"Your model, from start 404. Head 1.1 takes {weight:.2f} of rich. "
        f"The answer is {said(read.shares[-1, -1])}."
    )
    stage.get_by_role("button", name="your model, start 404").click()
    expect(live(page)).to_have_text("Head 1.1 takes 0.97 of rich. The answer is “money” 1.00.")


@pytest.mark.parametrize("stored", ["", "{", '{"words": ["the"], "numbers": [1], "seed": 1}'])
def test_without_one_that_fits_there_is_no_choice(address: str, page: Page, stored: str) -> None:
    page.goto(f"{address}404.html")
    page.evaluate("(stored) => localStorage.setItem('/.own-model', stored)", stored)
    stage = opened(page, address + INSIDE)
    to(page, "parts")
    expect(stage.get_by_role("button", name="head 1.1", exact=True)).to_be_visible()
    page.evaluate("scrollTo(0, 0)")
    expect(stage.locator("[data-press='look 6 3']")).to_be_visible()
    expect(stage.locator("[data-press=model]")).to_have_count(0)
