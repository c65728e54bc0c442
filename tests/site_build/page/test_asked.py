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
        f'<h3 id="b">And b?{SIGN}</h3><p>See <a href="../else/">else</a>.</p>'
        f'<h3 id="c">c?{SIGN}</h3><p><a href="../../steps/two/">two</a>'
        ' and <a href="../../steps/three/">three</a></p>',
    ),
]
STEPS = {"steps/one/": "1. One", "steps/two/": "2. Two & more", "steps/three/": "3. Three"}


def test_a_question_stands_under_the_step_that_answers_it_or_under_its_section() -> None:
    lists = asked(PAGES, STEPS, "guides/all/")
    assert lists.pop("guides/all/") == (
        '<h2 id="two">2. Two &amp; more</h2>'
        '<ul><li><a href="../questions/#a">Why <code>a</code>?</a></li></ul>'
        '<h2 id="three">3. Three</h2><ul><li><a href="../questions/#c">c?</a></li></ul>'
        '<h2 id="more">More</h2><ul><li><a href="../questions/#b">And b?</a></li></ul>'
    )
    assert lists == {
        "steps/one/": '<p><a href="../../guides/all/">All questions</a></p>',
        "steps/two/": '<p><a href="../../guides/all/#two">Asked about this page</a></p>',
        "steps/three/": '<p><a href="../../guides/all/#three">Asked about this page</a></p>',
    }


def test_the_list_has_each_question_once_and_steps_lead_to_it(site: Path) -> None:
    text = (site / "guides/all-questions/index.html").read_text("utf-8")
    links = re.findall(r'<li><a href="\.\./(questions[^"]*#[^"]*)"', text)
    pages = [path for path in sources(".md") if path.stem.startswith("questions")]
    headings = sum(len(re.findall("^### ", page.read_text("utf-8"), re.M)) for page in pages)
    assert len(links) == len(set(links)) == headings > 200
    steps = [
        site / "steps" / path.stem / "index.html"
        for path in sources(".md")
        if path.parent.name == "steps"
    ]
    ways = [
        re.findall(
            r'href="\.\./\.\./guides/all-questions/(.*?)">(?:Asked about this page|All questions)<',
            step.read_text("utf-8"),
        )
        for step in steps
    ]
    assert all(len(way) == 1 for way in ways)
    assert sum(bool(place) for [place] in ways) > 30
    assert all(f'id="{place[1:]}"' in text for [place] in ways if place)
