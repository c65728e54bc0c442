"""Runs notebooks in Jupyter's own kernel, and compares what each cell shows with what is stored.

A notebook is run from top to bottom, whichever of its cells is asked for, as its reader would
after a restart.
"""

import base64
import copy
import json
import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
from jupyter_client.kernelspec import NoSuchKernel
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode

from tensor_examples.capture import MOST_CHARACTERS
from tensor_examples.compare import difference, summary_of_change
from tensor_examples.example import Edit, Example, Malformed, NotRun, Settings
from tensor_examples.failures import ExampleFailure, NotReached, comparison, listing
from tensor_examples.images import image_difference

IMAGES = {"image/png", "image/jpeg"}  # an SVG may hold more than its image shows
NOT_RUN = re.compile(r"\s*#\s*not run\b:?[ \t]*(?P<reason>.*)")
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
LINE_IN_CELL = r"Cell In\s?\[{}\], line (\d+)"  # of a traceback, for the count of a cell


def parse_notebook(path: str, text: str) -> Iterator[Example]:
    """Yield the code cells of a notebook, if it is written as Jupyter writes it."""
    notebook = Notebook(path, read(path, text))
    written = nbformat.writes(notebook.stored)
    if text.removesuffix("\n") != written:
        problem = "is not written as Jupyter writes it: run pytest --update-outputs"
        yield OtherForm(path, 1, problem, text, written)
        return
    for number, (line, _) in enumerate(lines_of_cells(written)):
        cell = notebook.cells[number]
        opted_out = notebook.opted_out(number)
        if opted_out and opted_out["reason"]:
            yield NotRun(path, line, opted_out["reason"])
        elif opted_out:
            yield Malformed(path, line, "begin the cell with # not run: the reason")
        elif cell.cell_type == "code" and (cell.source.strip() or cell.outputs):
            yield CellExample(path, line, notebook, number)


def lines_of_cells(written: str) -> list[tuple[int, int]]:
    """Return the lines on which each cell begins and ends, in a notebook that Jupyter wrote."""
    # No string of JSON has more than one line, and "cells" is the first key. Only after the cells
    # does anything else end as they do.
    lines = list(enumerate(written.split("\n"), 1))
    first = [number for number, line in lines if line == "  {"]
    last = [number for number, line in lines if line in ("  }", "  },")]
    return list(zip(first, last, strict=False))


@dataclass(frozen=True)
class OtherForm(Malformed):
    """A notebook in which a refresh would change more than the outputs."""

    text: str
    written: str  # as Jupyter writes it

    def refresh(self, settings: Settings) -> list[Edit]:
        """Return the edit that writes it as Jupyter does."""
        end, summary = self.text.count("\n") + 2, "written as Jupyter writes it: run this again"
        return [Edit(self.path, 1, 1, end, [*self.written.split("\n"), ""], summary)]


def read(path: str, text: str) -> NotebookNode:
    """Read a notebook, and refuse one that is not what it should be."""
    try:
        version = json.loads(text)["nbformat"]
    except ValueError as error:
        raise ExampleFailure(path, 1, f"is not JSON: {error}") from None
    except (KeyError, TypeError):
        raise ExampleFailure(path, 1, "is JSON, but not a notebook") from None
    if version != 4:
        raise ExampleFailure(path, 1, f"has notebook format {version}: save it in format 4")
    invalid: dict[str, Exception] = {}
    try:
        with warnings.catch_warnings(action="error"):  # such as two cells with one id
            notebook: NotebookNode = nbformat.reads(text, 4, capture_validation_error=invalid)
    except (Warning, nbformat.ValidationError) as error:
        invalid["ValidationError"] = error
    for found in invalid.values():
        reason = str(found).strip().partition("\n")[0]
        raise ExampleFailure(path, 1, f"is not a valid notebook: {reason}")
    return notebook


@dataclass
class Notebook:
    """A notebook and, once it has been run, what each of its cells shows."""

    path: str
    stored: NotebookNode
    results: dict[int, list[NotebookNode] | ExampleFailure] = field(default_factory=dict)

    @property
    def cells(self) -> list[NotebookNode]:
        """The cells as they are stored."""
        cells: list[NotebookNode] = self.stored.cells
        return cells

    def outputs_of(self, number: int, settings: Settings) -> list[NotebookNode]:
        """Return what a cell shows when the notebook is run from the top."""
        if not self.results:
            self.results = run(self, settings.seconds)
        result = self.results[number]
        if isinstance(result, ExampleFailure):
            raise result
        return result

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

    def place(self, number: int) -> str:
        """Return how a reader would name a cell."""
        name = self.cells[number].get("id", "")
        return f"cell In [{self.position(number)}]" + f" ({name})" * bool(name)


def run(notebook: Notebook, seconds: float) -> dict[int, list[NotebookNode] | ExampleFailure]:
    """Return what each cell shows, or why it failed, after a fresh kernel has run them all."""
    fresh = copy.deepcopy(notebook.stored)
    code = [number for number, cell in enumerate(fresh.cells) if cell.cell_type == "code"]
    for number in code:
        fresh.cells[number].outputs = []
        if notebook.opted_out(number):
            fresh.cells[number].source = ""
    started = code[:1]  # what keeps the kernel from starting is told of the first cell
    late = f"ran for more than {seconds:g} seconds (see --example-timeout)"
    problem = ""
    client = NotebookClient(
        fresh,
        resources={"metadata": {"path": str(Path(notebook.path).absolute().parent)}},
        timeout=seconds,
        interrupt_on_timeout=True,  # so that the traceback says which line does not end
        coalesce_streams=True,  # what one print writes may come in parts
        shutdown_kernel="immediate",  # it holds nothing that could be lost
        # A tag of a cell neither skips it nor allows it to fail.
        skip_cells_with_tag="",
        force_raise_errors=True,
        on_cell_start=lambda cell, cell_index: started.append(cell_index),
    )
    try:
        client.execute()
    except CellExecutionError as error:  # a late cell is interrupted, and raises for that
        # Of an error in how a value shows itself, the kernel replies None, and the cell shows it.
        shown = reversed(fresh.cells[started[-1]].outputs)
        told = next((output for output in shown if output.output_type == "error"), error)
        problem = late if told.ename == "KeyboardInterrupt" else f"raises {told.ename}"
        problem += f": {told.evalue}" if told.evalue else ""
    except CellTimeoutError:
        problem = late
    except DeadKernelError:
        problem = "ended the kernel"
    except NoSuchKernel as error:
        problem = f"needs a kernel that is not installed: {error.name}"
    except Exception as error:  # whatever a kernel does, the other files are checked
        problem = f"cannot be run: {type(error).__name__}: {error}"
    results: dict[int, list[NotebookNode] | ExampleFailure] = {}
    for number in code:
        cell = fresh.cells[number]
        results[number] = cell.outputs
        if problem and number == started[-1]:
            results[number] = failure_of(notebook, number, cell, problem)
        elif problem and number > started[-1]:
            place = notebook.place(started[-1])
            reason = f"not run, because {place} failed"
            results[number] = NotReached(notebook.path, notebook.place(number), reason)
    return results


def failure_of(notebook: Notebook, number: int, cell: NotebookNode, problem: str) -> ExampleFailure:
    """Return what to tell the author about a cell that did not run to its end."""
    place = notebook.place(number)
    trace = "\n".join(line for output in cell.outputs for line in output.get("traceback", []))
    # Not of a function in another cell, which the error may have passed through.
    line = re.search(LINE_IN_CELL.format(cell.execution_count), COLOUR.sub("", trace))
    if line:
        place += f", line {line[1]}"
        problem += "\n\n" + listing(cell.source.split("\n")[int(line[1]) - 1])
    return ExampleFailure(notebook.path, place, problem)


@dataclass(frozen=True)
class CellExample(Example):
    """One code cell of a notebook, to be checked or brought up to date."""

    notebook: Notebook
    number: int

    @property
    def name(self) -> str:
        """Where it stands."""
        return f"cell:{self.notebook.position(self.number)}"

    @property
    def code(self) -> str:
        """What it runs."""
        source: str = self.cell.source
        return source

    @property
    def cell(self) -> NotebookNode:
        """The cell as it is stored."""
        return self.notebook.cells[self.number]

    @property
    def outputs(self) -> int:
        """How many outputs are compared: all of a cell's count as one."""
        return int(bool(self.cell.outputs))

    def check(self, settings: Settings) -> None:
        """Raise an `ExampleFailure` unless the cell shows what is stored as its outputs."""
        stored, position = self.cell.outputs, self.notebook.position(self.number)
        if not self.cell.source.strip():
            raise self.failure("stores an output and has no code")
        shown = self.shown(settings)
        expected, actual = text_of(stored), text_of(shown)
        found = difference(expected, actual, exact=settings.exact)
        if found:
            problem = comparison(found.message, expected, actual, exact=settings.exact)
            raise self.failure(problem, f", line {found.line + 1} of its output")
        if kinds(stored) != kinds(shown):
            raise self.failure(f"stores {kinds(stored)}, and shows {kinds(shown)}")
        pairs = zip(images(stored), images(shown), strict=True)
        for count, (image, drawn) in enumerate(pairs, 1):
            apart = image_difference(image, drawn, exact=settings.exact)
            if apart:
                raise self.failure(apart, f", image {count} of its output")
        # Last, so that it hides none of the above.
        counts = {output.get("execution_count", position) for output in stored}
        if {self.cell.execution_count} | counts != {position}:
            raise self.failure(
                f"is stored as In [{self.cell.execution_count}], and is code cell {position} from "
                "the top: restart the kernel and run all cells"
            )

    def shown(self, settings: Settings) -> list[NotebookNode]:
        """Return what the cell shows when the notebook is run, if all of it can be compared."""
        outputs = self.notebook.outputs_of(self.number, settings)
        for output in outputs:
            if output.get("name") == "stderr":
                raise self.failure(f"writes to stderr:\n\n{listing(output.text)}")
            if len(output.get("text", "")) > MOST_CHARACTERS:
                raise self.failure(f"printed more than {MOST_CHARACTERS} characters")
            for kind in sorted(output.get("data", {}).keys() - IMAGES):
                if not kind.startswith("text/"):
                    raise self.failure(f"shows {kind}, which is not compared: show text or PNG")
        return outputs

    def refresh(self, settings: Settings) -> list[Edit]:
        """Return the edits that store what the cell shows, if any are needed."""
        try:
            self.check(Settings(exact=True, seconds=settings.seconds))
        except ExampleFailure:
            shown = self.shown(settings)  # fails again where the code is at fault
        else:
            return []
        changed = copy.deepcopy(self.notebook.stored)
        cell = changed.cells[self.number]
        summary = summary_of_change(text_of(cell.outputs), text_of(shown))
        if images(cell.outputs) != images(shown):
            summary = f"another image; {summary}"
        cell.execution_count, cell.outputs = self.notebook.position(self.number), shown
        for output in shown:
            if "metadata" in output:
                output.metadata = {}
        written = nbformat.writes(changed)
        first, last = lines_of_cells(written)[self.number]
        _, end = lines_of_cells(nbformat.writes(self.notebook.stored))[self.number]
        lines = written.split("\n")[first : last - 1]
        return [Edit(self.path, self.line, self.line + 1, end, lines, summary)]

    def failure(self, problem: str, where: str = "") -> ExampleFailure:
        """Return a failure that names the cell as a reader would find it."""
        place = self.notebook.place(self.number)
        return ExampleFailure(self.path, place + where, problem)


def text_of(outputs: Sequence[NotebookNode]) -> str:
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


def kinds(outputs: Sequence[NotebookNode]) -> str:
    """Return what kinds of output there are, in their order."""
    named = [
        f"{output.output_type} of {', '.join(sorted(output.get('data', {})) or ['text'])}"
        for output in outputs
    ]
    # What is printed may be stored in several parts.
    pairs = zip(named, ["", *named], strict=False)
    parts = [kind for kind, before in pairs if not kind == before == "stream of text"]
    return "; ".join(parts) or "nothing"


def images(outputs: Sequence[NotebookNode]) -> list[bytes]:
    """Return each image, as the bytes of a file."""
    return [
        decoded(output.data[kind])
        for output in outputs
        for kind in sorted(IMAGES & output.get("data", {}).keys())
    ]


def decoded(encoded: str) -> bytes:
    """Return the bytes of a file that is stored in base 64, or none where it is not."""
    try:
        return base64.b64decode(encoded)
    except ValueError:
        return b""
