"""The `source` fence: the part of a module that it shows."""

from pathlib import Path
from textwrap import indent

import pytest

from site_build.markdown.source_fence import shown_source, without_docstrings

MODULE = '''"""A module."""

TABLE = {
    # of one row
    "one": 1,
}


def double(x):
    """Return twice x."""
    return 2 * x


class Adder:
    """Adds."""

    step = 1

    def add(self, x):
        """Add the step.

        More about it.
        """

        def once():
            """Add it once."""
            return x + self.step

        return once()

    @staticmethod
    def double(x):
        """Return x and x."""
        return [x, x]
'''
ADD = "def add(self, x):\n    def once():\n        return x + self.step\n\n    return once()"


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("double", "def double(x):\n    return 2 * x"),
        ("TABLE", 'TABLE = {\n    # of one row\n    "one": 1,\n}'),
        ("Adder.double", "@staticmethod\ndef double(x):\n    return [x, x]"),
        ("Adder.add", ADD),
        (
            "Adder",
            f"class Adder:\n    step = 1\n\n{indent(ADD, '    ')}\n\n"
            "    @staticmethod\n    def double(x):\n        return [x, x]",
        ),
    ],
)
def test_a_definition_comes_at_the_margin_without_docstrings(name: str, shown: str) -> None:
    assert without_docstrings(MODULE, name) == shown


@pytest.mark.parametrize(
    "name",
    ["", "add", "step", "Adder.step", "Adder.", "Adder.add.once", "Subtracter.add", "double.x"],
)
def test_a_name_that_is_not_there_is_an_error(name: str) -> None:
    with pytest.raises(ValueError, match="to show"):
        without_docstrings(MODULE, name)


def test_without_a_name_the_whole_file_is_shown(tmp_path: Path) -> None:
    (tmp_path / "module.py").write_text(MODULE, "utf-8")
    assert shown_source("module.py", tmp_path) == ("module.py", MODULE.rstrip("\n"))
