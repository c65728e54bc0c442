"""The text of a notebook: its prose, its images' descriptions, the comments of its code."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from nbformat import NotebookNode

from tensor_examples.checks import Contents, refused
from tensor_examples.example import Malformed, Run
from tensor_examples.fences import find_fences, text_outside
from tensor_examples.kernel import Aside, Notebook, text_of
from tensor_examples.markdown import blocks_of, lines_of_others, prose_of
from tensor_examples.notebook_lines import Place
from tensor_examples.prose import Prose, lines_with_numbers

# A cell and its place in the file.
Cells = Sequence[tuple[NotebookNode, Place]]


def refused_text(path: str, cells: Cells) -> Iterator[Malformed]:
    """Yield an error for all that is shown as a result, and is not the output of a cell."""
    lines: list[int] = []  # of the file, for the lines of all sources, one after another
    code: list[tuple[int, str]] = []
    outside: list[tuple[int, str]] = []
    beside: list[tuple[int, str]] = []
    refusals: list[Malformed] = []
    for cell, place in cells:
        first = len(lines) + 1
        lines += place.source
        if cell.cell_type == "code":
            code.append((first, cell.source))
        elif cell.cell_type == "markdown":
            source = cell.source.split("\n")
            fences = list(find_fences(source))
            outside += [(first + n - 1, line) for n, line in text_outside(source, fences)]
            beside += [(first + n - 1, line) for n, line in lines_of_others(fences)]
            for found in blocks_of(path, source, fences):
                problem = "code in the text of a notebook is not run: write it into a cell of code"
                if isinstance(found, Malformed):
                    problem = found.problem
                refusals.append(Malformed(path, first + found.line - 1, problem))
        elif cell.source:
            problem = "a raw cell is compared with nothing: write text or code"
            refusals.append(Malformed(path, first, problem))
    refusals += refused(path, Contents(code, outside, beside, code_of(cells)))
    for each in refusals:
        yield replace(each, line=lines[each.line - 1])


@dataclass(frozen=True)
class ProseOfNotebook(Prose):
    """A line of a notebook. Its code is an aside of the notebook."""

    notebook: Notebook
    aside: Aside

    def printed(self, run: Run) -> str:
        """Return what the aside prints."""
        number = len(self.notebook.cells) + self.notebook.asides.index(self.aside)
        return text_of(run.result(self.notebook, number))


def prose_lines(path: str, cells: Cells) -> Iterator[Prose | Malformed]:
    """Yield each line with numbers, or what is wrong with them."""
    code = code_of(cells)
    for prose, lines in prose_in(cells):
        for found in lines_with_numbers(path, prose, code):
            yield replace(found, line=lines[found.line - 1])


def code_of(cells: Cells) -> str:
    """Return the code of a notebook, and its outputs."""
    code = [cell for cell, _ in cells if cell.cell_type == "code"]
    return "\n".join(f"{cell.source}\n{text_of(cell.outputs)}" for cell in code)


def prose_in(cells: Cells) -> Iterator[tuple[str, list[int]]]:
    """Yield each piece of prose in a notebook, and the line of the file for each of its lines."""
    for cell, place in cells:
        if cell.cell_type == "markdown":
            lines = cell.source.split("\n")
            yield prose_of(lines, list(find_fences(lines))), place.source
        if alt := cell.metadata.get("alt"):  # what an image shows, for those who cannot see it
            yield alt, [place.alt] * (alt.count("\n") + 1)
