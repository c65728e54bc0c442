"""Where a page says that it stands."""

import re
from pathlib import Path

import pytest

from site_build.page.step_number import place, question
from tests.conftest import ROOT, sources

STEPS = [path for path in sources(".md") if re.match(r"\d\d-", path.name)]
LINK = re.compile(r"\[[Ss]teps? (\d+)[^\]]*\]\([^)]*?(\d+)-")


def test_a_step_counts_as_its_title_does() -> None:
    titles = ["Home", "1. Tokens", "2. Scores", "A head", "12. Positions", "Notation"]
    assert place("2. Scores", titles) == "Step 2 of 12"
    assert place("A head", titles) == ""


def test_a_question_is_read_without_its_marks() -> None:
    html = '<h1>T</h1><p class="question">Why\n<em>not</em> &amp; how?</p><p>No.</p>'
    assert question(html) == "Why not & how?"
    assert question("<p>No question.</p>") == ""


@pytest.mark.parametrize("path", STEPS, ids=[path.stem for path in STEPS])
def test_a_step_has_the_number_of_its_file(path: Path) -> None:
    title = re.search(r"^# (.*)", path.read_text("utf-8"), re.MULTILINE)
    assert title
    assert title[1].startswith(f"{int(path.name[:2])}. ")


def test_a_link_has_the_number_of_the_step_to_which_it_leads() -> None:
    texts = [path.read_text("utf-8") for path in (ROOT / "README.md", *sources(".md", ".ipynb"))]
    links = [found for text in texts for found in LINK.findall(text)]
    assert len(links) > 100
    assert [(said, file) for said, file in links if int(said) != int(file)] == []
