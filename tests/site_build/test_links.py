"""A link that names a step leads to that step."""

import re

from tests.conftest import ROOT

DOCS = ROOT / "docs"
SOURCES = sorted(DOCS.rglob("*.md"))
LINK = re.compile(r"\[([^\[\]]+)\]\(([^()\s#]+\.md)[^()\s]*\)")


def title_of(text: str) -> str:
    found = re.search(r"^# (.+?)(?: \{.*\})?$", text, re.MULTILINE)
    return found[1] if found else ""


STEPS = [path for path in SOURCES if path.parent.name == "steps"]
# A title may have our name for a thing, a colon, and the name of the field.
TITLES = {title_of(path.read_text("utf-8")).partition(":")[0]: path for path in STEPS}


def test_a_link_that_is_a_title_leads_to_its_page() -> None:
    for page in (ROOT / "README.md", *SOURCES):
        for named, target in LINK.findall(page.read_text("utf-8")):
            wanted = TITLES.get(" ".join(named.split()).partition(":")[0])
            assert wanted in (None, (page.parent / target).resolve()), f"{page}: {named}"


def test_titles_are_those_of_one_page_each() -> None:
    assert len(TITLES) == len(STEPS)
