"""A pytest plugin: every program that a reader can build is run, and what came of it compared.

With `--update-outputs` it is written.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

DOCS = "docs"


class PuzzlesError(Exception):
    """Puzzles whose outcomes are not what stands beside the page: a line for each."""


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> "PuzzlesFile | None":
    """Collect the pages."""
    in_docs = file_path.is_relative_to(parent.config.rootpath / DOCS)
    return (
        PuzzlesFile.from_parent(parent, path=file_path)
        if file_path.suffix == ".md" and in_docs
        else None
    )


class PuzzlesFile(pytest.File):
    """A page that may have puzzles."""

    def collect(self) -> Iterator["PuzzlesItem"]:
        """Yield one item for all its puzzles."""
        if "```build " in self.path.read_text("utf-8"):
            yield PuzzlesItem.from_parent(self, name="puzzles")


class PuzzlesItem(pytest.Item):
    """The puzzles of a page."""

    def runtest(self) -> None:
        """Run all programs, and compare or write what comes of them."""
        update = bool(self.config.getoption("update_outputs", False))
        told = list(problems_with_puzzles(self.path, self.config.rootpath, update))
        if told:
            path = self.path.relative_to(self.config.rootpath)
            raise PuzzlesError("\n".join(f"{path}:{line}: {problem}" for line, problem in told))

    def repr_failure(
        self, excinfo: pytest.ExceptionInfo[BaseException], style: object = None
    ) -> str:
        """Show the lines alone, if the puzzles are wrong and not what runs them."""
        return str(excinfo.value if excinfo.errisinstance(PuzzlesError) else excinfo.getrepr())


def problems_with_puzzles(page: Path, root: Path, update: bool) -> Iterator[tuple[int, str]]:
    """Yield what is wrong with the puzzles of a page, with the line of each.

    Args:
        page: The page.
        root: The project's root folder.
        update: Whether to write the outcomes that have changed.
    """
    # Only where a page has puzzles, or every run of pytest would wait for torch.
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
        if update:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        written = path.read_text("utf-8") if path.exists() else ""
        if written != text:
            pairs = zip(written.split("\n"), text.split("\n"), strict=False)
            line, (old, new) = next(
                (n for n in enumerate(pairs, 1) if n[1][0] != n[1][1]), (1, ("", ""))
            )
            at = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), 0)
            where = f"{path.relative_to(root)}:{line}"
            yield (
                fence.opening,
                f"{where}: {old[max(at - 20, 0) : at + 40]!r} is written, and torch gives "
                f"{new[max(at - 20, 0) : at + 40]!r}; {WRITE}",
            )
