"""The toy: its numbers are those of the package, of its pages and of the pictures of the build."""

import itertools
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from playwright.sync_api import Browser, Page
from torch import Tensor

from attention_steps import trace_attention
from site_build.toy import toy
from site_build.toy.picture import sent
from site_build.toy.words import Sentence, course
from tests.site_build.run_page import names_of

VECTORS: dict[str, list[float]] = course()["words"]
SENTENCES = [
    list(words)
    for template in course()["templates"]
    for words in itertools.product(*(course()["slots"][slot] for slot in template))
]
STEPS = [
    "padding-masks",
    "cross-attention",
]
DOOR = "toy/the-duck-likes-the-muddy-bank/"  # has the toy without a step
TOY_PAGES = [DOOR, *(f"steps/{page}/" for page in STEPS)]
MUDDY = "the duck likes the muddy bank"


def tensor(rows: Any) -> Tensor:
    return torch.tensor(rows, dtype=torch.float64)


def vectors(words: list[str]) -> list[list[float]]:
    return [VECTORS[word] for word in words]


@pytest.fixture(scope="module")
def tab(address: str, browser: Browser) -> Iterator[Page]:
    """Return a tab that runs the toy's modules, without a page around them."""
    page = browser.new_page()
    page.goto(f"{address}robots.txt")
    yield page
    page.close()


def test_the_vectors_are_those_of_the_first_step() -> None:
    for word, vector in names_of("steps/queries-keys-and-values.md")["embedding"].items():
        assert VECTORS[word] == [*vector, 0]
    assert (len(VECTORS), len(SENTENCES)) == (27, 795)
    assert set(VECTORS) == {word for words in course()["slots"].values() for word in words}
    assert all(sentence.words in SENTENCES for sentence in sent())


def meant(sentence: Sentence) -> str:
    """Return what a reader understands: by the adjective or object, the verb, the subject."""
    sides = [row[sentence.poles[1]] - row[sentence.poles[0]] for row in sentence.vectors]
    subject, verb, last = sides[1], sides[2], sides[4] if sentence.asks == 5 else sides[3]
    if last * verb < 0:
        return "a reader wonders"
    side = last or verb or (subject if sentence.asks == 5 else 0)
    return "left" if side < 0 else "right" if side > 0 else "no word says"


def test_how_often_the_toy_agrees_with_a_reader() -> None:
    """It never says the opposite, but it does not know where a word stands."""
    said: Counter[tuple[str, str]] = Counter()
    for words in SENTENCES:
        sentence = Sentence(" ".join(words))
        left, right = sentence.pull
        side = "right" if right > left else "left"
        said[meant(sentence), side if abs(right - left) >= 0.5 else "undecided"] += 1
    assert said["left", "left"] + said["right", "right"] == 574
    assert said["left", "undecided"] + said["right", "undecided"] == 36
    assert not said["left", "right"] + said["right", "left"]
    assert Sentence("the muddy duck likes the rich bank").verdict == "A bank by the water."


def test_every_sentence_has_the_numbers_of_the_package_and_the_verdict_of_the_build(
    tab: Page,
) -> None:
    browser = tab.evaluate(
        """async (sentences) => {
          const { attend } = await import("/assets/toy/attention.js");
          const { aloud, verdict, vectorOf } = await import("/assets/toy/sentence.js");
          return sentences.map((words) => words.map((word, asks) => {
            const rows = words.map(vectorOf);
            const result = attend(rows[asks], rows, rows);
            const [said, now] = [aloud, verdict].map((say) => say({ words, asks }, result));
            return { ...result, said, verdict: now };
          }));
        }""",
        SENTENCES,
    )
    for words, results in zip(SENTENCES, browser, strict=True):
        inputs = tensor(vectors(words))
        trace = trace_attention(inputs, inputs, inputs, scale=1.0)
        expected = {"scores": trace.scores, "shares": trace.weights, "context": trace.context}
        for name, rows in expected.items():
            actual = tensor([result[name] for result in results])
            torch.testing.assert_close(actual, rows, atol=1e-12, rtol=0, msg=" ".join(words))
        for asks, (shares, result) in enumerate(zip(trace.weights, results, strict=True)):
            assert_heard(words, asks, shares.tolist(), f"{result['said']} {result['verdict']}")
        sentence = Sentence(" ".join(words))
        assert sentence.verdict == results[sentence.asks]["verdict"], words
        assert sentence.shares == pytest.approx(results[sentence.asks]["shares"])


def assert_heard(words: list[str], asks: int, shares: list[float], said: str) -> None:
    """Assert that a screen reader says how much a word takes from which words."""
    names = [f"“{word}”" if at != asks else "itself" for at, word in enumerate(words)]
    takes = sorted(
        f"{s:.2f} from {name}" for name, s in zip(names, shares, strict=True) if s >= 0.05
    )
    assert said.startswith(f"{' '.join(words)}. “{words[asks]}” takes ")
    assert sorted(re.findall(r"[01]\.\d\d from (?:itself|“\w+”)", said)) == takes
    most = re.search(r"takes most from (.*)\.$", said)
    assert most is None or most[1] in [
        n for n, s in zip(names, shares, strict=True) if s > max(shares) - 1e-9
    ]


def expected_of(step: str, words: list[str], asks: int, given: dict[str, Any]) -> list[Tensor]:
    """Compute the shares of each head of a step by the package."""
    inputs = tensor(vectors(words))
    query = key = inputs
    mask = None
    if step == "padding-masks":
        key = torch.cat([inputs, torch.zeros(given["blanks"], 5, dtype=torch.float64)])
        mask = torch.ones(len(inputs), len(key), dtype=torch.bool)
        mask[:, len(inputs) :] = not given["hide"]
    weights = trace_attention(query, key, key, mask, scale=1.0).weights[asks]
    n = len(inputs)
    return [torch.cat([weights[:n], weights[n:].sum()[None]]) if len(key) > n else weights]


@pytest.mark.parametrize(
    ("step", "settings"),
    [
        ("padding-masks", [{"blanks": b, "hide": h} for b in (1, 16) for h in (False, True)]),
    ],
)
def test_a_step_has_the_shares_of_the_package(
    tab: Page, step: str, settings: list[dict[str, Any]]
) -> None:
    sentences = [MUDDY, "the banker pays the rich bank", "the bank likes money"]
    asked = [
        (sentence.split(), asks, given)
        for sentence, given in itertools.product(sentences, settings)
        for asks in range(len(sentence.split()))
    ]
    found = tab.evaluate(
        """async ([step, asked]) => {
          const { default: lesson } = await import(`/assets/toy/steps/${step}.js`);
          return asked.map(([rows, asks, given]) =>
            lesson.heads.map((head) => head.attend(rows, asks, given).shares));
        }""",
        [step, [(vectors(words), asks, given) for words, asks, given in asked]],
    )
    for (words, asks, given), heads in zip(asked, found, strict=True):
        for shares, expected in zip(heads, expected_of(step, words, asks, given), strict=True):
            torch.testing.assert_close(tensor(shares), expected, atol=1e-6, rtol=0)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"heads": "2"}, "no use for heads"),
        ({"step": "99"}, 'no step "99"'),
        ({"sentence": "the unicorn"}, "does not know unicorn"),
    ],
)
def test_a_fence_refuses_what_the_toy_does_not_know(
    options: dict[str, str], complaint: str
) -> None:
    with pytest.raises(ValueError, match=complaint):
        toy("Try it.", options)
