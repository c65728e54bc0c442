"""The numbers of the drawing, which are the oracle's, and the page without a script."""

import re
from collections.abc import Iterator
from math import dist, hypot
from pathlib import Path
from typing import Any

import pytest
import torch
from playwright.sync_api import Browser, Locator, expect

from site_build.model_explorer import DRAWN
from tests.site_build.model_explorer.drawing import DUCK, PAGE, RICH, TEXTS, opened, put
from tests.tiny_lm import oracle
from tiny_lm.stories import ALL, ID, WORDS

DRAWING = re.compile("<whole-model.*?</whole-model>", re.DOTALL)


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
    put(shown, **dict.fromkeys(("off", "open", "patch", "at"), ""), text="rich")
    return shown


# ---- in the browser ------------------------------------------------------------------------------

# The shares after some texts.
SHARES = """async (texts) => {
  const {load, read, softmax, unembed} = await import(new URL("/assets/tiny_lm/read.js", location))
  const model = await load()
  const ids = (text) => ["<", ...text.split(" ")].map((word) => model.words.indexOf(word))
  return texts.map((text) =>
    read(model, ids(text)).streams.at(-1).map((x) => [...softmax(unembed(model, x))]))
}"""


def test_it_says_the_same_as_the_oracle_in_stories_of_every_kind(shown: Locator) -> None:
    texts = [" ".join(story.words[1:]) for story in ALL[::29]]
    for text, found in zip(texts, shown.page.evaluate(SHARES, texts), strict=True):
        expected = oracle.read(text)
        for place, shares in enumerate(found):
            assert shares == pytest.approx(expected.shares(at=place), abs=1e-12)


# What the page computes on the way, as numbers in lists.
INSIDE = """async ([text, off]) => {
  const {load, read} = await import(new URL("/assets/tiny_lm/read.js", location))
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
    [(RICH, []), (TEXTS[1], ["1.1"]), (DUCK, ["0.0", "1.1"]), (RICH, ["0.mlp"])],
    ids=str,
)
def test_what_the_page_computes_on_the_way_is_what_the_oracle_computes(
    shown: Locator, text: str, off: list[str]
) -> None:
    found, expected = shown.page.evaluate(INSIDE, [text, off]), oracle.read(text, {*off})
    assert close(found["levels"], expected.levels)
    assert close(found["hidden"], expected.hidden)
    for layer, heads in zip(found["heads"], expected.heads, strict=True):
        for head, there in zip(layer, heads, strict=True):
            for name in ("query", "key", "value", "context", "note"):
                assert close(head[name], getattr(there, name)), name
            for name in ("scores", "weights"):
                for row, expected_row in zip(head[name], getattr(there, name), strict=True):
                    assert close(row, expected_row), name


def close(found: Any, expected: Any) -> bool:
    one, other = (torch.tensor(each, dtype=torch.double) for each in (found, expected))
    assert one.shape == other.shape
    return bool((one - other).abs().max() < 1e-10)


@pytest.mark.parametrize("off", ["", "1.1"])
def test_opened_parts_have_the_numbers_of_the_oracle(still: Locator, off: str) -> None:
    now = oracle.read(RICH, {*off.split()})
    put(still, open="1.1", off=off)
    expect(still.locator("[data-score]")).not_to_have_count(0)
    found = still.locator("[data-score]").evaluate_all("all => all.map(it => +it.dataset.score)")
    assert found == pytest.approx(now.heads[1][1].scores[-1], abs=1e-10)
    put(still, open="answer")
    shares = sorted(now.shares(), reverse=True)
    expect(still.locator("[data-share]")).to_have_count(len(shares))  # its script may come first
    found = still.locator("[data-share]").evaluate_all("all => all.map(it => +it.dataset.share)")
    assert found == pytest.approx(shares, abs=1e-10)
    best = [max(zip(now.shares(level), WORDS, strict=True)) for level in range(5)]
    said = [(word, f"{100 * share:.0f} %") for share, word in best]
    for layer in (0, 1):
        put(still, open=f"{layer}.plus")
        levels = sorted({2, 4, 2 * layer + 1})  # behind each round, and in the middle of this one
        lenses = [f"so far: {said[level][0]} {said[level][1]}" for level in levels]
        expect(still.locator(".whole-lens")).to_have_text(lenses)


@pytest.mark.parametrize(
    ("layer", "place", "off"), [(0, 6, []), (1, 6, []), (1, 13, ["1.1"]), (0, 13, [])]
)
def test_a_patched_drawing_has_the_numbers_of_the_oracle(
    still: Locator, layer: int, place: int, off: list[str]
) -> None:
    put(still, patch=f"{layer}.{place}", off=" ".join(off))
    found = still.evaluate("({drawn}) => Array.from(drawn.now.streams.at(-1).at(-1))")
    plain, donor = (oracle.read(text, {*off}).levels[2 * layer][place] for text in TEXTS[:2])
    patched = oracle.read(RICH, {*off}, (layer, place, donor))
    assert close(found, patched.levels[-1][-1])
    level = still.evaluate("({drawn}) => drawn.levels.map((all) => all.map((it) => it.changed))")
    assert not torch.tensor(level[: 2 * layer]).any(), "nothing is coloured before the patch"
    share = min(1, dist(donor, plain) / hypot(*donor))
    assert level[2 * layer][place] == pytest.approx(share, abs=1e-10)


@pytest.mark.parametrize(
    ("text", "off", "says"),
    [
        ("rich", "", ["“of” looks at “bank” and “is”", "“of” takes 97 % from “rich”"]),
        ("muddy", "", ["“of” looks at “bank” and “is”", "“of” takes 95 % from “muddy”"]),
        ("rich", "1.1", ["“of” looks at “bank” and “is”", "“of” looks at “likes”"]),
        ("rich", "0.0 0.1 1.1", ["“of” looks at no word", "“of” looks at “rich”"]),
    ],
)
def test_a_block_says_what_it_brings_with_what_is_on(
    still: Locator, text: str, off: str, says: list[str]
) -> None:
    put(still, text=text, off=off)
    expect(still.locator(".whole-block small")).to_have_text(says)


def test_every_word_that_can_be_swapped_is_known(shown: Locator) -> None:
    course = shown.page.evaluate(
        "async () => (await import(new URL('/assets/model_explorer/words.js', location))).default"
    )
    kinds, pairs = (
        {word for group in course[name] for word in group} for name in ("kinds", "pairs")
    )
    assert kinds == pairs
    assert kinds <= {*ID}


# ---- in the page without a script ---------------------------------------------------------------

REFUSED = """async (options) => {
  const {still} = await import(new URL("/assets/model_explorer/still.js", location))
  return await still(options).catch((error) => error.message)
}"""


@pytest.mark.parametrize(
    "options",
    [
        {"text": "the dog"},
        {"open": "2"},
        {"off": "0.plus"},
        {"at": "14"},
        {"follow": "0"},
        {"patch": "2.5"},
        {"patch": "1.14"},
        {"colour": "red"},
    ],
    ids=str,
)
def test_what_it_cannot_draw_is_refused(shown: Locator, options: dict[str, str]) -> None:
    ((name, value),) = options.items()
    refused = shown.page.evaluate(REFUSED, options)
    assert refused == f'no drawing of the model has {name}="{value}"'


def test_every_drawing_that_is_kept_is_shown(site: Path) -> None:
    pages = "".join(page.read_text("utf-8") for page in site.rglob("*.html"))
    shown = {re.sub("<i id=[^>]*></i>", "", each) for each in DRAWING.findall(pages)}
    kept = {path.read_text("utf-8").strip() for path in DRAWN.glob("*.html")}
    assert kept <= shown
