"""The text of a notebook: its prose, its images' descriptions, the comments of its code."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace

import nbformat
from nbformat import NotebookNode

from tensor_examples.checks import Contents, refused
from tensor_examples.example import Malformed, Run
from tensor_examples.kernel import Notebook, text_of
from tensor_examples.markdown import blocks_of, find_fences, lines_of_others, prose_of, text_outside
from tensor_examples.prose import Prose, lines_with_numbers

FIRST_LINE = '   "source": ['  # as Jupyter writes it; below it, each line is one of the file
ALT = '    "alt": '  # what an image shows, for those who cannot see it


def cells_in(text: str) -> Iterator[tuple[NotebookNode, int]]:
    """Yield the cells of a notebook that are not empty, and the line on which each source begins.

    The notebook is written as Jupyter writes it.
    """
    lines = text.split("\n")
    starts = [number + 1 for number, line in enumerate(lines, 1) if line == FIRST_LINE]
    stored = (cell for cell in nbformat.reads(text, 4).cells if cell.source)
    return zip(stored, starts, strict=False)


def refused_text(path: str, text: str) -> Iterator[Malformed]:
    """Yield an error for all that is shown as a result, and is not the output of a cell."""
    code: list[tuple[int, str]] = []
    outside: list[tuple[int, str]] = []
    beside: list[tuple[int, str]] = []
    for cell, first in cells_in(text):
        if cell.cell_type == "code":
            code.append((first, cell.source))
        elif cell.cell_type == "markdown":
            lines = cell.source.split("\n")
            fences = list(find_fences(lines))
            outside += [(first + n - 1, line) for n, line in text_outside(lines, fences)]
            beside += [(first + n - 1, line) for n, line in lines_of_others(fences)]
            for found in blocks_of(path, lines, fences):
                problem = "code in the text of a notebook is not run: write it into a cell of code"
                if isinstance(found, Malformed):
                    problem = found.problem
                yield Malformed(path, first + found.line - 1, problem)
        else:
            yield Malformed(path, first, "a raw cell is compared with nothing: write text or code")
    yield from refused(path, Contents(code, outside, beside, code_of(nbformat.reads(text, 4))))


@dataclass(frozen=True)
class ProseOfNotebook(Prose):
    """A line of a notebook. Its code is an aside of the notebook."""

    notebook: Notebook

    def printed(self, run: Run) -> str:
        """Return what the aside prints."""
        lines = [aside.line for aside in self.notebook.asides]
        return text_of(run.result(self.notebook, len(self.notebook.cells) + lines.index(self.line)))


def prose_lines(path: str, stored: NotebookNode, text: str) -> Iterator[Prose | Malformed]:
    """Yield each line with numbers, or what is wrong with them."""
    code = code_of(stored)
    for prose, first in prose_in(text):
        for found in lines_with_numbers(path, prose, code):
            yield replace(found, line=first + found.line - 1)


def code_of(stored: NotebookNode) -> str:
    """Return the code of a notebook, and its outputs."""
    cells = [cell for cell in stored.cells if cell.cell_type == "code"]
    return "\n".join(f"{cell.source}\n{text_of(cell.outputs)}" for cell in cells)


def prose_in(text: str) -> Iterator[tuple[str, int]]:
    """Yield each piece of prose in a notebook, and the line of the file on which it begins."""
    for cell, first in cells_in(text):
        if cell.cell_type == "markdown":
            lines = cell.source.split("\n")
            yield prose_of(lines, list(find_fences(lines))), first
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith(ALT):
            yield json.loads(line.removeprefix(ALT).rstrip(",")), number
