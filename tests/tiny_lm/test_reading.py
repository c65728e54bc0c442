"""What the browser computes where a model reads is what the oracle computes."""

from typing import Any

import pytest
import torch
from playwright.sync_api import Page

from tests.tiny_lm import oracle
from tiny_lm.recipe import RECIPE
from tiny_lm.stories import ALL

RICH, DUCK = RECIPE.texts[1], RECIPE.texts[3]
MUDDY = RICH.replace("rich", "muddy")
READ = """const {load, read, softmax, unembed} =
    await import(new URL("/assets/tiny_lm/read.js", location))
  const model = await load()
  const ids = (text) => ["<", ...text.split(" ")].map((word) => model.words.indexOf(word))"""
SHARES = f"""async (texts) => {{
  {READ}
  return texts.map((text) =>
    read(model, ids(text)).streams.at(-1).map((x) => [...softmax(unembed(model, x))]))
}}"""
# What is computed on the way, as numbers in lists. A patch is taken from another text.
INSIDE = f"""async ([text, off, patch]) => {{
  {READ}
  const changes = {{off: new Set(off)}}
  if (patch) {{
    const [layer, place, donor] = patch
    changes.patch = {{layer, place, x: read(model, ids(donor)).streams[layer][place]}}
  }}
  const run = read(model, ids(text), changes)
  const plain = (x) => x.length === undefined ? x : Array.from(x, plain)
  return {{
    levels: plain([
      ...run.layers.flatMap(({{mid}}, l) => [run.streams[l], mid]), run.streams.at(-1)]),
    heads: run.layers.map(({{heads}}) => heads.map((head) =>
      Object.fromEntries(Object.entries(head).map(([name, x]) => [name, plain(x)])))),
    hidden: plain(run.layers.map(({{hidden}}) => hidden)),
  }}
}}"""


def close(found: Any, expected: Any) -> bool:
    one, other = (torch.tensor(each, dtype=torch.double) for each in (found, expected))
    assert one.shape == other.shape
    return bool((one - other).abs().max() < 1e-10)


def test_the_shares_after_each_word_of_stories_of_every_kind(tab: Page) -> None:
    texts = [" ".join(story.words[1:]) for story in ALL[::29]]
    for text, found in zip(texts, tab.evaluate(SHARES, texts), strict=True):
        expected = oracle.read(text)
        for place, shares in enumerate(found):
            assert shares == pytest.approx(expected.shares(at=place), abs=1e-12)


@pytest.mark.parametrize(
    ("text", "off", "patch"),
    [
        (RICH, [], None),
        (MUDDY, ["1.1"], None),
        (DUCK, ["0.0", "1.1"], None),
        (RICH, ["0.mlp"], None),
        (RICH, [], (0, 6)),
        (RICH, [], (1, 6)),
        (RICH, ["1.1"], (1, 13)),
    ],
    ids=str,
)
def test_all_numbers_on_the_way(
    tab: Page, text: str, off: list[str], patch: tuple[int, int] | None
) -> None:
    found = tab.evaluate(INSIDE, [text, off, patch and [*patch, MUDDY]])
    donor = patch and (*patch, oracle.read(MUDDY).levels[2 * patch[0]][patch[1]])
    expected = oracle.read(text, {*off}, donor)
    assert close(found["levels"], expected.levels)
    assert close(found["hidden"], expected.hidden)
    for layer, heads in zip(found["heads"], expected.heads, strict=True):
        for head, there in zip(layer, heads, strict=True):
            assert close(head["note"], there.note)
            for row, expected_row in zip(head["weights"], there.weights, strict=True):
                assert close(row, expected_row)
