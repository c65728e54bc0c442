"""Results of what only a scheduled workflow runs: kept in a file, with a date, and shown on a page.

    pytest tests/thorough.py --record-results
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
