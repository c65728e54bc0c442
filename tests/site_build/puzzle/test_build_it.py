"""Functions that a reader builds from lines, in Chromium: by mouse, by key and by finger."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

STEP = "steps/why-divide-by-the-square-root/"
WRONG = 2  # the place whose line is wrong at first: the softmax


@pytest.fixture
def builder(address: str, page: Page) -> Page:
    page.set_viewport_size({"width": 1280, "height": 900})
    page.goto(f"{address}{STEP}#build-it")
    page.locator(".build-bar").get_by_role("button", name="Find the mistake").wait_for()
    return page


def right_line(page: Page) -> None:
    """Take the right line of the place that is open."""
    page.locator(".build-lines:not([hidden]) [data-line='0']").click()


def test_the_wrong_line_is_found_and_put_right(builder: Page) -> None:
    places, asks = builder.locator(".build-place"), builder.locator(".build-ask")
    expect(builder.locator(".build-seen table")).to_have_count(2)
    expect(builder.locator(".build-seen td.differs")).not_to_have_count(0)
    places.nth(0).click()
    expect(asks).to_contain_text("This line is right")
    places.nth(WRONG).click()
    expect(asks).to_contain_text("Yes, this line")
    expect(builder.locator(".build-says")).to_contain_text("the softmax is missing")
    right_line(builder)
    expect(asks).to_contain_text("Right.")
    expect(builder.locator(".build-seen td.differs")).to_have_count(0)


def test_a_wrong_program_names_its_mistake_and_links_to_it(builder: Page) -> None:
    builder.get_by_role("button", name="From nothing").click()
    expect(builder.locator(".build-place.empty")).to_have_count(4)
    expect(builder.locator(".build-seen table")).to_have_count(0)
    for line in (0, 1, 0, 0):
        empty = builder.locator(".build-lines:not([hidden])")
        if not empty.count():
            builder.locator(".build-place.empty").first.click()
        empty.locator(f"[data-line='{line}']").click()
    expect(builder.locator(".build-ask")).to_contain_text("Not yet")
    expect(builder.locator(".build-says")).to_contain_text("Divide them by its square root")
    target = re.compile("guides/what-goes-wrong/#head_dim-instead-of-its-root$")
    expect(builder.locator(".build-says a")).to_have_attribute("href", target)


def test_several_wrong_lines_are_counted_and_an_exception_marks_its_line(builder: Page) -> None:
    builder.get_by_role("button", name="From nothing").click()
    builder.locator(".build-place").first.click()
    for line in (1, 1, 3, 2):
        builder.locator(f".build-lines:not([hidden]) [data-line='{line}']").click()
    expect(builder.locator(".build-says")).to_contain_text("lines are not those of the solution")
    expect(builder.locator(".build-place.raised")).to_have_count(1)


def test_keys_walk_over_the_lines(builder: Page) -> None:
    builder.get_by_role("button", name="From nothing").press("Enter")
    first = builder.locator(".build-place").first
    expect(first).to_be_focused()
    for _ in range(4):
        builder.keyboard.press(
            "Enter" if builder.locator(".build-lines:visible").count() == 0 else "Shift"
        )
        while builder.evaluate("document.activeElement.dataset.line") != "0":
            builder.keyboard.press("ArrowDown")
        builder.keyboard.press("Enter")
    expect(builder.locator(".build-ask")).to_contain_text("You have built it")
    builder.keyboard.press("Enter")
    builder.keyboard.press("Escape")
    expect(builder.locator(".build-lines:visible")).to_have_count(0)


def test_it_is_kept_and_the_practice_page_shows_it(builder: Page, address: str) -> None:
    builder.locator(".build-place").nth(WRONG).click()
    right_line(builder)
    builder.get_by_role("button", name="From nothing").click()
    builder.locator(".build-place").first.click()
    for _ in range(4):
        right_line(builder)
    builder.goto(f"{address}practice/write-it-yourself/")
    expect(builder.locator("p.built")).to_have_text("You have built 1 of 41 functions.")
    expect(builder.locator(".built-mark")).to_have_text([" ✓ built"])


def test_a_result_is_predicted(builder: Page) -> None:
    builder.get_by_role("button", name="Predict").click()
    asks = builder.locator(".build-ask")
    expect(builder.locator(".build-answer table")).to_have_count(3)
    expect(builder.locator(".build-seen td.differs")).to_have_count(0)
    builder.locator("[data-answer=no]").first.click()
    expect(asks).to_contain_text("numbers of another program")
    builder.locator("[data-answer=yes]").click()
    expect(asks).to_contain_text("Yes. But the program makes a mistake.")
    expect(builder.locator(".build-says")).to_contain_text("Divide them by its square root")


def test_lines_are_put_in_order(builder: Page) -> None:
    builder.get_by_role("button", name="Put in order").click()
    asks = builder.locator(".build-ask")
    for line in (0, 2, 1):  # the last one comes by itself
        builder.locator(f".build-left[data-move='{line}']").click()
    expect(asks).to_contain_text("Not yet")
    expect(builder.locator(".build-seen td.differs")).not_to_have_count(0)
    builder.locator(".build-taken").nth(1).click()
    expect(builder.locator(".build-left")).to_have_count(3)
    for line in (1, 2):
        builder.locator(f".build-left[data-move='{line}']").press("Enter")
    expect(asks).to_contain_text("Right.")
    builder.get_by_role("button", name="Put in order").click()
    for line in (3, 2, 1):
        builder.locator(f".build-left[data-move='{line}']").click()
    expect(builder.locator(".build-says")).to_contain_text("weights is used before it is there")
    expect(builder.locator(".build-taken.raised")).to_have_text("    return weights @ value")


def test_a_program_with_two_wrong_lines_is_repaired(builder: Page) -> None:
    builder.get_by_role("button", name="Repair").click()
    expect(builder.locator(".build-says")).to_contain_text("Two mistakes at once.")
    places = builder.locator(".build-place:visible")
    for number in range(places.count()):
        places.nth(number).click()
        right_line(builder)
    expect(builder.locator(".build-ask")).to_contain_text("Right.")


def test_what_went_wrong_comes_back_after_some_days(page: Page, address: str) -> None:
    page.clock.set_fixed_time("2030-05-01T12:00:00Z")
    again = page.locator("p.again")

    def practice(day: int) -> None:
        page.clock.set_fixed_time(f"2030-05-{day:02}T12:00:00Z")
        page.goto(f"{address}practice/write-it-yourself/")
        page.locator("p.built").scroll_into_view_if_needed()
        page.locator(".built-mark").first.wait_for()

    def find_it(*presses: int) -> None:
        page.goto(f"{address}{STEP}#build-it")
        for place in presses:
            page.locator(".build-place").nth(place).click()
        expect(page.locator(".build-ask")).to_contain_text("Yes, this line")

    find_it(0, WRONG)
    practice(1)
    expect(again).to_have_count(0)
    practice(3)
    expect(again.locator("a")).to_have_text("attention")
    find_it(WRONG)  # at once: it can wait for three days
    practice(5)
    expect(again).to_have_count(0)
    practice(6)
    expect(again.locator("a")).to_have_count(1)


def test_the_navigation_shows_where_a_function_was_built(builder: Page, address: str) -> None:
    here = builder.locator(".dots [aria-current]")
    builder.get_by_role("button", name="From nothing").click()
    builder.locator(".build-place").first.click()
    for _ in range(4):
        right_line(builder)
    expect(here).to_have_class(re.compile(r"\bmade\b"))
    builder.goto(f"{address}steps/weights/")
    expect(builder.locator(".dots a.made")).to_have_count(1)


def test_paper_has_the_lines_to_tick_and_all_answers_after_them(page: Page, address: str) -> None:
    page.goto(f"{address}steps/causal-masks/")
    quizzes, answers = page.locator(".build-quiz"), page.locator(".build-solution")
    expect(quizzes.first).to_be_hidden()
    page.emulate_media(media="print")
    expect(quizzes.first).to_contain_text("\N{WHITE SQUARE}    mask = place < place[:, None]")
    expect(page.locator("build-it").first).to_be_hidden()
    answer, asked = answers.first.bounding_box(), quizzes.last.bounding_box()
    assert answer
    assert asked
    assert answer["y"] >= asked["y"] + asked["height"]


def test_a_finger_builds_on_a_phone(address: str, browser: Browser) -> None:
    context = browser.new_context(
        viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True
    )
    phone = context.new_page()
    phone.goto(f"{address}{STEP}#build-it")
    phone.locator(".build-bar").get_by_role("button", name="From nothing").tap()
    phone.locator(".build-place").first.tap()
    for _ in range(4):
        line = phone.locator(".build-lines:not([hidden]) [data-line='0']")
        box = line.bounding_box()
        assert box is not None
        assert box["height"] >= 44
        line.tap()
    expect(phone.locator(".build-ask")).to_contain_text("You have built it")
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390
    context.close()


def test_without_scripts_there_is_the_task_and_the_solution(address: str, browser: Browser) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{address}{STEP}#build-it")
    expect(page.locator("build-it")).to_be_hidden()
    page.locator(".build-solution summary").click()
    expect(page.locator(".build-solution pre")).to_contain_text("return weights @ value")
    context.close()
