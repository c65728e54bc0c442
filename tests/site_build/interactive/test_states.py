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
        ("&size=3&t=4", True),
        ("&t=2", True),
        ("&words=7.5", True),
        ("&size=5", False),
        ("&sizes=3", False),
        ("&t=last", False),
        ("&words=6.5", False),
        ("&size", False),
        ("&size=3&size=5", False),
    ],
)
def test_a_state_has_choices_and_values_of_its_figure(spelled: str, there: bool) -> None:
    assert has_state("tiles", spelled) is there
    link = f'<hand-figure figure="tiles"></hand-figure><a href="#tiles{spelled}">'
    assert (f'<i id="tiles{spelled}"></i>' in with_states(link)) is there


def test_choices_have_their_values_with_their_blanks() -> None:
    assert choices_of("tiles")["adjective"] == {"muddy", "rich"}
    assert has_state("costs", "&model=Llama+3+8B")
