"""The examples of docstrings, and the line at which each failure is told."""

import pytest

from tensor_examples.docstrings import parse_source
from tensor_examples.example import Malformed
from tests.tensor_examples.elsewhere import Project

MODULE = '''
    """A module.

    >>> from module import double
    >>> double(2)
    4
    """

    def double(x):
        """Return twice a number.

        Example:
            >>> from module import double
            >>> for x in (1, 2):
            ...     print(double(x))
            2
            4
            >>> double("a")[5]
            Traceback (most recent call last):
                ...
            IndexError: string index out of range
            >>> print("a\\\\n\\\\nb")
            a
            <BLANKLINE>
            b
        """
        return 2 * x

    class Number:
        """
        >>> None
        """
    '''.replace('"""Return', 'r"""Return').replace("\\\\", "\\")


def test_right_docstrings_pass(project: Project) -> None:
    project.write("module.py", MODULE)
    assert project.run().passed == 7


WRONG = {
    "an echoed value": ("\n4\n", "\n5\n", "5: expected 5, got 4"),
    "a second line": ("        4\n", "        5\n", "16: expected 5, got 4"),
    "a message": ("range\n", "reach\n", "20: expected reach, got range"),
    "another exception": ("IndexError", "KeyError", "20: expected KeyError, got IndexError"),
    "no exception": ("[5]", "[0]", "17: should raise an exception, and raises none"),
    "after an empty line": ("        b\n", "        c\n", "24: expected c, got b"),
    "a forgotten import": ("from module import double\n", "x = 1\n", "4: raises NameError"),
    "an unexpected exception": ("double(2)\n", "double(None)\n", "4: raises TypeError"),
}


@pytest.mark.parametrize(("old", "new", "message"), WRONG.values(), ids=WRONG.keys())
def test_a_wrong_docstring_fails_at_its_line(
    project: Project, old: str, new: str, message: str
) -> None:
    text = project.write("module.py", MODULE).read_text().replace(old, new, 1)
    for newline in ("\n", "\r\n"):
        assert f"module.py:{message}" in project.told("module.py", text.replace("\n", newline))


MALFORMED = {
    "a comment": "# >>> 1\n",
    "a comment after code": "x = 1  # >>> 1\n",
    "a string": 'x = """\n>>> 1\n1\n"""\n',
    "a string on one line": 'x = ">>> 1"\n',
    "a doctest directive": '"""\n>>> 1  # doctest: +SKIP\n2\n"""\n',
    "a backslash": '"""\n>>> print("a\\n")\n"""\n',
    "quotes after the output": '"""\n>>> 1\n1"""\n',
    "quotes after the code": '"""\n>>> 1"""\n',
    "an indent that changes": '"""\n    >>> if 1:\n  ...     2\n"""\n',
}


@pytest.mark.parametrize("module", MALFORMED.values(), ids=MALFORMED.keys())
def test_what_looks_like_an_example_and_is_none_is_an_error(module: str) -> None:
    assert [type(example) for example in parse_source("module.py", module)] == [Malformed]


def test_a_prompt_within_a_line_is_no_example() -> None:
    assert list(parse_source("module.py", '"""Write `>>>` before code."""\nx = y >> 1\n')) == []


def test_docstrings_are_read_and_not_imported(project: Project) -> None:
    module = 'raise SystemExit\ndef f():\n    """\n    >>> 1\n    1\n    """\n'
    assert "1 passed" in project.told("module.py", module)


def test_tests_are_not_collected(project: Project) -> None:
    for name in ("test_a.py", "tests/helper.py", "conftest.py"):
        project.write(name, "# >>> 1\n")
    assert project.run().counts == {}


def test_letters_of_other_scripts_before_a_docstring_do_not_shift_it(project: Project) -> None:
    module = 'def ünïcode(ä="ö"): """Ünïcode.\n\n    >>> 1\n    2\n    """\nx = """ü"""\n'
    assert "module.py:4: expected 2, got 1" in project.told("module.py", module)
