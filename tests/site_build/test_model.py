"""The language model in the browser: the numbers of torch, and what a reader can do with it."""

import base64
import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image
from playwright.sync_api import Browser, Locator, Page, expect

from attention_story import encode, trained_model
from attention_story.stories import ALL, ID, LENGTH, WORDS
from attention_story.training import rows_of, with_weights
from site_build.story_cards import CARDS, Card, states

LOOK, WRITE = "steps/look-inside/", "steps/let-it-write/"
MUDDY = "the duck likes the muddy bank . the bank is full of"

# The logits of all places of some texts, as they lie in memory.
LOGITS = """async ([texts, off, donor, patch]) => {
  const {load, read, unembed} = await import(new URL("/assets/model/forward.js", location))
  const model = await load()
  const ids = (text) => ["<", ...text.split(" ")].map((word) => model.words.indexOf(word))
  const put = patch && {...patch, x: read(model, ids(donor)).streams[patch.layer][patch.place]}
  const numbers = texts.flatMap((text) =>
    read(model, ids(text), {off: new Set(off), patch: put}).streams.at(-1)
      .flatMap((x) => [...unembed(model, x)]))
  const bytes = new Uint8Array(new Float64Array(numbers).buffer)
  let text = ""
  for (let i = 0; i < bytes.length; i += 32768)
    text += String.fromCharCode(...bytes.subarray(i, i + 32768))
  return btoa(text)
}"""


def in_browser(
    page: Page,
    texts: list[str],
    off: tuple[str, ...] = (),
    donor: str = "",
    patch: dict[str, int] | None = None,
) -> torch.Tensor:
    answer = page.evaluate(LOGITS, [texts, off, donor, patch])
    return torch.from_numpy(np.frombuffer(base64.b64decode(answer)).copy()).view(-1, len(WORDS))


@torch.no_grad()
def in_torch(
    text: str, off: tuple[str, ...] = (), donor: str = "", patch: dict[str, int] | None = None
) -> torch.Tensor:
    """Compute the same in another way: with zeros in the matrices that read a part."""
    model = trained_model().double()
    x = model.embed(encode(text))
    other = model.embed(encode(donor or text))
    for number, block in enumerate(model.blocks):
        if patch and patch["layer"] == number:
            x[0, patch["place"]] = other[0, patch["place"]]
        other = block(other)
        for part in (part for part in off if part.startswith(str(number))):
            if part.endswith("mlp"):
                block.down.weight.zero_()
            else:
                block.attention.out_proj.weight[:, 8 * int(part[-1]) :][:, :8] = 0
        x = block(x)
    return model.unembed(x)[0]


@pytest.fixture(scope="module")
def tab(address: str, browser: Browser) -> Iterator[Page]:
    page = browser.new_page()
    page.goto(address + WRITE)
    yield page
    page.close()


def test_it_says_the_same_as_torch_in_every_story(tab: Page) -> None:
    rows = rows_of(ALL)
    with torch.no_grad():
        logits = trained_model().double()(rows.clamp(min=0))[rows >= 0]
    found = in_browser(tab, [" ".join(story.words[1:]) for story in ALL])
    assert found.shape == logits.shape == (sum(len(story.words) for story in ALL), len(WORDS))
    assert (found - logits).abs().max() < 1e-10


@pytest.mark.parametrize(
    "changed",
    [
        {"off": ("0.1",)},
        {"off": ("0.0", "1.1", "1.mlp")},
        {"donor": MUDDY.replace("muddy", "rich"), "patch": {"layer": 0, "place": 5}},
        {"donor": MUDDY.replace("muddy", "rich"), "patch": {"layer": 1, "place": 12}},
    ],
    ids=["a head", "parts", "patch below", "patch above"],
)
def test_what_is_switched_off_or_put_in_is_the_same_as_in_torch(
    tab: Page, changed: dict[str, Any]
) -> None:
    found, expected = in_browser(tab, [MUDDY], **changed), in_torch(MUDDY, **changed)
    assert (found - expected).abs().max() < 1e-10
    assert (
        expected[-1].argmax() == ID["money" if "1.mlp" not in changed.get("off", ()) else "water"]
    )


@pytest.fixture
def figure(address: str, page: Page) -> Locator:
    page.goto(address + LOOK)
    page.locator("attention-model").scroll_into_view_if_needed()
    page.locator(".model").wait_for()
    return page.locator("attention-model")


def press(button: Locator, by: str) -> None:
    """Press a button with the mouse or a key."""
    if by == "mouse":
        button.click()
    else:
        button.focus()
        button.page.keyboard.press("Space")


@pytest.mark.parametrize("path", [LOOK, WRITE])
@pytest.mark.parametrize("width", [320, 390, 1024])
def test_a_finger_hits_what_it_wants_and_nothing_moves(
    address: str, browser: Browser, path: str, width: int
) -> None:
    context = browser.new_context(
        viewport={"width": width, "height": 844}, has_touch=True, is_mobile=True
    )
    page = context.new_page()
    page.goto(address + path)
    model = page.locator("attention-model")
    room = model.bounding_box()
    model.scroll_into_view_if_needed()
    page.locator(".model").wait_for()
    for control in page.locator(".model :is(button, select, input)").all():
        if control.is_visible():
            box = control.bounding_box()
            assert box
            assert box["height"] >= 44, control.evaluate("one => one.outerHTML")
    box = model.bounding_box()
    assert room
    assert box
    assert box["height"] == room["height"]
    context.close()


def test_on_a_desktop_the_answer_is_beside_the_heads(figure: Locator) -> None:
    look, says = (figure.locator(part).bounding_box() for part in (".model-look", ".model-says"))
    assert look
    assert says
    assert (says["y"], says["x"] > look["x"] + look["width"]) == (look["y"], True)


@pytest.mark.parametrize("by", ["mouse", "key"])
def test_without_one_head_mud_becomes_money(figure: Locator, by: str) -> None:
    told, head = figure.locator(".model-told"), figure.get_by_role("button", name="block 0, head 1")
    expect(told).to_have_text("After “of” it says “water” 1.00.")
    press(head, by)
    expect(told).to_have_text(
        "After “of” it says “money” 1.00. The whole model (grey) says “water” 1.00."
    )
    expect(head).to_have_attribute("aria-pressed", "false")
    if by == "key":
        expect(head).to_be_focused()
    press(figure.get_by_role("button", name="all parts on"), by)
    expect(told).to_have_text("After “of” it says “water” 1.00.")


def test_what_a_screen_reader_hears_is_what_torch_computes(figure: Locator) -> None:
    model = trained_model().double()
    with torch.no_grad():
        looks = with_weights(model, encode(MUDDY))[1]
    words = ["start", *MUDDY.split()]
    for block, head in itertools.product(range(2), repeat=2):
        share, at = looks[block][0, head, -1].max(dim=0)
        name = f"block {block}, head {head}, looks at {words[at]} {share:.2f}"
        expect(figure.get_by_role("button", name=name, exact=True)).to_be_visible()
    figure.get_by_role("button", name="block 0, head 1").click()
    changed, whole = (in_torch(MUDDY, off)[-1].softmax(-1) for off in (("0.1",), ()))
    bars = figure.locator(".model-bars button")
    said = bars.evaluate_all("(bars) => bars.map((bar) => bar.ariaLabel)")
    assert len(said) > 1
    for bar in said:
        word = bar.removeprefix("go on with ").partition(":")[0]
        number = ID[word]
        expected = f"{word}: {changed[number]:.2f}; the whole model {whole[number]:.2f}"
        assert bar == f"go on with {expected}"


def test_one_place_of_another_text_turns_the_answer(figure: Locator) -> None:
    told = figure.locator(".model-told")
    figure.locator("summary").click()
    expect(figure.get_by_label("before")).to_have_value("0")
    figure.get_by_role("button", name="put it in").click()
    expect(told).to_contain_text("says “money” 1.00. The whole model")
    figure.get_by_label("before").select_option("1")
    expect(told).to_contain_text("says “water” 1.00. The whole model")
    figure.get_by_label("Take from it").select_option("12")
    expect(told).to_contain_text("says “money” 1.00. The whole model")
    figure.get_by_role("button", name="take it out").click()
    expect(told).to_have_text("After “of” it says “water” 1.00.")


def test_the_place_of_another_text_is_named_by_its_word(figure: Locator) -> None:
    place = figure.locator(".model-words button").nth(5)
    figure.locator("summary").click()
    expect(figure.get_by_label("Take from it").locator("option:checked")).to_have_text("rich (5)")
    figure.get_by_role("button", name="put it in").click()
    expect(place).to_have_text("muddy rich")
    expect(place.locator("s")).to_have_text("muddy")
    looks = figure.get_by_role("button", name="block 0, head 1, looks at rich")
    expect(looks).to_be_visible()
    figure.get_by_label("before").select_option("1")  # block 0 still reads the word of our text
    expect(looks).to_be_hidden()
    figure.get_by_label("Take from it").select_option("12")  # the same word in both texts
    expect(place).to_have_text("muddy")
    expect(figure.locator(".model-words .patched")).to_have_text("of")


def test_in_mid_sentence_the_bars_only_show(figure: Locator) -> None:
    words, bars = figure.locator(".model-words button"), figure.locator(".model-bars button")
    figure.get_by_role("button", name="bank", exact=True).first.click()
    expect(figure.locator(".model-told")).to_contain_text("After “bank” it says “.”")
    for control in [*bars.all(), figure.get_by_label("To go on, tap the last word first")]:
        expect(control).to_be_disabled()
    words.last.click()
    figure.get_by_role("button", name="go on with water").click()
    expect(words).to_have_count(14)
    expect(words.last).to_have_text("water")


def test_a_text_of_the_readers_own_can_be_left_and_found(figure: Locator) -> None:
    start = figure.get_by_label("Begin with")
    figure.get_by_role("button", name="remove the last word").click()
    expect(start).to_have_value(MUDDY.removesuffix(" of"))
    start.select_option(MUDDY)
    expect(start).to_have_value(MUDDY)
    expect(figure.locator(".model-words button").last).to_have_text("of")


def test_there_is_no_sixteenth_place(figure: Locator) -> None:
    words, any_word = (
        figure.locator(".model-words button"),
        figure.get_by_label("Tap a bar to go on, or choose"),
    )
    for count in (14, 15):
        any_word.select_option("the")
        expect(words).to_have_count(count)
    any_word.select_option("the")
    expect(figure.locator(".model-told")).to_contain_text("no place for “the”")
    expect(words).to_have_count(15)


def test_a_browser_that_copies_nothing_leaves_the_address(address: str, browser: Browser) -> None:
    context = browser.new_context(reduced_motion="reduce")  # without the permission
    page, wrong = context.new_page(), []
    page.on("pageerror", lambda error: wrong.append(error.message))
    page.goto(address + LOOK)
    page.locator("attention-model").scroll_into_view_if_needed()
    page.get_by_role("button", name="copy link").click()
    expect(page.get_by_text("copy the address")).to_be_visible()
    assert "#model&" in page.url
    assert wrong == []
    context.close()


def test_a_link_keeps_what_was_chosen(figure: Locator) -> None:
    page = figure.page
    for part in ("block 0, head 1", "block 1, head 0"):
        figure.get_by_role("button", name=part).click()
    figure.get_by_role("button", name="copy link").click()
    expect(figure.get_by_text("copied")).to_be_visible()
    link = page.evaluate("navigator.clipboard.readText()")
    other = page.context.new_page()
    other.goto(link)
    expect(other.locator(".model-told")).to_contain_text("says “money” 0.98. The whole model")
    other.goto(link.replace("off=0.1", "off=9"))  # not a part: it begins as without a link
    other.reload()
    expect(other.locator(".model-told")).to_have_text("After “of” it says “water” 1.00.")


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.slug)
def test_a_state_to_send_has_a_page_and_a_card_of_its_own(
    site: Path, address: str, page: Page, card: Card
) -> None:
    folder, found = site / "model" / card.slug, f"model/{card.slug}/"
    html = (folder / "index.html").read_text("utf-8")
    assert f'"og:image" content="http://127.0.0.1:8000/{found}card.png"' in html
    with Image.open(folder / "card.png") as image:
        assert image.size == (1200, 630)
    page.goto(f"{address}{LOOK}{states()[card.slug]}")
    page.get_by_role("button", name="copy link").click()
    expect(page.get_by_text("copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == f"{address}{found}"
    page.goto(address + found)
    expect(page.locator(".model-told")).to_contain_text(f"it says “{card.instead}”")
    words = card.text.removesuffix(" …").replace(".", " .").replace("the the", "the")
    assert in_torch(words)[-1].argmax() == ID[card.says]


def test_it_writes_the_story_of_the_page(address: str, page: Page) -> None:
    page.goto(address + WRITE)
    page.locator("attention-model").scroll_into_view_if_needed()
    words = page.locator(".model-words")
    for _ in range(11):
        page.get_by_role("button", name="write the largest").click()
    expect(words).to_have_text("the ducks like the bank . the ducks find water there . …")
    page.get_by_role("button", name="begin again").click()
    expect(words).to_have_text("the …")
    expect(page.get_by_role("slider", name="temperature")).to_have_value("1.5")
    page.get_by_role("slider", name="temperature").fill("2")
    page.get_by_role("button", name="draw a word").click()
    shares = (trained_model()(encode("the"))[0, -1] / 2).softmax(-1)
    first = 12345 * 48271 % 2147483647 / 2147483647  # of the draws, which begin alike
    drawn = WORDS[int(torch.searchsorted(shares.cumsum(0), first))]
    expect(words).to_have_text(f"the {drawn} …")


def test_it_draws_a_whole_story(address: str, page: Page) -> None:
    page.goto(address + WRITE)
    page.locator("attention-model").scroll_into_view_if_needed()
    words = page.locator(".model-words")
    told = set()
    for _ in range(3):
        page.get_by_role("button", name="draw the rest").click()
        text = words.inner_text().removesuffix(" …")
        assert text.count(".") == 2 or len(text.split()) == LENGTH - 1
        told.add(text)
        page.get_by_role("button", name="begin again").click()
    assert len(told) > 1, "other draws tell other stories"


def test_the_numbers_are_fetched_where_they_are_needed_alone(address: str, page: Page) -> None:
    fetched: list[str] = []
    page.on("request", lambda request: fetched.append(request.url.rpartition("/")[2]))
    page.goto(address + "steps/the-whole-model/", wait_until="networkidle")
    assert "numbers.json" not in fetched
