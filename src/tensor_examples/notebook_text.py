"""The text of a notebook: its prose, its images' descriptions, the comments of its code."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from nbformat import NotebookNode

from tensor_examples.checks import Contents, refused
from tensor_examples.conventions import Dialect
from tensor_examples.equations import Formula, formulas_in
from tensor_examples.example import Malformed, NotRun
from tensor_examples.fences import find_fences, text_outside
from tensor_examples.kernel import outputs_text
from tensor_examples.markdown import lines_of_others, page_blocks, prose_of
from tensor_examples.prose import Prose, lines_with_numbers


@dataclass(frozen=True)
class CellLines:
    """The lines of the file that a cell has, counted from 1."""

    first: int
    last: int
    source: list[int]  # one for each line of the source
    alt: int  # of the description of its image, or of its metadata


# A cell and its place in the file.
PlacedCells = Sequence[tuple[NotebookNode, CellLines]]


def places_of(text: str) -> Iterator[CellLines]:
    """Yield the place of each cell of a notebook that is written as Jupyter writes it."""
    lines, first = text.split("\n"), 0
    for last, line in enumerate(lines, 1):
        if line == "  {":
            first = last
        elif first and line in ("  }", "  },"):
            starts = {
                each.partition(":")[0]: n for n, each in enumerate(lines[first:last], first + 1)
            }
            source, metadata = starts['   "source"'], starts['   "metadata"']
            count = next(n for n, each in enumerate(lines[source:], 1) if each[:5] != '    "')
            own = list(range(source + 1, source + count)) or [source]
            yield CellLines(first, last, own, starts.get('    "alt"', metadata))
            first = 0


def refused_text(path: str, cells: PlacedCells) -> Iterator[Malformed]:
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
            for found in page_blocks(path, source, fences):
                problem = "code in the text of a notebook is not run: write it into a cell of code"
                if isinstance(found, Malformed):
                    problem = found.problem
                refusals.append(Malformed(path, first + found.line - 1, problem))
        elif cell.source:
            problem = "a raw cell is compared with nothing: write text or code"
            refusals.append(Malformed(path, first, problem))
    quotes, examples = [*outside, *beside], code_and_outputs(cells)
    refusals += refused(path, Contents(code, outside, beside, quotes, examples))
    for each in refusals:
        yield replace(each, line=lines[each.line - 1])


def formulas_of(
    path: str, cells: PlacedCells, dialect: Dialect
) -> Iterator[Formula | NotRun | Malformed]:
    """Yield each displayed formula of a notebook, which runs after all of its cells."""
    sources = [(0, cell.source) for cell, _ in cells if cell.cell_type == "code"]
    for cell, place in cells:
        if cell.cell_type == "markdown":
            lines = cell.source.split("\n")
            for found in formulas_in(path, lines, list(find_fences(lines)), sources, dialect):
                yield replace(found, line=place.source[found.line - 1])


def prose_lines(path: str, cells: PlacedCells) -> Iterator[Prose | Malformed]:
    """Yield each line with numbers, or what is wrong with them."""
    code = code_and_outputs(cells)
    for prose, lines in prose_in(cells):
        for found in lines_with_numbers(path, prose, code):
            yield replace(found, line=lines[found.line - 1])


def code_and_outputs(cells: PlacedCells) -> str:
    """Return the code of a notebook, and its outputs."""
    code = [cell for cell, _ in cells if cell.cell_type == "code"]
    return "\n".join(f"{cell.source}\n{outputs_text(cell.outputs)}" for cell in code)


def prose_in(cells: PlacedCells) -> Iterator[tuple[str, list[int]]]:
    """Yield each piece of prose in a notebook, and the line of the file for each of its lines."""
    for cell, place in cells:
        if cell.cell_type == "markdown":
            lines = cell.source.split("\n")
            yield prose_of(lines, list(find_fences(lines))), place.source
        if alt := cell.metadata.get("alt"):  # what an image shows, for those who cannot see it
            yield alt, [place.alt] * (alt.count("\n") + 1)
