"""What a result is like where no known mistake fits, in a sentence that is true of every input.

It is the right result in another form, or what the right function makes of other inputs.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import permutations
from typing import Any

import torch
from torch import Tensor

from attention_practice._exercise import Exercise, Function
from attention_practice._outcome import Outcome, agree, alike, are_tensors, close, copied, run
from attention_practice._words import listed

# Makes the right results of the reader's, which come first.
Repair = Callable[[list[Tensor], list[Tensor]], Sequence[Tensor]]
Pairs = Sequence[tuple[list[Tensor], list[Tensor]]]  # of the reader's results and the right ones
RepairOfOne = Callable[[Tensor, Tensor], Tensor]
Change = Callable[[Any], Any]
# What they raise on results that they do not fit.
UNFIT = (RuntimeError, IndexError, TypeError, ValueError)
AXES = (("columns", -1), ("rows", -2), ("matrices", -3))


def likeness(exercise: Exercise, mine: Sequence[Outcome], expected: Sequence[Outcome]) -> str:
    """Say what all results that were returned have in common with the right ones, or nothing.

    Two are needed: of one alone, many things are true by chance.
    """
    returned = [i for i, got in enumerate(mine) if are_tensors(got.value)]
    if len(returned) < 2 or all(agree(mine[i], expected[i]) for i in returned):
        return ""
    pairs = [(mine[i].value, expected[i].value) for i in returned]
    if says := _repaired(_repairs(), pairs):
        return says
    for says, function in _changed(exercise):
        inputs = ((i, copied(exercise.cases[i].inputs)) for i in returned)
        if all(agree(run(exercise, function, given), mine[i]) for i, given in inputs):
            return f"Your result is that of the right function {says}."
    return _amount(pairs) or _repaired(LOOSE, pairs)


def _repaired(repairs: Iterable[tuple[str, Repair]], pairs: Pairs) -> str:
    """Say which repair makes the right results of all that was returned."""
    whole = (says for says, repair in repairs if all(_makes_right(repair, *pair) for pair in pairs))
    return next(whole, "")


def _amount(pairs: Pairs) -> str:
    """Say by which factor, or by which amount, all numbers are off that are wrong."""
    if any(len(x) != len(y) for x, y in pairs):
        return ""
    wrong = [each for x, y in pairs for each in zip(x, y, strict=True) if not alike(*each)]
    if any(
        x.shape != y.shape or not y.is_floating_point() or not (x - y).isfinite().all()
        for x, y in wrong
    ):
        return ""
    if all(not x.any() for x, _ in wrong):
        return "All your numbers are 0. If you replaced NaN by 0, find out where it came from."
    factors = [((x * y).sum() / (y * y).sum()).item() for x, y in wrong]
    if all(abs(factor - 1) > 0.01 and factor for factor in factors):
        scaled = [(x, factor * y) for (x, y), factor in zip(wrong, factors, strict=True)]
        if told := _told("times {:.4g}", factors, scaled):
            return told
    offsets = [(x.double() - y).mean().item() for x, y in wrong]
    moved = [(x - y, 0 * y + offset) for (x, y), offset in zip(wrong, offsets, strict=True)]
    return _told("plus {:.4g}", offsets, moved)


def _told(says: str, amounts: list[float], pairs: list[tuple[Tensor, Tensor]]) -> str:
    """Say by which amounts the right numbers are changed, if these pairs are equal."""
    each = list(dict.fromkeys(says.format(amount) for amount in amounts))
    # Of two single numbers, one is always a multiple, and they differ by some amount.
    is_seen = len(each) == 1 < len(pairs) or all(y.numel() > 1 for _, y in pairs)
    if not (is_seen and all(_are_equal(*pair) for pair in pairs)):
        return ""
    for_each = ", one for each input" * (len(each) > 1)
    return f"All your numbers are the right ones {listed(each)}{for_each}."


def _are_equal(x: Tensor, y: Tensor) -> bool:
    """Tell whether numbers are equal to the digits that a message shows, of which none is 0."""
    size = y.abs().max().item()
    return size > 0 and torch.allclose(x.double(), y.double(), 1e-4, 1e-5 * size)


def _makes_right(repair: Repair, mine: list[Tensor], right: list[Tensor]) -> bool:
    with suppress(*UNFIT):
        made = repair(mine, right)
        return len(made) == len(right) and all(map(alike, made, right))
    return False


def _repairs() -> Iterator[tuple[str, Repair]]:
    yield "Your last result is right. Return it alone.", lambda mine, right: mine[-len(right) :]
    yield "Your first result is right. Return it alone.", lambda mine, right: mine[: len(right)]
    yield (
        "Your numbers are right, in one tensor. Return several.",
        lambda mine, right: mine[0].unbind(0) if len(mine) == 1 < len(right) else mine,
    )
    for join in (torch.cat, torch.stack):
        for axis in (0, -1, -2, -3):
            call = f"torch.{join.__name__}(..., dim={axis})"
            yield (
                f"Your tensors hold the right numbers: {call} makes one of them.",
                partial(_joined, join, axis),
            )
    for says, repair in _repairs_of_one():
        yield says, partial(_each_that_differs, repair)


def _joined(
    join: Callable[..., Tensor], axis: int, mine: list[Tensor], right: list[Tensor]
) -> Sequence[Tensor]:
    return [join(mine, axis)] if len(mine) > 1 else mine


def _each_that_differs(
    repair: RepairOfOne, mine: list[Tensor], right: list[Tensor]
) -> Sequence[Tensor]:
    pairs = zip(mine, right, strict=True)
    return [x if alike(x, y) else repair(x, y) for x, y in pairs]


def _repairs_of_one() -> Iterator[tuple[str, RepairOfOne]]:
    yield (
        "Your mask is right, in numbers: 0 is False. Compare, or end with `.bool()`.",
        lambda x, y: x != 0,
    )
    yield "Your mask is False, or 0, where the right one is True.", lambda x, y: x == 0
    yield (
        "Where the right number is 0, yours is infinite or NaN. All others are right.",
        lambda x, y: x.nan_to_num(0, 0, 0),
    )
    yield (
        "Rows and columns have changed places: transposed, your result would be right.",
        lambda x, y: x.transpose(-1, -2),
    )
    yield (
        "Your numbers are right and in the right order, but the axes are not those of the task.",
        lambda x, y: x.reshape(y.shape),
    )
    for axes in (range(-3, 0), range(-4, 0)):
        for order in permutations(axes):
            to = f".movedim({tuple(axes)}, {order})"
            yield (
                f"The axes are in another order: `{to}` would make your result right.",
                partial(_with_axes_moved, tuple(axes), order),
            )
    yield (
        "Your result is the right one, repeated along an axis. Broadcasting would repeat it.",
        lambda x, y: y if close(x, y.expand(x.shape)).all() else x,
    )
    for what, axis in AXES:
        for says, repair in _repairs_along(axis):
            yield says.format(what), repair
    yield "Your numbers are logarithms of the right ones.", lambda x, y: x.exp()
    yield "The right numbers are the logarithms of yours.", lambda x, y: x.log()
    yield (
        "Your result is a softmax of the right one: one softmax too many.",
        lambda x, y: y if alike(x, y.softmax(-1)) else x,
    )


def _by_row(x: Tensor, y: Tensor) -> Tensor:
    """Return the factor by which each row is too large."""
    return (x * y).sum(-1, True) / (y * y).sum(-1, True)


# What is said last, since it leaves much open.
LOOSE: list[tuple[str, Repair]] = [
    (says, partial(_each_that_differs, repair))
    for says, repair in (
        (
            "Every number has the right size, and some have the wrong sign.",
            lambda x, y: y if alike(x.abs(), y.abs()) else x,
        ),
        (
            "Each row has the right numbers, in another order.",
            lambda x, y: y if alike(x.sort(-1).values, y.sort(-1).values) else x,
        ),
        (
            "Each column has the right numbers, in another order.",
            lambda x, y: y if alike(x.sort(-2).values, y.sort(-2).values) else x,
        ),
        (
            "Each row is the right one times a factor of its own.",
            lambda x, y: y if y.dim() > 1 < y.shape[-1] and alike(x, _by_row(x, y) * y) else x,
        ),
    )
]


def _with_axes_moved(axes: tuple[int, ...], to: tuple[int, ...], x: Tensor, y: Tensor) -> Tensor:
    return x.movedim(axes, to)


def _repairs_along(axis: int) -> Iterator[tuple[str, RepairOfOne]]:
    yield "The {} of your result run backwards.", lambda x, y: x.flip(axis)
    yield "The {} of your result come one place too early.", lambda x, y: x.roll(1, axis)
    yield "The {} of your result come one place too late.", lambda x, y: x.roll(-1, axis)
    yield (
        "The first {} are right, and the others are missing.",
        lambda x, y: y if alike(x, y.narrow(axis, 0, x.shape[axis])) else x,
    )
    yield (
        "The first {} are right, and there are more than should be.",
        lambda x, y: x.narrow(axis, 0, y.shape[axis]),
    )
    yield "The right {} are added up.", lambda x, y: y if alike(x, y.sum(axis)) else x
    yield "The right {} are averaged.", lambda x, y: y if alike(x, y.mean(axis)) else x


def _changed(exercise: Exercise) -> Iterator[tuple[str, Function]]:
    """Give the right function something else: for one argument, or two of them exchanged."""
    calls: list[tuple[Any, ...]] = []

    def right(*arguments: Any) -> Any:
        calls.append(arguments)
        return exercise.solution(*arguments)

    run(exercise, right, copied(exercise.cases[0].inputs))
    names, arguments = exercise.parameters, calls[0]

    def given(change: Change) -> Function:
        return lambda *arguments: exercise.solution(*change(arguments))

    for i, x in enumerate(arguments):
        for j, y in enumerate(arguments):
            if i != j and type(x) is type(y):
                yield f"with `{names[j]}` in place of `{names[i]}`", given(partial(_put, {i: j}))
                both = partial(_put, {i: j, j: i})
                yield f"if `{names[j]}` and `{names[i]}` change places", given(both)
        for says, change in _others(x):
            yield says.format(names[i]), given(partial(_change, i, change))
    yield (
        "where each row looks the other way, to later words in place of earlier ones",
        lambda *arguments: _backwards(exercise.solution(*map(_backwards, arguments))),
    )


def _put(places: dict[int, int], arguments: tuple[Any, ...]) -> list[Any]:
    return [arguments[places.get(i, i)] for i in range(len(arguments))]


def _change(i: int, change: Change, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    return (*arguments[:i], change(arguments[i]), *arguments[i + 1 :])


def _backwards(x: Any) -> Any:
    return x.flip(-2) if isinstance(x, Tensor) and x.dim() > 1 else x


def _others(x: Any) -> Iterator[tuple[str, Change]]:
    """Offer what may be meant in place of an argument, with words for it."""
    if isinstance(x, Tensor):
        if x.is_floating_point():
            yield "if `{}` is not used, as if it were 0", torch.zeros_like
            yield "if `{}` is transposed", lambda x: x.mT
        else:
            yield "with 0, 1, 2, ... in place of `{}`", lambda x: torch.arange(x.shape[-1])
            yield "with `{}` sorted", lambda x: x.sort().values
            yield "with `{}` + 1", lambda x: x + 1
            yield "with `{}` - 1", lambda x: x - 1
            yield "with True and False exchanged in `{}`", lambda x: ~x
        for _, axis in AXES:
            along = f"of `{{}}` along axis {axis}"
            yield f"with the order {along} reversed", partial(torch.flip, dims=(axis,))
            yield f"with the first {along} in place of all", partial(_all_alike, axis, _first)
            yield f"with the mean {along} in place of all", partial(_all_alike, axis, torch.mean)
    elif isinstance(x, int):
        yield "with `{}` + 1: off by one", lambda x: x + 1
        yield "with `{}` - 1: off by one", lambda x: x - 1
        yield "with 0 in place of `{}`", lambda x: 0
    elif isinstance(x, float):
        yield "with 1 - `{0}` in place of `{0}`", lambda x: 1 - x
        yield "with 1 / `{0}` in place of `{0}`", lambda x: 1 / x
        yield "if `{}` is not used, as if it were 0", lambda x: 0.0
    elif isinstance(x, tuple | list):
        yield "without the first of `{}`", lambda x: x[1:]
        yield "without the last of `{}`", lambda x: x[:-1]
        yield "with the order of `{}` reversed", lambda x: x[::-1]
        yield "with the first of `{}` in place of all", lambda x: x[:1] * len(x)
    elif callable(x):
        yield "where `{}` changes nothing, as if it were not used", lambda x: lambda y: y


def _all_alike(axis: int, one_of: Callable[..., Tensor], x: Tensor) -> Tensor:
    return one_of(x, axis, keepdim=True).expand(x.shape)


def _first(x: Tensor, axis: int, keepdim: bool) -> Tensor:
    return x.narrow(axis, 0, 1)
