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
from functools import cached_property, partial
from itertools import zip_longest

from sybil import Document
from sybil.parsers.markdown.lexers import FENCE, RawFencedCodeBlockLexer

from tensor_examples import conventions, numbers
from tensor_examples.checks import (
    PROMPT,
    Contents,
    Figure,
    lines_in_html_comments,
    looks_printed,
    refused,
)
from tensor_examples.conventions import Dialect, is_marked
from tensor_examples.example import Example, Malformed, NotRun
from tensor_examples.prose import Prose, ProseOfPage, in_order, lines_with_numbers
from tensor_examples.script import Block, Output, Script, ScriptExample, Style
from tensor_examples.sessions import at_prompts, block_of, with_comments

NAMES = re.compile(r"""\b(?:rows|columns|heat|tensors|titles|names|words)=(["'])(?P<text>.*?)\1""")
CAPTION = re.compile(r"""\b(?:caption|titles?|says|texts|choose)=(["'])(?P<text>.*?)\1""")
PYTHON_LIKE = re.compile(r"(i?py(thon|con|tb)?|doctest|repl)[\d.]*([-.]\w+)*", re.IGNORECASE)
OUTPUT_LIKE = {"output", "outputs", "out", "result", "results", "stdout"}
HOUSE = Dialect()  # the marks above
READ_BY_THE_BUILD = {"figure", "toy", "source"}
PAGES = {"markdown", "md"}  # of a fence that shows how a page is written
LEXER = RawFencedCodeBlockLexer(re.compile(""))  # of any language
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
        return conventions.words_of(self.info)

    @property
    def language(self) -> str:
        """The language that it names, or an empty string."""
        return self.words[0] if self.words else ""


def find_fences(lines: Sequence[str]) -> Iterator[Fence]:
    """Yield the fences of a page. One that stands inside another is part of its text."""
    end = 0
    document = Document("\n".join(lines), "")
    for region in sorted(LEXER(document), key=lambda region: region.start):
        if region.start >= end:
            end = region.end
            first, last = (document.text.count("\n", 0, p) + 1 for p in (region.start, end))
            yield fence_between(lines, first, last)


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


def parse_page(path: str, text: str, dialect: Dialect = HOUSE) -> Iterator[Example]:
    """Yield each example of a page, and each thing that only looks like one or like a result."""
    lines = text.split("\n")
    fences = list(find_fences(lines))
    found = list(blocks_of(path, lines, fences, dialect))
    blocks = [block for block in found if isinstance(block, Block)]
    code = "\n".join(line for f in fences if is_example(f, dialect) for line in f.lines)
    prose = list(lines_with_numbers(path, prose_of(lines, fences), code))
    script = Script(path, text, partial(parse_page, dialect=dialect), in_order(blocks, prose))
    for each in found:
        yield ScriptExample(path, each.line, script, each) if isinstance(each, Block) else each
    sources = [(block.line, block.source) for block in blocks]
    outside, beside = text_outside(lines, fences), lines_of_others(fences, dialect)
    named, figures = names_in(fences), list(figures_in(fences))
    yield from refused(path, Contents(sources, outside, beside, code, named, figures))
    for line in prose:
        if isinstance(line, Prose):
            line = ProseOfPage(path, line.line, line.numbers, script)
        yield line


def blocks_of(
    path: str, lines: Sequence[str], fences: Sequence[Fence], dialect: Dialect = HOUSE
) -> Iterator[Block | NotRun | Malformed]:
    """Yield each block of code of a page, with its output, and each fence that is wrong."""
    outside = text_outside(lines, fences)
    hidden = lines_in_html_comments(lines, outside)
    claimed: Fence | None = None
    reasons_used: set[int] = set()
    for fence, following in zip_longest(fences, fences[1:]):
        has_output = (
            following
            and is_output(following, dialect)
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
        elif problem := problem_with(fence, claimed, dialect):
            yield Malformed(path, fence.opening, problem)
        elif is_session(fence, dialect):
            try:
                for example in at_prompts(path, "\n".join(fence.lines)):
                    yield block_of(example, fence.opening + 1 + example.lineno, fence.prefix)
            except ValueError as error:
                yield Malformed(path, fence.opening, str(error))
        elif is_code(fence, dialect):
            claimed = output
            sign = dialect.sign_in(fence.lines)
            if sign and not output:
                code, first = fence.lines, fence.opening + 1
                yield from with_comments(path, code, first, fence.prefix, sign)
            else:
                yield block_of_fence(fence, output, dialect)
    for number, line in outside:
        if NOT_RUN.match(line) and number not in reasons_used:
            problem = "write <!-- not run: the reason --> directly above a fence"
            yield Malformed(path, number, problem)


def block_of_fence(fence: Fence, output: Fence | None, dialect: Dialect) -> Block:
    """Return a fence of code, with its output in another."""
    beside = output or fence  # a new output is written as the fence of the code is
    style = Style(beside.prefix, ("", f"{beside.marks}{dialect.word}"), (beside.marks,))
    source, line = "\n".join(fence.lines), fence.opening + 1
    return Block(source, line, output_of(output), fence.closing + 1, style)


def is_session(fence: Fence, dialect: Dialect) -> bool:
    """Say whether a fence holds a session at the prompt, in a project that has such."""
    return dialect.has_prompts and "\n".join(fence.lines).lstrip().startswith(conventions.PROMPT)


def is_output(fence: Fence, dialect: Dialect) -> bool:
    """Say whether a fence is marked as an output."""
    return any(is_marked(fence.words, mark) for mark in dialect.fences)


def is_code(fence: Fence, dialect: Dialect) -> bool:
    """Say whether a fence holds code that is run. One called `python out` holds what it prints."""
    is_named = any(is_marked(fence.words, mark) for mark in dialect.languages)
    return is_named and not is_output(fence, dialect) and not looks_like_output(fence.words[1:])


def looks_like_output(words: Sequence[str]) -> bool:
    """Say whether one of the words of a fence says that it holds an output."""
    return any(word.lower() in OUTPUT_LIKE for word in words)


def is_example(fence: Fence, dialect: Dialect) -> bool:
    """Say whether a fence holds code that is run, or an output."""
    return any(test(fence, dialect) for test in (is_output, is_code, is_session))


def problem_with(fence: Fence, claimed: Fence | None, dialect: Dialect = HOUSE) -> str | None:
    """Say what is wrong with a fence, if anything is."""
    language = fence.language
    if fence.problem and (is_example(fence, dialect) or fence.problem.startswith("not closed")):
        return f"this fence is wrong: {fence.problem}"
    if is_session(fence, dialect):
        return None
    if language and is_output(fence, dialect) and fence is not claimed:
        return f"this output has no {dialect.code} block directly above it"
    if is_code(fence, dialect) and any(PROMPT.match(line) for line in fence.lines):
        return "write the code without prompts, and what it prints in an output block below"
    if is_example(fence, dialect) or fence is claimed:
        return None
    if looks_like_output(fence.words):
        return f"write ```{dialect.word} instead of ```{fence.info}"
    if any(PYTHON_LIKE.fullmatch(word) for word in fence.words):
        return f"write ```{dialect.code} instead of ```{fence.info}, without prompts"
    if any(PROMPT.match(line) for line in fence.lines):
        return "this has prompts: write a python block and an output block"
    if language.lower() not in PAGES and looks_printed(fence.lines):
        return "this looks like a printed tensor: write a python block and an output block"
    return None


def text_outside(lines: Sequence[str], fences: Sequence[Fence]) -> list[tuple[int, str]]:
    """Return each line that is not part of a fence, with its number, from 1."""
    fenced = {line for fence in fences for line in range(fence.opening, fence.closing + 1)}
    return [(number, line) for number, line in enumerate(lines, 1) if number not in fenced]


def lines_of_others(fences: Sequence[Fence], dialect: Dialect = HOUSE) -> list[tuple[int, str]]:
    """Return each line of the fences that are neither code to run nor part of a figure."""
    others = [
        fence
        for fence in fences
        if not is_example(fence, dialect) and fence.language not in READ_BY_THE_BUILD
    ]
    return [each for fence in others for each in enumerate(fence.lines, fence.opening + 1)]


def names_in(fences: Sequence[Fence]) -> list[tuple[int, str]]:
    """Return the names of each axis, of tensors and of panels, with the line of their fence."""
    shown = [fence for fence in fences if fence.language in {"output", "figure"}]
    return [(each.opening, name["text"]) for each in shown for name in NAMES.finditer(each.info)]


def figures_in(fences: Sequence[Fence]) -> Iterator[Figure]:
    """Yield each figure and heat map, with what it is drawn from and the names of the axes."""
    for fence in fences:
        if fence.language == "figure" or option(fence, "heat"):
            of, is_figure = option(fence, "of").split(), fence.language == "figure"
            outputs = [f for f in fences if option(f, "name") in of] if is_figure else [fence]
            rows = " ".join(option(each, name) for each in outputs for name in ("rows", "heat"))
            columns = [option(each, "columns") for each in outputs]
            drawn = [line for each in outputs for line in each.lines]
            says = "\n".join([option(fence, "caption"), *(fence.lines if is_figure else [])])
            numbers = "\n".join([*drawn, rows, *columns])
            yield Figure(fence.opening, says, option(fence, "row"), rows, numbers)


def option(fence: Fence, name: str) -> str:
    """Return an option of a fence, or an empty string."""
    found = re.search(rf"""\b{name}=(["'])(.*?)\1""", fence.info)
    return found[2] if found else ""


def prose_of(lines: Sequence[str], fences: Sequence[Fence]) -> str:
    """Return a page with spaces in place of fences, save for captions and what a figure says."""
    prose = list(lines)
    for fence in fences:
        info = lines[fence.opening - 1]
        shown = {n for caption in CAPTION.finditer(info) for n in range(*caption.span("text"))}
        prose[fence.opening - 1] = "".join(c if n in shown else " " for n, c in enumerate(info))
        if fence.language not in {"figure", "toy"}:
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
