"""The pytest plugin: collects the examples of pages, docstrings and notebooks.

Where the package is installed, pytest knows it; elsewhere, load it with `-p
tensor_examples.plugin`, since a `conftest.py` would only see files below its own folder. It does
nothing without `--examples`. Pages are `.md` files, notebooks `.ipynb`. Docstrings are read in
every `.py` file that is not a test, wherever pytest looks: see `testpaths`.
"""

import os
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict
from fnmatch import fnmatch
from functools import partial
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import pytest
from sybil import Example, Sybil
from sybil.integration.pytest import SybilFile, SybilItem

from tensor_examples import record, refresh
from tensor_examples.conventions import DEFAULT, RULES, Dialect, rules_named
from tensor_examples.documents import PARSERS, ExampleDocument, parse, parser_of, read_source
from tensor_examples.example import Edit, NotRun, Run, Settings, Unbound
from tensor_examples.failures import ExampleFailure, NotReached
from tensor_examples.isolation import start_server
from tensor_examples.project_modules import project_code, sha256


class Examples(Sybil):
    """Sybil, with the kinds of files that hold examples."""

    def __init__(self, dialect: Dialect = DEFAULT) -> None:
        self.dialect = dialect
        super().__init__(
            parsers=[partial(parse, dialect)],
            document_types=dict.fromkeys((None, ".py"), ExampleDocument),
            fixtures=["example_run"],
        )

    def identify(self, example: Example) -> str:
        """Return what an example is called, such as `line:12`, or `cell:3` in a notebook."""
        name: str = example.parsed.name
        return name


SYBIL = pytest.StashKey[Examples]()
SETTINGS = pytest.StashKey[Settings]()
UPDATE = "--update-outputs"
FEW = 3  # files, for which torch's compiler is not loaded in advance


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the ways of running that are not the default."""
    group = parser.getgroup("printed examples")
    for option, meaning in {
        "--examples": "check the examples of pages, notebooks and docstrings",
        "--exact-outputs": "compare outputs character for character, with pinned versions",
        UPDATE: "write what the code prints into the files, instead of comparing",
        "--accept-false": f"with {UPDATE}: write False where True stood",
    }.items():
        group.addoption(option, action="store_true", help=meaning)
    about = "fail an example that runs for longer (default: %(default)s)"
    seconds, metavar = Settings.seconds, "SECONDS"
    group.addoption("--example-timeout", type=float, default=seconds, metavar=metavar, help=about)
    about = "write which pages were verified, with which versions, as JSON"
    group.addoption("--record", type=Path, metavar="FILE", help=about)
    about = f"rules that hold: all, or some of {', '.join(RULES)} (default: none)"
    parser.addini("examples_rules", about, "args", ())
    parser.addini("examples_dialect", "a Dialect, as package.module:NAME: what other fences say")


def pytest_configure(config: pytest.Config) -> None:
    """Read the configuration, and join the parts that remember something to the run."""
    option = config.option
    if option.update_outputs and (option.record or option.exact_outputs):
        raise pytest.UsageError(f"{UPDATE} compares nothing: leave the other option out")
    try:
        rules = rules_named(config.getini("examples_rules"))
    except ValueError as error:
        raise pytest.UsageError(str(error)) from None
    own = config.getini("examples_dialect")
    config.stash[SYBIL] = Examples(resolve_name(own) if own else DEFAULT)
    exact, seconds = option.exact_outputs, option.example_timeout
    config.stash[SETTINGS] = Settings(exact, seconds, rules, option.accept_false)
    if hasattr(config, "workerinput"):
        # Workers of xdist share the processor: more threads than one for each wait for each other.
        os.environ.setdefault("OMP_NUM_THREADS", "1")
    else:  # with xdist, the controller hears of all reports
        files = [Path(argument.partition("::")[0]) for argument in config.args]
        if len(files) <= FEW and all(f.suffix == ".md" and f.is_file() for f in files):
            start_server()
        config.pluginmanager.register(Results(config), "tensor_examples_results")


@pytest.fixture(scope="module")
def example_run(request: pytest.FixtureRequest) -> Run:
    """Return the run of a file's examples, which Sybil puts into its document's namespace."""
    return Run(request.config.stash[SETTINGS])


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> "ExampleFile | None":
    """Collect pages, notebooks and the docstrings of the sources; tests collect themselves."""
    config, suffix = parent.config, file_path.suffix.lower()
    if not (config.option.examples or config.option.update_outputs):
        return None
    if suffix not in PARSERS or (suffix == ".py" and is_test(file_path, config)):
        return None
    return ExampleFile.from_parent(parent, path=file_path, sybils=[config.stash[SYBIL]])


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
        sybil, rules = self.config.stash[SYBIL], self.config.stash[SETTINGS].rules
        root = self.config.rootpath
        path = self.path.relative_to(root) if self.path.is_relative_to(root) else self.path
        off = RULES.keys() - rules
        examples = [each for each in sybil.parse(self.path) if each.parsed.rule not in off]
        self.about: dict[str, Any] = {"path": path.as_posix()}
        if self.config.option.record:
            self.about |= {
                "sha256": sha256(self.path.read_bytes()),
                "code": project_code([each.parsed.code for each in examples], root),
                "examples": len(examples),
            }
        for example in examples:
            yield ExampleItem.from_parent(self, sybil=sybil, example=example)


class ExampleItem(SybilItem):
    """One example: passes when its code prints what is written below it."""

    parent: ExampleFile

    def runtest(self) -> None:
        """Check the example, or bring its output up to date."""
        found = self.example.parsed
        # What the run as a whole wants to know; the report carries it, also between processes.
        outcome = {**self.parent.about, "is_code": found.is_code}
        self.user_properties.append(("tensor_examples", outcome))
        run = self.example.namespace["example_run"]
        if found.left_out:
            outcome["left_out"] = found.left_out
            if isinstance(found, NotRun):
                pytest.skip(found.left_out)
        try:
            if self.config.option.update_outputs:
                outcome["edits"] = [asdict(edit) for edit in found.refresh(run)]
            else:
                super().runtest()
                outcome |= {"outputs": found.outputs, "bound": found.bound}
                outcome["is_compared"] = found.is_compared(run.settings.rules)
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
        # The examples of a file that are left out for one reason: by path and reason.
        self.left_out: dict[tuple[str, str], list[str]] = defaultdict(list)
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
        if "left_out" in example:
            name = report.nodeid.rpartition("::")[2]
            self.left_out[path, example["left_out"]].append(name)
        for edit in example.get("edits", []):
            self.edits[path].append(Edit(**edit))

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write the edits and the record, and judge the sentences by what is written now."""
        for path in self.edits.keys() - self.failed:
            refresh.write_edits(self.edits[path][0].path, self.edits[path])
        if self.config.option.update_outputs:
            self.unbound = list(self.unbound_now())
        if (self.unbound or self.not_compared()) and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        if file := self.config.option.record:
            settings = self.config.stash[SETTINGS]
            record.write_record(file, record.new_record(self.pages(), self.mutants, settings))

    def unbound_now(self) -> Iterator[Unbound]:
        """Yield what is bound to nothing in the files as they are now."""
        dialect, rules = self.config.stash[SYBIL].dialect, self.config.stash[SETTINGS].rules
        for path in sorted(self.passed.keys() - self.failed):
            text = read_source(str(self.config.rootpath / path), "utf-8")
            found = parser_of(path, dialect)(path, text)
            yield from (e for e in found if isinstance(e, Unbound) and e.rule in rules)

    def not_compared(self) -> list[str]:
        """Return the files that have code, and of which nothing was compared."""
        if self.config.option.update_outputs:
            return []
        return [
            path
            for path, examples in sorted(self.passed.items())
            if path not in self.failed
            and any(each["is_code"] for each in examples)
            and not any(each.get("is_compared") for each in examples)
        ]

    def pages(self) -> dict[str, dict[str, Any]]:
        """Return, for the record, each file whose examples were all right."""
        return {
            path: {
                "sha256": examples[0]["sha256"],
                "code": examples[0]["code"],
                "outputs": sum(example.get("outputs", 0) for example in examples),
                "not_run": sum(e.get("left_out", "").startswith("not run") for e in examples),
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
        for (path, reason), names in sorted(self.left_out.items()):
            write(f"{path}::{', '.join(names)}: {reason}")
        for path in self.not_compared():
            write(f"{path}: has code, and nothing of it was compared")
        examples = [example for page in self.passed.values() for example in page]
        if examples and not self.config.option.update_outputs:
            outputs, bound = (sum(e.get(key, 0) for e in examples) for key in ("outputs", "bound"))
            left_out = sum(map(len, self.left_out.values()))
            write(
                f"{outputs} outputs of examples compared, {left_out} not run or not compared, "
                f"{bound} numbers in prose bound"
            )
