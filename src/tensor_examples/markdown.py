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
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import zip_longest

from tensor_examples import numbers
from tensor_examples.asides import in_order, run_in
from tensor_examples.checks import PROMPT, Contents, lines_in_html_comments, looks_printed, refused
from tensor_examples.conventions import DEFAULT, Dialect
from tensor_examples.equations import CARD, formulas_in
from tensor_examples.example import Example, Malformed, NotRun
from tensor_examples.fences import OPTION, Fence, find_fences, text_outside
from tensor_examples.guesses import answers_of, guesses_in
from tensor_examples.prose import lines_with_numbers
from tensor_examples.script import CodeBlock, Output, Script, ScriptExample, Style

CODE, OUTPUT = "python", "output"
PYTHON_LIKE = re.compile(r"(i?py(thon|con|tb)?|doctest|repl)[\d.]*([-.]\w+)*", re.IGNORECASE)
OUTPUT_LIKE = {"output", "outputs", "out", "result", "results", "stdout"}
PAGES = {"markdown", "md"}  # of a fence that shows how a page is written
NOT_RUN = re.compile(r"[ \t>]*<!--\s*not run\b:?\s*(?P<reason>.*?)\s*-->\s*")


def parse_page(path: str, text: str, dialect: Dialect = DEFAULT) -> Iterator[Example]:
    """Yield each example of a page, and each thing that only looks like one or like a result."""
    lines = text.split("\n")
    fences = list(find_fences(lines))
    found = list(page_blocks(path, lines, fences))
    blocks = [block for block in found if isinstance(block, CodeBlock)]
    code = "\n".join(
        line
        for fence in fences
        if is_example(fence) and fence.language != CARD
        for line in fence.lines
    )
    sources = [(block.line, block.source) for block in blocks]
    beside: list[Example] = [
        *lines_with_numbers(path, prose_of(lines, fences, dialect), code, lines),
        *guesses_in(path, lines, fences, dialect),
        *formulas_in(path, lines, fences, sources, dialect),
    ]
    parse = partial(parse_page, dialect=dialect)
    script = Script(path, text, parse, in_order(blocks, beside))
    for each in found:
        yield ScriptExample(path, each.line, script, each) if isinstance(each, CodeBlock) else each
    outside, others = text_outside(lines, fences), lines_of_others(fences, dialect)
    named, drawings = option_names(fences, dialect), list(dialect.drawings(fences))
    quotes = [*outside, *others, *lines_of_sentences(fences, dialect)]
    yield from refused(path, Contents(sources, outside, others, quotes, code, named, drawings))
    yield from run_in(script, beside)


def page_blocks(
    path: str, lines: Sequence[str], fences: Sequence[Fence]
) -> Iterator[CodeBlock | NotRun | Malformed]:
    """Yield each block of code of a page, with its output, and each fence that is wrong."""
    outside = text_outside(lines, fences)
    hidden = lines_in_html_comments(lines, outside)
    claimed: Fence | None = None
    reasons_used: set[int] = set()
    for fence, following in zip_longest(fences, fences[1:]):
        has_output = (
            following
            and following.language == OUTPUT
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
        elif problem := problem_with_fence(fence, claimed):
            yield Malformed(path, fence.opening, problem)
        elif is_code(fence):
            claimed = output
            yield block_of_fence(fence, output)
    for number, line in outside:
        if NOT_RUN.match(line) and number not in reasons_used:
            problem = "write <!-- not run: the reason --> directly above a fence"
            yield Malformed(path, number, problem)


def block_of_fence(fence: Fence, output: Fence | None) -> CodeBlock:
    """Return a fence of code, with its output in another."""
    beside = output or fence  # a new output is written as the fence of the code is
    style = Style(beside.prefix, ("", f"{beside.marks}{OUTPUT}"), (beside.marks,))
    written = None
    if output:
        written = Output("\n".join(output.lines), output.opening + 1, output.closing)
    return CodeBlock("\n".join(fence.lines), fence.opening + 1, written, fence.closing + 1, style)


def is_code(fence: Fence) -> bool:
    """Say whether a fence holds code that is run. One called `python out` holds what it prints."""
    return fence.language == CODE and not looks_like_output(fence.words[1:])


def looks_like_output(words: Sequence[str]) -> bool:
    """Say whether one of the words of a fence says that it holds an output."""
    return any(word.lower() in OUTPUT_LIKE for word in words)


def is_example(fence: Fence) -> bool:
    """Say whether a fence holds code that is run, or an output, or the tensors of a formula."""
    return fence.language in (OUTPUT, CARD) or is_code(fence)


def problem_with_fence(fence: Fence, claimed: Fence | None) -> str | None:
    """Say what is wrong with a fence, if anything is."""
    if fence.problem and (is_example(fence) or fence.problem.startswith("not closed")):
        return f"this fence is wrong: {fence.problem}"
    if fence.language == OUTPUT and fence is not claimed:
        return f"this output has no {CODE} block directly above it"
    if is_code(fence) and any(PROMPT.match(line) for line in fence.lines):
        return "write the code without prompts, and what it prints in an output block below"
    if is_example(fence):
        return None
    if looks_like_output(fence.words):
        return f"write ```{OUTPUT} instead of ```{fence.info}"
    if any(PYTHON_LIKE.fullmatch(word) for word in fence.words):
        return f"write ```{CODE} instead of ```{fence.info}, without prompts"
    if any(PROMPT.match(line) for line in fence.lines):
        return "this has prompts: write a python block and an output block"
    if fence.language.lower() not in PAGES and looks_printed(fence.lines):
        return "this looks like a printed tensor: write a python block and an output block"
    return None


def lines_of_others(fences: Sequence[Fence], dialect: Dialect = DEFAULT) -> list[tuple[int, str]]:
    """Return each line of the fences that are neither examples nor sentences."""
    others = [f for f in fences if not is_example(f) and f.language not in dialect.sentences]
    return [each for fence in others for each in fence.numbered]


def lines_of_sentences(fences: Sequence[Fence], dialect: Dialect) -> list[tuple[int, str]]:
    """Return each line of the fences that hold sentences, but for the answers to a question."""
    said = [fence for fence in fences if fence.language in dialect.sentences]
    answers = {answer.line for fence in said for answer in answers_of(fence)}
    return [each for fence in said for each in fence.numbered if each[0] not in answers]


def option_names(fences: Sequence[Fence], dialect: Dialect) -> list[tuple[int, str]]:
    """Return the names that fences give to what they show, with the line of each fence."""
    return [
        (fence.opening, text)
        for fence in fences
        for name, text in fence.options.items()
        if name in dialect.names
    ]


def prose_of(lines: Sequence[str], fences: Sequence[Fence], dialect: Dialect = DEFAULT) -> str:
    """Return a page with spaces in place of fences, save for their captions and sentences."""
    prose = list(lines)
    for fence in fences:
        info = lines[fence.opening - 1]
        captions = [found for found in OPTION.finditer(info) if found["name"] in dialect.captions]
        shown = {n for caption in captions for n in range(*caption.span("text"))}
        prose[fence.opening - 1] = "".join(c if n in shown else " " for n, c in enumerate(info))
        told: Iterable[int] = range(fence.opening, fence.closing)
        if fence.language in dialect.questions:
            told = [answer.line - 1 for answer in answers_of(fence)]  # a wrong one is no result
        elif fence.language in dialect.prose:
            continue
        for number in told:
            prose[number] = " " * len(lines[number])
    return "\n".join(prose)


def without_comments(page: str, dialect: Dialect = DEFAULT) -> str:
    """Return a page without the comments that say where the numbers in its prose come from."""
    if "<!--" not in page:  # most docstrings
        return page
    lines = page.split("\n")
    prose = prose_of(lines, list(find_fences(lines)), dialect)
    return numbers.without_source_comments(prose, page)
