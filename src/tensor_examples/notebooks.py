"""Runs the cells of a notebook and compares what they show with the outputs stored in it.

The cells run in IPython's own shell, in this process, so that a value is echoed, printed and
drawn as Jupyter would.
"""

import base64
import io
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from sybil import Document, Example, Region
from sybil.typing import Parser

from tensor_examples.compare import difference
from tensor_examples.script import ExampleFailure, comparison, indent

# A picture is drawn anew and compared by its pixels: this many may look different, because
# another machine may smooth the edge of a letter differently.
PIXELS_THAT_MAY_DIFFER = 0.001
NOTICEABLE = 32  # of 255


class NotebookDocument(Document):
    """A notebook, each of whose code cells is an example."""

    @classmethod
    def parse(cls, path: str, *parsers: Parser, encoding: str = "utf-8") -> "NotebookDocument":
        """Read a notebook and find its code cells."""
        document = cls(Path(path).read_text(encoding), path)
        notebook = Notebook(path, nbformat.reads(document.text, as_version=4))
        place = 0
        for number, cell in enumerate(notebook.cells):
            # The cell's id tells where in the file it stands.
            place = document.text.index(f'"id": "{cell.id}"', place)
            if cell.cell_type == "code":
                region = Region(place, place + 1, cell, partial(check, notebook, number))
                document.add(region)
        return document


def check(notebook: "Notebook", number: int, example: Example) -> None:
    """Evaluate one cell, in the way that Sybil calls it."""
    notebook.check(number)


class Notebook:
    """The cells of a notebook, which share a shell and run from top to bottom."""

    def __init__(self, path: str, content: NotebookNode) -> None:
        self.path = path
        self.cells: list[NotebookNode] = content.cells
        self.code_cells = [n for n, cell in enumerate(self.cells) if cell.cell_type == "code"]
        self.shown: dict[int, list[NotebookNode]] = {}
        self.shell: Any = None

    def check(self, number: int) -> None:
        """Raise an `ExampleFailure` unless a cell shows what is stored as its outputs."""
        cell = self.cells[number]
        position = self.code_cells.index(number) + 1
        if cell.execution_count != position:
            problem = (
                f"is stored as In [{cell.execution_count}], but is code cell {position} from the "
                "top: restart the kernel and run all cells"
            )
            raise self.failure(number, problem)
        for stored in cell.outputs:
            if stored.output_type == "error":
                raise self.failure(number, f"has a stored error: {stored.ename}: {stored.evalue}")
        actual = self.run(number)
        problem = differing(cell.outputs, actual)
        if problem:
            raise self.failure(number, problem)

    def run(self, number: int) -> list[NotebookNode]:
        """Return what a cell shows when the cells above it have been run."""
        if self.shell is None:
            self.shell = new_shell()
        for earlier in self.code_cells[: self.code_cells.index(number) + 1]:
            if earlier not in self.shown:
                self.shown[earlier] = self._run(earlier)
        return self.shown[number]

    def _run(self, number: int) -> list[NotebookNode]:
        from IPython.utils.capture import capture_output

        with capture_output() as captured:
            result = self.shell.run_cell(self.cells[number].source, store_history=True)
        if not result.success:
            raise self.failure(number, f"raised\n\n{indent(captured.stdout)}")
        if captured.stderr:
            raise self.failure(number, f"wrote to stderr\n\n{indent(captured.stderr)}")
        shown = [
            nbformat.v4.new_output("display_data", data=rich.data or {})
            for rich in captured.outputs
        ]
        if captured.stdout:
            shown.insert(0, nbformat.v4.new_output("stream", name="stdout", text=captured.stdout))
        return shown

    def failure(self, number: int, problem: str) -> ExampleFailure:
        """Return a failure that names the cell as a reader would find it."""
        cell = self.cells[number]
        return ExampleFailure(self.path, f"cell {number + 1} [{cell.id}]", problem)


def new_shell() -> Any:
    """Return a shell that starts as a fresh kernel does, with pictures shown inline."""
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    config = Config()
    config.HistoryManager.enabled = False
    config.InteractiveShell.colors = "NoColor"
    InteractiveShell.clear_instance()
    shell = InteractiveShell.instance(config=config)
    shell.enable_matplotlib("inline")
    return shell


def differing(stored: Sequence[NotebookNode], actual: Sequence[NotebookNode]) -> str | None:
    """Say how the stored outputs differ from those that the cell shows, if they do."""
    expected_text, actual_text = text_of(stored), text_of(actual)
    found = difference(expected_text, actual_text)
    if found:
        return comparison(found.message, expected_text, actual_text)
    expected_pictures, actual_pictures = list(pictures(stored)), list(pictures(actual))
    if len(expected_pictures) != len(actual_pictures):
        return f"stores {len(expected_pictures)} pictures, but draws {len(actual_pictures)}"
    for expected, drawn in zip(expected_pictures, actual_pictures, strict=True):
        if not look_alike(expected, drawn):
            return "draws another picture than the stored one: run the notebook again"
    return None


def text_of(outputs: Sequence[NotebookNode]) -> str:
    """Join what was printed and the values that were echoed; a picture has no text."""
    parts = []
    for output in outputs:
        if output.output_type == "stream":
            parts.append(output.text.rstrip("\n"))
        elif not any(mime.startswith("image/") for mime in output.data):
            parts.append(output.data.get("text/plain", ""))
    return "\n".join(parts)


def pictures(outputs: Sequence[NotebookNode]) -> Iterator[bytes]:
    """Yield each picture, as the bytes of a PNG file."""
    for output in outputs:
        picture = output.get("data", {}).get("image/png")
        if isinstance(picture, str):
            yield base64.b64decode(picture)
        elif picture is not None:
            yield picture


def look_alike(expected: bytes, actual: bytes) -> bool:
    """Say whether two PNG files have the same size and, nearly everywhere, the same pixels."""
    from PIL import Image, ImageChops

    pair = [Image.open(io.BytesIO(png)).convert("RGB") for png in (expected, actual)]
    if pair[0].size != pair[1].size:
        return False
    histogram = ImageChops.difference(*pair).convert("L").histogram()
    return sum(histogram[NOTICEABLE:]) <= PIXELS_THAT_MAY_DIFFER * sum(histogram)
