"""The words of a report: where two results differ, in which form, and what raised an exception."""

import dis
import inspect
import linecache
import math
import re
import sysconfig
import textwrap
import traceback
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

import attention_steps
import attention_verify
from attention_practice._exercise import Case, Exercise, Function
from attention_practice._outcome import Outcome, are_tensors, close, kind_of
from attention_verify.words import FormError, headline, link_to

# Frames of these files are not the reader's: these packages, Python's library, what is installed.
NOT_THE_READERS = tuple(
    str(path)
    for path in (
        Path(__file__).parent,
        Path(attention_steps.__file__).parent,
        Path(attention_verify.__file__).parent,
        Path(torch.__file__).parent,
        sysconfig.get_path("stdlib"),
        sysconfig.get_path("purelib"),
    )
)
WIDTH = 80
REVERSES = "`.T` reverses all axes, and `.mT` exchanges the last two."
FEW = 4  # rows that are named one by one
NOTHING_DONE = {"RESUME", "NOP", "LOAD_CONST", "RETURN_VALUE", "RETURN_CONST"}


def join_lines(*texts: str) -> str:
    """Join texts that say something, each on a line of its own."""
    return "\n".join(text for text in texts if text)


def wrapped(text: str) -> str:
    """Break long lines at spaces, as a page or a narrow window would have to; code stays."""
    return "\n".join(
        line
        if line.startswith(" ")
        else textwrap.fill(line, WIDTH, break_long_words=False, break_on_hyphens=False)
        for line in text.split("\n")
    )


def reading(*pages: str) -> str:
    """Send the reader to pages, by links where it is known where they are published."""
    return "\n".join(f"Read: {link_to(page)}" for page in dict.fromkeys(pages))


def verdict(exercise: Exercise, passed: Sequence[bool]) -> str:
    """Say on which inputs a function that is wrong is right."""
    right = [c.name for c, ok in zip(exercise.cases, passed, strict=True) if ok]
    if not passed[0]:
        return f"{exercise.name}: not yet."
    first = exercise.cases[passed.index(False)]
    return f"{exercise.name}: right for {listed(right)}, but not for {first.name}."


def is_written(function: Function, outcomes: Iterable[Outcome]) -> bool:
    """Tell whether a function is more than the stub that the reader was given."""
    values = [outcome.value for outcome in outcomes]
    if all(value is Ellipsis or isinstance(value, NotImplementedError) for value in values):
        return False
    methods = list(vars(function).values()) if inspect.isclass(function) else [function]
    codes = [m.__code__ for m in methods if hasattr(m, "__code__")]
    done = {instruction.opname for code in codes for instruction in dis.get_instructions(code)}
    if not codes:  # a class without methods, or a function that is not written in Python
        return not inspect.isclass(function)
    return bool(done - NOTHING_DONE) or any(value is not None for value in values)


def traceback_line(error: BaseException) -> str:
    """Show the reader's line that raised an exception, with the shapes of the tensors on it."""
    frames = [
        (frame, number)
        for frame, number in traceback.walk_tb(error.__traceback__)
        if not frame.f_code.co_filename.startswith(NOT_THE_READERS)
    ]
    # The harness calls the reader's function: its caller, in a test or a notebook, comes first.
    frames = [f for f in frames if not _calls_check(f[0].f_code.co_names)]
    if not frames:
        return f"Your function raised {headline(error)}"
    frame, number = frames[-1]
    line = linecache.getline(frame.f_code.co_filename, number).strip()
    name = frame.f_code.co_name.replace("<lambda>", "your function")
    reverses = any(i.argval == "T" for i in dis.get_instructions(frame.f_code))
    words = dict.fromkeys(re.findall(r"\w+", line))
    tensors = {word: frame.f_locals.get(word) for word in words}
    shapes = [f"{n} {tuple(t.shape)}" for n, t in tensors.items() if isinstance(t, Tensor)]
    return join_lines(
        f"Line {number - frame.f_code.co_firstlineno + 1} of {name} raised {headline(error)}",
        f"    {line}" if line else "",
        f"    with {', '.join(shapes)}" if shapes else "",
        REVERSES if reverses else "",
    )


def also_raised(exercise: Exercise, outcomes: Sequence[Outcome]) -> str:
    """Show the first exception of a function that is wrong where it raises none."""
    case, raised = next(
        (case, outcome.value)
        for case, outcome in zip(exercise.cases, outcomes, strict=True)
        if isinstance(outcome.value, BaseException)
    )
    return f"For {case.name}, it also raises an exception.\n{traceback_line(raised)}"


def _calls_check(names: Sequence[str]) -> bool:
    return bool({"check", "diagnose"}.intersection(names))


def warned(outcomes: Iterable[Outcome]) -> str:
    """Repeat the warnings that torch gave while the function ran."""
    given = dict.fromkeys(text for outcome in outcomes for text in outcome.warnings)
    return join_lines(*(f"torch warns: {text.splitlines()[0]}" for text in given if text))


def wrong_form(exercise: Exercise, got: Any, right: list[Tensor]) -> str:
    """Say what is wrong with the form of a result: no tensor, another shape or kind of number."""
    wanted = "a tensor" if len(right) == 1 else f"{len(right)} tensors, {listed(exercise.results)}"
    if isinstance(got, FormError):
        return str(got)
    if got is None:
        return "Your function returns None. Is there a `return` at its end?"
    if not are_tensors(got):
        return f"Your function returns {_with_article(got)}, and it should return {wanted}."
    if len(got) != len(right):
        many = "one tensor" if len(got) == 1 else f"{len(got)} tensors"
        return f"Your function returns {many}, and it should return {wanted}."
    for name, x, y in zip(exercise.results, got, right, strict=True):
        if x.shape != y.shape:
            return f"Your {name} has shape {tuple(x.shape)}, not {tuple(y.shape)}.{_reshaped(x, y)}"
        if kind_of(x) != kind_of(y):
            return f"Your {name} is {x.dtype}, and {y.dtype} is asked for."
    return ""


def _reshaped(x: Tensor, y: Tensor) -> str:
    if x.numel() == y.numel():
        return " It has the right number of elements, in another arrangement."
    if y.dim() == 0:
        return " One number without an axis is asked for."
    if x.dim() != y.dim():
        axes = "1 axis" if x.dim() == 1 else f"{x.dim()} axes"
        return f" It has {axes}, and {y.dim()} are asked for."
    return ""


def listed(names: Sequence[str]) -> str:
    """Join names to a list in words."""
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)


def _with_article(value: Any) -> str:
    name = "NumPy array" if type(value).__name__ == "ndarray" else type(value).__name__
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"


def worst_difference(exercise: Exercise, case: Case, got: Any, right: list[Tensor]) -> str:
    """Show the place where two results differ most, with both numbers, in the words of its axes."""
    if form := wrong_form(exercise, got, right):
        return f"For {case.name}: {form}"
    for name, x, y in zip(exercise.results, got, right, strict=True):
        wrong = (~close(x, y)).nonzero()
        if not len(wrong):
            continue
        place = _place_to_show(wrong, x, y, case)
        mine, theirs = _two_numbers(x[place], y[place])
        result = f"{name}, " if len(exercise.results) > 1 else ""
        nan = int(x.isnan().sum() - y.isnan().sum())
        count = f" {len(wrong)} of {y.numel()} numbers differ" if y.numel() > 1 else ""
        count += f", {nan} of them NaN." if nan > 0 else "." if count else ""
        where = _place_in_words(case, place, y.shape)
        return f"For {case.name}, {result}{where}: yours {mine}, right {theirs}.{count}"
    return ""


def _place_to_show(wrong: Tensor, x: Tensor, y: Tensor, case: Case) -> tuple[int, ...]:
    """Choose the place that differs most, in the row of "bank" where that differs."""
    if y.dim() > 1 and "bank" in case.rows:
        bank = wrong[wrong[:, -2] == case.rows.index("bank")]
        wrong = bank if len(bank) else wrong
    far = (x.double() - y.double()).abs().nan_to_num(math.inf)
    return max((tuple(place) for place in wrong.tolist()), key=lambda place: far[place].item())


def _place_in_words(case: Case, place: tuple[int, ...], shape: torch.Size) -> str:
    if not place:
        return "the one number"
    *before, column = place
    leading = [f"[{', '.join(map(str, before[:-1]))}]"] if len(before) > 1 else []
    row = [f"row {with_word(case.rows, before[-1], shape[-2])}"] if before else []
    return ", ".join([*leading, *row, f"column {with_word(case.columns, column, shape[-1])}"])


def with_word(names: Sequence[str], i: int, size: int) -> str:
    """Give a number its word, if there is a word for each."""
    return f"{i} “{names[i]}”" if len(names) == size else str(i)


def _two_numbers(a: Tensor, b: Tensor) -> tuple[str, str]:
    """Print two numbers with as many digits as tell them apart."""
    if a.dtype == torch.bool:
        return str(a.item()), str(b.item())
    for digits in (2, 4, 6):
        pair = f"{a.item():.{digits}f}", f"{b.item():.{digits}f}"
        if pair[0] != pair[1]:
            return pair
    return f"{a.item():.6g}", f"{b.item():.6g}"


def pattern(case: Case, mine: Tensor, right: Tensor) -> str:
    """Say up to two things that hold for a whole result, in a sentence each, or nothing."""
    if mine.shape != right.shape or not right.dim() or not right.numel():
        return ""
    if right.dtype == torch.bool:
        return _allowed(mine, right)
    if not mine.isfinite().all() or not right.isfinite().all():
        return _lines_that_are_right(case, mine, right)
    told = (_lines_that_are_right(case, mine, right), _sums(mine, right))
    return " ".join(filter(None, told))


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
