"""The model that a reader has trained is kept, and taken in other drawings if they want it."""

from collections.abc import Iterator

import pytest
import torch
from playwright.sync_api import Browser, Page, expect

from tiny_lm.model import LanguageModel, encode
from tiny_lm.recipe import RECIPE
from tiny_lm.stories import WORDS

RICH = RECIPE.texts[1]
SEED = 404


@pytest.fixture(scope="module")
def model() -> LanguageModel:
    """Return a model that says something else than the course's."""
    torch.manual_seed(SEED)
    model = LanguageModel()
    for each in model.parameters():
        torch.nn.init.normal_(each)
    return model.eval()


@pytest.fixture
def numbers(model: LanguageModel) -> list[float]:
    """Return its numbers as the training in the browser hands them over."""
    return torch.cat([each.flatten() for each in model.parameters()]).tolist()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(reduced_motion="reduce")
    yield context.new_page()
    context.close()


def keep(page: Page, address: str, numbers: list[float]) -> None:
    """Press a step of training, and end the training with these numbers, as its worker would."""
    page.goto(f"{address}steps/how-it-learns/")
    page.locator("watch-it-learn .once").click()
    expect(page.locator("watch-it-learn")).to_have_attribute("data-step", "1")
    page.locator("watch-it-learn").evaluate(
        """(element, [numbers, seed]) => {
            const looks = [0, 1, 2, 3].map(() => Array(14).fill(0))
            const text = {water: 1, money: 0, said: "water", looks}
            const right = {"the bank's": 1, "the duck's": 1}
            const trainer = {curve: [1], loss: 1, right, without: "whole", seed}
            element.heard(trainer, {step: 1500, kept: [], floors: [0, 0],
                texts: Array(4).fill(text), numbers: Float64Array.from(numbers)})
        }""",
        [numbers, SEED],
    )


def answer(model: LanguageModel, text: str) -> tuple[str, float]:
    with torch.no_grad():
        shares = model.double()(encode(text))[0, -1].softmax(-1)
    return WORDS[int(shares.argmax())], shares.max().item()


def test_the_whole_drawing_takes_it_and_gives_it_back(
    address: str, page: Page, model: LanguageModel, numbers: list[float]
) -> None:
    keep(page, address, numbers)
    page.locator(".learn-verdict").get_by_role("link", name="Look inside it").click()
    told = page.locator("whole-model .whole-told")
    word, share = answer(model, RICH)
    expect(told).to_contain_text("Your model, from start 404.")
    said = "the start" if word == "<" else f"“{word}”"
    expect(told).to_contain_text(f"The answer is {said}, {100 * share:.0f} %")
    page.locator("whole-model").get_by_role("button", name="model", exact=False).click()
    expect(told).to_contain_text("The answer is “money”, 100 %")
    expect(told).not_to_contain_text("Your model")


def test_it_writes(address: str, page: Page, model: LanguageModel, numbers: list[float]) -> None:
    keep(page, address, numbers)
    page.locator(".learn-verdict").get_by_role("link", name="let it write").click()
    told = page.locator("whole-model .whole-told")
    text = "the duck likes the"
    word, share = answer(model, text)
    whose, percent = "your model, from start 404,", f"{100 * share:.0f} %"
    expect(told).to_have_text(f"After “the”, {whose} gives “{word}” the largest share, {percent}.")
    page.locator(".whole-next button").first.click()
    expect(page.locator(".whole-texts")).to_have_text(f"{text} {word} …")
    page.get_by_role("button", name="the course").click()
    expect(told).to_contain_text("the model gives")


def test_without_a_model_that_fits_there_is_no_choice(address: str, page: Page) -> None:
    page.goto(f"{address}steps/look-inside/")
    for stored in ("", "{", '{"model": {"words": ["the"]}, "seed": 1}'):
        page.evaluate(
            """(stored) => {
                sessionStorage.setItem("/.takes-own-model", "1")
                if (stored) localStorage.setItem("/.own-model", stored)
            }""",
            stored,
        )
        page.reload()
        told = page.locator("whole-model.live .whole-told")
        page.locator("whole-model .whole-tray button").first.focus()
        expect(told).to_contain_text("The answer is “money”, 100 %")
        expect(page.get_by_role("button", name="model", exact=False)).to_have_count(0)
