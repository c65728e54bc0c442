"""Examples whose outputs stand among their code: at the prompt of a session, or in comments."""

import doctest
from collections.abc import Iterator, Sequence

from sybil.parsers.abstract.doctest import DocTestStringParser

from tensor_examples.example import Malformed
from tensor_examples.script import CodeBlock, Output, Style

BLANK_LINE = "<BLANKLINE>"  # doctest's word for an empty line of an output
# What doctest forgives by a directive or a setting, with the three flags that pytest adds.
FORGIVEN = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE | doctest.IGNORE_EXCEPTION_DETAIL
FORGIVEN |= sum(map(doctest.register_optionflag, ("NUMBER", "ALLOW_UNICODE", "ALLOW_BYTES")))


def at_prompts(path: str, text: str) -> list[doctest.Example]:
    """Return the examples of a session, or raise a ValueError where an indent changes."""
    return [region.parsed for region in DocTestStringParser()(text, path)]


def block_of(example: doctest.Example, line: int, prefix: str = "") -> CodeBlock:
    """Return an example of a session as a block of code with its output."""
    wanted = example.exc_msg or example.want  # the traceback above an exception is not compared
    end = line + example.source.count("\n") + example.want.count("\n")
    output = Output(wanted.replace(BLANK_LINE, ""), end - wanted.count("\n"), end)
    return CodeBlock(
        example.source,
        line,
        output if wanted else None,
        end,
        Style(prefix + " " * example.indent, empty=BLANK_LINE),
        echo=True,
        raises=bool(example.exc_msg),
        forgives=sum(flag for flag, is_on in example.options.items() if is_on),
    )


def with_comments(
    path: str, lines: Sequence[str], first: int, prefix: str, sign: str
) -> Iterator[CodeBlock | Malformed]:
    """Yield the blocks of some code in which comments at the margin hold the outputs.

    Args:
        path: Of the file.
        lines: The code.
        first: The line of the file on which it begins.
        prefix: What each line of the file has before the code.
        sign: What such a comment begins with, for example `#>`.
    """
    style = Style(f"{prefix}{sign} ")
    for number, line in enumerate(lines, first):
        if line.lstrip().startswith(sign) and not line.startswith(sign):
            problem = f"{sign} within a statement is compared with nothing: write it at the margin"
            yield Malformed(path, number, problem, kind="differs")
    start = 0
    while start < len(lines):
        end = start
        while end < len(lines) and not lines[end].startswith(sign):
            end += 1
        last = end
        while last < len(lines) and lines[last].startswith(sign):
            last += 1
        text = "\n".join(line.removeprefix(sign).removeprefix(" ") for line in lines[end:last])
        output = Output(text, first + end, first + last) if last > end else None
        yield CodeBlock("\n".join(lines[start:end]), first + start, output, first + end, style)
        start = last
