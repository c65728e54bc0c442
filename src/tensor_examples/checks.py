"""Checks of all that nobody compares: a text that looks like a result is none, and is refused.

A new check is a function from the `Contents` of a file to its problems, and a name in `OF_TEXT`
or `BY_OUTPUTS`.
Pages, docstrings and notebooks all run that list. A problem says what to write instead.
"""

import contextlib
import io
import re
import tokenize
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain, groupby
from typing import Any

from tensor_examples.conventions import Illustration
from tensor_examples.example import Malformed, Unbound
from tensor_examples.numbers import (
    DECIMAL,
    FLOAT,
    MINUS,
    NOT_PROSE,
    PYTHON,
    Number,
    exactly,
    numbers_in,
    printed_in,
)
from tensor_examples.numbers import PRINTED as NUMBER
from tensor_examples.printed import lists_in, tensors_in

# A line of a tensor or of a table: floats alone, in brackets or with spaces between them.
EACH = rf"[-+]?{FLOAT}"
ROW = rf"(?:\[[\s\[]*{EACH}(?:[\s,\]]+{EACH})*[\s,\]]*|{EACH}(?:\s+{EACH})+)\s*$"
SHOWN = r"(?:tensor|array)\(|torch\.Size\(|Out ?\[\d+\]:"
PRINTED = re.compile(rf"\b(?:tensor|array)\(\[|\btorch\.Size\(|^\s*(?:Out ?\[\d+\]:|{ROW})")

CODE_SPAN = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")
# In Markdown, what is indented this far is code, if it is not part of a list or a fold.
INDENTED = re.compile(rf"^(?: {{4}}| {{0,3}}\t)[ \t]*(?:{SHOWN}|{ROW})")
# Elements that show code or a result, and that no check reads.
SHOWS = re.compile(
    r"<(?:pre|samp|output|table|svg|iframe|object|embed|canvas|video|audio|meter|progress)\b",
    re.IGNORECASE,
)
COMMENT_MARK = re.compile(r"<!--|-->")

# What a sentence quotes as a result: a tensor, or numbers in brackets, but for a call or an index.
ANY = rf"[-+{MINUS}]?{PYTHON}"
QUOTED = re.compile(
    r"\b(?:tensor|array)\([^()`|]*\d[^()`|]*\)"
    rf"|(?:(?<=Size)|(?<![\w)\]=]))[(\[]+{ANY}(?:[\s,\[\]]+{ANY})+,?[)\]]"
)
QUOTED_ROW = re.compile(r"(?:\w+\()?[(\[]*[^()\[\]]*[)\]]*")
# A shape or a tensor anywhere in a comment, or a result that is all of it.
RESULT = re.compile(
    r"""
      \b(?:tensor|array|Size)\(  |  \(\d+,[\d,\s]*\)
    | ^\#\s* (?:[-=]*>\s*|=+\s*|(?:prints?|gives?|returns?|shape|out(?:put)?)\b:?\s*)?
      (?:\[[^\]]*\d[^\]]*\]|[-+]?\d[\d_]*|True|False|-?inf|nan)\s*$
    """,
    re.VERBOSE | re.IGNORECASE,
)
PROMPT = re.compile(r"^[ \t>]*(>>>|In \[\d+\]:)")
# A fence that begins a list in a list, or in a quote: Sybil does not look there.
FENCE_IN_LISTS = re.compile(r"^(?:[ \t>]*(?:[-*+]|\d+[.)])[ \t]+)+[ \t>]*(?:~{3}|`{3}(?!.*`))")
REFUSED_IN_TEXT = {
    INDENTED: "this looks printed, and is compared with nothing: write code and its output",
    PROMPT: "a prompt outside a docstring: write a python block and an output block",
}
NOT_FOUND = {
    FENCE_IN_LISTS: "this fence is not found by the checks: begin it on a line of its own",
}

WORD = re.compile(r"[^\W\d_]+|(?<!\S)[.<](?!\S)")  # of a name; a sign alone is one as well
COUNTS = [re.compile(rf"(?<![\w.])-?{digits}(?![\d.])") for digits in (r"\d+", DECIMAL)]
KEY = re.compile(r"""\s*["'](.+?)["']:""")  # of a dictionary
PRINTS = re.compile(r"\bprint\(.*\)")
SAID = re.compile(r""""[^"\n]*"|'[^'\n]*'|\#.*""")  # texts and comments of code
YEAR = re.compile(r"(?:19|20)\d\d")
# A cell of a table of numbers alone: it has a number, and a word at most.
CELL = re.compile(r"(?=.*\d)[\W\d_]*(?:[^\W\d_]+[\W\d_]*)?|\s*")
BIND = "print it, or compute it in a comment right behind it"

Lines = Sequence[tuple[int, str]]  # some text and the line of the file that it begins on
Problems = Iterator[tuple[int, str]]  # a line of the file, and what to write there instead


@dataclass(frozen=True)
class Contents:
    """The parts of a file that are not compared, whatever the kind of file."""

    code: Lines  # whole blocks and cells
    text: Lines  # single lines, without those of examples and of fences
    others: Lines  # single lines of fences that are no examples
    quotes: Lines  # lines that may quote a list or a shape as a result
    examples: str  # the code and the outputs of the file
    names: Lines = ()  # of rows, columns, tensors or panels: the names of one axis
    drawings: Sequence[Illustration] = ()


def text_that_looks_printed(contents: Contents) -> Problems:
    """Yield each line of text that looks like code with prompts, or like its output."""
    yield from matches(contents.text, REFUSED_IN_TEXT)


def fences_not_found(contents: Contents) -> Problems:
    """Yield each line of text that opens a block of code which is not run."""
    yield from matches(contents.text, NOT_FOUND)


def matches(lines: Lines, patterns: Mapping[re.Pattern[str], str]) -> Problems:
    """Yield each line in which a pattern is found, and what is said of the pattern."""
    for line, text in lines:
        for pattern, problem in patterns.items():
            if pattern.search(text):
                yield line, problem


def results_in_html(contents: Contents) -> Problems:
    """Yield each line of text with an element of HTML that shows code, a table or a picture."""
    for line, text in contents.text:
        if SHOWS.search(CODE_SPAN.sub("", text)):
            yield line, "this is compared with nothing: write a fenced block, or Markdown's table"


def results_in_comments(contents: Contents) -> Problems:
    """Yield each line of code on which a comment looks like a result."""
    for first, code in contents.code:
        for offset, comment in comments_in(code):
            if RESULT.search(comment) or any(numbers_in(comment)):
                problem = f"nobody compares a result in a comment, {comment!r}: print it"
                yield first + offset, problem


def quoted_results(contents: Contents) -> Problems:
    """Yield each line that quotes a list or a shape which no code and no output has.

    What is quoted as one row stands in one row, and a list of lists in one list.
    """
    lists = list(lists_in(contents.examples))
    rows = [each for each in lists if each.is_row]
    for line, text in contents.quotes:
        for quoted in QUOTED.findall(without_links(text)):
            numbers = list(numbers_in(quoted, whole=True))
            among = rows if QUOTED_ROW.fullmatch(quoted) else lists
            if not any(stand_in(numbers, each.values) for each in among):
                yield line, f"{quoted} is in no output and no code of this page: print it"


def strange_numbers(contents: Contents) -> Problems:
    """Yield each line of a setting or a command with a number that no example has."""
    known = printed_in(contents.examples)
    for line, text in contents.others:
        for number in numbers_in(text):
            if number.said is None and not number.stands_in(known):
                yield line, f"{number.written} is in no output and no code of this page: print it"


def strange_names(contents: Contents) -> Problems:
    """Yield each line with names of rows, columns or panels that no code has in this order.

    Numbers among them count up.
    """
    known, words = printed_in(contents.examples), words_in(contents.examples)
    parts = [words_in("\n".join(part.findall(contents.examples))) for part in (PRINTS, SAID)]
    told = "".join(f" {' '.join(part)} |" for part in parts)
    for line, text in contents.names:
        names = text.split("|") if "|" in text else text.split()
        whole, others = [[*map(Decimal, count.findall(text))] for count in COUNTS]
        strange = sorted(set(words_in(text)).difference(words))
        strange += [str(n) for n in whole if abs(n) >= len(names) and abs(n) not in known]
        is_in_order = f" {' '.join(words_in(text))} " in told or all_the_same(names)
        if strange:
            yield line, f"the name {strange[0]!r} is in no code and no output: write it there"
        elif whole != sorted(whole) or others != sorted(others) or not is_in_order:
            yield line, f"no code has these names in this order, write it in a comment: {text}"


def all_the_same(names: Sequence[str]) -> bool:
    """Say whether names have the same words, so that at most their numbers differ."""
    return len({" ".join(words_in(name)) for name in names}) < 2


def strange_numbers_of_drawings(contents: Contents) -> Problems:
    """Yield each drawing whose text has a number that is not drawn."""
    for drawing in contents.drawings:
        drawn = printed_in(drawing.drawn) | set(sizes_of(list(tensors_in(drawing.drawn))))
        for number in numbers_in(drawing.says, whole=True):
            if number.said is None and not number.stands_in(drawn):
                yield drawing.line + 1 + number.line, f"{number.written} is not drawn: {BIND}"


def strange_tables(contents: Contents) -> Problems:
    """Yield each row of a table of numbers alone that no example has, one number after another.

    A row that has the name of a key has the numbers of no other key.
    """
    examples = [(KEY.match(line), line) for line in contents.examples.split("\n")]
    shown = [(key and key[1], [*map(exactly, NUMBER.findall(line))]) for key, line in examples]
    keys = {key for key, _ in shown}
    for line, text in contents.text:
        shape = without_links(CODE_SPAN.sub("some code", text))
        name, *cells = shape.strip().strip("|").split("|")
        if shape.count("|") > 1 and all(map(CELL.fullmatch, cells)):
            first = text.index("|", len(text) - len(text.lstrip()) + 1)
            row = [n for n in numbers_in(text, whole=True) if n.column > first]
            row = [n for n in row if not YEAR.fullmatch(n.written)]
            bound = any(number.said is not None for number in row)
            for is_bound, run in groupby(row, lambda number: number.said is not None):
                numbers = list(run)
                others = keys - {None, name.strip()} if name.strip() in keys else set()
                own = [values for key, values in shown if key not in others]
                written = " | ".join(number.written for number in numbers)
                if not is_bound and len(numbers) == 1 < len(row) and bound:
                    yield line, f"{written} stands alone beside numbers with a comment: {BIND}"
                elif not is_bound and not any(stand_in(numbers, values) for values in own):
                    yield line, f"{written} is in no line of code and of output here: {BIND}"


def stand_in(numbers: Sequence[Number], values: Sequence[Decimal]) -> bool:
    """Say whether numbers stand among some values, one after another."""
    starts = range(len(values) - len(numbers) + 1)
    return any(all(n.stands_in({values[i + k]}) for k, n in enumerate(numbers)) for i in starts)


def without_links(text: str) -> str:
    """Return a line without formulas, comments, addresses and tags, but with its code."""
    return NOT_PROSE.sub(lambda found: found.group() if found["ticks"] else "", text)


def words_in(text: str) -> list[str]:
    """Return the words of some names or some code, without numbers, in small letters.

    What several lines print stands one after another.
    """
    return [word.lower() for word in WORD.findall(text) if word != "print"]


def sizes_of(tensors: list[Any]) -> Iterator[Decimal]:
    """Yield the length of each axis of some tensors."""
    for tensor in tensors:
        while isinstance(tensor, list) and tensor:
            yield Decimal(len(tensor))
            tensor = tensor[0]


Check = Callable[[Contents], Problems]
OF_FENCES: list[Check] = [fences_not_found]
OF_TEXT: list[Check] = [text_that_looks_printed, results_in_html, results_in_comments]
BY_OUTPUTS: list[Check] = [
    quoted_results,
    strange_numbers,
    strange_names,
    strange_numbers_of_drawings,
    strange_tables,
]


def refused(path: str, contents: Contents) -> Iterator[Malformed]:
    """Yield what any of the checks finds in a file."""
    found: list[tuple[type[Malformed], str, list[Check]]] = [
        (Malformed, "", OF_FENCES),
        (Malformed, "text", OF_TEXT),
        (Unbound, "text", BY_OUTPUTS),
    ]
    for example, rule, checks in found:
        for line, problem in chain.from_iterable(check(contents) for check in checks):
            yield example(path, line, problem, rule=rule)


def looks_printed(lines: Iterable[str]) -> bool:
    """Say whether some text looks like a printed tensor, or like a table of numbers."""
    return any(map(PRINTED.search, lines))


def comments_in(code: str) -> Iterator[tuple[int, str]]:
    """Yield each comment of some code, with its line, from 0."""
    if "#" in code:
        # Running it will tell where it is no Python.
        with contextlib.suppress(tokenize.TokenError, SyntaxError):
            for token in tokenize.generate_tokens(io.StringIO(code).readline):
                if token.type == tokenize.COMMENT:
                    yield token.start[0] - 1, token.string


def lines_in_html_comments(lines: Sequence[str], text: Lines) -> set[int]:
    """Return the lines, from 1, that begin inside a comment of HTML.

    Args:
        lines: All lines of a page.
        text: The lines outside its fences: a mark within a fence opens no comment.
    """
    outside = dict(text)
    inside: set[int] = set()
    is_open = False
    for number in range(1, len(lines) + 1):
        if is_open:
            inside.add(number)
        for mark in COMMENT_MARK.findall(CODE_SPAN.sub("", outside.get(number, ""))):
            is_open = mark == "<!--"
    return inside
