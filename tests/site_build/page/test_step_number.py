"""Where a page says that it stands."""

import re

import pytest

from site_build.page.step_number import places, question_of_page, turns
from tests.conftest import ROOT, sources

SECTIONS = {
    "1 · First": ["a.md", "b.md"],
    "Guides": ["c.md"],
    "2 · Second": ["d.md"],
    "Behind": ["e.md", "f.md"],
}


def test_steps_are_counted_through_the_parts_and_a_branch_by_itself() -> None:
    steps = {"a.md": (1, 3), "b.md": (2, 3), "d.md": (3, 3)}
    assert turns(SECTIONS, ()) == steps
    assert turns(SECTIONS, ["Behind"]) == {**steps, "e.md": (1, 2), "f.md": (2, 2)}


def test_a_page_says_where_it_stands_and_a_branch_for_whom_it_is() -> None:
    assert places(SECTIONS, {"Behind": "For the curious.", "Not here": "For nobody."}) == {
        "a.md": "Step 1 of 3",
        "b.md": "Step 2 of 3",
        "d.md": "Step 3 of 3",
        "e.md": "Behind. For the curious.",
        "f.md": "Behind",
    }


def test_a_question_is_read_without_its_marks() -> None:
    html = '<h1>T</h1><p class="question">Why\n<em>not</em> &amp; how?</p><p>No.</p>'
    assert question_of_page(html) == "Why not & how?"
    assert question_of_page("<p>No question.</p>") == ""


@pytest.mark.parametrize("suffix", [".md", ".ipynb"])
def test_no_sentence_names_a_step_by_its_number(suffix: str) -> None:
    """The numbers come from the navigation: what is written by hand is wrong after a move."""
    link = re.compile(r"\[[^\]]*\bsteps?\s\d+[^\]]*\]\(", re.IGNORECASE)
    pages = [ROOT / "README.md", *sources(suffix)] if suffix == ".md" else sources(suffix)
    texts = {path.name: path.read_text("utf-8") for path in pages}
    assert [(name, found[0]) for name, text in texts.items() if (found := link.search(text))] == []
