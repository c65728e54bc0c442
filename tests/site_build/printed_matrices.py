"""The matrices that are printed on a page, read from its source, and those with coloured cells."""

import ast
import doctest
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import nbformat
from playwright.sync_api import Page

from site_build.page.stamp import shown_files
from tensor_examples.fences import find_fences
from tensor_examples.printed import tensors_in
from tests.conftest import ROOT

DRAWN = """() => [...document.querySelectorAll(".printed-matrix, .heat-map tbody")].map((matrix) =>
  [...matrix.children].map((row) => [...row.querySelectorAll("i, td")].map((cell) =>
    cell.textContent.replace("\N{MINUS SIGN}", "-"))))"""


def printed_on(source: Path) -> Iterator[str]:
    """Yield the outputs of a page, as its source has them."""
    if source.suffix == ".ipynb":
        for cell in nbformat.read(source, as_version=4).cells:
            for output in cell.get("outputs", []):
                data = output.get("data", {})
                yield output.get("text") or ("image/png" not in data and data["text/plain"]) or ""
        return
    for fence in find_fences(source.read_text("utf-8").splitlines()):
        if fence.language == "output":
            yield "\n".join(fence.lines)
        elif fence.language == "pycon":
            yield "\n".join(line for line in fence.lines if not line.startswith((">>>", "...")))


def printed_in_docstrings(module: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(module.read_text("utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module):
            examples = doctest.DocTestParser().get_examples(ast.get_docstring(node) or "")
            yield from (example.want.replace("<BLANKLINE>", "") for example in examples)


def matrices_of(tensor: Any) -> Iterator[list[list[str]]]:
    """Yield the matrices of a tensor; a vector is a matrix of one row."""
    if not tensor:
        return
    if not isinstance(tensor[0], list):
        yield [[normal(number) for number in tensor]]
    elif not isinstance(tensor[0][0], list):
        yield [[normal(number) for number in row] for row in tensor]
    else:
        for part in tensor:
            yield from matrices_of(part)


def normal(number: str) -> str:
    return number if number in {"True", "False"} else str(float(number))


def matrices_on(source: Path) -> list[list[list[str]]]:
    """Return every matrix that is printed on a page, or in the docstrings that it shows."""
    files = shown_files(source.relative_to(ROOT).as_posix(), ROOT)
    page, *modules = (ROOT / path for path, _ in files)
    outputs = [*printed_on(page), *chain.from_iterable(map(printed_in_docstrings, modules))]
    tensors = (tensor for text in outputs for tensor in tensors_in(text))
    return [matrix for tensor in tensors for matrix in matrices_of(tensor)]


def drawn(page: Page) -> list[list[list[str]]]:
    """Return the matrices that have coloured cells on a page."""
    return [[[normal(cell) for cell in row] for row in matrix] for matrix in page.evaluate(DRAWN)]
