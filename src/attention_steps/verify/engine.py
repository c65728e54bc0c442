"""Run a function on the cases, and find the known mistakes that do the same."""

import math
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations
from typing import Any

import torch
from torch import Tensor

from attention_steps.verify.adapters import OTHER_SHAPE, LeftOutError, adapted
from attention_steps.verify.cases import FEATURES, AttentionCase, attention_cases, squared, upstream
from attention_steps.verify.known import CONVENTIONS
from attention_steps.verify.oracle import WAYS, Way, attention, changes_of, gradients, gradients_of
from attention_steps.verify.verdict import CaseResult, FormError, Verdict, headline

Ways = frozenset[Way]
SECOND_CALL = "second call differs"
# To a question of CONVENTIONS, the name of an answer.
Answers = dict[str, str]
OF_MASK, OF_CAUSAL, OF_EMPTY = CONVENTIONS
QUESTION = {answer.name: question for question, group in CONVENTIONS.items() for answer in group}
COARSER = (torch.float32, torch.float16, torch.bfloat16)
# Two mistakes at once are looked for where no more mistakes show, and no more numbers are compared.
# One with more forms, as for each size of tile, is not looked for beside another.
PAIRS_OF, LARGE, FORMS = 40, 3000, 4
MANY_KEYS = 1000  # with more, what explains smaller cases is tried first


@dataclass
class Ran:
    """What a function did with a case, and what explains it."""

    case: AttentionCase
    got: Tensor
    off: float
    allowed: float
    explained: tuple[Ways, ...] = ()

    @property
    def passes(self) -> bool:
        """Whether it is off by no more than rounding."""
        return self.off <= self.allowed


def verify(
    function: Callable[..., Any],
    features: Collection[str] = (),
    *,
    layout: str = "bhld",
    interface: str = "function",
    device: str = "cpu",
    expect: Collection[str] = (),
    cases: Sequence[AttentionCase] | None = None,
    before: Callable[[AttentionCase], None] = lambda case: None,
) -> Verdict:
    """Compare an attention with an oracle in float64, and name the mistakes that it makes.

    Where several answers are right somewhere, as with what True means in a mask, the function's is
    told, and the rest judged by it.

    Args:
        function: Your attention; or, for `mha` and `cache`, what makes it.
        features: What it offers besides query, key and value: of `FEATURES`. What is not named is
            not tested.
        layout: `bhld`, which is (batch, num_heads, length, head_dim), or `blhd`.
        interface: How it is called, of which `adapters.adapted` says more.
        device: Where the function gets its inputs. The oracle stays on the CPU.
        expect: Answers that you promise, such as `bottom-right`: another one fails then.
        cases: Only these. Defaults to all that the features allow.
        before: Is called with each case before it runs.

    Returns:
        The verdict: `passed`, `mistakes`, `conventions`, the result of each case, and `text`.

    Raises:
        ValueError: If there is no such feature, layout, interface, answer or device.

    Examples:
        >>> from attention_steps.verify import verify
        >>> def attend(query, key, value):
        ...     return (query @ key.mT).softmax(-1) @ value
        >>> verify(attend).mistakes
        ('no scale',)
    """
    began = time.perf_counter()
    if unknown := set(expect) - set(QUESTION):
        raise ValueError(f"expect must be among {', '.join(QUESTION)}, got {min(unknown)!r}")
    try:
        torch.zeros((), device=device)
    except (RuntimeError, AssertionError) as error:  # as torch without CUDA raises it
        raise ValueError(f"device {device!r} is not there: {headline(error)}") from error
    if interface in ("cache", "causal-self"):
        features = {*features, "causal"}
    chosen = attention_cases(*features) if cases is None else cases
    attend = adapted(function, layout, interface)
    if interface in ("self", "causal-self", "cache"):
        chosen = [squared(case, is_causal=interface == "causal-self") for case in chosen]
    answers = {question: group[0].name for question, group in CONVENTIONS.items()}
    answers |= {QUESTION[name]: name for name in expect}
    settled = {QUESTION[name] for name in expect}
    while True:
        results: dict[str, CaseResult] = {}
        ran = _judged(_run_all(attend, chosen, device, answers, results, before), results)
        _explain(ran, answers)
        found = _answers_of(ran, answers, settled)
        if not found:
            break
        # What is judged by the function's own answer may show more, as behind True.
        answers |= found
        settled |= set(found)
    # What True means may be either, but not both in one function.
    promised = {OF_MASK, *(QUESTION[name] for name in expect)}
    results |= {r.case.name: _result(r, answers, promised) for r in ran}
    run = [case for case in chosen if results[case.name].status != "left out"]
    tested = {name for case in run for name in case.features}
    return Verdict(
        results=tuple(results[case.name] for case in chosen),
        conventions={question: _told(ran, answers, question) for question in CONVENTIONS},
        shared=_shared(chosen, results),
        not_tested=tuple(name for name in FEATURES if name not in tested),
        device=device,
        seconds=time.perf_counter() - began,
    )


class _KnownError(Exception):
    """The function makes the mistake of this name, which its numbers do not show."""


def _run_all(
    attend: Callable[..., Any],
    cases: Sequence[AttentionCase],
    device: str,
    answers: Answers,
    results: dict[str, CaseResult],
    before: Callable[[AttentionCase], None],
) -> Iterator[Ran]:
    """Run all cases; those without a tensor to compare have their result at once."""
    for case in cases:
        before(case)
        try:
            got = _called(attend, case, device, turned=answers[OF_MASK] == "True hides")
        except LeftOutError as error:
            results[case.name] = CaseResult(case.name, "left out", says=str(error) or "no reason")
        except _KnownError as error:
            results[case.name] = CaseResult(case.name, "fails", (str(error),))
        except FormError as error:
            results[case.name] = CaseResult(case.name, "fails", says=str(error))
        except (Exception, SystemExit) as error:  # whatever the function raises
            results[case.name] = CaseResult(case.name, "raises", says=headline(error))
        else:
            right = _known(case, _base(answers))
            allowed = _tolerance(case, case.dtype, _base(answers))
            yield Ran(case, got, _distance(got, right), allowed)


def _judged(all_ran: Iterator[Ran], results: dict[str, CaseResult]) -> list[Ran]:
    """Return the cases whose numbers mean something; the others have their result at once."""
    ran, told = list(all_ran), list(results.values())
    names = (SECOND_CALL,) * any(SECOND_CALL in result.mistakes for result in told)
    if not (names or any(result.says.startswith(OTHER_SHAPE) for result in told)):
        return ran
    for name in (r.case.name for r in ran if not r.passes):
        results[name] = CaseResult(name, "fails", names, says="" if names else "not judged")
    return [r for r in ran if r.passes]


def _called(
    attend: Callable[..., Any], case: AttentionCase, device: str, *, turned: bool
) -> Tensor:
    """Call the function with copies of the inputs, and return what is compared."""
    given = case.given.to(device, case.dtype)
    if turned and given.has_boolean_mask and given.mask is not None:
        given = replace(given, mask=~given.mask)
    tensors = [x.clone() for x in (given.query, given.key, given.value)]
    if case.kind == "not contiguous":
        tensors = [torch.stack((x, x), -1).mT.contiguous().mT[..., 0] for x in tensors]
    if case.kind == "gradients":
        leaves = [x.requires_grad_() for x in tensors]
        context: Tensor = attend(*leaves, **given.options)
        if not context.requires_grad:
            raise FormError("its result has no gradient")
        return gradients_of(context, leaves, upstream(case).to(context)).cpu()
    with torch.no_grad():
        context = attend(*tensors, **given.options)
        if case.kind != "forward":
            originals = (given.query, given.key, given.value)
            if not all(map(torch.equal, tensors, originals)):
                raise _KnownError("input changed")
            contiguous, again = (attend(*x, **given.options).cpu() for x in (originals, tensors))
            allowed = _tolerance(case, case.dtype, frozenset())
            if _distance(again, context.cpu()) > allowed:
                raise _KnownError(SECOND_CALL)
            if _distance(contiguous, again) > allowed:
                raise _KnownError("strides ignored")
    return context.cpu()


def _base(answers: Answers) -> Ways:
    """Return what the oracle puts in the place of its steps, to answer as the function does."""
    # A mask is turned round where it is handed over, so that an empty row stays empty.
    return frozenset(
        WAYS[answers[question]][0] for question in (OF_CAUSAL, OF_EMPTY) if question in answers
    )


@contextmanager
def _one_thread() -> Iterator[None]:
    """Let torch compute small tensors alone: its threads would wait for each other."""
    number = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(number)


@cache
@_one_thread()
def _outcome(case: AttentionCase, ways: Ways, dtype: torch.dtype = torch.float64) -> Tensor | None:
    """Return what comes of a case with these mistakes; nothing if they exclude each other."""
    changes = changes_of(ways)
    if changes is None:
        return None
    given = case.given.to("cpu", dtype)
    if case.kind == "gradients":
        return gradients(given, changes, upstream(case).to(dtype)).detach()
    with torch.no_grad():
        return attention(given, changes)


def _known(case: AttentionCase, ways: Ways, dtype: torch.dtype = torch.float64) -> Tensor:
    """Return the same of mistakes that do not exclude each other, as the answers of `_base`."""
    outcome = _outcome(case, ways, dtype)
    assert outcome is not None
    return outcome


def _distance(got: Tensor, right: Tensor | None) -> float:
    """Return the largest difference: infinity where one has a number and the other none."""
    return math.inf if right is None else float(_gap(got, right).max())


def _gap(got: Tensor, right: Tensor) -> Tensor:
    got, right = got.double(), right.double()
    alike = (got == right) | (got.isnan() & right.isnan())
    return (got - right).abs().masked_fill(alike, 0.0).nan_to_num(math.inf, math.inf)


@cache
def _tolerance(case: AttentionCase, dtype: torch.dtype, ways: Ways) -> float:
    """Return how far a function may be off that computes in a dtype."""
    right = _known(case, ways)
    largest = float(right.nan_to_num(0.0).abs().max())
    eps = torch.finfo(dtype).eps
    if dtype.itemsize == 2:
        # Twice the error of the plain formula in this dtype, as the tests of flash-attn allow.
        plain = _known(case, ways, dtype)
        return 2 * float((plain.double() - right).nan_to_num(0.0).abs().max()) + eps * largest
    # A score is rounded by a share of its size, and the logarithm of a weight by as much.
    given = case.given
    steepest = float(given.query.abs().max() * given.key.abs().max())
    return 16 * eps * (1 + steepest * math.sqrt(given.query.shape[-1])) * largest


def _candidates(answers: Answers) -> list[Way]:
    """Return all that may explain a result: mistakes, and other answers than the function's."""
    own = {*_base(answers), WAYS[answers[OF_MASK]][0]}
    return [way for name in WAYS for way in WAYS[name] if way not in own]


def _with(answers: Answers, ways: Ways) -> Ways:
    """Add mistakes to what the oracle does; an answer among them replaces its own."""
    asked = {QUESTION.get(way.name) for way in ways}
    return frozenset(way for way in _base(answers) if QUESTION[way.name] not in asked) | ways


def _shows(ran: Ran, way: Way, answers: Answers) -> bool:
    base, wrong = _base(answers), _with(answers, frozenset({way}))
    # In half precision more can overflow.
    dtypes = {torch.float64, ran.case.dtype} if ran.case.dtype.itemsize == 2 else {torch.float64}
    return any(
        _distance(_known(ran.case, base, dtype), _outcome(ran.case, wrong, dtype)) > ran.allowed
        for dtype in dtypes
    )


def _fits(ran: Ran, ways: Ways, answers: Answers) -> bool:
    """Tell whether these mistakes explain all but a thousandth of what is off."""
    ways, dtype = _with(answers, ways), ran.case.dtype
    most = max(ran.allowed, ran.off / 1000 if math.isfinite(ran.off) else 0.0)
    outcome = _outcome(ran.case, ways)
    if outcome is None or dtype.itemsize > 2:
        return _distance(ran.got, outcome) <= most
    # A mistake may lose more digits than the right formula, and overflow.
    most = max(most, _tolerance(ran.case, dtype, ways))
    return any(_distance(ran.got, x) <= most for x in (outcome, _outcome(ran.case, ways, dtype)))


def _explain(all_ran: Sequence[Ran], answers: Answers) -> None:
    """Find for each case what explains it: what explains most others, and contradicts fewest."""
    failing = [ran for ran in all_ran if not ran.passes]
    fitting: dict[AttentionCase, list[Ways]] = {}
    for ran in sorted(failing, key=lambda ran: ran.case.given.key.shape[2]):
        is_large = ran.case.given.key.shape[2] > MANY_KEYS
        likely = dict.fromkeys(ways for found in fitting.values() for ways in found if is_large)
        found = [ways for ways in likely if _fits(ran, ways, answers)]
        fitting[ran.case] = found or _fitting(ran, answers)
    for ran in failing:
        found = fitting[ran.case]
        rank = {ways: _rank(ways, all_ran, fitting, answers) for ways in found}
        best = max(rank.values(), default=0)
        ran.explained = tuple(ways for ways in found if rank[ways] == best > 0)
    _explain_by_rounding(all_ran, answers)


def _rank(
    ways: Ways, all_ran: Sequence[Ran], fitting: dict[AttentionCase, list[Ways]], answers: Answers
) -> int:
    """Count the cases that mistakes explain, and twice those that they contradict."""
    for_it = sum(ways in found for found in fitting.values())
    if all(way.name in QUESTION for way in ways):
        return for_it  # an answer is no mistake, and may be another one elsewhere
    against = sum(not _fits(ran, ways, answers) for ran in all_ran if ran.passes)
    # Where it would show, and something else is seen.
    other = sum(
        not any(ways <= pair for pair in fitting[ran.case])
        for ran in all_ran
        if not ran.passes and all(_shows(ran, way, answers) for way in ways)
    )
    return for_it - 2 * against - 2 * other


def _fitting(ran: Ran, answers: Answers) -> list[Ways]:
    """Return the mistakes that do what the function did; else the pairs of mistakes."""
    candidates = _candidates(answers)
    seen = [way for way in candidates if _shows(ran, way, answers)]
    alone = [frozenset({way}) for way in seen]
    if found := [ways for ways in alone if _fits(ran, ways, answers)]:
        return found
    seen = [way for way in seen if len(WAYS[way.name]) <= FORMS]
    if len(seen) > PAIRS_OF or ran.got.numel() > LARGE:
        return []
    # What a query without keys gets may show only where a mistake hides them.
    seen += [way for way in candidates if QUESTION.get(way.name) == OF_EMPTY and way not in seen]
    pairs = map(frozenset, combinations(seen, 2))
    return [ways for ways in pairs if _fits(ran, ways, answers)]


def _explain_by_rounding(all_ran: Sequence[Ran], answers: Answers) -> None:
    """Where most cases are off, and by no more than they would be in a coarser dtype, name it."""
    for coarser in COARSER:
        eps = torch.finfo(coarser).eps
        finer = [ran for ran in all_ran if torch.finfo(ran.case.dtype).eps < eps]
        off = [ran for ran in finer if not (ran.passes or ran.explained or ran.off == math.inf)]
        within = [ran for ran in off if ran.off <= _tolerance(ran.case, coarser, _base(answers))]
        # It may be so with one option alone, as behind a mask.
        common = frozenset(FEATURES).intersection(*(ran.case.features for ran in off))
        alike = [ran for ran in finer if common <= ran.case.features]
        if 2 * len(within) > len(alike) and len(within) == len(off):
            for ran in off:
                ran.explained = (frozenset({Way(f"{str(coarser)[6:]} inside", {})}),)


def _answers_of(all_ran: Sequence[Ran], answers: Answers, settled: set[str]) -> Answers:
    """Return the function's answers where most of the cases that tell have another one."""
    found = {}
    for question, group in CONVENTIONS.items():
        if question in settled:
            continue
        other = {answer.name for answer in group} - {answers[question]}
        votes = [
            next((way.name for way in ran.explained[0] if way.name in other), "")
            for ran in all_ran
            if ran.explained
        ]
        if question == OF_EMPTY:
            votes += [name for name in other for ran in all_ran if _has_nan_of(ran, name, answers)]
        best = max(other, key=votes.count)
        if votes.count(best) > len(_passing(all_ran, answers, question)):
            found[question] = best
    return found


def _has_nan_of(ran: Ran, answer: str, answers: Answers) -> bool:
    """Tell whether a case has NaN just where an answer has it, whatever its other numbers are."""
    nan = _known(ran.case, _with(answers, frozenset({WAYS[answer][0]}))).isnan()
    is_wrong = not (ran.passes or ran.explained or ran.case.kind == "gradients")
    return is_wrong and bool(nan.any()) and torch.equal(nan, ran.got.isnan())


def _passing(all_ran: Sequence[Ran], answers: Answers, question: str) -> list[Ran]:
    """Return the cases that pass, and would not with another answer."""
    others = [
        way
        for way in _candidates(answers)
        if QUESTION.get(way.name) == question and way.name != answers[question]
    ]
    return [
        ran for ran in all_ran if ran.passes and any(_shows(ran, way, answers) for way in others)
    ]


def _told(all_ran: Sequence[Ran], answers: Answers, question: str) -> str:
    """Say how the function answers a question, and where otherwise."""
    usual = answers[question] if _passing(all_ran, answers, question) else ""
    otherwise = [
        f"{way.name} in {ran.case}"
        for ran in all_ran
        if len(ran.explained) == 1 and question != OF_MASK  # where it is a mistake
        for way in ran.explained[0]
        if QUESTION.get(way.name) == question and way.name != answers[question]
    ]
    return ", but ".join(filter(None, (usual, ", ".join(otherwise))))


def _shared(cases: Sequence[AttentionCase], results: dict[str, CaseResult]) -> tuple[str, ...]:
    """Return what all cases have that fail without a name, and none that passes; or two at once."""
    failing = [c for c in cases if (r := results[c.name]).status == "fails" and not r.mistakes]
    passing = [case for case in cases if results[case.name].status == "passes"]
    if len(failing) < 2 or not passing:
        return ()
    fewest = min(case.given.key.shape[2] for case in failing)

    def traits(case: AttentionCase) -> set[str]:
        long = {f"{fewest} keys or more"} if case.given.key.shape[2] >= fewest else set()
        return {*case.features, *case.name.replace("soft cap", "softcap").split(", "), *long}

    common = sorted(set.intersection(*map(traits, failing)))
    some = [{trait} for trait in common] + [set(pair) for pair in combinations(common, 2)]
    found = [one for one in some if not any(one <= traits(case) for case in passing)]
    return tuple(" and ".join(sorted(one)) for one in found if len(one) == len(found[0]))


def _result(ran: Ran, answers: Answers, promised: Collection[str]) -> CaseResult:
    if ran.passes:
        return CaseResult(ran.case.name, "passes")
    ways = dict.fromkeys(tuple(sorted(way.name for way in ways)) for ways in ran.explained)
    names, *other = ways or [()]
    blamed = tuple(name for name in names if QUESTION.get(name) in (None, *promised))
    is_told = names and not blamed
    right = _known(ran.case, _base(answers))
    gap = _gap(ran.got, right)
    at = int(gap.argmax())
    rows = gap if gap.dim() == 1 else gap.amax(-1)
    what = "numbers" if gap.dim() == 1 else "rows"
    return CaseResult(
        ran.case.name,
        "differs" if is_told else "fails",
        blamed or names,
        tuple(other),
        _place(ran.case, at),
        f"{float(ran.got.flatten()[at]):.5g}",
        f"{float(right.flatten()[at]):.5g}",
        f"{int((rows > ran.allowed).sum())} of {rows.numel()} {what} are off",
    )


def _place(case: AttentionCase, at: int) -> str:
    """Return where a number stands, counted through all of them."""
    given = case.given
    if case.kind != "gradients":
        shape = (*given.query.shape[:-1], given.value.shape[-1])
        return str([int(i) for i in torch.unravel_index(torch.tensor(at), shape)])
    for name in ("query", "key", "value"):
        tensor: Tensor = getattr(given, name)
        if at < tensor.numel():
            break
        at -= tensor.numel()
    return f"{name} {[int(i) for i in torch.unravel_index(torch.tensor(at), tensor.shape)]}"
