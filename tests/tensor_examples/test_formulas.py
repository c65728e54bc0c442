"""A displayed formula runs where it stands: on a page, in a fold, a docstring and a notebook."""

from collections.abc import Callable, Iterator

import pytest
from nbformat import v4

from site_build.dialect import DIALECT
from tensor_examples.docstrings import parse_source
from tensor_examples.equations import Formula
from tensor_examples.example import Example, NotRun, Run, Settings
from tensor_examples.failures import ExampleFailure
from tensor_examples.markdown import parse_page
from tensor_examples.notebooks import parse_notebook

CODE = """\
import torch
query = torch.tensor([[1.0, 2.0]])
key = torch.tensor([[3.0, 0.5], [0.0, 1.0]])
scores = query @ key.T"""
RIGHT = r"$$\mathrm{scores}_{ij} = \sum_e \mathrm{query}_{ie} \, \mathrm{key}_{je}$$"
MEANT = rf"{RIGHT[:-2]} \qquad \text{{(not computed: a sketch)}}$$"
Parse = Callable[[str], Iterator[Example]]
FOLD = '??? abstract "Formula"\n\n'


def indented(text: str) -> str:
    return "".join(f"    {line}\n" if line else "\n" for line in text.split("\n"))


def page(formula: str) -> Iterator[Example]:
    return parse_page("page.md", f"{formula}\n\n```python\n{CODE}\n```\n", DIALECT)


def fold(formula: str) -> Iterator[Example]:
    text = f"```python\n{CODE}\n```\n\n{FOLD}{indented(formula)}\n## Later\n"
    return parse_page("page.md", f"{text}\n```python\nscores = 0\n```\n\n## Last\n", DIALECT)


def docstring(formula: str) -> Iterator[Example]:
    example = "\n".join(f">>> {line}" for line in CODE.split("\n"))
    text = f'def f():\n    r"""{formula}\n\n{indented(example)}    """\n'
    return parse_source("module.py", text, DIALECT)


def notebook(formula: str) -> Iterator[Example]:
    cells = [v4.new_markdown_cell(formula, id="a"), v4.new_code_cell(CODE, id="b")]
    return parse_notebook("book.ipynb", v4.writes(v4.new_notebook(cells=cells)), DIALECT)


PLACES = {
    "page": (page, 1),
    "fold": (fold, 10),
    "docstring": (docstring, 2),
    "notebook": (notebook, 8),
}


@pytest.mark.parametrize(("parse", "line"), PLACES.values(), ids=PLACES)
def test_a_formula_runs_with_the_names_of_its_place(parse: Parse, line: int) -> None:
    (formula,) = (each for each in parse(RIGHT) if isinstance(each, Formula))
    assert formula.line == line
    run = Run(Settings())
    formula.check(run)
    for wrong, told in {
        RIGHT.replace("_{je}", "_{ie}"): "the axis i is 1 long",
        RIGHT.replace(r"\sum_e", r"2 \sum_e"): "the left side is 4 at i=0 at j=0",
        RIGHT.replace("query", "absent"): 'no variable "absent"',
    }.items():
        (formula,) = (each for each in parse(wrong) if isinstance(each, Formula))
        with pytest.raises(ExampleFailure) as raised:
            formula.check(run)
        assert told in raised.value.problem
        assert raised.value.place == line


@pytest.mark.parametrize(("parse", "line"), PLACES.values(), ids=PLACES)
def test_one_that_is_marked_is_counted_with_its_reason(parse: Parse, line: int) -> None:
    (left_out,) = (each for each in parse(MEANT) if isinstance(each, NotRun))
    assert (left_out.line, left_out.left_out) == (line, "not run: a formula: a sketch")
