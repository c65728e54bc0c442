"""The stage of a page: what it draws is what the page has printed, however a reader comes to it."""

import re

import pytest
from playwright.sync_api import Browser, CDPSession, Locator, Page, expect

from tests.site_build.axe import OF_COLOURS, violations
from tests.site_build.on_stage import (
    CAUSAL,
    CONTEXT,
    HEADS,
    LEARNING,
    PAGES,
    QUERIES,
    ROOT_OF,
    SCORES,
    TOKENS,
    TOUCHING,
    TURNING,
    WEIGHTS,
    middle,
    number,
    opened,
    swipe,
    to,
)
from tests.site_build.reading import wait
from tests.site_build.run_page import names_of

MINUS, TIMES = "\N{MINUS SIGN}", "\N{MULTIPLICATION SIGN}"


def handle(stage: Locator) -> Locator:
    return stage.get_by_role("slider", name="The arrow of bank")


def test_an_arrow_is_dragged_and_the_drawing_answers_the_task(address: str, page: Page) -> None:
    stage = opened(page, address + SCORES)
    expect(number(stage)).to_have_text("3")
    task = page.locator(".stage-task")
    answer = task.locator("p").nth(1)
    expect(answer).to_be_hidden()
    x, y = middle(handle(stage))
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 2000, y, steps=4)  # as far to the left as it goes
    page.mouse.up()
    expect(handle(stage)).to_have_attribute("aria-valuetext", f"water {MINUS}0.7, money 1")
    expect(number(stage)).to_have_text(f"{MINUS}2.1")
    while handle(stage).get_attribute("aria-valuenow") != "0":
        handle(stage).press("ArrowRight")
    expect(number(stage)).to_have_text("0")
    expect(answer).to_be_visible()
    expect(page.locator(".stage-live")).to_contain_text("The score of bank and muddy is 0")
    stage.get_by_role("button", name="As printed").click()
    expect(number(stage)).to_have_text("3")
    expect(answer).to_be_hidden()


def test_each_number_of_the_drawing_is_printed_on_the_page(address: str, page: Page) -> None:
    found = {}
    for path, states in {SCORES: ["six", "all", "product"], WEIGHTS: ["softmax"]}.items():
        stage = opened(page, address + path)
        for state in states:
            to(page, state)
            cells = stage.locator("[data-press^=pick]:not([display])")
            expect(cells).to_have_count(6 if state == "six" else 36)
            labels = cells.evaluate_all("(all) => all.map((one) => one.ariaLabel)")
            found[state] = labels
    scores = names_of("steps/scores.md")["scores"]
    weights = names_of("steps/weights.md")["weights"]
    words = ["the", "duck", "likes", "the", "muddy", "bank"]
    for state, tensor, digits in [
        ("six", scores[5:], 0),
        ("all", scores, 0),
        ("product", scores, 0),
        ("softmax", weights, 2),
    ]:
        asks = words if len(tensor) > 1 else ["bank"]
        expected = [
            f"{i} asks {j}: {value:.{digits}f}"
            for i, row in zip(asks, tensor.tolist(), strict=True)
            for j, value in zip(words, row, strict=True)
        ]
        assert sorted(found[state]) == sorted(expected)


def test_a_number_is_pressed_in_the_drawing_and_in_the_output(address: str, page: Page) -> None:
    stage = opened(page, address + SCORES)
    to(page, "all")
    stage.get_by_role("button", name="duck asks duck: 10").click()
    expect(number(stage)).to_have_text("10")
    lit = page.locator('[data-stage="scores"] i.lit')
    expect(lit).to_have_text("10.")
    page.keyboard.press("ArrowDown")
    expect(number(stage)).to_have_text("2")
    expect(stage.get_by_role("button", name="likes asks duck: 2")).to_be_focused()
    page.locator('[data-stage="scores"] i', has_text="18.").click()
    expect(number(stage)).to_contain_text("18")
    expect(page.locator(".stage-live")).to_contain_text("The score of muddy and muddy is 18")


def test_a_word_is_swapped_by_mouse_and_by_keys(address: str, page: Page) -> None:
    stage = opened(page, address + SCORES)
    stage.get_by_role("button", name="muddy: swap this word").click()
    page.get_by_role("menuitemradio", name="dry").click()
    expect(number(stage)).to_have_text(f"{MINUS}3")
    expect(stage.get_by_role("button", name="dry: swap this word")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("menuitemradio", name="dry")).to_be_focused()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(number(stage)).to_have_text("0")
    expect(stage.locator("[data-press='word 4']")).to_be_focused()


@pytest.mark.parametrize("scrolled", [0, 250, 325, 400])
def test_an_arrow_goes_with_the_hand_also_between_two_states(
    address: str, page: Page, scrolled: int
) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    page.emulate_media(reduced_motion="no-preference")
    stage = opened(page, address + SCORES)
    page.evaluate("(y) => scrollTo(0, y)", scrolled)
    page.wait_for_timeout(500)  # it follows the text
    arrow = stage.get_by_role("slider", name="The arrow of bank")
    x, y = middle(arrow)
    page.mouse.move(x, y)
    page.mouse.down()
    x, y = middle(arrow)  # what is pressed rests in the nearer state
    for step in (20, 40, 60):
        page.mouse.move(x - step, y)
        left, _ = middle(arrow)
        assert abs(left - (x - step)) < 30, "of one snap of the plane"
    page.mouse.up()


def test_a_task_that_is_done_moves_no_drawing(address: str, page: Page) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    stage = opened(page, address + TOKENS)
    to(page, "bank")
    task = page.locator(".stage-task").last
    task.evaluate("(task) => task.scrollIntoView({ block: 'center' })")
    before = stage.bounding_box()
    arrow = stage.get_by_role("slider")
    for key in ["ArrowRight", "ArrowDown"] * 12:
        arrow.press(key)
    expect(task).to_have_class(re.compile("done"))
    assert stage.bounding_box() == before


def test_bars_below_zero_leave_room_for_the_number(address: str, page: Page) -> None:
    page.emulate_media(reduced_motion="reduce")  # which draws at once
    page.set_viewport_size({"width": 390, "height": 844})
    stage = opened(page, address + WEIGHTS)
    to(page, "divided")
    stage.get_by_role("button", name="muddy: swap this word").click()
    page.get_by_role("menuitemradio", name="dry").click()
    expect(number(stage)).to_have_text(f"{MINUS}1.50")
    assert page.evaluate(TOUCHING) == []


def test_a_query_is_turned_until_it_finds_the_word_before(address: str, page: Page) -> None:
    stage = opened(page, address + TURNING)
    to(page, "turned")
    expect(number(stage)).to_have_text("3")
    answer = page.locator(".stage-task p").nth(1)
    expect(answer).to_be_hidden()
    query = stage.get_by_role("slider", name="The query of bank")
    for degrees in range(10, 70, 10):
        query.press("ArrowLeft")
        expect(query).to_have_attribute("aria-valuenow", f"-{degrees}")
    expect(number(stage)).to_have_text("6")
    expect(answer).to_be_visible()
    stage.get_by_role("button", name="bank asks muddy").click()
    expect(number(stage)).to_have_text(f"{MINUS}3")
    stage.get_by_role("button", name="rich: exchange the adjectives").click()
    page.get_by_role("menuitemradio", name="muddy").click()
    expect(stage.get_by_role("button", name="bank asks muddy: 6")).to_be_visible()


def test_scores_stand_still_wherever_the_sentence_begins(address: str, page: Page) -> None:
    stage = opened(page, address + TURNING)
    to(page, "far")
    place = stage.get_by_role("slider", name="Where the sentence begins")
    asked = stage.get_by_role("button", name="bank asks")
    scores = [1, -3, 0, 0, 1, 6, 0]
    for begins in (100, 99, 98, 97):
        expect(place).to_have_attribute("aria-valuenow", str(begins))
        for score, one in zip(scores, asked.all(), strict=True):
            text = str(score).replace("-", MINUS)
            expect(one).to_have_attribute("aria-label", re.compile(f": {text}$"))
        place.press("ArrowLeft")


def test_a_knob_moves_the_loss_and_each_has_its_slope(address: str, page: Page) -> None:
    stage = opened(page, address + LEARNING)
    expect(number(stage)).to_have_text("2.17")
    stage.get_by_role("slider", name="key right, describes").press("ArrowRight")
    expect(number(stage)).to_have_text("2.14")
    to(page, "nudged")
    expect(number(stage)).to_have_text(f"{MINUS}0.502")
    to(page, "slopes")
    expect(
        stage.get_by_role("button", name=re.compile(f"slope {MINUS}0.57$")).first
    ).to_be_visible()
    knobs = stage.locator("[data-press^=knob]:not([display])")
    expect(knobs).to_have_count(16)
    labels = knobs.evaluate_all("(all) => all.map((one) => one.ariaLabel.split(' ').at(-1))")
    slopes = names_of("steps/who-finds-the-numbers.md")["slopes"].flatten().tolist()
    # Where a slope is nothing, its sign is that of the rounding.
    found = [float(label.replace(MINUS, "-")) for label in labels]
    assert found == pytest.approx(slopes, abs=0.0051)


def test_a_training_is_dragged_back_and_stops_without_the_turning(address: str, page: Page) -> None:
    stage = opened(page, address + LEARNING)
    to(page, "train")
    expect(number(stage)).to_have_text("0.001")
    answer = page.locator(".stage-task p").nth(1)
    expect(answer).to_be_hidden()
    training = stage.get_by_role("slider", name=re.compile("^The training"))
    for _ in range(int(training.get_attribute("aria-valuemax") or 0) - 5):
        training.press("ArrowLeft")
    expect(number(stage)).to_have_text("1.332")
    stage.get_by_role("button", name="The turning of the hands").click()
    expect(answer).to_be_visible()
    stage.get_by_role("slider", name=re.compile("^The training")).press("Shift+ArrowRight")
    expect(number(stage)).to_have_text("1.336")


def test_both_texts_get_the_row_that_is_dragged(address: str, page: Page) -> None:
    stage = opened(page, address + TOKENS)
    to(page, "table")
    stage.get_by_role("button", name="muddy: row 3 of the table").click()
    expect(page.locator(".stage-live")).to_have_text(
        "muddy is row 3 of the table: water 3, money 0, acts 0, describes 3."
    )
    to(page, "bank")
    answers = stage.locator("text:not([display])", has_text=re.compile("^water$"))
    task = page.locator(".stage-task")
    expect(number(stage)).to_have_text(["50 %", "50 %"])
    expect(answers).to_have_count(0)
    place = stage.get_by_role("slider", name="The place of bank")
    for _ in range(10):
        place.press("ArrowDown")
    expect(place).to_have_attribute("aria-valuetext", "water 1, money 0")
    expect(number(stage)).to_have_text(["100 %", "0 %"])
    expect(answers).to_have_count(2)
    expect(task).to_have_class(re.compile("done"))
    stage.get_by_role("button", name="As printed").click()
    expect(task).not_to_have_class(re.compile("done"))


def test_a_column_of_the_new_row_is_read_and_the_tie_has_its_own_sentence(
    address: str, page: Page
) -> None:
    stage = opened(page, address + CONTEXT)
    to(page, "ribbons")
    expect(number(stage)).to_have_text("2.53")
    stage.get_by_role("button", name="describes: 1.23").click()
    expect(number(stage)).to_have_text("1.23")
    expect(page.locator('[data-stage="bank_context"] i.lit')).to_have_text("1.23")
    page.keyboard.press("ArrowLeft")
    expect(number(stage)).to_have_text("0.44")
    expect(page.locator(".stage-live")).to_have_text(
        f"bank takes 0.44 of acts: 0.40 {TIMES} 1 of duck, 0.02 {TIMES} 2 of likes."
    )
    to(page, "path")
    task = page.locator(".stage-task")
    expect(task).not_to_have_class(re.compile("done"))
    stage.get_by_role("button", name="muddy: swap this word").click()
    page.get_by_role("menuitemradio", name="rich").click()
    expect(task).to_have_class(re.compile("done"))
    expect(number(stage)).to_have_text(["1.34", "1.34"])
    to(page, "tie")
    stage.get_by_role("button", name="duck: swap this word").click()
    page.get_by_role("menuitemradio", name="banker").click()
    expect(number(stage)).to_have_text(["0.15", "2.53"])
    to(page, "path")
    expect(stage.get_by_role("button", name="rich: swap this word")).to_be_visible()
    expect(number(stage)).to_have_text(["1.34", "1.34"])


def test_a_word_has_three_cards_and_its_key_counts_other_columns(address: str, page: Page) -> None:
    stage = opened(page, address + QUERIES)
    stage.get_by_role("button", name="The cards of duck").click()
    expect(page.locator(".stage-live")).to_have_text(
        "duck asks 3 and 1, answers 0 and 3, and gives water 3, money 0."
    )
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".stage-live")).to_contain_text("the asks 0 and 0, answers 1 and")
    to(page, "keys")
    task = page.locator(".stage-task")
    expect(number(stage)).to_have_text("6")
    water = stage.get_by_role("button", name=re.compile("^water counts"))
    water.focus()
    page.keyboard.press("Enter")
    expect(stage.get_by_role("button", name="bank asks duck: 6")).to_be_visible()
    expect(stage.get_by_role("button", name="water counts 1 for the key")).to_be_focused()
    expect(task).to_have_class(re.compile("done"))
    to(page, "ribbon")
    expect(number(stage)).to_have_text(["1.47", "1.47"])
    stage.get_by_role("button", name="As printed").click()
    expect(number(stage)).to_have_text(["0.01", "2.88"])
    expect(task).not_to_have_class(re.compile("done"))
    to(page, "tie")
    expect(stage.get_by_role("button", name="muddy: swap this word")).to_be_visible()
    expect(number(stage)).to_have_text(["1.47", "1.47"])


def test_two_heads_keep_apart_what_one_mixes(address: str, page: Page) -> None:
    stage = opened(page, address + HEADS)
    expect(number(stage)).to_have_text(["1.43", "1.43"])
    stage.get_by_role("button", name="bank takes 0.44 of duck").click()
    expect(page.locator('[data-stage="one"] i.lit')).to_have_text("0.44")
    to(page, "sheets")
    expect(number(stage)).to_have_text(["0.01", "0.77"])
    page.keyboard.press("ArrowDown")
    expect(stage.get_by_role("button", name="bank takes 0.77 of duck")).to_be_focused()
    page.locator('[data-stage="weights"] i', has_text="0.91").click()
    expect(number(stage)).to_have_text(["0.91", "0.01"])
    to(page, "joined")
    task = page.locator(".stage-task")
    expect(task).not_to_have_class(re.compile("done"))
    for old, new in [("duck", "banker"), ("rich", "muddy")]:
        stage.get_by_role("button", name=f"{old}: swap this word").click()
        page.get_by_role("menuitemradio", name=new, exact=True).click()
    expect(task).to_have_class(re.compile("done"))
    expect(page.locator(".stage-live")).to_have_text(
        "what kind? water 2.74, money 0.05; who is there? water 0.25, money 2.51; "
        "one head: water 1.43, money 1.43."
    )
    to(page, "mixed")
    counts = stage.get_by_role("slider", name="How much who is there counts")
    counts.press("ArrowRight")
    expect(counts).to_have_attribute("aria-valuetext", "0.55")
    stage.get_by_role("button", name="As printed").click()
    expect(number(stage)).to_have_text(["1.33", "2.84"])
    expect(counts).to_have_attribute("aria-valuetext", "0.5")


def test_coins_fall_into_piles_and_a_knob_moves_shares_once_scores_are_divided(
    address: str, page: Page
) -> None:
    stage = opened(page, address + ROOT_OF)
    expect(number(stage)).to_have_text("2.83")
    task = page.locator(".stage-task")
    stage.get_by_role("button", name="8 coins: change").click()
    expect(page.get_by_role("menuitemradio", name="64 coins")).to_be_in_viewport(ratio=1)
    assert violations(page, ".stage-menu", runOnly=OF_COLOURS) == []
    page.get_by_role("menuitemradio", name="64 coins").click()
    expect(number(stage)).to_have_text("8.00")
    expect(task).to_have_class(re.compile("done"))
    to(page, "divided")
    expect(number(stage)).to_have_text("1.00")
    to(page, "loud")
    expect(number(stage)).to_have_text("+0.0006")
    to(page, "kept")
    expect(number(stage)).to_have_text("+0.1994")
    knob = stage.get_by_role("slider", name="What is added to the score of bank")
    for _ in range(10):
        knob.press("ArrowLeft")
    expect(knob).to_have_attribute("aria-valuenow", "0")
    expect(number(stage)).to_have_text("+0.0000")
    expect(page.locator(".stage-live")).to_contain_text("bank has 0.1901, and had 0.1901")
    stage.get_by_role("button", name="duck: 0.7820").click()
    knob.press("Shift+ArrowRight")
    expect(number(stage)).to_have_text(re.compile(f"^{MINUS}0"))
    expect(page.locator('[data-stage="kept_weights"] i.lit')).to_have_text("0.5894")


def test_a_mask_is_opened_where_it_is_hatched_and_the_test_finds_the_leak(
    address: str, page: Page
) -> None:
    stage = opened(page, address + CAUSAL)
    to(page, "hidden")
    expect(number(stage)).to_have_text(["6.36"])
    to(page, "left")
    expect(number(stage)).to_have_text(["2.98", "0.00"])
    task = page.locator(".stage-task")
    expect(task).not_to_have_class(re.compile("done"))
    stage.get_by_role("button", name="rich comes later than duck: hidden").click()
    expect(task).to_have_class(re.compile("done"))
    expect(page.locator(".stage-live")).to_have_text("duck takes 0.49 of rich.")
    to(page, "test")
    expect(number(stage)).to_have_text(["1"])
    stage.get_by_role("button", name="rich: swap this word").click()
    page.get_by_role("menuitemradio", name="muddy").click()
    expect(page.locator(".stage-live")).to_have_text("Rows that have changed: duck, muddy, banker.")
    stage.get_by_role("button", name="put the mask back").click()
    expect(number(stage)).to_have_text("2")
    stage.get_by_role("button", name="take the mask away").press("Enter")
    expect(number(stage)).to_have_text("7")
    stage.get_by_role("button", name="As printed").click()
    expect(number(stage)).to_have_text(["1"])


SEEN = """() => [...document.querySelectorAll(".stage svg :not(g, [display], [display] *)")]
  .map((mark) => mark.getAttributeNames().sort().map((name) => mark.getAttribute(name)).join()
    + mark.textContent).sort()"""
SHIFTS = """() => new Promise((then) => {
  const shifts = [];
  const observer = new PerformanceObserver((list) => shifts.push(...list.getEntries()));
  observer.observe({ type: "layout-shift", buffered: true });
  requestAnimationFrame(() => requestAnimationFrame(() => then(shifts.map((one) => one.value))));
})"""


@pytest.mark.parametrize("path", PAGES)
def test_a_stage_comes_in_its_place_goes_there_and_back_and_leaves_paper_its_stills(
    address: str, browser: Browser, path: str
) -> None:
    with browser.new_context(reduced_motion="no-preference") as context:
        page = context.new_page()
        opened(page, address + path)
        assert page.evaluate(SHIFTS) == []
        first = page.evaluate(SEEN)
        states = page.locator("section[data-state]").evaluate_all(
            "(all) => all.map((one) => one.dataset.state)"
        )
        for state in [*states, *reversed(states)]:
            to(page, state)
            page.wait_for_timeout(20)
        page.evaluate("scrollTo(0, 0)")
        wait(page, f"(first) => String(({SEEN})()) === String(first)", arg=first)
        page.emulate_media(media="print")
        has_its_stills(page)
    with browser.new_context(java_script_enabled=False) as context:
        plain = context.new_page()
        plain.goto(address + path)
        has_its_stills(plain)


def has_its_stills(reader: Page) -> None:
    for section in reader.locator("section[data-state]").all():
        still = section.locator(".stage-still svg")
        expect(still).to_be_visible()
        width = "part => part.getBoundingClientRect().width"
        assert still.evaluate(width) >= 0.99 * section.evaluate(width), "the whole column"
    expect(reader.locator(".stage")).to_be_hidden()
    for answer in reader.locator(".stage-task p").all():
        expect(answer).to_be_visible()


FRAMES = """async (top) => {
  scrollTo(0, top);
  for (const _ of [1, 2]) await new Promise(requestAnimationFrame);
}"""


def test_who_wants_no_motion_sees_whole_states(address: str, page: Page) -> None:
    stage = opened(page, address + SCORES)
    for top in range(0, page.evaluate("document.documentElement.scrollHeight"), 150):
        page.evaluate(FRAMES, top)
        cells = stage.locator("[data-press^=pick]:not([display])")
        assert cells.count() in (6, 36)
        assert cells.and_(stage.locator("[opacity]")).count() == 0


def test_a_finger_drags_the_arrow_and_the_page_stands_still(
    address: str, touch: tuple[Page, CDPSession]
) -> None:
    page, finger = touch
    stage = opened(page, address + SCORES)
    x, y = middle(handle(stage))
    swipe(finger, (x, y), -60, -30)
    expect(handle(stage)).not_to_have_attribute("aria-valuetext", "water 1, money 1")
    assert page.evaluate("scrollY") == 0
    swipe(finger, (200, 700), 0, -300)
    wait(page, "() => scrollY > 100")


def test_the_training_on_home_is_dragged_back_by_keys_and_says_what_the_model_says(
    address: str, page: Page
) -> None:
    page.goto(address)
    handle = page.get_by_role("slider", name=re.compile("^The training"))
    expect(handle).to_have_attribute("aria-valuetext", "after 1,500 steps, it says water")
    handle.focus()
    steps = int(handle.get_attribute("aria-valuemax") or 0)
    for _ in range(steps):
        page.keyboard.press("ArrowLeft")
    expect(handle).to_have_attribute("aria-valuetext", re.compile(r"^after 0 steps, it says \w+"))
    page.keyboard.press("ArrowRight")
    expect(handle).not_to_have_attribute("aria-valuetext", re.compile("^after 0 "))
