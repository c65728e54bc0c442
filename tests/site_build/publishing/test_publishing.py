"""The addresses of a published site, and the small files that other programs look for."""

import re
import tomllib
from pathlib import Path
from urllib.parse import parse_qs, urlsplit
from xml.etree import ElementTree

import pytest
import yaml

from site_build.publishing.addresses import unfit_to_publish, wrong_number
from site_build.publishing.files import feed, robots
from tests.conftest import ROOT

SITE = "https://site.example/course/"
REPOSITORY = "https://github.com/owner/name"
ATOM = {"": "http://www.w3.org/2005/Atom"}
NEWS = """# News

## 2026-11-22: A & b

It is [a page](page.md),
and more.

## 2026-11-20: First

The first.
"""


@pytest.mark.parametrize(
    ("site", "repository", "told"),
    [
        (SITE, REPOSITORY, ""),
        ("http://127.0.0.1:8000/", REPOSITORY, "SITE_URL .*127"),
        ("", REPOSITORY, "SITE_URL .*empty"),
        (SITE, "", "REPO_URL .*empty"),
        (SITE, "owner/name", "REPO_URL .*owner/name"),
        ("http://localhost/", "", "SITE_URL .* and REPO_URL"),
    ],
)
def test_a_site_without_addresses_is_unfit_to_publish(
    site: str, repository: str, told: str
) -> None:
    found = unfit_to_publish(site, repository)
    assert re.search(told, found) if told else not found


def test_the_form_is_filled_in_with_fields_that_it_has() -> None:
    form = yaml.safe_load((ROOT / ".github/ISSUE_TEMPLATE/wrong-number.yml").read_text("utf-8"))
    address = urlsplit(wrong_number(REPOSITORY, f"{SITE}steps/", "0.1.0"))
    fields = parse_qs(address.query)
    assert address.path == "/owner/name/issues/new"
    assert (ROOT / ".github/ISSUE_TEMPLATE" / fields.pop("template")[0]).is_file()
    assert fields == {"place": [f"{SITE}steps/"], "site": ["0.1.0"]}
    assert fields.keys() <= {part["id"] for part in form["body"]}
    assert wrong_number("", SITE, "0.1.0") == ""


def test_the_citation_has_the_fields_of_its_format_and_names_this_version() -> None:
    said = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert said.keys() >= {"cff-version", "message", "title", "authors"}  # what it must have
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert (said["version"], said["license"]) == (project["version"], project["license"])


def test_the_feed_has_an_entry_for_each_heading() -> None:
    tree = ElementTree.fromstring(feed(NEWS, "A course", SITE, f"{SITE}new/").encode())
    entries = tree.findall("entry", ATOM)
    assert [entry.findtext("title", "", ATOM) for entry in entries] == ["A & b", "First"]
    assert [entry.findtext("id", "", ATOM) for entry in entries] == [
        f"{SITE}new/#2026-11-22-a-b",
        f"{SITE}new/#2026-11-20-first",
    ]
    assert entries[0].findtext("summary", "", ATOM) == "It is a page, and more."
    assert tree.findtext("updated", "", ATOM) == "2026-11-22T00:00:00Z"
    with pytest.raises(ValueError, match="no heading such as"):
        feed("# News", "A course", SITE, SITE)


def test_robots_find_the_list_of_pages() -> None:
    assert robots(SITE).splitlines()[-1] == f"Sitemap: {SITE}sitemap.xml"


def test_each_entry_of_the_feed_is_a_place_on_its_page(site: Path) -> None:
    tree = ElementTree.fromstring((site / "feed.xml").read_bytes())
    page = (site / "guides/what-is-new/index.html").read_text("utf-8")
    places = [
        entry.findtext("id", "", ATOM).partition("#")[2] for entry in tree.findall("entry", ATOM)
    ]
    assert places
    assert all(re.search(f'id="?{place}', page) for place in places)
