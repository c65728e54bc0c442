"""Numbers in prose: a decimal or a percentage in a sentence is a result, like a printed one.

It stands, rounded, in an output or in the code beside it, or a comment directly behind it says
where it comes from: `0.5473<!-- scores[0, 4] -->` is evaluated, and compared as it is written,
and `28.4<!-- source: Vaswani et al. 2017 -->` is what somebody else found.

Not results are what stands in code spans and in formulas, and what only numbers something: a
section, or a version of Python or torch.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal

MINUS = "\N{MINUS SIGN}"
NUMBER = re.compile(
    rf"""
    (?<![\w.,/]) (?P<sign>[-+{MINUS}]?)
    (?P<digits> \d{{1,3}}(?:,\d{{3}})+(?:\.\d+)? | \d+(?:\.\d+(?:e[-+]?\d+)?)? | \.\d+ )
    (?P<percent> [ \N{{NO-BREAK SPACE}}\N{{NARROW NO-BREAK SPACE}}]? % | [ ]percent\b )?
    (?! [\w%] | [.,]\d )
    """,
    re.VERBOSE,
)
COMMENT = re.compile(r"[*_]*(?P<comment><!--\s*(?P<said>.*?)\s*-->)", re.DOTALL)
NAMED = re.compile(
    r"\b(?:sections?|versions?|Python|(?:Py)?torch)[\s,]+(?:[\d.]+(?:,| and| to)\s)*$", re.I
)
LONGEST_NAME = 60
NOISE = Decimal("1e-6")  # of floats, at a tie
NOT_PROSE = re.compile(  # code, formulas, comments, the addresses of links, tags
    r"""
      (?P<ticks>`+)(?!`) (?:(?!\n\s*\n).)*? (?<!`)(?P=ticks)(?!`)
    | \$\$ .*? \$\$ | \$(?!\s) (?:(?!\n\s*\n)[^$])+ (?<!\s)\$
    | <!-- .*? --> | \]\( [^()\s]* | https?:\S+ | </?(?!img)[a-z][^<>]*>
    """,
    re.DOTALL | re.VERBOSE,
)
PRINTED = re.compile(r"(?<![\w.])[-+]?\d[\d_,]*(?:\.\d*)?(?:e[-+]?\d+)?(?:\s?%)?", re.I)


@dataclass(frozen=True)
class Number:
    """A number in prose, and what a comment behind it says."""

    written: str
    line: int  # of the prose, from 0
    column: int
    sign: str
    digits: str
    is_percentage: bool
    said: str | None

    @property
    def value(self) -> Decimal:
        """The number, a percentage as a share."""
        minus = "-" * (self.sign in ("-", MINUS))
        return exactly(minus + self.digits + "%" * self.is_percentage)

    def is_near(self, value: Decimal) -> bool:
        """Say whether a value is this number when it is rounded; a tie may go either way."""
        half = Decimal(1).scaleb(int(self.value.as_tuple().exponent)) / 2
        return value.is_finite() and abs(value - self.value) <= half * (1 + NOISE)

    def stands_in(self, values: Iterable[Decimal]) -> bool:
        """Say whether this is one of some numbers, rounded. Without a sign, it is a size."""
        return any(map(self.is_near, values if self.sign else map(abs, values)))

    def rewritten(self, value: Decimal) -> str:
        """Return another number in the way in which this one is written."""
        mantissa, power, _ = self.digits.partition("e")
        comma, decimals = "," * ("," in mantissa), len(mantissa.partition(".")[2])
        shown = format(
            float(100 * value if self.is_percentage else value),
            f"z{comma}.{decimals}{power or 'f'}",
        )
        if self.digits.startswith("."):
            shown = shown.replace("0.", ".", 1)
        plus, minus = self.sign * (self.sign == "+"), self.sign if self.sign == "-" else MINUS
        sign = minus if shown.startswith("-") else plus
        return sign + shown.removeprefix("-") + self.written[len(self.sign + self.digits) :]


def exactly(written: str) -> Decimal:
    """Return the number that Python wrote, a percentage as a share."""
    number = Decimal(re.sub(r"[\s%,_]", "", written))
    return number.scaleb(-2) if "%" in written else number


def printed_in(text: str) -> set[Decimal]:
    """Return the numbers in an output or in code."""
    return set(map(exactly, PRINTED.findall(text)))


def prose_alone(text: str) -> str:
    """Return a text with spaces in place of code, formulas, comments, addresses and tags."""
    return NOT_PROSE.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text)


def numbers_in(prose: str) -> Iterator[Number]:
    """Yield the results in prose, and each other number that a comment explains."""
    text = prose_alone(prose)
    for found in NUMBER.finditer(text):
        comment = COMMENT.match(prose, found.end())
        start = text.rfind("\n", 0, found.start()) + 1
        before = text[max(0, found.start() - LONGEST_NAME) : found.start()]
        is_result = found["percent"] or ("." in found["digits"] and not NAMED.search(before))
        if comment or is_result:
            said = " ".join(comment["said"].split()) if comment else None
            yield Number(
                found.group(),
                text.count("\n", 0, start),
                found.start() - start,
                found["sign"],
                found["digits"],
                bool(found["percent"]),
                said,
            )


def without_comments(prose: str, page: str) -> str:
    """Return a page without the comments behind numbers; its prose stands where it does there."""
    ends = [found.end() for found in NUMBER.finditer(prose_alone(prose))]
    for comment in reversed([found for end in ends if (found := COMMENT.match(prose, end))]):
        start, end = comment.span("comment")
        page = page[:start] + page[end:]
    return page
