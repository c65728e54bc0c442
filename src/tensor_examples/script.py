"""Runs blocks of code one after the other in one namespace, as a reader would."""

import ast
import contextlib
import io
import os
import traceback
from dataclasses import dataclass, field
from types import CodeType
from typing import Any

from tensor_examples.compare import difference


class ExampleFailure(AssertionError):  # noqa: N818 (as Sybil's own SybilFailure)
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


@dataclass(frozen=True)
class Block:
    """A piece of code, the line of the file that it begins on, and its output."""

    source: str
    line: int
    output: Output | None
    end: int  # where in the file an output that is missing would be written
    prefix: str = ""  # what each line of an output begins with: an indent, a quotation mark
    echo: bool = False  # echo the value of an expression, as the interactive prompt does
    fenced: bool = True  # an output stands in a fence of its own
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

    def _run(self, block: Block) -> str:
        # Empty lines in front make the line numbers of the code those of the file, so that a
        # traceback shows the page's own lines.
        source = "\n" * (block.line - 1) + block.source
        stdout = io.StringIO()
        try:
            with contextlib.redirect_stdout(stdout):
                for code in compiled(source, self.path, echo=block.echo):
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


@dataclass(frozen=True)
class Edit:
    """A change to a file that brings an output up to date."""

    path: str
    start: int
    end: int
    text: str


@dataclass(frozen=True)
class ScriptExample:
    """One block of a script, to be checked or brought up to date."""

    script: Script
    block: Block

    def check(self, exact: bool) -> None:
        """Raise an `ExampleFailure` unless the block prints what is written below it."""
        path, output = self.script.path, self.block.output
        actual = self.script.run(self.block)
        if output is None:
            if actual:
                problem = "prints, but no output stands below it. It printed:"
                raise ExampleFailure(path, self.block.line, f"{problem}\n\n{indent(actual)}")
            return
        found = difference(output.text, actual, exact=exact)
        if found:
            line = output.line + output.text.count("\n", 0, found.offset)
            raise ExampleFailure(path, line, comparison(found.message, output.text, actual))

    def refresh(self) -> Edit | None:
        """Return the edit that writes what the block prints below it, if one is needed."""
        output = self.block.output
        actual = self.script.run(self.block).strip("\n")
        if output is None and not actual:
            return None
        if output is not None and output.text.strip("\n") == actual:
            return None
        lines = actual.splitlines()
        if output is None and self.block.fenced:
            lines = ["", "", "```output", *lines, "```"]
        text = "\n".join(f"{self.block.prefix}{line}".rstrip() for line in lines)
        if output is None and self.block.fenced:
            text = text.removesuffix("\n")
            return Edit(self.script.path, self.block.end, self.block.end, text)
        start, end = (output.start, output.end) if output else (self.block.end, self.block.end)
        return Edit(self.script.path, start, end, text + "\n")


def compiled(source: str, path: str, *, echo: bool) -> list[CodeType]:
    """Compile code as a script, or statement by statement as the interactive prompt does."""
    tree = ast.parse(source, path)
    if not echo:
        return [compile(tree, path, "exec", dont_inherit=True)]
    return [
        compile(ast.Interactive([statement]), path, "single", dont_inherit=True)
        for statement in tree.body
    ]


def comparison(message: str, expected: str, actual: str) -> str:
    """Lay out a difference with the whole of both outputs below it."""
    return f"{message}\n\n  expected:\n{indent(expected)}\n\n  actual:\n{indent(actual)}\n"


def indent(text: str) -> str:
    """Set an output off from the message around it."""
    return "\n".join(f"    {line}" for line in text.strip("\n").splitlines())


def last_line_in(path: str, error: BaseException) -> int | None:
    """Return the last line of a file that an exception passed through."""
    if isinstance(error, SyntaxError) and error.filename == path:
        return error.lineno
    lines = [
        line
        for frame, line in traceback.walk_tb(error.__traceback__)
        if frame.f_code.co_filename == path
    ]
    return lines[-1] if lines else None


def readable(error: BaseException, path: str) -> str:
    """Return a traceback that begins at the file's own code, not at the runner's."""
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename != path:
        trace = trace.tb_next
    lines = traceback.format_exception(type(error), error, trace)
    return "the code raised\n\n" + indent("".join(lines))
