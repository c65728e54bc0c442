"""What stands in a notebook beside the outputs that are compared: its text, and its comments."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace

import nbformat
from nbformat import NotebookNode

from tensor_examples import checks
from tensor_examples.example import Example, Malformed, Settings
from tensor_examples.markdown import examples, find_fences, parse_page, prose_of
from tensor_examples.notebooks import Notebook, text_of
from tensor_examples.prose import Prose, lines_of
from tensor_examples.script import Script

FIRST_LINE = '   "source": ['  # as Jupyter writes it; below it, each line is one of the file
ALT = '    "alt": '  # what an image shows, for those who cannot see it


def cells_of(text: str) -> Iterator[tuple[NotebookNode, int]]:
    """Yield the cells of a notebook that are not empty, and the line on which each source begins.

    The notebook is written as Jupyter writes it.
    """
    lines = text.split("\n")
    starts = [number + 1 for number, line in enumerate(lines, 1) if line == FIRST_LINE]
    stored = (cell for cell in nbformat.reads(text, 4).cells if cell.source)
    return zip(stored, starts, strict=False)


def beside_examples(path: str, text: str) -> Iterator[Malformed]:
    """Yield an error for what would be shown as a result, and is not the output of a cell."""
    for cell, line in cells_of(text):
        if cell.cell_type == "code":
            for offset, problem in checks.in_comments(cell.source):
                yield Malformed(path, line + offset, problem)
        elif cell.cell_type == "markdown":
            lines = cell.source.split("\n")
            script = Script(path, cell.source, parse_page)
            for example in examples(script, lines, list(find_fences(lines))):
                problem = "code in the text of a notebook is not run: write it into a cell of code"
                if isinstance(example, Malformed):
                    problem = example.problem
                yield Malformed(path, line + example.line - 1, problem)


@dataclass(frozen=True)
class ProseOfNotebook(Prose):
    """A line of a notebook. Its code is a cell that only the run of the tests has, at the end."""

    notebook: Notebook
    number: int  # of that cell

    def printed(self, settings: Settings) -> str:
        """Return what the cell prints."""
        return text_of(self.notebook.outputs_of(self.number, settings))


def prose_of_notebook(notebook: Notebook, text: str) -> Iterator[Example]:
    """Yield each line with numbers, or what is wrong with them."""
    code = "\n".join(
        f"{cell.source}\n{text_of(cell.outputs)}"
        for cell in notebook.cells
        if cell.cell_type == "code"
    )
    for prose, first in prose_in(text):
        for found in lines_of(notebook.path, prose, code):
            placed = replace(found, line=first + found.line - 1)
            if isinstance(placed, Prose):
                number = len(notebook.cells)
                if placed.code:
                    cell = nbformat.v4.new_code_cell(placed.code, id=str(placed.line))
                    notebook.cells.append(cell)
                placed = ProseOfNotebook(placed.path, placed.line, placed.numbers, notebook, number)
            yield placed


def prose_in(text: str) -> Iterator[tuple[str, int]]:
    """Yield each piece of prose in a notebook, and the line of the file on which it begins."""
    for cell, first in cells_of(text):
        if cell.cell_type == "markdown":
            lines = cell.source.split("\n")
            yield prose_of(lines, list(find_fences(lines))), first
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith(ALT):
            yield json.loads(line.removeprefix(ALT).rstrip(",")), number
