"""The reader guesses, and finds the guess again where the page tells."""

import io
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from pymdownx.superfences import SuperFencesException
from pypdf import PdfReader

from tests.site_build.markdown.plain_markdown import convert
from tests.site_build.reading import wait

GUESSED = "steps/experts/"
WRONG, OTHER, RIGHT = "0.94", "1", "2.5"
STILL = """document.fonts.ready.then(() => [
  document.documentElement.scrollHeight, document.querySelector(".guessed").offsetTop
])"""
FENCE = "```guess\n{}\n```\n\n**The guess.** So.\n"
HELD = "Which one?\n\n- “a” < b<!-- letters[0] -->\n- b"


@pytest.fixture(params=["Space", "finger"])
def reader(browser: Browser, request: pytest.FixtureRequest) -> Iterator[tuple[Page, str]]:
    """A reader on a phone, and the way in which they press."""
    page = browser.new_page(viewport={"width": 390, "height": 844}, has_touch=True)
    yield page, request.param
    page.close()


def answer(page: Page, text: str) -> Locator:
    return page.locator(".guess").get_by_role("button", name=text, exact=True)


def said(page: Page) -> Locator:
    return page.locator(".guessed .on")


def pressed(page: Page) -> list[str]:
    return page.locator(".guess [aria-pressed=true]").all_inner_texts()


def test_an_answer_is_pressed_kept_and_told(address: str, reader: tuple[Page, str]) -> None:
    page, way = reader
    page.goto(address + GUESSED)
    page.locator(".guess").scroll_into_view_if_needed()
    expect(answer(page, WRONG)).to_have_attribute("aria-pressed", "false")
    expect(said(page)).to_have_text("The guess.")
    before = page.evaluate(STILL)
    if way == "finger":
        answer(page, WRONG).tap()
    else:
        answer(page, WRONG).press(way)
    told = f"You guessed {WRONG}. It is {RIGHT}."
    expect(page.locator(".guess").get_by_role("status")).to_have_text(told)
    assert pressed(page) == [WRONG]
    expect(said(page)).to_have_text(told)
    assert page.evaluate(STILL) == before, "something moved"

    page.reload()
    page.locator(".guessed").scroll_into_view_if_needed()
    expect(said(page)).to_have_text(told)
    assert pressed(page) == [WRONG]

    answer(page, RIGHT).press("Enter")
    expect(said(page)).to_have_text(f"You guessed {RIGHT}: right.")
    assert pressed(page) == [RIGHT]
    assert page.evaluate(STILL) == before


# What the page asked for before it keeps a guess is there, and so the guess is kept.
KEPT = "async () => { await import(new URL('/assets/build/again.js', location)) }"


def test_a_wrong_guess_comes_back_to_be_made_anew(address: str, page: Page) -> None:
    again = page.locator("p.again")

    def guess(day: int, *answers: str) -> None:
        page.clock.set_fixed_time(f"2030-05-{day:02}T12:00:00Z")
        page.goto(address + GUESSED)
        page.locator(".guess").scroll_into_view_if_needed()
        for text in answers:
            answer(page, text).click()
            expect(page.locator(".guess").get_by_role("status")).to_contain_text("You guessed")
        page.evaluate(KEPT)

    def practice(day: int, *titles: str) -> None:
        page.clock.set_fixed_time(f"2030-05-{day:02}T12:00:00Z")
        page.goto(f"{address}practice/write-it-yourself/")
        page.locator("p.built").scroll_into_view_if_needed()
        page.locator(".read").first.wait_for(state="attached")
        page.wait_for_load_state("networkidle")
        expect(again.locator("a")).to_have_text(list(titles))

    page.goto(f"{address}steps/scores/")
    page.locator(".next").scroll_into_view_if_needed()  # a page that was read is marked as such
    wait(page, "() => localStorage.length")
    guess(1, WRONG, RIGHT)  # the first one counts
    practice(1)
    practice(2, "Mixtures of experts: routers and expert parallelism")
    expect(again).to_contain_text("These guesses were wrong. Guess again:")
    again.locator("a").click()
    page.locator(".guess").scroll_into_view_if_needed()
    expect(answer(page, WRONG)).to_have_attribute("aria-pressed", "false")
    assert pressed(page) == []
    guess(2, RIGHT)  # it can wait for three days
    practice(4)
    practice(5, "Mixtures of experts: routers and expert parallelism")
    guess(5, WRONG)
    practice(6, "Mixtures of experts: routers and expert parallelism")


def test_one_press_forgets_every_guess(address: str, page: Page) -> None:
    steps = [GUESSED, "steps/induction/"]
    for step in steps:
        page.goto(address + step)
        page.locator(".guess").scroll_into_view_if_needed()
        page.locator(".guess").get_by_role("button").first.click()
    page.goto(address + "guides/about-this-site/")
    page.get_by_role("button", name="Forget it").click()
    for step in steps:
        page.goto(address + step)
        page.locator(".guess").scroll_into_view_if_needed()
        expect(page.locator(".guess").get_by_role("button").first).to_be_visible()
        expect(said(page)).to_have_text("The guess.")
        assert pressed(page) == []


def test_a_guess_that_the_page_no_longer_offers_is_not_told(address: str, page: Page) -> None:
    page.goto(address + GUESSED)
    page.evaluate('localStorage["/.progress"] = \'{"guesses": {"steps/experts/": "7"}}\'')
    page.reload()
    page.locator(".guess").get_by_role("button").first.wait_for()
    expect(said(page)).to_have_text("The guess.")
    assert pressed(page) == []


def test_a_browser_that_keeps_nothing_tells_it_all_the_same(address: str, new_tab: Page) -> None:
    new_tab.add_init_script(
        "Object.defineProperty(window, 'localStorage', {get() { throw new Error('refused') }})"
    )
    new_tab.goto(address + GUESSED)
    answer(new_tab, RIGHT).click()
    expect(said(new_tab)).to_have_text(f"You guessed {RIGHT}: right.")


@pytest.mark.parametrize("scripts", [True, False])
def test_without_a_script_and_on_paper_there_is_a_list(
    address: str, browser: Browser, scripts: bool
) -> None:
    page = browser.new_page(java_script_enabled=scripts)
    page.goto(address + GUESSED)
    items = page.locator(".guess li")
    expect(items).to_have_text([WRONG, OTHER, RIGHT])
    if not scripts:
        assert items.first.evaluate("item => getComputedStyle(item).display") == "list-item"
        expect(page.locator(".guess .for-scripts")).to_be_hidden()
    sheets = PdfReader(io.BytesIO(page.pdf(format="A4"))).pages
    paper = " ".join(" ".join(sheet.extract_text() for sheet in sheets).split())
    assert RIGHT in paper.partition("The guess.")[0]
    assert "The guess. The shares of DeepSeek-V3" in paper
    assert "You guessed" not in paper
    page.close()


def test_answers_are_text() -> None:
    html = convert(FENCE.format(HELD))
    assert "<li>“a” &lt; b</li><li>b</li>" in html
    assert "letters" not in html
    assert "You guessed b. It is “a” &lt; b.</b></span> So." in html


REFUSED = {
    "no question": FENCE.format("- a<!-- letters[0] -->\n- b"),
    "no right answer": FENCE.format("Which?\n\n- a\n- b"),
    "an option": FENCE.format(HELD).replace("guess\n", 'guess right="a"\n', 1),
    "two": FENCE.format(HELD) * 2,
}


@pytest.mark.parametrize("page", REFUSED.values(), ids=REFUSED.keys())
def test_a_guess_that_cannot_be_asked_fails_the_build_at_its_line(page: str) -> None:
    with pytest.raises(SuperFencesException, match=r"^line \d+: guess: "):
        convert(page)
