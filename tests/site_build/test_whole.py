"""The whole model in one drawing: what a reader can do with it; model_explorer/ has its numbers."""

import re
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, ViewportSize, expect

from site_build.interactive.chromium import draw_model
from site_build.model_explorer import drawing_path, drawing_words
from site_build.pytest_pages import other_than
from site_build.story_cards import CARDS, Card
from site_build.story_cards import PAGE as PAGE_OF_CARD
from tests.site_build.axe import violations
from tests.site_build.model_explorer.drawing import INSIDE_PAGE, PAGE, RICH, TEXTS, opened, put
from tests.site_build.reading import wait
from tests.tiny_lm import oracle
from tiny_lm.model import trained_model
from tiny_lm.stories import WORDS


def score_at(place: int) -> str:
    """Return the score of the last word with another one, in the head that looks at "rich"."""
    return f"{oracle.read(RICH).heads[1][1].scores[-1][place]:.1f}".replace("-", "\N{MINUS SIGN}")


def press(button: Locator, by: str) -> None:
    """Press a button with the mouse or a key."""
    if by == "mouse":
        button.click()
        return
    button.focus()
    button.press("Enter")


@pytest.mark.parametrize("by", ["mouse", "key"])
def test_words_are_swapped_and_parts_are_opened_and_switched_off(
    address: str, page: Page, by: str
) -> None:
    drawing = opened(page, address + PAGE)
    told, texts = drawing.locator(".whole-told"), drawing.locator(".whole-texts button")

    def button(name: str) -> Locator:
        return drawing.get_by_role("button", name=name, exact=True)

    expect(texts).to_have_text(
        [f"{TEXTS[1].replace(' .', '.')} water100 %", f"{RICH.replace(' .', '.')} money100 %"]
    )
    press(button("muddy"), by)
    expect(told).to_contain_text("The answer is “water”, 100 %.")
    expect(button("muddy")).to_have_attribute("aria-pressed", "true")
    expect(texts.first).to_have_attribute("aria-pressed", "true")
    press(texts.nth(1), by)
    expect(told).to_contain_text("The answer is “money”, 100 %.")
    press(drawing.get_by_role("button", name="Second block"), by)
    head = drawing.get_by_role("button", name="“of” looks at “rich”")
    press(head, by)
    expect(drawing.locator("[data-row]")).to_have_count(6)
    scores = drawing.locator("[data-row=scores] p")
    expect(scores).to_contain_text(f"for “rich”, ÷ √8 = {score_at(6)}.")
    head.press("ArrowLeft")
    expect(scores).to_contain_text(f"for “the”, ÷ √8 = {score_at(5)}.")
    switch = button("switch the look at “rich” in the second block off")
    press(switch, by)
    expect(told).to_have_text(
        "Switched off: the look at “rich” in the second block. The answer is “water”, 100 %. "
        "With all parts on, it is “money”, 100 %."
    )
    if by == "key":
        expect(button("switch the look at “rich” in the second block on")).to_be_focused()
    press(button("locked"), by)
    expect(told).to_contain_text("Switched off: the look at “locked”")
    press(button("other text"), by)
    expect(told).not_to_contain_text("Switched off")
    press(button("first text"), by)

    words = drawing.locator(".whole-words button")
    expect(drawing.locator(".whole-words [tabindex='0']")).to_have_count(1)
    drawing.locator(".whole-words [tabindex='0']").press("ArrowLeft")
    words.nth(5).press("ArrowLeft")
    words.nth(4).press("ArrowLeft")
    expect(words.nth(3)).to_be_focused()
    words.nth(3).press("Enter")
    expect(button("frog")).to_be_visible()
    press(drawing.get_by_role("button", name="bank, word 7"), by)
    press(button("ask from “bank”"), by)
    expect(texts.first).to_have_text("the muddy duck likes the rich bank.100 %")
    press(button("ask from “of”"), by)
    expect(told).to_contain_text("“money”")
    drawing.evaluate(  # numbers of another training come in as a property
        """async (drawing) => {
            const {modelOf} = await import(new URL("/assets/tiny_lm/read.js", location))
            const {words, length, numbers} = drawing.numbers
            const other = modelOf(words, length, numbers)
            other.w.embedding.set(other.w.embedding.map((number) => -number))
            drawing.numbers = other
        }"""
    )
    expect(told).not_to_contain_text("“money”, 100 %")


@pytest.mark.parametrize("by", ["mouse", "key"])
def test_one_vector_of_the_other_text_turns_the_answer_and_a_link_keeps_it(
    address: str, page: Page, by: str
) -> None:
    drawing = opened(page, address + INSIDE_PAGE)
    told, tray = drawing.locator(".whole-told"), drawing.locator(".whole-tray")
    before = told.inner_text()
    for patch in ("2.5", "0.14", "x", "1"):  # where there is no such place
        put(drawing, patch=patch)
        expect(told).to_have_text(before)
    put(drawing, patch="")
    word = drawing.get_by_role("button", name="rich, word 6")
    press(word, by)
    expect(tray).to_contain_text("Take “rich” from the text with “muddy”:")
    second = tray.get_by_role("button", name="before the second block")
    press(second, by)
    expect(told).to_have_text(
        "Before the second block, “rich” comes from the text with “muddy”. The answer is “water”, "
        "100 %. Without the patch, it is “money”, 100 %."
    )
    expect(word).to_contain_class("patched")
    expect(drawing).to_contain_class("whole-water")
    if by == "key":
        expect(second).to_be_focused()
    press(tray.get_by_role("button", name="before the first block"), by)
    expect(told).to_contain_text("Before the first block")
    expect(told).to_contain_text("The answer is “water”, 100 %.")
    put(drawing, off="0.1")
    expect(told).to_contain_text("With all parts on and no patch, it is “money”")
    press(tray.get_by_role("button", name="all parts on"), by)
    press(tray.get_by_role("button", name="before the first block"), by)
    expect(told).to_contain_text("takes 97 % from “rich”")
    expect(drawing.locator(".patched")).to_have_count(0)

    press(drawing.locator("[data-act='toggle:1']"), by)
    press(drawing.locator("[data-act='toggle:1.1']"), by)
    word.press("Enter")
    press(second, by)
    press(drawing.get_by_role("button", name="duck, word 3"), by)
    press(drawing.get_by_role("button", name="frog", exact=True), by)
    press(drawing.get_by_role("button", name="switch the look at “likes” in the second block"), by)
    press(drawing.get_by_role("button", name="copy link"), by)
    expect(drawing.get_by_text("copied")).to_be_visible()
    link = page.evaluate("navigator.clipboard.readText()")
    expect(page).to_have_url(link)
    expect(told).to_contain_text("Switched off: the look at “likes”")
    expect(told).to_contain_text("“rich” comes from the text with “banker”")
    said = told.inner_text()
    other = page.context.new_page()
    other.goto(link)
    expect(other.locator(".whole-told")).to_have_text(said)
    expect(other.locator("[data-row]")).to_have_count(6)
    expect(other.get_by_role("button", name="“of” looks at “rich”")).to_be_focused()
    other.goto(link.replace("off=1.0", "off=9").partition("&patch")[0])  # 9 is no part
    expect(other.locator(".whole-told")).not_to_contain_text("Switched off")


# Whether it copies without being permitted to differs between browsers.
COPIES_NOTHING = "navigator.clipboard.writeText = () => Promise.reject(new Error('refused'))"


def test_a_browser_that_copies_nothing_leaves_the_address(address: str, new_tab: Page) -> None:
    page, wrong = new_tab, list[str]()
    page.add_init_script(COPIES_NOTHING)
    page.on("pageerror", lambda error: wrong.append(error.message))
    drawing = opened(page, address + INSIDE_PAGE)
    drawing.get_by_role("button", name="copy link").click()
    expect(drawing.get_by_text("copy the address")).to_be_visible()
    expect(page).to_have_url(re.compile("#whole&text=rich$"))
    assert wrong == []


@pytest.mark.parametrize(("path", "by"), [(PAGE, "mouse"), (PAGE, "key")])
def test_a_sentence_opens_the_part_it_speaks_of_and_the_part_names_it(
    address: str, page: Page, path: str, by: str
) -> None:
    drawing = opened(page, address + path)
    drawing.get_by_role("button", name="muddy", exact=True).click()
    links = page.locator("a[href^='#whole:']")
    assert links.count() > 2
    for link in links.all():
        part = str(link.get_attribute("href")).removeprefix("#whole:")
        line = drawing.locator(f"[data-act='toggle:{part}']")
        for _ in ("for the first time", "when the reader has closed it"):
            press(link, by)
            expect(line).to_have_attribute("aria-expanded", "true")
            expect(line).to_be_focused()
            expect(line).to_be_in_viewport()
            back = drawing.locator(f".whole-inside a[href='#of-{part}-0']")
            expect(back).to_have_count(1)
            line.press("Enter")
        press(link, by)
        back.press("Enter")
        expect(link).to_be_in_viewport()
        said = back.inner_text().strip("“”")
        block = link.locator("xpath=ancestor::*[self::p or self::li][1]").inner_text()
        assert "".join(said.split()) in "".join(block.split())
        assert said[-1] in ".:"
    expect(drawing.locator(".whole-told")).to_contain_text("“muddy”")  # what was chosen stays


def test_what_is_pressed_while_the_model_comes_is_done(address: str, new_tab: Page) -> None:
    page, held = new_tab, list[Route]()
    page.route("**/model_explorer/whole.js", lambda route: held.append(route))
    page.goto(address + PAGE)
    drawing = page.locator("whole-model")
    line = drawing.locator("[data-act='toggle:1']")
    line.scroll_into_view_if_needed()
    page.locator("whole-model [inert]").first.wait_for(state="detached")
    line.hover()
    page.mouse.down()
    while not held:
        page.wait_for_timeout(20)
    held.pop().continue_()
    page.locator("whole-model.live").wait_for()
    page.mouse.up()
    expect(line).to_have_attribute("aria-expanded", "true")


def test_without_a_script_links_lead_to_the_drawing(address: str, browser: Browser) -> None:
    context = browser.new_context(java_script_enabled=False)
    plain = context.new_page()
    plain.goto(address + INSIDE_PAGE)
    plain.get_by_role("link", name="the answer", exact=True).click()
    expect(plain.locator(".whole-texts")).to_be_in_viewport(ratio=1)
    context.close()


# ---- how it is there -----------------------------------------------------------------------------


@pytest.mark.parametrize("width", [1440, 390, 320])
def test_it_fits_and_is_whole_at_every_width(
    address: str, site: Path, page: Page, width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    drawing = opened(page, address + PAGE)
    # Of a part that is being drawn, no button is there yet.
    for_fingers = """() => {
        const all = [...document.querySelectorAll("whole-model button")]
        const seen = all.filter((one) => one.checkVisibility())
        return seen.length > 0 && seen.every((one) => one.offsetHeight >= 44)
    }"""
    right = "(one) => one.getBoundingClientRect().right"
    for part in ("", "vectors", "0", "1.1", "0.plus", "0.mlp", "answer"):
        put(drawing, open=part)
        assert page.evaluate("document.documentElement.scrollWidth") == width
        wait(page, for_fingers)
        assert width == 320 or not violations(page, within="whole-model")
        for link in drawing.locator("[data-row] a[href*='/steps/']").all():
            path = (link.get_attribute("href") or "").partition("/steps/")[2]
            assert (site / "steps" / path / "index.html").is_file(), path
    for text in TEXTS if width == 320 else []:
        put(drawing, text=text, open="")
        for at in range(len(text.split()) + 1):
            put(drawing, at=str(at))
            ends = drawing.locator(".whole-lens").evaluate_all(f"all => all.map({right})")
            whole = page.evaluate("document.documentElement.scrollWidth")
            assert max([whole, *ends]) <= width, (text, at)


@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_moves_when_the_script_comes(
    address: str, page: Page, browser: Browser, width: int
) -> None:
    size = ViewportSize(width=width, height=900)
    page.set_viewport_size(size)
    live = opened(page, address + PAGE)
    context = browser.new_context(java_script_enabled=False, viewport=size)
    plain = context.new_page()
    plain.goto(address + PAGE)
    parts = ".whole-texts, .whole-told, .whole-words, .whole-part, .whole-legend"
    boxes = "(parts) => parts.map((part) => [part.className, part.offsetHeight])"
    printed = plain.locator("whole-model").locator(parts).evaluate_all(boxes)
    assert printed == live.locator(parts).evaluate_all(boxes)
    words = plain.locator(".whole-told").inner_text()
    assert words == live.locator(".whole-told").inner_text()
    expect(plain.locator(".whole-tray")).to_be_hidden()
    widths = "(lines) => lines.map((line) => getComputedStyle(line).strokeWidth)"
    drawings = plain.locator("whole-model"), live
    found = [each.locator(".ribbon, .stream").evaluate_all(widths) for each in drawings]
    assert found[0] == found[1]
    assert len(set(found[0])) > 10
    context.close()
    after = live.evaluate("(drawing) => drawing.offsetHeight")
    page.goto(address + PAGE)  # where nobody has touched it yet
    assert live.evaluate("(drawing) => drawing.offsetHeight") == after


# ---- a state to send -----------------------------------------------------------------------------


@pytest.mark.parametrize("state", drawing_words()["sent"].values(), ids=[*drawing_words()["sent"]])
def test_a_state_to_send_is_drawn_as_its_page_shows_it(
    state: dict[str, str], pytestconfig: pytest.Config, browser: Browser
) -> None:
    """With `--update-outputs`, it is written."""
    options = {**state, "patches": "true"}
    update = pytestconfig.getoption("update_outputs")
    assert other_than(drawing_path(options), draw_model(options), update) == ""


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.slug)
def test_a_state_to_send_has_a_page_of_its_own(
    site: Path, address: str, page: Page, card: Card
) -> None:
    folder, found = site / "model" / card.slug, f"model/{card.slug}/"
    html = (folder / "index.html").read_text("utf-8")
    assert f"The answer is “{card.instead}”" in html, "without a script"
    assert says(card.text) == card.says
    expect(opened(page, address + found).locator(".whole-told")).to_contain_text(
        f"The answer is “{card.instead}”"
    )
    page.goto(f"{address}{INSIDE_PAGE}#whole&{urlencode(drawing_words()['sent'][card.slug])}")
    expect(page.locator("whole-model.live .whole-told")).to_contain_text(f"“{card.instead}”")
    page.get_by_role("button", name="copy link").click()
    expect(page.get_by_text("copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == f"{address}{found}"


def says(text: str) -> str:
    """Return what the model says after the text of a card."""
    words = text.removesuffix(" …").replace(".", " .").replace("hides", "likes")
    return max(zip(oracle.read(words).shares(), WORDS, strict=True))[1]


def test_a_card_has_the_counts_of_the_model() -> None:
    model = trained_model()
    assert f" of {sum(x.numel() for x in model.parameters()):,} numbers." in PAGE_OF_CARD
    assert sum(block.attention.num_heads for block in model.blocks) == 4
    assert [card.what for card in CARDS if " of four heads " in card.what]


def test_the_numbers_are_fetched_where_they_are_needed_alone(address: str, page: Page) -> None:
    fetched: list[str] = []
    page.on("request", lambda request: fetched.append(request.url.rpartition("/")[2]))
    page.goto(address + PAGE, wait_until="networkidle")
    assert "numbers.json" not in fetched
