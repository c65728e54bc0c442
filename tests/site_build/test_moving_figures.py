"""Figures that play, as a reader has them."""

from playwright.sync_api import Browser, CDPSession, Page, expect

EXPERTS = "steps/experts/"

MOVING = ".figure:has(.figure-motion)"


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
        page.goto(address + EXPERTS)
        page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
        found = page.evaluate(RESTING)
        for figure in page.locator(MOVING).all():
            figure.scroll_into_view_if_needed()
            expect(figure.get_by_role("button")).to_be_visible()
            found += page.evaluate(RESTING)
        assert len(found) > 1
        assert all(seen == [0, False] for seen in found)


def test_a_press_plays_it_from_its_first_part_to_its_end(address: str, page: Page) -> None:
    page.emulate_media(reduced_motion="no-preference")
    page.goto(address + EXPERTS)
    figure = page.locator(MOVING).first
    button, slider = figure.get_by_role("button"), figure.get_by_role("slider")
    figure.scroll_into_view_if_needed()
    button.click()
    expect(slider).to_have_value("1")
    expect(button).to_have_text("Stop")
    expect(button).to_have_text("Play", timeout=30_000)
    expect(slider).to_have_value(slider.get_attribute("max") or "")
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
    page.goto(address + EXPERTS)
    page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")
    for figure in page.locator(MOVING).all():
        figure.scroll_into_view_if_needed()
        expect(figure.locator(".for-scripts").first).to_be_visible()
        for control in figure.locator("button, input, .figure-choice label").all():
            box = control.bounding_box()
            assert box
            assert min(box["width"], box["height"]) >= 44, control.evaluate("one => one.outerHTML")


def test_a_figure_is_moved_by_the_keyboard(address: str, page: Page) -> None:
    page.goto(address + EXPERTS)
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


def test_each_beat_changes_what_is_seen(address: str, page: Page) -> None:
    page.goto(address + EXPERTS)
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
    page.goto(address + EXPERTS)
    figures = page.locator(MOVING)
    assert figures.count()
    for controls in page.locator(".for-scripts").all():
        expect(controls).to_be_hidden()
    assert page.locator(".later").count() == 0
    for part in page.locator("[data-at] > *").all():
        expect(part).to_have_css("opacity", "1")
    context.close()


def test_a_figure_that_cannot_be_played_is_complete(address: str, page: Page) -> None:
    page.route("**/motion.js", lambda route: route.abort())
    page.goto(address + EXPERTS)
    figure = page.locator(MOVING).first
    figure.scroll_into_view_if_needed()
    for part in figure.locator("[data-at] > *").all():
        expect(part).to_have_css("opacity", "1")
    expect(figure.locator(".for-scripts")).to_be_hidden()


def test_a_reader_chooses_a_panel_and_paper_has_both(address: str, page: Page) -> None:
    page.goto(f"{address}steps/layers-on-devices/")
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


def test_no_control_of_a_figure_is_cut_on_a_narrow_phone(address: str, page: Page) -> None:
    page.set_viewport_size({"width": 320, "height": 640})
    page.goto(address + EXPERTS)
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
