"""Compares what each cell of a notebook shows with what is stored."""

import base64
import contextlib
import copy
import json
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import nbformat
from nbformat import NotebookNode, v4
from nbformat.warnings import MissingIDFieldWarning

from tensor_examples.asides import Aside
from tensor_examples.compare import no_longer_true, summary_of_change
from tensor_examples.conventions import DEFAULT, Dialect
from tensor_examples.example import Edit, Example, Malformed, NotRun, Run, Settings
from tensor_examples.failures import STILL_TRUE, ExampleFailure, comparison, listing
from tensor_examples.images import image_difference
from tensor_examples.kernel import NOT_RUN, Notebook, Outputs, outputs_text
from tensor_examples.notebook_text import (
    formulas_of,
    places_of,
    prose_lines,
    refused_text,
)

IMAGES = {"image/png", "image/jpeg"}  # an SVG may hold more than its image shows


def parse_notebook(path: str, text: str, dialect: Dialect = DEFAULT) -> Iterator[Example]:
    """Yield the code cells of a notebook and its prose, if Jupyter would write it so."""
    stored = read_notebook(path, text)
    written = v4.writes(stored)
    if text.removesuffix("\n") != written:
        problem = "is not written as Jupyter writes it: run pytest --update-outputs, twice"
        yield OtherForm(path, 1, problem, text, written)
        return
    cells = list(zip(stored.cells, places_of(text), strict=True))
    yield from refused_text(path, cells)
    beside = [*prose_lines(path, cells), *formulas_of(path, cells, dialect)]
    notebook = Notebook(path, stored, tuple(each for each in beside if each.code))
    for number, (cell, place) in enumerate(cells):
        opted_out = NOT_RUN.match(cell.source) if cell.cell_type == "code" else None
        if opted_out and opted_out["reason"]:
            yield NotRun(path, place.first, opted_out["reason"])
        elif opted_out:
            yield Malformed(path, place.first, "begin the cell with # not run: the reason")
        elif cell.cell_type == "code" and (cell.source.strip() or cell.outputs):
            yield CellExample(path, place.first, place.last, notebook, number)
    for found in beside:
        if isinstance(found, Aside):
            found = replace(found, printed=partial(notebook.printed, found))
        yield found


@dataclass(frozen=True)
class OtherForm(Malformed):
    """A notebook in which a refresh would change more than the outputs."""

    text: str
    written: str  # as Jupyter writes it

    def refresh(self, run: Run) -> list[Edit]:
        """Return the edit that writes it as Jupyter does."""
        end, summary = self.text.count("\n") + 2, "written as Jupyter writes it: run this again"
        return [Edit(self.path, 1, 1, end, [*self.written.split("\n"), ""], summary)]


def read_notebook(path: str, text: str) -> NotebookNode:
    """Read a notebook, and refuse one that is not what it should be."""
    try:
        version = json.loads(text)["nbformat"]
    except ValueError as error:
        raise ExampleFailure(path, 1, f"is not JSON: {error}") from None
    except (KeyError, TypeError):
        raise ExampleFailure(path, 1, "is JSON, but not a notebook") from None
    if version != 4:
        raise ExampleFailure(path, 1, f"has notebook format {version}: save it in format 4")
    try:
        notebook: NotebookNode = v4.reads(text)
        with warnings.catch_warnings(action="error"):  # such as two cells with one id
            warnings.simplefilter("ignore", MissingIDFieldWarning)
            # Of a copy, to which it adds ids. Jupyter opens a notebook with or without them.
            nbformat.validate(copy.deepcopy(notebook), relax_add_props=True)
    except (Warning, AttributeError, nbformat.ValidationError) as error:
        reason = str(error).strip().partition("\n")[0]
        raise ExampleFailure(path, 1, f"is not a valid notebook: {reason}") from None
    return notebook


@dataclass(frozen=True)
class CellExample(Example):
    """One code cell of a notebook, to be checked or brought up to date."""

    last: int  # line of the file
    notebook: Notebook
    number: int

    is_code = True

    @property
    def end(self) -> int:
        """The line after its last."""
        return self.last + 1

    @property
    def name(self) -> str:
        """Its place among the cells of code."""
        return f"cell:{self.notebook.position(self.number)}"

    @property
    def code(self) -> str:
        """The source of the cell."""
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

    @property
    def left_out(self) -> str:
        """Which of its stored outputs are not compared, where they need not be."""
        found = {kind for output in self.cell.outputs for kind in unread(output)}
        return f"not compared: {', '.join(sorted(found))}" * bool(found)

    def check(self, run: Run) -> None:
        """Raise an `ExampleFailure` unless the cell shows what is stored as its outputs."""
        if not self.cell.source.strip():
            raise self.failure("stores an output and has no code")
        shown, rules = self.shown(run), run.settings.rules
        if "outputs" in rules or without_stderr(self.cell.outputs):
            self.compare(shown, run.settings)
        if stale := self.stale(rules):  # last, so that it hides none of the above
            raise self.failure(stale)

    def compare(self, shown: Outputs, settings: Settings) -> None:
        """Raise an `ExampleFailure` unless some outputs are those that are stored.

        Neither side's stderr counts.
        """
        stored, shown = without_stderr(self.cell.outputs), without_stderr(shown)
        expected, actual = outputs_text(stored), outputs_text(shown)
        if found := settings.difference(expected, actual):
            problem = comparison(found.message, self.code, expected, actual, settings.difference)
            raise self.failure(problem, f", line {found.line + 1} of its output")
        if output_kinds(stored) != output_kinds(shown):
            raise self.failure(f"stores {output_kinds(stored)}, and shows {output_kinds(shown)}")
        pairs = zip(decoded_images(stored), decoded_images(shown), strict=True)
        for count, (image, drawn) in enumerate(pairs, 1):
            apart = image_difference(image, drawn, exact=settings.exact)
            if apart:
                raise self.failure(apart, f", image {count} of its output")

    def stale(self, rules: frozenset[str]) -> str:
        """Say what is stored of an earlier run."""
        stored, position = self.cell.outputs, self.notebook.position(self.number)
        if "outputs" in rules and without_stderr(stored) != stored:
            return "stores what was written to stderr, and writes nothing there"
        counts = {output.get("execution_count", position) for output in stored}
        if {self.cell.execution_count} | counts == {position}:
            return ""
        counted = f"is stored as In [{self.cell.execution_count}], and is code cell {position}"
        return f"{counted} from the top: restart the kernel and run all cells"

    def shown(self, run: Run) -> Outputs:
        """Return what the cell shows when the notebook is run, if the rules allow all of it."""
        outputs = run.result(self.notebook, self.number)
        for output in outputs if "outputs" in run.settings.rules else []:
            if output.get("name") == "stderr":
                raise self.failure(f"writes to stderr:\n\n{listing(output.text)}")
            for kind in unread(output):
                raise self.failure(f"shows {kind}, which is not compared: show text or PNG")
        return outputs

    def refresh(self, run: Run) -> list[Edit]:
        """Return the edits that store what the cell shows, if any are needed."""
        shown = copy.deepcopy(self.shown(run))
        if "outputs" not in run.settings.rules and not self.cell.outputs:
            return []
        with contextlib.suppress(ExampleFailure):
            self.compare(shown, Settings(exact=True))
            if not self.stale(run.settings.rules):
                return []
        changed = copy.deepcopy(self.notebook.stored)
        cell = changed.cells[self.number]
        before, after = outputs_text(cell.outputs), outputs_text(shown)
        if not run.settings.accept_false and no_longer_true(before, after):
            raise self.failure(STILL_TRUE)
        summary = summary_of_change(before, after)
        if decoded_images(cell.outputs) != decoded_images(shown):
            summary = f"another image; {summary}"
        cell.execution_count, cell.outputs = self.notebook.position(self.number), shown
        for output in shown:
            if "metadata" in output:
                output.metadata = {}
        written = v4.writes(changed)
        place = list(places_of(written))[self.number]
        lines = written.split("\n")[place.first : place.last - 1]
        return [Edit(self.path, self.line, self.line + 1, self.last, lines, summary)]

    def failure(self, problem: str, where: str = "") -> ExampleFailure:
        """Return a failure that names the cell as a reader would find it."""
        place = f"{self.notebook.place(self.number)}{where}"
        return ExampleFailure(self.path, place, problem)


def without_stderr(outputs: Sequence[NotebookNode]) -> Outputs:
    """Return the outputs that are compared."""
    return [output for output in outputs if output.get("name") != "stderr"]


def unread(output: NotebookNode) -> list[str]:
    """Return the kinds of an output that are not compared."""
    kinds = sorted(output.get("data", {}).keys() - IMAGES)
    return [kind for kind in kinds if not kind.startswith("text/")]


def output_kinds(outputs: Sequence[NotebookNode]) -> str:
    """Return what kinds of output there are, in their order."""
    named = [
        f"{output.output_type} of {', '.join(sorted(output.get('data', {})) or ['text'])}"
        for output in outputs
    ]
    # What is printed may be stored in several parts.
    pairs = zip(named, ["", *named], strict=False)
    parts = [kind for kind, before in pairs if not kind == before == "stream of text"]
    return "; ".join(parts) or "nothing"


def decoded_images(outputs: Sequence[NotebookNode]) -> list[bytes]:
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
