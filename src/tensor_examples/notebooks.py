"""Runs notebooks in Jupyter's own kernel, and compares what each cell shows with what is stored.

A notebook is run from top to bottom, whichever of its cells is asked for, as its reader would
after a restart.
"""

import base64
import copy
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode
from sybil import Document, Region
from sybil.typing import Parser

from tensor_examples.compare import difference
from tensor_examples.evaluate import check
from tensor_examples.script import Edit, ExampleFailure, comparison, indent

# A picture is drawn anew and compared by its pixels: this part of them may look different,
# because another machine may smooth the edge of a letter differently.
PIXELS_THAT_MAY_DIFFER = 0.001
NOTICEABLE = 32  # of 255


class NotebookDocument(Document):
    """A notebook, each of whose code cells is an example."""

    @classmethod
    def parse(cls, path: str, *parsers: Parser, encoding: str = "utf-8") -> "NotebookDocument":
        """Read a notebook and find its code cells."""
        document = cls(Path(path).read_text(encoding), path)
        notebook = Notebook(path, document.text)
        place = 0
        for number, cell in enumerate(notebook.cells):
            # The cell's id tells where in the file it stands.
            place = document.text.index(f'"id": "{cell.id}"', place)
            if cell.cell_type == "code":
                document.add(Region(place, place + 1, CellExample(notebook, number), check))
        return document


class Notebook:
    """A notebook and, once it has been run, what its cells show."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.length = len(text)
        self.stored = nbformat.reads(text, as_version=4)
        self.cells: list[NotebookNode] = self.stored.cells
        self.executed: list[NotebookNode] | None = None

    def run(self) -> list[NotebookNode]:
        """Return the cells as they are after a fresh kernel has run them all."""
        if self.executed is None:
            fresh = copy.deepcopy(self.stored)
            folder = {"metadata": {"path": str(Path(self.path).parent)}}
            # An error is stored as the output of its cell, and fails that cell.
            NotebookClient(fresh, resources=folder, allow_errors=True).execute()
            self.executed = fresh.cells
        return self.executed

    def position(self, number: int) -> int:
        """Return the count, from one, of a cell among the code cells."""
        return sum(cell.cell_type == "code" for cell in self.cells[: number + 1])


@dataclass(frozen=True)
class CellExample:
    """One code cell of a notebook, to be checked or brought up to date."""

    notebook: Notebook
    number: int

    def check(self, exact: bool) -> None:
        """Raise an `ExampleFailure` unless the cell shows what is stored as its outputs."""
        cell = self.notebook.cells[self.number]
        position = self.notebook.position(self.number)
        if cell.execution_count != position:
            raise self.failure(
                f"is stored as In [{cell.execution_count}], but is code cell {position} from the "
                "top: restart the kernel and run all cells"
            )
        found = differing(cell.outputs, self.shown(), exact=exact)
        if found:
            raise self.failure(found)

    def refresh(self) -> Edit | None:
        """Store what the cell shows; the edit is the whole file, since it is one piece of JSON."""
        notebook, cell = self.notebook, self.notebook.cells[self.number]
        shown, position = self.shown(), notebook.position(self.number)
        if cell.execution_count == position and not differing(cell.outputs, shown, exact=True):
            return None
        cell.execution_count = position
        cell.outputs = shown
        return Edit(notebook.path, 0, notebook.length, f"{nbformat.writes(notebook.stored)}\n")

    def shown(self) -> list[NotebookNode]:
        """Return what the cell shows when the notebook is run; an error or a warning fails it."""
        outputs: list[NotebookNode] = self.notebook.run()[self.number].outputs
        for output in outputs:
            if output.output_type == "error":
                raise self.failure(f"raised {output.ename}: {output.evalue}")
            if output.output_type == "stream" and output.name == "stderr":
                raise self.failure(f"wrote to stderr\n\n{indent(output.text)}")
            if "metadata" in output:
                output.metadata = {}
        return outputs

    def failure(self, problem: str) -> ExampleFailure:
        """Return a failure that names the cell as a reader would find it."""
        cell_id = self.notebook.cells[self.number].id
        return ExampleFailure(self.notebook.path, f"cell {self.number + 1} ({cell_id})", problem)


def differing(
    stored: Sequence[NotebookNode], shown: Sequence[NotebookNode], *, exact: bool
) -> str | None:
    """Say how the stored outputs differ from those that the cell shows, if they do."""
    expected, actual = text_of(stored), text_of(shown)
    found = difference(expected, actual, exact=exact)
    if found:
        return comparison(found.message, expected, actual)
    stored_pictures, drawn_pictures = list(pictures(stored)), list(pictures(shown))
    if len(stored_pictures) != len(drawn_pictures):
        return f"stores {len(stored_pictures)} pictures, but draws {len(drawn_pictures)}"
    for stored_picture, drawn_picture in zip(stored_pictures, drawn_pictures, strict=True):
        if not look_alike(stored_picture, drawn_picture):
            return "draws another picture than the stored one: run the notebook again"
    return None


def text_of(outputs: Sequence[NotebookNode]) -> str:
    """Join what was printed and the values that were echoed.

    A picture has no text of its own: Jupyter stores the `repr` of its figure beside it.
    """
    parts = []
    for output in outputs:
        if output.output_type == "stream":
            parts.append(output.text.rstrip("\n"))
        elif output.output_type == "error":
            parts.append(f"{output.ename}: {output.evalue}")
        elif "image/png" not in output.data:
            parts.append(output.data.get("text/plain", ""))
    return "\n".join(parts)


def pictures(outputs: Sequence[NotebookNode]) -> Iterator[bytes]:
    """Yield each picture, as the bytes of a PNG file."""
    for output in outputs:
        if png := output.get("data", {}).get("image/png"):
            yield base64.b64decode(png)


def look_alike(expected: bytes, actual: bytes) -> bool:
    """Say whether two PNG files have the same size and, nearly everywhere, the same pixels."""
    from PIL import Image, ImageChops

    first, second = (Image.open(io.BytesIO(png)).convert("RGB") for png in (expected, actual))
    if first.size != second.size:
        return False
    histogram = ImageChops.difference(first, second).convert("L").histogram()
    return sum(histogram[NOTICEABLE:]) <= PIXELS_THAT_MAY_DIFFER * sum(histogram)
