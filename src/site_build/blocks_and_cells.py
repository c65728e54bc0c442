"""The examples and cells of a source."""

from nbformat import NotebookNode

from tensor_examples.documents import parser_of
from tensor_examples.fences import find_fences
from tensor_examples.markdown import page_blocks
from tensor_examples.notebooks import read_notebook
from tensor_examples.script import CodeBlock, ScriptExample


def blocks_in(path: str, text: str) -> dict[int, CodeBlock]:
    """Return the code of a page or a module that the tests run, by its first line."""
    if path.endswith(
        ".md"
    ):  # the checks of its prose, which parsing it as a whole includes, are slow
        lines = text.split("\n")
        found = list(page_blocks(path, lines, list(find_fences(lines))))
    else:
        examples = parser_of(path)(path, text)
        found = [each.block for each in examples if isinstance(each, ScriptExample)]
    return {block.line: block for block in found if isinstance(block, CodeBlock)}


def cells_in(notebook: str) -> list[NotebookNode]:
    """Return the cells of a notebook."""
    cells: list[NotebookNode] = read_notebook("", notebook).cells
    return cells


def outputs_in(path: str, text: str) -> int:
    """Return how many outputs a source holds, by looking at it alone."""
    if path.endswith(".ipynb"):
        return sum(bool(cell.get("outputs")) for cell in cells_in(text))
    return sum(block.output is not None for block in blocks_in(path, text).values())
