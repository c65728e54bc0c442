"""A pytest plugin: what stands beside a page is what its scripts draw and its puzzles come to.

With `--update-outputs` it is written, once the outputs are, from which drawings have their numbers.
"""

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    pass

DOCS = "docs"
Problems = Iterator[tuple[int, str]]  # with their lines


class PageError(Exception):
    """What stands beside a page and is not right: a line for each."""


def pytest_configure(config: pytest.Config) -> None:
    """Begin with nothing to write."""
    config.stash[TO_WRITE] = []


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> "PageFile | None":
    """Collect the pages."""
    in_docs = file_path.is_relative_to(parent.config.rootpath / DOCS)
    if file_path.suffix != ".md" or not in_docs:
        return None
    return PageFile.from_parent(parent, path=file_path)


class PageFile(pytest.File):
    """A page that may have drawings and puzzles."""

    def collect(self) -> Iterator["PageItem"]:
        """Yield one item for all its drawings, and one for all its puzzles."""
        text = self.path.read_text("utf-8")
        for name, (fences, _) in KINDS.items():
            if any(f"\n```{fence} " in text for fence in fences):
                yield PageItem.from_parent(self, name=name)


class PageItem(pytest.Item):
    """The drawings of a page, or its puzzles."""

    def runtest(self) -> None:
        """Make and compare them, or remember to write them."""
        from site_build.browser import MISSING, browser

        if self.name == "drawings" and browser() is None and "CI" not in os.environ:
            pytest.skip(MISSING)
        if self.config.getoption("update_outputs", False):
            self.config.stash[TO_WRITE].append(self)
        elif told := self.problems():
            raise PageError(told)

    def problems(self, update: bool = False) -> str:
        """Return what is wrong, a line for each, or write it anew."""
        root, (_, problems_with) = self.config.rootpath, KINDS[self.name]
        return "\n".join(
            f"{self.path.relative_to(root)}:{line}: {problem}"
            for line, problem in problems_with(self.path, root, update)
        )

    def repr_failure(
        self, excinfo: pytest.ExceptionInfo[BaseException], style: object = None
    ) -> str:
        """Show the lines alone, if the page is wrong and not what reads it."""
        return str(excinfo.value if excinfo.errisinstance(PageError) else excinfo.getrepr())


TO_WRITE = pytest.StashKey[list[PageItem]]()


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write what stands beside the pages whose outputs have been written."""
    for item in session.config.stash[TO_WRITE]:
        if told := item.problems(update=True):
            sys.stderr.write(f"\n{told}\n")
            session.exitstatus = pytest.ExitCode.TESTS_FAILED


# What is imported below would keep every run of pytest waiting.


def problems_with_stills(path: Path, root: Path, update: bool) -> Problems:
    """Yield what is wrong with the stills of a page, or write them."""
    from site_build.browser import BrowserError, draw_stills
    from site_build.markdown.extension import PageReader
    from site_build.stage import DRAW, scene_of

    text = path.read_text("utf-8")
    reader = PageReader(root, scene_of(text), path.stem)
    try:
        reader.run(text.split("\n"))
    except ValueError as error:
        yield 1, str(error)
        return
    staged = reader.staged
    if not staged.states:
        return
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


def problems_with_puzzles(page: Path, root: Path, update: bool) -> Problems:
    """Yield what is wrong with the puzzles of a page, or write what comes of their programs."""
    from site_build.puzzle import WRITE, outcomes_path
    from site_build.puzzle.outcomes import outcomes_of, puzzle_of
    from tensor_examples.fences import find_fences

    fences = find_fences(page.read_text("utf-8").split("\n"))
    for fence in (fence for fence in fences if fence.language == "build"):
        exercise = fence.options.get("exercise", "")
        path = outcomes_path(root, exercise)
        try:
            text = outcomes_of(puzzle_of(exercise))
        except ValueError as error:
            yield fence.opening, str(error)
            continue
        if difference := other_than(path, text, update):
            yield fence.opening, f"torch gives something else: {WRITE}{difference}"


KINDS: dict[str, tuple[list[str], Callable[[Path, Path, bool], Problems]]] = {
    "drawings": (["stage"], problems_with_stills),
    "puzzles": (["build"], problems_with_puzzles),
}


def other_than(stands: Path, made: str, update: bool) -> str:
    """Return how something differs from what stands, or write it."""
    before = stands.read_text("utf-8") if stands.is_file() else ""
    if update:
        stands.parent.mkdir(parents=True, exist_ok=True)
        stands.write_text(made, "utf-8")
        return ""
    if before == made:
        return ""
    pairs = enumerate(zip(before, made, strict=False))
    at = next((n for n, (old, new) in pairs if old != new), min(len(before), len(made)))
    line, part = before.count("\n", 0, at) + 1, slice(max(at - 20, 0), at + 60)
    return f"; {stands.name}:{line}: {before[part]!r} is written, and now it is {made[part]!r}"
