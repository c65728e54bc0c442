"""The drawing that writes: the shares of torch, the draws, and what a reader is told."""

import pytest
import torch
from playwright.sync_api import Browser, Locator, Page, ViewportSize, expect

from attention_story import encode, trained_model
from attention_story.stories import ALL, LENGTH, WORDS
from tests.site_build.axe import violations

PAGE = "steps/let-it-write/"
FIRST = "the duck likes the"
TEMPERATURES = [0.5, 1.0, 1.5, 2.0]


def opened(page: Page, address: str, state: str = "") -> Locator:
    page.goto(f"{address}{PAGE}{state}")
    drawing = page.locator("whole-model")
    drawing.scroll_into_view_if_needed()
    page.locator("whole-model [inert]").first.wait_for(state="detached")
    drawing.locator(".whole-next button").first.focus()
    page.locator("whole-model.live").wait_for()
    return drawing


@pytest.fixture
def writes(address: str, page: Page) -> Locator:
    return opened(page, address)


def shares_after(text: str, temperature: float = 1.0) -> torch.Tensor:
    with torch.no_grad():
        logits: torch.Tensor = trained_model().double()(encode(text))[0, -1]
    return (logits / temperature).softmax(-1)


def text_of(drawing: Locator) -> str:
    return drawing.locator(".whole-texts").inner_text().removesuffix(" …").replace(".", " .")


@pytest.mark.parametrize("temperature", TEMPERATURES)
def test_the_words_have_the_shares_of_torch(writes: Locator, temperature: float) -> None:
    button = writes.get_by_role("button", name=f"temperature {temperature:g}", exact=True)
    button.click()
    expect(button).to_have_attribute("aria-pressed", "true")
    best = shares_after(FIRST, temperature).topk(5)
    words, shares = [WORDS[i] for i in best.indices], [f"{100 * s:.0f} %" for s in best.values]
    offered = writes.locator(".whole-next button")
    expect(offered).to_have_text([" ".join(pair) for pair in zip(words, shares, strict=True)])
    found = offered.evaluate_all("all => all.map(({style}) => +style.getPropertyValue('--share'))")
    assert found == pytest.approx(best.values.tolist(), abs=1e-4)
    expect(writes.get_by_role("button", name="The answer")).to_contain_text(f"“bank”, {shares[0]}")
    told = writes.locator(".whole-told")
    expect(told).to_contain_text(f"the model gives “bank” the largest share, {shares[0]}.")


def test_by_key_alone_it_writes_the_story_of_the_page(writes: Locator) -> None:
    told = writes.locator(".whole-told")
    first = writes.locator(".whole-next button").first
    first.press("Enter")
    expect(told).to_have_text(
        "“bank” had 59 %. After “bank”, the model gives the full stop the largest share, 100 %."
    )
    expect(first).to_be_focused()
    for _ in range(7):
        first.press("Enter")
    expect(writes.locator(".whole-texts")).to_contain_text("the duck likes the bank.")
    expect(told).to_have_text("The story is over. It is a story of its world.")
    writes.get_by_role("button", name="take back").click()
    expect(told).not_to_contain_text("over")
    writes.get_by_role("button", name="begin again").click()
    expect(writes.locator(".whole-texts")).to_have_text(f"{FIRST} …")


def test_a_word_is_drawn_by_its_share(writes: Locator) -> None:
    writes.get_by_role("button", name="temperature 2").click()
    first = 12345 * 48271 % 2147483647 / 2147483647  # of the draws, which begin alike
    shares, order = shares_after(FIRST, 2).sort(descending=True)
    word = WORDS[int(order[torch.searchsorted(shares.cumsum(0), first)])]
    writes.get_by_role("button", name="draw a word").click()
    expect(writes.locator(".whole-texts")).to_have_text(f"{FIRST} {word} …")
    share = shares_after(FIRST, 2)[WORDS.index(word)].item()
    expect(writes.locator(".whole-told")).to_contain_text(f"“{word}” had {100 * share:.0f} %.")


def test_it_draws_stories_and_says_which_are_of_its_world(writes: Locator) -> None:
    known = {" ".join(story.words[1:]) for story in ALL}
    writes.get_by_role("button", name="temperature 2").click()
    told, button = writes.locator(".whole-told"), writes.locator("[data-act=drawRest]")
    verdicts, texts = set(), set()
    for _ in range(8):
        button.click()
        expect(told).to_contain_text("no place" if "no place" in told.inner_text() else "world")
        text = text_of(writes)
        texts.add(text)
        if text.count(".") == 2:
            expect(button).to_have_text("draw another story")
            is_story = "It is a story of its world." in told.inner_text()
            assert is_story == (text in known), text
            verdicts.add(is_story)
        else:
            assert len(text.split()) == LENGTH - 1
            writes.get_by_role("button", name="begin again").click()
    assert verdicts == {True, False}
    assert len(texts) > 4


def test_there_is_no_place_after_the_last(address: str, page: Page) -> None:
    text = " ".join(["the"] * (LENGTH - 1))
    writes = opened(page, address, f"#whole&text={text.replace(' ', '+')}")
    expect(writes.locator(".whole-texts")).to_have_text(f"{text} …")
    writes.locator(".whole-next button").first.click()
    expect(writes.locator(".whole-told")).to_contain_text("There is no place for “")
    assert text_of(writes) == text


def test_what_is_switched_off_stays_off_from_word_to_word(address: str, page: Page) -> None:
    text = "the duck likes the muddy bank . the bank is full"
    writes = opened(page, address, f"#whole&text={text.replace(' ', '+')}&off=0.1&temperature=1.5")
    writes.locator(".whole-next button").first.click()
    told = writes.locator(".whole-told")
    expect(told).to_contain_text("Switched off: the look at “muddy”")
    expect(writes.locator(".whole-next button").first).to_contain_text("money")
    writes.get_by_role("button", name="copy link").click()
    expect(writes.get_by_text("copied")).to_be_visible()
    assert page.url.endswith("&off=0.1&temperature=1.5")


def test_a_word_of_the_text_can_still_be_swapped(writes: Locator) -> None:
    writes.get_by_role("button", name="duck, word 2").click()
    writes.get_by_role("button", name="queen", exact=True).click()
    expect(writes.locator(".whole-texts")).to_have_text("the queen likes the …")


def test_with_motion_the_words_come_one_by_one_and_a_press_ends_it(
    address: str, browser: Browser
) -> None:
    context = browser.new_context(reduced_motion="no-preference")
    writes = opened(context.new_page(), address)
    writes.get_by_role("button", name="draw the rest").click()
    expect(writes.locator(".whole-texts")).not_to_have_text(f"{FIRST} …")
    writes.get_by_role("button", name="begin again").click()
    context.pages[0].wait_for_timeout(900)
    expect(writes.locator(".whole-texts")).to_have_text(f"{FIRST} …")
    context.close()


@pytest.mark.parametrize("width", [320, 390, 1280])
def test_a_finger_hits_what_it_wants_and_nothing_moves(
    address: str, browser: Browser, width: int
) -> None:
    size = ViewportSize(width=width, height=844)
    context = browser.new_context(viewport=size, reduced_motion="reduce", has_touch=True)
    page = context.new_page()
    page.goto(address + PAGE)
    tops = """(drawing) => [".whole-stage", ".whole-more", "[data-act='put:0']"].map((part) =>
        drawing.querySelector(part).getBoundingClientRect().top
            - drawing.getBoundingClientRect().top)"""
    before = page.locator("whole-model").evaluate(tops)
    html = "(tray) => [...tray.querySelectorAll('button')].map((each) => each.textContent)"
    printed = page.locator(".whole-tray").evaluate(html)
    writes = opened(page, address)
    assert writes.locator(".whole-tray").evaluate(html) == printed
    for _ in range(3):
        assert writes.evaluate(tops) == before
        writes.locator(".whole-next button").first.tap()
    for control in writes.locator("button").all():
        box = control.bounding_box()
        assert box
        assert box["height"] >= 44, control.evaluate("one => one.outerHTML")
    chips = writes.locator(".whole-tray button")
    assert chips.evaluate_all("all => all.every((one) => one.scrollWidth <= one.clientWidth)")
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert not violations(page, within="whole-model")
    context.close()


def test_without_a_script_it_is_the_drawing_of_the_first_text(
    address: str, browser: Browser
) -> None:
    context = browser.new_context(java_script_enabled=False)
    plain = context.new_page()
    plain.goto(address + PAGE)
    expect(plain.locator(".whole-texts")).to_have_text(f"{FIRST} …")
    expect(plain.locator(".whole-told")).to_have_text(
        "After “the”, the model gives “bank” the largest share, 59 %."
    )
    expect(plain.locator(".whole-tray")).to_be_hidden()
    context.close()
