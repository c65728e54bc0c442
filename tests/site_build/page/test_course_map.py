"""The map of the course: each step has its place on it, and each link leads to a step."""

import re
from posixpath import join, normpath

import pytest

from site_build.page.course_map import ABOUT, MARK, STATIONS, strip, with_map
from tests.conftest import PAGES, ROOT

SOURCES = {f"{path.rstrip('/')}.md" if path else "index.md": path for path in PAGES}
STEPS = [source for source in SOURCES if source.startswith("steps/")]
LINK = re.compile(r'<a href="([^"]*)"')


def linked(page: str, html: str) -> list[str]:
    """Return the addresses to which the links of a page lead."""
    return [normpath(join(SOURCES[page], href)) + "/" for href in LINK.findall(html)]


@pytest.mark.parametrize("page", STEPS)
def test_each_step_is_on_the_map(page: str) -> None:
    if MARK in (ROOT / "docs" / page).read_text("utf-8"):
        assert not strip(page, SOURCES), "it has the whole map"
        return
    html = strip(page, SOURCES)
    assert len(linked(page, html)) == len(STATIONS)
    assert set(linked(page, html)) <= set(SOURCES.values())
    lit = re.findall(r"aria-current=step>([^<]*)", html)
    assert lit
    assert " ".join(lit) == ABOUT[page.removeprefix("steps/").removesuffix(".md")]


@pytest.mark.parametrize("station", [name for name, step in STATIONS.items() if step.isdecimal()])
def test_a_station_leads_to_the_first_step_about_it(station: str) -> None:
    first = next(page for page, stations in ABOUT.items() if station in stations)
    assert first.startswith(f"{int(STATIONS[station]):02}-")


def test_no_other_page_has_a_strip() -> None:
    assert not strip("index.md", SOURCES)
    assert not strip("guides/questions.md", SOURCES)


@pytest.mark.parametrize("page", ["index.md", "steps/you-are-here.md"])
def test_the_whole_map_leads_to_the_steps_it_names(page: str) -> None:
    text = with_map(page, f"before\n\n{MARK}\n\nafter", SOURCES)
    assert text.count("\n") == 4, "each line is where it was"
    named = re.findall(r'href="[./\w]*?/?(?:(\d+)-)?[\w-]+/"(?: aria-label="step (\d+)")?', text)
    assert all(int(number or 0) == int(label or 0) for number, label in named)
    assert set(linked(page, text)) < set(SOURCES.values())
    assert text.count("aria-current=page>you are here<") == (page != "index.md")


def test_of_two_pages_with_one_number_the_map_takes_the_one_that_is_read() -> None:
    sources = {"steps/09-padding-masks-and-dropout.md": "old/", **SOURCES}
    assert "old/" not in with_map("index.md", MARK, sources)
