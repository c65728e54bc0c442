"""A pytest plugin: the figures of a page are drawn, as the build would draw them.

So a misspelt kind fails in `pytest docs/steps/your-page.md` already.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

DOCS = "docs"


class FiguresError(Exception):
    """Figures that cannot be drawn: a line for each."""


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> "FiguresFile | None":
    """Collect the pages, but not where their outputs are still to be written."""
    in_docs = file_path.is_relative_to(parent.config.rootpath / DOCS)
    if file_path.suffix != ".md" or not in_docs or parent.config.getoption("update_outputs", False):
        return None
    return FiguresFile.from_parent(parent, path=file_path)


class FiguresFile(pytest.File):
    """A page that may have figures."""

    def collect(self) -> Iterator["FiguresItem"]:
        """Yield one item for all its figures."""
        if "```figure" in self.path.read_text("utf-8"):
            yield FiguresItem.from_parent(self, name="figures")


class FiguresItem(pytest.Item):
    """The figures of a page."""

    def runtest(self) -> None:
        """Draw them."""
        path, root = self.path.relative_to(self.config.rootpath), self.config.rootpath
        problems = problems_of(self.path.read_text("utf-8"), root)
        if told := [f"{path}:{line}: {problem}" for line, problem in problems]:
            raise FiguresError("\n".join(told))

    def repr_failure(
        self, excinfo: pytest.ExceptionInfo[BaseException], style: object = None
    ) -> str:
        """Show the lines alone, if the figures are wrong and not what draws them."""
        return str(excinfo.value if excinfo.errisinstance(FiguresError) else excinfo.getrepr())


def problems_of(text: str, root: Path) -> Iterator[tuple[int, str]]:
    """Yield what is wrong with the figures of a page, with the line of each.

    Args:
        text: The page.
        root: The project's root folder.
    """
    # Only where a page has figures, or every run of pytest would wait for these modules.
    from site_build.figures import figure
    from site_build.markdown.extension import OPTION, PageReader
    from tensor_examples.fences import find_fences

    reader, lines = PageReader(root), text.split("\n")
    try:
        reader.run(lines)
    except ValueError as error:
        yield 1, str(error)
        return
    for fence in find_fences(lines):
        if fence.language == "figure":
            options = {name: value for name, _, value in OPTION.findall(fence.info)}
            try:
                figure(" ".join(" ".join(fence.lines).split()), options, reader)
            except Exception as error:  # of many kinds, as in the build
                yield fence.opening, str(error)
