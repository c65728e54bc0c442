"""An output block: the names of its axes, and its heat map."""

import re
from collections.abc import Callable

import pytest
from pymdownx.superfences import SuperFencesException

from tests.site_build.markdown.plain_markdown import convert

TAG = re.compile("<[^>]*>")
MATRIX = "tensor([[0.1000, 0.2000],\n        [0.3000, 0.4000]])"


def fence(options: str, printed: str = MATRIX) -> str:
    return convert(f"```output {options}\n{printed}\n```")


def cells(html: str) -> list[tuple[str, str]]:
    """Return of each cell of a heat map its class or style, and its text."""
    found = re.findall(r"<td (?:class=(\w+)|([^>]*?))>(.*?)</td>", html)
    return [(css_class or style, text) for css_class, style, text in found]


def shares(html: str) -> list[float]:
    """Return the shares of the cells of a heat map, with their signs."""
    return [
        float(style.partition("--share:")[2].rstrip('"')) * (-1 if "minus" in style else 1)
        for style, _ in cells(html)
        if style != "hidden"
    ]


def marked(name: str, html: str) -> list[int]:
    """Return which of the cells in the first text have a class."""
    cells = re.findall("<i([^>]*)>[^<]", html.partition("</pre>")[0])
    return [place for place, look in enumerate(cells) if name in look]


def keys(html: str) -> list[str]:
    """Return what the key of a heat map says."""
    return re.findall(r"</i>([^ <]+)", "".join(re.findall("<span class=heat-key>.*?</span>", html)))


def test_names_alone_draw_no_table() -> None:
    html = fence('rows="Your journey" columns="a b" tensors="weights"')
    assert 'data-rows="Your journey" data-columns="a b"' in html
    assert 'data-name="weights"' in html
    assert "<table" not in html


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
        ('heat="Your journey"', f"{MATRIX} {MATRIX}", "the output's tensors have the shapes"),
        ('heat="a"', "x: tensor([[1.]])", "what stands beside the tensor would be lost"),
        ('heat="a"', "tensor([[nan]])", "nan cannot be drawn"),
        ('heat="a"', "tensor([[inf]])", "inf cannot be drawn"),
        ('row="a"', MATRIX, "an output has no use for row"),
    ],
)
def test_options_that_do_not_fit_are_a_mistake(options: str, printed: str, complaint: str) -> None:
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


def test_a_heat_map_takes_the_place_of_the_text() -> None:
    assert fence('heat="Your journey"').startswith('<div class="heat" tabindex="0"')


def test_each_row_of_a_heat_map_stands_beside_its_name() -> None:
    rows = re.findall(r"<tr><th scope=row>(.*?)</th>(.*?)</tr>", fence('heat="Your journey"'))
    assert [(name, TAG.sub(" ", row).split()) for name, row in rows] == [
        ("Your", ["0.1000", "0.2000"]),
        ("journey", ["0.3000", "0.4000"]),
    ]


def test_a_cell_has_the_digits_that_were_printed() -> None:
    html = fence('heat="a b"', "tensor([[0.4399, 0.0011], [0.5000, 0.9999]])")
    assert [text for _, text in cells(html)] == ["0.4399", "0.0011", "0.5000", "0.9999"]
    whole = fence('heat="a b"', "tensor([[4., -1.], [0., 12.]])")
    assert [text for _, text in cells(whole)] == ["4", "\N{MINUS SIGN}1", "0", "12"]


@pytest.mark.parametrize(
    ("printed", "expected", "key"),
    [
        ("[0.0000, 0.2500], [0.6400, 1.0000]", [0, 0.5, 0.8, 1], ["0", "0.25", "1"]),
        ("[0., 2.], [8., 4.]", [0, 0.25, 1, 0.5], ["0", "8"]),
        ("[-2., 1.], [0., 2.]", [-1, 0.5, 0, 1], ["-2", "0", "2"]),
        ("[1.0000, 1.1000], [1.0500, 1.0000]", [0, 1, 0.5, 0], ["1", "1.1"]),
        ("[1.0000, 0.9999], [1.0000, 1.0000]", [1, 1, 1, 1], ["0", "0.25", "1"]),
        ("[True, False], [True, True]", [1, 1, 1], ["hidden"]),
        ("[-inf, 0.5000], [1.0000, -inf]", [0.71, 1], ["0", "0.25", "1", "hidden"]),
    ],
    ids=["weights", "scores", "signed", "close together", "rounded", "mask", "masked scores"],
)
def test_colours_follow_from_the_numbers(
    printed: str, expected: list[float], key: list[str]
) -> None:
    html = fence('heat="a b"', f"tensor([{printed}])")
    assert shares(html) == pytest.approx(expected)
    assert keys(html) == key
    html = fence('rows="a b"', f"tensor([{printed}])")
    text = re.findall('<i( class="minus")? style="--share:([^"]*)">[^<]', html)
    assert [float(share) * (-1 if minus else 1) for minus, share in text] == expected


WEIGHTS = "tensor([[1.0000, 0.0000], [0.0000, 1.0000]])"
MASK = "tensor([[True, False], [True, True]])"


def masked(printed: str = WEIGHTS, mask: str = MASK, options: str = 'heat="a b"') -> str:
    """Return an output whose mask stands below it, as a page has both."""
    return convert(
        f'```output {options} hidden="allowed"\n{printed}\n```\n\n'
        f'```output name="allowed"\n{mask}\n```'
    )


@pytest.mark.parametrize("mask", [MASK, "tensor([[2., -inf], [0., 5.]])", f"1 x\n{MATRIX}\n{MASK}"])
def test_a_mask_tells_what_it_hides_from_a_weight_that_was_rounded(mask: str) -> None:
    looks = [look == "hidden" for look, _ in cells(masked(mask=mask))]
    assert looks == [False, True, False, False]
    assert keys(masked(mask=mask)) == ["0", "0.25", "1", "hidden"]
    assert marked("hidden", masked(mask=mask, options='rows="a b"')) == [1]
    assert "hidden" not in fence('heat="a b"', WEIGHTS)


def test_a_mask_is_there_for_each_part_that_is_as_large() -> None:
    two = "tensor([9.]) tensor([[[0., 0.], [0., 1.]], [[2., 0.], [0., 3.]]])"
    assert marked("hidden", masked(two, options='rows="a b"')) == [2, 6]
    keys_alone = "tensor([True, False])"
    html = masked("tensor([[1., 0.], [2., -inf]])", keys_alone, 'rows="a b"')
    assert marked("hidden", html) == [1, 3]


@pytest.mark.parametrize(
    ("page", "complaint"),
    [
        (lambda: masked(MATRIX), 'line 1: hidden="allowed" hides 0.2000, which is neither 0 nor'),
        (lambda: masked("tensor([[1., nan], [0., 1.]])"), "line 1: nan cannot be drawn"),
        (lambda: masked(mask="tensor([[True, True]])"), "no output of that name has False or -inf"),
        (lambda: masked(mask="tensor([[False]])"), "no tensor here ends with the shape"),
        (lambda: fence('hidden="other"'), 'hidden="other": no output of that name'),
    ],
)
def test_a_mask_that_does_not_fit_is_said_with_its_line(
    page: Callable[[], str], complaint: str
) -> None:
    with pytest.raises(ValueError, match=complaint):
        page()


# ---- a mistake and its fix

PAIR = "mistake: tensor([0.2000, 0.3000, 0.5000])\nfix:     tensor([0.2000, 0.8000, 0.0000])"


def panels(printed: str) -> list[tuple[str, str | None]]:
    """Return the kind of each panel, and which of its numbers are ringed."""
    html = fence("", printed)
    text = TAG.sub("", html[html.index("<samp") :]).removesuffix("\n")
    assert text == printed, "the text stays as it was printed"
    _, *found = re.split(r'<span(?: class="(mistake|fix)")?>(?=<b>|\w)', html)
    rings = [" ".join(map(str, marked("wrong", panel))) for panel in found[1::2]]
    return [(kind or "", ring or None) for kind, ring in zip(found[::2], rings, strict=True)]


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        (PAIR, [("mistake", "1 2"), ("fix", None)]),
        ("first\n" + PAIR, [("", None), ("mistake", "1 2"), ("fix", None)]),
        ("mistake: False\nfix:     True", [("mistake", None), ("fix", None)]),
        (
            "mistake: tensor([0.5000])\nmistake: tensor([1., 2.])\nfix:     tensor([1., 0.])",
            [("mistake", None), ("mistake", "1"), ("fix", None)],
        ),
        (
            "mistake: tensor([nan, 1.])\nfix:     tensor([0.5000, 1.0000])\n"
            "mistake: tensor([[True, True],\n        [True, True]])\n"
            "fix:     tensor([[True, False],\n        [True, True]])",
            [("mistake", "0"), ("fix", None), ("mistake", "1"), ("fix", None)],
        ),
        (
            "mistake: tensor([1., 2.])\nfix:     tensor([3., 4.])",
            [("mistake", None), ("fix", None)],
        ),
        (
            "mistake: tensor([1., 2.])\nfix:     tensor([[1., 4.]])",
            [("mistake", None), ("fix", None)],
        ),
        (
            "mistake: tensor([nan, 2.])\nfix:     tensor([nan, 4.])",
            [("mistake", "1"), ("fix", None)],
        ),
    ],
    ids=["pair", "lead", "words", "two", "twice", "all differ", "other shape", "nan"],
)
def test_a_mistake_and_its_fix_are_panels(
    printed: str, expected: list[tuple[str, str | None]]
) -> None:
    assert panels(printed) == expected


def test_one_of_both_is_no_pair() -> None:
    assert "pair" not in fence("", "mistake: tensor([1.])")
    assert "pair" not in fence("", "a mistake: 1\na fix: 2")


def test_an_output_says_how_wide_its_tensor_is() -> None:
    wide = f"tensor([{', '.join(['0.5000'] * 6)}])"
    assert f'<samp style="--columns:{len(wide)}">' in fence("", wide)
    assert '<samp class="matrix">' in fence("", MATRIX)
    assert "<samp>" in fence("", "words " * 20), "words are wrapped"
    table = f"{'one':20}{'two':20}\n{'three':20}{'four':20}"
    assert '<samp style="--columns:40">' in fence("", table)
    mistake = f"mistake: {wide}\nfix:     {wide}"
    assert f'<samp class="pair" style="--columns:{len(wide)}">' in fence("", mistake)
    lead = f"{'words ' * 20}\n{mistake}"
    assert f'<samp class="pair" style="--columns:{len(wide)}">' in fence("", lead)
    below = f"{mistake}\n         {wide}"
    assert f'<samp class="pair" style="--columns:{len(wide)}">' in fence("", below)
