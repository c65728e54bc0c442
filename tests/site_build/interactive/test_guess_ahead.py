"""A draft and a model in the browser, held to the page: the steps, the words, and the dice."""

from typing import Any

import pytest
import torch
from playwright.sync_api import Page

from tests.site_build.run_page import names_of
from tiny_lm.stories import WORDS

BEGIN = """
  const folder = new URL("/assets/interactive/guess-ahead/", location)
  const { guessAhead, nextWords, readerOf } = await import(new URL("ahead.js", folder))
  const { load } = await import(new URL("/assets/tiny_lm/read.js", location))
  const { randomNumbers } = await import(new URL("/assets/tiny_lm/random.js", location))
  const model = await load()
  const { words } = model
  const { stories } = await (await fetch(new URL("/assets/tiny_lm/world.json", location))).json()
  const told = stories.filter(({ isKeptBack }) => !isKeptBack)
  const draft = (last) => ({ table: nextWords(told, last), last, words })
  const reader = readerOf(model)
  const begin = (text) => ["<", ...text.split(" ")].map((word) => words.indexOf(word))
  const options = { most: model.length, stop: words.indexOf(".") }
"""
TELL = f"""async ([texts, aheads]) => {{{BEGIN}
  return texts.flatMap((text) => [1, 2, 3].flatMap((last) => aheads.map((ahead) =>
    guessAhead(reader, draft(last), begin(text), {{ ...options, ahead }}).map(
      ({{ guesses, kept, own }}) => [guesses.map(({{ id }}) => words[id]), kept, words[own]]))))
}}"""
DRAW = f"""async ([text, count]) => {{{BEGIN}
  const counts = Object.fromEntries(words.map((word) => [word, 0]))
  let kept = 0
  const two = draft(2)
  for (let seed = 1; seed <= count; seed++) {{
    const dice = randomNumbers(seed)
    const most = begin(text).length + 1
    const [step] = guessAhead(reader, two, begin(text), {{ ...options, most, ahead: 1, dice }})
    kept += step.kept
    counts[words[step.kept ? step.guesses[0].id : step.own]]++
  }}
  return [counts, kept]
}}"""
AHEAD = [0, 1, 2, 4, 8]


@pytest.fixture(scope="module")
def lesson() -> dict[str, Any]:
    """Return what the code of the page leaves behind."""
    return names_of("steps/guess-ahead.md")


def test_both_guess_keep_and_write_the_same_words(
    address: str, page: Page, lesson: dict[str, Any]
) -> None:
    starts = ["the thief likes the rich", "the duck likes the rich bank . the", "the duck"]
    starts += sorted(lesson["starts"])[::16]
    page.goto(address)
    found = iter(page.evaluate(TELL, [starts, AHEAD]))
    for start in starts:
        story, begun = lesson["greedy"](start).split(), len(start.split())
        for last in [1, 2, 3]:
            for ahead in AHEAD:
                place = begun
                for guesses, kept, own in next(found):
                    assert guesses == lesson["draft"](story[:place], ahead, last)
                    assert [*guesses[:kept], own] == story[place : place + kept + 1]
                    place += kept + 1
                assert place == len(story)


def test_a_drawn_word_is_as_frequent_as_the_model_says(
    address: str, page: Page, lesson: dict[str, Any]
) -> None:
    text, count = "the duck likes the rich bank . the", 20_000
    page.goto(address)
    counts, kept = page.evaluate(DRAW, [text, count])
    p = lesson["model"](lesson["encode"](text))[0, -1].softmax(-1)
    q = lesson["draft_shares"](text.split())
    found = torch.tensor([counts[word] for word in WORDS]) / count
    torch.testing.assert_close(found, p, atol=0.01, rtol=0)  # three times its spread
    assert kept / count == pytest.approx(torch.minimum(p, q).sum().item(), abs=0.01)
