"""Finds the `>>>` examples in the docstrings of a Python file.

The file is read, not imported: an example has no name that it did not import itself, so that
whoever copies it can run it.
"""

import doctest
import re
import textwrap
from collections.abc import Iterator

from sybil.document import PythonDocStringDocument

from tensor_examples import checks
from tensor_examples.example import Example, Malformed
from tensor_examples.failures import ExampleFailure
from tensor_examples.markdown import find_fences, problem_with
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
    documented: set[int] = set()
    for start, end, value in docstrings:
        first, last = (text.count("\n", 0, place) + 1 for place in (start, end))
        documented.update(range(first, last + 1))
        is_raw = ascii_text[start:end] == value
        script = Script(path, text, parse_source)
        yield from examples(script, text[start:end], first, last, is_raw)
        yield from beside_examples(script, text[start:end], first)
    for number, line in enumerate(text.split("\n"), 1):
        if number not in documented and PROMPT.search(line):
            problem = "a prompt outside a docstring is not run: move it into one"
            yield Malformed(path, number, problem)


def examples(
    script: Script, docstring: str, first: int, last: int, is_raw: bool
) -> Iterator[Example]:
    """Yield each example of a docstring between two lines; they share a namespace."""
    path = script.path
    try:
        found = doctest.DocTestParser().get_examples(docstring)
    except ValueError as error:
        yield Malformed(path, first, str(error).replace("for <string> ", ""))
        return
    if found and not is_raw:
        problem = 'a docstring with an example and a backslash must be raw: r"""'
        yield Malformed(path, first, problem)
        return
    for example in found:
        block = block_of(example, first + example.lineno)
        if example.options:
            problem = "a doctest directive: an example is run as it stands"
            yield Malformed(path, block.line, problem)
        elif block.end > last:
            problem = "put the closing quotes on a line of their own"
            yield Malformed(path, block.line, problem)
        else:
            script.blocks.append(block)
            yield ScriptExample(path, block.line, script, block)


def beside_examples(script: Script, docstring: str, first: int) -> Iterator[Malformed]:
    """Yield an error for what would be shown as an example, and is not one that runs."""
    lines = docstring.split("\n")
    taken = {line for block in script.blocks for line in range(block.line, block.end + 1)}
    for fence in find_fences(lines):
        number = first + fence.opening - 1
        taken.update(range(number, first + fence.closing))
        if fence.language == "python" or problem_with(fence, None):
            problem = "a fence in a docstring is not run: write the example with prompts, >>>"
            yield Malformed(script.path, number, problem)
    for number, line in enumerate(textwrap.dedent("\n".join(["", *lines[1:]])).split("\n"), first):
        if number not in taken and (found := checks.in_text(line)):
            yield Malformed(script.path, number, found)
    for block in script.blocks:
        for offset, problem in checks.in_comments(block.source):
            yield Malformed(script.path, block.line + offset, problem)


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
