"""What came of a run: as data, as text, and as JSON."""

import dataclasses
import json
import textwrap
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, metadata
from typing import Any

import torch

from attention_steps.verify.known import CONVENTIONS, MISTAKES, Mistake

KNOWN = {
    mistake.name: mistake for group in (*CONVENTIONS.values(), MISTAKES) for mistake in group
}
WIDTH = 100


@dataclass(frozen=True)
class CaseResult:
    """What a function did in a case.

    Attributes:
        case: Its name.
        status: `passes`; `fails`; `differs`, if a convention alone explains it; `raises`; or `left
            out`, if the interface cannot ask for it.
        mistakes: The names of what explains it: one known mistake, or two at once.
        other: Names that explain it as well as these.
        place: The index of the number that is furthest off; in gradients, `query`, `key` or
            `value` before it.
        yours: That number.
        right: What it should be.
        error: How far it is off.
        allowed: How far it may be.
        says: What cannot be said in two numbers, such as an exception.
    """

    case: str
    status: str
    mistakes: tuple[str, ...] = ()
    other: tuple[tuple[str, ...], ...] = ()
    place: str = ""
    yours: float | None = None
    right: float | None = None
    error: float = 0.0
    allowed: float = 0.0
    says: str = ""


@dataclass(frozen=True)
class Verdict:
    """What `verify` found.

    Attributes:
        results: For each case.
        conventions: The function's answers where several are right.
        not_tested: Features that were not named, so nothing is known about them.
        device: Where the function ran.
        seconds: How long all took.
    """

    results: tuple[CaseResult, ...]
    conventions: tuple[str, ...]
    not_tested: tuple[str, ...]
    device: str
    seconds: float

    @property
    def passed(self) -> bool:
        """Whether each case passes, or differs by a convention alone; and one was run."""
        good = [result.status in ("passes", "differs", "left out") for result in self.results]
        return all(good) and any(result.status != "left out" for result in self.results)

    @property
    def mistakes(self) -> tuple[str, ...]:
        """The names of the known mistakes, those that explain most cases first."""
        names = [name for r in self.results if r.status == "fails" for name in r.mistakes]
        return tuple(sorted(dict.fromkeys(names), key=lambda name: -names.count(name)))

    @property
    def json(self) -> str:
        """All of it, with the explanation of each mistake."""
        explained = [dataclasses.asdict(KNOWN[name]) for name in self.mistakes]
        told = {
            **dataclasses.asdict(self),
            "passed": self.passed,
            "torch": torch.__version__,
            "mistakes": [{**x, "page": address(x["page"])} for x in explained],
        }
        return json.dumps(_without_infinity(told), indent=2)

    @property
    def text(self) -> str:
        """The same for a reader."""
        count = {status: 0 for status in ("passes", "differs", "fails", "raises", "left out")}
        for result in self.results:
            count[result.status] += 1
        head = ", ".join(f"{number} {status}" for status, number in count.items() if number)
        where = f"{self.device}, torch {torch.__version__}, {self.seconds:.1f} s"
        shown = [r for r in self.results if r.status not in ("passes", "left out")]
        width = max((len(result.case) for result in shown), default=0)
        parts = [
            f"{len(self.results)} cases: {head} ({where})",
            "\n".join(f"{r.status:8}{r.case:{width}}  {_seen(r)}" for r in shown),
            *(self._about(KNOWN[name]) for name in self.mistakes),
            self._unexplained(),
        ]
        if self.conventions:
            parts.append(_filled("Told, not blamed: ", "; ".join(self.conventions)))
        if self.not_tested:
            parts.append(_filled("Not tested: ", ", ".join(self.not_tested)))
        return "\n\n".join(part for part in parts if part)

    def _about(self, mistake: Mistake) -> str:
        cases = [result for result in self.results if mistake.name in result.mistakes]
        other = dict.fromkeys(" and ".join(names) for result in cases for names in result.other)
        lines = [f"{mistake.name}: {mistake.says}", "In: " + ", ".join(r.case for r in cases)]
        if other:
            lines.append(f"It may also be: {', '.join(other)}")
        lines.append(f"Read: {address(mistake.page)}")
        return "\n".join(_filled("", line) for line in lines)

    def _unexplained(self) -> str:
        cases = [r.case for r in self.results if r.status == "fails" and not r.mistakes]
        return _filled("No known mistake explains: ", ", ".join(cases)) if cases else ""


@cache
def _course() -> str:
    """Return the address of the course, which its wheel has from the site; else nothing."""
    try:
        urls = metadata("attention-steps").get_all("Project-URL", [])
    except PackageNotFoundError:
        return ""
    course = dict(url.split(", ", 1) for url in urls).get("Course", "")
    return course and f"{course.rstrip('/')}/"


def address(page: str) -> str:
    """Return where a page is, as a link if it is known where the course is published."""
    return f"{_course()}{page}"


def _seen(result: CaseResult) -> str:
    if result.yours is None or result.right is None:
        return result.says
    numbers = f"at {result.place} yours {result.yours:.5g}, right {result.right:.5g}"
    return f"{numbers}; {result.says}" if result.says else numbers


def _filled(head: str, text: str) -> str:
    return textwrap.fill(
        text, WIDTH, initial_indent=head, subsequent_indent="  ", break_on_hyphens=False,
        break_long_words=False,
    )


def _without_infinity(x: Any) -> Any:
    """Return the same with what JSON has no number for as a string."""
    if isinstance(x, float) and x - x != 0:
        return str(x)
    if isinstance(x, dict):
        return {key: _without_infinity(value) for key, value in x.items()}
    return [_without_infinity(value) for value in x] if isinstance(x, list | tuple) else x
