"""A pytest plugin: each figure in the reader's hands is drawn, and compared with its page.

With `--update-outputs` it is written, once the outputs are, from which it has its numbers.
"""

import os
import re
import sys
from collections.abc import Iterator
from difflib import unified_diff
from pathlib import Path

import pytest

DOCS = "docs"
TAG = re.compile("(?<=>)(?=<[^/])")  # begins a line, where two drawings are compared
TO_WRITE = pytest.StashKey[list[Path]]()


class HandsError(Exception):
    """Figures that are not as their pages show them: a line for each."""


def pytest_configure(config: pytest.Config) -> None:
    """Begin with nothing to write."""
    config.stash[TO_WRITE] = []


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> "HandsFile | None":
    """Collect the pages."""
    in_docs = file_path.is_relative_to(parent.config.rootpath / DOCS)
    if file_path.suffix != ".md" or not in_docs:
        return None
    return HandsFile.from_parent(parent, path=file_path)


class HandsFile(pytest.File):
    """A page that may have figures in the reader's hands."""

    def collect(self) -> Iterator["HandsItem"]:
        """Yield one item for all of them."""
        if "\n```hand " in self.path.read_text("utf-8"):
            yield HandsItem.from_parent(self, name="interactive")


class HandsItem(pytest.Item):
    """The figures of a page."""

    def runtest(self) -> None:
        """Draw and compare them, or remember the page."""
        from site_build.interactive.chromium import MISSING, browser

        if browser() is None and "CI" not in os.environ:
            pytest.skip(MISSING)
        if self.config.getoption("update_outputs", False):
            self.config.stash[TO_WRITE].append(self.path)
        elif told := list(problems_with_figures(self.path, self.config.rootpath)):
            path = self.path.relative_to(self.config.rootpath)
            raise HandsError("\n".join(f"{path}:{line}: {problem}" for line, problem in told))

    def repr_failure(
        self, excinfo: pytest.ExceptionInfo[BaseException], style: object = None
    ) -> str:
        """Show the lines alone, if the figures are wrong and not what draws them."""
        return str(excinfo.value if excinfo.errisinstance(HandsError) else excinfo.getrepr())


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write the figures of the pages whose outputs have been written."""
    root = session.config.rootpath
    for path in session.config.stash[TO_WRITE]:
        for line, problem in problems_with_figures(path, root, update=True):
            sys.stderr.write(f"\n{path.relative_to(root)}:{line}: {problem}\n")
            session.exitstatus = pytest.ExitCode.TESTS_FAILED


def problems_with_figures(
    path: Path, root: Path, update: bool = False
) -> Iterator[tuple[int, str]]:
    """Yield what is wrong with the figures of a page, with the line of each; or write them."""
    from site_build.interactive import WRITE, numbers_of
    from site_build.interactive.chromium import BrowserError, draw_figure
    from site_build.markdown.extension import OPTION, PageReader
    from site_build.markdown.states import DRAWN, drawn_path
    from tensor_examples.fences import find_fences

    reader, lines = PageReader(root), path.read_text("utf-8").split("\n")
    try:
        reader.run(lines)
    except ValueError as error:
        yield 1, str(error)
        return
    for fence in find_fences(lines):
        if fence.language != "hand":
            continue
        options = {name: value for name, _, value in OPTION.findall(fence.info)}
        name = options.get("figure", "")
        try:
            drawn = draw_figure(name, numbers_of(options, reader))
        except ValueError as error:
            yield fence.opening, str(error)
            continue
        except BrowserError as error:
            yield fence.opening, str(error)
            return
        stands = drawn_path(name)
        if update:
            DRAWN.mkdir(exist_ok=True)
            stands.write_text(drawn, "utf-8")
        elif not stands.is_file() or stands.read_text("utf-8") != drawn:
            before = stands.read_text("utf-8") if stands.is_file() else ""
            was, is_now = (TAG.sub("\n", text).split("\n") for text in (before, drawn))
            difference = "\n".join([*unified_diff(was, is_now, lineterm="", n=0)][:9])
            yield fence.opening, f'the figure "{name}" looks otherwise now: {WRITE}\n{difference}'
