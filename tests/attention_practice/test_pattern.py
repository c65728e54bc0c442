"""What is said of a result that no known mistake explains."""

import re
from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from attention_practice import diagnose
from attention_practice._exercise import Case
from attention_practice._words import pattern

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
        (RIGHT.where(RIGHT < 0.6, torch.nan), "Rows 0 “the” and 1 “duck” are right."),
        (RIGHT[0], ""),
    ],
)
def test_what_holds_for_a_whole_result_is_told(mine: Tensor, says: str) -> None:
    assert says in pattern(CASE, mine, RIGHT)
    assert bool(says) == bool(pattern(CASE, mine, RIGHT))


def test_few_rows_are_named_and_many_are_counted() -> None:
    right = torch.arange(12.0).view(6, 2)
    for wrong, says in ((1, "5 of 6 rows are right."), (2, "Rows 0, 1, 2 and 3 are right.")):
        mine = right.clone()
        mine[6 - wrong :] += 1
        assert pattern(Case("six words", ()), mine, right) == says


NEARLY: list[Callable[[Tensor], Tensor]] = [
    lambda scores: (scores / 1.001).softmax(-1),
    lambda scores: (scores * 1.0005).softmax(-1),
    lambda scores: scores.softmax(-1) * 1.0005,
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
    assert "the right ones plus" not in says
    assert not says.endswith("times 1.")
    for low, high, right in re.findall(r"up to ([\d.]+)(?: to ([\d.]+))?, .* up to (\S+)\.", says):
        assert {low, high} - {"", right}
    assert says


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda x: x + 0.25, "All your numbers are the right ones plus 0.25."),
        (lambda x: x * 1.5, "All your numbers are the right ones times 1.5."),
        (lambda x: x * x.shape[-1], "times 6 and times 4, one for each input."),
        (lambda x: x.where(x < x.median(), -x), "right size, and some have the wrong sign."),
        (lambda x: x.sort(-1).values, "Each row has the right numbers, in another order."),
        (lambda x: x.sort(-2).values, "Each column has the right numbers, in another order."),
        (
            lambda x: x * (2 + torch.arange(x.shape[-2])[:, None]),
            "Each row is the right one times a factor of its own.",
        ),
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
