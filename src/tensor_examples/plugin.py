"""The pytest plugin: collects the examples of pages, docstrings and notebooks.

Load it with `-p tensor_examples.plugin`; a `conftest.py` would only see files below its own
folder. Pages are `.md` files, notebooks `.ipynb`. Docstrings are read in every `.py` file that
is not a test, wherever pytest looks: see `testpaths`.
"""

import os
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest
from sybil import Example, Sybil
from sybil.integration.pytest import SybilFile, SybilItem

from tensor_examples import record, refresh
from tensor_examples.documents import PARSERS, ExampleDocument, parse, parser_of, read
from tensor_examples.example import Edit, NotRun, Run, Settings
from tensor_examples.failures import ExampleFailure, NotReached
from tensor_examples.project_modules import code_of, sha256
from tensor_examples.prose import Unbound


class Examples(Sybil):
    """Sybil, with the kinds of files that hold examples."""

    def __init__(self) -> None:
        super().__init__(
            parsers=[parse],
            document_types=dict.fromkeys((None, ".py"), ExampleDocument),
            fixtures=["example_run"],
        )

    def identify(self, example: Example) -> str:
        """Return what an example is called, such as `line:12`, or `cell:3` in a notebook."""
        name: str = example.parsed.name
        return name


SYBIL = Examples()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the ways of running that are not the default."""
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
    group.addoption(
        "--example-timeout",
        type=float,
        default=Settings.seconds,
        metavar="SECONDS",
        help="fail an example that runs for longer (default: %(default)s)",
    )
    group.addoption(
        "--record",
        type=Path,
        metavar="FILE",
        help="write which pages were verified, with which versions, as JSON",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Join the parts that remember something to the run."""
    updates = config.getoption("update_outputs")
    if updates and (config.getoption("record") or config.getoption("exact_outputs")):
        raise pytest.UsageError("--update-outputs compares nothing: leave the other option out")
    if hasattr(config, "workerinput"):
        # Workers of xdist share the processor: more threads than one for each wait for each other.
        os.environ.setdefault("OMP_NUM_THREADS", "1")
    else:  # with xdist, the controller hears of all reports
        config.pluginmanager.register(Results(config), "tensor_examples_results")


@pytest.fixture(scope="module")
def example_run(pytestconfig: pytest.Config) -> Run:
    """Return the run of a file's examples, which Sybil puts into its document's namespace."""
    option = pytestconfig.option
    return Run(Settings(option.exact_outputs, option.example_timeout))


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> "ExampleFile | None":
    """Collect pages, notebooks and the docstrings of the sources; tests collect themselves."""
    suffix = file_path.suffix.lower()
    if suffix not in PARSERS or (suffix == ".py" and is_test(file_path, parent.config)):
        return None
    return ExampleFile.from_parent(parent, path=file_path, sybils=[SYBIL])


def is_test(path: Path, config: pytest.Config) -> bool:
    """Say whether a Python file holds tests, or helpers of tests."""
    root, patterns = config.rootpath, [*config.getini("python_files"), "conftest.py"]
    in_tests = path.is_relative_to(root) and "tests" in path.relative_to(root).parts
    return in_tests or any(fnmatch(path.name, pattern) for pattern in patterns)


class ExampleFile(SybilFile):
    """A file with examples."""

    failed = False  # one of its examples did, and was told

    def collect(self) -> Iterator["ExampleItem"]:
        """Find the examples of the file."""
        examples = list(SYBIL.parse(self.path))
        root = self.config.rootpath
        path = self.path.relative_to(root) if self.path.is_relative_to(root) else self.path
        self.about = {
            "path": path.as_posix(),
            "sha256": sha256(self.path.read_bytes()),
            "code": code_of([each.parsed.code for each in examples], root),
            "examples": len(examples),
        }
        for example in examples:
            yield ExampleItem.from_parent(self, sybil=SYBIL, example=example)


class ExampleItem(SybilItem):
    """One example: passes when its code prints what is written below it."""

    parent: ExampleFile

    def runtest(self) -> None:
        """Check the example, or bring its output up to date."""
        found = self.example.parsed
        # What the run as a whole wants to know; the report carries it, also between processes.
        outcome = {**self.parent.about}
        self.user_properties.append(("tensor_examples", outcome))
        if isinstance(found, NotRun):
            outcome["not_run"] = found.reason
            pytest.skip(f"not run: {found.reason}")
        try:
            if self.config.option.update_outputs:
                edits = found.refresh(self.example.namespace["example_run"])
                outcome["edits"] = [asdict(edit) for edit in edits]
            else:
                super().runtest()
                outcome |= {"outputs": found.outputs, "bound": found.bound}
        except NotReached as failure:  # one line for each of many blocks would hide the first
            if self.parent.failed:
                pytest.skip(failure.problem)
            raise

    def reportinfo(self) -> tuple[Path, None, str]:
        """Return how to name the example in a report."""
        return self.path, None, self.name

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Show the place, what was expected and what came, and none of the machinery."""
        self.parent.failed = True
        if isinstance(excinfo.value, ExampleFailure):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)


class Results:
    """The reports of a run, taken together."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.passed: dict[str, list[dict[str, Any]]] = defaultdict(list)  # by path
        self.failed: set[str] = set()  # paths
        self.not_run: list[tuple[str, str]] = []
        self.edits: dict[str, list[Edit]] = defaultdict(list)  # by path
        self.unbound: list[Unbound] = []  # after a refresh
        self.mutants: dict[str, Any] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note what a report says."""
        properties: dict[str, Any] = dict(report.user_properties)
        if report.when != "call":
            return
        self.mutants.update(properties.get("mutants", {}))
        example = properties.get("tensor_examples")
        if example is None:
            return
        path = example["path"]
        if report.failed:
            self.failed.add(path)
        else:
            self.passed[path].append(example)
        if "not_run" in example:
            self.not_run.append((report.nodeid, example["not_run"]))
        for edit in example.get("edits", []):
            self.edits[path].append(Edit(**edit))

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write the edits and the record, and judge the sentences by what is written now."""
        for path in self.edits.keys() - self.failed:
            refresh.write(self.edits[path][0].path, self.edits[path])
        if self.config.getoption("update_outputs"):
            for path in sorted(self.passed.keys() - self.failed):
                file = self.config.rootpath / path
                found = parser_of(path)(path, read(str(file), "utf-8"))
                self.unbound += [each for each in found if isinstance(each, Unbound)]
            if self.unbound:
                session.exitstatus = pytest.ExitCode.TESTS_FAILED
        file = self.config.getoption("record")
        if file:
            exact = self.config.getoption("exact_outputs")
            record.write(file, record.new_record(self.pages(), self.mutants, exact=exact))

    def pages(self) -> dict[str, dict[str, Any]]:
        """Return, for the record, each file whose examples were all right."""
        return {
            path: {
                "sha256": examples[0]["sha256"],
                "code": examples[0]["code"],
                "outputs": sum(example.get("outputs", 0) for example in examples),
                "not_run": sum("not_run" in example for example in examples),
            }
            for path, examples in sorted(self.passed.items())
            if len(examples) == examples[0]["examples"]
        }

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say what was compared, what was left out, and what changed."""
        write = terminalreporter.write_line
        for path, edits in sorted(self.edits.items()):
            if path in self.failed:
                write(f"{path}: left as it was: first mend what failed above")
                continue
            for line, summary in sorted({edit.line: edit.summary for edit in edits}.items()):
                write(f"{path}:{line}: {summary}")
        for found in self.unbound:
            write(f"{found.path}:{found.line}: {found.problem}")
        for place, reason in self.not_run:
            write(f"{place}: not run: {reason}")
        examples = sum(map(len, self.passed.values()))
        if examples and not self.config.getoption("update_outputs"):
            outputs, bound = (
                sum(e.get(key, 0) for page in self.passed.values() for e in page)
                for key in ("outputs", "bound")
            )
            write(
                f"{outputs} outputs of examples compared, {len(self.not_run)} examples not run, "
                f"{bound} numbers in prose bound"
            )
