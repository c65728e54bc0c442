"""Figures that play and figures that are dragged, as a reader has them, and by torch's numbers."""

import gzip
import math
from pathlib import Path
from typing import Any

import pytest
import torch
from playwright.sync_api import Browser, Locator, Page, expect

from attention_steps import trace_attention
from tests.conftest import ROOT

SCORES, CONTEXT = "steps/02-scores/", "steps/04-context-vectors/"
HEADS = "steps/10-multi-head-attention/"
ROTATION = "steps/position-by-rotation/"
TILES = "steps/17-tiles/"
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


def drag(figure: Locator, number: int, right: float, down: float) -> None:
    """Drag a handle of a figure by some pixels."""
    handle = figure.locator(".handle").nth(number)
    handle.scroll_into_view_if_needed()
    box = handle.bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
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


def test_a_figure_plays_once_when_it_is_seen(address: str, page: Page) -> None:
    page.emulate_media(reduced_motion="no-preference")
    page.goto(address + "steps/07-self-attention-as-a-layer/")
    figure = page.locator(MOVING).first
    slider, button = figure.get_by_role("slider"), figure.get_by_role("button")
    figure.scroll_into_view_if_needed()
    expect(button).to_have_text("Stop")
    last = slider.get_attribute("max")
    expect(button).to_have_text("Play", timeout=60_000)
    expect(slider).to_have_value(str(last))
    expect(figure.locator(".later")).to_have_count(0)
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    page.evaluate("scrollTo(0, 0)")
    page.wait_for_function("new Promise((done) => requestAnimationFrame(() => done(true)))")
    expect(button).to_have_text("Play")


@pytest.mark.parametrize("path", [SCORES, HEADS])
def test_a_figure_is_moved_by_the_keyboard(address: str, page: Page, path: str) -> None:
    page.goto(address + path)
    figure = page.locator(MOVING).first
    slider = figure.get_by_role("slider")
    expect(slider).to_be_visible()
    last = int(slider.get_attribute("max") or 0)
    assert last > 1
    expect(slider).to_have_value(str(last))  # nothing has played
    expect(figure.locator(".later")).to_have_count(0)
    slider.press("ArrowLeft")
    panels = figure.locator("svg").count()
    expect(figure.locator(".later")).to_have_count(panels)
    names = (slider.get_attribute("data-names") or "").split("|")
    expect(slider).to_have_attribute("aria-valuetext", names[last - 2])
    slider.press("Home")
    expect(figure.locator(".later")).to_have_count(panels * last)
    slider.press("End")
    expect(figure.locator(".later")).to_have_count(0)


def test_paper_shows_all_of_a_figure_that_is_playing(address: str, page: Page) -> None:
    page.goto(address + HEADS)
    figure = page.locator(MOVING).first
    figure.get_by_role("slider").press("Home")
    later = figure.locator(".later").last
    expect(later).to_have_css("opacity", "0")
    page.emulate_media(media="print")
    expect(later).to_have_css("opacity", "1")
    arc, dashes = figure.locator(".arc").first, "(arc) => getComputedStyle(arc).strokeDashoffset"
    assert arc.evaluate(dashes) == "0px"
    expect(figure.locator(".figure-motion")).to_be_hidden()


NOW = """(figure) => [...figure.querySelectorAll("[data-at]")]
  .filter((part) => part.querySelector(".now").checkVisibility({opacityProperty: true}))
  .map((part) => Number(part.dataset.at))"""


def test_only_the_present_moment_is_lit(address: str, page: Page) -> None:
    page.goto(address + TILES)
    figure = page.locator(MOVING).first
    slider = figure.get_by_role("slider")
    last = int(slider.get_attribute("max") or 0)
    assert last == 9
    assert figure.evaluate(NOW) == [last]
    slider.press("Home")
    assert figure.evaluate(NOW) == []
    for at in range(1, last + 1):
        slider.press("ArrowRight")
        assert figure.evaluate(NOW) == [at]
    slider.press("ArrowLeft")
    assert figure.evaluate(NOW) == [last - 1]
    page.emulate_media(media="print")
    assert figure.evaluate(NOW) == [last]


def test_without_a_script_the_last_moment_is_lit(address: str, browser: Browser) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address + TILES)
    assert page.locator(MOVING).first.evaluate(NOW) == [9]
    context.close()


@pytest.mark.parametrize("path", [CONTEXT, ROTATION])
def test_without_a_script_a_figure_is_complete(address: str, browser: Browser, path: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address + path)
    assert page.locator(f"{MOVING}, {LIVE}").count()
    for controls in page.locator(".for-scripts").all():
        expect(controls).to_be_hidden()
    assert page.locator(".later, .handle").count() == 0
    for part in page.locator("[data-at], [data-row]").all():
        expect(part).to_have_css("opacity", "1")
    context.close()


# Keys on one of the handles, or a way in pixels by the pointer.
MOVES: list[tuple[int, Any]] = [
    (0, ["ArrowUp"] * 4),
    (0, ["ArrowRight", "ArrowRight", "ArrowDown"]),
    (0, (40, -30)),
    (1, ["ArrowLeft"] * 3),
    (1, (-20, 45)),
    (0, (-400, -300)),
]


@pytest.mark.parametrize("path", [SCORES, CONTEXT])
def test_what_follows_a_dragged_vector_is_what_torch_computes(
    address: str, page: Page, path: str
) -> None:
    page.goto(address + path)
    figure = page.locator(LIVE).first
    figure.scroll_into_view_if_needed()
    handles = figure.locator(".handle")
    expect(handles.first).to_be_visible()
    seen = []
    for number, way in [(0, []), *MOVES]:
        handle = handles.nth(min(number, handles.count() - 1))
        if isinstance(way, tuple):
            drag(figure, min(number, handles.count() - 1), *way)
        for key in way if isinstance(way, list) else []:
            handle.press(key)
        vectors = rows(figure)
        seen.append(vectors.tolist())
        if path == SCORES:
            bank, money = vectors
            lengths = [float(one.norm()) for one in (bank, money)]
            angle = math.degrees(math.acos(float(bank @ money) / lengths[0] / lengths[1]))
            expected = [float(bank @ money), *lengths, angle]
        else:
            *values, query, context = vectors
            key = torch.stack(values)
            trace = trace_attention(query[None], key, key, scale=1.0)
            assert torch.allclose(trace.context[0], context)
            expected = trace.weights[0].tolist()
        assert numbers(figure) == pytest.approx(expected, abs=0.0051)
        for moved, arrow in zip(
            figure.locator("[data-drag]").all(), figure.locator(".arrow").all(), strict=True
        ):
            end = [float(one) for one in (moved.get_attribute("data-row") or "").split()]
            assert tip(arrow) == pytest.approx(end, abs=0.01)
    assert len({str(one) for one in seen}) == len(seen), "each of the moves has moved something"


def test_a_handle_says_where_it_is_and_stays_in_the_plane(address: str, page: Page) -> None:
    page.goto(address + "steps/01-tokens-become-vectors/")
    figure = page.locator(LIVE)
    figure.scroll_into_view_if_needed()  # what it needs is fetched when it is nearby
    handle = figure.get_by_role("slider", name="bank")
    expect(handle).to_have_attribute("aria-valuetext", "water 1.00, money 1.00")
    handle.press("ArrowUp")
    expect(handle).to_have_attribute("aria-valuetext", "water 1.00, money 1.10")
    assert numbers(figure) == [1.0, 1.1]
    drag(figure, 0, -900, 0)
    assert numbers(figure) == [0.0, 1.1]
    drag(figure, 0, 900, -400)
    assert numbers(figure) == [3.0, 3.0]


def test_the_context_stays_among_the_values(address: str, page: Page) -> None:
    page.goto(address + CONTEXT)
    figure = page.locator(LIVE)
    figure.scroll_into_view_if_needed()  # what it needs is fetched when it is nearby
    for way in [(300, 0), (-300, -300), (0, 300), (150, -150)]:
        drag(figure, 0, *way)
        water, money = rows(figure)[-1].tolist()
        assert min(water, money) >= 0
        assert water + money <= 3 + 1e-9


@pytest.mark.parametrize("path", [HEADS])
def test_no_control_of_a_figure_is_cut_on_a_narrow_phone(
    address: str, page: Page, path: str
) -> None:
    page.set_viewport_size({"width": 320, "height": 640})
    page.goto(address + path)
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


def test_turning_both_hands_keeps_their_score(address: str, page: Page) -> None:
    page.goto(address + ROTATION)
    figure = page.locator(LIVE)
    figure.scroll_into_view_if_needed()  # what it needs is fetched when it is nearby
    slider = figure.get_by_role("slider")
    start, shown = rows(figure), numbers(figure)
    for places in range(1, 5):
        slider.press("ArrowRight")
        expect(slider).to_have_value(str(places))
        c, s = math.cos(places), math.sin(places)
        turned = start @ torch.tensor([[c, s], [-s, c]], dtype=torch.float64)
        assert torch.allclose(rows(figure), turned)
        assert numbers(figure) == shown
    assert shown[0] == pytest.approx(math.cos(1), abs=0.005)


@pytest.mark.parametrize(
    ("path", "expected"),
    [(HEADS, {"motion.js"}), (CONTEXT, {"motion.js", "live.js"}), (ROTATION, {"live.js"})],
)
def test_only_what_a_page_uses_is_fetched(
    address: str, page: Page, path: str, expected: set[str]
) -> None:
    fetched: set[str] = set()
    page.on("request", lambda request: fetched.add(request.url))
    page.goto(address + path)
    for figure in page.locator("[data-needs]").all():
        figure.scroll_into_view_if_needed()
    for controls in page.locator(".figure .for-scripts").all():
        expect(controls).to_be_visible()  # its script has come
    page.wait_for_load_state("networkidle")
    scripts = {url.rpartition("/")[2] for url in fetched if "/assets/figures/" in url}
    assert scripts == expected
    fetched.clear()
    page.goto(address + "reference/masks/", wait_until="networkidle")
    assert not [url for url in fetched if "/assets/figures/" in url]


def test_the_scripts_of_figures_are_light(site: Path) -> None:
    theme = ROOT / "src" / "site_build" / "theme"
    scripts = list((theme / "assets" / "figures").glob("*.js"))
    built = [(site / script.relative_to(theme)).read_bytes() for script in scripts]
    assert 0 < sum(len(gzip.compress(script)) for script in built) < 4000
