"""Where two printed outputs differ, number by number.

Another machine may round the last printed digit of a float the other way, and a tensor is
wrapped and padded to fit its widest element. So a float may differ by one unit of its last
printed digit, and white space inside brackets is layout. Everything else is compared
exactly: text, integers, booleans, shapes, dtypes, `grad_fn`, `nan` and the signs of `inf`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

FLOAT = re.compile(
    r"""
    (?<![\w.])            # not inside a name, and not the tail of another number
    [-+]?
    (?: (?:\d+\.\d*|\.\d+) (?:[eE][-+]?\d+)?    # 0.25  1.  .5  2.5e-08
      | \d+[eE][-+]?\d+ )                       # 1e-05
    (?![\w.])
    """,
    re.VERBOSE,
)
TOKEN = re.compile(rf"(?P<float>{FLOAT.pattern})|(?P<text>\w+|[^\w\s])|(?P<space>\s+)", re.VERBOSE)

# A number printed with no decimals, or with one, was short because it was exact: `1.` stands
# for a whole number, `0.5` for a half. One unit of its last digit would be far too much.
ROUNDING_OF_SHORT_NUMBERS = Decimal("1e-4")


@dataclass(frozen=True)
class Token:
    """A number, a word, a sign or a run of white space, and where it stands."""

    text: str
    start: int
    is_float: bool
    index: tuple[int, ...]  # the element of the innermost [[...]] that it is, or ()


@dataclass(frozen=True)
class Difference:
    """The first place at which an actual output is not the expected one."""

    offset: int  # of the first differing token in the expected text
    message: str


def tokens(text: str) -> Iterator[Token]:
    """Split a printed output, leaving out the white space that is mere layout.

    White space inside brackets pads and wraps the elements of a tensor. Outside them it is
    part of what was printed, and so is kept.
    """
    depth = 0
    index: list[int] = []
    for match in TOKEN.finditer(text):
        token = match.group()
        if match.lastgroup == "space":
            if depth == 0:
                yield Token(token, match.start(), is_float=False, index=())
            continue
        if token in "([{":
            depth += 1
        elif token in ")]}":
            depth = max(0, depth - 1)
        if token == "]" and index:
            index.pop()
        yield Token(token, match.start(), match.group("float") is not None, tuple(index))
        if token == "[":
            index.append(0)
        elif token == "," and index:
            index[-1] += 1


def last_digit(number: str) -> Decimal:
    """Return one unit of the last digit of a printed float: 0.0001 for `2.5000`."""
    exponent = Decimal(number).as_tuple().exponent
    assert isinstance(exponent, int)  # FLOAT matches neither nan nor inf
    return Decimal(1).scaleb(exponent)


def tolerance(expected: str, actual: str) -> Decimal:
    """Return how far apart two printed floats may be and still be the same number.

    One unit of the last digit of the one printed more finely. A number that is printed with
    fewer than two decimals may differ by rounding only, so that `1.` never accepts `0.6`, and
    `1e-05` never accepts `2e-05`.
    """
    unit = min(last_digit(expected), last_digit(actual))
    decimals = min(decimals_of(expected), decimals_of(actual))
    if decimals >= 2:
        return unit
    return min(unit, ROUNDING_OF_SHORT_NUMBERS * max(abs(Decimal(expected)), last_digit(expected)))


def decimals_of(number: str) -> int:
    """Return how many digits stand after the point, leaving an exponent aside."""
    mantissa = re.split("[eE]", number)[0]
    return len(mantissa.partition(".")[2])


def same_float(expected: str, actual: str) -> bool:
    """Say whether two printed floats are the same number as far as they are printed."""
    return abs(Decimal(expected) - Decimal(actual)) <= tolerance(expected, actual)


def difference(expected: str, actual: str, *, exact: bool = False) -> Difference | None:
    """Return the first place where two printed outputs differ, or None where they agree.

    Args:
        expected: What stands on the page.
        actual: What the code printed.
        exact: Compare character for character, for use where the versions are pinned.

    Example:
        >>> from tensor_examples.compare import difference
        >>> difference("tensor([0.9544, 1.4950])", "tensor([0.9543, 1.4950])")
        >>> print(difference("tensor([1., 0.])", "tensor([0.5000, 0.5000])").message)
        element [0]: expected 1., got 0.5000 (they differ by 0.5000)
    """
    wanted, got = list(tokens(expected.strip())), list(tokens(actual.strip()))
    lead = len(expected) - len(expected.lstrip())
    for want, have in zip(wanted, got, strict=False):
        if want.text == have.text:
            continue
        if not exact and want.is_float and have.is_float and same_float(want.text, have.text):
            continue
        return Difference(lead + want.start, describe(want, have))
    if len(wanted) > len(got):
        missing = wanted[len(got)]
        return Difference(lead + missing.start, f"expected {missing.text!r}, got nothing more")
    if len(got) > len(wanted):
        extra = got[len(wanted)]
        return Difference(len(expected.rstrip()), f"expected nothing more, got {extra.text!r}")
    if exact and lines_of(expected) != lines_of(actual):
        return Difference(0, "the same words and numbers, but laid out in another way")
    return None


def lines_of(text: str) -> list[str]:
    """Return the lines of an output, without the white space at their ends that no one sees."""
    return [line.rstrip() for line in text.strip("\n").splitlines()]


def describe(want: Token, have: Token) -> str:
    """Name the element, both values and, for two floats, the distance between them."""
    place = f"element [{', '.join(map(str, want.index))}]: " if want.index else ""
    if want.is_float and have.is_float:
        distance = abs(Decimal(want.text) - Decimal(have.text))
        return f"{place}expected {want.text}, got {have.text} (they differ by {distance})"
    return f"{place}expected {want.text!r}, got {have.text!r}"
