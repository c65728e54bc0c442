"""The toy: its numbers are those of the package, and a reader can play with it in every way."""

import itertools
import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from PIL import Image
from playwright.sync_api import Browser, Locator, Page, Route, ViewportSize, expect
from torch import Tensor

from attention_steps import causal_mask, trace_attention
from site_build.toy import toy
from site_build.toy.pages import slug_of
from site_build.toy.picture import sent
from site_build.toy.words import SOURCE, Sentence, course
from tests.site_build.run_page import names_of

VECTORS: dict[str, list[float]] = course()["words"]
SENTENCES = [
    list(words)
    for template in course()["templates"]
    for words in itertools.product(*(course()["slots"][slot] for slot in template))
]
STEPS = [
    "scores",
    "weights",
    "context-vectors",
    "queries-keys-and-values",
    "why-divide-by-the-square-root",
    "causal-masks",
    "padding-masks",
    "multi-head-attention",
    "cross-attention",
    "where-is-position",
    "a-head-that-was-trained",
]
HEAD = "steps/a-head-that-was-trained/"
DOOR = "ten-minutes/"  # has the toy without a step, and its film
TOY_PAGES = [DOOR, *(f"steps/{page}/" for page in STEPS)]
ALONE = "toy/the-cat-likes-the-muddy-bank/"  # below the title, as a link to a sentence opens it
MUDDY = "the duck likes the muddy bank"
HOME = "the cat likes the muddy bank"
PHONE: ViewportSize = {"width": 390, "height": 664}


def tensor(rows: Any) -> Tensor:
    return torch.tensor(rows, dtype=torch.float64)


def vectors(sentence: str | list[str]) -> list[list[float]]:
    words = sentence.split() if isinstance(sentence, str) else sentence
    return [VECTORS[word] for word in words]


# ---- its numbers -----------------------------------------------------------------------------


def test_the_vectors_are_those_of_the_pages() -> None:
    page = "guides/how-often-the-toy-is-right.md"
    ours = names_of(page)["embedding"]
    others = {word for word in {*ours, *VECTORS} if ours.get(word) != VECTORS.get(word)}
    assert not others, f"not alike in words.js and in embedding of {page}: {others}"
    for word, vector in names_of("steps/tokens-become-vectors.md")["embedding"].items():
        assert VECTORS[word] == [*vector, 0]
    for slot in ("subject", "verb", "adjective", "object"):
        words = " ".join(course()["slots"][slot])
        assert names_of(page)[f"{slot}s"] == words.split(), f"write in {page}: {slot}s = {words!r}"
    counts = len(VECTORS), len(SENTENCES)
    assert counts == (27, 795), f"write {counts} here, and say them in the sentences of {page}"
    assert set(VECTORS) == {word for words in course()["slots"].values() for word in words}, (
        "a word of words.js belongs into one of its slots"
    )
    # What the words of two meanings mean: the browser and the build read one file.
    assert course()["meanings"] == {
        "bank": {"money": "A bank full of money.", "water": "A bank by the water."},
        "note": {"money": "A note to pay with.", "music": "A note to sing."},
        "bass": {"music": "A bass that you hear.", "water": "A bass that swims."},
    }
    assert all(sentence.words in SENTENCES for sentence in sent())


def test_every_sentence_has_the_numbers_of_the_package(address: str, page: Page) -> None:
    page.goto(address + DOOR)
    browser = page.evaluate(
        """async (sentences) => {
          const { attend } = await import("/assets/toy/attention.js");
          const { aloud, verdict, vectorOf } = await import("/assets/toy/sentence.js");
          return sentences.map((words) => words.map((word, asks) => {
            const rows = words.map(vectorOf);
            const result = attend(rows[asks], rows, rows);
            const said = [aloud, verdict].map((say) => say({ words, asks }, result)).join(" ");
            return { ...result, said };
          }));
        }""",
        SENTENCES,
    )
    for words, results in zip(SENTENCES, browser, strict=True):
        inputs = tensor(vectors(words))
        trace = trace_attention(inputs, inputs, inputs, scale=1.0)
        for name, expected in {"scores": trace.scores, "shares": trace.weights}.items():
            actual = tensor([result[name] for result in results])
            torch.testing.assert_close(actual, expected, atol=1e-12, rtol=0, msg=" ".join(words))
        actual = tensor([result["context"] for result in results])
        torch.testing.assert_close(actual, trace.context, atol=1e-12, rtol=0)
        for asks, (shares, result) in enumerate(zip(trace.weights, results, strict=True)):
            assert_heard(words, asks, shares.tolist(), result["said"])


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


def test_the_pictures_of_the_build_say_what_the_browser_says(address: str, page: Page) -> None:
    page.goto(address + DOOR)
    said = page.evaluate(
        """async (sentences) => {
          const { ambiguousAt, verdict, vectorOf } = await import("/assets/toy/sentence.js");
          const { attend } = await import("/assets/toy/attention.js");
          return sentences.map((words) => {
            const [rows, asks] = [words.map(vectorOf), ambiguousAt(words)];
            const result = attend(rows[asks], rows, rows);
            return [verdict({ words, asks }, result), result.shares];
          });
        }""",
        SENTENCES,
    )
    for words, (verdict, shares) in zip(SENTENCES, said, strict=True):
        sentence = Sentence(" ".join(words))
        assert sentence.verdict == verdict, words
        assert sentence.shares == pytest.approx(shares)


def by_the_questions(inputs: Tensor, head: str = "both") -> tuple[Tensor, Tensor]:
    """Return queries and keys by the matrices that the pages print, for words without music."""
    page = names_of(
        f"steps/{'queries-keys-and-values' if head == 'both' else 'multi-head-attention'}.md"
    )
    query, key = (page[name][1] if head == "who" else page[name] for name in ("W_query", "W_key"))
    return inputs[:, :4] @ query.double().T, inputs[:, :4] @ key.double().T


def expected_of(step: str, sentence: str, asks: int, given: dict[str, Any]) -> list[Tensor]:
    """Compute the shares of each head of a step by the package."""
    inputs = tensor(vectors(sentence))
    query = key = inputs
    mask, scale = None, 1.0
    if step == "weights":
        scores = inputs @ inputs[asks]
        return [scores / scores.sum()]
    if step == "queries-keys-and-values":  # both products as one: what is asked twice is joined
        who, kind = by_the_questions(inputs)[0][:, :1], inputs[:, 3:4]
        query = torch.cat([given["alike"] * inputs, given["kind"] * who], dim=1)
        key = torch.cat([inputs, kind], dim=1)
    if step == "why-divide-by-the-square-root":
        query, key = by_the_questions(inputs)
        query = query if given["divide"] else given["times"] * query
        scale = None if given["divide"] else 1.0  # type: ignore[assignment]
    if step == "causal-masks" and given["hide"]:
        mask = causal_mask(len(inputs))
    if step == "padding-masks":
        key = torch.cat([inputs, torch.zeros(given["blanks"], 5, dtype=torch.float64)])
        mask = torch.ones(len(inputs), len(key), dtype=torch.bool)
        mask[:, len(inputs) :] = not given["hide"]
    if step == "multi-head-attention":
        pairs = [by_the_questions(inputs), by_the_questions(inputs, "who")]
        return [trace_attention(*pair, inputs).weights[asks] for pair in pairs]
    weights = trace_attention(query, key, key, mask, scale=scale).weights[asks]
    n = len(inputs)
    return [torch.cat([weights[:n], weights[n:].sum()[None]]) if len(key) > n else weights]


@pytest.mark.parametrize(
    ("step", "settings"),
    [
        ("weights", [{"way": "plain"}]),
        (
            "queries-keys-and-values",
            [{"alike": a, "kind": k} for a, k in [(1, 0), (1, 0.1), (0.5, 0.5), (0, 1)]],
        ),
        (
            "why-divide-by-the-square-root",
            [{"times": t, "divide": d} for t in (1, 2, 4) for d in (False, True)],
        ),
        ("causal-masks", [{"hide": True}, {"hide": False}]),
        ("padding-masks", [{"blanks": b, "hide": h} for b in (1, 16) for h in (False, True)]),
        ("multi-head-attention", [{}]),
    ],
)
def test_a_step_has_the_shares_of_the_package(
    address: str, page: Page, step: str, settings: list[dict[str, Any]]
) -> None:
    page.goto(address + DOOR)
    sentences = [MUDDY, "the banker pays the rich bank", "the bank likes money"]
    asked = [
        (sentence, asks, given)
        for sentence, given in itertools.product(sentences, settings)
        for asks in range(len(sentence.split()))
    ]
    found = page.evaluate(
        """async ([step, asked]) => {
          const { default: lesson } = await import(`/assets/toy/steps/${step}.js`);
          return asked.map(([rows, asks, given]) =>
            lesson.heads.map((head) => head.attend(rows, asks, given).shares));
        }""",
        [step, [(vectors(sentence), asks, given) for sentence, asks, given in asked]],
    )
    for (sentence, asks, given), heads in zip(asked, found, strict=True):
        for shares, expected in zip(heads, expected_of(step, sentence, asks, given), strict=True):
            torch.testing.assert_close(tensor(shares), expected, atol=1e-6, rtol=0)


# ---- the head that was trained ----------------------------------------------------------------

HEAD_WORDS = SOURCE.parent / "steps" / "head-words.js"


def numbers_of_head() -> dict[str, list[list[float]]]:
    """Return what the trained model of the page makes of each word, as the toy has it."""
    page = names_of("steps/a-head-that-was-trained.md")
    model = page["model"]
    with torch.no_grad():
        words = model.embedding.weight
        told = model.query_2(model.out_1(model.value_1(words)))
        pairs = [model.query_1(words), model.key_1(words), told]
        pairs += [model.query_2(words), model.key_2(words)]
        rows = torch.stack(pairs, dim=1)
    return dict(zip(page["VOCABULARY"], rows.tolist(), strict=True))


@pytest.mark.slow
def test_the_toy_has_the_numbers_that_the_page_trains(request: pytest.FixtureRequest) -> None:
    expected = numbers_of_head()
    head, start, found = HEAD_WORDS.read_text("utf-8").partition("export default ")
    if request.config.getoption("--update-outputs"):
        rounded = {
            word: [[round(x, 4) for x in pair] for pair in pairs]
            for word, pairs in expected.items()
        }
        lines = [f"  {json.dumps(word)}: {json.dumps(pairs)}" for word, pairs in rounded.items()]
        found = "{\n" + ",\n".join(lines) + "\n}\n"
        HEAD_WORDS.write_text(head + start + found, "utf-8")
    numbers = json.loads(found)
    assert list(numbers) == list(expected)
    torch.testing.assert_close(
        tensor(list(numbers.values())), tensor(list(expected.values())), atol=2e-4, rtol=0
    )


def of_head(page: Page, sentences: list[list[str]], given: dict[str, Any]) -> list[list[Any]]:
    """Return the query and the shares that the browser has for each word of each sentence."""
    results = page.evaluate(
        """async ([sentences, given]) => {
          const { default: lesson } =
            await import("/assets/toy/steps/a-head-that-was-trained.js");
          const [head] = lesson.heads;
          const ask = (words) => words.map((_, asks) => head.attend([], asks, given, words));
          // As text: Playwright takes many times as long to hand over this many objects.
          return JSON.stringify(sentences.map(ask), ["query", "shares"]);
        }""",
        [sentences, given],
    )
    found: list[list[Any]] = json.loads(results)
    return found


@pytest.mark.parametrize("is_out", [False, True])
def test_every_sentence_has_the_shares_of_the_trained_head(
    address: str, page: Page, is_out: bool
) -> None:
    names = names_of("steps/a-head-that-was-trained.md")
    model, vocabulary = names["model"], names["VOCABULARY"]
    ids = names["ids"]
    sentences = [[vocabulary[i] for i in row] for row in ids.tolist()]
    page.goto(address + DOOR)
    browser = of_head(page, sentences, {"out": is_out})
    if is_out:
        ids = ids[:, :-1]
    with torch.no_grad():
        words = model.embedding(ids)
        scores = model.query_1(words) @ model.key_1(words).mT / 2**0.5
        told = words + model.out_1(torch.softmax(scores, dim=-1) @ model.value_1(words))
        query, key = model.query_2(told), model.key_2(words)
        expected = torch.softmax(query @ key.mT / 2**0.5, dim=-1)
        assert torch.allclose(model(ids)[0], expected[:, 7])
    length = ids.shape[1]  # what is left out does not ask, either
    queries = tensor([[each["query"] for each in results[:length]] for results in browser])
    shares = tensor([[each["shares"] for each in results[:length]] for results in browser])
    # The toy rounds queries and keys to two digits, as the page does.
    torch.testing.assert_close(queries, query, atol=0.006, rtol=0)
    torch.testing.assert_close(shares[..., :length], expected, atol=0.01, rtol=0)
    assert not shares[..., length:].any()
    for row, adjective in enumerate(["tired", "wide"] if not is_out else []):
        words_of_page = f"the animal didn't cross the street because it was too {adjective}"
        [[*_, it, _, _, _]] = of_head(page, [words_of_page.split()], {})
        torch.testing.assert_close(
            tensor(it["shares"]), names["both"][row].double(), atol=1e-6, rtol=0
        )


# ---- what a reader does ----------------------------------------------------------------------


@pytest.fixture
def page(page: Page) -> Iterator[Page]:
    """Return a tab whose console must stay quiet."""
    found: list[str] = []
    page.on("pageerror", lambda error: found.append(str(error)))
    page.on("console", lambda message: found.append(message.text))
    yield page
    assert found == []


def visit(page: Page, address: str) -> Locator:
    """Open a page, and return its toy, which is fetched when it is near the screen."""
    page.goto("about:blank")
    page.goto(address)
    page.locator("attention-toy").evaluate("toy => toy.scrollIntoView()")
    page.locator("attention-toy.live .toy-tray button").first.wait_for()
    return page.locator("attention-toy")


def words(toy: Locator) -> str:
    spans = toy.locator(".toy-stage").first.locator(".toy-words button > span")
    return " ".join(spans.all_inner_texts())


def chip(toy: Locator, text: str) -> Locator:
    return toy.locator(".toy-tray").get_by_role("button", name=text, exact=True)


def word(toy: Locator, at: int) -> Locator:
    return toy.locator(".toy-words").first.locator("button").nth(at)


def field(toy: Locator) -> Locator:
    """Press what opens the field for a word of one's own, and wait for it."""
    chip(toy, "your word…").press("Enter")
    field = toy.get_by_label("Your word")
    expect(field).to_be_focused()
    return field


def verdict(toy: Locator) -> Locator:
    return toy.locator(".toy-verdict")


def test_one_word_turns_the_river_bank_into_one_of_money(address: str, page: Page) -> None:
    toy = visit(page, address + DOOR)
    assert words(toy) == HOME
    expect(verdict(toy)).to_have_text("A bank by the water.")
    chip(toy, "rich").click()
    expect(verdict(toy)).to_have_text("A bank full of money.")
    word(toy, 1).click()
    chip(toy, "duck").click()
    expect(verdict(toy)).to_have_text("Undecided. Which bank is it?")
    expect(toy.locator(".toy-hint")).to_have_text("“rich” pulls against “duck”. Queries help.")
    chip(toy, "banker").click()
    expect(verdict(toy)).to_have_text("A bank full of money.")
    assert page.url.endswith("#the-banker-likes-the-rich-bank")
    chip(toy, "follow “banker”").click()
    expect(word(toy, 1)).to_be_focused()
    assert page.url.endswith("#the-banker-likes-the-rich-bank:2")
    expect(toy.locator("[role=status]")).to_have_text(
        re.compile(r"“banker” takes 0\.\d\d from itself.*“banker” takes most from itself\.$")
    )


NUMBERS = """(numbers) => ({
  lines: [...numbers.querySelectorAll("p")].map((line) => line.innerText),
  tables: [...numbers.querySelectorAll("table")].map((table) =>
    [...table.rows].map((row) => [...row.cells].map((cell) => cell.innerText)))
})"""


def worked_out(written: str) -> float:
    """Compute what a reader would type into a pocket calculator."""
    signs = {"·": "*", "\N{MINUS SIGN}": "-", "√2": "2**0.5"}
    return float(eval(re.sub("|".join(signs), lambda sign: signs[sign.group()], written)))


@pytest.mark.parametrize("path", [*TOY_PAGES, f"{DOOR}#the-singer-hears-the-loud-bass"])
def test_the_numbers_add_up_on_a_pocket_calculator(address: str, page: Page, path: str) -> None:
    toy = visit(page, address + path)
    toy.get_by_role("button", name="Show the numbers").click()
    toy.locator(".toy-numbers table").first.wait_for()
    shown = toy.locator(".toy-numbers").evaluate(NUMBERS)
    sums = [line.partition(": ")[2].split(" = ") for line in shown["lines"] if " = " in line]
    for written, total in sums:
        assert worked_out(written) == pytest.approx(worked_out(total), abs=0.011), written
    assert len(sums) == 3 * len(shown["tables"]) or path.endswith(("/scores/", "trained/"))
    for names, *rows in shown["tables"]:
        assert any("times" in name for name in names) == path.endswith(("/scores/", "trained/"))
        for n in [n for n, name in enumerate(names) if "times" in name]:
            for row in rows:
                assert worked_out(row[n]) == pytest.approx(worked_out(row[n + 1]), abs=0.006), row
        if names[-1] == "share":
            seen = [row for row in rows if row[-1] and "hidden" not in row]
            parts = [worked_out(row[-2]) for row in seen]
            if names[-2] != "score":
                counts = [worked_out(f"1 · {row[-2]}".rpartition(" · ")[0]) for row in seen]
                exact = [n * math.exp(float(row[-3])) for n, row in zip(counts, seen, strict=True)]
                assert parts == pytest.approx(exact, abs=0.1, rel=1e-3)
            elif path.endswith("trained/"):
                parts = [math.exp(part) for part in parts]
            for part, row in zip(parts, seen, strict=True):
                assert part / sum(parts) == pytest.approx(float(row[-1]), abs=0.005), row


def test_a_key_is_enough(address: str, page: Page) -> None:
    toy = visit(page, address + DOOR)
    word(toy, 4).focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert words(toy) == "the cat likes the rich bank"
    expect(word(toy, 4)).to_be_focused()
    for _ in range(3):
        page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    expect(chip(toy, "cat")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("ArrowUp")
    assert words(toy) == "the singer likes the rich bank"
    page.keyboard.press("Tab")
    expect(chip(toy, "duck")).to_be_focused()
    page.keyboard.press("Enter")
    expect(chip(toy, "duck")).to_be_focused()
    assert words(toy) == "the duck likes the rich bank"


def test_a_tap_on_a_word_offers_what_can_be_done_with_it(address: str, page: Page) -> None:
    toy = visit(page, address + DOOR)
    for at, offered in {0: "the", 5: "note", 2: "soaks"}.items():
        word(toy, at).click()
        expect(chip(toy, offered)).to_be_visible()
        expect(word(toy, 5)).to_have_class(re.compile("asks"))
    word(toy, 0).click()
    chip(toy, "follow “the”").click()
    expect(verdict(toy)).to_have_text("“the” takes most from “muddy”.")


# ---- a word of the reader's own -----------------------------------------------------------------


def test_keys_write_a_word_and_give_it_numbers(address: str, page: Page) -> None:
    toy = visit(page, address + DOOR)
    word(toy, 1).click()
    own = field(toy)
    for key in "Heron":
        page.keyboard.press(key)
    expect(own).to_have_value("Heron")
    page.keyboard.press("Enter")
    assert words(toy) == "the heron likes the muddy bank"
    expect(toy.get_by_label("about money")).to_be_focused()
    for _ in range(6):
        page.keyboard.press("ArrowRight")
    expect(verdict(toy)).to_have_text("Undecided. Which bank is it?")
    expect(toy.locator(".toy-spoken")).to_have_text(re.compile(r"0\.40 from “heron”"))
    expect(page).to_have_url(re.compile("#the-heron-likes-the-muddy-bank&subject=heron,0,3,1,0,0$"))
    page.keyboard.press("Shift+Tab")
    expect(own).to_be_focused()
    for _ in range(3):
        page.keyboard.press("Tab")
    expect(toy.get_by_role("button", name="done")).to_be_focused()
    page.keyboard.press("Enter")
    expect(chip(toy, "heron")).to_be_focused()
    chip(toy, "cat").click()
    chip(toy, "heron").click()
    expect(verdict(toy)).to_have_text("Undecided. Which bank is it?")
    toy = visit(page, page.url)
    assert words(toy) == "the heron likes the muddy bank"
    expect(verdict(toy)).to_have_text("Undecided. Which bank is it?")


def test_the_numbers_of_a_word_are_those_of_its_sliders(address: str, page: Page) -> None:
    toy = visit(page, f"{address}steps/context-vectors/#the-thief-sees-the-old-note")
    field(toy)
    page.keyboard.type("royal")
    slider = toy.get_by_label("about music")
    slider.click()  # in its middle
    assert words(toy) == "the thief sees the royal note"
    vectors = [VECTORS[word] for word in ["the", "thief", "sees", "the"]]
    inputs = tensor([*vectors, [0, 0, 0, 3, 1.5], VECTORS["note"]])
    shares = trace_attention(inputs, inputs, inputs, scale=1.0).weights[5]
    below = toy.locator(".toy-words small").all_inner_texts()
    assert below == [f"{share:.2f}" for share in shares]


@pytest.mark.parametrize("typed", ["rain", "cat", "ice cream", "<b>", "7", " "])
def test_what_cannot_be_a_word_of_ones_own_is_refused_kindly(
    address: str, page: Page, typed: str
) -> None:
    toy = visit(page, address + DOOR)
    own = field(toy)
    before = words(toy)
    page.keyboard.type(typed)
    page.keyboard.press("Tab")
    expect(toy.get_by_role("alert")).to_have_text(re.compile("^Take one word, of letters alone"))
    assert words(toy) == before
    expect(own).to_have_value(before.split()[4])


def test_only_a_word_with_free_numbers_may_be_ones_own(address: str, page: Page) -> None:
    toy = visit(page, address + DOOR)
    for at in (0, 5):
        word(toy, at).click()
        expect(chip(toy, "your word…")).to_have_count(0)
    toy = visit(page, address + HEAD)
    expect(chip(toy, "your word…")).to_have_count(0)


@pytest.mark.parametrize(
    ("fragment", "shown", "said"),
    [
        ("the-singer-hears-the-high-note", "the singer hears the high note", ""),
        (
            "the-otter-likes-the-wet-bank&subject=otter,2,0,1,0,0",
            "the otter likes the wet bank",
            "",
        ),
        ("the-otter-likes-the-wet-bank&subject=otter,2,0,1,0", HOME, "“otter” has no numbers"),
        ("the-otter-likes-the-wet-bank&subject=otter,2,0,9,0,0", HOME, "“otter” has no numbers"),
        (
            "the-cat-likes-the-wet-bank&subject=cat,3,0,1,0,0&numbers",
            "the cat likes the wet bank",
            "",
        ),
        ("the-duck-likes-the-rich-bank:9", "the duck likes the rich bank", ""),
        ("the-elephant-likes-the-rich-bank", HOME, "“elephant” has no numbers"),
        ("the-constructor-likes-the-rich-bank", HOME, "“constructor” has no numbers"),
        ("the-rich-duck-likes-bank", HOME, "These words do not make a"),
        ("the-%E0%A4%A", HOME, "has no numbers"),
        ("some-old-heading", HOME, ""),
    ],
)
def test_a_link_is_read(address: str, page: Page, fragment: str, shown: str, said: str) -> None:
    toy = visit(page, f"{address}{DOOR}#{fragment}")
    assert words(toy) == shown
    expect(toy.get_by_role("alert")).to_contain_text(said)
    panel = toy.locator(".toy-numbers")
    expect(panel).to_be_visible(visible=fragment.endswith("&numbers"))
    if fragment.endswith("&numbers"):  # a word of the toy keeps its own
        expect(panel.get_by_role("row", name="cat")).to_have_text(re.compile(r"^cat0010"))


def test_a_link_to_send_has_a_page_and_a_card_of_its_own(
    site: Path, address: str, page: Page
) -> None:
    assert len(sent()) == 12
    cards = set()
    for sentence in sent():
        slug = slug_of(sentence)
        toy = visit(page, f"{address}{DOOR}#{slug}")
        toy.get_by_role("button", name="Copy link").click()
        expect(toy.get_by_role("button", name="Copied")).to_be_visible()
        assert page.evaluate("navigator.clipboard.readText()") == f"{address}toy/{slug}/"
        html = (site / "toy" / slug / "index.html").read_text("utf-8")
        assert (
            f'<meta property="og:image" content="http://127.0.0.1:8000/toy/{slug}/card.png">'
            in html
        )
        card = site / "toy" / slug / "card.png"
        with Image.open(card) as image:
            assert image.size == (1200, 630)
        cards.add(card.read_bytes())
        toy = visit(page, f"{address}toy/{slug}/")
        assert words(toy) == sentence.text
        expect(verdict(toy)).to_have_text(sentence.verdict)
    assert len(cards) == 12
    page.get_by_role("link", name="Start with step 1").click()
    assert page.url.endswith("/steps/tokens-become-vectors/")
    chips = visit(page, f"{address}{DOOR}#the-frog-pays-the-wet-bank")
    chips.get_by_role("button", name="Copy link").click()
    expect(chips.get_by_role("button", name="Copied")).to_be_visible()
    link = page.evaluate("navigator.clipboard.readText()")
    assert link == f"{address}{DOOR}#the-frog-pays-the-wet-bank"


def first_visit(browser: Browser, address: str) -> Page:
    """Return the page of a reader who may see motion, with a clock that the test moves on."""
    page = browser.new_context().new_page()
    page.clock.install()
    come(page, address)
    expect(page.locator(".toy-hint")).to_have_text("Watch one word change")
    return page


def come(page: Page, address: str) -> None:
    """Scroll to the toy, which is fetched on the way, and does not play before it is in view."""
    page.goto(address + DOOR)
    toy = page.locator("attention-toy")
    toy.evaluate("toy => scrollTo(0, toy.offsetTop - 1.4 * innerHeight)")
    page.locator("attention-toy.live").wait_for()
    page.clock.fast_forward(6000)
    expect(page.locator(".toy-hint")).to_have_text("Tap a word to swap it")
    assert words(toy) == HOME
    toy.evaluate("toy => toy.scrollIntoView()")
    page.evaluate("new Promise(requestAnimationFrame)")
    page.clock.fast_forward(600)


def test_it_plays_itself_once(browser: Browser, address: str) -> None:
    page = first_visit(browser, address)
    toy, hint = page.locator("attention-toy"), page.locator(".toy-hint")
    expect(verdict(toy)).to_have_text("A bank by the water.")
    page.clock.fast_forward(1600)
    assert words(toy) == "the cat likes the rich bank"
    expect(verdict(toy)).to_have_text("A bank full of money.")
    page.clock.fast_forward(3000)
    expect(hint).to_have_text("Your turn: tap a word")
    come(page, address)
    page.clock.fast_forward(5000)
    expect(hint).to_have_text("Tap a word to swap it")
    assert words(toy) == HOME
    page.context.close()


def test_it_does_not_play_while_the_reader_scrolls(browser: Browser, address: str) -> None:
    page = browser.new_context().new_page()
    page.clock.install()
    page.goto(address + DOOR)
    toy, hint = page.locator("attention-toy"), page.locator(".toy-hint")
    toy.evaluate("toy => toy.scrollIntoView()")
    page.locator("attention-toy.live").wait_for()
    page.evaluate("new Promise(requestAnimationFrame)")
    page.clock.pause_at(page.evaluate("Date.now()") / 1000 + 0.1)
    for _ in range(3):
        page.evaluate("dispatchEvent(new WheelEvent('wheel'))")
        page.clock.run_for(400)
        expect(hint).to_have_text("Tap a word to swap it")
    page.clock.run_for(200)
    expect(hint).to_have_text("Watch one word change")
    page.context.close()


@pytest.mark.parametrize("act", ["keyboard.press('Shift')", "mouse.wheel(0, 1)", "mouse.down()"])
def test_it_stops_at_any_key_wheel_or_touch(browser: Browser, address: str, act: str) -> None:
    page = first_visit(browser, address)
    eval(f"page.{act}")
    expect(page.locator(".toy-hint")).to_have_text("Your turn: tap a word")
    page.clock.fast_forward(5000)
    assert words(page.locator("attention-toy")) == HOME
    page.context.close()


# A page that a finger has thrown goes on by itself, and a tap would miss what moves away.
TO_THE_TOP = """() => new Promise((there) => {
    let still = 0
    const look = () => {
        still = scrollY ? 0 : still + 1
        scrollTo(0, 0)
        still > 20 ? there() : requestAnimationFrame(look)
    }
    look()
})"""


def test_a_finger_taps_words_and_scrolls_the_page(browser: Browser, address: str) -> None:
    context = browser.new_context(
        viewport=PHONE, has_touch=True, is_mobile=True, reduced_motion="reduce"
    )
    page = context.new_page()
    touch = context.new_cdp_session(page)
    toy = visit(page, address + DOOR)
    chip(toy, "rich").tap()
    word(toy, 1).tap()
    chip(toy, "banker").tap()
    expect(verdict(toy)).to_have_text("A bank full of money.")
    page.evaluate("scrollTo(0, 0)")
    box = word(toy, 4).bounding_box()
    assert box
    for at in range(10):
        kind = "touchStart" if not at else "touchEnd" if at == 9 else "touchMove"
        points = [] if at == 9 else [{"x": box["x"] + 9, "y": box["y"] + 30 - 20 * at}]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
        page.evaluate("new Promise(requestAnimationFrame)")
    page.wait_for_function("scrollY > 50")
    assert words(toy) == "the banker likes the rich bank"
    page.evaluate(TO_THE_TOP)
    chip(toy, "your word…").tap()
    toy.get_by_label("Your word").tap()
    page.keyboard.press("ControlOrMeta+A")
    page.keyboard.type("otter")
    slider = toy.get_by_label("about water")
    box = slider.bounding_box()
    assert box
    assert box["height"] >= 44
    page.touchscreen.tap(box["x"] + box["width"] - 4, box["y"] + box["height"] / 2)
    assert words(toy) == "the otter likes the rich bank"
    expect(slider).to_have_value("3")
    expect(verdict(toy)).to_have_text("Undecided. Which bank is it?")
    context.close()


def test_a_phone_shows_all_of_it_at_once(address: str, page: Page) -> None:
    longest = [
        [max(course()["slots"][slot], key=len) for slot in template]
        for template in course()["templates"]
    ]
    for sentence in (MUDDY.split(), *longest):
        page.set_viewport_size(PHONE)
        toy = visit(page, f"{address}{ALONE}#{'-'.join(sentence)}")
        page.evaluate("scrollTo(0, 0)")
        expect(toy.locator(".toy-bar > *").last).to_be_in_viewport(ratio=1)
        expect(page.locator("h1")).to_be_in_viewport(ratio=1)
        sizes = toy.evaluate(
            "toy => [...toy.querySelectorAll('button, a')].filter(b => b.checkVisibility())"
            ".map(b => [b.offsetWidth, b.offsetHeight])"
        )
        assert all(width >= 40 and height >= 44 for width, height in sizes), sizes
        for width in (320, 390):
            page.set_viewport_size({"width": width, "height": 664})
            edges = toy.locator(".toy-words button").evaluate_all(
                "all => all.map(b => b.getBoundingClientRect()).flatMap(b => [b.left, b.right])"
            )
            assert edges == sorted(edges), "no word lies on another"
            assert edges[0] >= 0
            assert edges[-1] <= width
            page.wait_for_function(f"document.documentElement.scrollWidth === {width}")


def test_a_long_word_of_ones_own_fits(address: str, page: Page) -> None:
    page.set_viewport_size(PHONE)
    own = "&".join(["subject=extragravity,0,0,1,0,0", "adjective=wwwwwwwwwwww,0,0,0,3,0"])
    toy = visit(page, f"{address}{DOOR}#the-extragravity-likes-the-wwwwwwwwwwww-bank&{own}")
    row = toy.locator(".toy-words button")
    assert row.first.evaluate("word => word.getBoundingClientRect().left") >= 0
    assert row.last.evaluate("word => word.getBoundingClientRect().right") <= PHONE["width"]


def test_the_numbers_come_into_sight(address: str, page: Page) -> None:
    page.set_viewport_size(PHONE)
    toy = visit(page, address + ALONE)
    page.evaluate("scrollTo(0, 0)")
    toy.get_by_role("button", name="Numbers").click()
    expect(toy.locator(".toy-numbers table")).to_be_in_viewport(ratio=1)


# How wide the arc of the first path is between its legs, and how thick.
LEGS = """(toy) => [...toy.querySelectorAll(".toy-arcs path")].slice(-1).map((way) =>
    [way.getPointAtLength(way.getTotalLength()).x - way.getPointAtLength(0).x,
     parseFloat(getComputedStyle(way).strokeWidth)])[0]"""


@pytest.mark.parametrize("width", [390, 1440])
def test_the_arc_of_a_word_to_itself_is_open(address: str, page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    toy = visit(page, f"{address}{DOOR}#the-cat-likes-the-rich-bank:5")
    apart, thick = toy.evaluate(LEGS)
    assert thick > 0.05 * toy.evaluate("toy => toy.offsetWidth"), "the whole share"
    assert apart > 1.3 * thick


def test_water_is_on_one_side_of_the_course(address: str, page: Page) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})

    def across(water: Locator, money: Locator) -> tuple[float, float]:
        right, left = (
            place.evaluate("e => e.getBoundingClientRect().x") for place in (water, money)
        )
        return right, left

    toy = visit(page, f"{address}steps/context-vectors/")
    places = [across(toy.locator(".toy-pole.water"), toy.locator(".toy-pole.money"))]
    page.goto(f"{address}steps/tokens-become-vectors/")
    places += [
        across(
            page.locator(".figure svg text", has_text="duck, muddy"),
            page.locator(".figure svg text", has_text="rich, money"),
        ),
        across(page.locator("[data-does=next] .water"), page.locator("[data-does=next] .money")),
    ]
    for right, left in places:
        assert right > left + 100


# The words, chips and buttons, the line and the pill; then the arcs and the ribbons.
PLACES = ".toy-words button;.toy-tray button;.toy-bar > *;.toy-pill rect;.toy-pole;.toy-began"
CURVES = ":is(.toy-arcs, .toy-ribbons) path"
BOXES = """(parts) => parts.split(";").flatMap((part) => [...document.querySelectorAll(part)])
  .filter((part) => part.checkVisibility())
  .map((part) => part.getBoundingClientRect())
  .map(({ x, y, right, bottom }) => [x, y, right, bottom])"""


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (390, 844), (390, 664), (820, 1180)])
@pytest.mark.parametrize("path", [DOOR, "toy/the-bank-likes-money/"])
def test_the_picture_has_its_size_before_its_script_comes(
    address: str, page: Page, path: str, width: int, height: int
) -> None:
    held: list[Route] = []
    page.route("**/toy.js", lambda route: held.append(route))
    page.set_viewport_size({"width": width, "height": height})
    page.goto(address + path, wait_until="commit")
    page.evaluate("document.fonts.ready")
    page.locator(".toy-bar").wait_for()
    page.locator("attention-toy").evaluate("toy => toy.scrollIntoView()")
    while not held:
        page.evaluate("new Promise(requestAnimationFrame)")
    places, curves = page.evaluate(BOXES, PLACES), page.evaluate(BOXES, CURVES)
    held[0].continue_()
    page.locator(".live svg[aria-hidden] .toy-pill").wait_for()
    now = page.evaluate(BOXES, PLACES)
    assert len(now) == len(places) >= 18
    for before, after in zip(places, now, strict=True):
        assert after == pytest.approx(before, abs=1)
    for before, after in zip(curves, page.evaluate(BOXES, CURVES), strict=True):
        # The build guesses how wide the reader's letters are.
        assert after == pytest.approx(before, abs=0.02 * width + 3)


@pytest.mark.parametrize("width", [320, 390])
def test_hidden_is_one_line_below_each_hidden_word(address: str, page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 664})
    toy = visit(page, f"{address}steps/causal-masks/")
    lines = toy.locator(".toy-words small", has_text="hidden")
    expect(lines).to_have_count(4)
    boxes = lines.evaluate_all(
        "all => all.map(line => {"
        " const words = document.createRange(); words.selectNodeContents(line);"
        " const { left, right } = words.getBoundingClientRect();"
        " return [words.getClientRects().length, left, right]; })"
    )
    assert [count for count, _, _ in boxes] == [1] * 4
    edges = [edge for _, *both in boxes for edge in both]
    assert edges == sorted(edges), "no line lies on another"


HEIGHT = "document.querySelector('attention-toy').offsetHeight"


def heights(page: Page) -> list[int]:
    """Return how high the toy is in a narrow and in a wide window."""
    found = []
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 2600})
        page.evaluate("new Promise(requestAnimationFrame)")
        found.append(page.evaluate(HEIGHT))
    return found


@pytest.mark.parametrize("path", TOY_PAGES)
def test_nothing_moves_when_it_comes(address: str, page: Page, path: str) -> None:
    held: list[Route] = []
    page.route("**/toy.js", lambda route: held.append(route))
    page.set_viewport_size({"width": 1280, "height": 2600})
    page.goto(address + path, wait_until="commit")
    page.evaluate("document.fonts.ready")
    page.locator("attention-toy").evaluate("toy => toy.scrollIntoView()")
    page.wait_for_function("performance.getEntriesByType('resource').length > 0")
    while not held:
        page.evaluate("new Promise(requestAnimationFrame)")
    before = heights(page)
    held[0].continue_()
    page.locator("attention-toy.live .toy-tray button").first.wait_for()
    assert heights(page) == before


def test_without_a_script_the_printed_picture_stands(browser: Browser, address: str) -> None:
    context = browser.new_context(java_script_enabled=False, viewport=PHONE)
    page = context.new_page()
    page.goto(address + DOOR)
    picture = page.get_by_role("img", name="“bank” takes 0.64 from “muddy”, 0.23 from itself")
    expect(picture).to_be_visible()
    expect(page.locator(".toy-verdict")).to_have_text("A bank by the water.")
    expect(page.locator(".toy-tray")).to_be_hidden()
    page.goto(f"{address}steps/scores/")
    expect(page.locator("attention-toy")).to_be_hidden()
    context.close()


# What each page asks the reader to do first, how it is done, and what the reader then sees.
TASKS: dict[str, tuple[list[str], dict[str, str]]] = {
    "scores": (["old"], {".toy-words small": "0 3 0 0 0 2"}),
    "weights": (["exponential"], {".toy-words small": "0.02 0.40 0.02 0.02 0.40 0.15"}),
    "context-vectors": (["rich"], {".toy-verdict": "Undecided. Which bank is it?"}),
    "queries-keys-and-values": (
        ["“what kind?” counts=0.1"],
        {".toy-verdict": "A bank full of money."},
    ),
    "why-divide-by-the-square-root": (
        ["32"],
        {".toy-verdict": "“likes” takes 0.01 or more from “duck”."},
    ),
    "causal-masks": ([], {".toy-words small": "0.00 1.00 hidden hidden hidden hidden"}),
    "padding-masks": (
        ["blank pages=6"],
        {".toy-verdict": "“the” takes 0.51 from the blank pages."},
    ),
    "multi-head-attention": (["muddy"], {".toy-verdict": "Both heads agree: A bank by the water."}),
    "cross-attention": (["rich"], {".toy-verdict": "The lower sentence does not say which bank."}),
    "where-is-position": (
        ["← move the word"] * 3,
        {".toy-words small": "0.05 0.86 0.01 0.01 0.05 0.01"},
    ),
    "a-head-that-was-trained": (["wide"], {".toy-verdict": "“it” is the street."}),
}


@pytest.mark.parametrize("step", STEPS)
def test_the_first_task_can_be_done(address: str, page: Page, step: str) -> None:
    toy = visit(page, f"{address}steps/{step}/")
    expect(toy.locator(".toy-task")).to_be_visible()
    actions, seen = TASKS[step]
    for action in actions:
        label, _, value = action.partition("=")
        if value:
            toy.get_by_label(label).fill(value)
        elif toy.get_by_label(label, exact=True).count():
            toy.get_by_label(label, exact=True).check()
        else:
            toy.get_by_role("button", name=label, exact=True).click()
    for selector, text in seen.items():
        assert " ".join(toy.locator(selector).all_inner_texts()) == text
    toy.get_by_role("button", name="Show the numbers").click()
    expect(toy.locator(".toy-numbers table").first).to_be_visible()
    toy.get_by_role("button", name="Other sentence").click()
    expect(verdict(toy)).not_to_be_empty()


def tip(toy: Locator) -> list[float]:
    """Return where the end of the arrow is, by what it says."""
    said = toy.get_by_role("slider", name="The end of the arrow").get_attribute("aria-valuetext")
    found = re.findall(r"([\d.]+) (?:to the )?(right|left|up|down)", said or "")
    return [float(x) * (-1 if way in ("left", "down") else 1) for x, way in found]


def test_the_arrow_is_turned_by_key_and_mouse(address: str, page: Page) -> None:
    toy = visit(page, address + HEAD)
    end = toy.get_by_role("slider", name="The end of the arrow")
    expect(verdict(toy)).to_have_text("“it” is the animal.")
    end.focus()
    assert tip(toy) == [7.17, 0.91]
    for _ in range(14):
        end.press("ArrowLeft")
    for _ in range(15):
        end.press("ArrowDown")
    assert tip(toy) == pytest.approx([7.17 - 5.6, 0.91 - 6], abs=0.11)
    expect(verdict(toy)).to_have_text("“it” is the street.")
    expect(toy.get_by_role("status")).to_have_text(
        re.compile(r"“it” takes 0\.9\d from “street”.* “it” is the street\.$")
    )
    expect(page).to_have_url(re.compile(r"&arrow=1\.\d,-5\.\d$"))
    toy.get_by_role("button", name="Reset").click()
    expect(verdict(toy)).to_have_text("“it” is the animal.")
    assert "arrow" not in page.url
    box = end.bounding_box()
    assert box
    x, y = box["x"] + 22, box["y"] + 22
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 900, y, steps=4)
    page.mouse.up()
    assert tip(toy)[0] == -8.8, "it stays in the plane"
    assert page.evaluate("String(getSelection())") == ""
    chip(toy, "wide").click()  # another sentence turns it
    expect(verdict(toy)).to_have_text("“it” is the street.")
    assert "arrow" not in page.url
    toy.get_by_label("drop last word").check()
    expect(verdict(toy)).to_have_text("“it” is the animal.")
    toy.get_by_role("button", name="Swap nouns").click()
    assert words(toy).startswith("the street didn't cross the animal")
    expect(verdict(toy)).to_have_text("“it” is the animal.")
    word(toy, 0).click()
    chip(toy, "follow “the”").click()
    expect(verdict(toy)).to_have_text("“the” takes most from “animal”.")


def test_a_phone_holds_the_trained_head_and_its_arrow_follows_a_finger(
    browser: Browser, address: str
) -> None:
    context = browser.new_context(viewport=PHONE, has_touch=True, is_mobile=True)
    page = context.new_page()
    touch = context.new_cdp_session(page)
    toy = visit(page, address + HEAD)
    high = "parts => parts.map(part => part.offsetHeight).reduce((one, other) => one + other)"
    assert page.locator("attention-toy, .md-header").evaluate_all(high) <= PHONE["height"]
    end = toy.get_by_role("slider", name="The end of the arrow")
    scrolled = page.evaluate("scrollY")
    box = end.bounding_box()
    assert box
    for at in range(11):
        kind = "touchMove" if at else "touchStart"
        place = {"x": box["x"] + 22 - 9 * at, "y": box["y"] + 22 + 7 * at}
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [place]})
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    after = end.bounding_box()
    assert after
    moved = [after["x"] - box["x"], after["y"] - box["y"]]
    assert moved == pytest.approx([-90, 70], abs=3)
    assert page.evaluate("scrollY") == scrolled
    expect(verdict(toy)).to_have_text("“it” is the street.")
    context.close()


# What a reader changes on a page, the address that spells it, and what there is to see.
STATES = {
    "weights": (["exponential"], "&way=exponential", ".toy-words small"),
    "queries-keys-and-values": (
        ["alike counts=0.5", "“what kind?” counts=0.1"],
        "&alike=0.5&kind=0.1",
        "output",
    ),
    "why-divide-by-the-square-root": (
        ["32", "divide by the square root"],
        "&times=4&divide=yes",
        ".toy-words small",
    ),
    "causal-masks": (["hide later words"], "&hide=no", ".toy-words small"),
    "padding-masks": (["blank pages=6", "hide them"], "&blanks=6&hide=yes", ".toy-verdict"),
    "cross-attention": (
        ["The word that asks=note"],
        "&asking=the-thief-sees-the-old-note",
        ".toy-verdict",
    ),
    "a-head-that-was-trained": (["drop last word"], "&out=yes", ".toy-words small"),
}


@pytest.mark.parametrize("step", STATES)
def test_a_link_has_all_that_the_reader_has_chosen(address: str, page: Page, step: str) -> None:
    toy = visit(page, f"{address}steps/{step}/")
    actions, spelled, shown = STATES[step]
    for action in actions:
        label, _, value = action.partition("=")
        control = toy.get_by_label(label, exact=not value)
        if control.get_attribute("type") in ("radio", "checkbox"):
            control.click()
        elif control.evaluate("control => control.tagName") == "SELECT":
            control.select_option(value)
        else:
            control.fill(value)
    toy.get_by_role("button", name="Show the numbers").click()
    expect(page).to_have_url(re.compile(f"{re.escape(spelled)}&numbers$"))
    seen, url = toy.locator(shown).all_inner_texts(), page.url
    table = toy.locator(".toy-numbers").inner_text()
    toy = visit(page, url)
    assert toy.locator(shown).all_inner_texts() == seen
    expect(toy.locator(".toy-numbers")).to_have_text(table, use_inner_text=True)
    for action in actions:  # the controls show it, too
        label, _, value = action.partition("=")
        control = toy.get_by_label(label, exact=not value)
        if value:
            expect(control).to_have_value(value)
        else:
            expect(control).to_be_checked(checked="hide=no" not in spelled)
    toy = visit(page, url.partition("&")[0])  # a link without them has what the page has
    assert toy.locator(shown).all_inner_texts() != seen


@pytest.mark.parametrize(
    ("step", "nonsense"),
    [
        ("weights", "&way=sideways"),
        ("queries-keys-and-values", "&alike=7&kind=&x=1"),
        ("queries-keys-and-values", "&alike=-1&kind=much"),
        ("why-divide-by-the-square-root", "&times=3&divide=perhaps"),
        ("cross-attention", "&asking=the-bank-likes-money"),
        ("a-head-that-was-trained", "&arrow=1&out"),
        ("a-head-that-was-trained", "&arrow=up,down"),
    ],
)
def test_what_a_link_has_wrong_stays_as_the_page_has_it(
    address: str, page: Page, step: str, nonsense: str
) -> None:
    toy = visit(page, f"{address}steps/{step}/")
    usual = [toy.locator(f".toy-{part}").all_inner_texts() for part in ("words", "verdict")]
    own = words(toy).replace(" ", "-")
    toy = visit(page, f"{address}steps/{step}/#{own}{nonsense}")
    assert [toy.locator(f".toy-{part}").all_inner_texts() for part in ("words", "verdict")] == usual


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
