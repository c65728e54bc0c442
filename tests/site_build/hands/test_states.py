"""Sentences that open a state of the figure of their page."""

import re
from urllib.parse import parse_qsl

import pytest
from playwright.sync_api import Page, expect

from site_build.markdown.states import choices_of, has_state, with_states
from tests.conftest import sources
from tests.site_build.hands.test_hands import FIGURES, held

LINK = re.compile(r"\]\(#([\w-]+)&([^)]*)\)")
LINKS = {  # the figure and the state, by the place of the link
    f"{path.relative_to(path.parents[1])}:{number}": found
    for path in sources(".md")
    if path.stem != "writing-a-page"
    for number, line in enumerate(path.read_text("utf-8").split("\n"), 1)
    for found in LINK.findall(line)
}

# What the controls of a figure show: each choice, and the moment.
SHOWN = """(figure) => {
  const name = figure.getAttribute("figure")
  const chosen = [...figure.querySelectorAll(".hand-choices :is(:checked, [type=range])")]
  const state = chosen.map((input) => [input.name.slice(name.length + 1), input.value])
  return [...state, ["t", figure.querySelector(".hand-bar input")?.value ?? "0"]]
}"""
SEEN = """(figure, name) =>
  figure.querySelector(`.hand-choices [name="${figure.getAttribute("figure")}-${name}"]`)
    .checkVisibility({ visibilityProperty: true }) || name"""


def test_each_figure_has_a_sentence_that_opens_it() -> None:
    assert {figure for figure, _ in LINKS.values()} == {*FIGURES}


@pytest.mark.parametrize("place", LINKS)
def test_the_figure_shows_the_state_that_a_sentence_names(
    address: str, page: Page, place: str
) -> None:
    name, spelled = LINKS[place]
    given = parse_qsl(spelled)
    shown = held(page, address, name, f"#{name}&{spelled}")
    assert {*given} - {(choice, value) for choice, value in shown.evaluate(SHOWN)} == set()
    for choice, _ in given:
        assert choice == "t" or shown.evaluate(SEEN, choice) is True, "a choice without use here"


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
    link = f'<hand-figure figure="tiles" class="unplayed"></hand-figure><a href="#tiles{spelled}">'
    assert (f'<i id="tiles{spelled}"></i>' in with_states(link)) is there


def test_choices_have_their_values_with_their_blanks() -> None:
    assert choices_of("tiles")["adjective"] == {"muddy", "rich"}
    assert has_state("costs", "&model=Llama+3+8B")
