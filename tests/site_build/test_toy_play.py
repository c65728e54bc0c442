"""What a reader does with the toy: by mouse, key and finger, through a link, without a script."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, ViewportSize, expect

from attention_steps import trace_attention
from site_build.toy.pages import slug_of
from site_build.toy.picture import sent
from site_build.toy.words import course
from tests.site_build.reading import wait
from tests.site_build.test_toy import DOOR, MUDDY, VECTORS, tensor

ALONE = "toy/the-cat-likes-the-muddy-bank/"  # below the title, as a link to a sentence opens it
HOME = "the duck likes the muddy bank"
PHONE: ViewportSize = {"width": 390, "height": 664}


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


def go(page: Page, fragment: str) -> None:
    """Go to a link of the page that is open, as the reader does who presses one."""
    page.evaluate("hash => { location.hash = hash }", fragment)


def words(toy: Locator) -> str:
    spans = toy.locator(".toy-stage").first.locator(".toy-words button > span")
    return " ".join(spans.all_inner_texts())


def chip(toy: Locator, text: str) -> Locator:
    return toy.locator(".toy-tray").get_by_role("button", name=text, exact=True)


def word(toy: Locator, at: int) -> Locator:
    return toy.locator(".toy-words").first.locator("button").nth(at)


def verdict(toy: Locator) -> Locator:
    return toy.locator(".toy-verdict")


def test_words_are_swapped_and_followed_by_mouse_and_by_key(address: str, page: Page) -> None:
    toy = visit(page, address + DOOR)
    assert words(toy) == HOME
    expect(verdict(toy)).to_have_text("A bank by the water.")
    chip(toy, "rich").click()
    expect(verdict(toy)).to_have_text("Undecided. Which bank is it?")
    expect(toy.locator(".toy-hint")).to_have_text("“rich” pulls against “duck”. Queries help.")
    word(toy, 1).click()
    chip(toy, "banker").click()
    expect(verdict(toy)).to_have_text("A bank full of money.")
    assert page.url.endswith("#the-banker-likes-the-rich-bank")
    chip(toy, "follow “banker”").click()
    expect(word(toy, 1)).to_be_focused()
    assert page.url.endswith("#the-banker-likes-the-rich-bank:2")
    expect(toy.locator("[role=status]")).to_have_text(
        re.compile(r"“banker” takes 0\.\d\d from itself.*“banker” takes most from itself\.$")
    )
    for at, offered in {0: "the", 5: "note", 2: "soaks"}.items():
        word(toy, at).click()
        expect(chip(toy, offered)).to_be_visible()
        expect(word(toy, 1)).to_have_class(re.compile("asks"))
        # A word has numbers of the reader's own where they are free.
        expect(chip(toy, "your word…")).to_have_count(int(at == 2))

    word(toy, 4).focus()
    page.keyboard.press("ArrowDown")
    assert words(toy) == "the banker likes the golden bank"
    expect(word(toy, 4)).to_be_focused()
    for _ in range(3):
        page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    expect(chip(toy, "banker")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("ArrowUp")
    assert words(toy) == "the sailor likes the golden bank"
    page.keyboard.press("Tab")
    expect(chip(toy, "duck")).to_be_focused()
    page.keyboard.press("Enter")
    expect(chip(toy, "duck")).to_be_focused()
    assert words(toy) == "the duck likes the golden bank"


def test_keys_write_a_word_of_ones_own_and_give_it_numbers(address: str, page: Page) -> None:
    toy = visit(page, address + DOOR)
    word(toy, 1).click()
    chip(toy, "your word…").press("Enter")
    own = toy.get_by_label("Your word")
    expect(own).to_be_focused()
    before = words(toy)
    for typed in ["rain", "cat", "ice cream", "<b>", "7", " "]:
        own.fill(typed)
        page.keyboard.press("Tab")
        expect(toy.get_by_role("alert")).to_have_text(re.compile("^Take one word, of letters"))
        assert words(toy) == before
        expect(own).to_have_value("otter")
        own.focus()
    own.fill("Heron")
    page.keyboard.press("Enter")
    assert words(toy) == "the heron likes the muddy bank"
    expect(toy.get_by_label("about money")).to_be_focused()
    for _ in range(6):
        page.keyboard.press("ArrowRight")
    expect(verdict(toy)).to_have_text("Undecided. Which bank is it?")
    expect(toy.locator(".toy-spoken")).to_have_text(re.compile(r"0\.40 from “heron”"))
    expect(page).to_have_url(re.compile("#the-heron-likes-the-muddy-bank&subject=heron,0,3,1,0,0$"))
    inputs = tensor([VECTORS["the"], [0, 3, 1, 0, 0], *map(VECTORS.get, HOME.split()[2:])])
    shares = trace_attention(inputs, inputs, inputs, scale=1.0).weights[5]
    toy.get_by_role("button", name="Show the numbers").click()
    expect(toy.locator(".toy-words small")).to_have_text([f"{share:.2f}" for share in shares])
    own.focus()
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


LINKS = [
    ("the-singer-hears-the-high-note", "the singer hears the high note", ""),
    ("the-otter-likes-the-wet-bank&subject=otter,2,0,1,0,0", "the otter likes the wet bank", ""),
    ("the-heron-likes-the-wet-bank&subject=heron,2,0,1,0", HOME, "“heron” has no numbers"),
    ("the-heron-likes-the-wet-bank&subject=heron,2,0,9,0,0", HOME, "“heron” has no numbers"),
    ("the-cat-likes-the-wet-bank&subject=cat,3,0,1,0,0&numbers", "the cat likes the wet bank", ""),
    ("the-duck-likes-the-rich-bank:9", "the duck likes the rich bank", ""),
    ("the-elephant-likes-the-rich-bank", HOME, "“elephant” has no numbers"),
    ("the-constructor-likes-the-rich-bank", HOME, "“constructor” has no numbers"),
    ("the-rich-duck-likes-bank", HOME, "These words do not make a"),
    ("the-%E0%A4%A", HOME, "has no numbers"),
    ("some-old-heading", HOME, ""),
]


def test_a_link_is_read(address: str, page: Page) -> None:
    toy = visit(page, address + DOOR)
    assert words(toy) == HOME
    for fragment, shown, said in LINKS:
        go(page, HOME.replace(" ", "-"))
        expect(toy.get_by_role("alert")).to_be_empty()
        expect(toy.locator(".toy-words span")).to_have_text(HOME.split())
        go(page, fragment)
        expect(toy.get_by_role("alert")).to_contain_text(said)
        expect(toy.locator(".toy-words span")).to_have_text(shown.split())
        panel = toy.locator(".toy-numbers")
        expect(panel).to_be_visible(visible=fragment.endswith("&numbers"))
        if fragment.endswith("&numbers"):  # a word of the toy keeps its own
            expect(panel.get_by_role("row", name="cat")).to_have_text(re.compile(r"^cat0010"))


def test_a_sentence_to_send_has_a_page_of_its_own(site: Path, address: str, page: Page) -> None:
    for sentence in sent():
        folder = site / "toy" / slug_of(sentence)
        html = (folder / "index.html").read_text("utf-8")
        assert re.search(f'class="?toy-verdict"?>{re.escape(sentence.verdict)}', html)
    toy = visit(page, address + ALONE)
    expect(verdict(toy)).to_have_text("A bank by the water.")
    for swapped, link in [
        ("rich", "toy/the-cat-likes-the-rich-bank/"),
        ("wet", f"{ALONE}#the-cat-likes-the-wet-bank"),
    ]:
        chip(toy, swapped).click()
        toy.get_by_role("button", name="Copy link").click()
        expect(toy.get_by_role("button", name="Copied")).to_be_visible()
        assert page.evaluate("navigator.clipboard.readText()") == address + link
        expect(toy.get_by_role("button", name="Copy link")).to_be_visible()
    page.get_by_role("link", name="Start with step 1").click()
    assert page.url.endswith("/steps/tokens-become-vectors/")


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


@pytest.fixture
def phone(browser: Browser) -> Iterator[Page]:
    """Return the page of a reader with a phone."""
    context = browser.new_context(
        viewport=PHONE, has_touch=True, is_mobile=True, reduced_motion="reduce"
    )
    yield context.new_page()
    context.close()


def drag(page: Page, start: Locator, by: tuple[int, int]) -> None:
    """Move a finger from the middle of something."""
    touch, box = page.context.new_cdp_session(page), start.bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    for at in range(11):
        point = {"x": x + by[0] * at / 10, "y": y + by[1] * at / 10}
        kind = "touchMove" if at else "touchStart"
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [point]})
        page.evaluate("new Promise(requestAnimationFrame)")
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def test_a_finger_taps_words_and_scrolls_the_page(phone: Page, address: str) -> None:
    toy = visit(phone, address + DOOR)
    chip(toy, "rich").tap()
    word(toy, 1).tap()
    chip(toy, "banker").tap()
    expect(verdict(toy)).to_have_text("A bank full of money.")
    phone.evaluate("scrollTo(0, 0)")
    drag(phone, word(toy, 4), (0, -180))
    wait(phone, "scrollY > 50")
    assert words(toy) == "the banker likes the rich bank"
    phone.evaluate(TO_THE_TOP)
    chip(toy, "your word…").tap()
    toy.get_by_label("Your word").tap()
    phone.keyboard.press("ControlOrMeta+A")
    phone.keyboard.type("otter")
    slider = toy.get_by_label("about water")
    box = slider.bounding_box()
    assert box
    assert box["height"] >= 44
    phone.touchscreen.tap(box["x"] + box["width"] - 4, box["y"] + box["height"] / 2)
    assert words(toy) == "the otter likes the rich bank"
    expect(slider).to_have_value("3")
    expect(verdict(toy)).to_have_text("Undecided. Which bank is it?")


# How wide the arc of the word to itself is between its legs, and how thick.
LEGS = """(toy) => [...toy.querySelectorAll(".toy-arcs path")].slice(-1).map((way) =>
    [way.getPointAtLength(way.getTotalLength()).x - way.getPointAtLength(0).x,
     parseFloat(getComputedStyle(way).strokeWidth)])[0]"""
EDGES = "all => all.map(b => b.getBoundingClientRect()).flatMap(b => [b.left, b.right])"
SIZES = """toy => [...toy.querySelectorAll('button, a')].filter(b => b.checkVisibility())
    .map(b => [b.offsetWidth, b.offsetHeight])"""


def test_a_phone_shows_all_of_it_at_once(address: str, page: Page) -> None:
    page.set_viewport_size(PHONE)
    toy = visit(page, address + ALONE)
    longest = [
        [max(course()["slots"][slot], key=len) for slot in template]
        for template in course()["templates"]
    ]
    for sentence in (MUDDY.split(), *longest):
        page.set_viewport_size(PHONE)
        go(page, "-".join(sentence))
        expect(toy.locator(".toy-words span")).to_have_text(sentence)
        page.evaluate("scrollTo(0, 0)")
        expect(toy.locator(".toy-bar > *").last).to_be_in_viewport(ratio=1)
        expect(page.locator("h1")).to_be_in_viewport(ratio=1)
        assert all(width >= 40 and height >= 44 for width, height in toy.evaluate(SIZES))
        for width in (320, 390):
            page.set_viewport_size({"width": width, "height": 664})
            edges = toy.locator(".toy-words button").evaluate_all(EDGES)
            assert edges == sorted(edges), "no word lies on another"
            assert edges[0] >= 0
            assert edges[-1] <= width
            wait(page, f"document.documentElement.scrollWidth === {width}")
    go(page, HOME.replace(" ", "-"))
    expect(toy.locator(".toy-words span")).to_have_text(HOME.split())
    toy.get_by_role("button", name="Numbers").click()
    expect(toy.locator(".toy-numbers table")).to_be_in_viewport(ratio=1)
    own = "subject=extragravity,0,0,1,0,0&adjective=wwwwwwwwwwww,0,0,0,3,0"
    go(page, f"the-extragravity-likes-the-wwwwwwwwwwww-bank&{own}")
    expect(toy.locator(".toy-words")).to_contain_text("extragravity")
    edges = toy.locator(".toy-words button").evaluate_all(EDGES)
    assert edges[0] >= 0
    assert edges[-1] <= PHONE["width"]
    go(page, "the-cat-likes-the-rich-bank:5")
    expect(toy.locator(".toy-words .asks")).to_contain_text("rich")
    apart, thick = toy.evaluate(LEGS)
    assert thick > 0.05 * toy.evaluate("toy => toy.offsetWidth"), "the whole share"
    assert apart > 1.3 * thick, "the arc of a word to itself is open"


# The words, chips and buttons, the line and the pill; then the arcs and the ribbons.
PLACES = ".toy-words button;.toy-tray button;.toy-bar > *;.toy-pill rect;.toy-pole;.toy-began"
CURVES = ":is(.toy-arcs, .toy-ribbons) path"
BOXES = """(parts) => parts.split(";").flatMap((part) => [...document.querySelectorAll(part)])
  .filter((part) => part.checkVisibility())
  .map((part) => [part.getBoundingClientRect(), parseFloat(getComputedStyle(part).strokeWidth)])
  .map(([{ x, y, right, bottom }, thick]) => [[x, y, right, bottom], thick])"""


@pytest.mark.parametrize(("path", "width"), [(DOOR, 1440), ("toy/the-bank-likes-money/", 390)])
def test_the_printed_picture_stands_without_a_script_and_where_the_script_draws_it(
    address: str, browser: Browser, path: str, width: int
) -> None:
    context = browser.new_context(
        java_script_enabled=False, viewport={"width": width, "height": 900}
    )
    plain = context.new_page()
    plain.goto(address + path)
    picture = plain.get_by_role("img", name=re.compile(r"“bank” takes 0\.\d\d from “(duck|mo)"))
    expect(picture).to_be_visible()
    expect(plain.locator(".toy-verdict")).not_to_be_empty()
    expect(plain.locator(".toy-tray")).to_be_hidden()
    context.close()

    context = browser.new_context(viewport={"width": width, "height": 900}, reduced_motion="reduce")
    page = context.new_page()
    page.route("**/toy/toy.js", lambda route: None)
    page.goto(address + path)
    page.evaluate("document.fonts.ready")
    page.locator("attention-toy").evaluate("toy => toy.scrollIntoView()")
    places, curves = page.evaluate(BOXES, PLACES), page.evaluate(BOXES, CURVES)
    page.unroute_all()
    page.reload()
    page.locator("attention-toy").evaluate("toy => toy.scrollIntoView()")
    page.locator(".live svg[aria-hidden] .toy-pill").wait_for()
    now = page.evaluate(BOXES, PLACES)
    assert len(now) == len(places) >= 18
    for (before, _), (after, _) in zip(places, now, strict=True):
        assert after == pytest.approx(before, abs=1)
    now = page.evaluate(BOXES, CURVES)
    for (before, thick), (after, thick_now) in zip(curves, now, strict=True):
        # The build guesses how wide the reader's letters are.
        assert after == pytest.approx(before, abs=0.02 * width + 3)
        assert thick_now == pytest.approx(thick, abs=0.3)
    context.close()
