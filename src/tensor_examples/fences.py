"""The fenced blocks of a page, and the text outside them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from sybil import Document
from sybil.parsers.markdown.lexers import FENCE, RawFencedCodeBlockLexer
from sybil.parsers.myst.lexers import INFO_PATTERN

LEXER = RawFencedCodeBlockLexer(re.compile(""))  # of any language
ATTRIBUTE = re.compile(r"""[\w-]+\s*=\s*("[^"]*"|'[^']*'|\S+)""")
OPTION = re.compile(r"""\b(?P<name>[\w-]+)=(["'])(?P<text>.*?)\2""")
# A directive of MyST, its options, and what these say of its code; Quarto says it in comments.
DIRECTIVE = r"code-block|code|sourcecode|code-cell"
DIRECTIVE_OPTIONS = re.compile(
    INFO_PATTERN.format(directive=DIRECTIVE, arguments=".*"), re.MULTILINE
)
COMMENTED_OPTIONS = re.compile(r"\{[^\n]*\n(?:#\|[^\n]*\n)*")
NOT_RUN = re.compile(r"\bskip-execution\b|\beval *[:=] *false\b", re.IGNORECASE)
RAISES = re.compile(r"\braises-exception\b|\berror *[:=] *true\b", re.IGNORECASE)
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
    settings: str = ""  # of a cell, or of a directive

    @property
    def is_cell(self) -> bool:
        """Whether it is a cell of a notebook, in the form of MyST or Quarto."""
        return self.info.startswith(("{code-cell}", "{python"))

    @property
    def is_left_out(self) -> bool:
        """Whether its settings say that it is not run."""
        return bool(NOT_RUN.search(self.settings))

    @property
    def may_raise(self) -> bool:
        """Whether its settings say that it raises an exception."""
        return bool(RAISES.search(self.settings))

    @cached_property
    def words(self) -> list[str]:
        """The words after the marks, without attributes: the language is the first."""
        return info_words(self.info)

    @property
    def language(self) -> str:
        """The language that it names, or an empty string."""
        return self.words[0] if self.words else ""

    @cached_property
    def options(self) -> dict[str, str]:
        """The attributes whose values are in quotes."""
        return {found["name"]: found["text"] for found in OPTION.finditer(self.info)}


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
    info, settings = opening["trailing"].strip(), ""
    whole = "\n".join([info, *text, ""])
    if found := DIRECTIVE_OPTIONS.match(whole) or COMMENTED_OPTIONS.match(whole):
        settings = found[0]
        count = settings.count("\n") - 1
        text[:count] = [""] * count  # so that each line of code keeps its number
    return Fence(first, last, prefix, opening["fence"], info, text, problem, settings)


def info_words(info: str) -> list[str]:
    """Return the words behind the marks of a fence, without attributes.

    A directive of MyST counts as its language, and a cell is Python where it names none.
    """
    directive = re.match(rf"\{{({DIRECTIVE})\}}", info)
    words = WORD.findall(ATTRIBUTE.sub("", info[directive.end() :] if directive else info))
    if directive and directive[1] == "code-cell" and words[:1] in ([], ["ipython3"], ["ipython"]):
        return ["python"]
    return words


def text_outside(lines: Sequence[str], fences: Sequence[Fence]) -> list[tuple[int, str]]:
    """Return each line that is not part of a fence, with its number, from 1."""
    fenced = {line for fence in fences for line in range(fence.opening, fence.closing + 1)}
    return [(number, line) for number, line in enumerate(lines, 1) if number not in fenced]
