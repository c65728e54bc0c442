"""Finds the `>>>` examples in the docstrings of a Python file.

The file is read, not imported: an example has no name that it did not import itself, so that
whoever copies it can run it.
"""

import ast
import doctest
import re
from collections.abc import Iterator

from tensor_examples.example import Example, Malformed
from tensor_examples.failures import ExampleFailure
from tensor_examples.script import Block, Output, Script, ScriptExample, Style
from tensor_examples.text import line_starts, split_lines

OPENING = re.compile(r"""[rRuU]?("{3}|'{3}|"|')""")
# A prompt at the beginning of a line, of a comment or of a string.
PROMPT = re.compile(r"""(^|\#|["'])[ \t]*>>>[ ]""", re.VERBOSE)
BLANK_LINE = "<BLANKLINE>"  # doctest's word for an empty line of an output


def parse_source(path: str, text: str) -> Iterator[Example]:
    """Yield each example in the docstrings of a file, and each prompt that stands elsewhere."""
    try:
        module = ast.parse(text, path)
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None) or 1
        raise ExampleFailure(path, line, f"is not Python: {error}") from None
    documented: set[int] = set()
    for docstring in docstrings(module):
        assert docstring.end_lineno is not None
        documented.update(range(docstring.lineno, docstring.end_lineno + 1))
        yield from examples(path, text, docstring)
    for number, line in enumerate(split_lines(text), 1):
        if number not in documented and PROMPT.search(line):
            problem = "a prompt outside a docstring is not run: move it into one"
            yield Malformed(path, number, problem)


def docstrings(module: ast.Module) -> list[ast.Expr]:
    """Return the docstring of a module and of each class and function in it."""
    found = []
    for node in ast.walk(module):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and ast.get_docstring(node) is not None:
                found.append(first)
    return sorted(found, key=lambda docstring: docstring.lineno)


def examples(path: str, text: str, docstring: ast.Expr) -> Iterator[Example]:
    """Yield each example of a docstring; they share a namespace."""
    starts = line_starts(text)
    line_start, line_end = starts[docstring.lineno - 1 : docstring.lineno + 1]
    before = text[line_start:line_end].encode()[: docstring.col_offset].decode()
    start = line_start + len(before)
    opening = OPENING.match(text, start)
    assert opening is not None
    assert docstring.end_lineno is not None
    end = text.rindex(opening[1], start, starts[docstring.end_lineno])
    written = text[opening.end() : end]

    try:
        found = doctest.DocTestParser().get_examples(written.replace("\r\n", "\n"))
    except ValueError as error:
        yield Malformed(path, docstring.lineno, str(error).replace("for <string> ", ""))
        return
    if found and "\\" in written and not opening[0].startswith(("r", "R")):
        problem = 'a docstring with an example and a backslash must be raw: r"""'
        yield Malformed(path, docstring.lineno, problem)
        return
    script = Script(path, text, parse_source)
    for example in found:
        line = docstring.lineno + example.lineno
        if example.options:
            yield Malformed(path, line, "a doctest directive: an example is run as it stands")
            continue
        block = block_of(example, line, starts)
        if block.end > end:
            yield Malformed(path, line, "put the closing quotes on a line of their own")
            continue
        script.blocks.append(block)
        yield ScriptExample(script, block)


def block_of(example: doctest.Example, line: int, starts: list[int]) -> Block:
    """Return an example as a block of code with its output."""
    wanted = example.exc_msg or example.want  # the traceback above an exception is not compared
    after = line + example.source.count("\n") + example.want.count("\n")
    first = after - wanted.count("\n")
    end = starts[after - 1]
    return Block(
        example.source,
        line,
        Output(wanted.replace(BLANK_LINE, ""), first, starts[first - 1], end) if wanted else None,
        end,
        Style(" " * example.indent, empty=BLANK_LINE),
        echo=True,
        raises=bool(example.exc_msg),
    )
