"""What stands in a notebook beside the outputs that are compared: its text, and its comments."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace

import nbformat

from tensor_examples import refusals
from tensor_examples.example import Edit, Example, Malformed, Settings
from tensor_examples.markdown import examples, find_fences, parse_page, prose_of
from tensor_examples.notebooks import Notebook, text_of
from tensor_examples.prose import Prose, lines_of
from tensor_examples.script import Script

FIRST_LINE = '   "source": ['  # as Jupyter writes it; below it, each line is one of the file
ALT = '    "alt": '  # what a picture shows, for those who cannot see it


@dataclass(frozen=True)
class Cell:
    """A cell of a notebook, as it stands in the file."""

    kind: str
    source: str
    line: int  # of the file, on which the source begins


def cells_of(text: str) -> Iterator[Cell]:
    """Yield the cells of a notebook that are not empty, if it is written as Jupyter writes it."""
    lines = text.split("\n")
    starts = [number + 1 for number, line in enumerate(lines, 1) if line == FIRST_LINE]
    stored = [cell for cell in json.loads(text)["cells"] if cell["source"]]
    for cell, line in zip(stored, starts, strict=False):
        yield Cell(cell["cell_type"], "".join(cell["source"]), line)


def beside_examples(path: str, text: str) -> Iterator[Malformed]:
    """Yield an error for what would be shown as a result, and is not the output of a cell."""
    for cell in cells_of(text):
        if cell.kind == "code":
            for offset, problem in refusals.in_comments(cell.source):
                yield Malformed(path, cell.line + offset, problem)
        elif cell.kind == "markdown":
            lines = cell.source.split("\n")
            script = Script(path, cell.source, parse_page)
            for example in examples(script, lines, list(find_fences(lines))):
                problem = "code in the text of a notebook is not run: write it into a cell of code"
                if isinstance(example, Malformed):
                    problem = example.problem
                yield Malformed(path, cell.line + example.line - 1, problem)


@dataclass(frozen=True)
class ProseOfNotebook(Prose):
    """A line of a notebook. Its code is a cell that only the run of the tests has, at the end."""

    notebook: Notebook
    number: int  # of that cell

    def printed(self, settings: Settings) -> str:
        """Return what the cell prints."""
        return text_of(self.notebook.outputs_of(self.number, settings))

    def refresh(self, settings: Settings) -> list[Edit]:
        """Fail if a number is wrong: it is corrected by hand."""
        self.check(settings)
        return []


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
                    notebook.cells.append(
                        nbformat.v4.new_code_cell(placed.code, id=placed.name[6:])
                    )
                placed = ProseOfNotebook(placed.path, placed.line, placed.numbers, notebook, number)
            yield placed


def prose_in(text: str) -> Iterator[tuple[str, int]]:
    """Yield each piece of prose in a notebook, and the line of the file on which it begins."""
    for cell in cells_of(text):
        if cell.kind == "markdown":
            lines = cell.source.split("\n")
            yield prose_of(lines, list(find_fences(lines))), cell.line
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith(ALT):
            yield json.loads(line.removeprefix(ALT).rstrip(",")), number
