"""The steps that the drawing of speculative decoding counts, held to the code of its page."""

from playwright.sync_api import Page, expect

from tests.site_build.on_stage import number, opened
from tests.site_build.run_page import names_of

GUESSES = "steps/guess-ahead"


def test_a_story_takes_the_steps_of_the_page_and_many_stories_its_time(
    address: str, page: Page
) -> None:
    names = names_of(f"{GUESSES}.md", before="\n### A tree")
    page.emulate_media(reduced_motion="reduce")  # which draws at once
    stage = opened(page, f"{address}{GUESSES}/")
    line = stage.get_by_role("slider")
    for place, ahead in reversed([*enumerate([0, 1, 2, 4, 8])]):
        expect(line).to_have_attribute("aria-valuenow", str(place))
        steps = len([*names["guess_ahead"]("the queens", ahead)])
        expect(stage).to_contain_text(f"here 10 tokens in {steps} steps")
        for cost in range(3):
            stage.locator(f'[data-press="set cost {cost}"]').press("Enter")
            expect(number(stage)).to_have_text(f"{names['speeds'][cost, 1, place]:.2f}")
        line.press("ArrowLeft")
