"""Runs notebooks in Jupyter's own kernel.

A notebook is run from top to bottom, whichever of its cells is asked for, as its reader would
after a restart.
"""

import copy
import re
import urllib.error  # noqa: F401 (one of them is what a network that is not there raises)
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any

import nbformat
from jupyter_client.kernelspec import NoSuchKernel
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode

from tensor_examples import isolation
from tensor_examples.example import Settings
from tensor_examples.failures import ExampleFailure, Fragment, NotReached, listing
from tensor_examples.fragments import MAGIC, Unset, left_after
from tensor_examples.meant import text_beside

NOT_RUN = re.compile(r"\s*#\s*not run\b:?[ \t]*(?P<reason>.*)")
RAISES_TAG = "raises-exception"  # Jupyter's own
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
SEED_TORCH = "--IPKernelApp.exec_lines=['import torch; torch.seed()']"
LINE_IN_CELL = r"Cell In\s?\[{}\], line (\d+)"  # of a traceback, for the count of a cell

Outputs = list[NotebookNode]


@dataclass(frozen=True)
class Aside:
    """Some code that prints the numbers of a line of prose."""

    line: int  # of the file
    code: str


@dataclass(frozen=True, eq=False)
class Notebook:
    """A notebook, and the code of its prose, which runs after its cells and is stored nowhere."""

    path: str
    stored: NotebookNode
    asides: tuple[Aside, ...] = ()

    @property
    def cells(self) -> list[NotebookNode]:
        """The cells as they are stored."""
        cells: list[NotebookNode] = self.stored.cells
        return cells

    def opted_out(self, number: int) -> re.Match[str] | None:
        """Return the first line of a code cell that its author has opted out of running."""
        cell = self.cells[number]
        return NOT_RUN.match(cell.source) if cell.cell_type == "code" else None

    def position(self, number: int) -> int:
        """Return the count, from one, of a cell among the code cells."""
        return sum(
            cell.cell_type == "code" and bool(cell.source.strip())
            for cell in self.cells[: number + 1]
        )

    def place(self, number: int) -> int | str:
        """Return how a reader would name a cell, or the line of an aside."""
        if number >= len(self.cells):
            return self.asides[number - len(self.cells)].line
        name = self.cells[number].get("id", "")
        return f"cell In [{self.position(number)}]" + f" ({name})" * bool(name)

    def run(self, settings: Settings) -> dict[int, Outputs | ExampleFailure]:
        """Return what each cell shows, and then each aside, or why it failed."""
        fresh = copy.deepcopy(self.stored)
        fresh.cells += [nbformat.v4.new_code_cell(aside.code) for aside in self.asides]
        code = [number for number, cell in enumerate(fresh.cells) if cell.cell_type == "code"]
        for number in code:
            cell = fresh.cells[number]
            # A tag neither skips a cell nor allows it to fail: an exception that is stored may.
            on_purpose = settings.fragments or may_fail(cell, settings)
            cell.metadata.tags = [RAISES_TAG] if on_purpose else []
            cell.outputs = []
            if NOT_RUN.match(cell.source):
                cell.source = ""
        failed, problem = execute(fresh, self.path, settings)
        results: dict[int, Outputs | ExampleFailure] = {}
        unset = Unset()
        for number in code:
            cell = fresh.cells[number]
            results[number] = cell.outputs
            if problem and number == failed:
                is_left = settings.fragments and problem == late(settings.seconds)
                why = Fragment(self.path, self.place(number), left_after(settings.seconds))
                results[number] = why if is_left else self.failure(number, cell, problem)
            elif settings.fragments and (result := self.fragment(number, cell, unset, settings)):
                results[number] = result
            elif problem and number > failed:
                reason = f"not run, because {self.place(failed)} failed"
                kind = Fragment if settings.fragments else NotReached
                results[number] = kind(self.path, self.place(number), reason)
        return results

    def fragment(
        self, number: int, cell: NotebookNode, unset: Unset, settings: Settings
    ) -> ExampleFailure | None:
        """Return why a cell of a notebook of fragments failed, or is not judged."""
        source, place = MAGIC.sub("#", cell.source), self.place(number)  # on the same lines
        if why := unset.why_not(source):
            return Fragment(self.path, place, why)
        errors = [each for each in cell.outputs if each.output_type == "error"]
        is_stored = number < len(self.cells) and may_fail(self.cells[number], settings)
        if not errors or is_stored:
            unset.done(source)
            return None
        told = errors[-1]
        failure = self.failure(number, cell, problem_of(told, settings.seconds))
        found = re.search(r", line (\d+)$", str(failure.place))
        line = int(found[1]) if found else 0
        if told.ename == "KeyboardInterrupt":
            why = left_after(settings.seconds)
        else:
            stored = self.cells[number : number + 1]  # of an aside, none
            beside = "" if any(each.outputs for each in stored) else self.text_beside(number)
            why = unset.why_fragment(error_named(told), self.path, source, line, beside)
        unset.add(source, line, str(place))
        return Fragment(self.path, place, why) if why else failure

    def text_beside(self, number: int) -> str:
        """Return what stands nearest above a cell, and directly below it."""
        texts = [c.source if c.cell_type == "markdown" else "" for c in self.cells]
        above, below = "\n\n".join(texts[:number]), "".join(texts[number + 1 : number + 2])
        return text_beside(above.split("\n"), below.split("\n"))

    def failure(self, number: int, cell: NotebookNode, problem: str) -> ExampleFailure:
        """Return what to tell the author about a cell that did not run to its end."""
        place = self.place(number)
        trace = "\n".join(line for output in cell.outputs for line in output.get("traceback", []))
        # Not of a function in another cell, which the error may have passed through.
        line = re.search(LINE_IN_CELL.format(cell.execution_count), COLOUR.sub("", trace))
        if line and isinstance(place, str):
            place += f", line {line[1]}"
            problem += "\n\n" + listing(cell.source.split("\n")[int(line[1]) - 1])
        return ExampleFailure(self.path, place, problem, "raises")


class Impatient(AsyncKernelManager):
    """Gives up a kernel that does not listen when it is interrupted, as in compiled code."""

    asked_at = 0.0  # when the cell that runs was interrupted first, or 0

    async def interrupt_kernel(self) -> None:  # type: ignore[override]  # as above it
        """Interrupt the kernel, for some time; a client would try it for ever."""
        self.asked_at = self.asked_at or monotonic()
        if monotonic() - self.asked_at > isolation.PATIENCE:
            raise CellTimeoutError
        await super().interrupt_kernel()


def may_fail(cell: NotebookNode, settings: Settings) -> bool:
    """Say whether a cell stores an exception, which it raises on purpose; or has a tag for one."""
    has_error = any(output.output_type == "error" for output in cell.outputs)
    is_tagged = settings.fragments and RAISES_TAG in cell.metadata.get("tags", [])
    return (has_error or is_tagged) and "stderr" not in settings.rules


def execute(fresh: NotebookNode, path: str, settings: Settings) -> tuple[int, str]:
    """Run a notebook in a fresh kernel; return the last cell that it began, and what failed."""
    code = [number for number, cell in enumerate(fresh.cells) if cell.cell_type == "code"]
    started = code[:1]  # what keeps the kernel from starting is told of the first cell
    problem, seconds = "", settings.seconds

    def begin(cell: NotebookNode, cell_index: int) -> None:
        started.append(cell_index)
        assert isinstance(client.km, Impatient)
        client.km.asked_at = 0.0

    uses_torch = any("torch" in fresh.cells[number].source for number in code)
    client = NotebookClient(
        fresh,
        kernel_manager_class=Impatient,
        resources={"metadata": {"path": str(Path(path).absolute().parent)}},
        timeout=seconds,
        interrupt_on_timeout=True,  # so that the traceback says which line does not end
        coalesce_streams=True,  # what one print writes may come in parts
        shutdown_kernel="immediate",  # it holds nothing that could be lost
        # All others draw random numbers of their own in each process.
        extra_arguments=[SEED_TORCH] * (settings.again and uses_torch),
        on_cell_start=begin,
    )
    try:
        client.execute()
    except CellExecutionError as error:  # a late cell is interrupted, and raises for that
        # Of an error in how a value shows itself, the kernel replies None, and the cell shows it.
        shown = reversed(fresh.cells[started[-1]].outputs)
        told = next((output for output in shown if output.output_type == "error"), error)
        problem = problem_of(told, seconds)
    except CellTimeoutError:
        problem = late(seconds)
    except DeadKernelError:
        problem = "ended the kernel"
    except NoSuchKernel as error:
        problem = f"needs a kernel that is not installed: {error.name}"
    except Exception as error:  # whatever a kernel does, the other files are checked
        problem = f"cannot be run: {type(error).__name__}: {error}"
    return started[-1] if started else 0, problem


def error_named(told: NotebookNode) -> BaseException:
    """Return an error like one that a kernel told: of the same name, and of the kind it is of."""
    trace = COLOUR.sub("", "\n".join([told.evalue, *told.traceback]))
    module = re.search(r"\bNo module named '([\w.]+)'", trace)
    lacks = ModuleNotFoundError(told.evalue, name=module[1]) if module else None
    if lacks and told.ename == "ModuleNotFoundError":
        return lacks
    if told.ename == "PackageNotFoundError":
        return ModuleNotFoundError(told.evalue, name=told.evalue.rpartition(" ")[2])
    if found := re.fullmatch(r"name '(\w+)' is not defined", told.evalue):
        return NameError(told.evalue, name=found[1])
    base = OSError if told.ename in names_of_kind(OSError) else Exception
    kind = ImportError if told.ename == "ImportError" else type(told.ename, (base,), {})
    error: BaseException = kind(told.evalue)
    error.__context__ = lacks
    return error


def names_of_kind(kind: type[BaseException]) -> set[str]:
    """Return the names of a kind of error, and of all errors of that kind that Python has."""
    return {kind.__name__}.union(*map(names_of_kind, kind.__subclasses__()))


def problem_of(error: Any, seconds: float) -> str:
    """Say what an error is, which is an interrupt where a cell was late."""
    problem = late(seconds) if error.ename == "KeyboardInterrupt" else f"raises {error.ename}"
    return f"{problem}: {error.evalue}" if error.evalue else problem


def late(seconds: float) -> str:
    """Say that a cell was stopped."""
    return f"ran for more than {seconds:g} seconds (see --example-timeout)"


def outputs_text(outputs: Sequence[NotebookNode]) -> str:
    """Join what was printed and the values that were echoed, as text of whatever kind."""
    parts = []
    for output in outputs:
        if output.output_type == "stream":
            parts.append(output.text.rstrip("\n"))
        elif output.output_type == "error":
            parts.append(f"{output.ename}: {output.evalue}")
        else:
            parts += [output.data[kind] for kind in sorted(output.data) if kind[:5] == "text/"]
    return "\n".join(parts)
