"""Checks of all that nobody compares: a text that looks like a result is none, and is refused.

A new check is a function from the `Contents` of a file to its problems, and a name in `CHECKS`.
Pages, docstrings and notebooks all run that list. A problem says what to write instead.
"""

import contextlib
import io
import re
import tokenize
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from tensor_examples.example import Malformed
from tensor_examples.numbers import NOT_PROSE, numbers_in, printed_in

DECIMAL = r"[-+]?\d+\.\d*(?:e[-+]?\d+)?"
# A line of a tensor or of a table: numbers alone, in brackets or with spaces between them.
ROW = rf"(?:\[[\s\[]*{DECIMAL}(?:[\s,\]]+(?:{DECIMAL})?)*|{DECIMAL}(?:\s+{DECIMAL})+)\s*$"
SHOWN = r"(?:tensor|array)\(|torch\.Size\(|Out ?\[\d+\]:"
PRINTED = re.compile(rf"\b(?:tensor|array)\(\[|\btorch\.Size\(|^\s*(?:Out ?\[\d+\]:|{ROW})")

CODE_SPAN = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")
# In Markdown, what is indented this far is code, if it is not part of a list or a fold.
INDENTED = re.compile(rf"^(?: {{4}}| {{0,3}}\t)[ \t]*(?:{SHOWN}|{ROW})")
HTML_CODE = re.compile(r"<(?:pre|samp|output)\b", re.IGNORECASE)
COMMENT_MARK = re.compile(r"<!--|-->")

# What a sentence quotes as a result: a tensor, a size, a list; as code, a decimal or a shape, too.
LIST = r"(?<![\w\]])\[+[-\d.]+(?:[\s,\[\]]+[-\d.]+)+\]+"
QUOTED = re.compile(
    rf"\b(?:tensor|array|torch\.Size)\([^()`|]*\d[^()`|]*\)|{LIST}"
    r"|(?<=`)[-+]?\d+\.\d+(?=`)|(?<=`)\(\d+(?:, ?\d+)*,?\)(?=`)"
)
BRACKETS = str.maketrans("()", "[]", " \n")  # of a size, as a tuple or as torch prints it
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
FOLD_IN_LINE = re.compile(r"^[ \t]*[^\s>`].*[^`\w](?:!!!|\?{3}\+?) [a-z]+(?: \"|$)")
# A fence that begins a list in a list, or in a quote: Sybil does not look there.
FENCE_IN_LISTS = re.compile(r"^(?:[ \t>]*(?:[-*+]|\d+[.)])[ \t]+)+[ \t>]*(?:~{3}|`{3}(?!.*`))")
REFUSED_IN_TEXT = {
    INDENTED: "this looks printed, and is compared with nothing: write code and its output",
    PROMPT: "a prompt outside a docstring: write a python block and an output block",
    FOLD_IN_LINE: "this fold is shown as text: begin it on a line of its own",
    FENCE_IN_LISTS: "this fence is not found by the checks: begin it on a line of its own",
}

Lines = Sequence[tuple[int, str]]  # some text and the line of the file that it begins on
Problems = Iterator[tuple[int, str]]  # a line of the file, and what to write there instead


@dataclass(frozen=True)
class Contents:
    """The parts of a file that are not compared, whatever the kind of file."""

    code: Lines  # whole blocks and cells
    text: Lines  # single lines, without those of examples and of fences
    others: Lines = ()  # single lines of fences that are no examples, or of a docstring
    examples: str = ""  # the code and the outputs of the file


def text_that_looks_printed(contents: Contents) -> Problems:
    """Yield each line of text that looks like code with prompts, or like its output."""
    for line, text in contents.text:
        for pattern, problem in REFUSED_IN_TEXT.items():
            if pattern.search(text):
                yield line, problem


def code_in_html(contents: Contents) -> Problems:
    """Yield each line of text with an element of HTML that shows code or an output."""
    for line, text in contents.text:
        if HTML_CODE.search(CODE_SPAN.sub("", text)):
            yield line, "code in HTML is not run: write a fenced block, with a language"


def results_in_comments(contents: Contents) -> Problems:
    """Yield each line of code on which a comment looks like a result."""
    for first, code in contents.code:
        for offset, comment in comments_in(code):
            if RESULT.search(comment) or any("." in n.digits for n in numbers_in(comment)):
                problem = f"nobody compares a result in a comment, {comment!r}: print it"
                yield first + offset, problem


def quoted_results(contents: Contents) -> Problems:
    """Yield each line that quotes a result which no code and no output has."""
    there = contents.examples.translate(BRACKETS)  # of a whole page: once, and not for each line
    for line, text in dict.fromkeys([*contents.text, *contents.others]):
        for quoted in not_quoted_from(there, without_links(text)):
            yield line, f"{quoted} is in no output and no code of this page: print it"


def strange_numbers(contents: Contents) -> Problems:
    """Yield each line of a setting, a command or a docstring with a number that no example has."""
    known = printed_in(contents.examples)
    for line, text in contents.others:
        for number in numbers_in(text):
            if number.said is None and not number.stands_in(known):
                yield line, f"{number.written} is in no output and no code of this page: print it"


def not_quoted_from(there: str, text: str) -> list[str]:
    """Return the results that a line quotes and that stand in no code and no output."""
    # A line of a matrix may have the brackets that end it.
    return [
        quoted
        for quoted in QUOTED.findall(text)
        if quoted.translate(BRACKETS).strip("[]") not in there
    ]


def without_links(text: str) -> str:
    """Return a line without formulas, comments, addresses and tags, but with its code."""
    return NOT_PROSE.sub(lambda found: found.group() if found["ticks"] else "", text)


CHECKS: list[Callable[[Contents], Problems]] = [
    text_that_looks_printed,
    code_in_html,
    results_in_comments,
    quoted_results,
    strange_numbers,
]


def refused(path: str, contents: Contents) -> Iterator[Malformed]:
    """Yield what any of the checks finds in a file."""
    for check in CHECKS:
        for line, problem in check(contents):
            yield Malformed(path, line, problem, kind="text")


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
