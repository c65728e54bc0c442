"""The text of a derivation, worked out by Python's own arithmetic, is the number."""

import math

import pytest
import torch
from tests.formulas.test_compute import HOLD, page

from formulas.compute import Scope
from formulas.derive import derivation
from formulas.read import read

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
        text, _ = derivation(equation, scope, **at)
        value = float(scope.value(equation.sides[0], at))
        assert worked_out(text) == pytest.approx(value, abs=2e-3), text


def test_the_cells_that_were_read_are_named() -> None:
    names = {"query": torch.ones(2, 2), "key": torch.eye(2), "scores": torch.ones(2, 2)}
    (equation,) = read(r"\mathrm{scores}_{ij} = \sum_e \mathrm{query}_{ie} \, \mathrm{key}_{je}")
    scope = Scope(names)
    scope.measure(equation)
    text, derived = derivation(equation, scope, i=1, j=0)
    assert text == "1 · 1 + 1 · 0"
    assert derived.cells == [("query", (1, 0)), ("key", (0, 0)), ("query", (1, 1)), ("key", (0, 1))]


def test_rows_up_to_a_place_are_written_out_as_they_are() -> None:
    names = {"total": torch.tensor([1.0, 3.0]), "kept": torch.tensor([1.0, 2.0])}
    (equation,) = read(r"\mathrm{total}_t = \sum (\mathrm{kept}_{0 \ldots t})")
    scope = Scope(names)
    scope.measure(equation)
    assert derivation(equation, scope, t=1)[0] == "3"
    (slice_itself,) = read(r"\mathrm{total}_t = \mathrm{kept}_{0 \ldots t}")
    assert derivation(slice_itself, scope, t=1)[0] == "(1, 2)"
