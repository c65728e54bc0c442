"""Runs the blocks of a page one after the other in one namespace, as a reader would."""

import ast
import codeop
import doctest
import os
import random
import sys
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, redirect_stderr, redirect_stdout
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from tensor_examples.capture import Captured, Late, Stopped, time_limit
from tensor_examples.compare import difference, no_longer_true, summary_of_change, visible_lines
from tensor_examples.example import Edit, Example, Parser, Run, Settings
from tensor_examples.failures import (
    STILL_TRUE,
    ExampleFailure,
    Fragment,
    NotReached,
    about_memory,
    comparison,
    listing,
    raised,
)
from tensor_examples.fragments import Unset, left_after
from tensor_examples.isolation import can_be_sent, results_of
from tensor_examples.meant import VARIED, says_it_varies, varies, with_error
from tensor_examples.refresh import edited


class Printed(NamedTuple):
    """What a block of code has printed."""

    shown: str
    stderr: str
    value: str = ""  # of the expression that ends it, if it is a cell or a fragment


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
    forgives: int = 0  # doctest's flags, by a directive
    is_cell: bool = False  # of a notebook, which shows the value of its last expression
    may_raise: bool = False  # it says that it does
    magics: str = ""  # the first of its lines that only IPython would run
    beside: str = ""  # the text above it, and directly below


@dataclass(frozen=True, eq=False)
class Script:
    """The blocks of a page or a docstring, which share a namespace."""

    path: str
    text: str  # of the whole file
    parse: Parser  # that found it there
    blocks: tuple[CodeBlock, ...]  # in the order in which they run
    in_module: bool = False  # whose names it may use, as in a docstring

    def run(self, settings: Settings) -> dict[int, Printed | ExampleFailure]:
        """Return what each block prints, or why it failed, by the line that it begins on."""
        results: dict[int, Printed | ExampleFailure] = {}
        stopped_at = 0
        names = settings.names if self.in_module and "imports" not in settings.rules else None
        if strange := sorted(name for name in names or () if not can_be_sent(settings.names[name])):
            problem = f"doctest_namespace: {strange[0]!r} cannot be sent to another process"
            failure = ExampleFailure(self.path, self.blocks[0].line, problem, "raises")
            return dict.fromkeys((block.line for block in self.blocks), failure)
        own = replace(settings, names=names or {})  # all others are not sent
        job = partial(run_blocks, self.path, self.blocks, own, names)
        with closing(results_of(job, settings.seconds)) as answers:
            for block in self.blocks:
                place = self.path, block.line
                if stopped_at:
                    problem = f"not run, because the block at line {stopped_at} failed"
                    kind = Fragment if settings.fragments else NotReached
                    results[block.line] = kind(*place, problem)
                    continue
                silent = ExampleFailure(*place, "ends its process", "raises")
                try:
                    result = next(answers, silent)
                except TimeoutError:
                    result = silent = self.late(block, settings)
                results[block.line] = result
                goes_on = block.aside or settings.fragments
                if result is silent or (isinstance(result, ExampleFailure) and not goes_on):
                    stopped_at = block.line
        return results

    def late(self, block: CodeBlock, settings: Settings) -> ExampleFailure:
        """Return what is told of a block that nothing but the end of its process stops."""
        if settings.fragments:
            return Fragment(self.path, block.line, left_after(settings.seconds))
        problem = f"cannot be stopped after {settings.seconds:g} seconds (see --example-timeout)"
        return ExampleFailure(self.path, block.line, problem, "raises")


def run_blocks(
    path: str,
    blocks: Sequence[CodeBlock],
    settings: Settings,
    names: Mapping[str, Any] | None,
    namespace: dict[str, Any],
) -> Iterator[Printed | ExampleFailure]:
    """Yield what each block prints, up to the first that fails, or of fragments, all.

    Args:
        path: Of the file.
        blocks: Of the file.
        settings: Of the run.
        names: What a docstring knows besides its module, or None where it knows neither.
        namespace: In which the blocks run.
    """
    if names is not None:
        try:
            namespace |= {**names_of_module(Path(path).absolute()), **names}
        except BaseException as error:  # among them SystemExit, in a script that nobody imports
            problem = f"is in a module that cannot be imported: {type(error).__name__}: {error}"
            yield ExampleFailure(path, blocks[0].line, problem, "raises")
            return
    if path.endswith(".qmd") or any(block.is_cell for block in blocks):
        os.chdir(Path(path).parent)  # as Quarto and MyST do
    if settings.again:
        seed_anew()
    compiler = codeop.Compile()  # a `from __future__ import` holds for the blocks below it
    compiler.flags = 0  # a block is whole: what it leaves open is an error, and not to be continued
    unset = Unset()
    for block in blocks:
        if settings.fragments and (why := unset.why_not(block.source)):
            yield Fragment(path, block.line, why)
            continue
        try:
            yield run_block(path, block, namespace, compiler, settings)
            if settings.fragments:
                unset.done(block.source)
        except ExampleFailure as failure:
            if not settings.fragments or block.aside:
                yield failure
                if not block.aside:
                    return
            else:
                line = failure.place - block.line + 1 if isinstance(failure.place, int) else 0
                cause, beside = failure.__cause__, "" if block.output else block.beside
                why = left_after(settings.seconds) if isinstance(cause, Late) else ""
                why = why or unset.why_fragment(cause, path, block.source, line, beside)
                yield Fragment(path, block.line, why) if why else failure
                unset.add(block.source, line, f"line {block.line}")


def names_of_module(file: Path) -> dict[str, Any]:
    """Return the names of a module, which is imported as its package would."""
    parts, folder = [file.stem], file.parent
    while (folder / "__init__.py").exists():
        parts, folder = [folder.name, *parts], folder.parent
    if len(parts) > 1 and parts[-1] == "__init__":
        del parts[-1]
    sys.path.insert(0, str(folder))
    return vars(import_module(".".join(parts)))


def run_block(
    path: str,
    block: CodeBlock,
    namespace: dict[str, Any],
    compiler: codeop.Compile,
    settings: Settings,
) -> Printed:
    """Return what a block prints."""
    stdout, stderr, values = Captured(), Captured(), list[object]()
    before = state_of(namespace) if block.aside else []
    try:
        with redirect_stdout(stdout), redirect_stderr(stderr), time_limit(settings.seconds):
            # Empty lines in front make the line numbers of the code those of the file, so that a
            # traceback shows the page's own lines.
            source = "\n" * (block.line - 1) + block.source
            compiled = compiler(source, path, "single" if block.echo else "exec")
            if block.echo or block.aside or not (block.is_cell or settings.fragments):
                exec(compiled, dict(namespace) if block.aside else namespace)
            else:
                exec_with_values(source, path, compiler.flags, namespace, values)
    except BaseException as error:  # among them SystemExit
        if block.raises and not stdout.text() and not isinstance(error, Stopped):
            return Printed("".join(traceback.format_exception_only(error)), "")
        if block.may_raise:
            return Printed(stdout.text(), stderr.text())
        wanted = block.output.text if block.output and isinstance(error, Exception) else ""
        if (told := with_error(wanted, stdout.text(), error)) is not None:
            return Printed(told, stderr.text())
        raise failure_of(path, block, error, namespace) from error
    if block.aside and state_of(namespace) != before:
        problem = "a comment changes what the code below it would print"
        raise ExampleFailure(path, block.line, problem, "prose")
    if block.raises:
        raise ExampleFailure(path, block.line, "should raise an exception, and raises none")
    shown = [repr(value) for value in values if value is not None]
    return Printed(stdout.text(), stderr.text(), "\n".join(shown))


def seed_anew() -> None:
    """Let random numbers without a seed be others than in a run before."""
    random.seed()
    for module, name in (("numpy.random", "seed"), ("torch", "seed")):
        if module in sys.modules:
            getattr(sys.modules[module], name)()


def exec_with_values(
    source: str, path: str, flags: int, namespace: dict[str, Any], values: list[object]
) -> None:
    """Run some code, and add the value of the expression that ends it, if one does."""
    body = ast.parse(source, path).body
    cut = len(body) - (bool(body) and isinstance(body[-1], ast.Expr))
    exec(compile(ast.Module(body[:cut], []), path, "exec", flags, True), namespace)
    before, sys.displayhook = sys.displayhook, values.append
    try:
        exec(compile(ast.Interactive(body[cut:]), path, "single", flags, True), namespace)
    finally:
        sys.displayhook = before


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
    if isinstance(error, Stopped):
        return ExampleFailure(path, place, str(error), "raises")
    if isinstance(error, SystemExit):
        problem = "calls sys.exit, which ends the reader's session"
        return ExampleFailure(path, place, problem, "raises")
    lines = "".join(traceback.format_exception_only(error)).strip().splitlines()
    reason = lines[-1] if isinstance(error, SyntaxError) else lines[0]  # below it may be notes
    return ExampleFailure(path, place, f"raises {reason}\n\n{trace}", "raises")


@dataclass(frozen=True)
class ScriptExample(Example):
    """One block of a script, to be checked or brought up to date."""

    script: Script
    block: CodeBlock

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

    @property
    def is_code(self) -> bool:
        """Whether it is code: it is."""
        return True

    def is_compared(self, rules: frozenset[str]) -> bool:
        """Say whether what it prints is compared, if only with nothing."""
        return bool(self.outputs or "outputs" in rules)

    def printed(self, run: Run) -> str:
        """Return what the block prints, if it does not write to stderr where that is refused."""
        printed = run.result(self.script, self.line)
        if printed.stderr and "stderr" in run.settings.rules:
            problem = f"writes to stderr, which no output shows:\n\n{listing(printed.stderr)}"
            raise ExampleFailure(self.path, self.line, problem, "stderr")
        whole, output = f"{printed.shown}{printed.value}", self.block.output
        if printed.value and output and run.settings.difference(output.text, printed.shown):
            is_meant = not printed.shown or not run.settings.difference(output.text, whole)
            return whole if is_meant else printed.shown
        return printed.shown

    def check(self, run: Run) -> None:
        """Raise an `ExampleFailure` unless the block prints what is written below it."""
        printed, all_of_it = self.printed(run), "outputs" in run.settings.rules
        if all_of_it or (self.block.output and not self.forgives(printed, run.settings)):
            try:
                self.compare(printed, run.settings)
            except ExampleFailure:
                if why := self.why_varies(printed, run):
                    raise Fragment(self.path, self.line, why) from None
                raise

    def why_varies(self, printed: str, run: Run) -> str:
        """Say why another output than this may stand below the block, or nothing."""
        wanted = self.block.output.text if self.block.output else ""
        if printed and "outputs" not in run.settings.rules and says_it_varies(self.code, wanted):
            return "not compared: a comment says that it may vary"
        if other := run.other_result(self.script, self.line):
            first = run.result(self.script, self.line)
            whole = (f"{each.shown}{each.value}" for each in (first, other))
            if varies(wanted, first.shown, other.shown) or varies(wanted, *whole):
                return VARIED
        return ""

    def forgives(self, printed: str, settings: Settings) -> bool:
        """Say whether doctest lets an output pass, by a directive or by a setting of pytest."""
        # It knows pytest's own flags. What only reads examples, as a build does, needs no pytest.
        from _pytest.doctest import _get_checker

        flags = self.block.forgives | settings.forgives * self.block.echo
        wanted = self.block.output.text if self.block.output else ""
        if self.block.raises and flags & doctest.IGNORE_EXCEPTION_DETAIL:
            wanted, printed = (
                text.partition(":")[0].rpartition(".")[2].strip() for text in (wanted, printed)
            )
        return _get_checker().check_output(f"{wanted}\n", f"{printed}\n", flags)

    def left_out(self, rules: frozenset[str]) -> str:
        """Say that an example at the prompt leaves a part of its output out."""
        wanted = self.block.output.text if self.block.output else ""
        if self.block.magics:
            return f"not run: {self.block.magics}"
        is_shortened = self.block.echo and "..." in wanted and "outputs" not in rules
        return "not compared: what ... stands for" * is_shortened

    def compare(self, actual: str, settings: Settings) -> None:
        """Raise an `ExampleFailure` unless an output is the one that is written."""
        output = self.block.output
        if output is None:
            if actual:
                problem = f"prints, and no output stands below it. It prints:\n\n{listing(actual)}"
                raise ExampleFailure(self.path, self.line, problem, "outputs")
            return
        if found := settings.difference(output.text, actual):
            message = found.message + about_memory(self.code)
            problem = comparison(message, output.text, actual, settings.difference)
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
