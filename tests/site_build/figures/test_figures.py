"""What figures draw of printed numbers, and what they refuse to draw."""

import re
from decimal import Decimal
from itertools import pairwise
from xml.etree.ElementTree import Element

import pytest
from pymdownx.superfences import SuperFencesException

from site_build.figures.marks import THICK
from site_build.markdown.tensors import names_of
from tests.site_build.figures.examples import (
    AXES,
    EXAMPLES,
    MASK,
    MATRIX,
    NEGATIVE,
    SHARES,
    SQUARE,
    VECTOR,
    WORDS,
    draw,
    drawing,
    drawings,
    numbers_of,
    of_class,
    texts,
    ways,
)
from tests.site_build.markdown.plain_markdown import convert

# ---- each kind, from the digits to the drawing


def bars(panel: Element) -> list[list[float]]:
    """Return the numbers of each bar."""
    return ways(panel, "bar")


def heights(panel: Element) -> list[float]:
    """Return how high each bar is; those that go down are negative."""
    return [-bar[3] for bar in bars(panel)]


@pytest.mark.parametrize(
    ("example", "numbers", "written"),
    [
        ("bars", [3, 3, 2], ["0", "3", "0", "0", "3", "2"]),
        ("negative bars", numbers_of(NEGATIVE), ["1.50", "\u22120.73", "0.00", "\u22122.00"]),
        ("a row of bars", [0.125, 0.245, 0.63], ["0.13", "0.25", "0.63"]),
    ],
)
def test_bars_are_as_high_as_their_numbers_and_stand_above_their_words(
    example: str, numbers: list[float], written: list[str]
) -> None:
    panel = drawing(*EXAMPLES[example])
    unit = heights(panel)[0] / numbers[0]
    assert heights(panel) == pytest.approx([number * unit for number in numbers], abs=0.2)
    assert texts(panel)[: len(written)] == written
    rule = ways(panel, "rule")[0][1]
    assert {bar[1] for bar in bars(panel)} == {rule}
    named = [text for text in panel.iter("text") if text.get("class") in (None, "asks")]
    words = [float(word.attrib["x"]) for word in named]
    for bar in bars(panel):
        assert min(abs(bar[0] + bar[2] / 2 - word) for word in words) < 0.1


def widths(panel: Element, of: str = "arc") -> list[float]:
    """Return how thick each arc is, or each stream."""
    styles = (path.get("style", "") for path in of_class(panel, of))
    return [THICK * float(style.removeprefix("--weight:")) for style in styles]


def assert_side_by_side(places: list[float], thick: list[float]) -> None:
    """Look at where paths are, and how thick: none covers another, and nothing is between."""
    for (one, width), (other, wider) in pairwise(sorted(zip(places, thick, strict=True))):
        assert other - one == pytest.approx((width + wider) / 2, abs=0.2)


def test_arcs_lead_to_all_words_and_are_as_thick_as_their_weights() -> None:
    panel = drawing(*EXAMPLES["arcs"])
    assert widths(panel) == pytest.approx(
        [weight * sum(widths(panel)) for weight in numbers_of(SHARES)], rel=0.01
    )
    words = [text for text in panel.iter("text") if text.text in WORDS.split()]
    arcs = ways(panel, "arc")
    for word, arc in zip(words[:-1], arcs[:-1], strict=True):
        assert arc[-2] == pytest.approx(float(word.attrib["x"]), abs=0.1)
    assert arcs[-1][-1] == 0, "a loop ends beside where it begins"
    # They begin side by side, as parts of a whole, at the word that asks.
    begins = [arc[0] for arc in arcs]
    assert_side_by_side(begins, widths(panel))
    assert sum(begins) / 6 == pytest.approx(float(words[-1].attrib["x"]), abs=10)
    assert [text.text for text in of_class(panel, "asks")] == ["bank"]
    assert len(of_class(drawing("arcs", 'row="b"', AXES, MATRIX), "arc")) == 2, "0 has no arc"


def test_ribbons_lead_from_each_word_below_to_those_above_and_fill_both() -> None:
    panel = drawing(*EXAMPLES["between"])
    assert widths(panel) == [5, 15, 20]
    ribbons = ways(panel, "arc")
    places = {text.text: float(text.attrib["x"]) for text in panel.iter("text")}
    assert [ribbon[0] for ribbon in ribbons] == pytest.approx(
        [places["rive"] - 7.5, places["rive"] + 2.5, places["boueuse"]], abs=0.2
    )
    assert [ribbon[-2] for ribbon in ribbons] == pytest.approx(
        [places["muddy"] - 10, places["bank"], places["muddy"] + 2.5], abs=0.2
    )
    assert_side_by_side([ribbons[0][-2], ribbons[2][-2]], [5, 20])


def squares(panel: Element) -> list[tuple[str, float]]:
    """Return the class and the share of each square."""
    return [
        (square.get("class", ""), float(square.attrib["style"].removeprefix("--share:")))
        for square in panel.iter("rect")
    ]


def test_the_squares_of_a_map_have_the_colours_of_their_numbers() -> None:
    panel = drawing("map", "", 'rows="d e f" columns="a b c"', MATRIX)
    # The scale of weights: by the square root.
    assert [share for _, share in squares(panel)] == [1, 0, 0, 0.5, 0.87, 0, 0.35, 0.49, 0.79]
    rows = ["d 1.00 0.00 0.00", "e 0.25 0.75 0.00", "f 0.13 0.25 0.63"]
    assert " ".join(texts(panel)) == " ".join([*rows, "a b c"])


def test_all_maps_of_a_figure_have_one_scale() -> None:
    printed = "tensor([[[1., 2.], [0., 1.]], [[4., -1.], [0., 1.]]])"
    one, two = map(squares, drawings(draw("map", 'titles="head 0|head 1"', SQUARE, printed)))
    assert [share for _, share in one] == [0.25, 0.5, 0, 0.25]
    assert two[:2] == [("", 1), ("minus", 0.25)]


def test_what_is_hidden_is_hatched_and_what_a_mask_hides_in_each_panel() -> None:
    hidden, mask = (drawing(*EXAMPLES[name]) for name in ("hidden", "mask"))
    assert [text for text in texts(hidden) if "." in text] == ["0.00", "\u22121.25", "5.00"]
    assert squares(mask) == [("", 1)] * 3
    heads = "tensor([[[1.00, 0.00], [0.00, 1.00]], [[1.00, 0.00], [0.50, 0.50]]])"
    html = convert(
        f'```figure kind="map" of="weights"\nTwo maps.\n```\n\n'
        f'```output name="weights" {SQUARE} hidden="mask"\n{heads}\n```\n\n'
        f'```output name="mask"\n{MASK}\n```'
    )
    for panel in (hidden, mask, *drawings(html)):
        (hatched,) = ways(panel, "hatched")
        assert hatched[0] > 30, "the second of its row"
        assert len(squares(panel)) == 3, "a weight that was rounded to 0 is none of them"


# ---- what all have in common


@pytest.mark.parametrize("name", EXAMPLES)
def test_each_number_is_one_that_was_printed_rounded(name: str) -> None:
    kind, options, names, printed = EXAMPLES[name]
    exact = [Decimal(number.rstrip(".")) for number in re.findall(r"-?\d+\.?\d*", printed)]
    known = {name for names in re.findall('"(.*?)"', names) for name in names_of(names)}
    known |= {" ".join(name.split()) for name in known}
    written = {
        text for panel in drawings(draw(kind, options, names, printed)) for text in texts(panel)
    }
    assert written
    for text in written:
        if text in known:
            continue
        for part in re.split("[\u2192\u00d7 ]+|, ", text):
            if re.fullmatch("\u2212?[\\d.]+", part):
                number = Decimal(part.replace("\u2212", "-"))
                assert min(abs(number - one) for one in exact) <= Decimal("0.005"), text
            else:
                assert part in known, text


@pytest.mark.parametrize("name", EXAMPLES)
def test_what_is_written_stands_in_the_picture(name: str) -> None:
    for panel in drawings(draw(*EXAMPLES[name])):
        *_, height = map(float, panel.attrib["viewBox"].split())
        for part in [panel, *panel.iter("g")]:
            top = float(part.get("transform", "0)").rstrip(")").split()[-1])
            for text in part.findall("text"):
                assert 0 < top + float(text.attrib["y"]) < height, text.text


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_figure_leaves_its_colours_to_the_style_sheet(name: str) -> None:
    figure = draw(*EXAMPLES[name])
    assert not re.search(r"<style|<script|fill=|stroke=|#[0-9a-f]{3}|rgb|xmlns|\bid=", figure)


@pytest.mark.parametrize("language", ["figure", "output"])
def test_an_option_that_cannot_be_read_is_said(language: str) -> None:
    fence = f'```{language} caption="what "bank" takes"\ntensor([1.])\n```'
    with pytest.raises(ValueError, match=r"line 3: cannot read .*quotes within the value"):
        convert(f"Text.\n\n{fence}")


def test_the_text_is_for_those_who_cannot_see_the_figure() -> None:
    html = convert(
        '```figure kind="bars" of="n" caption="One < two"\nBars for "a"\nand b & c.\n```\n\n'
        '```output name="n" columns="a"\ntensor([1.])\n```'
    )
    assert 'role="img" aria-label="Bars for &quot;a&quot; and b &amp; c."' in html
    assert "<figcaption>One &lt; two</figcaption>" in html
    # The search shows the caption, and no words or numbers without order.
    assert html.index("data-search-exclude") < html.index("<svg") < html.index("<figcaption")


def test_a_figure_finds_outputs_below_it_and_in_a_fold() -> None:
    html = convert(
        '```figure kind="bars" of="late"\nA bar.\n```\n\n- An item\n\n'
        '    ```output name="late" columns="a"\n    tensor([1.])\n    ```'
    )
    assert html.count("<svg") == 1


@pytest.mark.parametrize(
    ("kind", "options", "names", "printed", "complaint"),
    [
        ("pie", "", AXES, MATRIX, r'kind="pie" of="numbers": there is no kind "pie", but bars'),
        ("bars", "", "", VECTOR, "0 names for 6 columns"),
        ("bars", "", AXES, MATRIX, r"the shape is \(3, 3\): choose a row"),
        ("bars", 'row="d"', AXES, MATRIX, 'there is no "d" among: a b c'),
        ("bars", 'row="a"', 'rows="a a b" columns="x y z"', MATRIX, '"a" is there 2 times'),
        ("bars", 'query="a" colour="red"', 'columns="a"', "tensor([1.])", "for query, colour"),
        ("bars", "", 'columns="a"', "tensor([nan])", "nan cannot be drawn"),
        ("bars", 'titles="a|b"', 'columns="a"', "tensor([1.])", "2 titles for 1 panels"),
        ("bars", "", f'columns="{"abcdefghij " * 9}"', f"tensor([{'1., ' * 8}1.])", "is small on"),
        ("bars", "", "", "3.0", "no tensor is printed there"),
        ("arcs", "", f'columns="{WORDS}"', SHARES, "choose the word that asks"),
        ("arcs", 'query="a"', 'columns="a"', "tensor([1.5])", "1.5 is not a weight"),
        ("map", "", 'rows="a b" columns="a b c"', MATRIX, "2 names for 3 rows"),
    ],
)
def test_wrong_use_fails(kind: str, options: str, names: str, printed: str, complaint: str) -> None:
    with pytest.raises(SuperFencesException, match=complaint):
        draw(kind, options, names, printed)


@pytest.mark.parametrize(
    ("fences", "complaint"),
    [
        ('```figure kind="bars" of="n"\n\n```', "write what is seen"),
        ('```figure kind="bars" of="m n"\nBars.\n```', "named on this page: n$"),
        ('```figure kind="bars"\nBars.\n```', 'of="": no such output'),
        (
            '````\n```output name="m"\n```\n````\n```figure of="m" kind="bars"\nA.\n```',
            "such output",
        ),
    ],
)
def test_a_figure_needs_a_text_and_an_output(fences: str, complaint: str) -> None:
    with pytest.raises(SuperFencesException, match=complaint):
        convert(f'{fences}\n\n```output name="n" columns="a"\ntensor([1.])\n```')
