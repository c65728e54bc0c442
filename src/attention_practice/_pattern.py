"""What two results have in common where no known mistake fits: rows, sums, signs, order, ratios."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from attention_practice._exercise import Case
from attention_practice._outcome import close
from attention_practice._words import listed, with_word

FEW = 4  # rows that are named one by one
WIDE = 10  # how far apart ratios may be that still say something


def pattern(case: Case, mine: Tensor, right: Tensor) -> str:
    """Say up to two things that hold for a whole result, in a sentence each, or nothing."""
    if mine.shape != right.shape or not right.dim() or not right.numel():
        return ""
    if right.dtype == torch.bool:
        return _allowed(mine, right)
    if not mine.isfinite().all() or not right.isfinite().all():
        return _lines_that_are_right(case, mine, right)
    told: Sequence[Callable[[], str]] = (
        lambda: _lines_that_are_right(case, mine, right),
        lambda: _sums(mine, right),
        lambda: _signs(mine, right) or _order(mine, right) or _ratio(mine, right),
    )
    return " ".join([sentence for tell in told if (sentence := tell())][:2])


def _lines_that_are_right(case: Case, mine: Tensor, right: Tensor) -> str:
    """Name the rows that are right, or else the columns."""
    if right.dim() < 2:
        return ""
    same = close(mine, right)
    for what, axis, names in (("row", -1, case.rows), ("column", -2, case.columns)):
        good = same.all(axis).flatten()
        number = int(good.sum())
        if not 0 < number < len(good):
            continue
        if number > FEW or right.dim() > 2:
            return f"{number} of {len(good)} {what}s are right."
        words = [with_word(names, i, len(good)) for i in good.nonzero().flatten().tolist()]
        verb = "are" if number > 1 else "is"
        return f"{what.capitalize()}{'s' * (number > 1)} {listed(words)} {verb} right."
    return ""


def _sums(mine: Tensor, right: Tensor) -> str:
    """Say what the rows add up to, where the right ones add up to one number."""
    if right.dim() < 2:
        return ""
    wanted, sums = right.sum(-1), mine.sum(-1)
    if not close(wanted, wanted.flatten()[0].expand(wanted.shape)).all():
        return ""
    if close(sums, wanted).all():
        return ""
    low, high, should = _told_apart(sums.min(), sums.max(), wanted.flatten()[0])
    between = low if low == high else f"{low} to {high}"
    across = mine.sum(-2)
    columns = close(across, wanted.flatten()[0].expand(across.shape)).all()
    told = f"Your rows add up to {between}, and should add up to {should}."
    return told + " Your columns do." * bool(columns)


def _signs(mine: Tensor, right: Tensor) -> str:
    if not close(mine.abs(), right.abs()).all():
        return ""
    wrong = int((~close(mine, right)).sum())
    return f"Every number has the right size, and {wrong} have the wrong sign."


def _order(mine: Tensor, right: Tensor) -> str:
    if close(mine.sort(-1).values, right.sort(-1).values).all():
        return "Each row has the right numbers, in another order."
    if right.dim() > 1 and close(mine.sort(-2).values, right.sort(-2).values).all():
        return "Each column has the right numbers, in another order."
    if close(mine.flatten().sort().values, right.flatten().sort().values).all():
        return "All the right numbers are there, in another arrangement."
    return ""


def _ratio(mine: Tensor, right: Tensor) -> str:
    """Say between which factors the numbers are too large, or that each row has a factor."""
    if right.dim() < 2 or right.shape[-1] < 2 or not right.any(-1).all():
        return ""
    factor = (mine * right).sum(-1, keepdim=True) / (right * right).sum(-1, keepdim=True)
    if factor.any() and close(mine, factor * right).all():
        low, high, _ = _told_apart(factor.min(), factor.max(), torch.ones(()))
        if low == high:
            return f"Your numbers are {low} times the right ones."
        return f"Each row is the right one times a factor of its own, {low} to {high}."
    if (mine * right > 0).all():
        ratios = mine / right
        if ratios.max() > WIDE * ratios.min():
            return ""
        low, high, _ = _told_apart(ratios.min(), ratios.max(), torch.ones(()))
        return f"Your numbers are {low} to {high} times the right ones."
    return ""


def _allowed(mine: Tensor, right: Tensor) -> str:
    """Count what a mask opens and closes wrongly."""
    if mine.dtype != torch.bool:
        return ""
    opened, closed = int((mine & ~right).sum()), int((right & ~mine).sum())
    places = [f"{number} place{'s' * (number != 1)}" for number in (opened, closed)]
    parts = [f"True at {places[0]} that should be False"] * bool(opened)
    parts += [f"False at {places[1]} that should be True"] * bool(closed)
    return f"Your mask is {' and '.join(parts)}."


def _told_apart(*numbers: Tensor) -> list[str]:
    """Print numbers with two digits behind the point, or with as many as tell them apart."""
    different = len({i for i, x in enumerate(numbers) if not any(close(x, y) for y in numbers[:i])})
    for digits in (2, 4, 6):
        shown = [f"{round(x.item(), digits) + 0.0:.{digits + 2}g}" for x in numbers]
        if len(set(shown)) >= different:
            break
    return shown
