"""Where two printed outputs differ, number by number.

Another machine may round the last printed digit of a float the other way, and a tensor is
wrapped and padded to fit its widest element. So a float may differ by one unit of its last
printed digit, and white space inside brackets is layout. Everything else is compared
exactly: text, integers, booleans, shapes, dtypes, `grad_fn`, `nan` and the signs of `inf`.

White space at the end of a line, and empty lines at the end of an output, never count: no one
can see them. Nor does an address in memory, such as in `<Value at 0x7f2a>`: each run has another.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from itertools import zip_longest

from tensor_examples.numbers import FLOAT

TOKEN = re.compile(
    rf"""
    (?P<float>
      (?: (?<![\w.]) [-+]? | (?<=[\d.]) [-+] (?=[\d.]+j) )  # not inside a name or a version
      {FLOAT} (?= j\b | (?!\w|\.\d) )                      # j ends a complex number
    )
    | (?P<text> (?<![\w.])-inf\b | \w+ | [^\w\s] )
    | (?P<space> \n | [^\S\n]+ )
    """,
    re.VERBOSE,
)

ADDRESS = re.compile(r"\bat 0x[0-9a-fA-F]+")

CLOSING = {"]": "[", ")": "(", "}": "{"}
QUOTES = {"'", '"'}
TRUTHS = {"True", "False"}

# A number that is printed with fewer decimals than this was short because it was exact: `1.`
# stands for a whole number, `0.5` for a half. One unit of its last digit would be too much.
DECIMALS_OF_A_ROUNDED_NUMBER = 2
ROUNDING_OF_A_SHORT_NUMBER = Decimal("1e-4")  # of its size


@dataclass(frozen=True)
class Token:
    """A number, a word, a sign or a run of white space, and where it stands."""

    text: str
    line: int  # of the output, from 0
    is_float: bool
    tensor: int = 0  # counts the outermost [...] of the output, or 0 outside of any
    index: tuple[int, ...] = ()  # of the element in that tensor


@dataclass(frozen=True)
class Difference:
    """The first place at which an actual output is not the expected one."""

    line: int  # of the expected output, from 0
    message: str


def difference(expected: str, actual: str, *, exact: bool = False) -> Difference | None:
    """Return the first place where two printed outputs differ, or None where they agree.

    Args:
        expected: What stands on the page.
        actual: What the code printed.
        exact: Compare character for character, for use where the versions are pinned.

    Examples:
        >>> from tensor_examples.compare import difference
        >>> difference("tensor([0.9544, 1.4950])", "tensor([0.9543, 1.4950])")
        >>> print(difference("tensor([1., 0.])", "tensor([0.5000, 0.5000])").message)
        element [0]: expected 1., got 0.5000 (they differ by 0.5000)
    """
    if visible_lines(expected) == visible_lines(actual):
        return None
    if not exact:
        expected, actual = (ADDRESS.sub("at 0x", output) for output in (expected, actual))
    wanted, got = all_tokens(expected), all_tokens(actual)
    for want, have in zip_longest(wanted, got):
        if want is None or have is None or not same_token(want, have, exact):
            line = want.line if want else last_line(expected)
            return Difference(line, describe(want, have, wanted, got))
    return other_layout(expected, actual) if exact else None


def visible_lines(output: str) -> list[str]:
    """Return the lines of an output, without the white space at their ends that no one sees."""
    lines = [line.rstrip() for line in output.split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def last_line(output: str) -> int:
    """Return the number, from 0, of the last line of an output that can be seen."""
    return max(0, len(visible_lines(output)) - 1)


@lru_cache(maxsize=256)  # one output is often compared with several
def all_tokens(output: str) -> tuple[Token, ...]:
    """Return the tokens of a printed output."""
    return tuple(tokens(output))


def tokens(output: str) -> Iterator[Token]:
    """Split a printed output, leaving out the white space that is mere layout.

    White space inside brackets pads and wraps the elements of a tensor. Outside them, and in
    a quoted string, it is part of what was printed, and so is kept.
    """
    brackets: list[str] = []  # that are open
    counts: list[int] = []  # of the elements seen in each open [
    tensor = line = 0
    quote = before = ""
    whole = True  # until an ellipsis leaves elements out: after it no index is known
    for match in TOKEN.finditer("\n".join(visible_lines(output))):
        text = match.group()
        is_space = match.lastgroup == "space"
        if is_space and brackets and not quote:
            # NumPy sets no commas, so there the space after an element counts it.
            if brackets[-1] == "[" and before not in ("[", ",") and not before.isspace():
                counts[-1] += 1
        else:
            inside = tensor if counts and whole else 0
            closes = text in CLOSING and not quote and CLOSING[text] in brackets[-1:]
            if closes and brackets.pop() == "[":
                counts.pop()
            index = tuple(counts) if inside else ()
            yield Token(text, line, match["float"] is not None, inside, index)
            if text in CLOSING.values() and not quote:
                brackets.append(text)
                if text == "[":
                    tensor += not counts
                    counts.append(0)
            elif text == "," and not quote and brackets[-1:] == ["["]:
                counts[-1] += 1
            elif text == before == ".":
                whole = False
            elif text == quote or (text in QUOTES and not quote and not before[-1:].isalnum()):
                quote = "" if quote else text
        if text == "\n":
            quote = ""  # that was an apostrophe
            line += 1
        before = text


def same_token(want: Token, have: Token, exact: bool) -> bool:
    """Say whether two tokens are the same, or are floats that are close enough."""
    if want.text == have.text:
        return True
    if exact or not (want.is_float and have.is_float):
        return False
    return same_float(want.text, have.text)


def same_float(first: str, second: str) -> bool:
    """Say whether two printed floats are the same number as far as they are printed.

    They may differ by one unit in the last digit of the one that is printed more finely. So
    a tenth is the same with an exponent and without, but 1e-05 is not what is printed as zero.
    """
    one, other = Decimal(first), Decimal(second)
    apart = abs(one - other)
    if max(decimals_of(first), decimals_of(second)) < DECIMALS_OF_A_ROUNDED_NUMBER:
        return apart == 0
    allowed = min(last_digit(one), last_digit(other))
    if min(decimals_of(first), decimals_of(second)) < DECIMALS_OF_A_ROUNDED_NUMBER:
        allowed = min(allowed, ROUNDING_OF_A_SHORT_NUMBER * max(abs(one), abs(other)))
    return apart <= allowed


def decimals_of(number: str) -> int:
    """Return how many digits stand after the point, leaving an exponent aside."""
    mantissa = re.split("[eE]", number)[0]
    return len(mantissa.partition(".")[2])


def last_digit(number: Decimal) -> Decimal:
    """Return one unit of the last digit of a printed float."""
    exponent = number.as_tuple().exponent
    assert isinstance(exponent, int)  # a float token is neither nan nor inf
    return Decimal(1).scaleb(exponent)


def describe(
    want: Token | None, have: Token | None, wanted: Sequence[Token], got: Sequence[Token]
) -> str:
    """Name the element, both values and, for two floats, the distance between them."""
    if want and have and 0 < want.tensor == have.tensor:
        expected_shape, shape = printed_shape(want.tensor, wanted), printed_shape(have.tensor, got)
        if expected_shape != shape:
            return f"expected the shape {expected_shape}, got {shape}"
    if have is None:
        return f"expected {quoted(want)}, got nothing more"
    if want is None:
        return f"expected nothing more, got {quoted(have)}"
    element = f"element [{', '.join(map(str, want.index))}]: " if want.index else ""
    if want.is_float and have.is_float:
        apart = abs(Decimal(want.text) - Decimal(have.text))
        return f"{element}expected {want.text}, got {have.text} (they differ by {apart})"
    return f"{element}expected {quoted(want)}, got {quoted(have)}"


def quoted(token: Token | None) -> str:
    """Return a token as it stands, or a name for white space."""
    text = token.text if token else ""
    if text.strip():
        return text
    return "a new line" if text == "\n" else f"{len(text)} space(s)"


def printed_shape(tensor: int, printed: Sequence[Token]) -> tuple[int, ...]:
    """Return the shape of a tensor, from the indices of its elements."""
    indices = [token.index for token in printed if token.tensor == tensor]
    depth = max(map(len, indices))
    inner = [index for index in indices if len(index) == depth]
    return tuple(max(index[axis] for index in inner) + 1 for axis in range(depth))


def other_layout(expected: str, actual: str) -> Difference:
    """Return where two outputs that have the same tokens are laid out in different ways."""
    pairs = zip_longest(visible_lines(expected), visible_lines(actual))
    line = next(number for number, (want, have) in enumerate(pairs) if want != have)
    message = "the same words and numbers, with other spaces or line breaks"
    return Difference(min(line, last_line(expected)), message)


def no_longer_true(before: str, after: str) -> bool:
    """Say whether an output says False where it said True, outside of any tensor."""
    was, now = (
        [token.text for token in tokens(output) if not token.tensor and token.text in TRUTHS]
        for output in (before, after)
    )
    if len(was) == len(now):
        return ("True", "False") in zip(was, now, strict=True)
    return was.count("True") > now.count("True") and now.count("False") > was.count("False")


def summary_of_change(before: str, after: str) -> str:
    """Say what changed first between two outputs."""
    first = difference(before, after, exact=True)
    return first.message.replace("expected", "was").replace("got", "now") if first else "unchanged"
