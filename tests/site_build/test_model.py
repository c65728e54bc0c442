"""The language model in the browser: the numbers of torch, the pages to send, and how it writes."""

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pytest
import torch
from PIL import Image
from playwright.sync_api import Browser, Locator, Page, expect

from attention_story import encode, trained_model
from attention_story.stories import ALL, ID, LENGTH, WORDS
from attention_story.training import rows_of
from site_build.story_cards import CARDS, Card
from site_build.whole.drawn import drawing_words

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


@pytest.mark.parametrize("width", [320, 390, 1024])
def test_a_finger_hits_what_it_wants_and_nothing_moves(
    address: str, browser: Browser, width: int
) -> None:
    context = browser.new_context(
        viewport={"width": width, "height": 844}, has_touch=True, is_mobile=True
    )
    page = context.new_page()
    page.goto(address + WRITE)
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


@pytest.fixture
def writes(address: str, page: Page) -> Locator:
    page.goto(address + WRITE)
    page.locator("attention-model").scroll_into_view_if_needed()
    page.locator(".model:not(.handout)").wait_for()
    return page.locator("attention-model")


def test_there_is_no_sixteenth_place(writes: Locator) -> None:
    any_word = writes.get_by_label("Tap a bar to go on, or choose")
    for _ in range(13):
        any_word.select_option("the")
    expect(writes.locator(".model-words")).to_have_text(f"{'the ' * 14}…")
    any_word.select_option("the")
    expect(writes.locator(".model-told")).to_contain_text("no place for “the”")
    writes.get_by_role("button", name="remove the last word").click()
    expect(writes.locator(".model-words")).to_have_text(f"{'the ' * 13}…")


def test_a_bar_has_the_share_of_torch_and_goes_on_with_its_word(writes: Locator) -> None:
    shares = (in_torch("the")[-1] / 1.5).softmax(-1)
    bars = writes.locator(".model-bars button")
    said = bars.evaluate_all("(bars) => bars.map((bar) => bar.ariaLabel)")
    words = [WORDS[i] for i in shares.topk(5).indices]
    assert said == [f"go on with {word}: {shares[ID[word]]:.2f}" for word in words]
    bars.nth(1).click()
    expect(writes.locator(".model-words")).to_have_text(f"the {words[1]} …")


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.slug)
def test_a_state_to_send_has_a_page_and_a_card_of_its_own(
    site: Path, address: str, browser: Browser, page: Page, card: Card
) -> None:
    folder, found = site / "model" / card.slug, f"model/{card.slug}/"
    html = (folder / "index.html").read_text("utf-8")
    assert f'"og:image" content="http://127.0.0.1:8000/{found}card.png"' in html
    with Image.open(folder / "card.png") as image:
        assert image.size == (1200, 630)
    for has_scripts in (True, False):
        context = browser.new_context(java_script_enabled=has_scripts)
        sent = context.new_page()
        sent.goto(address + found)
        if has_scripts:
            sent.locator("whole-model [inert]").first.wait_for(state="detached")
            sent.locator(".whole-words [tabindex='0']").focus()
            sent.locator("whole-model.live").wait_for()
        expect(sent.locator(".whole-told")).to_contain_text(f"The answer is “{card.instead}”")
        context.close()
    page.goto(f"{address}{LOOK}#whole&{urlencode(drawing_words()['sent'][card.slug])}")
    expect(page.locator("whole-model.live .whole-told")).to_contain_text(f"“{card.instead}”")
    page.get_by_role("button", name="copy link").click()
    expect(page.get_by_text("copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == f"{address}{found}"
    words = card.text.removesuffix(" …").replace(".", " .").replace("the the", "the")
    assert in_torch(words)[-1].argmax() == ID[card.says]


def test_it_writes_the_story_of_the_page(writes: Locator) -> None:
    page = writes.page
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


def test_it_draws_a_whole_story(writes: Locator) -> None:
    page = writes.page
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
