"""The examples of docstrings, and the line at which each failure is told."""

import pytest

from tensor_examples.docstrings import parse_source
from tensor_examples.example import Malformed, Run, Settings
from tensor_examples.failures import ExampleFailure
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


FORGIVEN = '''"""
>>> print("a   b")  # doctest: +NORMALIZE_WHITESPACE
a b
>>> print("x at 12.5 s")  # doctest: +ELLIPSIS
x at ... s
"""
'''


def test_doctest_forgives_what_a_directive_or_a_setting_says(project: Project) -> None:
    project.configure()
    left_out = "module.py::line:4: not compared: what ... stands for"
    assert left_out in project.told("module.py", FORGIVEN)
    bare = FORGIVEN.replace("  # doctest: +ELLIPSIS", "")
    assert left_out in project.told("module.py", bare)  # pytest sets it where no one does
    strict = "-o", "doctest_optionflags=NORMALIZE_WHITESPACE"
    assert "module.py:5: expected ., got 12.5" in project.run(*strict).text
    assert "1 failed" in project.told("module.py", FORGIVEN.replace("at ... s", "in ... s"))


FLAGS = {
    "NUMBER": (">>> 3.14159\n3.14", ">>> 3.14159\n3.17"),
    "ALLOW_BYTES": (">>> b'a'\n'a'", ">>> b'a'\n'b'"),
    "ALLOW_UNICODE": (">>> 'a'\nu'a'", ">>> 'a'\nu'b'"),
    "IGNORE_EXCEPTION_DETAIL": (
        ">>> int('x')\nTraceback (most recent call last):\nmy.ValueError: other",
        ">>> int('x')\nTraceback (most recent call last):\nTypeError: other",
    ),
}


@pytest.mark.parametrize("flag", FLAGS)
def test_each_flag_counts_as_a_directive_and_as_a_setting(project: Project, flag: str) -> None:
    project.configure()
    for example, failed in zip(FLAGS[flag], (0, 1), strict=True):
        text = f'"""\n{example}\n"""\n'
        project.write("bare.py", text)
        first, rest = text.split("\n", 2)[1:]
        project.write("told.py", f'"""\n{first}  # doctest: +{flag}\n{rest}')
        assert project.run("told.py").failed == failed
        assert project.run("bare.py").failed == 1
        assert project.run("-o", f"doctest_optionflags={flag}").failed == 2 * failed


def test_a_docstring_knows_the_names_that_fixtures_give_to_doctest(project: Project) -> None:
    project.configure()
    conftest = """
        import math
        import pytest

        @pytest.fixture(autouse=True)
        def add_names(doctest_namespace):
            doctest_namespace |= {"m": math, "size": 3}
        """
    project.write("conftest.py", conftest)
    project.write("page.md", "```python\nprint(size)\n```\n")
    told = project.told("module.py", '"""\n>>> m.floor(2.5) + size\n6\n"""\n')
    assert "module.py:3: expected 6, got 5" in told
    assert "page.md:2: raises NameError: name 'size'" in told  # a reader has no such name
    project.write("conftest.py", conftest.replace("3}", "lambda: 3}"))
    told = project.run().text
    assert "module.py:2: doctest_namespace: 'size' cannot be sent to another process" in told
    project.configure(rules=["imports"])
    assert "module.py:2: raises NameError: name 'm' is not defined" in project.run().text


def test_where_all_output_must_be_there_nothing_is_forgiven(project: Project) -> None:
    assert "module.py:5: expected ., got 12.5" in project.told("module.py", FORGIVEN)


def test_a_prompt_within_a_line_is_no_example() -> None:
    assert list(parse_source("module.py", '"""Write `>>>` before code."""\nx = y >> 1\n')) == []


def test_a_docstring_may_be_indented_by_tabs(project: Project) -> None:
    module = 'def f():\n\t"""\n\t>>> 1\n\t2\n\t"""\n'
    assert "module.py:4: expected 2, got 1" in project.told("module.py", module)


def test_docstrings_are_read_and_not_imported(project: Project) -> None:
    module = 'raise SystemExit\ndef f():\n    """\n    >>> 1\n    1\n    """\n'
    assert "1 passed" in project.told("module.py", module)


def test_docstrings_do_not_share_names() -> None:
    module = 'def f():\n    """\n    >>> x = 1\n    """\ndef g():\n    """\n    >>> x\n    """\n'
    first, second = parse_source("module.py", module)
    first.check(Run(Settings()))
    with pytest.raises(ExampleFailure, match="raises NameError: name 'x' is not defined"):
        second.check(Run(Settings()))


def test_tests_are_not_collected(project: Project) -> None:
    for name in ("test_a.py", "tests/helper.py", "conftest.py"):
        project.write(name, "# >>> 1\n")
    assert project.run().counts == {}


def test_letters_of_other_scripts_before_a_docstring_do_not_shift_it(project: Project) -> None:
    module = 'def ünïcode(ä="ö"): """Ünïcode.\n\n    >>> 1\n    2\n    """\nx = """ü"""\n'
    assert "module.py:4: expected 2, got 1" in project.told("module.py", module)
