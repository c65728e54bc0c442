"""The stage of the language model: shares and draws are torch's, a training ends as shown."""

import re

import pytest
import torch
from playwright.sync_api import CDPSession, Locator, Page, expect

from site_build.training_demo.world import recorded
from tests.site_build.on_stage import middle, number, opened, swipe, to
from tests.site_build.reading import wait
from tests.site_build.run_page import names_of
from tiny_lm.model import encode, trained_model
from tiny_lm.stories import ALL, WORDS

PAGE = "steps/guess-the-next-word/"
FIRST = "the duck likes the"


def shares_after(text: str, temperature: float = 1.0) -> torch.Tensor:
    with torch.no_grad():
        logits: torch.Tensor = trained_model().double()(encode(text))[0, -1]
    return (logits / temperature).softmax(-1)


def writing(page: Page, address: str) -> Locator:
    stage = opened(page, address + PAGE)
    to(page, "write")
    expect(cells(stage)).to_have_count(len(WORDS))
    expect(stage.locator("[data-press=draw]")).to_be_visible()  # the model has come
    return stage


def cells(stage: Locator) -> Locator:
    return stage.locator("[data-press^=put]:not([display])")


def text_of(stage: Locator) -> Locator:
    return stage.page.locator(".stage-live")


def labels(shares: torch.Tensor) -> list[str]:
    named = ("start" if word == "<" else word for word in WORDS)
    return [f"{word}: {share:.2f}" for word, share in zip(named, shares.tolist(), strict=True)]


def test_the_bars_and_surprises_are_those_of_the_page(address: str, page: Page) -> None:
    stage = opened(page, address + PAGE)
    printed = names_of("steps/guess-the-next-word.md")
    handle = stage.get_by_role("slider", name="How far the model has read")
    handle.press("Shift+ArrowLeft")
    for share, row, came in zip(
        printed["share"].tolist(), printed["shares"].tolist(), printed["came"].tolist(), strict=True
    ):
        expect(number(stage)).to_have_text(f"{share:.2f}")
        seen = sorted(f"{each:.2f}" for each in row if each >= 0.005)
        texts = stage.locator("text.sans.strong:not([display])").all_text_contents()
        assert sorted(texts) == seen, WORDS[came]
        handle.press("ArrowRight")
    to(page, "surprise")
    for k, (word, loss) in enumerate(
        zip(["the", "duck", "likes", "the", "bank"], printed["losses"].tolist(), strict=False)
    ):
        bar = stage.locator(f"[data-press='pick {k}']")
        expect(bar).to_have_accessible_name(f"{word}: surprise {abs(loss):.2f}")
    stage.locator("[data-press='pick 1']").click()
    expect(number(stage)).to_have_text("3.38")
    expect(page.locator('[data-stage="losses"] i.lit')).to_have_text("3.38")
    page.locator('[data-stage="share"] i', has_text="0.37").click()
    expect(number(stage)).to_have_text("0.99")


def test_a_temperature_makes_the_shares_of_torch_and_keys_do_the_task(
    address: str, page: Page
) -> None:
    stage = writing(page, address)
    task = page.locator(".stage-task")
    dial = stage.get_by_role("slider", name="The temperature")
    stage.get_by_role("button", name=re.compile("^bank:")).click()
    expect(text_of(stage)).to_contain_text(f"{FIRST} bank …")  # after which “bank” has no share
    expect(task).not_to_have_class(re.compile("done"))
    stage.get_by_role("button", name="take back").click()
    for key, times, temperature in [("ArrowLeft", 5, 0.5), ("ArrowRight", 15, 2.0)]:
        for _ in range(times):
            dial.press(key)
        expect(dial).to_have_attribute("aria-valuenow", f"{temperature:g}")
        expected = labels(shares_after(FIRST, temperature))
        for cell, label in zip(cells(stage).all(), expected, strict=True):
            expect(cell).to_have_accessible_name(label)
    expect(task).to_have_class(re.compile("done"))


def test_a_finger_turns_the_temperature_up(address: str, touch: tuple[Page, CDPSession]) -> None:
    page, finger = touch
    stage = opened(page, address + PAGE)
    to(page, "write")
    dial = stage.get_by_role("slider", name="The temperature")
    expect(dial).to_have_attribute("aria-valuetext", re.compile("^1,"))
    expect(stage.locator("[data-press=draw]")).to_be_visible()  # the model has come
    page.evaluate("document.activeElement?.blur()")
    top = page.evaluate("scrollY")
    swipe(finger, middle(dial), 150, 0)
    expect(dial).not_to_have_attribute("aria-valuenow", "1")
    expect(page.locator(".stage-task")).to_have_class(re.compile("done"))
    assert page.evaluate("scrollY") == top


def test_words_are_drawn_by_the_shares_of_torch_and_a_story_is_judged(
    address: str, page: Page
) -> None:
    stage = writing(page, address)
    dial = stage.get_by_role("slider", name="The temperature")
    for _ in range(10):
        dial.press("ArrowRight")
    expect(dial).to_have_attribute("aria-valuenow", "2")
    state, text = 12345, FIRST  # of the draws, which begin alike
    for _ in range(4):
        state = state * 48271 % 2147483647
        shares, order = shares_after(text, 2).sort(descending=True)
        drawn = int(torch.searchsorted(shares.cumsum(0), state / 2147483647))
        text += f" {WORDS[order[drawn]]}"
        stage.get_by_role("button", name="draw a word").click()
        expect(text_of(stage)).to_contain_text(f"{text.replace(' .', '.')} …")
    for _ in range(4):
        stage.get_by_role("button", name="take back").click()
    expect(text_of(stage)).to_contain_text(f"{FIRST} …")
    known = {" ".join(story.words[1:]) for story in ALL}
    verdicts = set()
    for _ in range(8):
        stage.locator("[data-press=rest]").click()
        expect(text_of(stage)).to_contain_text("story of its world")
        told = text_of(stage).text_content() or ""
        story, _, verdict = told.partition(": ")
        assert (story.replace(".", " .") in known) == (verdict == "a story of its world."), told
        verdicts.add(verdict)
        stage.get_by_role("button", name="take back").click()
        expect(text_of(stage)).to_contain_text("…")
        for _ in range(len(story.replace(".", " .").split()) - 5):
            stage.get_by_role("button", name="take back").press("Enter")
        expect(text_of(stage)).to_contain_text(" … At temperature 2")
    assert len(verdicts) == 2


OWN = """(moments) => {
  const { ariaValueNow: now, ariaValueMax: most } = document.querySelector("[data-hold=scrub]");
  return most < 32 && now >= moments;
}"""  # of a training that still runs


def test_a_training_of_ones_own_is_the_recorded_one_and_can_be_paused_and_dragged_back(
    address: str, page: Page
) -> None:
    stage = opened(page, address + PAGE)
    to(page, "train")
    moments = recorded()["run"]["moments"]
    handle = stage.get_by_role("slider", name="The training")
    expect(handle).to_have_attribute("aria-valuetext", "after 1,500 steps, it says water")
    expect(number(stage)).to_have_text(f"{moments[-1]['loss']:.2f}")
    stage.get_by_role("button", name="Train", exact=True).click()
    wait(page, OWN, 6)
    stage.get_by_role("button", name="Pause").click()
    expect(stage.get_by_role("button", name="Go on")).to_be_visible()
    for _ in range(33):
        handle.press("ArrowLeft")
    for moment in moments[:5]:
        expect(handle).to_have_attribute(
            "aria-valuetext", f"after {moment['step']} steps, it says {moment['texts'][0]['said']}"
        )
        expect(number(stage)).to_have_text(f"{moment['loss']:.2f}")
        handle.press("ArrowRight")


FINISH = """async (change) => {
  const { default: Trains } = await import("/assets/stage/scenes/trains.js");
  const { load } = await import("/assets/tiny_lm/read.js");
  const { numbers } = JSON.parse(document.querySelector(".stage script").textContent);
  const trains = new Trains(numbers);
  const known = (await load()).numbers.slice();
  known[7] += change;
  await trains.finish({ "the bank's": 1, "the duck's": 0.5 }, known);
  return [trains.outcome[0], JSON.parse(localStorage.getItem("/.own-model")).seed];
}"""


@pytest.mark.parametrize(
    ("change", "outcome"),
    [
        (0, "the same 4,944 numbers as on these pages"),
        (1e-6, "it finds the right adjective in 75 % of the stories"),
    ],
)
def test_the_end_of_a_training_says_what_it_has_found_and_is_kept(
    address: str, page: Page, change: float, outcome: str
) -> None:
    opened(page, address + PAGE)
    assert page.evaluate(FINISH, change) == [outcome, 9]


def test_a_part_is_left_out_before_the_training(address: str, page: Page) -> None:
    stage = opened(page, address + PAGE)
    to(page, "train")
    stage.get_by_role("button", name="leave out a part").click()
    page.get_by_role("menuitemradio", name="no attention").click()
    expect(stage.get_by_role("button", name="no attention")).to_be_visible()
    wait(page, OWN, 2)
    stage.get_by_role("button", name="Pause").click()
    expect(page.locator(".stage-live")).to_contain_text("from start 9")
