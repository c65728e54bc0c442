"""The numbers of the drawing: in the browser, and in the picture of the build, those of torch."""

import base64
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch
from playwright.sync_api import Browser, Locator, expect

from attention_story import trained_model
from attention_story.stories import ALL, ID, TEST, WORDS
from attention_story.training import rows_of
from site_build.model_explorer import whole
from site_build.model_explorer.drawn import draw
from site_build.model_explorer.forward import read_text, shares, vocabulary
from site_build.model_explorer.picture import block_tells
from tests.site_build.model_explorer.drawing import MUDDY, PAGE, TEXTS, opened, put
from tests.site_build.model_explorer.oracle import changed, traced

OFF = ["", "0.1", "0.0 1.1", "0.mlp", "1.mlp 0.0"]


@pytest.fixture(scope="module")
def shown(address: str, browser: Browser) -> Iterator[Locator]:
    """Return a drawing that is opened once, for tests that only set its attributes."""
    context = browser.new_context(reduced_motion="reduce")
    yield opened(context.new_page(), address + PAGE)
    context.close()


@pytest.fixture
def still(shown: Locator) -> Locator:
    """Return that drawing as its page has it."""
    shown.page.set_viewport_size({"width": 1280, "height": 900})
    put(shown, **dict.fromkeys(("off", "open", "patch", "at"), ""), text="muddy")
    return shown


# ---- in the browser ------------------------------------------------------------------------------

# The logits of all places of some texts, as they lie in memory.
LOGITS = """async (texts) => {
  const {load, read, unembed} = await import(new URL("/assets/model/forward.js", location))
  const model = await load()
  const ids = (text) => ["<", ...text.split(" ")].map((word) => model.words.indexOf(word))
  const numbers = texts.flatMap((text) =>
    read(model, ids(text)).streams.at(-1).flatMap((x) => [...unembed(model, x)]))
  const bytes = new Uint8Array(new Float64Array(numbers).buffer)
  let text = ""
  for (let i = 0; i < bytes.length; i += 32768)
    text += String.fromCharCode(...bytes.subarray(i, i + 32768))
  return btoa(text)
}"""


def test_it_says_the_same_as_torch_in_every_story(shown: Locator) -> None:
    rows = rows_of(ALL)
    with torch.no_grad():
        logits = trained_model().double()(rows.clamp(min=0))[rows >= 0]
    found = shown.page.evaluate(LOGITS, [" ".join(story.words[1:]) for story in ALL])
    numbers = torch.from_numpy(np.frombuffer(base64.b64decode(found)).copy())
    assert (numbers.view(-1, len(WORDS)) - logits).abs().max() < 1e-10


# What the page computes on the way, as numbers in lists.
INSIDE = """async ([text, off]) => {
  const {load, read} = await import(new URL("/assets/model/forward.js", location))
  const model = await load()
  const ids = ["<", ...text.split(" ")].map((word) => model.words.indexOf(word))
  const run = read(model, ids, {off: new Set(off)})
  const plain = (x) => x.length === undefined ? x : Array.from(x, plain)
  return {
    levels: plain([...run.layers.flatMap(({mid}, l) => [run.streams[l], mid]), run.streams.at(-1)]),
    heads: run.layers.map(({heads}) => heads.map((head) =>
      Object.fromEntries(Object.entries(head).map(([name, x]) => [name, plain(x)])))),
    hidden: plain(run.layers.map(({hidden}) => hidden)),
  }
}"""


@pytest.mark.parametrize(
    ("text", "off"),
    [(MUDDY, []), (TEXTS[1], ["0.1"]), (TEXTS[2], ["0.0", "1.1"]), (MUDDY, ["0.mlp"])],
    ids=str,
)
def test_what_the_page_computes_on_the_way_is_what_torch_computes(
    shown: Locator, text: str, off: list[str]
) -> None:
    found, expected = shown.page.evaluate(INSIDE, [text, off]), traced(text, {*off})
    assert close(found["levels"], expected.levels)
    assert close(found["hidden"], torch.stack(expected.hidden))
    for layer, trace in zip(found["heads"], expected.traces, strict=True):
        for h, head in enumerate(layer):
            for name in ("query", "key", "value", "context"):
                assert close(head[name], getattr(trace, name)[0, h]), name
            for name, rows in (("scores", trace.scaled_scores), ("weights", trace.weights)):
                for row, there in zip(head[name], rows[0, h], strict=True):
                    assert close(row, there[: len(row)]), name
    notes = [head["note"] for layer in found["heads"] for head in layer]
    assert close(notes, torch.stack(list(expected.notes.values())))


def close(found: Any, expected: torch.Tensor) -> bool:
    numbers = torch.tensor(found, dtype=torch.double)
    assert numbers.shape == expected.shape
    return bool((numbers - expected).abs().max() < 1e-10)


@pytest.mark.parametrize("off", ["", "0.1"])
def test_opened_parts_have_the_numbers_of_torch(still: Locator, off: str) -> None:
    now = traced(MUDDY, {*off.split()})
    put(still, open="0.1", off=off)
    expect(still.locator("[data-score]")).not_to_have_count(0)
    found = still.locator("[data-score]").evaluate_all("all => all.map(it => +it.dataset.score)")
    assert found == pytest.approx(now.traces[0].scaled_scores[0, 1, -1].tolist(), abs=1e-10)
    put(still, open="answer")
    shares = now.shares(-1, -1).sort(descending=True).values
    expect(still.locator("[data-share]")).to_have_count(len(shares))  # its script may come first
    found = still.locator("[data-share]").evaluate_all("all => all.map(it => +it.dataset.share)")
    assert found == pytest.approx(shares.tolist(), abs=1e-10)
    best = [now.shares(level, -1).max(dim=-1) for level in range(5)]
    said = [(WORDS[each.indices], f"{100 * each.values:.0f} %") for each in best]
    for layer in (0, 1):
        put(still, open=f"{layer}.plus")
        levels = sorted({2, 4, 2 * layer + 1})  # behind each round, and in the middle of this one
        lenses = [f"so far: {said[level][0]} {said[level][1]}" for level in levels]
        expect(still.locator(".whole-lens")).to_have_text(lenses)


@pytest.mark.parametrize(
    ("layer", "place", "off"), [(0, 5, []), (1, 5, []), (1, 12, ["1.1"]), (0, 12, [])]
)
def test_a_patched_drawing_has_the_numbers_of_torch(
    still: Locator, layer: int, place: int, off: list[str]
) -> None:
    put(still, patch=f"{layer}.{place}", off=" ".join(off))
    found = still.evaluate("({drawn}) => Array.from(drawn.now.streams.at(-1).at(-1))")
    plain, donor = traced(MUDDY, {*off}), traced(TEXTS[1], {*off})
    patch = (layer, place, donor.levels[2 * layer, place])
    assert close(found, traced(MUDDY, {*off}, patch).levels[-1, -1])
    level = still.evaluate("({drawn}) => drawn.levels.map((all) => all.map((it) => it.changed))")
    assert not torch.tensor(level[: 2 * layer]).any(), "nothing is coloured before the patch"
    share = changed(donor.levels, plain.levels)[2 * layer, place]
    assert level[2 * layer][place] == pytest.approx(share.item(), abs=1e-10)


@pytest.mark.parametrize(
    ("text", "off", "says"),
    [
        ("muddy", "", ["“of” takes 96 % from “muddy”", "“of” looks at the start and “is”"]),
        ("rich", "", ["“of” takes 93 % from “rich”", "“of” takes 74 % from itself"]),
        ("muddy", "0.1", ["“of” looks at “the”", "“of” looks at the start and “duck”"]),
        ("muddy", "0.0 0.1 1.1", ["“of” looks at no word", "“of” looks at “the”"]),
    ],
)
def test_a_block_says_what_it_brings_with_what_is_on(
    still: Locator, text: str, off: str, says: list[str]
) -> None:
    put(still, text=text, off=off)
    expect(still.locator(".whole-block small")).to_have_text(says)
    assert [block_tells(draw(text, off=off), layer) for layer in (0, 1)] == says


def test_every_word_that_can_be_swapped_is_known(shown: Locator) -> None:
    course = shown.page.evaluate(
        "async () => (await import(new URL('/assets/model_explorer/words.js', location))).default"
    )
    kinds, pairs = (
        {word for group in course[name] for word in group} for name in ("kinds", "pairs")
    )
    assert kinds == pairs
    assert kinds <= {*ID}


# ---- in the picture of the build -----------------------------------------------------------------


@pytest.mark.parametrize("off", OFF)
@pytest.mark.parametrize("text", [MUDDY, " ".join(TEST[0].words[1:])])
def test_it_computes_what_torch_does(text: str, off: str) -> None:
    run, expected = read_text(["<", *text.split()], {*off.split()}), traced(text, {*off.split()})
    assert (torch.tensor(run.levels, dtype=torch.double) - expected.levels).abs().max() < 1e-10
    for layer, trace in zip(run.layers, expected.traces, strict=True):
        for h, head in enumerate(layer):
            for row, weights in zip(head.weights, trace.weights[0, h], strict=True):
                assert row == pytest.approx(weights[: len(row)].tolist(), abs=1e-10)
            assert (
                torch.tensor(head.value, dtype=torch.double) - trace.value[0, h]
            ).abs().max() < 1e-10
    assert vocabulary() == list(ID)
    assert shares(run.levels[-1][-1]) == pytest.approx(expected.shares(-1, -1).tolist(), abs=1e-10)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"text": "the dog"}, "does not know dog"),
        ({"open": "2"}, "no part 2"),
        ({"off": "0.plus"}, "no part 0.plus"),
        ({"at": "13"}, "no such place"),
        ({"patch": "2.5"}, "nothing to put in at 2.5"),
        ({"patch": "1.13"}, "nothing to put in at 1.13"),
        ({"colour": "red"}, "no use for colour"),
    ],
)
def test_what_it_cannot_draw_is_refused(options: dict[str, str], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        whole(options)
