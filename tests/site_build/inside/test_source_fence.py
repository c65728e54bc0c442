"""What a `source` fence shows of a module."""

import pytest

from site_build.inside.source_fence import without_docstrings

MODULE = '''"""A module."""


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


def test_a_function_comes_without_its_docstring() -> None:
    assert without_docstrings(MODULE, "double") == "def double(x):\n    return 2 * x"


def test_a_class_comes_with_its_methods() -> None:
    shown = without_docstrings(MODULE, "Adder")
    assert shown.startswith(
        "class Adder:\n    step = 1\n\n    def add(self, x):\n        def once():"
    )
    assert "Add" not in shown.removeprefix("class Adder")


def test_a_method_comes_at_the_margin() -> None:
    assert without_docstrings(MODULE, "Adder.add") == (
        "def add(self, x):\n    def once():\n        return x + self.step\n\n    return once()"
    )


def test_a_method_keeps_its_decorator_and_is_not_the_function_of_that_name() -> None:
    shown = without_docstrings(MODULE, "Adder.double")
    assert shown == "@staticmethod\ndef double(x):\n    return [x, x]"


@pytest.mark.parametrize(
    "name",
    ["", "add", "step", "Adder.step", "Adder.", "Adder.add.once", "Subtracter.add", "double.x"],
)
def test_a_name_that_is_not_there_is_an_error(name: str) -> None:
    with pytest.raises(ValueError, match="to show"):
        without_docstrings(MODULE, name)
