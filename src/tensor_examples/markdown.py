"""Finds the examples of a Markdown page: a `python` block, then an `output` block.

    ````markdown
    ```python
    print(1 + 1)
    ```

    ```output
    2
    ```
    ````

Whatever looks like an example either is one or is an error that says what to write instead.
A comment directly above a fence, `<!-- not run: the reason -->`, is the only way out.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest

from sybil import Document, Region
from sybil.parsers.markdown.lexers import FENCE, RawFencedCodeBlockLexer

from tensor_examples import checks, numbers
from tensor_examples.example import Example, Malformed, NotRun
from tensor_examples.prose import prose_of_page
from tensor_examples.script import Block, Output, Script, ScriptExample, Style

ATTRIBUTE = re.compile(r"""[\w-]+\s*=\s*("[^"]*"|'[^']*'|\S+)""")
CAPTION = re.compile(r"""\b(?:caption|titles)=(["'])(?P<text>.*?)\1""")
PYTHON_LIKE = re.compile(r"(i?py(thon|con|tb)?|doctest|repl)[\d.]*([-.]\w+)*", re.IGNORECASE)
OUTPUT_LIKE = {"outputs", "out", "result", "results", "stdout"}
EXAMPLE = {"python", "output"}
PAGES = {"markdown", "md"}  # of a fence that shows how a page is written
PROMPT = re.compile(r"^[ \t>]*(>>>|In \[\d+\]:)")
# A fence that begins a list in a list, or in a quote: Sybil does not look there.
FENCE_IN_LISTS = re.compile(r"^(?:[ \t>]*(?:[-*+]|\d+[.)])[ \t]+)+[ \t>]*(?:~{3}|`{3}(?!.*`))")
OUTSIDE_FENCES = {
    PROMPT: "a prompt outside a docstring: write a python block and an output block",
    FENCE_IN_LISTS: "this fence is not found by the checks: begin it on a line of its own",
}
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


class FenceLexer(RawFencedCodeBlockLexer):
    """Sybil's lexer of fences, with each line of a fence where it stands in its file.

    Sybil's own text of a fence lacks what is indented less than the fence.
    """

    def make_region(
        self, opening: re.Match[str], document: Document, closing: re.Match[str] | None
    ) -> Region:
        """Return the region of a fence, which holds the `Fence` as `parsed`."""
        end = closing.end() if closing else document.end
        first, last = (document.text.count("\n", 0, p) + 1 for p in (opening.start(), end))
        prefix = re.sub(r"[^\s>]", " ", opening["prefix"])  # the sign of a list item comes once
        info, lines, problem = opening["trailing"].strip(), [], None
        if closing is None or closing["prefix"] != prefix:
            problem = "not closed"
        inside = document.text.split("\n")[first : last - 1 if closing else last]
        for number, line in enumerate(inside, first + 1):
            other = FENCE.match(line)
            if other and other["fence"].startswith(opening["fence"]) and other["trailing"].strip():
                problem = f"not closed before line {number}, where another fence opens"
            if line.startswith(prefix):
                line = line[len(prefix) :]
            elif line.strip() == prefix.strip():
                line = ""
            else:
                problem = problem or f"line {number} is indented less than the fence around it"
            lines.append(line)
        fence = Fence(first, last, prefix, opening["fence"], info, lines, problem)
        return Region(opening.start(), end, fence)


def find_fences(lines: Sequence[str]) -> Iterator[Fence]:
    """Yield the fences of a page. One that stands inside another is part of its text."""
    end = 0
    regions = FenceLexer()(Document("\n".join(lines), ""))
    for region in sorted(regions, key=lambda region: region.start):
        if region.start >= end:
            end = region.end
            yield region.parsed


def parse_page(path: str, text: str) -> Iterator[Example]:
    """Yield each example of a page, and each thing that only looks like one."""
    script, lines = Script(path, text, parse_page), text.split("\n")
    fences = list(find_fences(lines))
    yield from examples(script, lines, fences)
    code = "\n".join(line for f in fences if f.language in EXAMPLE for line in f.lines)
    yield from prose_of_page(script, prose_of(lines, fences), code)


def examples(script: Script, lines: Sequence[str], fences: Sequence[Fence]) -> Iterator[Example]:
    """Yield each block of code of a page, with its output, and what only looks like one."""
    path = script.path
    fenced = {line for fence in fences for line in range(fence.opening, fence.closing + 1)}
    hidden = checks.hidden(lines, fenced)
    claimed: Fence | None = None
    reasons_used: set[int] = set()
    for fence, following in zip_longest(fences, fences[1:]):
        has_output = (
            following
            and following.language == "output"
            and not "".join(lines[fence.closing : following.opening - 1]).strip(" \t>")
        )
        output = following if has_output else None
        above = fence.opening - 1
        opted_out = NOT_RUN.fullmatch(lines[above - 1]) if above else None
        if fence.opening in hidden:
            unseen = "code in a comment would run, and no reader sees it: take it out of there"
            yield Malformed(path, fence.opening, unseen)
        elif opted_out and opted_out["reason"]:
            reasons_used.add(above)
            claimed = output
            yield NotRun(path, fence.opening, opted_out["reason"])
        elif problem := problem_with(fence, claimed):
            yield Malformed(path, fence.opening, problem)
        elif fence.language == "python":
            claimed = output
            beside = output or fence  # a new output is written as the fence of the code is
            style = Style(beside.prefix, ("", f"{beside.marks}output"), (beside.marks,))
            source, line = "\n".join(fence.lines), fence.opening + 1
            block = Block(source, line, output_of(output), fence.closing + 1, style)
            script.blocks.append(block)
            yield ScriptExample(path, line, script, block)
            for offset, found in checks.in_comments(source):
                yield Malformed(path, line + offset, found)
    for number in sorted(set(range(1, len(lines) + 1)) - fenced):
        yield from outside_fences(path, number, lines[number - 1], reasons_used)


def problem_with(fence: Fence, claimed: Fence | None) -> str | None:
    """Say what is wrong with a fence, if anything is."""
    language = fence.language
    is_example = language in EXAMPLE
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
    if language.lower() not in PAGES and checks.looks_printed(fence.lines):
        return "this looks like a printed tensor: write a python block and an output block"
    return None


def outside_fences(
    path: str, number: int, line: str, reasons_used: set[int]
) -> Iterator[Malformed]:
    """Yield an error for each thing on a line outside the fences that looks like an example."""
    for pattern, problem in OUTSIDE_FENCES.items():
        if pattern.search(line):
            yield Malformed(path, number, problem)
    if found := checks.in_text(line):
        yield Malformed(path, number, found)
    if NOT_RUN.match(line) and number not in reasons_used:
        problem = "write <!-- not run: the reason --> directly above a fence"
        yield Malformed(path, number, problem)


def prose_of(lines: Sequence[str], fences: Sequence[Fence]) -> str:
    """Return a page with spaces in place of fences, save for captions and what a figure says."""
    prose = list(lines)
    for fence in fences:
        info = lines[fence.opening - 1]
        shown = {n for caption in CAPTION.finditer(info) for n in range(*caption.span("text"))}
        prose[fence.opening - 1] = "".join(c if n in shown else " " for n, c in enumerate(info))
        if fence.language != "figure":
            for number in range(fence.opening, fence.closing):
                prose[number] = " " * len(lines[number])
    return "\n".join(prose)


def without_comments(page: str) -> str:
    """Return a page without the comments that say where the numbers in its prose come from."""
    lines = page.split("\n")
    return numbers.without_comments(prose_of(lines, list(find_fences(lines))), page)


def output_of(fence: Fence | None) -> Output | None:
    """Return the text of an output block and where it is."""
    return Output("\n".join(fence.lines), fence.opening + 1, fence.closing) if fence else None
