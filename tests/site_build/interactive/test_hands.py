"""What holds of every figure in the reader's hands, and for everyone who holds one."""

import re
from collections.abc import Iterator
from urllib.parse import parse_qsl

import pytest
from playwright.sync_api import Browser, CDPSession, Locator, Page, expect

from site_build.interactive.chromium import ASSETS
from site_build.markdown.states import DRAWN
from tests.conftest import LOOKED_AT, sources
from tests.site_build.reading import Held, stir, wait

HAND = re.compile(r'^```hand figure="([\w-]+)"', re.MULTILINE)
LINK = re.compile(r"\]\(#([\w-]+)&([^)]*)\)")
TEXTS = {path: path.read_text("utf-8") for path in sources(".md") if path.stem != "writing-a-page"}
FIGURES = {  # and the address of the page that has it
    name: f"{path.parent.name}/{path.stem}/"
    for path, text in TEXTS.items()
    for name in HAND.findall(text)
}
ONE = max(FIGURES, default="")
LOOKED = [name for name, page in FIGURES.items() if page in LOOKED_AT]
LINKS = [link for text in TEXTS.values() for link in LINK.findall(text)]  # figures and states
NARROW, PHONE, WIDE = 320, 390, 1280
HUES = re.findall(r'^  "([\w-]+)",', (ASSETS / "interactive" / "marks.js").read_text("utf-8"), re.M)

# Goes to some moments, presses every answer of every choice, and tells what is wrong on the way. It
# leaves the figure as it was.
LOOK = """(host, hues) => {
  const named = `var\\\\(--hand-(${hues.join("|")})\\\\)`
  const allowed = new RegExp(`^(none|url\\\\(#hand-hatched\\\\)|${named})$`)
  const wrong = new Set()
  const complain = (about, part) => wrong.add(`${about}: ${part.outerHTML.slice(0, 120)}`)
  const height = host.offsetHeight
  const shown = () => [...host.querySelectorAll(".hand-stage > svg")].find((svg) => svg.clientWidth)
  const large = ({ width, height }) => Math.min(width, height) >= 43.9
  const look = () => {
    const svg = shown()
    const scale = svg.clientWidth / svg.viewBox.baseVal.width
    const frame = svg.getBoundingClientRect()
    for (const part of svg.querySelectorAll("*")) {
      for (const name of ["fill", "stroke"])
        if (!allowed.test(part.getAttribute(name) ?? "none")) complain("a hue of its own", part)
      if (part.hasAttribute("style")) complain("a style of its own", part)
      const box = part.getBoundingClientRect()
      if (part.matches("[tabindex]") && !large(box)) complain("too small to press", part)
      if (part.tagName !== "text" || !box.width) continue
      if (parseFloat(getComputedStyle(part).fontSize) * scale < 12) complain("small letters", part)
      if (box.left < frame.left - 1 || box.right > frame.right + 1 ||
          box.top < frame.top - 3 || box.bottom > frame.bottom + 3)
        complain("beyond the picture", part)
    }
    if (!host.querySelector(".hand-says").textContent) wrong.add("nothing is said")
    if (svg.getAttribute("aria-label") !== host.querySelector(".hand-says").textContent)
      complain("the picture has another name", svg)
    const said = host.querySelector(".hand-says").textContent
    if (/undefined|NaN|null|Infinity/.test(svg.textContent + said)) wrong.add(`no number: ${said}`)
    if (!host.querySelector("details[open]") && host.offsetHeight !== height)
      wrong.add(`${host.offsetHeight} px high, and ${height} at first: ${said}`)
    for (const part of host.querySelectorAll(".hand-says, .hand-controls, .hand-controls *"))
      if (part.getBoundingClientRect().right > host.getBoundingClientRect().right + 1)
        complain("beyond the figure", part)
  }
  const inputs = [...host.querySelectorAll(".hand-controls input")]
  const chosen = inputs.map(({ checked, value }) => [checked, value])
  const slide = (input, value) => {
    input.value = value
    input.dispatchEvent(new Event("input"))
  }
  const slider = host.querySelector(".hand-bar input")
  for (const t of slider ? [0, Math.floor(slider.max / 2), slider.max] : [0]) {
    if (slider) slide(slider, t)
    look()
  }
  for (const input of host.querySelectorAll(".hand-controls > :not(.hand-bar, details) input")) {
    if (!input.checkVisibility()) continue
    if (input.type === "range") slide(input, input.max)
    else input.click()
    look()
  }
  const controls = ":is(button, input[type=range], label:has([type=radio]), summary)"
  for (const control of host.querySelectorAll(`.hand-controls ${controls}`))
    if (control.checkVisibility() && !large(control.getBoundingClientRect()))
      complain("too small to press", control)
  inputs.forEach((input, at) => {
    const [checked, value] = chosen[at]
    if (input.type === "range") slide(input, value)
    else if (checked !== input.checked && (checked || input.type === "checkbox")) input.click()
  })
  return [...wrong]
}"""


# The picture that is seen.
MOMENT = """(host) => [...host.querySelectorAll(".hand-stage > svg")]
  .find((svg) => svg.clientWidth).innerHTML"""
CHOSEN = "(inputs) => inputs.map(({ name, value, checked }) => [name, value, checked])"
# Whether the controls of a figure show this choice, or this moment.
HAS_CHOICE = """([name, choice, value]) => {
  const figure = document.querySelector(`hand-figure[figure="${name}"]`)
  const chosen = [...figure.querySelectorAll(".hand-choices :is(:checked, [type=range])")]
  const state = chosen.map((input) => [input.name.slice(name.length + 1), input.value])
  const moment = ["t", figure.querySelector(".hand-bar input")?.value ?? "0"]
  return [...state, moment].some((each) => each[0] === choice && each[1] === value)
}"""

# Goes to a link of the page, and waits until those who follow its address have been told.
GO = """(state) => new Promise((told) => {
  if (location.hash === `#${state}`) told()
  addEventListener("hashchange", () => requestAnimationFrame(told), { once: true })
  location.hash = state
})"""


def held(page: Page, address: str, name: str, hash: str = "") -> Locator:
    """Open the page of a figure, and return it once its script has come."""
    page.goto(f"{address}{FIGURES[name]}{hash}")
    return came(page, name)


def came(page: Page, name: str) -> Locator:
    """Return the figure of an open page, once its script has come."""
    figure = page.locator(f"hand-figure[figure={name}]")
    figure.scroll_into_view_if_needed()
    stir(page)
    expect(figure).to_have_class("live")
    return figure


def parts_of(figure: Locator) -> list[list[float]]:
    """Return how high what is seen of a figure is, from the top, in windows of three widths."""
    heights = []
    for width in (NARROW, PHONE, WIDE):
        figure.page.set_viewport_size({"width": width, "height": 900})
        parts = figure.locator(".hand-stage, .hand-says, .hand-controls").filter(visible=True).all()
        heights.append([box["height"] for part in parts if (box := part.bounding_box())])
    return heights


@pytest.fixture
def plain(browser: Browser) -> Iterator[Page]:
    """Return a tab of a reader who has switched JavaScript off."""
    with browser.new_context(java_script_enabled=False) as context:
        yield context.new_page()


@pytest.mark.parametrize("name", LOOKED)
def test_a_figure_comes_keeps_its_grammar_and_spells_what_it_shows(
    address: str, page: Page, plain: Page, name: str
) -> None:
    script = Held(page, f"**/interactive/{name}/{name}.js")
    page.goto(address + FIGURES[name])
    figure = page.locator(f"hand-figure[figure={name}]")
    inputs = figure.locator("input:is([type=radio], [type=range])")
    figure.scroll_into_view_if_needed()
    before = parts_of(figure), inputs.evaluate_all(CHOSEN)
    script.let_go()
    came(page, name)
    assert (parts_of(figure), inputs.evaluate_all(CHOSEN)) == before, "nothing moves"
    assert before[1]

    assert "now" in HUES
    for width in (NARROW, WIDE):
        page.set_viewport_size({"width": width, "height": 900})
        assert figure.evaluate(LOOK, HUES) == [], f"{width} wide"

    states = [state for figure_of, state in LINKS if figure_of == name]
    assert states, "a sentence opens it"
    for state in states:
        page.evaluate(GO, f"{name}&{state}")
        expect(figure.locator(".hand-says")).to_be_in_viewport()
        for choice in parse_qsl(state):  # the page goes there in a frame of its own
            wait(page, HAS_CHOICE, arg=[name, *choice])
    slider = figure.locator(".hand-bar input")
    if slider.count():
        slider.press("End")
        expect(page).to_have_url(re.compile(f"#{name}&.*t={slider.get_attribute('max')}$"))
    seen, spelled = figure.evaluate(MOMENT), page.url
    page.goto("about:blank")
    page.goto(spelled)
    assert came(page, name).evaluate(MOMENT) == seen
    for wrong in ("t=x", "a=@", "b=@", "c=@"):
        page.evaluate(GO, f"{name}&{wrong}")
        assert "undefined" not in figure.evaluate(MOMENT)

    best = r'<svg class="(?:wide|narrow)[^>]*label="(.*?)">'
    (sentence,) = set(re.findall(best, (DRAWN / f"{name}.html").read_text("utf-8")))
    page.goto(address + FIGURES[name])
    on_paper(came(page, name), sentence)
    plain.goto(address + FIGURES[name])
    without_scripts(plain.locator(f"hand-figure[figure={name}]"), sentence)


def on_paper(figure: Locator, sentence: str) -> None:
    figure.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    figure.page.emulate_media(media="print")
    for svg in figure.locator(".hand-stage > svg").all():
        expect(svg).to_have_attribute("aria-label", sentence)
    expect(figure.locator("svg.wide")).to_be_visible()
    expect(figure.locator("svg.narrow")).to_be_hidden()
    expect(figure.locator(".hand-controls")).to_be_hidden()


def without_scripts(figure: Locator, sentence: str) -> None:
    expect(figure.locator(".hand-says").filter(visible=True)).to_have_text([sentence])
    expect(figure.locator(".hand-stage > svg").filter(visible=True)).to_have_count(1)
    expect(figure.locator(".hand-controls")).to_be_hidden()


def test_what_is_pressed_before_the_script_comes_is_done_later(address: str, page: Page) -> None:
    script = Held(page, f"**/interactive/{ONE}/{ONE}.js")
    page.goto(address + FIGURES[ONE])
    figure = page.locator("hand-figure")
    figure.scroll_into_view_if_needed()
    last = figure.locator(".hand-segments").last.locator("label").last
    last.click()
    script.let_go()
    came(page, ONE)
    expect(last.locator("input")).to_be_checked()


def test_a_page_that_opens_under_a_mouse_fetches_no_script(address: str, page: Page) -> None:
    script = f"/interactive/{ONE}/{ONE}.js"
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(address + FIGURES[ONE])  # which shows its figure at once
    page.mouse.move(0, 0)  # where it stands
    for _ in range(5):
        page.evaluate("new Promise(requestAnimationFrame)")
    assert not [url for url in asked if url.endswith(script)]
    with page.expect_request(f"**{script}"):
        stir(page)


def test_it_shows_its_picture_if_its_script_does_not_come(address: str, page: Page) -> None:
    page.route(f"**/interactive/{ONE}/{ONE}.js", lambda route: route.abort())
    page.goto(address + FIGURES[ONE])
    figure = page.locator("hand-figure")
    figure.scroll_into_view_if_needed()
    stir(page)
    expect(figure.locator(".hand-stage > svg").filter(visible=True)).to_have_count(1)
    expect(figure).not_to_have_class("live")


def says(name: str, words: str) -> bool:
    """Tell whether the script of a figure has some words."""
    return words in (ASSETS / "interactive" / name / f"{name}.js").read_text("utf-8")


BETS = [name for name in LOOKED if says(name, "bet:")]
HELD = [name for name in LOOKED if says(name, "hold(")]
CANCELLED = """(figure) => {
  window.cancelled = 0
  figure.addEventListener("pointercancel", () => window.cancelled++)
}"""


@pytest.mark.parametrize("name", HELD)
def test_a_finger_drags_what_is_held_and_not_the_page(
    address: str, touch: tuple[Page, CDPSession], name: str
) -> None:
    page, session = touch
    figure = held(page, address, name)
    for label in ("sentences", "2"):  # what is held there comes with a choice
        if figure.get_by_label(label, exact=True).count() and not grips(figure).count():
            figure.get_by_label(label, exact=True).check()
    figure.evaluate("(figure) => figure.scrollIntoView()")
    figure.evaluate(CANCELLED)
    box = grips(figure).first.bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + min(box["height"] / 2, 20)
    before = page.evaluate("scrollY")
    for kind, moved in [("touchStart", 0), *(("touchMove", 12 * n) for n in range(1, 6))]:
        points = [{"x": x + moved, "y": y + moved}]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    assert page.evaluate("[scrollY, cancelled]") == [before, 0]


def grips(figure: Locator) -> Locator:
    return figure.locator(".held").filter(visible=True)


@pytest.fixture
def timed(browser: Browser) -> Iterator[Page]:
    """A reader who wants no motion, with a clock that the test moves on."""
    page = browser.new_page(reduced_motion="reduce", viewport={"width": WIDE, "height": 900})
    page.clock.install()
    yield page
    page.close()


@pytest.mark.parametrize("name", BETS)
def test_it_answers_the_guess_of_its_page(address: str, timed: Page, name: str) -> None:
    """Its script is fetched after the first answer, and answers it all the same."""
    timed.goto(address + FIGURES[name])
    answers = timed.locator(".guess button")
    answers.first.wait_for()
    first, *others = answers.all()
    first.evaluate("(button) => button.click()")
    figure = timed.locator(f"hand-figure[figure={name}]")
    expect(figure).not_to_have_class("live")
    came(timed, name)
    right = [is_right(figure, first)]
    for answer in others:
        answer.click()
        right.append(is_right(figure, answer))
    assert right.count(True) == 1, "the page and its figure are of one mind"


def is_right(figure: Locator, answer: Locator) -> bool:
    """Move the clock on until a figure answers a guess, and return what the page and it say."""
    page, said = figure.page, figure.locator(".hand-says")
    for _ in range(60):
        if said.inner_text().startswith("You said"):
            break
        page.clock.run_for(1000)
    guess = answer.inner_text()
    right = page.locator(".guessed .on").inner_text() == f"You guessed {guess}: right."
    expect(said).to_contain_text(f"You said {guess}{': right' if right else ''}. ")
    return right


def test_without_motion_there_is_nothing_between_two_moments(address: str, timed: Page) -> None:
    figure = held(timed, address, ONE)
    play = figure.locator(".hand-play")
    timed.clock.pause_at("2100-01-01")  # or a busy machine plays on between two lines of this test
    slider = figure.locator(".hand-bar input")
    slider.press("Home")
    figure.get_by_role("button", name="one on").press("Enter")
    moment = figure.evaluate(MOMENT)
    play.press("Enter")
    expect(play).to_have_text("Stop")
    slider.press("Home")  # while it plays
    expect(play).to_have_text("Play")
    expect(slider).to_have_value("0")
    play.press("Enter")
    timed.clock.run_for(50)
    assert figure.evaluate(MOMENT) == moment
    play.press("Enter")
    expect(play).to_have_text("Play")
    timed.clock.run_for(5000)
    assert figure.evaluate(MOMENT) == moment
