"""Names the ten worst places of some pages, notebooks and docstrings, without a configuration.

    python -m tensor_examples README.md docs

It exits with 1 where an output is wrong or code raises, and with 5 where it finds no example. It
leaves an example after 20 seconds. What it does not know is pytest's: `--example-timeout=5` or
`--noconftest`, for example.
"""

import os
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tensor_examples.conventions import ALWAYS

PLACES = 10
# Marks of the code and outputs that are common, and nothing that a project asks of its tests.
SETTINGS = {
    "examples_rules": "",
    "examples_languages": "python py python3",
    "examples_outputs": "output out 'python out' 'py out' '>>>'",
    "examples_fragments": "true",
    "addopts": "",
    "testpaths": ".",
    "required_plugins": "",
}
LACKING = re.compile(r"not run: (.+) is not installed")
PLACE = re.compile(r"(?P<path>.+?):(?P<line>\d+): (?P<problem>.*)")
WITHOUT = ("tensor_examples.plugin", "no:cacheprovider", "no:warnings")


class NoTests(pytest.File):
    """A module, of which no test is collected."""

    def collect(self) -> list[pytest.Item]:
        """Return nothing."""
        return []


class Worst:
    """The failures of a run, of which the worst are named: an output that is wrong, before all."""

    def __init__(self) -> None:
        self.found: list[tuple[int, int, str]] = []  # the kind, the count within its file
        self.counts: Counter[str] = Counter()
        self.lacking: Counter[str] = Counter()  # packages

    def pytest_pycollect_makemodule(self, module_path: Path, parent: Any) -> NoTests:
        """Read a module for its docstrings alone."""
        return NoTests.from_parent(parent, path=module_path)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note a failure, and a package without which an example was not run."""
        properties: dict[str, Any] = dict(report.user_properties)
        example = properties.get("tensor_examples", {})
        if report.failed and "failure" not in example:  # but an error of a fixture, or of ours
            self.note_error(report.nodeid, report.longreprtext)
        if report.when == "call" and "failure" in example:
            kind, told = example["failure"]
            self.counts[example["path"]] += 1
            self.found.append((list(ALWAYS).index(kind), self.counts[example["path"]], told))
        if lacking := LACKING.search(example.get("left_out", "")):
            self.lacking[lacking[1]] += 1

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Note what could not be collected."""
        if report.failed:
            self.note_error(report.nodeid, report.longreprtext)

    def note_error(self, node: str, told: str) -> None:
        """Note an error outside any example, once for each thing that it says."""
        lines = re.findall(r"^ *E +(.*)", told, re.MULTILINE) or told.splitlines() or [""]
        path, problem = node.partition("::")[0], lines[-1]
        if all(problem not in each for _, _, each in self.found):
            file = list(ALWAYS).index("file")
            self.found.append((file, 1, f"{path}: cannot be read as it is: {problem}"))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Name the worst places: of each kind, first one of each file."""
        if self.lacking:
            packages = ", ".join(f"{name} (at {n})" for name, n in self.lacking.most_common())
            terminalreporter.write_line(f"\nNot installed, so not run: {packages}")
        worst = sorted(self.found)[:PLACES]
        if worst:
            terminalreporter.write_line(f"\nThe {len(worst)} worst of {len(self.found)} places:")
        for _, _, told in worst:
            terminalreporter.write_line(f"  {told}")
            place = PLACE.match(told)
            if place and "GITHUB_ACTIONS" in os.environ:  # which shows it beside the line
                command = f"::error file={place['path']},line={place['line']}::{place['problem']}"
                terminalreporter.write_line(command)


def command() -> int:
    """Check what the command line names, or all below this folder."""
    os.environ.pop("PYTEST_ADDOPTS", None)  # they were meant for a run of tests
    sys.dont_write_bytecode = True  # it leaves nothing behind, nor do its processes
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    options = [f"-p{name}" for name in WITHOUT]
    options += [f"-o{name}={value}" for name, value in SETTINGS.items()]
    quiet = ["--examples", "-q", "--tb=no", "-rN", "--example-timeout=20"]
    return int(pytest.main([*options, *quiet, *(sys.argv[1:] or ["."])], plugins=[Worst()]))


if __name__ == "__main__":
    raise SystemExit(command())
