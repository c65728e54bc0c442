"""Finds the examples of a Markdown page: a `python` block, then an `output` block.

    ```python
    print(1 + 1)
    ```

    ```output
    2
    ```

Whatever looks like an example either is one or is an error that says what to write instead.
"""

import re
from collections.abc import Iterable
from itertools import pairwise

from sybil import Document, Region
from sybil.parsers.abstract.lexers import strip_prefix
from sybil.parsers.markdown.lexers import FENCE, RawFencedCodeBlockLexer

from tensor_examples.evaluate import check, failing
from tensor_examples.script import Block, Output, Script, ScriptExample

# The language is the first word of the info string, in either way of writing attributes:
# ```python title="x"   or   ``` { .python title="x" }
LANGUAGE = re.compile(r"\s*\{?\s*\.?(?P<language>[\w+#-]*)")
ALIASES = {"py", "py3", "python3", "pycon", "pytb", "ipython", "ipython3", "ipy", "python-console"}
PROMPT = re.compile(r"^[ \t>]*>>> ", re.MULTILINE)
any_fence = RawFencedCodeBlockLexer(re.compile(r"(?P<info>[^\n]*)\n"))


def parse_page(document: Document) -> Iterable[Region]:
    """Yield a region for each example of a page, and for each thing that only looks like one."""
    script = Script(document.path)
    fences = outermost(any_fence(document))
    claimed: set[int] = set()
    for fence, following in pairwise([*fences, None]):
        assert fence is not None  # only the last one may be missing, and it comes second
        language = language_of(fence)
        if not closed(document, fence):
            yield failing(document, fence.start, fence.end, "this fence is not closed")
        elif language == "python":
            output = following if following and belongs_to(document, fence, following) else None
            if output:
                claimed.add(output.start)
            block = Block(
                str(fence.lexemes["source"]),
                line_of(document, fence.start) + 1,
                output_of(document, output) if output else None,
                fence.end,
                opening_of(document, fence)["prefix"],
            )
            script.blocks.append(block)
            end = output.end if output else fence.end
            yield Region(fence.start, end, ScriptExample(script, block), check)
        elif problem := problem_with(document, fence, language, fence.start in claimed):
            yield failing(document, fence.start, fence.end, problem)
    yield from prompts_in_prose(document, fences)


def problem_with(document: Document, fence: Region, language: str, claimed: bool) -> str | None:
    """Say what is wrong with a fence that is not a block of Python, if anything is."""
    if language == "output" and not claimed:
        return "this output block has no python block directly above it"
    if language.lower() in ALIASES or language.lower() == "python":
        return f"write ```python instead of ```{language}, and the code without prompts"
    if language != "output" and PROMPT.search(fence.lexemes["source"]):
        return "this block has >>> prompts: write it as a python block and an output block"
    return None


def prompts_in_prose(document: Document, fences: list[Region]) -> Iterable[Region]:
    """Yield an error for each `>>>` that stands in no fence: it would not be run."""
    for match in PROMPT.finditer(document.text):
        if not any(fence.start <= match.start() < fence.end for fence in fences):
            problem = "a >>> prompt outside a docstring: write a python block and an output block"
            yield failing(document, match.start(), match.end(), problem)


def outermost(fences: Iterable[Region]) -> list[Region]:
    """Leave out fences inside fences: there they are the text of an example of Markdown."""
    kept: list[Region] = []
    for fence in sorted(fences, key=lambda fence: fence.start):
        if not kept or fence.start >= kept[-1].end:
            kept.append(fence)
    return kept


def closed(document: Document, fence: Region) -> bool:
    """Say whether a fence ends with a closing one, and not with the end of the file."""
    last_line = document.text[fence.start : fence.end].rpartition("\n")[2]
    match = FENCE.match(last_line)
    return match is not None and not match["trailing"].strip()


def language_of(fence: Region) -> str:
    """Return the language that a fence names, or an empty string."""
    match = LANGUAGE.match(fence.lexemes["info"])
    assert match is not None  # every part of the pattern may be empty
    return match["language"]


def belongs_to(document: Document, code: Region, following: Region) -> bool:
    """Say whether a fence is the output of the one above: nothing but empty lines between."""
    between = document.text[code.end : following.start]
    return language_of(following) == "output" and not between.strip(" \t\r\n>")


def output_of(document: Document, fence: Region) -> Output:
    """Return the text of an output block and where it is."""
    source = fence.lexemes["source"]
    start = fence.start + source.offset
    closing = document.text.rfind("\n", start - 1, fence.end) + 1
    text = strip_prefix(document.text[start:closing], opening_of(document, fence)["prefix"])
    return Output(text, line_of(document, start), start, closing)


def opening_of(document: Document, fence: Region) -> re.Match[str]:
    """Return the line that opens a fence, taken apart."""
    opening = FENCE.match(document.text, fence.start)
    assert opening is not None  # the lexer found this fence with the same pattern
    return opening


def line_of(document: Document, offset: int) -> int:
    """Return the line, counted from one, on which an offset of the text lies."""
    return document.text.count("\n", 0, offset) + 1
