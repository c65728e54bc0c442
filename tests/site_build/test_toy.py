"""The toy: its numbers are those of the package, and a reader can play with it in every way."""

import itertools
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
from site_build.toy.words import Sentence, course
from tests.site_build.run_page import names_of

VECTORS: dict[str, list[float]] = course()["words"]
SENTENCES = [
    list(words)
    for template in course()["templates"]
    for words in itertools.product(*(course()["slots"][slot] for slot in template))
]
STEPS = {
    "01": "01-tokens-become-vectors",
    "02": "02-scores",
    "03": "03-weights",
    "04": "04-context-vectors",
    "05": "05-queries-keys-and-values",
    "06": "06-why-divide-by-the-square-root",
    "08": "08-causal-masks",
    "09": "09-padding-masks",
    "10": "10-multi-head-attention",
    "11": "11-cross-attention",
    "12": "12-where-is-position",
}
TOY_PAGES = ["", *(f"steps/{page}/" for page in STEPS.values())]
MUDDY = "the duck likes the muddy bank"
PHONE: ViewportSize = {"width": 390, "height": 664}


def tensor(rows: Any) -> Tensor:
    return torch.tensor(rows, dtype=torch.float64)


def vectors(sentence: str | list[str]) -> list[list[float]]:
    words = sentence.split() if isinstance(sentence, str) else sentence
    return [VECTORS[word] for word in words]


# ---- its numbers -----------------------------------------------------------------------------


def test_the_vectors_are_those_of_the_pages() -> None:
    assert names_of("guides/how-often-the-toy-is-right.md")["embedding"] == VECTORS
    for word, vector in names_of("steps/01-tokens-become-vectors.md")["embedding"].items():
        assert VECTORS[word] == [*vector, 0]
    assert (len(VECTORS), len(SENTENCES)) == (27, 795)
    assert all(sentence.words in SENTENCES for sentence in sent())


def test_every_sentence_has_the_numbers_of_the_package(address: str, page: Page) -> None:
    page.goto(address)
    browser = page.evaluate(
        """async (sentences) => {
          const { attend } = await import("/assets/toy/attention.js");
          return sentences.map((rows) => rows.map((query) => attend(query, rows, rows)));
        }""",
        [vectors(words) for words in SENTENCES],
    )
    for words, results in zip(SENTENCES, browser, strict=True):
        inputs = tensor(vectors(words))
        trace = trace_attention(inputs, inputs, inputs, scale=1.0)
        for name, expected in {"scores": trace.scores, "shares": trace.weights}.items():
            actual = tensor([result[name] for result in results])
            torch.testing.assert_close(actual, expected, atol=1e-12, rtol=0, msg=" ".join(words))
        actual = tensor([result["context"] for result in results])
        torch.testing.assert_close(actual, trace.context, atol=1e-12, rtol=0)


def test_the_pictures_of_the_build_say_what_the_browser_says(address: str, page: Page) -> None:
    page.goto(address)
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
    page = names_of(f"steps/{STEPS['05' if head == 'both' else '10']}.md")
    query, key = (page[name][1] if head == "who" else page[name] for name in ("W_query", "W_key"))
    return inputs[:, :4] @ query.double().T, inputs[:, :4] @ key.double().T


def expected_of(step: str, sentence: str, asks: int, given: dict[str, Any]) -> list[Tensor]:
    """Compute the shares of each head of a step by the package."""
    inputs = tensor(vectors(sentence))
    query = key = inputs
    mask, scale = None, 1.0
    if step == "03":
        scores = inputs @ inputs[asks]
        return [scores / scores.sum()]
    if step == "05":  # both products as one: what is asked twice is joined
        who, kind = by_the_questions(inputs)[0][:, :1], inputs[:, 3:4]
        query = torch.cat([given["alike"] * inputs, given["kind"] * who], dim=1)
        key = torch.cat([inputs, kind], dim=1)
    if step == "06":
        query, key = by_the_questions(inputs)
        query = query if given["divide"] else given["times"] * query
        scale = None if given["divide"] else 1.0  # type: ignore[assignment]
    if step == "08" and given["hide"]:
        mask = causal_mask(len(inputs))
    if step == "09":
        key = torch.cat([inputs, torch.zeros(given["blanks"], 5, dtype=torch.float64)])
        mask = torch.ones(len(inputs), len(key), dtype=torch.bool)
        mask[:, len(inputs) :] = not given["hide"]
    if step == "10":
        pairs = [by_the_questions(inputs), by_the_questions(inputs, "who")]
        return [trace_attention(*pair, inputs).weights[asks] for pair in pairs]
    weights = trace_attention(query, key, key, mask, scale=scale).weights[asks]
    n = len(inputs)
    return [torch.cat([weights[:n], weights[n:].sum()[None]]) if len(key) > n else weights]


@pytest.mark.parametrize(
    ("step", "settings"),
    [
        ("03", [{"way": "plain"}]),
        ("05", [{"alike": a, "kind": k} for a, k in [(1, 0), (1, 0.1), (0.5, 0.5), (0, 1)]]),
        ("06", [{"times": t, "divide": d} for t in (1, 2, 4) for d in (False, True)]),
        ("08", [{"hide": True}, {"hide": False}]),
        ("09", [{"blanks": b, "hide": h} for b in (1, 16) for h in (False, True)]),
        ("10", [{}]),
    ],
)
def test_a_step_has_the_shares_of_the_package(
    address: str, page: Page, step: str, settings: list[dict[str, Any]]
) -> None:
    page.goto(address)
    for sentence, given in itertools.product(
        [MUDDY, "the banker pays the rich bank", "the bank likes money"], settings
    ):
        for asks in range(len(sentence.split())):
            actual = page.evaluate(
                """async ([step, rows, asks, given]) => {
                  const { default: lesson } = await import(`/assets/toy/steps/${step}.js`);
                  return lesson.heads.map((head) => head.attend(rows, asks, given).shares);
                }""",
                [step, vectors(sentence), asks, given],
            )
            for shares, expected in zip(
                actual, expected_of(step, sentence, asks, given), strict=True
            ):
                torch.testing.assert_close(tensor(shares), expected, atol=1e-6, rtol=0)


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


def verdict(toy: Locator) -> Locator:
    return toy.locator(".toy-verdict")


def test_two_words_turn_the_river_bank_into_one_of_money(address: str, page: Page) -> None:
    toy = visit(page, address)
    expect(verdict(toy)).to_have_text("A bank by the water.")
    chip(toy, "rich").click()
    expect(verdict(toy)).to_have_text("A draw. Which bank is it?")
    expect(toy.locator(".toy-hint")).to_have_text("“duck” pulls against “rich”. Step 5 helps.")
    word(toy, 1).click()
    chip(toy, "banker").click()
    expect(verdict(toy)).to_have_text("A bank full of money.")
    assert page.url.endswith("#the-banker-likes-the-rich-bank")
    chip(toy, "let “banker” ask").click()
    expect(word(toy, 1)).to_be_focused()
    assert page.url.endswith("#the-banker-likes-the-rich-bank:2")
    expect(toy.locator("[role=status]")).to_have_text(
        re.compile(r"“banker” takes 0\.\d\d from itself.*“banker” takes most from itself\.$")
    )


def test_the_numbers_add_up_on_a_pocket_calculator(address: str, page: Page) -> None:
    for sentence in (MUDDY, "the singer hears the loud bass", "the bank likes money"):
        toy = visit(page, f"{address}#{sentence.replace(' ', '-')}")
        assert not re.search(r"\d", toy.locator(".toy-stages").inner_text()), "no number at rest"
        toy.get_by_role("button", name="Show the numbers").click()
        rows = [row.split() for row in toy.locator("tbody tr").all_inner_texts()]
        exponentials, shares = ([float(row[at]) for row in rows] for at in (-2, -1))
        assert exponentials == [round(math.exp(float(row[-3])), 2) for row in rows]
        for part, share in zip(exponentials, shares, strict=True):
            assert part / sum(exponentials) == pytest.approx(share, abs=1e-4)
        sums = toy.locator(".toy-numbers p").all_inner_texts()[1:3]
        for line in sums:
            terms, _, total = line.partition(": ")[2].partition(" = ")
            value = eval(terms.replace("·", "*"))
            assert value == pytest.approx(float(total), abs=6e-3), line


def test_a_key_is_enough(address: str, page: Page) -> None:
    toy = visit(page, address)
    word(toy, 4).focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert words(toy) == "the duck likes the rich bank"
    expect(word(toy, 4)).to_be_focused()
    for _ in range(3):
        page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    expect(chip(toy, "duck")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("ArrowUp")
    assert words(toy) == "the cat likes the rich bank"
    page.keyboard.press("Tab")
    expect(chip(toy, "duck")).to_be_focused()
    page.keyboard.press("Enter")
    expect(chip(toy, "duck")).to_be_focused()
    assert words(toy) == "the duck likes the rich bank"


def test_a_word_that_it_does_not_know_is_refused_kindly(address: str, page: Page) -> None:
    toy = visit(page, address)
    refusal = toy.get_by_role("alert")
    for typed, answer in {"Unicorn": "It knows", "rain": "does not fit here", "": None}.items():
        if not toy.locator("input").count():
            chip(toy, "type…").click()
        expect(toy.locator("input")).to_be_focused()
        page.keyboard.insert_text(typed)
        page.keyboard.press("Enter")
        if answer:
            expect(refusal).to_contain_text(answer.replace("It knows", "knows 27 words: the, duck"))
        toy.locator("input").fill("")
        assert words(toy) == MUDDY
    toy.locator("input").fill(" Golden ")
    page.keyboard.press("Enter")
    expect(chip(toy, "golden")).to_be_focused()
    expect(refusal).to_be_empty()


@pytest.mark.parametrize(
    ("fragment", "shown", "said"),
    [
        ("the-singer-hears-the-high-note", "the singer hears the high note", ""),
        ("the-duck-likes-the-rich-bank:9", "the duck likes the rich bank", ""),
        ("the-elephant-likes-the-rich-bank", MUDDY, "“elephant” has no numbers"),
        ("the-constructor-likes-the-rich-bank", MUDDY, "“constructor” has no numbers"),
        ("the-rich-duck-likes-bank", MUDDY, "These words do not make one"),
        ("the-%E0%A4%A", MUDDY, "has no numbers"),
        ("some-old-heading", MUDDY, ""),
        ("lab&query=1&token=the,0,0,0,1&token=bank,1,1,0,0&token=likes,0&token=gold,1", "", ""),
        ("lab&query=1&token=Your,0.43,0.15,0.89", MUDDY, "“Your” has no numbers"),
    ],
)
def test_a_link_is_read(address: str, page: Page, fragment: str, shown: str, said: str) -> None:
    toy = visit(page, f"{address}#{fragment}")
    assert words(toy) == (shown or "the bank likes gold")
    expect(toy.get_by_role("alert")).to_contain_text(said)
    panel = toy.locator(".toy-numbers")
    expect(panel).to_be_visible(visible=fragment.startswith("lab"))
    if fragment.endswith("gold,1"):
        expect(word(toy, 0)).to_have_class(re.compile("asks"))


def test_a_link_to_send_has_a_page_and_a_card_of_its_own(
    site: Path, address: str, page: Page
) -> None:
    assert len(sent()) == 10
    cards = set()
    for sentence in sent():
        slug = slug_of(sentence)
        toy = visit(page, f"{address}#{slug}")
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
    assert len(cards) == 10
    page.get_by_role("link", name="Start with step 1").click()
    assert page.url.endswith(f"/steps/{STEPS['01']}/")
    chips = visit(page, f"{address}#the-frog-pays-the-wet-bank")
    chips.get_by_role("button", name="Copy link").click()
    expect(chips.get_by_role("button", name="Copied")).to_be_visible()
    link = page.evaluate("navigator.clipboard.readText()")
    assert link == f"{address}#the-frog-pays-the-wet-bank"


def first_visit(browser: Browser, address: str) -> Page:
    """Return the home page of a reader who may see motion, with a clock that the test moves on."""
    page = browser.new_context().new_page()
    page.clock.install()
    page.goto(address)
    expect(page.locator(".toy-hint")).to_have_text("Watch two words change")
    return page


def test_it_plays_itself_once(browser: Browser, address: str) -> None:
    page = first_visit(browser, address)
    toy, hint = page.locator("attention-toy"), page.locator(".toy-hint")
    page.clock.fast_forward(1000)
    assert words(toy) == "the duck likes the rich bank"
    page.clock.fast_forward(3000)
    assert words(toy) == "the banker likes the rich bank"
    expect(hint).to_have_text("Your turn: tap a word")
    page.goto(address)
    expect(hint).to_have_text("Tap a word to swap it")
    page.context.close()


@pytest.mark.parametrize("act", ["keyboard.press('Shift')", "mouse.wheel(0, 1)", "mouse.down()"])
def test_it_stops_at_any_key_wheel_or_touch(browser: Browser, address: str, act: str) -> None:
    page = first_visit(browser, address)
    eval(f"page.{act}")
    expect(page.locator(".toy-hint")).to_have_text("Your turn: tap a word")
    page.clock.fast_forward(5000)
    assert words(page.locator("attention-toy")) == MUDDY
    page.context.close()


def test_a_finger_taps_words_and_scrolls_the_page(browser: Browser, address: str) -> None:
    context = browser.new_context(
        viewport=PHONE, has_touch=True, is_mobile=True, reduced_motion="reduce"
    )
    page = context.new_page()
    touch = context.new_cdp_session(page)
    toy = visit(page, address)
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
    context.close()


def test_a_phone_shows_all_of_it_at_once(address: str, page: Page) -> None:
    longest = [
        [max(course()["slots"][slot], key=len) for slot in template]
        for template in course()["templates"]
    ]
    for sentence in (MUDDY.split(), *longest):
        page.set_viewport_size(PHONE)
        toy = visit(page, f"{address}#{'-'.join(sentence)}")
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


@pytest.mark.parametrize(("path", "width"), [*itertools.product(TOY_PAGES, [390, 1280])])
def test_nothing_moves_when_it_comes(address: str, page: Page, path: str, width: int) -> None:
    held: list[Route] = []
    page.route("**/toy.js", lambda route: held.append(route))
    page.set_viewport_size({"width": width, "height": 2600})
    page.goto(address + path, wait_until="commit")
    page.evaluate("document.fonts.ready")
    page.locator("attention-toy").evaluate("toy => toy.scrollIntoView()")
    page.wait_for_function("performance.getEntriesByType('resource').length > 0")
    while not held:
        page.evaluate("new Promise(requestAnimationFrame)")
    height = "document.querySelector('attention-toy').offsetHeight"
    before = page.evaluate(height)
    held[0].continue_()
    page.locator("attention-toy.live .toy-tray button").first.wait_for()
    page.evaluate("new Promise(requestAnimationFrame)")
    assert page.evaluate(height) == before


def test_without_a_script_the_printed_picture_stands(browser: Browser, address: str) -> None:
    context = browser.new_context(java_script_enabled=False, viewport=PHONE)
    page = context.new_page()
    page.goto(address)
    picture = page.get_by_role("img", name="“bank” takes 0.40 from “duck”, 0.40 from “muddy”")
    expect(picture).to_be_visible()
    expect(page.locator(".toy-verdict")).to_have_text("A bank by the water.")
    expect(page.locator(".toy-tray")).to_be_hidden()
    page.goto(f"{address}steps/{STEPS['02']}/")
    expect(page.locator("attention-toy")).to_be_hidden()
    context.close()


# What each page asks the reader to do first, how it is done, and what the reader then sees.
TASKS: dict[str, tuple[list[str], dict[str, str]]] = {
    "01": (["rich"], {".toy-verdict": "“rich” lies at the money: 0 and 3."}),
    "02": (["old"], {".toy-words small": "0 3 0 0 0 2"}),
    "03": (["exponential"], {".toy-words small": "0.02 0.40 0.02 0.02 0.40 0.15"}),
    "04": (["rich"], {".toy-verdict": "A draw. Which bank is it?"}),
    "05": (["“what kind?” counts=0.1"], {".toy-verdict": "A bank full of money."}),
    "06": (["32"], {".toy-verdict": "“likes” hears “duck”."}),
    "08": ([], {".toy-words small": "0.00 1.00 hidden hidden hidden hidden"}),
    "09": (["blank pages=6"], {".toy-verdict": "Blank pages take 0.51 of “the”."}),
    "10": (["muddy"], {".toy-verdict": "Two questions, one answer: A bank by the water."}),
    "11": (["rich"], {".toy-verdict": "Which bank? They do not settle it."}),
    "12": (["← move the word"] * 3, {".toy-words small": "0.02 0.40 0.40 0.02 0.02 0.15"}),
}


@pytest.mark.parametrize("step", STEPS)
def test_the_first_task_can_be_done(address: str, page: Page, step: str) -> None:
    toy = visit(page, f"{address}steps/{STEPS[step]}/")
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
