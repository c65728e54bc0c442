"""Finds the `>>>` examples in the docstrings of a Python file.

The file is read, not imported: an example has no name that it did not import itself, so that
whoever copies it can run it.
"""

import ast
import doctest
import re
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path

from sybil import Document, Region
from sybil.typing import Parser

from tensor_examples.evaluate import check, failing
from tensor_examples.script import Block, Output, Script, ScriptExample

OPENING = re.compile(r"""[rR]?("{3}|'{3}|"|')""")


class DocstringDocument(Document):
    """The docstrings of a Python file, each with a namespace of its own."""

    @classmethod
    def parse(cls, path: str, *parsers: Parser, encoding: str = "utf-8") -> "DocstringDocument":
        """Read a file and find the examples in its docstrings."""
        document = cls(Path(path).read_text(encoding), path)
        for node in docstrings(ast.parse(document.text, path)):
            for region in examples(document, node):
                document.add(region)
        return document


def docstrings(module: ast.Module) -> Iterator[ast.Expr]:
    """Yield the docstring of a module and of each class and function in it."""
    for node in ast.walk(module):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and ast.get_docstring(node) is not None:
                yield first


def examples(document: Document, docstring: ast.Expr) -> Iterator[Region]:
    """Yield a region for each `>>>` example of a docstring."""
    lines = document.text.splitlines(keepends=True)
    line_starts = list(accumulate(map(len, lines), initial=0))
    # Only white space stands before a docstring, so a column is the same in bytes and letters.
    start = line_starts[docstring.lineno - 1] + docstring.col_offset
    opening = OPENING.match(document.text, start)
    assert opening is not None
    assert docstring.end_lineno is not None
    end = document.text.rindex(opening[1], start, line_starts[docstring.end_lineno])
    written = document.text[opening.end() : end]

    def fail(problem: str) -> Region:
        return failing(document, start, opening.end(), problem)

    try:
        found = doctest.DocTestParser().get_examples(written)
    except ValueError as error:
        yield fail(str(error))
        return
    if found and "\\" in written and not opening[0].startswith(("r", "R")):
        yield fail('a docstring with an example and a backslash must be raw: r"""')
        return

    script = Script(document.path)
    for example in found:
        line = docstring.lineno + example.lineno
        output_line = line + example.source.count("\n")
        output_end = output_line + example.want.count("\n")
        if example.options:
            yield fail("a doctest directive: an example is run as it stands")
            continue
        output = Output(
            example.want,
            output_line,
            line_starts[output_line - 1],
            line_starts[output_end - 1],
        )
        block = Block(
            example.source,
            line,
            output if example.want and not example.exc_msg else None,
            line_starts[output_line - 1],
            " " * example.indent,
            echo=True,
            fenced=False,
            raises=example.exc_msg.strip() if example.exc_msg else None,
        )
        script.blocks.append(block)
        yield Region(
            line_starts[line - 1],
            line_starts[output_line - 1],
            ScriptExample(script, block),
            check,
        )
