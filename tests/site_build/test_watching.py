"""The element in which a reader watches a model learn: recorded, and trained by themselves."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from markdown import Markdown
from playwright.sync_api import Browser, Locator, Page, Route, ViewportSize, expect

from site_build.training_demo import learn_fence
from site_build.training_demo.record import MOMENTS
from site_build.training_demo.world import generated, recorded
from tests.site_build.reading import wait
from tiny_lm.recipe import RECIPE

PAGE = "steps/how-it-learns/"
PHONE = ViewportSize(width=390, height=844)
SECONDS = 1000


@contextmanager
def reader(browser: Browser, **wishes: Any) -> Iterator[Page]:
    """Open a tab of a reader who has never been here, and who has nothing against motion."""
    context = browser.new_context(reduced_motion=wishes.pop("motion", "no-preference"), **wishes)
    yield context.new_page()
    context.close()


def with_the_short_form(route: Route) -> None:
    """Answer with the page, in which the short form stands in place of the whole one."""
    page = route.fetch()
    before, _, rest = page.text().partition("<watch-it-learn")
    after = rest.partition("</watch-it-learn>")[2]
    short = learn_fence("", "", "", {"more": "../the-whole-model/"}, Markdown())
    route.fulfill(response=page, body=before + short + after)


def shown(page: Page, address: str, form: str = "short") -> Locator:
    """Open a page at the element, once its script is there."""
    path = address + PAGE
    if form == "short":
        page.route(path, with_the_short_form)
    page.goto(path)
    element = page.locator("watch-it-learn")
    element.scroll_into_view_if_needed()
    wait(page, "() => customElements.get('watch-it-learn')")
    return element


def steps_of(element: Locator) -> int:
    return int(element.get_attribute("data-step") or 0)


def stands_still(page: Page, element: Locator) -> int:
    """Return the step at which a training stands. What was on its way may still come."""
    for _ in range(20):
        step = steps_of(element)
        page.wait_for_timeout(700)
        if steps_of(element) == step:
            return step
    raise AssertionError("it never stood still")


def percentages(element: Locator) -> list[str]:
    return element.locator(".learn-bars span").all_inner_texts()


def test_the_film_is_the_recorded_training_and_plays_once(address: str, browser: Browser) -> None:
    run = recorded()["run"]
    expected = [
        f"{100 * text[word]:.0f} %"
        for text in run["moments"][-1]["texts"][:2]
        for word in ("water", "money")
    ]
    with reader(browser) as page:
        element = shown(page, address)
        wait(page, "() => document.querySelector('watch-it-learn').dataset.step")
        assert steps_of(element) < RECIPE.steps
        expect(element).to_have_attribute("data-step", str(RECIPE.steps), timeout=30 * SECONDS)
        assert percentages(element) == expected
        expect(element.locator(".learn-told")).to_contain_text("Nobody told it where to look.")
        expect(element.locator(".learn-step")).to_contain_text("of a recorded training")
        again = page.context.new_page()
        again.goto("about:blank")
        page.reload()
        element = shown(page, address)
        expect(element).to_have_class("seen")
        assert percentages(element) == expected


def test_without_motion_there_is_no_film(address: str, browser: Browser) -> None:
    with reader(browser, motion="reduce") as page:
        fetched: list[str] = []
        page.on("request", lambda request: fetched.append(request.url.rpartition("/")[2]))
        element = shown(page, address)
        expect(element).to_have_class("seen")
        expect(element.locator(".learn-told .after")).to_be_visible()
        expect(element.locator(".learn-told .before")).to_be_hidden()
        assert not {"film.json", "worker.js", "world.json", "trainer.js"}.intersection(fetched)


def test_a_training_begins_when_the_reader_presses_and_stands_still_when_they_pause(
    address: str, browser: Browser
) -> None:
    with reader(browser, motion="reduce") as page:
        fetched: list[str] = []
        page.context.on("request", lambda request: fetched.append(request.url))
        element = shown(page, address)
        button = element.get_by_role("button")
        button.focus()
        page.keyboard.press("Enter")
        expect(button).to_have_text("Pause")
        wait(
            page,
            f"""() => {{
                const {{ step }} = document.querySelector("watch-it-learn").dataset
                return 3 < step && step < {RECIPE.steps}
            }}""",
        )
        page.keyboard.press("Space")
        expect(button).to_have_text("Go on")
        stands_still(page, element)
        assert any(url.endswith("tiny_lm/worker.js") for url in fetched)
        assert all(url.startswith(address) for url in fetched)


def test_a_training_stands_still_in_a_hidden_tab(address: str, browser: Browser) -> None:
    hide = """(hidden) => {
      Object.defineProperty(document, "hidden", {value: hidden, configurable: true})
      dispatchEvent(new Event("visibilitychange"))
    }"""
    with reader(browser) as page:
        element = shown(page, address)
        element.get_by_role("button").click()
        wait(page, "() => document.querySelector('watch-it-learn').dataset.step > 1")
        page.evaluate(hide, True)
        before = stands_still(page, element)
        page.evaluate(hide, False)
        expect(element.get_by_role("button")).to_have_text("Pause")
        wait(page, f"() => document.querySelector('watch-it-learn').dataset.step > {before}")


@pytest.mark.parametrize("script", ["training_demo/trainer.js", "tiny_lm/model.js"])
def test_a_training_that_cannot_be_fetched_leaves_the_page_as_it_is(
    address: str, browser: Browser, script: str
) -> None:
    with reader(browser, motion="reduce") as page:
        wrong: list[str] = []
        page.on("pageerror", lambda error: wrong.append(error.message))
        page.context.route(f"**/{script}", lambda route: route.abort())
        element = shown(page, address)
        with page.context.expect_event("requestfailed"):
            element.get_by_role("button").click()
        expect(element.locator(".learn-told")).to_have_text("The training could not be fetched.")
        expect(element.get_by_role("button")).to_be_enabled()
        assert wrong == []


def test_nothing_moves_when_it_comes_and_a_finger_hits_the_button(
    address: str, browser: Browser
) -> None:
    with reader(browser, viewport=PHONE, has_touch=True) as page:
        element = shown(page, address)
        below = page.get_by_role("heading", name="A slope is what a nudge does")
        before = below.bounding_box()
        for control in element.locator("button, a").all():
            box = control.bounding_box()
            assert box
            assert box["height"] >= 44
        wait(page, "() => document.querySelector('watch-it-learn').dataset.step > 0")
        assert below.bounding_box() == before
        element.get_by_role("button").tap()
        expect(element.get_by_role("button")).to_have_text("Pause")
        assert below.bounding_box() == before


def test_without_scripts_it_is_all_there(address: str, browser: Browser) -> None:
    with reader(browser, java_script_enabled=False) as page:
        page.goto(address + PAGE)
        element = page.locator("watch-it-learn")
        before, after = element.locator(".learn-texts").all()
        for texts in (before, after):
            expect(texts).to_be_visible()
        expect(after.locator(".said")).to_have_text(["water", "money"])
        expect(element.locator(".learn-curve .line")).to_be_visible()
        expect(element.locator(".learn-more dd")).to_have_count(5)
        for text, told in zip(
            element.locator(".learn-more dd").all(), recorded()["run"]["written"], strict=True
        ):
            expect(text).to_be_visible()
            expect(text).to_contain_text(told["words"].replace(" .", "."))
        expect(element.locator(".learn-skills")).to_be_hidden()
        expect(element.locator("button")).to_have_count(4)
        for control in element.locator("button, select").all():
            expect(control).to_be_hidden()


def test_a_link_carries_the_start_and_what_is_left_out(address: str, browser: Browser) -> None:
    with reader(browser, motion="reduce") as page:
        page.goto(f"{address}{PAGE}#learn&seed=77&without=one+head")
        element = page.locator("watch-it-learn")
        step, select = element.locator(".learn-step"), element.get_by_label("Leave out")
        expect(step).to_have_text("step 0 of 1,500, start 77")
        expect(select).to_have_value("one head")
        expect(element.get_by_text("what becomes of a model with one head?")).to_be_visible()
        element.get_by_role("button", name="Another start").click()
        expect(step).to_contain_text("start 78")
        wait(page, "() => document.querySelector('watch-it-learn').dataset.step > 1")
        select.select_option("no MLP")
        expect(step).to_have_text("step 0 of 1,500, start 78")
        expect(element.locator(".line")).to_have_attribute("d", "")  # a curve of its own
        expect(page).to_have_url(re.compile(r"#learn&seed=78&without=no\+MLP$"))
        element.get_by_role("button", name="One step").click()
        expect(step).to_have_text("step 1 of 1,500, start 78")


FIRST_STORY = """() => new Promise((resolve) => {
  const wrote = document.querySelector("watch-it-learn .wrote");
  new MutationObserver((_, observer) => {
    if (!wrote.querySelector("b")) return;
    observer.disconnect();
    resolve([Number(wrote.closest("watch-it-learn").dataset.step), wrote.textContent]);
  }).observe(wrote, { childList: true });
  wrote.closest("watch-it-learn").querySelector(".go").click();
})"""


def test_a_start_writes_the_same_story_at_the_same_step(address: str, browser: Browser) -> None:
    """Whoever has a slow machine sees what is seen on a fast one; and it comes early."""
    with reader(browser) as page:
        element = shown(page, address, "whole")
        step, story = page.evaluate(FIRST_STORY)
        assert 320 <= step < 360, "the first story of this start is that of step 320"
        element.get_by_label("Leave out").select_option("no MLP")
        element.get_by_label("Leave out").select_option("whole")
        assert page.evaluate(FIRST_STORY)[1] == story


def test_what_is_stored_is_what_is_shown(address: str, page: Page) -> None:
    page.goto(address)
    run = recorded()["run"]
    assert (run["seed"], MOMENTS[-1]) == (RECIPE.shown, RECIPE.steps)
    assert [moment["step"] for moment in run["moments"]] == MOMENTS
    fetched = "async () => (await fetch('/assets/training_demo/film.json')).text()"
    assert page.evaluate(fetched) == generated()["training_demo/film.json"]


# The end of a training, as its worker tells it: the loss, and the share of right answers about two.
END = """(element, [loss, share]) => {
  const looks = [0, 1, 2, 3].map(() => Array(14).fill(0));
  const text = {water: 1, money: 0, said: "water", looks};
  Object.assign(element.trainer, {loss, right: {"the bank's": share, "the duck's": share}});
  const texts = Array(4).fill(text);
  element.heard(element.trainer, {step: 1500, kept: [], floors: [1.02, 0.48], texts});
}"""
WHAT_HAPPENS = [
    ("no MLP", (0.48, 1.0), 0, "it still finds the right adjective.", "learns without MLPs"),
    ("plain means", (0.5, 0.8), 1, "it finds the right one sometimes.", "takes the same from all"),
    ("no attention", (0.7, 0.5), 2, "it cannot tell which adjective counts.", "cannot look back"),
]


@pytest.mark.parametrize(("without", "end", "outcome", "says", "known"), WHAT_HAPPENS)
def test_a_guess_is_placed_before_and_the_truth_is_told_after(
    address: str,
    page: Page,
    without: str,
    end: tuple[float, float],
    outcome: int,
    says: str,
    known: str,
) -> None:
    page.goto(f"{address}{PAGE}#learn&seed=5&without={without.replace(' ', '+')}")
    element = page.locator("watch-it-learn")
    expect(element.get_by_text(f"what becomes of a model with {without}?")).to_be_visible()
    guess = 1  # which is right of one of the three
    element.get_by_role("radio").nth(guess).check()
    verdict = element.locator(".learn-verdict")
    expect(verdict).to_be_hidden()
    element.evaluate(END, end)
    told = "As you guessed" if guess == outcome else "You guessed otherwise"
    expect(verdict).to_contain_text(f"{told}: {says} Start 5 ended at a loss of {end[0]:.2f}")
    expect(verdict).to_contain_text(known)
    expect(verdict.get_by_role("link")).not_to_have_count(0)
    element.get_by_label("Leave out").select_option("whole")
    expect(verdict).to_be_hidden()
    expect(element.get_by_role("radio").first).to_be_hidden()


def test_a_link_is_copied_before_anything_was_trained(address: str, page: Page) -> None:
    page.goto(address + PAGE)
    element = page.locator("watch-it-learn")
    element.scroll_into_view_if_needed()
    wait(page, "() => customElements.get('watch-it-learn')")
    element.get_by_role("button", name="copy link").click()
    expect(element.get_by_role("button", name="copied")).to_be_visible()
    link = page.evaluate("navigator.clipboard.readText()")
    assert link == f"{address}{PAGE}#learn&seed={RECIPE.shown}&without=whole"


def test_who_hears_the_page_is_told_how_it_goes_once_they_train(
    address: str, browser: Browser
) -> None:
    with reader(browser, motion="reduce") as page:
        element = shown(page, address, "whole")
        expect(element.get_by_role("status")).to_have_count(0)  # nothing speaks by itself
        picture = element.get_by_role("img", name="the rich bank").first
        expect(picture).to_have_accessible_name(
            re.compile(r"the bank is full of: it says of, and looks most at \w+, \d+ %")
        )
        element.get_by_role("button", name="One step").click()
        expect(element.get_by_role("status")).to_have_count(2)  # once the trainer has come
        told, step = element.get_by_role("status").all()
        expect(told).to_have_text(re.compile("it guesses the words of 64 stories"))
        expect(step).to_have_text(f"step 1 of 1,500, start {RECIPE.shown}")
        expect(picture).to_have_accessible_name(
            re.compile(r"it says \w+, and looks most at \w+, \d+ %")
        )
        element.get_by_role("button", name="Go on").click()
        expect(element.locator(".learn-step")).not_to_have_attribute("role", "status")
