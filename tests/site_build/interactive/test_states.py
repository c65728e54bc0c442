"""Sentences that open a state of the figure of their page; test_hands.py opens them all."""

import pytest
from playwright.sync_api import Page, expect

from site_build.markdown.states import choices_of, has_state, with_states
from tests.site_build.interactive.test_hands import FIGURES, LINKS


def test_a_press_on_the_sentence_opens_the_state(address: str, page: Page) -> None:
    name, state = LINKS[0]
    here = f"{address}{FIGURES[name]}"
    page.goto(f"{here}#{name}&{state}")
    figure = page.locator("hand-figure.live")
    told = figure.locator(".hand-says").inner_text()
    page.goto("about:blank")
    page.goto(here)
    page.locator(f"a[href='#{name}&{state}']").first.click()
    expect(figure.locator(".hand-says")).to_have_text(told)
    expect(figure.locator("svg.wide")).to_be_in_viewport()


@pytest.mark.parametrize(
    ("spelled", "there"),
    [
        ("&{choice}={value}&t=4", True),
        ("&t=2", True),
        ("&{choice}=devices", False),
        ("&{choice}s={value}", False),
        ("&t=last", False),
        ("&{choice}", False),
        ("&{choice}={value}&{choice}=devices", False),
    ],
)
def test_a_state_has_choices_and_values_of_its_figure(spelled: str, there: bool) -> None:
    name = LINKS[0][0]
    choice, values = next(iter(choices_of(name).items()))
    state = spelled.format(choice=choice, value=min(values).replace(" ", "+"))
    assert has_state(name, state) is there
    link = f'<hand-figure figure="{name}"></hand-figure><a href="#{name}{state}">'
    assert (f'<i id="{name}{state}"></i>' in with_states(link)) is there
