"""Where a step is: each says which parts of the whole model it is about."""

import gzip
import re
from pathlib import Path
from posixpath import join, normpath

import pytest

from site_build.model_explorer import PARTS
from site_build.model_explorer.here import STATIONS
from site_build.page.course_map import where
from tests.conftest import PAGES, ROOT, sources

SOURCES = {f"{path.rstrip('/')}.md" if path else "index.md": path for path in PAGES}
STEPS = [source for source in SOURCES if source.startswith("steps/")]
LINK = re.compile(r'<a href="([^"]*)"')


def linked(page: str, html: str) -> list[str]:
    """Return the addresses to which the links of a page lead."""
    return [normpath(join(SOURCES[page], href)) + "/" for href in LINK.findall(html)]


def stations_of(page: str, name: str = "stations") -> str:
    """Return what the front matter of a page says that it is about."""
    front_matter, _, _ = (ROOT / "docs" / page).read_text("utf-8").partition("\n---\n")
    found = re.search(rf"^{name}: (.*)$", front_matter, re.MULTILINE)
    return found[1] if found else ""


@pytest.mark.parametrize("page", STEPS)
def test_each_step_says_where_it_is(page: str) -> None:
    stations = stations_of(page)
    assert stations, f"say in the front matter what it is about: stations: {', '.join(STATIONS)}"
    assert not where(page, stations, "", "<whole-model>", SOURCES), "it has the whole drawing"
    html = where(page, stations, "", "", SOURCES)
    assert linked(page, html) == ["steps/the-whole-model/"]
    [about] = re.findall(r"You are here: <b>([^<]*)</b>", html)
    named = re.split(", | and ", about)
    assert named == {
        ", ".join(STATIONS): ["the whole model"],
        "queries": ["queries", "keys", "values"],  # they are made in one place
    }.get(stations, stations.split(", "))
    [opened] = re.findall(r'data-open="([^"]*)"', html)
    assert opened in PARTS
    assert html.count('class="lit"') == len({STATIONS[name][0] for name in stations.split(", ")})


def test_each_station_lights_what_it_is_called_in_the_drawing() -> None:
    rows = ["sum", "query keys values", "scores", "weights", "values", "neurons", "shares"]
    assert [row for _, row in STATIONS.values()] == rows
    assert " ".join(STATIONS) == "vectors queries scores weights context MLP next word"


def test_the_small_drawing_is_light() -> None:
    html = where("steps/scores.md", ", ".join(STATIONS), "", "", SOURCES)
    assert 200 < len(gzip.compress(html.encode())) < 3500


def test_a_station_that_is_not_there_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"steps/x\.md: stations are .*, not score"):
        where("steps/x.md", "weights, score", "", "", SOURCES)


def test_no_other_page_says_where_it_is() -> None:
    assert not where("index.md", "", "", "", SOURCES)
    others = [path.relative_to(ROOT / "docs").as_posix() for path in sources(".md")]
    assert not [page for page in others if page not in STEPS and stations_of(page)]


WORDS = re.compile(r"stream|ribbon|rows? of keys|heads?\b|answer|drawing")
SCALE = {"Long texts, many devices", "Many readers"}  # branches of the course


def test_each_page_of_scale_says_what_it_does_to_the_drawing(site: Path) -> None:
    settings = (ROOT / "mkdocs.yml").read_text("utf-8")
    branches = dict(re.findall(r"^  - (.*):\n((?:      - .*\n)+)", settings, re.MULTILINE))
    pages = [page for name in SCALE for page in re.findall(r"steps/\S+", branches[name])]
    assert len(pages) > 10
    for page in pages:
        told = stations_of(page, "drawing")
        assert WORDS.search(told), page
        html = (site / page.removesuffix(".md") / "index.html").read_text("utf-8")
        assert f'<p class="here-told">{told}</p>' in html
