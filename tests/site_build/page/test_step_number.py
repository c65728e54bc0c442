"""Where a page says that it stands."""

from site_build.page.step_number import place, question


def test_a_step_counts_as_its_title_does() -> None:
    titles = ["Home", "1. Tokens", "2. Scores", "A head", "12. Positions", "Notation"]
    assert place("2. Scores", titles) == "Step 2 of 12"
    assert place("A head", titles) == ""


def test_a_question_is_read_without_its_marks() -> None:
    html = '<h1>T</h1><p class="question">Why\n<em>not</em> &amp; how?</p><p>No.</p>'
    assert question(html) == "Why not & how?"
    assert question("<p>No question.</p>") == ""
