"""The reader's own sentences: read as torch does, from checked bytes, once it is asked."""

import json
import re
from collections.abc import Iterator

import pytest
import torch
from playwright.sync_api import Browser, Locator, Page, Route, expect
from torch import nn

from minilm.__main__ import described, written
from minilm.measure import in_8_bits
from minilm.model import MiniLM, Sizes
from minilm.sentences import WORDS
from minilm.wheel import VOCABULARY
from tests.site_build.on_stage import number, opened, to

PAGE = "steps/in-a-real-model/"
TEXTS = ["the green plant was old", "the nuclear plant was old"]
PIECES = ["[CLS]", "[SEP]", "[UNK]", "ca", "##fe", ".", *" ".join(TEXTS).split()]
PIECES = list(dict.fromkeys(PIECES + " ".join(WORDS["plant"][:2]).split()))
SIZES = Sizes(words=len(PIECES), places=16, dim=48, heads=12, layers=6, hidden=64)
COMMON = 12  # words of the first file; some of a sense are in the other one


@pytest.fixture(scope="module")
def model() -> MiniLM:
    torch.manual_seed(0)
    model = MiniLM(PIECES, SIZES)
    with torch.no_grad():
        for each in model.parameters():
            nn.init.normal_(each, std=0.3)
    return model.eval()


@pytest.fixture(scope="module")
def files(model: MiniLM) -> dict[str, bytes]:
    """Return what the browser fetches, and give the model itself the rounded numbers."""
    made = written(model, SIZES.places, COMMON)
    in_8_bits(model)
    made[VOCABULARY] = "".join(f"{piece}\n" for piece in PIECES).encode()
    told = json.loads(described(model, made))
    told["sizes"] |= {"places": SIZES.places, "common": COMMON}
    senses = json.dumps({word: found[:2] for word, found in WORDS.items()})
    script = f"export const known = {json.dumps(told)}; export const senses = {senses};"
    return {**made, "files.js": script.encode()}


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """Return a page of a browser that has kept nothing."""
    context = browser.new_context(reduced_motion="reduce")
    yield context.new_page()
    context.close()


def serve(page: Page, files: dict[str, bytes]) -> list[str]:
    """Give the page these files, and return the names of those that it has asked for."""
    asked: list[str] = []

    def answer(route: Route) -> None:
        name = route.request.url.rpartition("/")[2]
        asked.append(name)
        kind = "text/javascript" if name.endswith("js") else "application/octet-stream"
        route.fulfill(body=files[name], content_type=kind)

    for name in files:
        page.context.route(f"**/assets/minilm/{name}", answer)
    return asked


def test_the_browser_computes_what_torch_does(
    address: str, page: Page, model: MiniLM, files: dict[str, bytes]
) -> None:
    serve(page, files)
    page.goto(address + PAGE)
    texts = [*TEXTS, "Café, the plant."]
    found = page.evaluate(
        """async (texts) => {
          const folder = `${location.origin}/assets/minilm/`;
          const { Model } = await import(folder + "model.js");
          const { known } = await import(folder + "files.js");
          const bytes = async (name) => (await fetch(folder + name)).arrayBuffer();
          const vocabulary = new TextDecoder().decode(await bytes("vocab.txt"));
          const model = new Model(known.sizes, await bytes("layers.bin"), vocabulary);
          for (const name of ["words.bin", "more.bin"]) model.take(name, await bytes(name));
          return texts.map((text) => {
            const tokens = model.tokens(text);
            const whole = model.read(tokens);
            const lists = (all) => all.map((x) => [...x]);
            const plain = ({ vectors, weights }) => [lists(vectors), lists(weights)];
            const without = [model.read(tokens, [3, 5]), model.read(tokens, [3, 5], whole)];
            return [tokens, ...[whole, ...without].map(plain)];
          });
        }""",
        texts,
    )
    for text, (tokens, whole, without, again) in zip(texts, found, strict=True):
        assert tokens == model.tokens(text)
        assert without == again
        for theirs, ours in [
            (whole, model.read(tokens)),
            (without, model.read(tokens, [(3, 5)])),
        ]:
            for numbers, tensor in zip(theirs, ours, strict=True):
                shaped = torch.tensor(numbers).view(tensor.shape)
                torch.testing.assert_close(shaped, tensor, rtol=0, atol=1e-4)


def apart(model: MiniLM, place: int) -> float:
    """Return how far apart a word ends in the two texts, along the senses of "plant"."""
    poles = [
        torch.stack([model.read(model.tokens(name)).vectors[-1, 1] for name in names.split()]).mean(
            0
        )
        for names in WORDS["plant"][:2]
    ]
    ends = [model.read(model.tokens(text)).vectors[-1, place] for text in TEXTS]
    one, other = (
        torch.cosine_similarity(end, poles[0], 0) - torch.cosine_similarity(end, poles[1], 0)
        for end in ends
    )
    return float((one - other).abs())


def read(page: Page, address: str) -> Locator:
    """Press to read the sentences that stand in the form, and return the drawing of them."""
    stage = opened(page, address + PAGE)
    to(page, "own")
    page.locator(".own-form button").click()
    expect(page.locator(".own-form [role=status]")).to_contain_text("All 72 heads")
    return stage


def test_a_sentence_is_read_once_it_is_asked_for_and_has_a_link(
    address: str, page: Page, model: MiniLM, files: dict[str, bytes]
) -> None:
    asked = serve(page, files)
    opened(page, address + PAGE)
    to(page, "own")
    button = page.locator(".own-form button")
    expect(button).to_have_text("Load the model (0.1 MB) and read")
    assert set(asked) == {"files.js"}
    stage = read(page, address)
    assert set(asked) == {*files}
    expect(number(stage)).not_to_have_text("0.25")
    assert float(number(stage).text_content() or 0) == pytest.approx(apart(model, 3), abs=0.0051)
    stage.locator("[data-press='head 4.7']").click()
    expect(page).to_have_url(re.compile("word=plant.*head=4[.]7"))
    stage.get_by_role("button", name="Switch head 4.7").click()
    expect(stage.get_by_role("button", name="Switch head 4.7")).to_have_attribute(
        "aria-pressed", "false"
    )
    expect(stage.locator("text", has_text="head 4.7 off")).to_be_visible()


def test_another_word_is_followed_by_a_press_and_by_a_key(
    address: str, page: Page, model: MiniLM, files: dict[str, bytes]
) -> None:
    serve(page, files)
    stage = read(page, address)
    stage.get_by_role("button", name="follow was").first.click()
    expect(page.get_by_label("The word to follow")).to_have_value("was")
    expect(page).to_have_url(re.compile("word=was.*at=4"))
    assert float(number(stage).text_content() or 0) == pytest.approx(apart(model, 4), abs=0.0051)
    stage.get_by_role("button", name="follow old").first.press("Enter")
    expect(page).to_have_url(re.compile("word=old.*at=5"))
    assert float(number(stage).text_content() or 0) == pytest.approx(apart(model, 5), abs=0.0051)
    expect(stage.get_by_role("button", name="old: swap the two sentences")).to_be_focused()


def test_what_cannot_be_read_is_refused_and_the_last_pair_is_measured_on(
    address: str, page: Page, files: dict[str, bytes]
) -> None:
    serve(page, files)
    read(page, address)
    form, (one, other) = page.locator(".own-form"), TEXTS
    for values, complaint in [
        ([" ", other, "plant"], "Type a sentence in each of the first two fields."),
        ([one, one, "plant"], "Change one word in the second sentence."),
        (["the \U0001f600", "the \U0001f622", "the"], "To the model, both sentences are the same"),
        (["the plant", "the old", "plant"], "“plant” is not in “the old”."),
        (["the café", "the ca", "ca"], "“ca” is not in “the café”."),
        ([one, other, "plant was"], "Give one word to follow."),
        ([one, other, "\U0001f600"], "The model does not know “\U0001f600”."),
        ([one, "the " * 40, "the"], "is too long: 42 pieces, and 40 can be drawn."),
    ]:
        for name, value in zip(["sentence", "other", "word"], values, strict=True):
            form.locator(f"[name={name}]").fill(value)
        form.get_by_role("button").click()
        expect(form.get_by_role("alert")).to_contain_text(complaint)
        expect(form.get_by_role("status")).to_contain_text("All 72 heads")
    form.locator("[name=sentence]").fill("café plant old")
    form.locator("[name=other]").fill("the plant old")
    form.locator("[name=word]").fill("plant")
    form.get_by_role("button").click()
    expect(form.locator("[role=alert]")).to_be_empty()
    expect(form.get_by_role("status")).to_contain_text("its two paths do not begin as the same")
    expect(page).to_have_url(re.compile("word=plant.*at=3"))


def test_damaged_bytes_are_refused_and_asked_for_again(
    address: str, page: Page, files: dict[str, bytes]
) -> None:
    damaged = {**files, "layers.bin": b"\1" + files["layers.bin"][1:]}
    serve(page, damaged)
    opened(page, f"{address}{PAGE}#sentence=the+plant&other=the+old+plant&word=plant")
    form = page.locator(".own-form")
    expect(form.get_by_label("Your sentence")).to_have_value("the plant")
    form.get_by_role("button").click()
    expect(form.get_by_role("alert")).to_contain_text("layers.bin has come with other bytes")
    damaged |= files
    expect(form.get_by_role("button")).to_be_enabled()
    form.get_by_role("button").click()
    expect(form.get_by_role("status")).to_contain_text("All 72 heads")


def test_a_site_without_the_model_says_so(address: str, page: Page) -> None:
    script = b"export const known = null; export const senses = {};"
    serve(page, {"files.js": script})
    opened(page, address + PAGE)
    to(page, "own")
    expect(page.locator(".own-sentence")).to_contain_text("built without the numbers of the model")
