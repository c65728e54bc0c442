"""Runs notebooks in Jupyter's own kernel.

A notebook is run from top to bottom, whichever of its cells is asked for, as its reader would
after a restart.
"""

import copy
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode

from tensor_examples.example import Example, Run, Settings
from tensor_examples.failures import ExampleFailure, NotReached, listing

NOT_RUN = re.compile(r"\s*#\s*not run\b:?[ \t]*(?P<reason>.*)")
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
LINE_IN_CELL = r"Cell In\s?\[{}\], line (\d+)"  # of a traceback, for the count of a cell

Outputs = list[NotebookNode]


@dataclass(frozen=True, eq=False)
class Notebook:
    """A notebook, and the code of its prose, which runs after its cells and is stored nowhere."""

    path: str
    stored: NotebookNode
    asides: tuple[Example, ...] = ()

    @property
    def cells(self) -> list[NotebookNode]:
        """The cells as they are stored."""
        cells: list[NotebookNode] = self.stored.cells
        return cells

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
            cell.metadata.tags, cell.outputs = [], []  # no tag skips a cell, or lets it fail
            if NOT_RUN.match(cell.source):
                cell.source = ""
        failed, problem = execute(fresh, self.path, settings.seconds)
        results: dict[int, Outputs | ExampleFailure] = {}
        for number in code:
            results[number] = fresh.cells[number].outputs
            if problem and number == failed:
                results[number] = self.failure(number, fresh.cells[number], problem)
            elif problem and number > failed:
                reason = f"not run, because {self.place(failed)} failed"
                results[number] = NotReached(self.path, self.place(number), reason)
        return results

    def printed(self, aside: Example, run: Run) -> str:
        """Return what the code of an aside prints."""
        return outputs_text(run.result(self, len(self.cells) + self.asides.index(aside)))

    def failure(self, number: int, cell: NotebookNode, problem: str) -> ExampleFailure:
        """Return what to tell the author about a cell that did not run to its end."""
        place = self.place(number)
        trace = "\n".join(line for output in cell.outputs for line in output.get("traceback", []))
        # Not of a function in another cell, which the error may have passed through.
        line = re.search(LINE_IN_CELL.format(cell.execution_count), COLOUR.sub("", trace))
        if line and isinstance(place, str):
            place += f", line {line[1]}"
            problem += "\n\n" + listing(cell.source.split("\n")[int(line[1]) - 1])
        return ExampleFailure(self.path, place, problem)


def execute(fresh: NotebookNode, path: str, seconds: float) -> tuple[int, str]:
    """Run a notebook in a fresh kernel; return the last cell that it began, and what failed."""
    code = [number for number, cell in enumerate(fresh.cells) if cell.cell_type == "code"]
    started = code[:1]  # what keeps the kernel from starting is told of the first cell
    problem = ""
    client = NotebookClient(
        fresh,
        resources={"metadata": {"path": str(Path(path).absolute().parent)}},
        timeout=seconds,
        coalesce_streams=True,  # what one print writes may come in parts
        shutdown_kernel="immediate",  # it holds nothing that could be lost
        on_cell_start=lambda cell, cell_index: started.append(cell_index),
    )
    try:
        client.execute()
    except CellExecutionError as error:
        # Of an error in how a value shows itself, the kernel replies None, and the cell shows it.
        shown = reversed(fresh.cells[started[-1]].outputs)
        told = next((output for output in shown if output.output_type == "error"), error)
        problem = f"raises {told.ename}" + f": {told.evalue}" * bool(told.evalue)
    except CellTimeoutError:
        problem = f"ran for more than {seconds:g} seconds (see --example-timeout)"
    except DeadKernelError:
        problem = "ended the kernel"
    except Exception as error:  # whatever a kernel does, the other files are checked
        problem = f"cannot be run: {type(error).__name__}: {error}"
    return started[-1] if started else 0, problem


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
