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
    """Keep these numbers as those of the reader's model, as a training does, and take it."""
    page.goto(f"{address}404.html")
    page.evaluate(
        """async ([numbers, seed]) => {
            const own = await import("/assets/tiny_lm/own.js")
            await own.keep(numbers, seed)
            own.take(true)
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
    page.goto(f"{address}steps/look-inside/")
    told = page.locator("whole-model .whole-told")
    word, share = answer(model, RICH)
    expect(told).to_contain_text("Your model, from start 404.")
    said = "the start" if word == "<" else f"“{word}”"
    expect(told).to_contain_text(f"The answer is {said}, {100 * share:.0f} %")
    page.locator("whole-model").get_by_role("button", name="model", exact=False).click()
    expect(told).to_contain_text("The answer is “money”, 100 %")
    expect(told).not_to_contain_text("Your model")


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
