"""Figures that play and figures that are dragged, as a reader has them, and by torch's numbers."""

from typing import Any

import pytest
import torch
from playwright.sync_api import Browser, CDPSession, Locator, Page, expect

from attention_steps import trace_attention
from site_build.figures.marks import THICK
from tests.site_build.reading import wait

WORDS, CONTEXT, HEADS = (
    f"steps/{name}/"
    for name in ("tokens-become-vectors", "context-vectors", "multi-head-attention")
)
MOVING = ".figure:has(.figure-motion)"
LIVE = ".figure:has(.figure-live)"


def numbers(figure: Locator) -> list[float]:
    """Return the numbers below a figure."""
    return [float(text.replace("\u2212", "-")) for text in figure.locator("b").all_inner_texts()]


def rows(figure: Locator) -> torch.Tensor:
    """Return the vectors of a figure."""
    found: list[list[float]] = figure.locator("[data-row]").evaluate_all(
        "(rows) => rows.map((row) => row.dataset.row.split(' ').map(Number))"
    )
    return torch.tensor(found, dtype=torch.float64)


def live(page: Page, url: str) -> Locator:
    """Open a page, and return its figure that is dragged or turned, when its script has come."""
    page.goto(url)
    figure = page.locator(LIVE).first
    figure.scroll_into_view_if_needed()  # what it needs is fetched when it is nearby
    expect(figure.locator(".for-scripts")).to_be_visible()
    return figure


def middle(mark: Locator) -> tuple[float, float]:
    """Return where a mark is on the screen."""
    box = mark.bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(figure: Locator, number: int, right: float, down: float) -> None:
    """Drag a handle of a figure by some pixels."""
    handle = figure.locator(".handle").nth(number)
    handle.scroll_into_view_if_needed()
    x, y = middle(handle)
    mouse = figure.page.mouse
    mouse.move(x, y)
    mouse.down()
    mouse.move(x + right, y + down, steps=3)
    mouse.up()


def tip(arrow: Locator) -> list[float]:
    """Return where an arrow of a figure ends, in numbers of the plane."""
    found: list[float] = arrow.evaluate(
        """(path) => {
            const [x, y] = path.getAttribute("d").split("M")[2].split("L")[0].split(",").map(Number)
            const scale = path.ownerSVGElement.dataset.scale
            return [x / scale, -y / scale]
        }"""
    )
    return found


# ---- what plays


# How far a moving figure is from its end, and whether any part of it is not seen.
RESTING = """() => [...document.querySelectorAll(".figure:has(.figure-motion)")].map((figure) => {
  const { max, value } = figure.querySelector(".figure-motion input")
  return [max - value, [...figure.querySelectorAll("[data-at] > *")].some((part) =>
    getComputedStyle(part).opacity !== "1")]
})"""


def test_a_figure_rests_complete_and_waits_for_its_reader(address: str, browser: Browser) -> None:
    with browser.new_context(reduced_motion="no-preference") as context:
        page = context.new_page()
        for path in (CONTEXT, HEADS):
            page.goto(address + path)
            page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
            found = page.evaluate(RESTING)
            for figure in page.locator(MOVING).all():
                figure.scroll_into_view_if_needed()
                expect(figure.get_by_role("button")).to_be_visible()
                found += page.evaluate(RESTING)
            assert len(found) > 1, path
            assert all(seen == [0, False] for seen in found), path


def test_a_press_plays_it_from_its_first_part_to_its_end(address: str, page: Page) -> None:
    page.emulate_media(reduced_motion="no-preference")
    page.goto(address + CONTEXT)
    figure = page.locator(MOVING).first
    button, slider = figure.get_by_role("button"), figure.get_by_role("slider")
    figure.scroll_into_view_if_needed()
    button.click()
    expect(slider).to_have_value("1")
    expect(button).to_have_text("Stop")
    expect(button).to_have_text("Play", timeout=30_000)
    expect(slider).to_have_value("4")
    expect(figure.locator(".later")).to_have_count(0)
    button.press("Enter")
    expect(slider).to_have_value("1")
    button.press("Enter")
    expect(button).to_have_text("Play")
    expect(slider).to_have_value("1")
    button.press("Enter")  # it goes on from there
    expect(slider).to_have_value("2")


def test_a_finger_hits_each_control_of_a_figure(
    address: str, touch: tuple[Page, CDPSession]
) -> None:
    page, _ = touch
    page.goto(address + CONTEXT)
    page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")
    for figure in page.locator(f"{MOVING}, {LIVE}").all():
        figure.scroll_into_view_if_needed()
        expect(figure.locator(".for-scripts").first).to_be_visible()
        for control in figure.locator("button, input, .figure-choice label").all():
            box = control.bounding_box()
            assert box
            assert min(box["width"], box["height"]) >= 44, control.evaluate("one => one.outerHTML")


def test_a_figure_is_moved_by_the_keyboard(address: str, page: Page) -> None:
    page.goto(address + HEADS)
    figure = page.locator(MOVING).first
    figure.scroll_into_view_if_needed()
    slider = figure.get_by_role("slider")
    expect(slider).to_be_visible()
    last = int(slider.get_attribute("max") or 0)
    assert last > 1
    expect(slider).to_have_value(str(last))
    expect(figure.locator(".later")).to_have_count(0)
    slider.press("ArrowLeft")
    panels = figure.locator("svg").count()
    expect(figure.locator(".later")).to_have_count(panels)
    names = (slider.get_attribute("data-names") or "").split("|")
    expect(slider).to_have_attribute("aria-valuetext", names[last - 2])
    slider.press("Home")
    expect(figure.locator(".later")).to_have_count(panels * last)
    expect(figure.locator(".later > *").last).to_have_css("opacity", "0")
    page.emulate_media(media="print")  # paper shows all
    expect(figure.locator(".later > *").last).to_have_css("opacity", "1")
    expect(figure.locator(".figure-motion")).to_be_hidden()


LOOK = """(figure) => [...figure.querySelectorAll("[data-at] *")].map((mark) =>
  [mark.checkVisibility({opacityProperty: true}), getComputedStyle(mark).transform,
   getComputedStyle(mark).strokeDashoffset].join()).join()"""


@pytest.mark.parametrize("path", [CONTEXT, "steps/why-divide-by-the-square-root/"])
def test_each_beat_changes_what_is_seen(address: str, page: Page, path: str) -> None:
    page.goto(address + path)
    for figure in page.locator(MOVING).all():
        figure.evaluate("(one) => one.closest('details') && (one.closest('details').open = true)")
        figure.scroll_into_view_if_needed()
        slider = figure.get_by_role("slider")
        slider.press("Home")
        seen = [figure.evaluate(LOOK)]
        for _ in range(int(slider.get_attribute("max") or 0)):
            slider.press("ArrowRight")
            seen.append(figure.evaluate(LOOK))
        assert len(seen) == len(set(seen)) > 2


def test_without_a_script_a_figure_is_complete(address: str, browser: Browser) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address + CONTEXT)
    figures = page.locator(f"{MOVING}, {LIVE}")
    assert figures.count()
    for controls in page.locator(".for-scripts").all():
        expect(controls).to_be_hidden()
    assert page.locator(".later, .handle").count() == 0
    for part in page.locator("[data-at] > *, [data-row]").all():
        expect(part).to_have_css("opacity", "1")
    context.close()


def test_a_figure_that_cannot_be_played_is_complete(address: str, page: Page) -> None:
    page.route("**/motion.js", lambda route: route.abort())
    page.goto(address + CONTEXT)
    figure = page.locator(MOVING).first
    figure.scroll_into_view_if_needed()
    for part in figure.locator("[data-at] > *").all():
        expect(part).to_have_css("opacity", "1")
    expect(figure.locator(".for-scripts")).to_be_hidden()


def test_a_reader_chooses_a_panel_and_paper_has_both(address: str, page: Page) -> None:
    page.goto(f"{address}steps/cross-attention/")
    figure = page.locator(".figure:has(.figure-choice)").first
    figure.scroll_into_view_if_needed()
    panels = figure.locator(".figure-panels > *")
    for key, seen in ((None, "10"), ("ArrowRight", "01"), ("ArrowLeft", "10")):
        if key:
            figure.locator(":checked").press(key)
        for panel, opacity in zip(panels.all(), seen, strict=True):
            expect(panel).to_have_css("opacity", opacity)
    page.emulate_media(media="print")
    for panel in panels.all():
        expect(panel).to_have_css("opacity", "1")
    expect(figure.get_by_role("radio")).to_have_count(0)


PLACES = """(figure) => {
  for (const one of figure.getAnimations({subtree: true})) one.finish()
  return [...figure.querySelectorAll("[data-way]")].map((card) =>
    getComputedStyle(card).transform.split(",").slice(4).map((one) => Math.round(parseFloat(one))))
}"""


def test_what_travels_ends_where_it_stands_without_a_script(
    address: str, page: Page, browser: Browser
) -> None:
    page.goto(address + CONTEXT)
    figure = page.locator(".figure:has([data-way])").first
    figure.scroll_into_view_if_needed()
    slider = figure.get_by_role("slider")
    expect(slider).to_be_visible()
    slider.press("Home")
    last, seen = int(slider.get_attribute("max") or 0), [figure.inner_html()]
    start = figure.evaluate(PLACES)
    for _ in range(last):
        slider.press("ArrowRight")
        seen.append(figure.inner_html())
    assert len(set(seen)) == last + 1
    end = figure.evaluate(PLACES)
    assert end != start
    slider.press("Home")
    page.emulate_media(media="print")
    assert figure.evaluate(PLACES) == end
    context = browser.new_context(java_script_enabled=False, viewport=page.viewport_size)
    plain = context.new_page()
    plain.goto(address + CONTEXT)
    assert plain.locator(".figure:has([data-way])").first.evaluate(PLACES) == end
    context.close()


# ---- what is dragged

# Keys on one of the handles, or a way in pixels by the pointer.
MOVES: list[tuple[int, Any]] = [
    (0, ["ArrowUp"] * 4),
    (0, ["ArrowRight", "ArrowRight", "ArrowDown"]),
    (0, (40, -30)),
    (1, ["ArrowLeft"] * 3),
    (1, (-20, 45)),
    (0, (-400, -300)),
]


DRAWN = """(arrows) => arrows.map((arrow) =>
  arrow.getAttribute("d").match(/-?[\\d.]+/g).map(Number))"""


def test_a_script_draws_an_arrow_as_the_build_has_drawn_it(
    address: str, page: Page, browser: Browser
) -> None:
    context = browser.new_context(java_script_enabled=False)
    plain = context.new_page()
    plain.goto(address + CONTEXT)
    arrows = f"{LIVE} .arrow"
    built = plain.locator(arrows).evaluate_all(DRAWN)
    context.close()
    live(page, address + CONTEXT)
    begun = page.locator(arrows).evaluate_all(DRAWN)
    assert len(begun) == len(built) > 0
    for one, other in zip(begun, built, strict=True):
        assert one == pytest.approx(other, abs=0.06)


def test_what_follows_a_dragged_vector_is_what_torch_computes(address: str, page: Page) -> None:
    figure = live(page, address + CONTEXT)
    handles = figure.locator(".handle")
    seen = []
    for number, way in [(0, []), *MOVES]:
        number = min(number, handles.count() - 1)
        if isinstance(way, tuple):
            drag(figure, number, *way)
        for key in way if isinstance(way, list) else []:
            handles.nth(number).press(key)
        vectors = rows(figure)
        seen.append(str(vectors.tolist()))
        *values, query, context = vectors
        key = torch.stack(values)
        trace = trace_attention(query[None], key, key, scale=1.0)
        assert torch.allclose(trace.context[0], context)
        expected = trace.weights[0].tolist()
        thick = figure.locator(".pull").evaluate_all(
            "(pulls) => pulls.map((pull) => parseFloat(getComputedStyle(pull).strokeWidth))"
        )
        assert thick == pytest.approx([THICK * share for share in expected], rel=1e-5)
        assert numbers(figure) == pytest.approx(expected, abs=0.0051)
        for moved, arrow in zip(
            figure.locator("[data-drag]").all(), figure.locator(".arrow").all(), strict=True
        ):
            end = [float(one) for one in (moved.get_attribute("data-row") or "").split()]
            assert tip(arrow) == pytest.approx(end, abs=0.01)
    assert len(set(seen)) == len(seen), "each of the moves has moved something"
    assert page.evaluate("String(getSelection())") == ""
    figure.get_by_role("button", name="Reset").click()
    assert str(rows(figure).tolist()) == seen[0]
    expect(figure.locator("output")).to_be_empty()


def test_a_handle_says_where_it_is_what_that_means_and_stays_in_the_plane(
    address: str, page: Page
) -> None:
    figure = live(page, address + WORDS)
    said = figure.get_by_role("status")
    handle = figure.get_by_role("slider", name="bank")
    expect(handle).to_have_attribute("aria-valuetext", "water 1.00, money 1.00")
    expect(said).to_be_empty()
    handle.press("ArrowUp")
    expect(handle).to_have_attribute("aria-valuetext", "water 1.00, money 1.10")
    expect(said).to_contain_text("either bank")
    goals = figure.locator("[data-goal]")
    for way, place, meaning, reached in [
        ((-900, 900), [0.0, 0.0], "either bank", []),
        ((900, -900), [3.0, 3.0], "either bank", []),
        ((0, 900), [3.0, 0.0], "Yes. This is the muddy bank", [0]),
        ((-900, -900), [0.0, 3.0], "Yes. This is the rich bank", [1]),
    ]:
        drag(figure, 0, *way)
        assert rows(figure)[4].tolist() == place
        shares = ["\u2013" if not sum(place) else f"{100 * x / sum(place):.0f} %" for x in place]
        assert figure.locator("b").all_inner_texts() == shares
        expect(said).to_contain_text(meaning)
        seen = [number for number, goal in enumerate(goals.all()) if goal.is_visible()]
        assert seen == reached


def swipe(finger: CDPSession, start: tuple[float, float], right: float, down: float) -> None:
    """Move a finger over the screen."""
    for part in range(11):
        kind = "touchMove" if part else "touchStart"
        place = {"x": start[0] + right * part / 10, "y": start[1] + down * part / 10}
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [place]})
    finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def test_a_handle_follows_a_finger_and_a_swipe_beside_it_scrolls(
    address: str, touch: tuple[Page, CDPSession]
) -> None:
    page, finger = touch
    figure = live(page, address + CONTEXT)
    figure.evaluate("(figure) => scrollTo(0, figure.getBoundingClientRect().top + scrollY - 100)")
    for handle in figure.locator(".handle").all():
        for right, down in ((-60, -50), (60, 0), (0, 50)):  # within the plane of each figure
            start, scrolled = middle(handle), page.evaluate("scrollY")
            swipe(finger, start, right, down)
            end = middle(handle)
            assert [end[0] - start[0], end[1] - start[1]] == pytest.approx([right, down], abs=7)
            assert page.evaluate("scrollY") == scrolled
    x, y = middle(figure.locator("svg"))
    scrolled = page.evaluate("scrollY")
    swipe(finger, (x + 100, y - 60), 0, -90)
    wait(page, "(before) => scrollY > before + 30", arg=scrolled)


WRITTEN = """(figure) => [...figure.querySelectorAll("svg text")].map((text) => {
  const {left, right, top, bottom} = text.getBoundingClientRect()
  return [left, right, top + 3, bottom - 3]
})"""


def test_labels_make_room_for_one_another_wherever_something_is_dragged(
    address: str, page: Page
) -> None:
    figure = live(page, address + CONTEXT)
    for way in [(0, 0), (900, 900), (-900, -900), (900, -900), (0, 190), (-180, 180), (0, 900)]:
        drag(figure, 0, *way)
        boxes = figure.evaluate(WRITTEN)
        for at, (left, right, top, bottom) in enumerate(boxes):
            for other in boxes[:at]:
                beside = right <= other[0] or other[1] <= left
                assert beside or bottom <= other[2] or other[3] <= top, (way, boxes)


def test_no_control_of_a_figure_is_cut_on_a_narrow_phone(address: str, page: Page) -> None:
    page.set_viewport_size({"width": 320, "height": 640})
    page.goto(address + CONTEXT)
    figure = page.locator(MOVING).first
    figure.scroll_into_view_if_needed()
    slider = figure.get_by_role("slider")
    slider.press("Home")
    slider.press("ArrowRight")  # what it shows is written beside it
    outer = figure.bounding_box()
    assert outer
    assert figure.locator(".figure-motion span").inner_text()
    for part in figure.locator(".figure-motion :is(button, label, input, span)").all():
        box = part.bounding_box()
        assert box
        assert outer["x"] - 1 <= box["x"]
        assert box["x"] + box["width"] <= outer["x"] + outer["width"] + 1
        assert part.evaluate("(part) => part.scrollWidth <= part.clientWidth + 1")
