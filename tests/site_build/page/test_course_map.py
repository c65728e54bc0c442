"""The map of the course: each step has its place on it, and each link leads to a step."""

import re
from posixpath import join, normpath

import pytest

from site_build.page.course_map import MARK, STATIONS, strip, with_map
from tests.conftest import PAGES, ROOT, sources

SOURCES = {f"{path.rstrip('/')}.md" if path else "index.md": path for path in PAGES}
STEPS = [source for source in SOURCES if source.startswith("steps/")]
LINK = re.compile(r'<a href="([^"]*)"')


def linked(page: str, html: str) -> list[str]:
    """Return the addresses to which the links of a page lead."""
    return [normpath(join(SOURCES[page], href)) + "/" for href in LINK.findall(html)]


def stations_of(page: str) -> str:
    """Return what the front matter of a page says that it is about."""
    front_matter, _, _ = (ROOT / "docs" / page).read_text("utf-8").partition("\n---\n")
    found = re.search(r"^stations: (.*)$", front_matter, re.MULTILINE)
    return found[1] if found else ""


@pytest.mark.parametrize("page", STEPS)
def test_each_step_is_on_the_map(page: str) -> None:
    stations = stations_of(page)
    if MARK in (ROOT / "docs" / page).read_text("utf-8"):
        assert not stations, "it has the whole map"
        return
    assert stations, f"say in the front matter what it is about: stations: {', '.join(STATIONS)}"
    html = strip(page, stations, SOURCES)
    assert len(linked(page, html)) == len(STATIONS)
    assert set(linked(page, html)) <= set(SOURCES.values())
    assert ", ".join(re.findall(r"aria-current=step>([^<]*)", html)) == stations


@pytest.mark.parametrize("station", [name for name, step in STATIONS.items() if step.isdecimal()])
def test_a_station_leads_to_the_first_step_about_it(station: str) -> None:
    first = next(page for page in STEPS if station in stations_of(page).split(", "))
    assert first.startswith(f"steps/{int(STATIONS[station]):02}-")


def test_a_station_that_is_not_there_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"steps/x\.md: stations are .*, not score"):
        strip("steps/x.md", "weights, score", SOURCES)


def test_no_other_page_has_a_strip() -> None:
    assert not strip("index.md", "", SOURCES)
    others = [path.relative_to(ROOT / "docs").as_posix() for path in sources(".md")]
    assert not [page for page in others if page not in STEPS and stations_of(page)]


@pytest.mark.parametrize("page", ["index.md", "steps/you-are-here.md"])
def test_the_whole_map_leads_to_the_steps_it_names(page: str) -> None:
    text = with_map(page, f"before\n\n{MARK}\n\nafter", SOURCES)
    assert text.count("\n") == 4, "each line is where it was"
    named = re.findall(r'href="[./\w]*?/?(?:(\d+)-)?[\w-]+/"(?: aria-label="step (\d+)")?', text)
    assert all(int(number or 0) == int(label or 0) for number, label in named)
    assert set(linked(page, text)) < set(SOURCES.values())
    assert text.count("aria-current=page>you are here<") == (page != "index.md")
