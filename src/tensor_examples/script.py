"""Runs blocks of code one after the other in one namespace, as a reader would."""

import ast
import contextlib
import io
import os
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from types import CodeType
from typing import Any

from tensor_examples.compare import difference


class ExampleFailure(AssertionError):
    """An example is not as it should be; says where, and what to do about it."""

    def __init__(self, path: str, place: int | str, problem: str) -> None:
        super().__init__(f"{os.path.relpath(path)}:{place}: {problem}")


@dataclass(frozen=True)
class Output:
    """What is written below a block of code as its output, and where in the file it is."""

    text: str
    line: int  # of its first line
    start: int  # offsets of the text in the file, for a refresh
    end: int
    prefix: str = ""  # what each line begins with: an indent, a quotation mark


@dataclass(frozen=True)
class Block:
    """A piece of code, the line of the file that it begins on, and its output."""

    source: str
    line: int
    output: Output | None
    echo: bool = False  # echo the value of an expression, as the interactive prompt does
    raises: str | None = None  # the last line of the traceback that is written as its output


@dataclass
class Script:
    """The blocks of a page or a docstring, which share a namespace.

    A block is run after those above it, whichever is asked for first, so that a single
    example can be run alone.
    """

    path: str
    blocks: list[Block] = field(default_factory=list)
    namespace: dict[str, Any] = field(default_factory=lambda: {"__name__": "__main__"})
    printed: dict[int, str] = field(default_factory=dict)  # by line of the block

    def run(self, block: Block) -> str:
        """Return what a block prints."""
        for earlier in self.blocks[: self.blocks.index(block) + 1]:
            if earlier.line not in self.printed:
                self.printed[earlier.line] = self._run(earlier)
        return self.printed[block.line]

    def check(self, block: Block) -> None:
        """Raise an `ExampleFailure` unless a block prints what is written below it."""
        actual = self.run(block)
        if block.output is None:
            if actual:
                problem = "prints, but no output stands below it. It printed:"
                raise ExampleFailure(self.path, block.line, f"{problem}\n\n{indent(actual)}")
            return
        found = difference(block.output.text, actual)
        if found:
            line = block.output.line + block.output.text.count("\n", 0, found.offset)
            raise ExampleFailure(
                self.path, line, comparison(found.message, block.output.text, actual)
            )

    def _run(self, block: Block) -> str:
        # Empty lines in front make the line numbers of the code those of the file, so that a
        # traceback shows the page's own lines.
        source = "\n" * (block.line - 1) + block.source
        stdout = io.StringIO()
        try:
            with contextlib.redirect_stdout(stdout):
                for code in self._compile(source, block.echo):
                    exec(code, self.namespace)
        except (Exception, SystemExit) as error:
            if block.raises and traceback.format_exception_only(error)[-1].strip() == block.raises:
                return stdout.getvalue()
            line = last_line_in(self.path, error) or block.line
            raise ExampleFailure(self.path, line, readable(error, self.path)) from None
        if block.raises:
            problem = f"expected {block.raises!r} to be raised, but nothing was raised"
            raise ExampleFailure(self.path, block.line, problem)
        return stdout.getvalue()

    def _compile(self, source: str, echo: bool) -> list[CodeType]:
        compiler: Callable[..., CodeType] = compile
        tree = ast.parse(source, self.path)
        if not echo:
            return [compiler(tree, self.path, "exec", dont_inherit=True)]
        return [
            compiler(ast.Interactive([node]), self.path, "single", dont_inherit=True)
            for node in tree.body
        ]


def comparison(message: str, expected: str, actual: str) -> str:
    """Lay out a difference with the whole of both outputs below it."""
    return (
        f"{message}\n\n  expected:\n{indent(expected)}\n\n  actual:\n{indent(actual)}\n"
    )


def indent(text: str) -> str:
    """Set an output off from the message around it."""
    return "\n".join(f"    {line}" for line in text.strip("\n").splitlines())


def last_line_in(path: str, error: BaseException) -> int | None:
    """Return the last line of a file that an exception passed through."""
    if isinstance(error, SyntaxError) and error.filename == path:
        return error.lineno
    lines = [line for frame, line in traceback.walk_tb(error.__traceback__) if
             frame.f_code.co_filename == path]
    return lines[-1] if lines else None


def readable(error: BaseException, path: str) -> str:
    """Return a traceback that begins at the file's own code, not at the runner's."""
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename != path:
        trace = trace.tb_next
    lines = traceback.format_exception(type(error), error, trace)
    return "the code raised\n\n" + indent("".join(lines))
