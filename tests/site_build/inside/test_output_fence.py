"""An output block: the names of its axes, and its heat map."""

import pytest
from pymdownx.superfences import SuperFencesException

from tests.site_build.inside.plain_markdown import convert

MATRIX = "tensor([[0.1000, 0.2000],\n        [0.3000, 0.4000]])"


def fence(options: str, printed: str = MATRIX) -> str:
    return convert(f"```output {options}\n{printed}\n```")


def test_names_alone_draw_no_table() -> None:
    html = fence('rows="Your journey" columns="a b" tensors="weights"')
    assert 'data-rows="Your journey" data-columns="a b" data-tensors="weights"' in html
    assert "<table" not in html


def test_a_heat_map_names_the_axes_as_well() -> None:
    html = fence('heat="Your journey" columns="a &amp;"')
    assert 'data-rows="Your journey" data-columns="a &amp;amp;"' in html
    assert "<table" in html


@pytest.mark.parametrize(
    ("options", "printed", "complaint"),
    [
        ('rows="one two three"', MATRIX, "3 names for its rows"),
        ('columns="one"', MATRIX, "1 names for its columns"),
        ('rows="Your journey"', "tensor([1., 2.])", "2 names for its rows"),
        ('tensors="query key"', MATRIX, "2 names for its tensors"),
        ('columns="Your"', "no tensor", "1 names for its columns"),
        ('heat="Your journey"', "tensor([1., 2.])", "2 names for its rows"),
        ('heat="Your journey" columns="a"', MATRIX, "1 names for its columns"),
        ('heat="a"', "tensor([[nan]])", "nan cannot be drawn"),
        ('heat="a"', "tensor([[True]])", "True cannot be drawn"),
    ],
)
def test_names_that_do_not_fit_are_a_mistake(options: str, printed: str, complaint: str) -> None:
    with pytest.raises(SuperFencesException, match=complaint):
        fence(options, printed)


def test_names_fit_if_one_of_several_tensors_has_as_many() -> None:
    printed = f"{MATRIX} tensor([1., 2., 3.])"
    assert "data-rows" in fence('rows="Your journey" columns="a b c" tensors="x y"', printed)


def test_an_output_keeps_its_text_and_is_marked_as_one() -> None:
    assert convert("```output\n<a> & 'b'\n\nc\n```") == (
        '<div class="language-output highlight">'
        "<pre><samp>&lt;a&gt; &amp; 'b'\n\nc\n</samp></pre></div>"
    )
