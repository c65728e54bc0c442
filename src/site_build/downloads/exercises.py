"""Notebooks of exercises: they are kept solved, and a reader gets them with the solutions removed.

What is removed stands between the markers of nbgrader, whose users can take the solved edition.
"""

import re

import nbformat
from nbformat import NotebookNode

from site_build.downloads.to_notebook import Link, code_cell, readable

BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"
SOLUTION = re.compile(rf"^( *){BEGIN}\n.*?^ *{END}$", re.DOTALL | re.MULTILINE)


def is_solved(text: str) -> bool:
    """Tell whether a notebook has solutions that its reader should write."""
    return BEGIN in text


def to_write(text: str, link: Link = str, setup: str = "") -> str:
    """Return a solved notebook with dots in place of the solutions, and without outputs.

    Args:
        text: The solved notebook.
        link: Makes the links of its prose absolute. Defaults to leaving them.
        setup: The code that goes before that of the notebook, if any.
    """
    notebook: NotebookNode = nbformat.reads(text, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = readable(cell.source, link)
        else:
            cell.source = SOLUTION.sub(r"\1...", cell.source)
            cell.outputs, cell.execution_count = [], None
    if setup:
        first = code_cell(setup, "")
        first.id = "setup"
        notebook.cells.insert(1, first)
    return f"{nbformat.writes(notebook)}\n"


def notebook_code(text: str) -> str:
    """Return the code of a notebook, to see what it imports."""
    cells = nbformat.reads(text, as_version=4).cells
    return "\n".join(cell.source for cell in cells if cell.cell_type == "code")
