"""Which known mistakes do what a function did, and how it answers what has several answers."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import torch
from torch import Tensor

from attention_verify.cases import FEATURES, Case
from attention_verify.mistakes import CONVENTIONS
from attention_verify.ways import (
    OF_CAUSAL,
    OF_EMPTY,
    OF_MASK,
    QUESTION,
    WAYS,
    Answers,
    Way,
    Ways,
    base,
    distance,
    outcome,
    shown,
    tolerance,
)

COARSER = (torch.float32, torch.float16, torch.bfloat16)
# Behind what brings no number, one may compute more coarsely than elsewhere.
COARSE_BEHIND = {"mask", "float-mask", "causal", "both", "gradients", "gqa", "value-size"}
# Two mistakes at once are looked for where no more mistakes show, and no more numbers are compared.
# One with more forms, as for each size of tile, is not looked for beside another.
PAIRS_OF, LARGE, FORMS = 40, 3000, 4
UNKNOWN = 4  # cases that nothing explains, after which mistakes are looked for alone
MANY_KEYS = 150  # with more, what explains smaller cases is tried first


@dataclass
class Ran:
    """What a function did with a case, and what explains it."""

    case: Case
    got: Tensor
    off: float
    allowed: float
    explained: tuple[Ways, ...] = ()

    @property
    def passes(self) -> bool:
        """Whether it is off by no more than rounding."""
        return self.off <= self.allowed


def explain(all_ran: Sequence[Ran], answers: Answers) -> None:
    """Find for each case what explains it: what explains most others, and contradicts fewest."""
    failing = [ran for ran in all_ran if not ran.passes]
    fitting: dict[Case, list[Ways]] = {}
    for ran in sorted(failing, key=_effort):
        keys, more = _effort(ran)
        likely = dict.fromkeys(ways for found in fitting.values() for ways in found if keys or more)
        found = [ways for ways in likely if _fits(ran, ways, answers)]
        is_hopeless = keys and fitting and not likely  # what nobody knows costs most here
        unknown = sum(not found for found in fitting.values())
        if not found and not is_hopeless:
            found = _fitting(ran, answers, in_pairs=unknown < UNKNOWN)
        fitting[ran.case] = found
    for ran in failing:
        found = fitting[ran.case]
        rank = {ways: _rank(ways, all_ran, fitting, answers) for ways in found}
        best = max(rank.values(), default=0)
        ran.explained = tuple(ways for ways in found if rank[ways] == best > 0)
    _explain_by_rounding(all_ran, answers)


def _effort(ran: Ran) -> tuple[int, int]:
    """Return what is tried late: what has many keys, and then what joins features."""
    keys = ran.case.given.key.shape[2]
    return keys if keys > MANY_KEYS else 0, max(len(ran.case.features) - 1, 0)


def _candidates(answers: Answers) -> list[Way]:
    """Return all that may explain a result: mistakes, and other answers than the function's."""
    own = {*base(answers), WAYS[answers[OF_MASK]][0]}
    return [way for name in WAYS for way in WAYS[name] if way not in own]


def _with(answers: Answers, ways: Ways) -> Ways:
    """Add mistakes to what the oracle does; an answer among them replaces its own."""
    asked = {QUESTION.get(way.name) for way in ways}
    return frozenset(way for way in base(answers) if QUESTION[way.name] not in asked) | ways


def _shows(ran: Ran, way: Way, answers: Answers) -> bool:
    own, wrong = base(answers), _with(answers, frozenset({way}))
    # In half precision more can overflow.
    dtypes = {torch.float64, ran.case.dtype} if ran.case.dtype.itemsize == 2 else {torch.float64}
    return any(shown(ran.case, own, wrong, dtype) > ran.allowed for dtype in dtypes)


def _fits(ran: Ran, ways: Ways, answers: Answers) -> bool:
    """Tell whether these mistakes explain all but a thousandth of what is off."""
    ways, dtype = _with(answers, ways), ran.case.dtype
    most = max(ran.allowed, ran.off / 1000 if math.isfinite(ran.off) else 0.0)
    made = outcome(ran.case, ways)
    if made is None or (dtype.itemsize > 2 and ran.case.kind != "gradients"):
        return distance(ran.got, made) <= most
    # A mistake may round a gradient to 16 bits. If that lies midway between two numbers, it goes up
    # or down with the dtype in which it was computed.
    if dtype.itemsize == 2:
        # It may also lose more digits than the right formula, and overflow.
        most = max(most, tolerance(ran.case, dtype, ways))
    return any(distance(ran.got, x) <= most for x in (made, outcome(ran.case, ways, dtype)))


def _rank(
    ways: Ways, all_ran: Sequence[Ran], fitting: dict[Case, list[Ways]], answers: Answers
) -> int:
    """Count the cases that mistakes explain, less those that they contradict, which count twice."""
    for_it = sum(ways in found for found in fitting.values())
    if all(way.name in QUESTION for way in ways):
        return for_it  # an answer is no mistake, and may be another one elsewhere
    against = sum(not _fits(ran, ways, answers) for ran in all_ran if ran.passes)
    # Where it would show, and something else is seen: half as much, if nobody knows what.
    seen = [
        fitting[ran.case] for ran in all_ran if not ran.passes and _all_show(ran, ways, answers)
    ]
    other = [found for found in seen if not any(ways <= pair for pair in found)]
    return for_it - 2 * against - sum(2 if found else 1 for found in other)


def _all_show(ran: Ran, ways: Ways, answers: Answers) -> bool:
    return all(_shows(ran, way, answers) for way in ways)


def _fitting(ran: Ran, answers: Answers, *, in_pairs: bool) -> list[Ways]:
    """Return the mistakes that do what the function did, alone or where queries stand elsewhere.

    Where there are none, return the pairs of mistakes.
    """
    candidates = _candidates(answers)
    seen = [way for way in candidates if _shows(ran, way, answers)]
    others = [way for way in seen if QUESTION.get(way.name) == OF_CAUSAL]
    mistakes = [way for way in candidates if way.name not in QUESTION]
    alone = [ways for way in seen if _fits(ran, ways := frozenset({way}), answers)]
    if any(frozenset({other}) in alone for other in others):
        return alone
    beside = (frozenset({way, other}) for other in others for way in mistakes)
    if found := [*alone, *(ways for ways in beside if _fits(ran, ways, answers))]:
        return found
    if not in_pairs:
        return []
    # What a query without keys gets may show only where a mistake hides them.
    of_empty = [way for way in candidates if QUESTION.get(way.name) == OF_EMPTY]
    hidden = (frozenset({way, other}) for other in of_empty for way in seen if way not in of_empty)
    if found := [ways for ways in hidden if _fits(ran, ways, answers)]:
        return found
    seen = [way for way in seen if len(WAYS[way.name]) <= FORMS]
    if len(seen) > PAIRS_OF or ran.got.numel() > LARGE:
        return []
    pairs = map(frozenset, combinations(seen, 2))
    return [ways for ways in pairs if _fits(ran, ways, answers)]


def _explain_by_rounding(all_ran: Sequence[Ran], answers: Answers) -> None:
    """Where most cases are off, and by no more than they would be in a coarser dtype, name it."""
    for coarser in COARSER:
        eps = torch.finfo(coarser).eps
        finer = [ran for ran in all_ran if torch.finfo(ran.case.dtype).eps < eps]
        off = [ran for ran in finer if not (ran.passes or ran.explained or ran.off == math.inf)]
        within = [ran for ran in off if ran.off <= tolerance(ran.case, coarser, base(answers))]
        # It may be so with one option alone, as behind a mask.
        common = frozenset(FEATURES).intersection(*(ran.case.features for ran in off))
        alike = [ran for ran in finer if common <= ran.case.features]
        behind = common <= {*COARSE_BEHIND, "float64"}
        if behind and 2 * len(within) > len(alike) and len(within) == len(off):
            for ran in off:
                name = f"{str(coarser)[6:]} inside"
                ran.explained = (frozenset({Way(name, WAYS["bottom-right"][0].steps)}),)


def answers_of(all_ran: Sequence[Ran], answers: Answers, settled: set[str]) -> Answers:
    """Return the function's answers where most of the cases that tell have another one."""
    found = {}
    for question, group in CONVENTIONS.items():
        if question in settled:
            continue
        other = {*group} - {answers[question]}
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
    made = outcome(ran.case, _with(answers, frozenset({WAYS[answer][0]})))
    assert made is not None
    is_wrong = not (ran.passes or ran.explained or ran.case.kind == "gradients")
    return is_wrong and bool(made.isnan().any()) and torch.equal(made.isnan(), ran.got.isnan())


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


def told(all_ran: Sequence[Ran], answers: Answers, question: str, blamed: set[str]) -> str:
    """Say how the function answers a question, and where otherwise, if that is not blamed."""
    usual = answers[question] if _passing(all_ran, answers, question) else ""
    otherwise = [
        f"{way.name} in {ran.case}"
        for ran in all_ran
        if len(ran.explained) == 1 and question != OF_MASK  # where it is a mistake
        for way in ran.explained[0]
        if QUESTION.get(way.name) == question and way.name not in {answers[question], *blamed}
    ]
    return ", but ".join(filter(None, (usual, ", ".join(otherwise))))
