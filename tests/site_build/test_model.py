"""The language model in the browser: the numbers of torch, and the pages to send."""

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pytest
import torch
from PIL import Image
from playwright.sync_api import Browser, Page, expect

from attention_story import encode, trained_model
from attention_story.stories import ALL, ID, WORDS
from attention_story.training import rows_of
from site_build.story_cards import CARDS, PAGE, Card
from site_build.whole.drawn import drawing_words

LOOK = "steps/look-inside/"
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
    page.goto(address + LOOK)
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


def test_a_card_has_the_counts_of_the_model() -> None:
    model = trained_model()
    assert f" of {sum(x.numel() for x in model.parameters()):,} numbers." in PAGE
    heads = sum(block.attention.num_heads for block in model.blocks)
    assert heads == 4
    assert [card.what for card in CARDS if " of four heads " in card.what]


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


def test_the_numbers_are_fetched_where_they_are_needed_alone(address: str, page: Page) -> None:
    fetched: list[str] = []
    page.on("request", lambda request: fetched.append(request.url.rpartition("/")[2]))
    page.goto(address + "steps/the-whole-model/", wait_until="networkidle")
    assert "numbers.json" not in fetched
