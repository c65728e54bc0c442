"""The pytest plugin: collects the examples of pages, docstrings and notebooks.

Load it with `-p tensor_examples.plugin`; a `conftest.py` would only see files below its own
folder.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sybil import Sybil
from sybil.integration.pytest import SybilFile, SybilItem

from tensor_examples import refresh
from tensor_examples.docstrings import DocstringDocument
from tensor_examples.isolation import remember
from tensor_examples.markdown import parse_page
from tensor_examples.notebooks import NotebookDocument
from tensor_examples.script import Edit, ExampleFailure

SUFFIXES = {".md", ".ipynb", ".py"}


EDITS: pytest.StashKey[list[Edit]] = pytest.StashKey()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the two ways of running that are not the default."""
    group = parser.getgroup("printed examples")
    group.addoption(
        "--exact-outputs",
        action="store_true",
        help="compare outputs character for character, for use with pinned versions",
    )
    group.addoption(
        "--update-outputs",
        action="store_true",
        help="write what the code prints into the files, instead of comparing",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Prepare to collect edits."""
    config.stash[EDITS] = []


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Write the edits, and say which files changed."""
    config = terminalreporter.config
    edits = config.stash[EDITS]
    for path, count in refresh.write(edits).items():
        place = Path(path).relative_to(config.rootpath)
        terminalreporter.write_line(f"updated {place}: {count} output(s)")


class ExampleItem(SybilItem):
    """One example: passes when its code prints what is written below it."""

    def runtest(self) -> None:
        """Check the example, or bring its output up to date."""
        if self.config.getoption("update_outputs"):
            edit = self.example.parsed.refresh()
            if edit:
                self.config.stash[EDITS].append(edit)
        else:
            self.example.parsed.check(exact=self.config.getoption("exact_outputs"))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Show the place, what was expected and what came, and none of the machinery."""
        if isinstance(excinfo.value, ExampleFailure):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)


class ExampleFile(SybilFile):
    """A file with examples, isolated from the other files of the run."""

    def collect(self) -> Iterator[ExampleItem]:
        """Find the examples of the file."""
        [sybil] = self.sybils
        for example in sybil.parse(self.path).examples():
            yield ExampleItem.from_parent(self, sybil=sybil, example=example)

    def setup(self) -> None:
        """Note the state that the examples may change."""
        self.restore: Callable[[], None] = remember()

    def teardown(self) -> None:
        """Leave the state as it was before the first example."""
        self.restore()


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> ExampleFile | None:
    """Collect pages, notebooks and the docstrings of the sources; tests collect themselves."""
    if file_path.suffix not in SUFFIXES:
        return None
    if file_path.suffix == ".py" and is_test(file_path, parent.config):
        return None
    sybil = Sybil(
        parsers=[parse_page],
        document_types={".py": DocstringDocument, ".ipynb": NotebookDocument},
    )
    return ExampleFile.from_parent(parent, path=file_path, sybils=[sybil])


def is_test(path: Path, config: pytest.Config) -> bool:
    """Say whether pytest collects a Python file as tests, or as their helpers."""
    return config.rootpath / "tests" in path.parents or path.name == "conftest.py"
