"""Finds the `>>>` examples in the docstrings of a Python file.

The file is read, not imported: an example has no name that it did not import itself, so that
whoever copies it can run it.
"""

import doctest
import re
import textwrap
from collections.abc import Iterator

from sybil.document import PythonDocStringDocument
from sybil.parsers.abstract.doctest import DocTestStringParser

from tensor_examples.checks import Contents, refused
from tensor_examples.example import Example, Malformed
from tensor_examples.failures import ExampleFailure
from tensor_examples.markdown import find_fences, problem_with, text_outside
from tensor_examples.script import Block, Output, Script, ScriptExample, Style

# A prompt at the beginning of a line, of a comment or of a string.
PROMPT = re.compile(r"""(^|\#|["'])[ \t]*>>>[ ]""", re.VERBOSE)
BLANK_LINE = "<BLANKLINE>"  # doctest's word for an empty line of an output


def parse_source(path: str, text: str) -> Iterator[Example]:
    """Yield each example in the docstrings of a file, and each prompt that stands elsewhere."""
    # Sybil takes the columns of ast for characters; they are bytes.
    ascii_text = re.sub(r"[^\x00-\x7f]", "x", text)
    try:
        docstrings = sorted(PythonDocStringDocument.extract_docstrings(ascii_text))
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None) or 1
        raise ExampleFailure(path, line, f"is not Python: {error}") from None
    except AttributeError:  # Sybil's, at u""" or R"""
        raise ExampleFailure(
            path, 1, 'has a docstring that begins with neither """ nor r"""'
        ) from None
    code: list[tuple[int, str]] = []
    beside: list[tuple[int, str]] = []
    shown: list[str] = []  # the code and the outputs of the examples
    documented: set[int] = set()
    for start, end, value in docstrings:
        first, last = (text.count("\n", 0, place) + 1 for place in (start, end))
        documented.update(range(first, last + 1))
        is_raw = ascii_text[start:end] == value
        found = list(blocks_of(path, text[start:end], first, last, is_raw))
        blocks = tuple(each for each in found if isinstance(each, Block))
        script = Script(path, text, parse_source, blocks)
        for each in found:
            yield ScriptExample(path, each.line, script, each) if isinstance(each, Block) else each
        shown += [f"{b.source}\n{b.output.text if b.output else ''}" for b in blocks]
        code += [(block.line, block.source) for block in blocks]
        taken = {line for block in blocks for line in range(block.line, block.end)}
        beside += [each for each in text_of(text[start:end], first) if each[0] not in taken]
    undocumented = [
        line for number, line in enumerate(text.split("\n"), 1) if number not in documented
    ]
    examples = "\n".join([*undocumented, *shown])
    yield from refused(path, Contents(code, beside, beside, examples))
    for number, line in enumerate(text.split("\n"), 1):
        if number not in documented and PROMPT.search(line):
            problem = "a prompt outside a docstring is not run: move it into one"
            yield Malformed(path, number, problem)


def blocks_of(
    path: str, docstring: str, first: int, last: int, is_raw: bool
) -> Iterator[Block | Malformed]:
    """Yield each example of a docstring between two lines, and each that would not run."""
    try:
        regions = list(DocTestStringParser()(docstring.expandtabs(), path))  # as doctest does
    except ValueError as error:
        yield Malformed(path, first, str(error).replace(f"for {path} ", ""))
        return
    if regions and not is_raw:
        problem = 'a docstring with an example and a backslash must be raw: r"""'
        yield Malformed(path, first, problem)
        return
    for region in regions:
        block = block_of(region.parsed, first + region.parsed.lineno)
        if region.parsed.options:
            problem = "a doctest directive: an example is run as it stands"
            yield Malformed(path, block.line, problem)
        elif block.end > last:
            problem = "put the closing quotes on a line of their own"
            yield Malformed(path, block.line, problem)
        else:
            yield block
    for fence in find_fences(docstring.split("\n")):
        if fence.language == "python" or problem_with(fence, None):
            problem = "a fence in a docstring is not run: write the example with prompts, >>>"
            yield Malformed(path, first + fence.opening - 1, problem)


def text_of(docstring: str, first: int) -> Iterator[tuple[int, str]]:
    """Yield each line of a docstring outside its fences, without the prompts, without its indent.

    doctest has seen the prompts.
    """
    lines = docstring.split("\n")
    dedented = [lines[0].strip(), *textwrap.dedent("\n".join(lines[1:])).split("\n")]
    for number, _ in text_outside(lines, list(find_fences(lines))):
        if not lines[number - 1].lstrip().startswith(">>>"):
            yield first + number - 1, dedented[number - 1]


def block_of(example: doctest.Example, line: int) -> Block:
    """Return an example as a block of code with its output."""
    wanted = example.exc_msg or example.want  # the traceback above an exception is not compared
    end = line + example.source.count("\n") + example.want.count("\n")
    output = Output(wanted.replace(BLANK_LINE, ""), end - wanted.count("\n"), end)
    return Block(
        example.source,
        line,
        output if wanted else None,
        end,
        Style(" " * example.indent, empty=BLANK_LINE),
        echo=True,
        raises=bool(example.exc_msg),
    )
