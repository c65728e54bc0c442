"""The list of all questions, and the line on each step."""

import re
from pathlib import Path

from site_build.page.asked import asked
from tests.conftest import sources

SIGN = '<a class="headerlink" href="#a">&para;</a>'
PAGES = [
    (
        "guides/questions/",
        f'<h1>Questions</h1><h2 id="more">More{SIGN}</h2>'
        f'<h3 id="a">Why <code>a</code>?{SIGN}</h3><p><a href="../../steps/two/#x">two</a></p>'
        f'<h3 id="b">And b?{SIGN}</h3><p>See <a href="../else/">else</a>.</p>',
    ),
]
STEPS = {"steps/one/": "1. One", "steps/two/": "2. Two & more"}


def test_a_question_stands_under_the_step_that_answers_it_or_under_its_section() -> None:
    lists = asked(PAGES, STEPS, "guides/all/")
    assert lists.pop("guides/all/") == (
        '<h2 id="two">2. Two &amp; more</h2>'
        '<ul><li><a href="../questions/#a">Why <code>a</code>?</a></li></ul>'
        '<h2 id="more">More</h2><ul><li><a href="../questions/#b">And b?</a></li></ul>'
    )
    assert lists == {
        "steps/two/": '<p><a href="../../guides/all/#two">Asked about this page</a></p>'
    }


def test_the_list_has_each_question_once_and_steps_lead_to_it(site: Path) -> None:
    text = (site / "guides/all-questions/index.html").read_text("utf-8")
    links = re.findall(r'<li><a href="\.\./(questions[^"]*#[^"]*)"', text)
    pages = [path for path in sources(".md") if path.stem.startswith("questions")]
    headings = sum(len(re.findall("^### ", page.read_text("utf-8"), re.M)) for page in pages)
    assert len(links) == len(set(links)) == headings > 200
    leading = [
        step
        for step in site.glob("steps/*/index.html")
        if "Asked about this page" in step.read_text()
    ]
    assert len(leading) > 25
