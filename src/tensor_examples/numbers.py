"""Numbers in prose: a decimal or a percentage in a sentence is a result, like a printed one.

It stands, rounded, in an output or in the code beside it, or a comment directly behind it says
where it comes from: `0.5473<!-- scores[0, 4] -->` is evaluated, and compared as it is written,
and `28.4<!-- source: Vaswani et al. 2017 -->` is what somebody else found. Each run lists the
numbers that are none, such as `0.7<!-- an example -->`.

Not results are code in a sentence, and what only names something: a section, a version, a paper.
A comment that begins with TODO binds nothing.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

MINUS = "\N{MINUS SIGN}"
GAP = r"(?: [^\S\n] | \n[ \t>]* | &nbsp; | &thinsp; | &\#160; )"
# What a number is, wherever it stands. People write 1,000 and end a sentence behind 1; Python
# writes 1. and 1e-05.
EXPONENT = r"(?:[eE][-+]?\d{1,4})"
DECIMAL = r"(?:\d+\.\d+|\.\d+)"
THOUSANDS = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?"
FLOAT = rf"(?:(?:{DECIMAL}|\d+\.){EXPONENT}?|\d+{EXPONENT})"
PYTHON = rf"(?:{FLOAT}|\d[\d_]*)"

PRINTED = re.compile(rf"(?<![\w.])[-+]?(?:{THOUSANDS}|{PYTHON})(?:\s?%)?")
WRITTEN = re.compile(  # in prose: a decimal, whatever is beside it; any other number stands alone
    rf"""
    (?<![A-Za-z\d.]) (?P<sign>[-+{MINUS}]?)
    (?P<digits> (?<![\w,/]) (?: 0,\d+ | {THOUSANDS} )
              | (?P<decimal> {DECIMAL}{EXPONENT}? )
              | (?<![\w,/]) \d+ )
    (?P<percent> {GAP}?% | (?:{GAP}|-)per[ ]?cent\b )?
    (?(decimal) (?! [\d%] | \.\d ) | (?! [\w%/] | [.,]\d ) )
    """,
    re.VERBOSE,
)
COMMENT = re.compile(r"[*_`$]*(?P<comment><!--(?!\s*TODO\b)\s*(?P<said>.*?)\s*-->)", re.DOTALL)
# What a number names, if it stands directly behind: a part of a text, a version, a model, a paper.
NAMED = re.compile(
    r"""
    (?: \b(?:[Ss]ection|[Vv]ersion)s? | \b(?:[Pp]ython|(?:Py)?[Tt]orch|Llama) )
    (?: \s?[<>=~!]=\s? | [\s:|] [\s|"']* ) (?:[\d.]+(?:,|[ ]and|[ ]to)\s)* $
    | [A-Z]\w*- $ | \barXiv[\s:]\s* $ | §\s* $
    """,
    re.VERBOSE,
)
FIRST_DIGIT = "123456789"  # of a name
LONGEST_NAME = 60
NOISE = Decimal("1e-6")  # of floats, at a tie
NOT_PROSE = re.compile(  # code, formulas, comments, the addresses of links, tags
    r"""
      (?P<ticks>`+)(?!`) (?:(?!\n\s*\n).)*? (?<!`)(?P=ticks)(?!`)
    | (?P<formula> \$\$ .*? \$\$ | \$(?!\s) (?:(?!\n\s*\n)[^$])+ (?<!\s)\$ )
    | <!-- .*? --> | \]\( [^()\s]* | https?:\S+ | (?P<tag> </?(?!img)[a-z][^<>]*> )
    """,
    re.DOTALL | re.VERBOSE,
)
DECIMALS = re.compile(rf"(?<![\w.,]){DECIMAL}(?![\w.]|<!--)")
KEPT = {  # of what is not prose, all the same
    "ticks": DECIMALS,
    "formula": DECIMALS,
    "tag": re.compile(r"""(?<==")[^"]*"""),
}
NOT_DIGITS = str.maketrans("", "", "%,_")  # of a number that is printed
DIGIT = re.compile(r"\d")
NOT_A_BREAK = re.compile(r"[^\n]")


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
    is_quoted: bool  # as code, or in a formula

    @cached_property
    def value(self) -> Decimal:
        """The number, a percentage as a share."""
        minus = "-" * (self.sign in ("-", MINUS))
        return exactly(minus + self.plain + "%" * self.is_percentage)

    @property
    def plain(self) -> str:
        """Its digits as Python would write them."""
        return self.digits.replace(",", "." if self.digits.startswith("0,") else "")

    def is_near(self, value: Decimal) -> bool:
        """Say whether a value is this number when it is rounded; a tie may go either way."""
        half = Decimal(1).scaleb(int(self.value.as_tuple().exponent)) / 2
        return value.is_finite() and abs(value - self.value) <= half * (1 + NOISE)

    def stands_in(self, values: Iterable[Decimal]) -> bool:
        """Say whether this is one of some numbers, rounded. Without a sign, it is a size."""
        return any(map(self.is_near, values if self.sign else map(abs, values)))

    @property
    def unit(self) -> str:
        """What stands behind its digits."""
        return self.written[len(self.sign + self.digits) :]

    def rewritten(self, value: Decimal) -> str:
        """Return another number in the way in which this one is written."""
        mantissa, power, _ = self.plain.partition("e")
        comma = "," * bool(re.search(r"[1-9]\d*,", self.digits))
        decimals = len(mantissa.partition(".")[2])
        shown = format(
            float(100 * value if self.is_percentage else value),
            f"z{comma}.{decimals}{power or 'f'}",
        )
        if self.digits.startswith("."):
            shown = shown.replace("0.", ".", 1)
        plus, minus = self.sign * (self.sign == "+"), self.sign if self.sign == "-" else MINUS
        sign = minus if shown.startswith("-") else plus
        return sign + shown.removeprefix("-") + self.unit


def exactly(written: str) -> Decimal:
    """Return the number that Python wrote, a percentage as a share."""
    number = Decimal("".join(written.split()).translate(NOT_DIGITS))
    return number.scaleb(-2) if "%" in written else number


def printed_in(text: str) -> set[Decimal]:
    """Return the numbers in an output or in code."""
    return set(map(exactly, PRINTED.findall(text)))


def blanked(found: re.Match[str]) -> str:
    """Return spaces in place of what is not prose, save for what is kept of it.

    That is the decimals of code and of a formula, and the title of an element.
    """
    text, kept = found.group(), KEPT.get(found.lastgroup or "")
    places = {n for each in kept.finditer(text) for n in range(*each.span())} if kept else set()
    blank = NOT_A_BREAK.sub(" ", text)
    return "".join(text[n] if n in places else c for n, c in enumerate(blank)) if places else blank


def numbers_in(prose: str, *, whole: bool = False) -> Iterator[Number]:
    """Yield the results in prose, and each other number that a comment explains.

    Args:
        prose: Some text.
        whole: Take whole numbers for results as well.
    """
    for found, comment, is_quoted in marked_numbers(prose):
        start = prose.rfind("\n", 0, found.start()) + 1
        before = prose[max(0, found.start() - LONGEST_NAME) : found.start()]
        if comment or is_result(found, before, whole=whole):
            yield Number(
                found.group(),
                prose.count("\n", 0, start),
                found.start() - start,
                found["sign"],
                found["digits"],
                bool(found["percent"]),
                " ".join(comment["said"].split()) if comment else None,
                is_quoted,
            )


def marked_numbers(prose: str) -> Iterator[tuple[re.Match[str], re.Match[str] | None, bool]]:
    """Yield each number, the comment behind it or its code, and whether it stands in code."""
    if not DIGIT.search(prose):  # most lines
        return
    quoted: list[tuple[int, int]] = []

    def blank(found: re.Match[str]) -> str:
        quoted.append(found.span())
        return blanked(found)

    alone = NOT_PROSE.sub(blank, prose)
    before = 0  # how many of these begin before the number
    for found in WRITTEN.finditer(alone):
        while before < len(quoted) and quoted[before][0] < found.start():
            before += 1
        end = quoted[before - 1][1] if before else 0
        end = end if end > found.start() else 0
        yield found, COMMENT.match(prose, end or found.end()), bool(end)


def is_result(found: re.Match[str], before: str, *, whole: bool) -> bool:
    """Say whether a number is a result, and no name; whole numbers are results only if so said."""
    digits = found["digits"]
    is_name = digits[0] in FIRST_DIGIT and NAMED.search(before)
    is_whole = digits.replace(",", "").isdecimal() and not digits.startswith("0,")
    return bool(found["percent"]) or ((whole or not is_whole) and not is_name)


def without_source_comments(prose: str, page: str) -> str:
    """Return a page without the comments behind numbers; its prose stands where it does there."""
    comments = [comment.span("comment") for _, comment, _ in marked_numbers(prose) if comment]
    for start, end in sorted(set(comments), reverse=True):
        page = page[:start] + page[end:]
    return page
