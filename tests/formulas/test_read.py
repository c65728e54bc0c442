"""Formulas are read as they were meant."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.formulas.latex import formulas, written

from formulas.read import read
from formulas.tree import (
    Call,
    Cases,
    Derivative,
    Equation,
    Letter,
    Name,
    Node,
    Number,
    Operation,
    Reduction,
    Slice,
    UnreadError,
)

i_, j_, e_, t_ = map(Letter, "ijet")
X = Letter("x")


@settings(deadline=None)
@given(st.tuples(formulas, formulas))
def test_a_formula_that_is_written_and_read_again_is_the_same(sides: tuple[Node, Node]) -> None:
    equation = Equation(sides, ("=",))
    assert read(written(equation)) == [equation]


def right_of(latex: str) -> Node:
    (equation,) = read(f"y = {latex}")
    return equation.sides[1]


@pytest.mark.parametrize(
    ("latex", "node"),
    [
        (
            r"\mathrm{query}_{ie} \, \mathrm{key}_{je}",
            Operation("*", Name("query", (i_, e_)), Name("key", (j_, e_))),
        ),
        (r"W_{\mathrm{query}}^T", Call("transpose", (Name("W_query"),))),
        (r"W_{\mathrm{out},h}", Name("W_out", (Letter("h"),))),
        (r"\mathrm{score}'_j", Name("score'", (j_,))),
        (r"\mathrm{state}_{t-1}", Name("state", (Operation("-", t_, Number(1.0)),))),
        (r"\mathrm{key}_{0 \ldots t}", Name("key", (Slice(Number(0.0), t_),))),
        (
            r"\mathrm{rotated}_{i,2c+1}",
            Name(
                "rotated",
                (i_, Operation("+", Operation("*", Number(2.0), Letter("c")), Number(1.0))),
            ),
        ),
        (r"\mathrm{embedding}[\mathrm{tokens}_i]", Name("embedding", (Name("tokens", (i_,)),))),
        (r"\log \sum_j \exp(x)", Call("log", (Reduction("sum", ("j",), Call("exp", (X,))),))),
        (r"\sum_j x - x", Operation("-", Reduction("sum", ("j",), X), X)),
        (r"\max(x, 0)", Call("max", (X, Number(0.0)))),
        (r"\max_j x", Reduction("max", ("j",), X)),
        (r"\max |x|", Call("max", (Call("abs", (X,)),))),
        (
            r"\sum_{c \in \mathrm{chosen}_i} x",
            Reduction("sum", ("c",), X, Name("chosen", (i_,))),
        ),
        (
            r"\frac{\partial \, \mathrm{loss}}{\partial W_i}",
            Derivative(Name("loss"), Name("W", (i_,))),
        ),
        (
            r"\begin{cases} x & \text{if } j \le i \\ 0 & \text{otherwise} \end{cases}",
            Cases(((X, Operation("<=", j_, i_)), (Number(0.0), None))),
        ),
        (
            "(i - 1 < j \\le i)",
            Operation(
                "and",
                Operation("<", Operation("-", i_, Number(1.0)), j_),
                Operation("<=", j_, i_),
            ),
        ),
        ("-x x", Operation("*", Number(-1.0), Operation("*", X, X))),
    ],
)
def test_what_a_formula_may_have(latex: str, node: Node) -> None:
    assert right_of(latex) == node


def test_lines_continue_a_formula_or_begin_another() -> None:
    found = read(r"\begin{aligned} y &= \class{known}{x} \\ &+ 1 \\ &= 2 \\ x &= 3 \end{aligned}")
    assert found == read(r"y = x + 1 = 2 \qquad x = 3")


def test_a_display_may_have_several_equations_and_end_a_sentence() -> None:
    found = read(r"x = 1, \qquad \mathrm{key} \le x = 2.")
    assert [equation.relations for equation in found] == [("=",), ("<=", "=")]


@pytest.mark.parametrize(
    "latex",
    [
        "x = ",
        "x = (y",
        r"x = \unknown{y}",
        r"x \leftarrow y",
        "x = + y",
        r"\sum_2 x = y",
        "x_{0e} = 1",
    ],
)
def test_what_is_not_known_is_refused(latex: str) -> None:
    with pytest.raises(UnreadError):
        read(latex)
