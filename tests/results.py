"""Results of what only a scheduled workflow runs: kept in a file, with a date, and shown on a page.

    pytest tests/engines.py --record-results
    pytest tests/other_libraries --record-results

write the files, and what the pages show of them, anew.
"""

import json
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

OPTION = "--record-results"
Differences = dict[str, dict[str, float]]  # by library, by what is compared


SPREAD = 10  # another processor or version rounds otherwise, but hardly so much


def not_repeated(known: Differences, found: Differences, *, whole: bool) -> list[str]:
    """Return what a fresh run finds otherwise than it is written down.

    What was equal to the last bit is equal again, and another difference has the same size.

    Args:
        known: The differences that are written down.
        found: Those of the run.
        whole: Whether all tests ran, so that all that is written down must be there.
    """
    problems = []
    for library, differences in (known if whole else found).items():
        for what in differences:
            before = known.get(library, {}).get(what)
            now = found.get(library, {}).get(what)
            if before is None or now is None:
                problems.append(
                    f"{library}, {what}: {'is new' if now is not None else 'was not run'}"
                )
            elif not before <= SPREAD * now <= SPREAD**2 * before:
                problems.append(
                    f"{library}, {what}: {before:.0e} is written down, and {now:.0e} found"
                )
    return problems


def is_whole(session: pytest.Session, folder: Path) -> bool:
    """Say whether a run has all tests of a folder, and skipped none."""
    files = {item.path for item in session.items}
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    left_out = {"skipped", "deselected"} & set(reporter.stats if reporter else ())
    named = any("::" in argument for argument in session.config.args)
    return not (left_out or named) and files.issuperset(folder.glob("test_*.py"))


@dataclass(frozen=True)
class Results:
    """The results of some tests: their file, the page, and the rows of a table there."""

    file: Path
    page: Path
    head: Sequence[str]
    rows: Callable[[dict[str, Any]], list[Sequence[str]]]
    libraries: Sequence[str]

    def read(self) -> dict[str, Any]:
        results: dict[str, Any] = json.loads(self.file.read_text("utf-8"))
        return results

    def shown(self) -> str:
        """Return what the page says: when and with what the results were found, and a table."""
        results = self.read()
        if not results["found"]:
            return "No run has been written down yet.\n"
        versions = ", ".join(f"{name} {number}" for name, number in results["versions"].items())
        table = [self.head, ["---"] * len(self.head), *self.rows(results["found"])]
        lines = [f"| {' | '.join(row)} |" for row in table]
        return "\n".join([f"Run on {results['date']} with {versions}.", "", *lines, ""])

    def record(self, found: dict[str, Any], session: pytest.Session) -> None:
        """Write down what was found, if the command line asks for it and nothing failed."""
        if not session.config.getoption(OPTION):
            return
        assert not session.testsfailed, "a run that failed has no results"
        assert "PYTEST_XDIST_WORKER" not in os.environ, "run it without -n: each worker has a part"
        before = self.shown()
        results = {
            "date": datetime.now(UTC).date().isoformat(),
            "versions": {
                "Python": sys.version.split()[0],
                **{name: version(name) for name in self.libraries},
            },
            "found": found,
        }
        self.file.write_text(json.dumps(results, indent=2) + "\n", "utf-8")
        page = self.page.read_text("utf-8")
        self.page.write_text(page.replace(before, self.shown()), "utf-8")
