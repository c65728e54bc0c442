"""The examples and cells of a source."""

from nbformat import NotebookNode

from tensor_examples.documents import parser_of
from tensor_examples.notebooks import read
from tensor_examples.script import Block, ScriptExample


def blocks_in(path: str, text: str) -> dict[int, Block]:
    """Return the code of a page or a module that the tests run, by its first line."""
    examples = parser_of(path)(path, text)
    blocks = (example.block for example in examples if isinstance(example, ScriptExample))
    return {block.line: block for block in blocks}


def cells_in(notebook: str) -> list[NotebookNode]:
    """Return the cells of a notebook."""
    cells: list[NotebookNode] = read("", notebook).cells
    return cells


def outputs_in(path: str, text: str) -> int:
    """Return how many outputs a source holds, by looking at it alone."""
    if path.endswith(".ipynb"):
        return sum(bool(cell.get("outputs")) for cell in cells_in(text))
    return sum(block.output is not None for block in blocks_in(path, text).values())
