"""A number in prose is what the page prints, or what the expression behind it gives."""

import re
from pathlib import Path

import nbformat
import pytest

from site_build.dialect import DIALECT
from tensor_examples.documents import parser_of
from tensor_examples.example import Malformed
from tensor_examples.markdown import parse_page, without_comments
from tensor_examples.numbers import MINUS, numbers_in
from tensor_examples.prose import Prose, neighbours
from tests.tensor_examples.elsewhere import Project, block
from tests.tensor_examples.project_files import PAGES

CODE = block("import math\nx = 0.54733\nmany = [0.12, 0.13]\nprint(x)", "0.54733")
NEGATIVE = block("print(-4 / 7)", "-0.571")
THREE_LINES_ABOVE = "Title\n\nText\n"


def problems(prose: str) -> list[int]:
    """Return the lines of some prose above a block that are refused, from 1."""
    found = parse_page("page.md", f"{prose}\n\n{CODE}")
    return [example.line for example in found if isinstance(example, Malformed)]


UNBOUND = {
    "a sentence": "It takes 0.5743 of it.",
    "with a sign": f"It falls by {MINUS}0.5473 then.",
    "with the other sign": f"It rises by +0.57.\n\n{NEGATIVE}",
    "without a zero": "It takes .5743 of it.",
    "with an exponent": "It takes 5.743e-1 of it.",
    "a percentage": "It takes 57 % of it.",
    "a percentage without a space": "It takes 57% of it.",
    "a percentage in words": "It takes 57 percent of it.",
    "a table": "| a |\n| --- |\n| 0.57 |",
    "a heading": "## Why 0.57",
    "the caption of an output": '```python\nprint(1)\n```\n\n```output caption="0.57"\n1\n```',
    "an alternative text": "![It is 0.57](a.png)",
    "the text of a link": "[0.57](page.md)",
    "html": '<p class="question">Why 0.57?</p>',
    "a description": "---\ndescription: It is 0.57.\n---",
    "bold": "It is **0.57**.",
    "the end of a sentence": "It is 0.57.",
    "one that a neighbour could be taken for": "It is 0.12.",
    "one that the neighbour below could be taken for": "It is 0.13.",
    "a comment that is no expression": "It is 0.55<!-- the share of bank -->.",
    "a comment without anything": "It is 0.55<!-- -->.",
    "a comma": "It takes 0,57 of it.",
    "a space in HTML": "It takes 57&nbsp;% of it.",
    "a percentage on two lines": "It takes 57\n    percent of it.",
    "all": "I am 100 % sure, and 0.1.",
    "behind a word of a name": "Divided by 2.57, and 7.57 in the model 0.57.",
    "a name in small letters": "It is llama 5.7.",
    "a ratio": "It is 0.57/0.43.",
    "in brackets without a space": "It is (0.55,0.57).",
    "in italics": "It is _0.57_.",
    "with a letter": "It has 5.7B, 0.57k, 0.57x or 2.57GB.",
    "a percentage with a hyphen": "A 57-percent share.",
    "a fraction in a formula": r"It is $\frac{0.57}{0.55}$.",
    "an example in other words": "It is 0.57<!-- an example of it -->.",
    "a formula": r"It is $e + 1 \approx 0.57$.",
    "a formula of its own": "$$\nx = 0.57\n$$",
    "no version": "In torch, 0.57 of it, in torch 0.57 of it.",
    "no paper": "In 0.57 of it, and Bank-wise 0.57.",
    "a tooltip": '<abbr title="It is 0.57">it</abbr>',
    "the title of a block": '```python title="prints 0.57"\nprint(1)\n```\n\n```output\n1\n```',
    "an attribute that is shown": '<p data-tip="It is 0.57">it</p>',
    "a source that is a year": "It is 0.57<!-- source: 2017 -->.",
    "a remark behind a result": "It is 0.57<!-- TODO: why? -->.",
    "a constant": "It is 0.57<!-- 0.57 -->.",
    "a constant in words": "It is 0.57<!-- '0.57' -->.",
    "a negative constant": "It is \N{MINUS SIGN}0.57<!-- -0.57 -->.",
    "arithmetic without a name": "It is 0.57<!-- 57 / 100 -->.",
    "code": "It is `lr=0.57` of it.",
    "a source of no one": "It is 0.57<!-- source: own run -->.",
    "a source without anything": "It is 0.57<!-- source: -->.",
}


@pytest.mark.parametrize("prose", UNBOUND.values(), ids=UNBOUND.keys())
def test_a_number_from_nowhere_is_refused_at_its_line(prose: str) -> None:
    place = re.search(r"[.,]\d|57|0\.", prose)
    assert place
    line = prose.count("\n", 0, place.start()) + 1
    assert set(problems(THREE_LINES_ABOVE + prose)) == {3 + line}


BOUND = {
    "as it is printed": "It is 0.54733.",
    "rounded": "It is 0.547, or 0.55.",
    "with its sign, or as a size": f"It is {MINUS}0.57, or falls by 0.57.\n\n{NEGATIVE}",
    "a percentage": "It is 55 %.",
    "an expression": "It is 0.60<!-- x + 0.05 -->, ",
    "a source": "It was 28.4<!-- source: Vaswani et al. 2017, table 2 -->.",
    "a whole number": "It is 12 of 14.",
    "code": "It is `lr=0.55` of it, or `lr=0.7, x`<!-- an example -->.",
    "a formula": "It is $0.547 x$, or $$x = 0.55$$.",
    "a bound formula": "It is $e + 1 \\approx 0.60$<!-- x + 0.05 -->.",
    "one decimal, with a neighbour": "It is 0.1 or 0.5.",
    "two whole numbers": "It runs 24/7, on 1/3 of it.",
    "times": "It is 0.55x, 0,55 or 55&nbsp;%.",
    "parts of a text": "See section 3.2, sections 4.2 and 4.3, and § 3.2.",
    "models": "GPT-3.5 or Llama 3.1.",
    "an example": "It takes 0.7<!-- an example --> of it.",
    "a paper": "arXiv:1706.03762",
    "a table of versions": "| library | version |\n| --- | --- |\n| torch | 2.13 |",
    "a remark": "There are 8<!-- TODO: explain points --> points.",
    "an address": "[a](https://example.org/0.57/1.5) and <https://example.org/0.57>",
    "a section": "In section 3.1, and in sections 3.1, 3.2 and 3.4.",
    "a version": "Since PyTorch 2.6, in torch 2.6, for Python 3.11 or newer and version 1.2.3.",
    "a comment": "<!-- it was 0.57 -->",
    "an example of a page": "````markdown\nIt is 0.57<!-- y -->.\n````",
    "a setting": "```toml\nlr = 0.547\n```",
}


@pytest.mark.parametrize("prose", BOUND.values(), ids=BOUND.keys())
def test_a_number_that_comes_from_somewhere_is_fine(prose: str) -> None:
    assert problems(THREE_LINES_ABOVE + prose) == []


WRONG = {
    "It is 0.61<!-- x + 0.05 -->.": "0.61 is written, and x + 0.05 is 0.60",
    "It is 61 %<!-- x + 0.05 -->.": "61 % is written, and x + 0.05 is 60 %",
    f"It is {MINUS}0.60<!-- x + 0.05 -->.": f"{MINUS}0.60 is written, and x + 0.05 is 0.60",
    "It is 3<!-- len(many) -->.": "3 is written, and len(many) is 2",
    "It is 2,153<!-- 2150 + len(many) -->.": "2,153 is written, and 2150 + len(many) is 2,152",
    "It is **0.61**<!-- x + 0.05 -->.": "0.61 is written, and x + 0.05 is 0.60",
    "It is 6.1e-1<!-- x + 0.05 -->.": "6.1e-1 is written, and x + 0.05 is 6.0e-01",
    "It is .61<!-- x + 0.05 -->.": ".61 is written, and x + 0.05 is .60",
    "0.60<!-- x + 0.05 --> and 3<!-- len(many) -->": "3 is written, and len(many) is 2",
    "It is 0.61<!-- many -->.": "raises TypeError",
    "It is 0.61<!-- y -->.": "raises NameError: name 'y' is not defined",
}


@pytest.mark.parametrize(("prose", "told"), WRONG.items())
def test_a_wrong_number_fails_at_its_line(project: Project, prose: str, told: str) -> None:
    for page in (f"{CODE}\n{prose}\n", f"# Above the code\n\n{prose}\n\n{CODE}"):
        line = page.split("\n").index(prose) + 1
        assert f"page.md:{line}: {told}" in project.told("page.md", page)


def test_an_expression_knows_the_blocks_above_it(project: Project) -> None:
    page = f"{block('x = 0.25')}\n0.25<!-- x -->\n\n{block('x = 0.75')}\n0.75<!-- x -->\n"
    project.write("page.md", f"Above all, 0.75<!-- x -->.\n\n{page}")
    assert project.run("--exact-outputs").failed == 0
    project.write("page.md", f"Above all, 0.25<!-- x -->.\n\n{page}")
    assert "page.md:1: 0.25 is written, and x is 0.75" in project.run("--exact-outputs").text


def test_a_comment_that_prints_or_changes_something_fails_at_its_line(project: Project) -> None:
    """It goes on from the names that the page has, and the page goes on without it."""
    code = "x = 1\ndef say():\n    print('loud')\n    return 0.5\ndef change():\n    exec('x = 5')"
    page = f"{block(code)}\n0.5<!-- say() -->\n\n{block('print(x)', '1')}"
    said = project.told("page.md", page)
    assert "page.md:10: a comment prints more than its number: loud 0.5" in said
    page = (
        f"{block('x = 1')}\n9<!-- vars().__setitem__('x', 5) or 9 -->\n\n{block('print(x)', '1')}"
    )
    project.write("page.md", page)
    assert project.run().failed == 0


@pytest.mark.parametrize("change", ["x.add_(1)", "torch.rand(1)", "random.random()"])
def test_a_comment_whose_function_changes_something_fails(project: Project, change: str) -> None:
    code = f"import random, torch\nx = torch.zeros(1)\ndef change():\n    {change}\n    return 0.5"
    said = project.told("page.md", f"{block(code)}\n0.5<!-- change() -->\n")
    assert "page.md:9: a comment changes what the code below it would print" in said


def test_a_number_that_is_no_result_is_listed(project: Project) -> None:
    page = f"{CODE}\n0.55, 0.7<!-- an example --> and 9 %<!-- an example -->\n"
    said = project.told("page.md", page)
    assert "page.md::prose:12: not compared: 0.7, 9 %, an example" in said
    assert "1 not run or not compared, 1 numbers in prose bound" in said
    assert "failed" not in said


BEFORE = f"""\
0.61<!-- x + 0.05 --> of it, **3**<!-- len(many) -->
| 61 %<!-- x + 0.05 --> | {MINUS}0.5<!-- -x --> |
0.61<!-- -x -->, {MINUS}0.50<!-- x -->, 9,999<!-- 2150 + len(many) -->

The end, 12."""
AFTER = f"""\
0.60<!-- x + 0.05 --> of it, **2**<!-- len(many) -->
| 60 %<!-- x + 0.05 --> | {MINUS}0.5<!-- -x --> |
{MINUS}0.55<!-- -x -->, 0.55<!-- x -->, 2,152<!-- 2150 + len(many) -->

The end, 12."""


def test_an_update_writes_what_the_expression_gives(project: Project) -> None:
    path = project.write("page.md", f"{CODE}\n{BEFORE}")
    said = project.run("--update-outputs").text
    assert path.read_bytes() == f"{CODE}\n{AFTER}".encode()
    assert "page.md:12: was 0.61, now 0.60; was 3, now 2" in said
    assert project.run("--exact-outputs").failed == 0


@pytest.mark.parametrize("exact", [[], ["--exact-outputs"]])
def test_a_tie_may_be_rounded_either_way(project: Project, exact: list[str]) -> None:
    third = "0.3333<!-- abs(1 / 3) -->"
    project.write("page.md", f"It is 0.12<!-- abs(1 / 8) -->, 0.13<!-- abs(1/8) -->, {third}.\n")
    assert project.run(*exact).failed == 0
    for wrong in (third.replace("33<", "34<"), "0.11<!-- abs(1 / 8) -->", "0.5<!-- abs(1e999) -->"):
        project.write("page.md", wrong)
        assert project.run(*exact).failed == 1


def test_the_comments_are_not_shown() -> None:
    prose = "**0.60**<!-- x + 0.05 --> and `0.5<!-- x -->`, <!-- a remark -->2<!-- len(many) -->"
    shown = "**0.60** and `0.5<!-- x -->`, <!-- a remark -->2"
    code = "```python\ny = '0.5<!-- x -->'\n```"
    fence = '```output caption="0.6<!-- x -->"\n0.60<!-- x + 0.05 --> of it\n```'
    bare = '```output caption="0.6"\n0.60<!-- x + 0.05 --> of it\n```'
    assert without_comments(f"{prose}\n{code}\n{fence}\n") == f"{shown}\n{code}\n{bare}\n"


@pytest.mark.parametrize("digit", "0123456789")
def test_every_other_digit_of_a_bound_number_is_found(digit: str) -> None:
    for place in (2, 3):
        written = "0.55"[:place] + digit + "0.55"[place + 1 :]
        assert (problems(f"It is {written}.") == []) == (written == "0.55")


def test_what_numbers_there_are() -> None:
    prose = "From 0.4\N{EN DASH}0.6, +0.5 or 1,234.5; 2.5-fold, 1.2.3, v1.5, 5.0e3 and 3/4.5."
    found = [number.written for number in numbers_in(prose)]
    assert found == ["0.4", "0.6", "+0.5", "1,234.5", "2.5", "5.0e3", "4.5"]


def in_notebook(project: Project, text: str, alt: str = "") -> str:
    """Write a notebook with a cell of text, and return what pytest says."""
    path = project.notebook("book.ipynb", ("x = 0.54733\nprint(x)", "0.54733\n"))
    book = nbformat.read(path, 4)
    book.cells.insert(0, nbformat.v4.new_markdown_cell(f"Text\n\n{text}", id="text"))
    book.cells[1].metadata.alt = alt
    nbformat.write(book, path)
    return project.run("--exact-outputs").text


def test_numbers_in_a_notebook_are_bound(project: Project) -> None:
    said = in_notebook(project, "It is 0.55, or 0.60<!-- x + 0.05 -->.", alt="A bar of 0.547.")
    assert "3 numbers in prose bound" in said
    assert "failed" not in said


def test_a_wrong_number_in_a_notebook_fails_at_its_line(project: Project) -> None:
    text = "It is 0.61<!-- x + 0.05 -->, or\n0.54.\nIt is 0.7<!-- y -->."
    said = in_notebook(project, text, alt="A bar of 0.57.")
    lines = (project.folder / "book.ipynb").read_text().split("\n")
    for number, problem in {
        "0.61": "0.61 is written, and x + 0.05 is 0.60",
        "0.54.": "0.54 is in no output",
        "0.7<": "raises NameError: name 'y' is not defined",
        "A bar": "0.57 is in no output",
    }.items():
        line = next(count for count, line in enumerate(lines, 1) if number in line)
        assert f"book.ipynb:{line}: {problem}" in said


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=[path.stem for path in PAGES])
def test_a_wrong_last_digit_in_the_prose_of_this_project_is_found(page: Path) -> None:
    text, parse = page.read_text("utf-8"), parser_of(page.name, DIALECT)
    for by in (-1, 1):
        lines, wrong = text.split("\n"), []
        for prose in [each for each in parse(str(page), text) if isinstance(each, Prose)]:
            for number in [n for n in prose.numbers if n.said is None and any(neighbours(n))]:
                last = number.column + len(number.sign + number.digits) - 1
                line = lines[prose.line - 1]
                if line[last] != "09"[by == 1]:
                    lines[prose.line - 1] = f"{line[:last]}{int(line[last]) + by}{line[last + 1 :]}"
                    wrong.append((prose.line, lines[prose.line - 1][number.column : last + 1]))
        found = [each for each in parse(str(page), "\n".join(lines)) if each.rule == "prose"]
        told = [each.line for each in found if isinstance(each, Malformed)]
        assert told == [line for line, _ in dict.fromkeys(wrong)]  # each number of a line once
