"""A project of its own in an empty folder, in which the checks are turned on."""

import json
from collections.abc import Sequence
from pathlib import Path
from textwrap import dedent

import nbformat
import pytest

TURNED_ON = 'addopts = ["-p", "tensor_examples.plugin", "--examples"]'


def block(code: str, printed: str | None = None) -> str:
    """Return a block of code of a page, and below it what it prints."""
    written = f"```python\n{code}\n```\n"
    return written if printed is None else f"{written}\n```output\n{printed}\n```\n"


class Project:
    """A project of its own in an empty folder, in which the checks are turned on."""

    def __init__(self, pytester: pytest.Pytester) -> None:
        self.pytester = pytester
        self.folder = pytester.path
        self.configure(rules=["all"])

    def configure(self, **settings: Sequence[str]) -> None:
        """Write the configuration, with some of the settings of the examples."""
        lines = [f"examples_{name} = {json.dumps(value)}" for name, value in settings.items()]
        text = "\n".join(["[tool.pytest.ini_options]", 'pythonpath = ["."]', TURNED_ON, *lines])
        (self.folder / "pyproject.toml").write_text(text)

    def write(self, name: str, text: str) -> Path:
        """Write a file. Its text may be indented as the code around it is."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(dedent(text).lstrip("\n").encode())
        return path

    def notebook(self, name: str, *cells: tuple[str, str]) -> Path:
        """Write a notebook of code cells, from the code and what it prints."""
        notebook = nbformat.v4.new_notebook()
        for number, (code, printed) in enumerate(cells, 1):
            cell = nbformat.v4.new_code_cell(code, id=f"cell-{number}", execution_count=number)
            cell.outputs = [nbformat.v4.new_output("stream", text=printed)] if printed else []
            notebook.cells.append(cell)
        path = self.folder / name
        path.write_text(nbformat.writes(notebook) + "\n", encoding="utf-8")
        return path

    def told(self, name: str, text: str) -> str:
        """Write a file as it stands, run pytest, and return what that says."""
        self.write(name, "").write_bytes(text.encode())
        return self.run().text

    def run(self, *arguments: str) -> "Outcome":
        """Run pytest here."""
        return Outcome(self.pytester.runpytest_inprocess(*arguments))


class Outcome:
    """The words of a run of pytest."""

    def __init__(self, result: pytest.RunResult) -> None:
        self.result = result
        self.text = result.stdout.str() + result.stderr.str()

    @property
    def counts(self) -> dict[str, int]:
        """How many examples there were of each outcome."""
        return self.result.parseoutcomes()

    @property
    def passed(self) -> int:
        return self.counts.get("passed", 0)

    @property
    def failed(self) -> int:
        return self.counts.get("failed", 0)
