"""Notebooks of exercises: they are kept solved, and a reader gets them with the solutions removed.

What is removed stands between the markers of nbgrader, whose users can take the solved edition.
"""

import re

import nbformat
from nbformat import NotebookNode

BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"
SOLUTION = re.compile(rf"^( *){BEGIN}\n.*?^ *{END}$", re.DOTALL | re.MULTILINE)


def is_solved(text: str) -> bool:
    """Tell whether a notebook has solutions that its reader should write."""
    return BEGIN in text


def to_write(text: str) -> str:
    """Return a solved notebook with dots in place of the solutions, and without outputs."""
    notebook: NotebookNode = nbformat.reads(text, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.source = SOLUTION.sub(r"\1...", cell.source)
            cell.outputs, cell.execution_count = [], None
    return f"{nbformat.writes(notebook)}\n"
