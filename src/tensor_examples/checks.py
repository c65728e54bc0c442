"""What looks like a printed result and is none: nobody would compare it.

Each function says what to write instead.
"""

import contextlib
import functools
import io
import re
import tokenize
from collections.abc import Iterable, Iterator, Sequence

DECIMAL = r"[-+]?\d+\.\d*(?:e[-+]?\d+)?"
# A line of a tensor or of a table: numbers alone, in brackets or with spaces between them.
ROW = rf"(?:\[[\s\[]*{DECIMAL}(?:[\s,\]]+(?:{DECIMAL})?)*|{DECIMAL}(?:\s+{DECIMAL})+)\s*$"
SHOWN = r"(?:tensor|array)\(|torch\.Size\(|Out ?\[\d+\]:"
PRINTED = re.compile(rf"\b(?:tensor|array)\(\[|\btorch\.Size\(|^\s*(?:Out ?\[\d+\]:|{ROW})")

CODE_SPAN = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")
# In Markdown, what is indented this far is code, if it is not part of a list or a fold.
INDENTED = re.compile(rf"(?: {{4}}| {{0,3}}\t)[ \t]*(?:{SHOWN}|{ROW})")
HTML_CODE = re.compile(r"<(?:pre|samp|output)\b", re.IGNORECASE)
COMMENT_MARK = re.compile(r"<!--|-->")

# A shape or a tensor anywhere in a comment, a decimal, or a result that is all of it.
RESULT = re.compile(
    r"""
      \b(?:tensor|array|Size)\(  |  \(\d+,[\d,\s]*\)  |  (?<![\w.])\d+\.\d+(?![\w.])
    | ^\#\s* (?:[-=]*>\s*|=+\s*|(?:prints?|gives?|returns?|shape|out(?:put)?)\b:?\s*)?
      (?:\[[^\]]*\d[^\]]*\]|[-+]?\d[\d_]*|True|False|-?inf|nan)\s*$
    """,
    re.VERBOSE | re.IGNORECASE,
)


def looks_printed(lines: Iterable[str]) -> bool:
    """Say whether some text looks like a printed tensor, or like a table of numbers."""
    return any(map(PRINTED.search, lines))


def in_text(line: str) -> str | None:
    """Say what is wrong with a line of text, if it looks like a result."""
    if INDENTED.match(line):
        return "this looks printed, and is compared with nothing: write code and its output"
    if HTML_CODE.search(CODE_SPAN.sub("", line)):
        return "code in HTML is not run: write a fenced block, with a language"
    return None


def in_comments(code: str) -> Iterator[tuple[int, str]]:
    """Yield each line of some code, from 0, on which a comment looks like a result."""
    for line, comment in comments(code):
        if RESULT.search(comment):
            yield line, f"nobody compares a result in a comment, {comment!r}: print it"


@functools.cache
def comments(code: str) -> list[tuple[int, str]]:
    """Return the comments of some code, each with its line, from 0."""
    found = []
    if "#" in code:
        # Running it will tell where it is no Python.
        with contextlib.suppress(tokenize.TokenError, SyntaxError):
            for token in tokenize.generate_tokens(io.StringIO(code).readline):
                if token.type == tokenize.COMMENT:
                    found.append((token.start[0] - 1, token.string))
    return found


def hidden(lines: Sequence[str], fenced: set[int]) -> set[int]:
    """Return the lines, from 1, that begin inside a comment of HTML.

    Args:
        lines: Of a page.
        fenced: The lines, from 1, that are part of a fence: what is there opens no comment.
    """
    inside: set[int] = set()
    is_open = False
    for number, line in enumerate(lines, 1):
        if is_open:
            inside.add(number)
        if number not in fenced:
            for mark in COMMENT_MARK.findall(CODE_SPAN.sub("", line)):
                is_open = mark == "<!--"
    return inside
