"""Runs the blocks of a page one after the other in one namespace, as a reader would."""

import codeop
import io
import random
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import closing, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from tensor_examples.compare import difference, no_longer_true, summary_of_change, visible_lines
from tensor_examples.example import Edit, Example, Parser, Run, Settings
from tensor_examples.failures import (
    STILL_TRUE,
    ExampleFailure,
    NotReached,
    comparison,
    listing,
    raised,
)
from tensor_examples.isolation import Late, results_of, time_limit
from tensor_examples.refresh import edited


class Printed(NamedTuple):
    """What a block of code has printed."""

    shown: str
    stderr: str


@dataclass(frozen=True)
class Output:
    """The output that is written below a block of code, and its place in the file."""

    text: str
    line: int  # of its first line
    end: int  # the line after its last


@dataclass(frozen=True)
class Style:
    """How an output is written in a kind of file."""

    prefix: str = ""  # what each line begins with: an indent, a quotation mark
    before: tuple[str, ...] = ()  # lines around an output where there was none
    after: tuple[str, ...] = ()
    empty: str = ""  # what stands for an empty line


@dataclass(frozen=True)
class CodeBlock:
    """A piece of code, the line of the file that it begins on, and its output."""

    source: str
    line: int
    output: Output | None
    end: int  # the line before which an output that is missing would be written
    style: Style
    echo: bool = False  # echo the value of an expression, as the interactive prompt does
    raises: bool = False  # the output is the exception that ends it
    aside: bool = False  # the page goes on without it, if it fails


@dataclass(frozen=True, eq=False)
class Script:
    """The blocks of a page or a docstring, which share a namespace."""

    path: str
    text: str  # of the whole file
    parse: Parser  # that found it there
    blocks: tuple[CodeBlock, ...]  # in the order in which they run

    def run(self, settings: Settings) -> dict[int, Printed | ExampleFailure]:
        """Return what each block prints, or why it failed, by the line that it begins on."""
        results: dict[int, Printed | ExampleFailure] = {}
        stopped_at = 0
        job = partial(run_blocks, self.path, self.blocks, settings.seconds)
        with closing(results_of(job, settings.seconds)) as answers:
            for block in self.blocks:
                place = self.path, block.line
                if stopped_at:
                    problem = f"not run, because the block at line {stopped_at} failed"
                    results[block.line] = NotReached(*place, problem)
                    continue
                silent = ExampleFailure(*place, "ends its process")
                try:
                    result = next(answers, silent)
                except TimeoutError:
                    late = f"cannot be stopped after {settings.seconds:g} seconds"
                    result = silent = ExampleFailure(*place, f"{late} (see --example-timeout)")
                results[block.line] = result
                if result is silent or (isinstance(result, ExampleFailure) and not block.aside):
                    stopped_at = block.line
        return results

    def shown(self, line: int, run: Run) -> str:
        """Return what the block at a line prints."""
        return run.result(self, line).shown


def run_blocks(
    path: str, blocks: Sequence[CodeBlock], seconds: float, namespace: dict[str, Any]
) -> Iterator[Printed | ExampleFailure]:
    """Yield what each block prints, up to the first that fails."""
    compiler = codeop.Compile()  # a `from __future__ import` holds for the blocks below it
    compiler.flags = 0  # a block is whole: what it leaves open is an error, and not to be continued
    for block in blocks:
        try:
            yield run_block(path, block, namespace, compiler, seconds)
        except ExampleFailure as failure:
            yield failure
            if not block.aside:
                return


def run_block(
    path: str,
    block: CodeBlock,
    namespace: dict[str, Any],
    compiler: codeop.Compile,
    seconds: float,
) -> Printed:
    """Return what a block prints."""
    stdout, stderr = (io.TextIOWrapper(io.BytesIO(), "utf-8", newline="\n") for _ in range(2))
    before = state_of(namespace) if block.aside else []
    try:
        with redirect_stdout(stdout), redirect_stderr(stderr), time_limit(seconds):
            # Empty lines in front make the line numbers of the code those of the file, so that a
            # traceback shows the page's own lines.
            source = "\n" * (block.line - 1) + block.source
            compiled = compiler(source, path, "single" if block.echo else "exec")
            exec(compiled, dict(namespace) if block.aside else namespace)
    except BaseException as error:  # among them SystemExit
        if block.raises and not written_to(stdout) and not isinstance(error, Late):
            return Printed("".join(traceback.format_exception_only(error)), "")
        raise failure_of(path, block, error, namespace) from error
    if block.aside and state_of(namespace) != before:
        problem = "a comment changes what the code below it would print"
        raise ExampleFailure(path, block.line, problem)
    if block.raises:
        raise ExampleFailure(path, block.line, "should raise an exception, and raises none")
    return Printed(written_to(stdout), written_to(stderr))


def written_to(stream: io.TextIOWrapper) -> str:
    """Return all that was written to a stream that keeps it."""
    stream.flush()
    assert isinstance(stream.buffer, io.BytesIO)
    return stream.buffer.getvalue().decode("utf-8", "replace")


def state_of(namespace: dict[str, Any]) -> list[object]:
    """Return what tells whether a tensor was changed in place, or a random number was drawn."""
    versions = [getattr(value, "_version", None) for value in namespace.values()]
    torch = sys.modules.get("torch")
    return [*versions, random.getstate(), torch and torch.get_rng_state().tolist()]


def failure_of(
    path: str, block: CodeBlock, error: BaseException, namespace: dict[str, Any]
) -> ExampleFailure:
    """Return what to tell the author about an exception."""
    line, trace = raised(error, namespace)
    place = line or block.line
    if isinstance(error, Late):
        return ExampleFailure(path, place, str(error))
    if isinstance(error, SystemExit):
        return ExampleFailure(path, place, "calls sys.exit, which ends the reader's session")
    lines = "".join(traceback.format_exception_only(error)).strip().splitlines()
    reason = lines[-1] if isinstance(error, SyntaxError) else lines[0]  # below it may be notes
    return ExampleFailure(path, place, f"raises {reason}\n\n{trace}")


@dataclass(frozen=True)
class ScriptExample(Example):
    """One block of a script, to be checked or brought up to date."""

    script: Script
    block: CodeBlock

    is_code = True

    @property
    def end(self) -> int:
        """The line after its output, or after its code."""
        output = self.block.output
        return output.end if output else self.line + len(self.code.splitlines())

    @property
    def code(self) -> str:
        """The source of the block."""
        return self.block.source

    @property
    def outputs(self) -> int:
        """How many outputs are compared."""
        return int(self.block.output is not None)

    def printed(self, run: Run) -> str:
        """Return what the block prints, if it does not write to stderr where that is refused."""
        printed = run.result(self.script, self.line)
        if printed.stderr and "outputs" in run.settings.rules:
            problem = f"writes to stderr, which no output shows:\n\n{listing(printed.stderr)}"
            raise ExampleFailure(self.path, self.line, problem)
        return printed.shown

    def check(self, run: Run) -> None:
        """Raise an `ExampleFailure` unless the block prints what is written below it."""
        printed = self.printed(run)
        if self.block.output or "outputs" in run.settings.rules:
            self.compare(printed, run.settings)

    def compare(self, actual: str, settings: Settings) -> None:
        """Raise an `ExampleFailure` unless an output is the one that is written."""
        output = self.block.output
        if output is None:
            if actual:
                problem = f"prints, and no output stands below it. It prints:\n\n{listing(actual)}"
                raise ExampleFailure(self.path, self.line, problem)
        elif found := settings.difference(output.text, actual):
            differ = settings.difference
            problem = comparison(found.message, self.code, output.text, actual, differ)
            raise ExampleFailure(self.path, output.line + found.line, problem)

    def refresh(self, run: Run) -> list[Edit]:
        """Return the edit that writes what the block prints below it, if one is needed."""
        output, actual = self.block.output, self.printed(run)
        if output is None and "outputs" not in run.settings.rules:
            return []
        if difference(output.text if output else "", actual, exact=True) is None:
            return []
        if output and not run.settings.accept_false and no_longer_true(output.text, actual):
            raise ExampleFailure(self.path, output.line, STILL_TRUE)
        summary = summary_of_change(output.text, actual) if output else "an output was missing"
        edit = self.edit(actual, summary)
        if not self.reads_back(edit, actual):
            problem = f"prints what cannot be written below it:\n\n{listing(actual)}"
            raise ExampleFailure(self.path, self.line, problem)
        return [edit]

    def edit(self, actual: str, summary: str = "") -> Edit:
        """Return the edit that writes an output below the block."""
        output, style, lines = self.block.output, self.block.style, visible_lines(actual)
        if output:
            line, first, end = output.line, output.line, output.end
        else:
            line, first, end = self.line, self.block.end, self.block.end
            lines = [*style.before, *lines, *style.after]
        written = [f"{style.prefix}{each or style.empty}".rstrip() for each in lines]
        return Edit(self.path, line, first, end, written, summary)

    def reads_back(self, edit: Edit, actual: str) -> bool:
        """Say whether the file, with an edit made, is read as holding what the block prints."""
        try:
            for example in self.script.parse(self.path, edited(self.script.text, [edit])):
                if isinstance(example, ScriptExample) and example.line == self.line:
                    example.compare(actual, Settings(exact=True))
                    return example.outputs == 1
        except ExampleFailure:
            pass
        return False
