"""What an author means: code that raises, and an output that is another at each run."""

import nbformat
import pytest

from tensor_examples.meant import varies
from tests.tensor_examples.elsewhere import Project, block

DIVISION = "ZeroDivisionError: division by zero"


@pytest.mark.parametrize(
    ("shown", "told"),
    [
        (DIVISION, ""),
        (f"Traceback (most recent call last):\n  File, line 1\n{DIVISION}", ""),
        (f"-----\nZeroDivisionError   Traceback (most recent call last)\n1 / 0\n\n{DIVISION}", ""),
        ("ZeroDivisionError: float division", "expected float, got division"),
        ("ValueError: division by zero", "expected ValueError, got ZeroDivisionError"),
        ("inf", "raises ZeroDivisionError"),
    ],
)
@pytest.mark.parametrize("language", ["output", "", "text"])
@pytest.mark.parametrize("fragments", ["true", "false"])
def test_an_output_may_end_with_the_error_that_its_code_raises(
    project: Project, shown: str, told: str, language: str, fragments: str
) -> None:
    project.configure(fragments=fragments)
    page = block("print(1)\n1 / 0", f"1\n{shown}").replace("```output", f"```{language}")
    outcome = project.told("page.md", page)
    assert ("1 passed" in outcome, "1 outputs" in outcome) == (not told, not told), outcome
    assert told in outcome
    assert "1 passed" not in project.told("page.md", page.replace("\n1\n", "\n2\n"))


def test_an_error_that_is_shown_and_not_raised_is_a_mistake(project: Project) -> None:
    project.configure(fragments="true")
    assert "page.md:6: expected ZeroDivisionError, got 1" in project.told(
        "page.md", block("print(1)", DIVISION)
    )


def test_an_error_is_written_anew(project: Project) -> None:
    project.configure()
    page = block("print(1)\n1 / 0", "Traceback (most recent call last):\n  ...\nValueError: 1")
    path = project.write("page.md", page)
    project.run("--update-outputs")
    assert path.read_text() == page.replace("...\nValueError: 1", f"...\n{DIVISION}").replace(
        "Trace", "1\nTrace"
    )


def test_what_is_not_installed_hides_the_error_that_is_shown(project: Project) -> None:
    project.configure(fragments="true")
    page = block("import mylib\n1 / 0", DIVISION) + block("open('nowhere')", DIVISION)
    page += block("import torch.distributed as d\nd.barrier()")
    told = project.told("page.md", page)
    assert "line:2: not run: mylib is not installed" in told
    assert "line:10: not run: it needs a file, a network or a device: FileNotFoundError" in told
    assert "line:17: not run: it needs a group of processes" in told


@pytest.mark.parametrize(
    ("code", "is_meant"),
    [
        ("1 / 0  # raises", True),
        ("1 / 0  # Error!", True),
        ("1 / 0  # ZeroDivisionError", True),
        ("1 / 0  # an ArithmeticError", True),
        ("# this fails:\n1 / 0", True),
        ("max(\n    1 / 0,  # ❌\n    2)", True),
        ("1 / 0\n# raises an exception", True),
        ("1 / 0  # ValueError", False),
        ("1 / 0  # does not raise", False),
        ("1 / 0  # never fails", False),
        ("1 / 0  # half", False),
        ("1 / 0\n\n# an error", False),
        ("x = 1  # an error\n\n1 / 0", False),
    ],
)
def test_a_comment_says_that_code_raises(project: Project, code: str, is_meant: bool) -> None:
    project.configure(fragments="true")
    told = project.told("page.md", block(code) + block("print(1)", "1"))
    assert ("not compared: a comment says that it raises Zero" in told) == is_meant, told
    assert ("raises ZeroDivisionError: division" in told) != is_meant
    project.configure()
    assert "raises ZeroDivisionError: division" in project.run().text, "a page is one script"


@pytest.mark.parametrize(
    ("text", "is_meant"),
    [
        ("This raises an error:", True),
        ("### 27. Which of these are legal?", True),
        ("Make it immutable (read-only)", True),
        ("It is short. Dividing by 0 fails: see below.", True),
        ("A ZeroDivisionError comes.", True),
        ("A ValueError comes.", False),
        ("This raises no error.", False),
        ("Divide:", False),
        ("This raises an error.\n\nDivide:", False),
        ("This raises an error.\n\n# Divide", False),
        ("# Which are legal?\nDivide:", True),
        ("# Errors\n\nDivide:", True),
        ("# Errors\n\n## Others\n\nDivide:", False),
    ],
)
@pytest.mark.parametrize("is_page", [True, False])
def test_the_text_beside_says_that_code_raises(
    project: Project, text: str, is_meant: bool, is_page: bool
) -> None:
    project.configure(fragments="true")
    if is_page:
        project.write("page.md", f"{text}\n\n{block('x = 1')}{block('1 / x')}\n{block('1 / 0')}")
    else:
        path = project.notebook("book.ipynb", ("x = 1", ""), ("1 / 0", ""))
        book = nbformat.read(path, as_version=4)
        book.cells.insert(0, nbformat.v4.new_markdown_cell(text, id="text"))
        nbformat.write(book, path)
    told = project.run().text
    said = "not compared: the text beside it says that it raises: ZeroDivisionError"
    assert (said in told, "raises ZeroDivisionError: division" in told) == (is_meant, not is_meant)


@pytest.mark.parametrize(
    ("text", "is_meant"),
    [
        ("results in an error. Look:", False),
        ("results in an error. (If not, what then?)\n\nMore.", True),
        ("# Errors", False),
        ("Fine.\n\nAn error.", False),
    ],
)
def test_the_text_directly_below_says_it_as_well(
    project: Project, text: str, is_meant: bool
) -> None:
    project.configure(fragments="true")
    page = f"{block('1 / 0')}\n{text}\n\n{block('x = 1')}"
    said = "not compared: the text beside it says that it raises: ZeroDivisionError"
    assert (said in project.told("page.md", page)) == is_meant
    (project.folder / "page.md").unlink()
    path = project.notebook("book.ipynb", ("1 / 0", ""), ("x = 1", ""))
    book = nbformat.read(path, as_version=4)
    book.cells.insert(1, nbformat.v4.new_markdown_cell(text, id="text"))
    nbformat.write(book, path)
    assert (said in project.run().text) == is_meant


def test_a_tag_says_that_a_cell_of_a_fragment_raises(project: Project) -> None:
    project.configure(fragments="true")
    path = project.notebook("book.ipynb", ("1 / 0", ""), ("print(1)", "2"))
    book = nbformat.read(path, as_version=4)
    book.cells[0].metadata.tags = ["raises-exception"]
    nbformat.write(book, path)
    assert project.run().counts == {"passed": 1, "failed": 1}
    project.configure()
    assert "raises ZeroDivisionError" in project.run().text, "a tag does not make a script right"


def test_the_text_beside_says_nothing_of_code_that_shows_an_output(project: Project) -> None:
    project.configure(fragments="true")
    page = f"This raises an error:\n\n{block('print(1 / 0)', '1')}"
    assert "page.md:4: raises ZeroDivisionError" in project.told("page.md", page)
    (project.folder / "page.md").unlink()
    path = project.notebook("book.ipynb", ("print(1 / 0)", "1"))
    book = nbformat.read(path, as_version=4)
    book.cells.insert(0, nbformat.v4.new_markdown_cell("This raises an error:", id="text"))
    nbformat.write(book, path)
    assert "raises ZeroDivisionError: division" in project.run().text


def test_what_a_machine_lacks_is_no_mistake(project: Project) -> None:
    project.configure(fragments="true")
    project.write("helper.py", "def f():\n    return nothing\n")
    lacks = (
        "try:\n    import mylib\nexcept ImportError as e:\n    raise ImportError('get it') from e"
    )
    page = [lacks, "open('nowhere')", "from math import nothing", "raise ImportError('get that')"]
    told = project.told("page.md", "".join(map(block, page)))
    assert "line:2: not run: mylib is not installed" in told
    assert "not run: it needs a file, a network or a device: FileNotFoundError" in told
    assert "page.md:11: raises ImportError: cannot import name 'nothing'" in told
    assert "line:14: not run: what it asks for (get that) is not installed" in told
    (project.folder / "page.md").unlink()
    project.notebook("book.ipynb", *((code, "") for code in page))
    told = project.run().text
    assert "cell:1: not run: mylib is not installed" in told
    assert "cell:2: not run: it needs a file, a network or a device: FileNotFoundError" in told
    assert "cell In [3] (cell-3), line 1: raises ImportError: cannot import name" in told
    assert "cell:4: not run: what it asks for (get that) is not installed" in told


def test_what_a_block_would_have_put_into_a_list_is_not_there(project: Project) -> None:
    project.configure(fragments="true")
    page = block("data = {}") + block("data['a'] = 1 / 0") + block("print(data['a'])", "1")
    assert "line:8: not run: it needs 'data' of line 5, which failed" in project.told(
        "page.md", page
    )


RANDOM = """
import random
import numpy, torch
print(random.random(), torch.rand(2))
numpy.random.rand(3)
"""


def test_what_differs_from_run_to_run_is_not_compared(project: Project) -> None:
    project.configure(fragments="true")
    shown = "0.1 tensor([0.5204, 0.2503])\narray([0.27, 0.1, 0.4])"
    page = block(RANDOM, shown) + block("print(1 + 1)", "3")
    told = project.told("page.md", page)
    assert "page.md::line:2: not compared: it prints something else at each run" in told
    assert "page.md:19: expected 3, got 2" in told
    assert "page.md:2: " not in told
    wrong = page.replace("array(", "list(")
    assert "page.md:11: expected 0.1" in project.told("page.md", wrong), "words do not vary"
    project.configure()
    assert "page.md:11: expected 0.1" in project.told("page.md", page), "a script sets its seed"


def test_a_cell_that_differs_from_run_to_run_is_not_compared(project: Project) -> None:
    project.configure(fragments="true")
    project.notebook(
        "book.ipynb",
        ("import torch\nprint(torch.rand(2))", "tensor([0.5, 0.25])"),
        ("print(1)", "2"),
    )
    told = project.run().text
    assert "book.ipynb::cell:1: not compared: it prints something else at each run" in told
    assert "cell In [2] (cell-2), line 1 of its output: expected 2, got 1" in told


@pytest.mark.parametrize(
    ("expected", "first", "second", "may_be"),
    [
        ("0.5", "0.25", "0.75", True),
        ("[1 2 3]", "[4 5 6]", "[4 6 7]", True),  # dice may fall alike
        ("[1 2 3]", "[1 5 6]", "[1 5 7]", False),
        ("loss 4, 0.1 s", "loss 3, 0.2 s", "loss 3, 0.3 s", True),  # half of it varies
        ("a 1 b 2 c 0.1", "a 1 b 3 c 0.2", "a 1 b 3 c 0.3", False),
        ("took 1 s", "took 2 s", "took 3 s", True),
        ("took 1 s", "takes 2 s", "takes 3 s", False),
        (
            "took 9 ms ± 1 µs (7 runs, 10,000 loops)",
            "took 2 s ± 3 ms (7 runs, 1 loop)",
            "took 4 s ± 5 ms (7 runs, 1 loop)",
            True,
        ),
        ("two words", "1 s", "1 min 2 s", True),  # its length varies
        ("1", "2", "2", False),
        ("<Array [[], [1, 2]]>", "<Array [[3], [4]]>", "<Array [[5], [6]]>", True),  # ragged
        ("Array [1]", "Array [2], shape=1", "Array [3], shape=1", False),
    ],
)
def test_only_what_varies_may_be_another(
    expected: str, first: str, second: str, may_be: bool
) -> None:
    assert varies(expected, first, second) == may_be


def test_an_author_says_that_an_output_may_vary(project: Project) -> None:
    project.configure()
    page = block("print([1, 2])", "[1, 3]  # may vary") + block("print(1)  # random", "2")
    page += block("print(1)  # randomly", "2") + block("x = 1", "2  # may vary")
    told = project.told("page.md", page)
    assert "line:2, line:9: not compared: a comment says that it may vary" in told
    assert "page.md:20: expected 2, got 1" in told
    assert "page.md:27: expected 2, got nothing more" in told
    project.configure(rules=["outputs"])
    assert "4 failed" in project.run().text


def test_a_device_forgives_what_needs_it_and_nothing_else(project: Project) -> None:
    project.configure(fragments="true")
    log = block("print('Requirement already satisfied: nvidia-cuda')")
    other = block("import torch\ntorch.ones(1, device='cuda')") + block("print(1)", "2")
    told = project.told("page.md", log + other)
    assert "line:5: not run: it needs cuda" in told
    assert "page.md:13: expected 2, got 1" in told
    (project.folder / "page.md").unlink()
    project.notebook("book.ipynb", ("print('cuda')", "cuda"), ("print(1)", "2"), ("1 / 0", ""))
    told = project.run().text
    assert "book.ipynb:cell In [2] (cell-2), line 1 of its output: expected 2, got 1" in told
    assert "book.ipynb:cell In [3] (cell-3), line 1: raises ZeroDivisionError" in told


def test_a_name_that_only_a_branch_sets_is_not_there(project: Project) -> None:
    project.configure(fragments="true")
    page = block("x = 1\nif x > 1:\n    y = 2") + block("print(y)") + block("del x\nprint(x)")
    told = project.told("page.md", page)
    assert "line:7: not run: no block above sets 'y'" in told
    assert "page.md:11: raises NameError" in told
