"""Finds the examples of a Markdown page: a `python` block, then an `output` block.

    ```python
    print(1 + 1)
    ```

    ```output
    2
    ```

Whatever looks like an example either is one or is an error that says what to write instead.
A comment directly above a fence, `<!-- not run: the reason -->`, is the only way out.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from tensor_examples.example import Example, Malformed, NotRun
from tensor_examples.script import Block, Output, Script, ScriptExample, Style
from tensor_examples.text import line_starts, split_lines

OPENING = re.compile(
    r"""\ufeff?
    (?P<prefix> [ \t>]* (?: (?:[-*+]|\d+[.)]) [ \t]+ )* )   # in a tab, a quote, a list
    (?P<marks> ~{3,} | `{3,}(?!.*`) )
    (?P<info> .* )
    """,
    re.VERBOSE,
)
ATTRIBUTE = re.compile(r"""[\w-]+\s*=\s*("[^"]*"|'[^']*'|\S+)""")
PYTHON_LIKE = re.compile(r"(i?py(thon|con|tb)?|doctest|repl)[\d.]*([-.]\w+)*", re.IGNORECASE)
OUTPUT_LIKE = {"outputs", "out", "result", "results", "stdout"}
NO_LANGUAGE = {"", "console", "none", "plain", "plaintext", "text", "txt"}
PROMPT = re.compile(r"[ \t>]*(>>>|In \[\d+\]:)")
PRINTED = re.compile(r"\b(tensor|array)\(\[|\btorch\.Size\(")
HTML_CODE = re.compile(r"(?<!`)<pre\b")
NOT_RUN = re.compile(r"[ \t>]*<!--\s*not run\b:?\s*(?P<reason>.*?)\s*-->\s*")


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
        return re.findall(r"[\w#][\w+#.-]*", ATTRIBUTE.sub("", self.info))

    @property
    def language(self) -> str:
        """The language that it names, or an empty string."""
        return self.words[0] if self.words else ""


def parse_page(path: str, text: str) -> Iterator[Example]:
    """Yield each example of a page, and each thing that only looks like one."""
    lines, starts = split_lines(text), line_starts(text)
    fences = list(find_fences(lines))
    script = Script(path, text, parse_page)
    claimed: Fence | None = None
    reasons_used: set[int] = set()
    for fence, following in pairwise([*fences, None]):
        assert fence is not None  # only the last one may be missing, and it comes second
        comment, reason = reason_above(fence, lines)
        has_output = (
            following
            and following.language == "output"
            and not "".join(lines[fence.closing : following.opening - 1]).strip(" \t>")
        )
        output = following if has_output else None
        if reason:
            reasons_used.add(comment)
            claimed = output
            yield NotRun(path, fence.opening, reason)
        elif problem := problem_with(fence, claimed):
            yield Malformed(path, fence.opening, problem)
        elif fence.language == "python":
            claimed = output
            block = Block(
                "\n".join(fence.lines),
                fence.opening + 1,
                output_of(output, starts) if output else None,
                starts[fence.closing],
                style_of(output or fence),
            )
            script.blocks.append(block)
            yield ScriptExample(script, block)
    yield from outside_fences(path, lines, fences, reasons_used)


def find_fences(lines: Sequence[str]) -> Iterator[Fence]:
    """Yield the fences of a page. One that stands inside another is part of its text."""
    number = 0
    while number < len(lines):
        number += 1
        if opening := OPENING.fullmatch(lines[number - 1]):
            fence = read_fence(lines, number, opening)
            yield fence
            number = fence.closing


def read_fence(lines: Sequence[str], first: int, opening: re.Match[str]) -> Fence:
    """Read a fence from its opening line on."""
    marks, info = opening["marks"], opening["info"].strip()
    prefix = re.sub(r"[^\s>]", " ", opening["prefix"])  # the sign of a list item comes once
    closing = re.compile(re.escape(marks) + marks[0] + r"*[ \t]*")
    content: list[str] = []
    problem = None
    for number, line in enumerate(lines[first:], first + 1):
        inner = without_prefix(line, prefix)
        if inner is None:
            problem = problem or f"line {number} is indented less than the fence around it"
            inner = line
        elif closing.fullmatch(inner):
            return Fence(first, number, prefix, marks, info, content, problem)
        other = OPENING.fullmatch(line)
        if other and other["marks"].startswith(marks) and other["info"].strip():
            problem = problem or f"not closed before line {number}, where another fence opens"
        content.append(inner)
    return Fence(first, len(lines), prefix, marks, info, content, problem or "not closed")


def without_prefix(line: str, prefix: str) -> str | None:
    """Return a line of a fence without the indent of the fence, or None where it has less."""
    if line.startswith(prefix):
        return line[len(prefix) :]
    if line.startswith(prefix.rstrip()) and prefix.rstrip().endswith(">"):
        return line[len(prefix.rstrip()) :]
    return None if line.strip() else ""


def problem_with(fence: Fence, claimed: Fence | None) -> str | None:
    """Say what is wrong with a fence, if anything is."""
    language = fence.language
    is_example = language in ("python", "output")
    if fence.problem and (is_example or fence.problem.startswith("not closed")):
        return f"this fence is wrong: {fence.problem}"
    if language == "output" and fence is not claimed:
        return "this output has no python block directly above it"
    if language == "python" and any(PROMPT.match(line) for line in fence.lines):
        return "write the code without prompts, and what it prints in an output block below"
    if is_example:
        return None
    if any(PYTHON_LIKE.fullmatch(word) for word in fence.words):
        return f"write ```python instead of ```{fence.info}, and the code without prompts"
    if language.lower() in OUTPUT_LIKE or language.lower() == "output":
        return f"write ```output instead of ```{fence.info}"
    if any(PROMPT.match(line) for line in fence.lines):
        return "this has prompts: write a python block and an output block"
    if language in NO_LANGUAGE and any(PRINTED.search(line) for line in fence.lines):
        return "this looks like a printed tensor: write a python block and an output block"
    return None


def outside_fences(
    path: str, lines: Sequence[str], fences: Sequence[Fence], reasons_used: set[int]
) -> Iterator[Malformed]:
    """Yield an error for each thing outside the fences that looks like an example."""
    fenced = {line for fence in fences for line in range(fence.opening, fence.closing + 1)}
    for number, line in enumerate(lines, 1):
        if number in fenced:
            continue
        if PROMPT.match(line):
            problem = "a prompt outside a docstring: write a python block and an output block"
            yield Malformed(path, number, problem)
        if HTML_CODE.search(line):
            problem = "code in HTML is not run: write a fenced block, with a language"
            yield Malformed(path, number, problem)
        if NOT_RUN.match(line) and number not in reasons_used:
            problem = "write <!-- not run: the reason --> directly above a fence"
            yield Malformed(path, number, problem)


def reason_above(fence: Fence, lines: Sequence[str]) -> tuple[int, str]:
    """Return the line of the comment that opts a fence out, and the reason that it gives."""
    above = fence.opening - 1
    comment = NOT_RUN.fullmatch(lines[above - 1]) if above else None
    return above, comment["reason"] if comment else ""


def output_of(fence: Fence, starts: Sequence[int]) -> Output:
    """Return the text of an output block and where it is."""
    first = fence.opening + 1
    return Output("\n".join(fence.lines), first, starts[first - 1], starts[fence.closing - 1])


def style_of(fence: Fence) -> Style:
    """Return how to write an output into a fence, or into a new one below a fence of code."""
    return Style(fence.prefix, before=("", f"{fence.marks}output"), after=(fence.marks,))
