"""The text of a derivation, worked out by Python's own arithmetic, is the number."""

import itertools
import math

import pytest
import torch
from tests.formulas.test_compute import HOLD, page

from formulas.compute import Scope
from formulas.derive import derivation, derive, shown
from formulas.elements import elements
from formulas.read import read
from formulas.tree import UnreadError

WORDS = {
    "exp": math.exp,
    "log": math.log,
    "sqrt": math.sqrt,
    "max": max,
    "inf": math.inf,
}
PYTHON = {"·": "*", "\N{MINUS SIGN}": "-", "∞": "inf", "≤": "<="}


def worked_out(text: str) -> float:
    for sign, python in PYTHON.items():
        text = text.replace(sign, python)
    return float(eval(text, {"__builtins__": {}}, WORDS))


@pytest.mark.parametrize(
    "latex",
    [
        latex
        for latex in HOLD
        if r"_{ij} =" in latex or r"_i = \log" in latex or "_{id}" in latex or r"_i = \max" in latex
    ],
)
def test_the_text_comes_to_the_number(latex: str) -> None:
    (equation,) = read(latex)
    scope = Scope(page())
    scope.measure(equation)
    letters = tuple(place.name for place in equation.sides[0].index)  # type: ignore[union-attr]
    for at in scope.places(letters):
        text = derivation(equation, scope, **at).text
        value = float(scope.value(equation.sides[0], at))
        assert worked_out(text) == pytest.approx(value, abs=2e-3), text


def test_the_cells_that_were_read_are_named() -> None:
    names = {"query": torch.ones(2, 2), "key": torch.eye(2), "scores": torch.ones(2, 2)}
    (equation,) = read(r"\mathrm{scores}_{ij} = \sum_e \mathrm{query}_{ie} \, \mathrm{key}_{je}")
    scope = Scope(names)
    scope.measure(equation)
    derived = derivation(equation, scope, i=1, j=0)
    assert derived.text == "1 · 1 + 1 · 0"
    assert derived.cells == [("query", (1, 0)), ("key", (0, 0)), ("query", (1, 1)), ("key", (0, 1))]


def test_rows_up_to_a_place_are_written_out_as_they_are() -> None:
    names = {"total": torch.tensor([1.0, 3.0]), "kept": torch.tensor([1.0, 2.0])}
    (equation,) = read(r"\mathrm{total}_t = \sum (\mathrm{kept}_{0 \ldots t})")
    scope = Scope(names)
    scope.measure(equation)
    assert derivation(equation, scope, t=1).text == "1 + 2"
    (slice_itself,) = read(r"\mathrm{total}_t = \mathrm{kept}_{0 \ldots t}")
    with pytest.raises(UnreadError, match="different axes"):
        derivation(slice_itself, scope, t=1)


@pytest.mark.parametrize(
    ("matrices", "indices"),
    [
        (
            r"\mathrm{context} = \mathrm{weights} \, \mathrm{value}",
            r"\mathrm{context}_{ie} = \sum_j \mathrm{weights}_{ij} \, \mathrm{value}_{je}",
        ),
        (
            r"\mathrm{weights} = \mathrm{softmax}(\mathrm{scores})",
            r"\mathrm{weights}_{ij} = \frac{\exp(\mathrm{scores}_{ij})}"
            r"{\sum_{j'} \exp(\mathrm{scores}_{ij'})}",
        ),
        (
            r"\mathrm{scores} = \mathrm{query} \, \mathrm{key}^T",
            r"\mathrm{scores}_{ij} = \sum_e \mathrm{query}_{ie} \, \mathrm{key}_{je}",
        ),
    ],
)
def test_matrices_are_derived_as_their_indices_are(matrices: str, indices: str) -> None:
    names: dict[str, list[list[float]]]
    names = {"query": [[1, 2], [0, -1]], "key": [[3, 1], [2, 2], [0, 1]]}
    names |= {"scores": [[5, 6, 2], [-1, -2, -1]], "value": [[1, 2], [0, 1], [4, 0]]}
    names |= {"weights": [[0.2, 0.5, 0.3], [0.1, 0.1, 0.8]], "context": [[0, 0], [0, 0]]}
    by_matrices, by_indices = (
        elements(read(latex)[0], Scope(names)) for latex in (matrices, indices)
    )
    for places in itertools.product(*(range(n) for n in by_indices.letters.values())):
        one, other = (
            derive(each.element, names, dict(zip(each.letters, places, strict=True)))
            for each in (by_matrices, by_indices)
        )
        assert one == other


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (3.0, "3"),
        (0.39726, "0.3973"),
        (0.03125, "0.0313"),  # as JavaScript rounds it
        (-0.000143, "\N{MINUS SIGN}0.00014"),
        (-math.inf, "\N{MINUS SIGN}∞"),
        (-0.0, "0"),
    ],
)
def test_a_number_is_shown_with_what_a_reader_needs(number: float, text: str) -> None:
    assert shown(number) == text
