"""The addresses of a published site, and how it is cited."""

import re
import tomllib
from urllib.parse import parse_qs, urlsplit

import pytest
import yaml

from site_build.publishing import unfit_to_publish, wrong_number
from tests.conftest import ROOT

SITE = "https://site.example/course/"
REPOSITORY = "https://github.com/owner/name"


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
