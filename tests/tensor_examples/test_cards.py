"""The card of a formula: its tensors are those of the page, and are brought up to date."""

from typing import Any

import pytest

from site_build.dialect import DIALECT
from site_build.formula_card import Card, tensors_of
from tensor_examples.equations import Formula
from tensor_examples.example import Example, Malformed, Run, Settings
from tensor_examples.failures import ExampleFailure
from tensor_examples.markdown import parse_page

FORMULA = r"$$\mathrm{scores}_{ij} = \sum_e \mathrm{query}_{ie} \, \mathrm{key}_{je}$$"
CODE = "import torch\nquery = key = torch.tensor([[1.0, 2.0], [0.5, 0.0]])\nscores = query @ key.T"
RIGHT = [
    "scores = [[5, 0.5], [0.5, 0.25]]",
    *(f"{x} = [[1, 2], [0.5, 0]]" for x in ("query", "key")),
]


def page(*card: str, formula: str = FORMULA) -> list[Example]:
    """Return the examples of a page with a card."""
    fence = "\n".join(["```card", *card, "```"])
    return list(parse_page("page.md", f"{formula}\n\n{fence}\n\n```python\n{CODE}\n```\n", DIALECT))


def formula_of(*card: str) -> Formula:
    """Return the formula of a page with a card."""
    (found,) = (each for each in page(*card) if isinstance(each, Formula))
    return found


def test_a_card_has_the_tensors_of_its_page() -> None:
    formula = formula_of(*RIGHT)
    formula.check(Run(Settings()))
    assert formula.refresh(Run(Settings())) == []
    assert formula.outputs == 2


@pytest.mark.parametrize(
    ("card", "told"),
    [
        ([], "expected nothing more"),
        ([RIGHT[0].replace("0.25", "0.26"), *RIGHT[1:]], "expected 0.26000, got 0.25000"),
        ([RIGHT[0].replace("0.25", "0.25002"), *RIGHT[1:]], "expected 0.25002"),
        ([*RIGHT[:2], RIGHT[2].replace("0]]", "0.00001]]")], "expected 0.000010, got 0.000000"),
        (RIGHT[:2], "expected nothing more"),
        ([RIGHT[0], RIGHT[2], RIGHT[1]], "expected key, got query"),
    ],
)
def test_other_tensors_are_told_and_replaced(card: list[str], told: str) -> None:
    formula = formula_of(*card)
    with pytest.raises(ExampleFailure, match=told):
        formula.check(Run(Settings()))
    (edit,) = formula.refresh(Run(Settings()))
    assert edit.lines == RIGHT
    assert (edit.first, edit.end) == (4, 4 + len(card))


def test_a_card_below_no_formula_is_refused() -> None:
    problems = [each for each in page(*RIGHT, formula="Nothing.") if isinstance(each, Malformed)]
    assert "below no formula" in problems[0].problem


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"i": "one two three"}, "3 names for 2 places of i"),
        ({"e": "one"}, "1 names for 2 places of e"),
        ({"at": "2 0"}, 'there is no "2"'),
    ],
)
def test_names_that_do_not_fit_fail_the_build(options: dict[str, Any], told: str) -> None:
    card = Card(FORMULA.strip("$"), tensors_of("\n".join(RIGHT)), options)
    with pytest.raises(ValueError, match=told):
        card.html("", {})


def test_without_words_a_number_is_named_by_its_places() -> None:
    html = Card(FORMULA.strip("$"), tensors_of("\n".join(RIGHT)), {"at": "0 1"}).html("", {})
    assert "<span>scores[0, 1]</span> <span>1 · 0.5 + 2 · 0</span> <strong>= 0.5</strong>" in html
