"""A text that looks like a result, and is compared with nothing, is refused at its line."""

import nbformat
import pytest

from tensor_examples.checks import looks_printed
from tensor_examples.docstrings import parse_source
from tensor_examples.example import Malformed
from tensor_examples.markdown import parse_page
from tests.tensor_examples.elsewhere import Project, block

PAGE = {
    "a tensor in a fence of another language": ("```Text\ntensor([1., 2.])\n```", 1),
    "a tensor in a log": ("```log\nx = tensor([[1., 2.]])\n```", 1),
    "a cell's output in a fence": ("```text\nOut[1]: 4\n```", 1),
    "a table of numbers in a fence": ("```text\n0.12 0.88\n0.50 0.50\n```", 1),
    "an array of numbers in a fence": ("```json\n[[0.12, 0.88],\n [0.50, 0.50]]\n```", 1),
    "an indented tensor": ("text\n\n    tensor([1., 2.])", 3),
    "an indented shape": ("text\n\n    torch.Size([6, 2])", 3),
    "an indented output of a cell": ("text\n\n    Out[1]: 4", 3),
    "an indented table of numbers": ("text\n\n    0.12 0.88", 3),
    "indented by a tab": ("text\n\n\t[[0.12, 0.88],\n\t [0.50, 0.50]]", 3),
    "pre": ("<PRE>\n1\n</PRE>", 1),
    "samp": ("It prints <samp>4</samp>.", 1),
    "output": ("It prints <output>4</output>.", 1),
    "a table in HTML": ("<table><tr><td>duck</td><td>9</td></tr></table>", 1),
    "a drawing in HTML": ('<svg viewBox="0 0 9 9"><text>9</text></svg>', 1),
    "a page in a page": ('See\n<iframe src="bars.svg"></iframe>', 2),
    "a meter": ('<meter value="0.9"></meter>', 1),
    "a percentage in a comment of the code": (block("x = 1  # 93 % of it"), 2),
    "a table without outer bars": ("a | b | c\n--- | --- | ---\nd | 9 | 7", 3),
    "code in a comment": ("<!--\n```python\nx = 1\n```\n-->", 2),
    "an example in a comment": (f"text <!-- see\n\n{block('print(1)', '1')}\n-->", 3),
    "code in a comment after another": ("<!-- a --> <!-- b\n\n```python\nx = 1\n```\n-->", 3),
    "code behind a comment that is not closed": ("<!-- a\n\n```python\nx = 1\n```", 3),
    "a shape in a comment of the code": (block("x = 1\ny = x  # (6, 2)"), 3),
    "a named shape in a comment": (block("x = 1  # its shape is (6, 2)"), 2),
    "a tensor in a comment of the code": (block("x = 1  # tensor(17.)"), 2),
    "a torch.Size in a comment": (block("x = 1  # torch.Size([6, 2])"), 2),
    "a number as a comment": (block("x = 6 * 7  # 42"), 2),
    "an arrow to a number": (block("x = 6 * 7  # -> 42"), 2),
    "a list as a comment": (block("x = [6]  # [6]"), 2),
    "a boolean as a comment": (block("x = 1 > 2  # False"), 2),
    "a tensor in a code span": ("It is `tensor([0.0900, 0.9100])`.", 1),
    "a size in a code span": ("It is\n`torch.Size([4, 6])`.", 2),
    "a shape in a code span": (f"It is `shape (4, 6)`.\n\n{block('x = (6, 4)')}", 1),
    "a vector in a sentence": (f"It is (1, 2, 0).\n\n{block('x = [1.0, 0.0, 2.0]')}", 1),
    "a decimal in a code span": (f"It is `0.05`.\n\n{block('x = 0.04')}", 1),
    "a result in a table": ("| a | b |\n| --- | --- |\n| size | `torch.Size([9, 9])` |", 3),
    "a list from two rows": (f"(0, 1, 3, 0)\n\n{block('x = [[1, 0, 0, 1], [3, 0, 1, 0]]')}", 1),
    "a list from two outputs": (
        f"It is [2, 3].\n\n{block('x', '[1, 2]')}\n{block('y', '[3, 4]')}",
        1,
    ),
    "a list from two calls": (f"It is (2, 3).\n\n{block('f(1, 2) + f(3, 4)')}", 1),
    "lists from two lists": (f"[[3, 4], [5, 6]]\n\n{block('[[1, 2], [3, 4]], [[5, 6]]')}", 1),
    "a cell alone beside a comment": (
        f"| a | b | c |\n| --- | --- | --- |\n| d | 7 | 5<!-- x --> |\n\n{block('x = 5; y = 7')}",
        3,
    ),
    "a list in a sentence": ("It prints [[1, 9], [3, 4]] then.", 1),
    "a tensor in HTML": ("<p><code>tensor([9., 9., 3.])</code></p>", 1),
    "a result of a command": ("```sh\npython a.py\nloss 0.4387\n```", 3),
    "a size in a log of a command": ("```sh\npython a.py\ntensor([4., 6.])\n```", 3),
    "results as settings": (f"```toml\nduck = 0.93\n```\n\n{block('x = 0.92')}", 2),
    "a result in a fence of HTML": ("```html\n<p>\n0.93\n```", 3),
    "a result in a fence of a page": ("````markdown\ntensor([0.93, 0.07])\n````", 2),
    "a decimal in a comment": (block("x = 1  # the largest is 0.25"), 2),
    "a comment on a line of its own": (block("x = 1\n# prints 0.25\nx"), 3),
}


@pytest.mark.parametrize(("page", "line"), PAGE.values(), ids=PAGE.keys())
def test_a_page_is_refused_at_the_line(page: str, line: int) -> None:
    found = parse_page("page.md", f"# Title\n\n{page}\n")
    assert line + 2 in [example.line for example in found if isinstance(example, Malformed)]


FINE = {
    "words of a shape": block("x = 1  # (batch, heads, queries)"),
    "words and a number": block("x = 1  # 2 heads of 4 components"),
    "a comment that is a word": block("x = [3.0]  # muddy"),
    "a number sign in a string": block("x = '# (6, 2)'"),
    "a setting": f"```toml\nlr = 0.5\n```\n\n{block('lr = 0.5')}",
    "a quoted result": f"It is `tensor([1.0,2.0])`.\n\n{block('x = 1', 'tensor([1.0, 2.0])')}",
    "a quoted shape": f"It is `x (4, 6)`.\n\n{block('x = 1', 'torch.Size([4, 6])')}",
    "a quoted vector": f"It is (1, 0.5, 2).\n\n{block('x = [1.0, 0.5, 2.0]')}",
    "a row of a matrix": "It is (3, 4).\n\n" + block("x = [[1, 2],\n     [3, 4]]"),
    "a matrix": "It is [[1, 2], [3, 4]].\n\n" + block("x", "tensor([[1, 2],\n        [3, 4]])"),
    "numbers of a line": f"It is (3, 4).\n\n{block('x', 'loss 2 3 4')}",
    "a row of numbers with comments": "| a |\n| --- |\n| b | 7<!-- f(7) --> | 5<!-- f(5) --> |",
    "a call": "Call `torch.tensor(x)` or `x.view(2, 3)`, and take `x[0, 1]` and `size=(2, 0)`.",
    "an interval in a formula": "It is in $[0, 1]$.",
    "a version in a command": "```sh\nuv venv --python 3.11\npip install torch==2.13.0\n```",
    "a bound number in a fence of a page": "````markdown\n0.40<!-- shares[1] -->\n````",
    "a section in a comment of the code": block("x = 1  # see section 3.2 of the paper"),
    "a comment in one line": f"<!-- a remark -->\n{block('x = 1')}",
    "a comment in code": f"Write `<!--` here.\n\n{block('x = 1')}",
    "a comment in a fence": f"```html\n<!--\n```\n\n{block('x = 1')}",
    "a table of words": "| a | b | c |\n| --- | --- | --- |\n| 1 | 2 | two more words |",
    "a table of years": "| a | b |\n| --- | --- |\n| Vaswani | 2017 |",
    "a bar in code": "Take `a | b | 5`, or 2 | 3.",
    "a product": "It is 1 · 3 = 3.",
    "an indented list": "- one\n\n    - 1 of 2",
}


@pytest.mark.parametrize("page", FINE.values(), ids=FINE.keys())
def test_what_is_no_result(page: str) -> None:
    found = list(parse_page("page.md", f"# Title\n\n{page}\n"))
    assert [example for example in found if isinstance(example, Malformed)] == []


DOCSTRING = {
    "python": ("```python\n1 + 1\n```", 4),
    "output": ("```output\n3\n```", 4),
    "prompts": ("```pycon\n>>> 1 + 1\n2\n```", 4),
    "a printed tensor": ("```text\ntensor([1., 2.])\n```", 4),
    "in a section": ("Example:\n    ```python\n    1 + 1\n    ```", 5),
    "of other marks": ("~~~python\n1 + 1\n~~~", 4),
    "a result in a comment": (">>> x = 6 * 7  # 42", 4),
    "an indented tensor": ("So:\n\n    tensor([1., 2.])", 6),
    "pre": ("<pre>3</pre>", 4),
    "a tensor in a sentence": ("For it, `tensor([0.09, 0.91])`.", 4),
    "a decimal in a sentence": ("It gets 0.05 at most.", 4),
    "a prompt of Jupyter": ("In [1]: 1 + 1", 4),
}


def module(docstring: str) -> str:
    """Return a module with a function that has this docstring."""
    lines = "".join(f"    {line}\n" if line else "\n" for line in docstring.split("\n"))
    return f'def f():\n    """F.\n\n{lines}    """\n'


@pytest.mark.parametrize(("docstring", "line"), DOCSTRING.values(), ids=DOCSTRING.keys())
def test_a_docstring_is_refused_at_the_line(docstring: str, line: int) -> None:
    found = parse_source("module.py", module(docstring))
    assert line in [example.line for example in found if isinstance(example, Malformed)]


def test_the_first_line_of_a_docstring_is_read() -> None:
    found = list(parse_source("module.py", 'def f():\n    """Give 0.05 at most."""\n'))
    assert [(each.line, isinstance(each, Malformed)) for each in found] == [(2, True)]


def test_a_docstring_may_show_how_a_page_is_written() -> None:
    page = "````markdown\n```python\nprint(1)\n```\n\n```output\n2\n```\n````"
    assert list(parse_source("module.py", module(page))) == []


CELL = {
    "a fence": ("```python\n1 + 1\n```", 2),
    "an output": ("```output\n3\n```", 1),
    "a prompt": (">>> 1 + 1\n3", 1),
    "a printed tensor": ("```text\ntensor([1., 2.])\n```", 1),
    "an indented tensor": ("    tensor([1., 2.])", 1),
    "pre": ("<pre>3</pre>", 1),
    "a result of a command": ("```sh\npython a.py\nloss 0.4387\n```", 3),
    "a tensor in a sentence": ("It is `tensor([1., 2.])`.", 1),
}


def notebook(project: Project, text: str) -> str:
    """Write a notebook with a cell of text before its code, and return what pytest says."""
    path = project.notebook("book.ipynb", ("x = 1", ""))
    book = nbformat.read(path, 4)
    book.cells.insert(0, nbformat.v4.new_markdown_cell(text, id="text"))
    nbformat.write(book, path)
    return project.run("-k", "line").text


@pytest.mark.parametrize(("text", "line"), CELL.values(), ids=CELL.keys())
def test_a_notebooks_text_is_refused_at_the_line(project: Project, text: str, line: int) -> None:
    said = notebook(project, f"Text\n\n{text}")
    written = (project.folder / "book.ipynb").read_text().split("\n")
    above = next(n for n, line in enumerate(written, 1) if line.strip() == '"Text\\n",') + 1
    assert f"book.ipynb:{above + line}: " in said


def test_a_raw_cell_is_refused(project: Project) -> None:
    path = project.notebook("book.ipynb", ("x = 1", ""))
    book = nbformat.read(path, 4)
    book.cells.append(nbformat.v4.new_raw_cell("tensor([9., 9.])", id="raw"))
    nbformat.write(book, path)
    said = project.run().text
    line = path.read_text().split("\n").index('    "tensor([9., 9.])"') + 1
    assert f"book.ipynb:{line}: a raw cell is compared with nothing" in said


def test_a_notebooks_text_may_be_anything_else(project: Project) -> None:
    assert "failed" not in notebook(project, "# Title\n\n```sh\nls\n```\n\nText, and `>>>`.")


def test_a_line_of_many_spaces_is_read_at_once() -> None:
    assert not looks_printed([f"[1.{' ' * 100}and"])  # it took a time without end
    assert looks_printed([f"[1.{' ' * 100}2.]"])
