"""The drawing that writes: the shares of torch, the draws, and what a reader is told."""

import re

import pytest
import torch
from playwright.sync_api import Browser, Locator, Page, ViewportSize, expect

from tests.site_build.axe import violations
from tiny_lm.model import encode, trained_model
from tiny_lm.stories import ALL, LENGTH, WORDS

PAGE = "steps/let-it-write/"
FIRST = "the duck likes the"


def opened(page: Page, address: str, state: str = "") -> Locator:
    page.goto(f"{address}{PAGE}{state}")
    drawing = page.locator("whole-model")
    drawing.scroll_into_view_if_needed()
    page.locator("whole-model [inert]").first.wait_for(state="detached")
    drawing.locator(".whole-next button").first.focus()
    page.locator("whole-model.live").wait_for()
    return drawing


def shares_after(text: str, temperature: float = 1.0) -> torch.Tensor:
    with torch.no_grad():
        logits: torch.Tensor = trained_model().double()(encode(text))[0, -1]
    return (logits / temperature).softmax(-1)


def text_of(drawing: Locator) -> str:
    return drawing.locator(".whole-texts").inner_text().removesuffix(" …").replace(".", " .")


def test_it_writes_by_the_shares_of_torch(address: str, page: Page) -> None:
    writes = opened(page, address)
    told, texts = writes.locator(".whole-told"), writes.locator(".whole-texts")
    offered = writes.locator(".whole-next button")
    for temperature in (0.5, 1.0, 1.5, 2.0):
        button = writes.get_by_role("button", name=f"temperature {temperature:g}", exact=True)
        button.click()
        expect(button).to_have_attribute("aria-pressed", "true")
        best = shares_after(FIRST, temperature).topk(5)
        words = [WORDS[i] for i in best.indices]
        shares = [f"{100 * share:.0f} %" for share in best.values]
        expect(offered).to_have_text([" ".join(pair) for pair in zip(words, shares, strict=True)])
        bars = "all => all.map(({style}) => +style.getPropertyValue('--share'))"
        assert offered.evaluate_all(bars) == pytest.approx(best.values.tolist(), abs=1e-4)
        expect(told).to_contain_text(f"the model gives “bank” the largest share, {shares[0]}.")

    state, text = 12345, FIRST  # of the draws, which begin alike
    for _ in range(4):
        state = state * 48271 % 2147483647
        all_shares, order = shares_after(text, 2).sort(descending=True)
        drawn = int(torch.searchsorted(all_shares.cumsum(0), state / 2147483647))
        text += f" {WORDS[order[drawn]]}"
        writes.get_by_role("button", name="draw a word").click()
        expect(texts).to_have_text(f"{text.replace(' .', '.')} …")
        expect(told).to_contain_text(f"had {100 * all_shares[drawn]:.0f} %.")

    known = {" ".join(story.words[1:]) for story in ALL}
    rest, verdicts, written = writes.locator("[data-act=drawRest]"), set(), set()
    for _ in range(8):
        rest.click()
        expect(told).to_contain_text("no place" if "no place" in told.inner_text() else "world")
        text = text_of(writes)
        written.add(text)
        if text.count(".") == 2:
            expect(rest).to_have_text("draw another story")
            is_story = "It is a story of its world." in told.inner_text()
            assert is_story == (text in known), text
            verdicts.add(is_story)
        else:
            assert len(text.split()) == LENGTH - 1
            writes.get_by_role("button", name="begin again").click()
    assert verdicts == {True, False}
    assert len(written) > 4


def test_by_key_alone_it_writes_the_story_of_the_page(address: str, page: Page) -> None:
    writes = opened(page, address)
    told, first = writes.locator(".whole-told"), writes.locator(".whole-next button").first
    first.press("Enter")
    expect(told).to_have_text(
        "“bank” had 66 %. After “bank”, the model gives the full stop the largest share, 100 %."
    )
    expect(first).to_be_focused()
    for _ in range(7):
        first.press("Enter")
    expect(writes.locator(".whole-texts")).to_contain_text("the duck likes the bank.")
    expect(told).to_have_text("The story is over. It is a story of its world.")
    writes.get_by_role("button", name="take back").press("Enter")
    expect(told).not_to_contain_text("over")
    writes.get_by_role("button", name="begin again").press("Enter")
    expect(writes.locator(".whole-texts")).to_have_text(f"{FIRST} …")
    writes.get_by_role("button", name="duck, word 2").press("Enter")
    writes.get_by_role("button", name="queen", exact=True).press("Enter")
    expect(writes.locator(".whole-texts")).to_have_text("the queen likes the …")


def test_a_link_has_its_text_and_what_is_switched_off(address: str, page: Page) -> None:
    text = "the muddy duck likes the rich bank . the bank is full"
    writes = opened(page, address, f"#whole&text={text.replace(' ', '+')}&off=1.1&temperature=1.5")
    first, told = writes.locator(".whole-next button").first, writes.locator(".whole-told")
    first.click()
    expect(told).to_contain_text("Switched off: the look at “rich”")
    expect(first).to_contain_text("water")
    writes.get_by_role("button", name="copy link").click()
    expect(writes.get_by_text("copied")).to_be_visible()
    expect(page).to_have_url(re.compile(r"&off=1\.1&temperature=1\.5$"))
    full = " ".join(["the"] * (LENGTH - 1))  # there is no place after the last
    page.goto("about:blank")
    writes = opened(page, address, f"#whole&text={full.replace(' ', '+')}")
    expect(writes.locator(".whole-texts")).to_have_text(f"{full} …")
    first.click()
    expect(told).to_contain_text("There is no place for “")
    assert text_of(writes) == full


def test_with_motion_the_words_come_one_by_one_and_a_press_ends_it(
    address: str, browser: Browser
) -> None:
    context = browser.new_context(reduced_motion="no-preference")
    page = context.new_page()
    page.clock.install()
    writes = opened(page, address)
    writes.get_by_role("button", name="draw the rest").click()
    expect(writes.locator(".whole-texts")).not_to_have_text(f"{FIRST} …")
    writes.get_by_role("button", name="begin again").click()
    page.clock.run_for(900)
    expect(writes.locator(".whole-texts")).to_have_text(f"{FIRST} …")
    context.close()


@pytest.mark.parametrize("width", [320, 1280])
def test_a_finger_hits_what_it_wants_and_nothing_moves(
    address: str, browser: Browser, width: int
) -> None:
    size = ViewportSize(width=width, height=844)
    context = browser.new_context(viewport=size, java_script_enabled=False)
    plain = context.new_page()
    plain.goto(address + PAGE)
    expect(plain.locator(".whole-texts")).to_have_text(f"{FIRST} …")
    expect(plain.locator(".whole-told")).to_have_text(
        "After “the”, the model gives “bank” the largest share, 66 %."
    )
    expect(plain.locator(".whole-tray")).to_be_hidden()
    html = "(tray) => [...tray.querySelectorAll('button')].map((each) => each.textContent)"
    printed = plain.locator(".whole-tray").evaluate(html)
    context.close()

    context = browser.new_context(viewport=size, reduced_motion="reduce", has_touch=True)
    page = context.new_page()
    page.goto(address + PAGE)
    tops = """(drawing) => [".whole-stage", ".whole-more", "[data-act='put:0']"].map((part) =>
        drawing.querySelector(part).getBoundingClientRect().top
            - drawing.getBoundingClientRect().top)"""
    before = page.locator("whole-model").evaluate(tops)
    writes = opened(page, address)
    assert writes.locator(".whole-tray").evaluate(html) == printed
    for _ in range(3):
        assert writes.evaluate(tops) == before
        writes.locator(".whole-next button").first.tap()
    small = "all => all.filter(it => it.offsetHeight < 44).map(it => it.outerHTML)"
    assert writes.locator("button").evaluate_all(small) == []
    chips = writes.locator(".whole-tray button")
    assert chips.evaluate_all("all => all.every((one) => one.scrollWidth <= one.clientWidth)")
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert not violations(page, within="whole-model")
    context.close()
