"""The fenced blocks of a page, and the text outside them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from sybil import Document
from sybil.parsers.markdown.lexers import FENCE, RawFencedCodeBlockLexer

LEXER = RawFencedCodeBlockLexer(re.compile(""))  # of any language
ATTRIBUTE = re.compile(r"""[\w-]+\s*=\s*("[^"]*"|'[^']*'|\S+)""")
OPTION = re.compile(r"""\b(?P<name>[\w-]+)=(["'])(?P<text>.*?)\2""")
WORD = re.compile(r"[\w#][\w+#.-]*")


@dataclass(frozen=True)
class Fence:
    """A fenced block of a page, from its opening line to its closing one."""

    opening: int  # lines, counted from 1
    closing: int
    prefix: str
    marks: str
    info: str
    lines: list[str]  # without the prefix
    problem: str | None

    @cached_property
    def words(self) -> list[str]:
        """The words after the marks, without attributes: the language is the first."""
        return WORD.findall(ATTRIBUTE.sub("", self.info))

    @property
    def language(self) -> str:
        """The language that it names, or an empty string."""
        return self.words[0] if self.words else ""

    @cached_property
    def options(self) -> dict[str, str]:
        """The attributes whose values are in quotes."""
        return {found["name"]: found["text"] for found in OPTION.finditer(self.info)}

    @property
    def numbered(self) -> list[tuple[int, str]]:
        """Its lines, each with its number in the page."""
        return list(enumerate(self.lines, self.opening + 1))


def find_fences(lines: Sequence[str]) -> Iterator[Fence]:
    """Yield the fences of a page. One that stands inside another is part of its text."""
    yield from fences_of("\n".join(lines))


@lru_cache(500)  # the checks of a page ask, and so may what shows the page
def fences_of(text: str) -> tuple[Fence, ...]:
    """Return what `find_fences` yields, which nobody changes."""
    lines, fences, end, last = text.split("\n"), [], 0, 1
    for region in sorted(LEXER(Document(text, "")), key=lambda region: region.start):
        if region.start >= end:
            first = last + text.count("\n", end, region.start)
            end = region.end
            last = first + text.count("\n", region.start, end)
            fences.append(fence_between(lines, first, last))
    return tuple(fences)


def fence_between(lines: Sequence[str], first: int, last: int) -> Fence:
    """Return the fence that Sybil found, with its text as it stands in the file.

    Sybil's own text of a fence lacks what is indented less than the fence.
    """
    opening = FENCE.match(lines[first - 1])
    assert opening is not None
    closing = FENCE.match(lines[last - 1]) if last > first else None
    if closing and not LEXER.match_closes_existing(closing, opening):
        closing = None
    prefix = re.sub(r"[^\s>]", " ", opening["prefix"])  # the sign of a list item comes once
    problem = None if closing and closing["prefix"] == prefix else "not closed"
    text = []
    for number, line in enumerate(lines[first : last - bool(closing)], first + 1):
        other = FENCE.match(line)
        if other and other["fence"].startswith(opening["fence"]) and other["trailing"].strip():
            problem = f"not closed before line {number}, where another fence opens"
        if line.startswith(prefix):
            line = line[len(prefix) :]
        elif line.strip() == prefix.strip():
            line = ""
        else:
            problem = problem or f"line {number} is indented less than the fence around it"
        text.append(line)
    return Fence(first, last, prefix, opening["fence"], opening["trailing"].strip(), text, problem)


def text_outside(lines: Sequence[str], fences: Sequence[Fence]) -> list[tuple[int, str]]:
    """Return each line that is not part of a fence, with its number, from 1."""
    fenced = {line for fence in fences for line in range(fence.opening, fence.closing + 1)}
    return [(number, line) for number, line in enumerate(lines, 1) if number not in fenced]
