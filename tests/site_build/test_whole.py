"""The whole model in one drawing: the numbers of torch, and what a reader can do with it."""

from collections.abc import Iterator
from typing import Any

import pytest
import torch
from playwright.sync_api import Browser, Locator, Page, ViewportSize, expect

from attention_story.stories import ID, WORDS
from site_build.whole.drawn import draw
from site_build.whole.picture import block_tells
from tests.site_build.axe import violations
from tests.site_build.whole.oracle import Traced, changed, traced

PAGE = "steps/the-whole-model/"
MUDDY = "the duck likes the muddy bank . the bank is full of"
TEXTS = [MUDDY, MUDDY.replace("muddy", "rich"), "duck ida meets queen tom . queen"]
TWINS = {"muddy": "rich", "rich": "muddy", "tom": "ned"}


@pytest.fixture
def drawing(address: str, page: Page) -> Locator:
    page.set_viewport_size({"width": 1280, "height": 900})
    return opened(page, address + PAGE)


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


def opened(page: Page, address: str) -> Locator:
    page.goto(address)
    page.locator("whole-model").scroll_into_view_if_needed()
    page.locator("whole-model [inert]").first.wait_for(state="detached")
    page.locator(".whole-tray button").first.focus()
    page.locator("whole-model.live").wait_for()
    return page.locator("whole-model")


def put(drawing: Locator, **attributes: str) -> None:
    """Set attributes, as a script of a page does, and wait until they are drawn."""
    drawing.evaluate(
        """async (drawing, attributes) => {
            for (const [name, value] of Object.entries(attributes))
                if (value) drawing.setAttribute(name, value); else drawing.removeAttribute(name)
            for (const _ of [1, 2]) await new Promise(requestAnimationFrame)
        }""",
        attributes,
    )
    if attributes.get("open", "0") not in {"", "0", "1"}:
        drawing.locator(".whole-inside").wait_for()


# ---- the numbers -------------------------------------------------------------------------------

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


@pytest.mark.parametrize("off", [[], ["0.1"], ["0.0", "1.1"], ["0.mlp"]], ids=str)
@pytest.mark.parametrize("text", TEXTS)
def test_what_the_page_computes_on_the_way_is_what_torch_computes(
    still: Locator, text: str, off: list[str]
) -> None:
    found, expected = still.page.evaluate(INSIDE, [text, off]), traced(text, {*off})
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


# Of each line: its numbers, its own width, and that of the coloured line in it.
LINES = """(drawing, kind) => [...drawing.querySelectorAll(`path[data-${kind}]`)].map((path) => {
  const core = path.nextElementSibling?.matches(".core") && path.nextElementSibling
  const width = (line) => parseFloat(getComputedStyle(line).strokeWidth)
  return {...path.dataset, width: width(path), core: core ? width(core) : 0}
})"""


@pytest.mark.parametrize(("window", "unit"), [(1280, 1), (390, 0.65)])
@pytest.mark.parametrize("off", ["", "0.1", "1.mlp 0.0"])
@pytest.mark.parametrize("text", TEXTS)
def test_lines_are_as_wide_and_as_coloured_as_torch_says(
    still: Locator, text: str, off: str, window: int, unit: float
) -> None:
    still.page.set_viewport_size({"width": window, "height": 900})
    put(still, text=text, off=off)
    word = next(word for word in ("muddy", "rich", "tom") if word in text.split())
    now = traced(text, {*off.split()})
    twin = traced(text.replace(word, TWINS[word]), {*off.split()})

    ribbons = still.evaluate(LINES, "ribbon")
    expected = expected_ribbons(now, twin)
    assert {each["ribbon"] for each in ribbons} == {*expected}
    for each in ribbons:
        weight, share = expected[each["ribbon"]]
        assert float(each["weight"]) == pytest.approx(weight, abs=1e-10)
        assert float(each["changed"]) == pytest.approx(share, abs=1e-10)
        wide = max(0.8, weight * 17)
        core = wide * share if wide * share >= 0.4 else 0
        assert each["width"] == pytest.approx(wide * unit, abs=0.01)
        assert each["core"] == pytest.approx(core * unit, abs=0.01)

    streams = still.evaluate(LINES, "stream")
    sizes, shares = now.levels.norm(dim=-1), changed(now.levels, twin.levels)
    assert {each["stream"][0] for each in streams} == {*"01234"}
    for each in streams:
        level, at = map(int, each["stream"].split("."))
        wide = max(1, sizes[level, at].item())
        core = wide * shares[level, at].item()
        core = core if core >= 0.4 else 0
        assert float(each["size"]) == pytest.approx(sizes[level, at].item(), abs=1e-10)
        assert each["width"] == pytest.approx(wide * unit, abs=0.01)
        assert each["core"] == pytest.approx(core * unit, abs=0.01)


def expected_ribbons(now: Traced, twin: Traced) -> dict[str, tuple[float, float]]:
    """Return the weight of each ribbon that is drawn, and how much of its value is different."""
    found: dict[str, tuple[float, float]] = {}
    for layer, (trace, other) in enumerate(zip(now.traces, twin.traces, strict=True)):
        share = changed(trace.value[0], other.value[0])
        for head, row in enumerate(trace.weights[0, :, -1]):
            found |= {
                f"{layer}.{head}.{j}": (weight, share[head, j].item())
                for j, weight in enumerate(row.tolist())
                if weight >= 0.004
            }
    return found


def test_an_opened_head_has_the_scores_of_torch_and_leads_to_their_steps(
    still: Locator, site: Any
) -> None:
    put(still, open="0.1")
    expected = traced(MUDDY).traces[0].scaled_scores[0, 1, -1].tolist()
    bars = still.locator("[data-score]")
    found = bars.evaluate_all("(bars) => bars.map((bar) => Number(bar.dataset.score))")
    assert found == pytest.approx(expected, abs=1e-10)
    for part in ("vectors", "0.1", "0.plus", "0.mlp", "answer"):
        put(still, open=part)
        links = still.locator(f".whole-part:has([data-act='toggle:{part}']) [data-row] a")
        links.first.wait_for()
        for link in links.all():
            path = (link.get_attribute("href") or "").partition("/steps/")[2]
            assert (site / "steps" / path / "index.html").is_file(), path


@pytest.mark.parametrize("off", ["", "0.1"])
def test_the_opened_answer_has_the_shares_of_torch(still: Locator, off: str) -> None:
    put(still, open="answer", off=off)
    bars = still.locator("[data-share]")
    expect(bars).to_have_count(len(WORDS))
    found = bars.evaluate_all("(bars) => bars.map((bar) => Number(bar.dataset.share))")
    shares = traced(MUDDY, {*off.split()}).shares(-1, -1).sort(descending=True).values
    assert found == pytest.approx(shares.tolist(), abs=1e-10)


@pytest.mark.parametrize("off", ["", "0.1"])
def test_what_it_would_say_so_far_is_what_torch_would_say(still: Locator, off: str) -> None:
    now = traced(MUDDY, {*off.split()})
    best = [now.shares(level, -1).max(dim=-1) for level in range(5)]
    said = [(WORDS[each.indices], f"{100 * each.values:.0f} %") for each in best]
    for layer in (0, 1):
        put(still, off=off, open=f"{layer}.plus")
        levels = sorted({2, 4, 2 * layer + 1})  # behind each round, and in the middle of this one
        lenses = [f"so far: {said[level][0]} {said[level][1]}" for level in levels]
        expect(still.locator(".whole-lens")).to_have_text(lenses)
        before, after = (f"“{word}”, {share}" for word, share in said[2 * layer : 2 * layer + 2])
        told = f"Read before, the answer would be {before}; after it, {after}."
        expect(still.locator("[data-row=plus]")).to_contain_text(told)


# ---- what a reader does --------------------------------------------------------------------------


def press(button: Locator, by: str) -> None:
    """Press a button with the mouse or a key."""
    if by == "mouse":
        button.click()
        return
    button.focus()
    button.press("Enter")


@pytest.mark.parametrize("by", ["mouse", "key"])
def test_another_word_makes_another_answer(drawing: Locator, by: str) -> None:
    told, texts = drawing.locator(".whole-told"), drawing.locator(".whole-texts button")
    expect(texts).to_have_text(
        [f"{MUDDY.replace(' .', '.')} water100 %", f"{TEXTS[1].replace(' .', '.')} money100 %"]
    )
    rich = drawing.get_by_role("button", name="rich", exact=True)
    press(rich, by)
    expect(told).to_contain_text("The answer is “money”, 100 %.")
    expect(rich).to_have_attribute("aria-pressed", "true")
    expect(texts.nth(1)).to_have_attribute("aria-pressed", "true")
    press(texts.first, by)
    expect(told).to_contain_text("The answer is “water”, 100 %.")


@pytest.mark.parametrize("by", ["mouse", "key"])
def test_without_one_head_mud_becomes_money(drawing: Locator, by: str) -> None:
    told = drawing.locator(".whole-told")
    press(drawing.get_by_role("button", name="First block"), by)
    head = drawing.get_by_role("button", name="“of” looks at “muddy”")
    press(head, by)
    expect(drawing.locator("[data-row]")).to_have_count(6)
    switch = drawing.get_by_role("button", name="switch the look at “muddy” in the first block")
    press(switch, by)
    expect(told).to_have_text(
        "Switched off: the look at “muddy” in the first block. The answer is “money”, 100 %. "
        "With all parts on, it is “water”, 100 %."
    )
    if by == "key":
        expect(switch).to_be_focused()
    press(drawing.get_by_role("button", name="wet", exact=True), by)
    expect(told).to_contain_text("Switched off: the look at “wet”")
    press(drawing.get_by_role("button", name="other text"), by)
    expect(told).not_to_contain_text("Switched off")


@pytest.mark.parametrize("by", ["mouse", "key"])
def test_one_vector_of_the_other_text_turns_the_answer(address: str, page: Page, by: str) -> None:
    drawing = opened(page, address + "steps/look-inside/")
    told, tray = drawing.locator(".whole-told"), drawing.locator(".whole-tray")
    expect(tray).not_to_contain_text("Take")
    word = drawing.get_by_role("button", name="of, word 12")
    press(word, by)
    expect(tray).to_contain_text("Take “of” from the text with “rich”:")
    second = tray.get_by_role("button", name="before the second block")
    press(second, by)
    expect(told).to_have_text(
        "Before the second block, “of” comes from the text with “rich”. The answer is “money”, "
        "100 %. Without the patch, it is “water”, 100 %."
    )
    expect(word).to_have_class("patched asks")
    expect(drawing).to_contain_class("whole-money")
    if by == "key":
        expect(second).to_be_focused()
    press(tray.get_by_role("button", name="before the first block"), by)
    expect(told).to_contain_text("The answer is “water”, 100 %.")
    put(drawing, off="0.1")
    expect(told).to_contain_text("The answer is “money”, 100 %. With all parts on and no patch, it")
    press(tray.get_by_role("button", name="all parts on"), by)
    press(tray.get_by_role("button", name="before the first block"), by)
    expect(told).to_contain_text("takes 96 % from “muddy”")
    expect(drawing.locator(".patched")).to_have_count(0)


@pytest.mark.parametrize("off", [[], ["1.1"]], ids=str)
@pytest.mark.parametrize(("layer", "place"), [(0, 5), (1, 5), (1, 12), (0, 12)])
def test_a_patched_drawing_has_the_numbers_of_torch(
    still: Locator, layer: int, place: int, off: list[str]
) -> None:
    put(still, patch=f"{layer}.{place}", off=" ".join(off))
    found = still.evaluate("({drawn}) => Array.from(drawn.now.streams.at(-1).at(-1))")
    plain, donor = traced(MUDDY, {*off}), traced(TEXTS[1], {*off})
    patch = (layer, place, donor.levels[2 * layer, place])
    assert close(found, traced(MUDDY, {*off}, patch).levels[-1, -1])
    level = still.evaluate("({drawn}) => drawn.levels.map((all) => all.map((it) => it.changed))")
    before = torch.tensor(level[: 2 * layer])
    assert not before.any(), "nothing is coloured before the patch"
    share = changed(donor.levels, plain.levels)[2 * layer, place]
    assert level[2 * layer][place] == pytest.approx(share.item(), abs=1e-10)


@pytest.mark.parametrize("patch", ["2.5", "0.13", "x", "1"])
def test_a_patch_that_there_is_not_changes_nothing(still: Locator, patch: str) -> None:
    before = still.locator(".whole-told").inner_text()
    put(still, patch=patch)
    expect(still.locator(".whole-told")).to_have_text(before)


def test_in_an_opened_head_the_arrow_keys_choose_the_word_that_is_told(drawing: Locator) -> None:
    put(drawing, open="0.1")
    scores = drawing.locator("[data-row=scores] p")
    expect(scores).to_contain_text("for “muddy”, ÷ √8 = 10.1.")
    drawing.get_by_role("button", name="“of” looks at “muddy”").press("ArrowLeft")
    expect(scores).to_contain_text("for “the”, ÷ √8 = 2.9.")


def test_the_arrow_keys_go_along_the_words(drawing: Locator) -> None:
    words = drawing.locator(".whole-words button")
    stops = words.evaluate_all("(all) => all.filter((word) => word.tabIndex === 0).length")
    assert stops == 1
    drawing.locator(".whole-words [tabindex='0']").press("ArrowLeft")
    expect(words.nth(4)).to_be_focused()
    words.nth(4).press("ArrowLeft")
    words.nth(3).press("ArrowLeft")
    words.nth(2).press("Enter")
    expect(drawing.get_by_role("button", name="frog", exact=True)).to_be_visible()


def test_the_word_that_asks_can_be_another_one(drawing: Locator) -> None:
    drawing.get_by_role("button", name="bank, word 6").click()
    drawing.get_by_role("button", name="ask from “bank”").click()
    expect(drawing.locator(".whole-texts button").first).to_have_text(
        "the duck likes the muddy bank.100 %"
    )
    drawing.get_by_role("button", name="ask from “of”").click()
    expect(drawing.locator(".whole-told")).to_contain_text("“water”")


def test_numbers_of_another_training_come_in_as_a_property(drawing: Locator) -> None:
    drawing.evaluate(
        """(drawing) => {
            const embedding = drawing.numbers.embedding.map((number) => -number)
            drawing.numbers = {...drawing.numbers, embedding}
        }"""
    )
    expect(drawing.locator(".whole-told")).not_to_contain_text("“water”, 100 %")


def test_the_small_drawing_of_a_page_opens_with_the_part_of_the_page(
    address: str, page: Page
) -> None:
    page.goto(address + "steps/scores/", wait_until="networkidle")
    where = page.get_by_role("link", name="You are here: scores")
    press(where, "key")
    drawing = page.locator("whole-model")
    expect(drawing.locator(".lit")).to_have_attribute("data-row", "scores")
    expect(drawing.get_by_role("button", name="“of” looks at “muddy”")).to_be_focused()
    expect(where).to_have_count(0)


@pytest.mark.parametrize("by", ["button", "Escape"])
def test_the_drawing_of_a_page_closes_and_is_small_again(address: str, page: Page, by: str) -> None:
    page.goto(address + "steps/scores/", wait_until="networkidle")
    where = page.get_by_role("link", name="You are here: scores")
    where.click()
    close = page.locator("whole-model").get_by_role("button", name="close", exact=True)
    if by == "button":
        close.click()
    else:
        close.press("Escape")
    expect(where).to_be_focused()
    expect(page.locator("whole-model")).to_have_count(0)
    where.press("Enter")
    expect(close).to_be_visible()


def test_without_a_script_the_small_drawing_leads_to_the_whole_one(
    address: str, browser: Browser
) -> None:
    context = browser.new_context(java_script_enabled=False)
    plain = context.new_page()
    plain.goto(address + "steps/scores/")
    plain.get_by_role("link", name="You are here: scores").click()
    expect(plain.locator("whole-model")).to_be_visible()
    context.close()


# ---- links to what it shows ----------------------------------------------------------------------

INSIDE_PAGE = "steps/look-inside/"


@pytest.mark.parametrize("by", ["mouse", "key"])
def test_a_link_keeps_what_is_shown(address: str, page: Page, by: str) -> None:
    drawing = opened(page, address + INSIDE_PAGE)
    for name in ("First block", "“of” looks at “muddy”"):
        press(drawing.get_by_role("button", name=name), by)
    press(drawing.get_by_role("button", name="wet", exact=True), by)
    press(drawing.get_by_role("button", name="of, word 12"), by)
    press(drawing.get_by_role("button", name="before the second block"), by)
    press(drawing.get_by_role("button", name="switch the look at “the” in the first block"), by)
    press(drawing.get_by_role("button", name="copy link"), by)
    expect(drawing.get_by_text("copied")).to_be_visible()
    link = page.evaluate("navigator.clipboard.readText()")
    assert link == page.url
    told = drawing.locator(".whole-told").inner_text()
    assert "Switched off: the look at “the”" in told
    assert "“of” comes from the text with “locked”" in told
    other = page.context.new_page()
    other.goto(link)
    expect(other.locator(".whole-told")).to_have_text(told)
    expect(other.locator("[data-row]")).to_have_count(6)
    expect(other.get_by_role("button", name="“of” looks at “wet”")).to_be_focused()
    other.goto(link.replace("off=0.0", "off=9").partition("&patch")[0])  # 9 is no part
    expect(other.locator(".whole-told")).not_to_contain_text("Switched off")


# Whether it copies without being permitted to differs between browsers.
COPIES_NOTHING = "navigator.clipboard.writeText = () => Promise.reject(new Error('refused'))"


def test_a_browser_that_copies_nothing_leaves_the_address(address: str, new_tab: Page) -> None:
    page, wrong = new_tab, list[str]()
    page.add_init_script(COPIES_NOTHING)
    page.on("pageerror", lambda error: wrong.append(error.message))
    drawing = opened(page, address + INSIDE_PAGE)
    drawing.get_by_role("button", name="copy link").click()
    expect(drawing.get_by_text("copy the address")).to_be_visible()
    assert page.url.endswith("#whole&text=muddy")
    assert wrong == []


@pytest.mark.parametrize("by", ["mouse", "key"])
@pytest.mark.parametrize("path", [PAGE, INSIDE_PAGE])
def test_a_sentence_opens_the_part_it_speaks_of_and_the_part_names_it(
    address: str, page: Page, path: str, by: str
) -> None:
    drawing = opened(page, address + path)
    links = page.locator("a[href^='#whole:']")
    assert links.count() > 2
    for link in links.all():
        part = str(link.get_attribute("href")).removeprefix("#whole:")
        line = drawing.locator(f"[data-act='toggle:{part}']")
        for _ in ("for the first time", "when the reader has closed it"):
            press(link, by)
            expect(line).to_have_attribute("aria-expanded", "true")
            expect(line).to_be_focused()
            expect(line).to_be_in_viewport()
            back = drawing.locator(f".whole-inside a[href='#of-{part}-0']")
            expect(back).to_have_count(1)
            line.press("Enter")
        press(link, by)
        back.press("Enter")
        expect(link).to_be_in_viewport()
        said = back.inner_text().strip("“”")
        block = link.locator("xpath=ancestor::*[self::p or self::li][1]").inner_text()
        assert "".join(said.split()) in "".join(block.split())
        assert said[-1] in ".:"


def test_a_sentence_leaves_what_the_reader_has_chosen(address: str, page: Page) -> None:
    drawing = opened(page, address + INSIDE_PAGE)
    drawing.get_by_role("button", name="rich", exact=True).click()
    page.get_by_role("link", name="head 0.1").click()
    expect(drawing.get_by_role("button", name="“of” looks at “rich”")).to_be_focused()


def test_without_a_script_a_sentence_leads_to_the_drawing(address: str, browser: Browser) -> None:
    context = browser.new_context(java_script_enabled=False)
    plain = context.new_page()
    plain.goto(address + INSIDE_PAGE)
    plain.get_by_role("link", name="the answer", exact=True).click()
    expect(plain.locator(".whole-texts")).to_be_in_viewport(ratio=1)
    context.close()


# ---- how it is there -----------------------------------------------------------------------------


@pytest.fixture
def moving(browser: Browser) -> Iterator[Page]:
    """Return a tab of a reader who has nothing against motion."""
    context = browser.new_context(reduced_motion="no-preference")
    yield context.new_page()
    context.close()


def test_the_film_plays_and_a_press_ends_it(address: str, moving: Page) -> None:
    moving.clock.install()
    drawing = opened(moving, address + PAGE)
    moving.clock.pause_at("2100-01-01")  # or a busy machine plays on between two lines of this test
    told = drawing.locator(".whole-told")
    before = told.inner_text()
    drawing.get_by_role("button", name="play").click()
    moving.clock.run_for(500)
    expect(told).to_contain_text("How does it know?")
    expect(drawing).to_have_class("whole-water live unplayed")
    moving.clock.run_for(1800)
    expect(told).to_have_text("First block: “of” takes 96 % from “muddy”.")
    drawing.locator(".whole-legend").click()
    expect(told).to_have_text(before)
    expect(drawing).to_have_class("whole-water live")


def test_the_film_waits_for_what_is_below_the_window(address: str, moving: Page) -> None:
    moving.clock.install()
    moving.goto(address + PAGE)
    drawing = moving.locator("whole-model")
    told = drawing.locator(".whole-told")
    lanes = drawing.locator(".lanes")
    below = "part.getBoundingClientRect().bottom + 20 - innerHeight"
    shown_to = f"(part) => scrollBy(0, {below})"
    lanes.first.evaluate(shown_to)
    expect(told).to_contain_text("How does it know?")
    for layer, says in enumerate(["So far: water 91 %.", "So far: water 100 %."]):
        lanes.nth(layer).evaluate(shown_to)
        moving.clock.run_for(60_000)
        expect(told).to_contain_text(says)
        expect(drawing).to_have_class("whole-water unplayed")
    drawing.locator(".whole-legend").evaluate(shown_to)
    moving.clock.run_for(60_000)
    expect(told).to_contain_text("The answer is “water”, 100 %.")
    expect(drawing).to_have_class("whole-water")


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


def test_a_swap_sends_a_pulse_along_the_ribbon(address: str, moving: Page) -> None:
    drawing = opened(moving, address + PAGE)
    expect(drawing.locator(".pulse")).to_have_count(0)
    drawing.get_by_role("button", name="wet", exact=True).click()
    expect(drawing.locator(".pulse")).to_have_count(1)


@pytest.mark.parametrize("width", [1440, 1024, 660, 390, 320])
@pytest.mark.parametrize("part", ["", "vectors", "0", "0.1", "0.plus", "0.mlp", "answer"])
def test_it_fits_and_is_whole_at_every_width(still: Locator, width: int, part: str) -> None:
    page = still.page
    page.set_viewport_size({"width": width, "height": 900})
    put(still, open=part)
    assert page.evaluate("document.documentElement.scrollWidth") == width
    seen = "parts.filter((part) => part.checkVisibility())"  # without motion, there is no film
    high = f"(parts) => {seen}.map((part) => part.offsetHeight)"
    assert min(still.locator("button").evaluate_all(high)) >= 44
    if width in (1440, 390):
        assert not violations(page, within="whole-model")


@pytest.mark.parametrize("part", ["vectors", "0.1", "0.plus", "0.mlp"])
def test_a_sentence_of_the_page_is_read_to_its_end(still: Locator, part: str) -> None:
    still.page.set_viewport_size({"width": 390, "height": 844})
    put(still, open=part)
    said = still.locator("p", has_text="The page says:")
    right = "(part) => part.getBoundingClientRect().right"
    assert said.locator("a").last.evaluate(right) <= still.evaluate(right)


@pytest.mark.parametrize("width", [390, 320])
def test_it_fits_whatever_word_asks(still: Locator, width: int) -> None:
    still.page.set_viewport_size({"width": width, "height": 900})
    sideways = []
    for text in TEXTS:
        put(still, text=text)
        for at in range(len(text.split()) + 1):
            put(still, at=str(at))
            lenses = still.locator(".whole-lens")
            ends = lenses.evaluate_all("all => all.map((it) => it.getBoundingClientRect().right)")
            whole = still.page.evaluate("document.documentElement.scrollWidth")
            if max([whole, *ends]) > width:
                sideways.append((text, at, whole, ends))
    assert not sideways


@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_moves_when_the_script_comes(
    address: str, page: Page, browser: Browser, width: int
) -> None:
    size = ViewportSize(width=width, height=900)
    page.set_viewport_size(size)
    live = opened(page, address + PAGE)
    context = browser.new_context(java_script_enabled=False, viewport=size)
    plain = context.new_page()
    plain.goto(address + PAGE)
    parts = ".whole-texts, .whole-told, .whole-words, .whole-part, .whole-legend"
    boxes = "(parts) => parts.map((part) => [part.className, part.offsetHeight])"
    printed = plain.locator("whole-model").locator(parts).evaluate_all(boxes)
    assert printed == live.locator(parts).evaluate_all(boxes)
    words = plain.locator(".whole-told").inner_text()
    assert words == live.locator(".whole-told").inner_text()
    expect(plain.locator(".whole-tray")).to_be_hidden()
    widths = "(lines) => lines.map((line) => getComputedStyle(line).strokeWidth)"
    drawings = plain.locator("whole-model"), live
    found = [each.locator(".ribbon, .stream").evaluate_all(widths) for each in drawings]
    assert found[0] == found[1]
    assert len(set(found[0])) > 10
    context.close()
    after = live.evaluate("(drawing) => drawing.offsetHeight")
    page.goto(address + PAGE)  # where nobody has touched it yet
    assert live.evaluate("(drawing) => drawing.offsetHeight") == after


def test_every_word_that_can_be_swapped_is_known(drawing: Locator) -> None:
    course = drawing.page.evaluate(
        "async () => (await import(new URL('/assets/whole/words.js', location))).default"
    )
    kinds, pairs = (
        {word for group in course[name] for word in group} for name in ("kinds", "pairs")
    )
    assert kinds == pairs
    assert kinds <= {*ID}
