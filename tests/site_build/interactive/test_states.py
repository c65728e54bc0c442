"""Sentences that open a state of the figure of their page; test_hands.py opens them all."""

import pytest
from playwright.sync_api import Page, expect

from site_build.markdown.states import choices_of, has_state, with_states
from tests.site_build.interactive.test_hands import FIGURES


def test_a_press_on_the_sentence_opens_the_state(address: str, page: Page) -> None:
    page.goto(f"{address}{FIGURES['mesh']}")
    page.get_by_role("link", name="along heads", exact=True).click()
    figure = page.locator("hand-figure.live")
    expect(figure.locator(".hand-says")).to_contain_text("Wrong: ")
    expect(figure.get_by_role("radio", name="all three")).to_be_checked()
    expect(figure.locator("svg.wide")).to_be_in_viewport()


@pytest.mark.parametrize(
    ("spelled", "there"),
    [
        ("&add=heads&t=4", True),
        ("&t=2", True),
        ("&add=devices", False),
        ("&adds=heads", False),
        ("&t=last", False),
        ("&add", False),
        ("&add=heads&add=devices", False),
    ],
)
def test_a_state_has_choices_and_values_of_its_figure(spelled: str, there: bool) -> None:
    assert has_state("mesh", spelled) is there
    link = f'<hand-figure figure="mesh"></hand-figure><a href="#mesh{spelled}">'
    assert (f'<i id="mesh{spelled}"></i>' in with_states(link)) is there


def test_choices_have_their_values_with_their_blanks() -> None:
    assert choices_of("mesh")["tokens"] == {"1", "2"}
