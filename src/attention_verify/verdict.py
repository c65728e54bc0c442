"""What came of a run: as data, as text, and as JSON."""

import json
import re
import textwrap
from collections import Counter
from collections.abc import Collection
from dataclasses import asdict, dataclass

import torch

from attention_verify.mistakes import CONVENTIONS
from attention_verify.words import KNOWN, Mistake, link_to

WIDTH = 80
ROWS = 3  # of cases that fail alike
FORM = "another form"
GOOD = ("passes", "differs")


@dataclass(frozen=True)
class CaseResult:
    """What a function did in a case.

    Attributes:
        case: Its name.
        status: `passes`; `fails`; `differs`, if conventions alone explain it; `raises`; or `left
            out`, if it cannot be asked for.
        mistakes: The names of what explains it: one known mistake, or two at once.
        other: Names that explain it as well as these.
        place: The index of the number that is furthest off; in gradients, whose it is before.
        yours: That number.
        right: What it should be; where it `differs`, what most of your cases would make of it.
        says: How much is off, the exception, or why it is left out.
    """

    case: str
    status: str
    mistakes: tuple[str, ...] = ()
    other: tuple[tuple[str, ...], ...] = ()
    place: str = ""
    yours: str = ""
    right: str = ""
    says: str = ""

    @property
    def seen(self) -> str:
        """Where it is off, and by what."""
        by = "by your usual answer" if self.status == "differs" else "right"
        numbers = f"at {self.place} yours {self.yours}, {by} {self.right}; "
        return numbers * bool(self.place) + self.says


@dataclass(frozen=True)
class Verdict:
    """What `verify` found.

    Attributes:
        results: For each case.
        conventions: How the function answers questions with several right answers, as far as the
            cases tell.
        not_tested: Features that no case has used: they were not named, or all was left out.
        device: Where the function ran.
        seconds: How long all took.
    """

    results: tuple[CaseResult, ...]
    conventions: dict[str, str]
    not_tested: tuple[str, ...]
    device: str
    seconds: float

    @property
    def passed(self) -> bool:
        """Whether each case passes, or differs by conventions alone; and one was run."""
        statuses = {result.status for result in self.results}
        return statuses <= {*GOOD, "left out"} and not statuses.isdisjoint(GOOD)

    @property
    def mistakes(self) -> tuple[str, ...]:
        """The names of the known mistakes, those that explain most cases first."""
        names = [name for r in self.results if r.status == "fails" for name in r.mistakes]
        return tuple(sorted(dict.fromkeys(names), key=lambda name: -names.count(name)))

    @property
    def json(self) -> str:
        """All of it, with the explanation of each mistake."""
        more = {"passed": self.passed, "torch": torch.__version__}
        known = [KNOWN[name] for name in self.mistakes]
        explained = [{"name": m.name, "says": m.says, "page": link_to(m.page)} for m in known]
        return json.dumps({**more, "mistakes": explained, **asdict(self)}, indent=2)

    @property
    def text(self) -> str:
        """The same for a reader, without what is another in each run."""
        count = Counter(result.status for result in self.results)
        told = ", ".join(f"{number} {status}" for status, number in count.items())
        shown = [r for r in self.results if r.status not in ("passes", "left out")]
        width = max((len(result.case) for result in shown), default=0)
        alike: dict[tuple[str, ...], list[CaseResult]] = {}
        for r in shown:
            same = re.sub(" at 0x[0-9a-f]+", "", r.says) if r.status == "raises" else FORM
            alike.setdefault(r.mistakes or (same,) * (not r.place), []).append(r)
        hidden = [result for group in alike.values() for result in group[ROWS:]]
        rows = [f"{r.status:8}{r.case:{width}}  {r.seen}" for r in shown if r not in hidden]
        reasons = Counter(result.says for result in self.results if result.status == "left out")
        blamed = [{*group} & {*self.mistakes} for group in CONVENTIONS.values()]
        usual = zip(self.conventions.values(), blamed, strict=True)
        parts = [
            f"{len(self.results)} case{'s' * (len(self.results) != 1)}: {told}",
            "\n".join(rows + [f"and {len(hidden)} more like these, named below"] * bool(hidden)),
            _filled("It raises the same in: ", [r.case for r in hidden if r.status == "raises"]),
            _filled("Another form, or not judged for it: ", self._named(alike.get((FORM,), []))),
            *(self._about(KNOWN[name]) for name in self.mistakes),
            _filled("No known mistake explains: ", self._named(alike.get((), []))),
            _filled(
                "Told, not blamed: ",
                [f"{x}{' elsewhere' * bool(other)}" for x, other in usual if x],
            ),
            _filled("Left out: ", [f"{number} ({why})" for why, number in reasons.items()]),
            _filled("Not tested: ", self.not_tested),
        ]
        return "\n\n".join(part for part in parts if part)

    def _named(self, cases: list[CaseResult]) -> list[str]:
        failing = [r for r in self.results if r.status in ("fails", "raises")]
        every = len(cases) > ROWS and cases == failing
        return [f"all {len(cases)} that fail"] if every else [r.case for r in cases]

    def _about(self, mistake: Mistake) -> str:
        cases = [result for result in self.results if mistake.name in result.mistakes]
        other = dict.fromkeys(" and ".join(names) for result in cases for names in result.other)
        lines = [
            _filled(f"{mistake.name}: ", [mistake.says]),
            _filled("In: ", self._named(cases)),
            _filled("It may also be: ", other),
            f"Read: {link_to(mistake.page)}",
        ]
        return "\n".join(line for line in lines if line)


def _filled(head: str, parts: Collection[str]) -> str:
    """Return parts in lines that are not too long; nothing if there are none."""
    lines = textwrap.wrap(
        head + "; ".join(parts), WIDTH, subsequent_indent="  ", break_on_hyphens=False
    )
    return "\n".join(lines) if parts else ""
