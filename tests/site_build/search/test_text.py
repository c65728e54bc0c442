"""A page as the search reads it."""

import pytest
from math_core import LatexToMathML

from site_build.search.text import as_sentences, in_words

CONVERTER = LatexToMathML()


@pytest.mark.parametrize(
    ("tex", "words"),
    [
        (r"\mathrm{scores}_{ij}", "scores_ij"),
        (r"\sum_e \mathrm{query}_{ie} \, \mathrm{key}_{je}", "sum over e of query_ie key_je"),
        (r"\sqrt{d_k}", "the square root of d_k"),
        (r"\frac{1}{\sqrt{d}}", "1 / (the square root of d)"),
        (r"\frac{1}{2}", "1 / 2"),
        (r"W_q^T x^2", "W_q^T x^2"),
        (r"\exp(j' < 2)", "exp (j\N{PRIME} < 2)"),
        (r"\bar{h}", "h"),
        (r"\begin{cases} a & \text{if } b \\ 0 & \text{else} \end{cases}", "{ a if b, 0 else"),
    ],
)
def test_a_formula_is_read_as_words(tex: str, words: str) -> None:
    assert in_words(CONVERTER.convert_with_local_state(tex, displaystyle=False)) == words


def test_rows_of_a_table_are_paragraphs_and_pictures_are_left_out() -> None:
    math = CONVERTER.convert_with_local_state("i < j", displaystyle=False)
    html = (
        f"<p>Where {math}.</p><table>\n<thead><tr><th>what</th><th></th></tr></thead>"
        '<tbody><tr><td>NaN</td> <td><a href="#a">the mask</a></td></tr></tbody></table>'
        '<table class="heat-map"><tr><td>0.12</td></tr></table><svg><text>the</text></svg>'
        "<figcaption>Who looks.</figcaption><summary>Solution</summary><pre>True</pre>"
    )
    assert as_sentences(html) == (
        '<p>Where i &lt; j.</p><p>what</p><p>NaN · <a href="#a">the mask</a></p>'
        "<p>Who looks.</p><pre>True</pre>"
    )


def test_a_page_with_a_stage_begins_with_its_title() -> None:
    wrapped = (
        '<div class="stage-page"><div class="stage-text"><section data-state="six">\n<h1 id="a">'
    )
    assert as_sentences(f"{wrapped}A</h1>") == '<h1 id="a">A</h1>'
