"""What stands in a notebook beside the outputs that are compared: its text, and its comments."""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from tensor_examples import refusals
from tensor_examples.example import Malformed
from tensor_examples.markdown import parse_page

FIRST_LINE = '   "source": ['  # as Jupyter writes it; below it, each line is one of the file


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
            for example in parse_page(path, cell.source):
                problem = "code in the text of a notebook is not run: write it into a cell of code"
                if isinstance(example, Malformed):
                    problem = example.problem
                yield Malformed(path, cell.line + example.line - 1, problem)
