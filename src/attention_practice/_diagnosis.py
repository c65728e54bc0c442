"""Which mistake a function makes: the questions, in the order in which they are asked."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations
from typing import Any

import torch
from torch import Tensor

from attention_practice import _words as words
from attention_practice._exercise import Call, Case, Exercise, Function, function_with
from attention_practice._likeness import likeness
from attention_practice._outcome import (
    AllKeysAtOnce,
    Outcome,
    agree,
    close,
    copied,
    outcome,
    outcomes,
    run,
)
from attention_verify.words import FormError, Mistake, headline

NAN_GRADIENT = "guides/what-goes-wrong/#the-row-with-nan-is-not-in-my-loss"


@dataclass(frozen=True)
class Report:
    """What `check` found.

    Attributes:
        exercise: Its name.
        kind: `right`, `not written`, `mistake`, `two mistakes`, `error`, `form`, `relation`,
            `difference`, `changed input`, `float64`, `gradient`, `memory` or `harness`.
        text: The message.
        mistakes: The names of the known mistakes that were recognised.
        says: What is wrong in a sentence or two, without the place where it shows.
        partly: On which inputs a function that is wrong is right, if it is on the first.
        pages: Where it is explained.
    """

    exercise: str
    kind: str
    text: str
    mistakes: tuple[str, ...] = ()
    says: str = ""
    partly: str = ""
    pages: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether the function is right."""
        return self.kind == "right"


def examine(exercise: Exercise, function: Function) -> Report:
    """Run a function on all cases, and say whether it is right, or which mistake it makes."""
    expected = outcomes(exercise, exercise.solution)
    broken = next((o.value for o in expected if isinstance(o.value, BaseException)), None)
    if broken is not None:
        return Report(
            exercise.name,
            "harness",
            f"{exercise.name}: your function was not judged, because the exercise's own solution "
            f"failed here: {headline(broken)}. This is a fault of the exercise, not yours.",
        )
    mine = outcomes(exercise, function)
    if not all(map(agree, mine, expected)):
        return _wrong(exercise, function, mine, expected)
    # Right numbers are not enough.
    asked = {
        "changed input": _changed_input,
        "float64": _loses_float64,
        "gradient": _wrong_gradient,
        "memory": _takes_all_keys,
    }
    for kind, ask in asked.items():
        if text := ask(exercise, function):
            return Report(exercise.name, kind, f"{exercise.name}: {text}")
    text = f"{exercise.name}: right, on all {len(exercise.cases)} inputs."
    return Report(exercise.name, "right", words.join_lines(text, words.warned(mine)))


def _wrong(
    exercise: Exercise, function: Function, mine: list[Outcome], expected: list[Outcome]
) -> Report:
    passed = list(map(agree, mine, expected))
    first = passed.index(False)
    case, got, right = exercise.cases[first], mine[first].value, expected[first].value
    if not words.is_written(function, mine):
        text = f"{exercise.name}: not written yet.\n{exercise.task}"
        return Report(exercise.name, "not written", text)

    raised = isinstance(got, BaseException) and not isinstance(got, FormError)
    seen = (
        words.traceback_line(got) if raised else words.worst_difference(exercise, case, got, right)
    )
    kind, says = "difference", ""
    if named := recognised(exercise, mine):
        kind, says = "mistake", "\n".join(mistake.says for mistake in named)
        if len(named) == 2:
            kind, says = "two mistakes", f"Two mistakes at once.\n{says}"
    elif named := recognised_without_batch(exercise, mine, passed):
        kind, says = "mistake", named[0].says
        seen = words.join_lines(seen, words.also_raised(exercise, mine))
    elif like := likeness(exercise, mine, expected):
        form = raised or words.wrong_form(exercise, got, right)
        kind, says = "form" if form else "relation", like
    elif raised:
        kind = "error"
    elif form := words.wrong_form(exercise, got, right):
        kind, says, seen = "form", form, ""
    elif pair := _first_that_differs(got, right):
        says = words.pattern(case, *pair)
    pages = tuple(mistake.page for mistake in named) or (exercise.page,)
    head, read = words.verdict(exercise, passed), words.reading(*pages)
    text = words.join_lines(head, says, seen, words.warned(mine), read)
    names = tuple(mistake.name for mistake in named)
    partly = head.removeprefix(f"{exercise.name}: ") if passed[0] else ""
    return Report(exercise.name, kind, text, names, says, partly, pages)


def recognised(exercise: Exercise, mine: Sequence[Outcome]) -> Sequence[Mistake]:
    """Return the mistake, or the two, whose outcome is the same in every case; else nothing."""
    for number in (1, 2) if exercise.in_pairs else (1,):
        for mistakes in combinations(exercise.mistakes, number):
            function = function_with(mistakes, exercise.solution)
            # One case after the other: most mistakes are told apart by the first.
            if function and all(
                agree(_made_by(function, exercise.run, case), got)
                for case, got in zip(exercise.cases, mine, strict=True)
            ):
                return mistakes
    return ()


@cache  # the same for every function that is judged
def _made_by(function: Function, call: Call, case: Case) -> Outcome:
    """Return what comes of a function with mistakes."""
    return outcome(call, function, copied(case.inputs))


def recognised_without_batch(
    exercise: Exercise, mine: Sequence[Outcome], passed: Sequence[bool]
) -> Sequence[Mistake]:
    """Return the mistake of a function that raises where there is a batch or there are heads.

    It is recognised in the other cases, of which at least two are needed, if it is the only one
    that fits.
    """
    without = [i for i, got in enumerate(mine) if not isinstance(got.value, BaseException)]
    if len(without) in (0, 1, len(mine)) or all(passed[i] for i in without):
        return ()
    cases = [exercise.cases[i] for i in without]
    fewer, outcomes_there = replace(exercise, cases=cases), [mine[i] for i in without]
    alone = [
        mistake
        for mistake in exercise.mistakes
        if recognised(replace(fewer, mistakes=[mistake]), outcomes_there)
    ]
    return alone if len(alone) == 1 else ()


def _first_that_differs(mine: Any, right: list[Tensor]) -> tuple[Tensor, Tensor] | None:
    pairs = zip(mine, right, strict=True)
    return next(((x, y) for x, y in pairs if not close(x, y).all()), None)


def _changed_input(exercise: Exercise, function: Function) -> str:
    for case in exercise.cases:
        inputs = copied(case.inputs)
        run(exercise, function, inputs)
        for i, (before, after) in enumerate(zip(case.inputs, inputs, strict=True)):
            if isinstance(before, Tensor) and not torch.equal(before, after):
                name = exercise.parameters[i] if i < len(exercise.parameters) else "its input"
                return (
                    f"the numbers are right, but your function changed the tensor `{name}` that it "
                    f"was given ({case.name}). The caller still needs it. Methods that end in `_`, "
                    f"`+=` and `{name}[...] = ...` write into a tensor; those without make a new "
                    "one."
                )
    return ""


def _loses_float64(exercise: Exercise, function: Function) -> str:
    if not exercise.differentiable:
        return ""
    got = run(exercise, function, _double(exercise.cases[0].inputs)).value
    head = "right in float32, but with inputs in float64 your function"
    advice = (
        "A tensor that you make yourself takes its dtype from an input with `x.new_zeros(...)`."
    )
    if isinstance(got, BaseException):
        return words.join_lines(f"{head} raises an exception.", words.traceback_line(got), advice)
    wrong = [x.dtype for x in got if x.is_floating_point() and x.dtype != torch.float64]
    return f"{head} returns {wrong[0]}.\n{advice}" if wrong else ""


def _wrong_gradient(exercise: Exercise, function: Function) -> str:
    for case in exercise.cases if exercise.differentiable else ():
        mine = _gradients(exercise, function, case.inputs)
        if isinstance(mine, BaseException):
            return (
                "the numbers are right, but no gradient comes back to the inputs, so a model could "
                f"not learn through it ({case.name}).\n{headline(mine)}\nUsual reasons: "
                "`.detach()`, `.data`, `.item()`, `torch.tensor(...)` around a result, a change in "
                "place."
            )
        # Two right ways may round otherwise, so it is compared in float64; a NaN may show in
        # float32 alone.
        exact, right = (
            _gradients(exercise, f, _double(case.inputs)) for f in (function, exercise.solution)
        )
        for name, gradient in right.items():
            if mine[name].isnan().any() or not torch.allclose(exact[name], gradient, 1e-3, 1e-4):
                return _about(case, name, mine[name])
    return ""


def _about(case: Case, name: str, gradient: Tensor) -> str:
    head = f"the numbers are right, but the gradient of `{name}` is"
    if gradient.isnan().any():
        return (
            f"{head} NaN ({case.name}). If a NaN is replaced later, its gradient is still NaN. "
            f"Compute the result so that no NaN arises.\n{words.reading(NAN_GRADIENT)}"
        )
    if not gradient.any():
        return (
            f"{head} 0 ({case.name}). Something cuts it off: `.detach()`, `.data` or "
            "`torch.tensor(...)`."
        )
    return f"{head} not that of the right function ({case.name})."


def _double(inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the inputs with float64 in place of float32."""
    return tuple(
        x.double() if isinstance(x, Tensor) and x.is_floating_point() else x for x in inputs
    )


def _gradients(exercise: Exercise, function: Function, inputs: tuple[Any, ...]) -> Any:
    """Return the gradient of a sum over the result, for each input by its name."""
    inputs = copied(inputs)
    leaves = {
        name: x.requires_grad_()
        for name, x in zip(exercise.parameters, inputs, strict=False)
        if isinstance(x, Tensor) and x.is_floating_point()
    }
    # A function of a model is given results of others, which a change in place would spoil.
    passed = tuple(x * 1.0 if isinstance(x, Tensor) and x.requires_grad else x for x in inputs)
    value = run(exercise, function, passed).value
    if isinstance(value, BaseException):
        return value
    try:
        total = torch.stack([_unevenly(x) for x in value if x.is_floating_point()]).sum()
        gradients = torch.autograd.grad(total, list(leaves.values()), materialize_grads=True)
    except RuntimeError as error:
        return error
    return dict(zip(leaves, gradients, strict=True))


def _takes_all_keys(exercise: Exercise, function: Function) -> str:
    if not exercise.long:
        return ""
    query, key, value = exercise.long[:3]
    with AllKeysAtOnce(query, key, value) as made:
        run(exercise, function, copied(exercise.long))
    if not made.shape:
        return ""
    return (
        f"the numbers are right, but with {len(query)} queries and {len(key)} keys your function "
        f"makes a tensor of shape {tuple(made.shape)}: it takes all keys at once. Compute the "
        "scores of a few keys, add their part of the context, and only then take the next keys.\n"
        f"{words.reading(exercise.page)}"
    )


def _unevenly(x: Tensor) -> Tensor:
    """Sum up numbers, each with a factor of its own, so that none can stand for another."""
    finite = x.nan_to_num(0.0, 0.0, 0.0).flatten()
    return (finite * torch.linspace(-1, 1, len(finite), dtype=x.dtype)).sum()
