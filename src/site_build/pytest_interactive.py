"""A pytest plugin: each stage, each figure to hold and each drawing of the model is compared.

With `--update-outputs` it is written, once the outputs are, from which it has its numbers.
"""

import os
import re
import sys
from collections.abc import Iterator
from difflib import unified_diff
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from site_build.stage import Staged

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
        text = self.path.read_text("utf-8")
        if any(f"\n```{kind} " in text for kind in ("hand", "stage", "whole")):
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
    from site_build.interactive.chromium import BrowserError, draw_figure, draw_model
    from site_build.markdown.extension import OPTION, PageReader
    from site_build.markdown.states import drawn_path
    from site_build.model_explorer import drawing_path
    from site_build.stage import scene_of
    from tensor_examples.fences import find_fences

    text = path.read_text("utf-8")
    reader, lines = PageReader(root, scene_of(text), path.stem), text.split("\n")
    try:
        reader.run(lines)
    except ValueError as error:
        yield 1, str(error)
        return
    for fence in find_fences(lines):
        if fence.language not in ("hand", "whole"):
            continue
        options = {name: value for name, _, value in OPTION.findall(fence.info)}
        name = options.get("figure", "")
        try:
            if fence.language == "hand":
                stands, drawn = drawn_path(name), draw_figure(name, numbers_of(options, reader))
            else:
                stands, drawn = drawing_path(options), draw_model(options)
        except ValueError as error:
            yield fence.opening, str(error)
            continue
        except BrowserError as error:
            yield fence.opening, str(error)
            return
        if difference := other_than(stands, drawn, update):
            yield fence.opening, f'"{stands.stem}" looks otherwise now: {WRITE}{difference}'
    if reader.staged.states:
        yield from problems_with_stills(reader.staged, update)


def problems_with_stills(staged: "Staged", update: bool) -> Iterator[tuple[int, str]]:
    """Yield what is wrong with the stills of a page, or write them."""
    from site_build.interactive.chromium import BrowserError, draw_stills
    from site_build.stage import DRAW

    try:
        drawn = draw_stills(staged)
    except (ValueError, BrowserError) as error:
        yield 1, str(error)
        return
    for state, svg in drawn.items():
        if difference := other_than(staged.still(state), svg, update):
            yield 1, f'the state "{state}" looks otherwise now: {DRAW}{difference}'
    for still in staged.folder.glob("*.svg"):
        if still.stem not in drawn and update:
            still.unlink()
        elif still.stem not in drawn:
            yield 1, f'no section is in the state "{still.stem}", which is drawn: {DRAW}'


def other_than(stands: Path, drawn: str, update: bool) -> str:
    """Return how a drawing differs from the one that stands, or write it."""
    before = stands.read_text("utf-8") if stands.is_file() else ""
    if update:
        stands.parent.mkdir(parents=True, exist_ok=True)
        stands.write_text(drawn, "utf-8")
        return ""
    was, is_now = (TAG.sub("\n", text).split("\n") for text in (before, drawn))
    return (
        "\n".join(["", *unified_diff(was, is_now, lineterm="", n=0)][:10]) if was != is_now else ""
    )
