"""Run a function on the cases, and find the known mistakes that do the same."""

import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import torch
from torch import Tensor

from attention_verify.adapters import OTHER_SHAPE, STORE, KnownError, LeftOutError, adapted
from attention_verify.cases import DTYPES, FEATURES, Case, cases_for, in_pieces, squared, upstream
from attention_verify.mistakes import CONVENTIONS
from attention_verify.naming import Ran, answers_of, explain, told
from attention_verify.oracle import gradients_of, leaves_of
from attention_verify.verdict import CaseResult, Verdict
from attention_verify.ways import (
    OF_MASK,
    QUESTION,
    Answers,
    base,
    distance,
    gap,
    right,
    tolerance,
)
from attention_verify.words import FormError, headline

SECOND_CALL = "second call differs"
STATE = (SECOND_CALL, STORE)  # after which no number can be judged


def verify(
    function: Callable[..., Any],
    features: Collection[str] = (),
    *,
    layout: str = "bhld",
    interface: str = "function",
    device: str = "cpu",
    expect: Collection[str] = (),
    pieces: Sequence[int] = (),
    cases: Sequence[Case] | None = None,
    before: Callable[[Case], None] = lambda case: None,
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
        pieces: How many tokens a cache gets at a time; the last number is repeated. Defaults to
            several rhythms.
        cases: Only these. Defaults to all that the features allow.
        before: Is called with each case before it runs.

    Returns:
        The verdict: `passed`, `mistakes`, `conventions`, the result of each case, and `text`.

    Raises:
        ValueError: If there is no such feature, layout, interface, answer or device, or a piece
            without a token.

    Examples:
        >>> from attention_verify import verify
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
    if min(pieces, default=1) < 1:
        raise ValueError(f"pieces must each have a token, got {tuple(pieces)}")
    chosen = list(cases_for(*features) if cases is None else cases)
    attend = adapted(function, layout, interface)
    if interface == "cache":
        chosen = [fed for case in chosen for fed in in_pieces(case, tuple(pieces))]
    elif interface in ("self", "causal-self"):
        chosen = [squared(case, is_causal=interface == "causal-self") for case in chosen]
    answers = {question: next(iter(group)) for question, group in CONVENTIONS.items()}
    answers |= {QUESTION[name]: name for name in expect}
    settled = {QUESTION[name] for name in expect}
    while True:
        results: dict[str, CaseResult] = {}
        ran = _judged(_run_all(attend, chosen, device, answers, results, before), results)
        explain(ran, answers)
        found = answers_of(ran, answers, settled)
        if not found:
            break
        # What is judged by the function's own answer may show more, as behind True.
        answers |= found
        settled |= set(found)
    # What True means may be either, but not both in one function.
    promised = {OF_MASK, *(QUESTION[name] for name in expect)}
    results |= {r.case.name: _result(r, answers, promised) for r in ran}
    run = [case for case in chosen if results[case.name].status != "left out"]
    blamed = {name for r in results.values() if r.status == "fails" for name in r.mistakes}
    return Verdict(
        results=tuple(results[case.name] for case in chosen),
        conventions={question: told(ran, answers, question, blamed) for question in CONVENTIONS},
        not_tested=tuple(not_tested_by(run)),
        device=device,
        seconds=time.perf_counter() - began,
    )


def _run_all(
    attend: Callable[..., Any],
    cases: Sequence[Case],
    device: str,
    answers: Answers,
    results: dict[str, CaseResult],
    before: Callable[[Case], None],
) -> Iterator[Ran]:
    """Run all cases; those without a tensor to compare have their result at once."""
    for case in cases:
        before(case)
        try:
            got = _called(attend, case, device, turned=answers[OF_MASK] == "True hides")
        except LeftOutError as error:
            results[case.name] = CaseResult(case.name, "left out", says=str(error) or "no reason")
        except KnownError as error:
            results[case.name] = CaseResult(case.name, "fails", (str(error),))
        except FormError as error:
            results[case.name] = CaseResult(case.name, "fails", says=str(error))
        except (Exception, SystemExit) as error:  # whatever the function raises
            results[case.name] = CaseResult(case.name, "raises", says=headline(error))
        else:
            allowed = tolerance(case, case.dtype, base(answers))
            yield Ran(case, got, distance(got, right(case, answers)), allowed)


def _judged(all_ran: Iterator[Ran], results: dict[str, CaseResult]) -> list[Ran]:
    """Return the cases whose numbers mean something; the others have their result at once."""
    ran, at_once = list(all_ran), list(results.values())
    seen = (name for name in STATE if any(name in result.mistakes for result in at_once))
    names = tuple(seen)[-1:]
    if not (names or any(result.says.startswith(OTHER_SHAPE) for result in at_once)):
        return ran
    stateful = (r.case for r in at_once if {*r.mistakes} & {*STATE})
    for name in (*stateful, *(r.case.name for r in ran if not r.passes)):
        results[name] = CaseResult(name, "fails", names, says="" if names else "not judged")
    return [r for r in ran if r.passes]


def _called(attend: Callable[..., Any], case: Case, device: str, *, turned: bool) -> Tensor:
    """Call the function with copies of the inputs, and return what is compared."""
    given = case.given.to(device, case.dtype)
    if turned and given.has_boolean_mask and given.mask is not None:
        given = replace(given, mask=~given.mask)
    tensors = [x.clone() for x in (given.query, given.key, given.value)]
    if case.kind == "not contiguous":
        tensors = [torch.stack((x, x), -1).mT.contiguous().mT[..., 0] for x in tensors]
    if case.kind == "gradients":
        leaves = [x.requires_grad_() for x in tensors]
        options = given.options
        if "mask" in leaves_of(given):
            leaves.append(options["mask"].clone().requires_grad_())
            options["mask"] = leaves[-1]
        context: Tensor = attend(*leaves[:3], **options)
        if not context.requires_grad:
            raise FormError("its result has no gradient")
        return gradients_of(context, leaves, upstream(case).to(context)).cpu()
    with torch.no_grad():
        context = attend(*tensors, **given.options)
        if case.kind != "forward":
            originals = (given.query, given.key, given.value)
            if not all(map(torch.equal, tensors, originals)):
                raise KnownError("input changed")
            contiguous, again = (attend(*x, **given.options).cpu() for x in (originals, tensors))
            allowed = tolerance(case, case.dtype, frozenset())
            if distance(again, context.cpu()) > allowed:
                raise KnownError(SECOND_CALL)
            if distance(contiguous, again) > allowed:
                raise KnownError("strides ignored")
    return context.cpu()


def not_tested_by(run: Sequence[Case]) -> Iterator[str]:
    """Name the features, the pairs of those that were run, and the sizes that no case has."""
    tested = {name for case in run for name in case.features}
    yield from (name for name in FEATURES if name not in tested)
    joined = [case.features for case in run]
    for one, other in combinations((name for name in FEATURES if name in tested), 2):
        if not (any({one, other} <= each for each in joined) or {one, other} <= {*DTYPES}):
            yield f"{one} with {other}"
    if run:
        keys = [case.given.key.shape for case in run]
        yield f"more than {max(shape[0] for shape in keys)} texts"
        yield f"more than {max(shape[2] for shape in keys)} keys"
        yield f"head_dim over {max(shape[3] for shape in keys)}"


def _result(ran: Ran, answers: Answers, promised: Collection[str]) -> CaseResult:
    if ran.passes:
        return CaseResult(ran.case.name, "passes")
    ways = dict.fromkeys(tuple(sorted(way.name for way in ways)) for ways in ran.explained)
    names, *other = ways or [()]
    blamed = tuple(name for name in names if QUESTION.get(name) in (None, *promised))
    is_told = names and not blamed
    expected = right(ran.case, answers)
    off = gap(ran.got, expected)
    at = int(off.argmax())
    rows = off if off.dim() == 1 else off.amax(-1)
    what = "numbers" if off.dim() == 1 else "rows"
    return CaseResult(
        ran.case.name,
        "differs" if is_told else "fails",
        blamed or names,
        tuple(other),
        _place(ran.case, at),
        f"{float(ran.got.flatten()[at]):.5g}",
        f"{float(expected.flatten()[at]):.5g}",
        f"{int((rows > ran.allowed).sum())} of {rows.numel()} {what} are off",
    )


def _place(case: Case, at: int) -> str:
    """Return where a number stands, counted through all of them."""
    given = case.given
    if case.kind != "gradients":
        shape = (*given.query.shape[:-1], given.value.shape[-1])
        return str([int(i) for i in torch.unravel_index(torch.tensor(at), shape)])
    leaves = [(name, x) for name, x in leaves_of(given).items()]
    while at >= leaves[0][1].numel():
        at -= leaves.pop(0)[1].numel()
    name, tensor = leaves[0]
    return f"{name} {[int(i) for i in torch.unravel_index(torch.tensor(at), tensor.shape)]}"
