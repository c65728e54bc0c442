"""The list of all questions, and the folds of their answers."""

import re
from pathlib import Path

from markdown import Markdown
from markdown.extensions.toc import TocExtension
from playwright.sync_api import Page, expect

from site_build.markdown.folded_questions import FoldedQuestions
from site_build.page.asked import asked

SIGN = '<a class="headerlink" href="#a">&para;</a>'
PAGES = [
    ("steps/one/", "1. One", '<h2 id="questions">Questions</h2><h3 id="x">No question</h3>'),
    (
        "steps/two/",
        "2. Two &amp; more",
        f'<details class="question"><summary><h3 id="a">Why <code>a</code>?{SIGN}</h3></summary>'
        f'<p>So.</p></details><details class="question">\n<summary><h3 id="b">b?{SIGN}</h3>',
    ),
    ("guides/other-code/", "Other code", f'<h2 id="more">More</h2><h3 id="c">c?{SIGN}</h3>'),
]


def test_a_question_is_listed_under_the_page_that_answers_it() -> None:
    assert asked(PAGES, "guides/questions/") == (
        '<h2 id="two">2. Two &amp; more</h2><ul>'
        '<li><a href="../../steps/two/#a">Why <code>a</code>?</a></li>'
        '<li><a href="../../steps/two/#b">b?</a></li></ul>'
        '<h2 id="other-code">Other code</h2><ul><li><a href="../other-code/#c">c?</a></li></ul>'
    )


def test_what_follows_a_question_is_folded_under_it_and_nothing_else_is() -> None:
    md = Markdown(extensions=[TocExtension(permalink=True)])
    md.treeprocessors.register(FoldedQuestions(md), "questions", 4)
    page = (
        "## A\n\n### b\n\nb.\n\n## Questions\n\nLead.\n\n### Why?\n\nSo.\n\n- c\n\n### And d?\n\nd."
    )
    html = re.sub(r">\s+<", "><", md.convert(page))
    # What is pressed to unfold an answer has no link in it, and each other heading has its own.
    assert re.findall('<a class="headerlink" href="(.*?)"', html) == ["#a", "#b", "#questions"]
    assert re.sub(r"<a .*?</a>", "", html) == (
        '<h2 id="a">A</h2><h3 id="b">b</h3><p>b.</p><h2 id="questions">Questions</h2><p>Lead.</p>'
        '<details class="question"><summary><h3 id="why">Why?</h3></summary>'
        "<p>So.</p><ul><li>c</li></ul></details>"
        '<details class="question"><summary><h3 id="and-d">And d?</h3></summary>'
        "<p>d.</p></details>"
    )


def test_the_list_leads_to_each_question_of_the_site(site: Path) -> None:
    text = (site / "guides/questions/index.html").read_text("utf-8")
    links = re.findall(r'<li><a href="\.\./([^"#]*)#([^"]*)">', text)
    assert len(links) == len(set(links)) > 150
    folds = [
        path.read_text("utf-8").count('<details class="question">')
        for path in site.glob("steps/*/*.html")
    ]
    assert len([page for page, _ in links if "steps" in page]) == sum(folds)


def test_a_link_to_a_question_unfolds_its_answer(address: str, page: Page) -> None:
    page.goto(f"{address}guides/questions/")
    link = page.get_by_role("link", name="Is softmax necessary?")
    link.click()
    question = page.locator("details.question", has=page.locator(":target"))
    expect(question).to_have_attribute("open", "")
    expect(question.locator("p").first).to_be_in_viewport()
