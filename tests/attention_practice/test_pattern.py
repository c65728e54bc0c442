"""What is said of a result that no known mistake explains, and how a notebook shows it."""

import re
import sys
from collections.abc import Callable
from types import SimpleNamespace

import pytest
import torch
from torch import Tensor

import attention_practice as practice
from attention_practice import diagnose
from attention_practice._exercise import Case
from attention_practice._maps import maps_of
from attention_practice._pattern import pattern

RIGHT = torch.tensor([[0.5, 0.25, 0.25], [0.125, 0.5, 0.375], [0.75, 0.125, 0.125]])
CASE = Case("three words", (), ("the", "duck", "likes"), ("the", "duck", "likes"))


def changed(row: int, *numbers: float) -> Tensor:
    x = RIGHT.clone()
    x[row] = torch.tensor(numbers)
    return x


@pytest.mark.parametrize(
    ("mine", "says"),
    [
        (changed(1, 0.5, 0.25, 0.25), "Rows 0 “the” and 2 “likes” are right."),
        (
            changed(0, 1.0, 0.25, 0.25),
            "Rows 1 “duck” and 2 “likes” are right. "
            "Your rows add up to 1 to 1.5, and should add up to 1.",
        ),
        (torch.cat((RIGHT[:, :1], RIGHT[:, 1:] / 2 + 0.25), 1), "Column 0 “the” is right."),
        (
            RIGHT.softmax(0),
            "Your rows add up to 0.98 to 1.01, and should add up to 1. Your columns",
        ),
        (RIGHT * torch.tensor([[1.0, -1, 1], [-1, 1, 1], [1, 1, -1]]), "and 3 have the wrong sign"),
        (RIGHT.flip(-1).roll(1, -1), "Each row has the right numbers, in another order."),
        (RIGHT.roll(1, 0), "Each column has the right numbers, in another order."),
        (RIGHT * torch.tensor([[2.0], [3.0], [4.0]]), "times a factor of its own, 2 to 4."),
        (RIGHT + 0.125, "Your numbers are 1.17 to 2 times the right ones."),
        (RIGHT.where(RIGHT < 0.6, torch.nan), "Rows 0 “the” and 1 “duck” are right."),
        (RIGHT[0], ""),
    ],
)
def test_what_holds_for_a_whole_result_is_told(mine: Tensor, says: str) -> None:
    assert says in pattern(CASE, mine, RIGHT)
    assert bool(says) == bool(pattern(CASE, mine, RIGHT))


NEARLY: list[Callable[[Tensor], Tensor]] = [
    lambda scores: (scores / 1.001).softmax(-1),
    lambda scores: (scores * 1.0005).softmax(-1),
    lambda scores: scores.softmax(-1).round(decimals=4),
    lambda scores: scores.softmax(-1).round(decimals=3),
    lambda scores: scores.bfloat16().softmax(-1).to(scores),
    lambda scores: scores.softmax(-1) + 1e-3 * scores.sin(),
]


@pytest.mark.parametrize("nearly", NEARLY)
def test_what_is_told_is_true_of_numbers_that_are_nearly_right(
    nearly: Callable[[Tensor], Tensor],
) -> None:
    says = diagnose("weights", nearly).says
    assert "by the same amount" not in says
    for low, high in re.findall(r"are ([\d.]+) to ([\d.]+) times the right", says):
        assert float(low) < float(high)
    for low, high, right in re.findall(r"up to ([\d.]+)(?: to ([\d.]+))?, .* up to (\S+)\.", says):
        assert {low, high} - {"", right}
    assert says


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda x: x + 0.25, "by the same amount: +0.25."),
        (lambda x: x * 1.5, "All your numbers are 1.5 times the right ones."),
        (lambda x: x + 0.25 + 0.001 * x, ""),
        (lambda x: x * 1.5 + 0.001 * x.sin(), ""),
    ],
)
def test_one_amount_or_one_factor_is_told_where_it_is_one(
    spoil: Callable[[Tensor], Tensor], says: str
) -> None:
    report = diagnose("scores", lambda query, key: spoil(query @ key.mT))
    assert says in report.says
    assert (report.kind == "relation") is bool(says)


def test_a_mask_is_told_what_it_opens_and_closes() -> None:
    right = torch.ones(3, 3, dtype=torch.bool).tril()
    mine = right.clone()
    mine[0, 1:] = True
    mine[2, 2] = False
    assert pattern(CASE, mine, right) == (
        "Your mask is True at 2 places that should be False and False at 1 place that should be "
        "True."
    )
    assert pattern(CASE, right | True, right).endswith("at 3 places that should be False.")


def test_it_is_said_where_nothing_known_fits() -> None:
    report = diagnose("weights", lambda s: s.softmax(-1) * torch.linspace(0.5, 1, s.shape[-1]))
    assert report.kind == "difference"
    assert "Your rows add up to" in report.text
    assert report.maps
    assert report.maps.columns == ("the", "duck", "likes", "the", "muddy", "bank")
    assert not diagnose("weights", lambda s: s.softmax(-2)).maps


def test_both_maps_outline_the_numbers_that_differ() -> None:
    maps = maps_of(changed(1, 0.5, 0.25, 0.25), RIGHT, CASE.rows, CASE.columns)
    assert maps
    html = maps.html()
    assert html.count("<table>") == 2
    assert html.count("border-color") == 6
    assert html.count("<th>duck</th>") == 4
    negative = maps_of(torch.tensor([-1.0, torch.nan]), torch.tensor([1.0, 2.0]), (), ())
    assert negative
    assert ">\N{MINUS SIGN}1.00<" in negative.html()
    assert ">nan<" in negative.html()
    assert maps_of(torch.ones(40, 2), torch.zeros(40, 2), (), ()) is None
    batch = maps_of(torch.stack([RIGHT, RIGHT + 1]), torch.stack([RIGHT, RIGHT]), (), ())
    assert batch
    assert torch.equal(batch.mine, RIGHT + 1)


def test_a_notebook_shows_the_maps_and_a_script_does_not(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shown: list[str] = []
    display = SimpleNamespace(display=shown.append, HTML=str)
    shell = SimpleNamespace(kernel=None)
    monkeypatch.setitem(
        sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell, display=display)
    )
    practice.check("weights", lambda s: s.softmax(-1) ** 1.5)
    assert "yours</caption>" in shown[0]
    practice.check("weights", lambda s: s.softmax(-2))  # it has a name
    del shell.kernel  # a terminal with IPython
    practice.check("weights", lambda s: s.softmax(-1) ** 1.5)
    assert len(shown) == 1
    assert "<table>" not in capsys.readouterr().out
