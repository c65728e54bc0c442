"""The pytest plugin: collects the examples of pages, docstrings and notebooks.

Where the package is installed, pytest knows it; elsewhere, load it with `-p
tensor_examples.plugin`, since a `conftest.py` would only see files below its own folder. It does
nothing without `--examples`. Pages are `.md` files, notebooks `.ipynb`. Docstrings are read in
every `.py` file that is not a test, wherever pytest looks: see `testpaths`.
"""

import doctest
import os
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from fnmatch import fnmatch
from functools import partial
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import pytest
from sybil import Example, Sybil
from sybil.integration.pytest import SybilFile, SybilItem

from tensor_examples import record, refresh
from tensor_examples.compare import NONE, Tolerance
from tensor_examples.conventions import ALWAYS, RULES, Dialect, rules_named
from tensor_examples.documents import PARSERS, ExampleDocument, parse, parser_of, read_source
from tensor_examples.example import Edit, Malformed, NotRun, Run, Settings, Unbound
from tensor_examples.failures import ExampleFailure, Fragment, NotReached, beginning_of
from tensor_examples.markdown import DEFAULT
from tensor_examples.numbers import PRINTED
from tensor_examples.project_modules import project_code, sha256
from tensor_examples.sessions import FORGIVEN


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
CHECKS = pytest.StashKey[str]()
VERIFIED = pytest.StashKey[dict[str, Any]]()  # files that are left out, as the record has them
PLACES = 5  # of a kind, that a report shows
REPORT, UPDATE, UNVERIFIED = "--examples-report", "--update-outputs", "--unverified"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the ways of running that are not the default."""
    group = parser.getgroup("printed examples")
    group.addoption(
        "--examples",
        action="store_true",
        help="check the examples of pages, notebooks and docstrings",
    )
    group.addoption(
        REPORT,
        action="store_true",
        help="say what would fail, by kind, and fail nothing",
    )
    group.addoption(
        "--exact-outputs",
        action="store_true",
        help="compare outputs character for character, for use with pinned versions",
    )
    group.addoption(
        UPDATE,
        action="store_true",
        help="write what the code prints into the files, instead of comparing",
    )
    group.addoption(
        "--accept-false",
        action="store_true",
        help="with --update-outputs: write False where True stood",
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
    group.addoption(
        UNVERIFIED,
        action="store_true",
        help="leave out the files that the file of --record has as they are; they stay in it",
    )
    for name, default, meaning in (
        ("examples_rules", (), f"rules that hold: all, or some of {', '.join(RULES)}"),
        ("examples_languages", DEFAULT.languages, "languages of the fences that are run"),
        (
            "examples_outputs",
            DEFAULT.outputs,
            "marks of outputs: a language, a sign like #>, or >>>",
        ),
    ):
        parser.addini(name, f"{meaning} (default: {' '.join(default) or 'none'})", "args", default)
    about = "pages are fragments: a block that fails does not end its page"
    parser.addini("examples_fragments", about, "bool", default=False)
    for name in vars(NONE):
        parser.addini(
            f"examples_{name}", "how far apart floats may be: as of numpy.isclose", "float", 0.0
        )
    parser.addini("examples_dialect", "a Dialect, as package.module:NAME: what other fences say")


def pytest_configure(config: pytest.Config) -> None:
    """Read the configuration, and join the parts that remember something to the run."""
    option = config.option
    chosen = [name for name in (REPORT, UPDATE) if config.getoption(name)]
    if len(chosen) > 1 or (chosen and (option.record or option.exact_outputs)):
        raise pytest.UsageError(f"{chosen[0]} compares nothing: leave the other option out")
    try:
        rules = rules_named(config.getini("examples_rules"))
        own = config.getini("examples_dialect")
        marks = {
            name: tuple(config.getini(f"examples_{name}")) for name in ("languages", "outputs")
        }
        tolerance = Tolerance(*(config.getini(f"examples_{name}") for name in vars(NONE)))
        config.stash[SYBIL] = Examples(replace(resolve_name(own) if own else DEFAULT, **marks))
    except ValueError as error:
        raise pytest.UsageError(str(error)) from None
    settings = Settings(
        option.exact_outputs,
        option.example_timeout,
        rules,
        flags_of(config),
        tolerance,
        accept_false=option.accept_false,
        fragments=config.getini("examples_fragments"),
    )
    config.stash[SETTINGS] = settings
    if option.record:  # to hash all that is installed takes a second
        dialect = project_code([f"import {own.partition(':')[0]}"] if own else [], config.rootpath)
        config.stash[CHECKS] = record.hash_of_checks(marks, dialect, tolerance)
    config.stash[VERIFIED] = {}
    if option.unverified:
        if not option.record:
            raise pytest.UsageError(f"{UNVERIFIED} needs --record: it leaves out what is in there")
        before, checks = record.read_record(option.record), config.stash[CHECKS]
        config.stash[VERIFIED] = record.still_right(before, config.rootpath, settings, checks)
    if hasattr(config, "workerinput"):
        # Workers of xdist share the processor: more threads than one for each wait for each other.
        os.environ.setdefault("OMP_NUM_THREADS", "1")
    else:  # with xdist, the controller hears of all reports
        config.pluginmanager.register(Results(config), "tensor_examples_results")


def flags_of(config: pytest.Config) -> int:
    """Return what the project lets doctest forgive, if pytest's own plugin for it is there."""
    is_there = config.pluginmanager.hasplugin("doctest")
    names = config.getini("doctest_optionflags") if is_there else ()
    return sum(doctest.OPTIONFLAGS_BY_NAME.get(name, 0) & FORGIVEN for name in names)


@pytest.fixture(scope="module")
def example_run(request: pytest.FixtureRequest) -> Run:
    """Return the run of a file's examples, which Sybil puts into its document's namespace."""
    settings = request.config.stash[SETTINGS]
    if request.config.pluginmanager.hasplugin("doctest"):  # fixtures of a project fill it
        settings = replace(settings, names=request.getfixturevalue("doctest_namespace"))
    return Run(settings)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> "ExampleFile | None":
    """Collect pages, notebooks and the docstrings of the sources; tests collect themselves."""
    config, suffix = parent.config, file_path.suffix.lower()
    if not any(map(config.getoption, ("--examples", REPORT, UPDATE))):
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
        sybil, settings = self.config.stash[SYBIL], self.config.stash[SETTINGS]
        root = self.config.rootpath
        path = self.path.relative_to(root) if self.path.is_relative_to(root) else self.path
        if path.as_posix() in self.config.stash[VERIFIED]:
            return
        examples = list(sybil.parse(self.path))
        if not self.config.getoption(REPORT):
            # What looks like an example stays, so that no run is silent about it.
            off = RULES.keys() - settings.rules - {"fences"}
            examples = [each for each in examples if each.parsed.rule not in off]
        examples = told_once(examples)
        self.about: dict[str, Any] = {"path": path.as_posix()}
        if self.config.option.record:
            self.about |= {
                "sha256": sha256(self.path.read_bytes()),
                "code": project_code([each.parsed.code for each in examples], root),
                "examples": len(examples),
            }
        for example in examples:
            yield ExampleItem.from_parent(self, sybil=sybil, example=example)


def told_once(examples: Sequence[Example]) -> list[Example]:
    """Return examples without those that tell of a number of which a sentence tells already."""

    def told(found: Any) -> set[tuple[int, str]]:
        numbers = PRINTED.findall(found.problem.partition(" is ")[0])
        return {(found.line, number) for number in numbers}

    unbound = [each for each in examples if isinstance(each.parsed, Unbound)]
    sentences = [told(each.parsed) for each in unbound if each.parsed.kind == "prose"]
    known = set().union(*sentences)
    again = [e for e in unbound if e.parsed.kind != "prose" and told(e.parsed) & known]
    return [each for each in examples if each not in again]


class ExampleItem(SybilItem):
    """One example: passes when its code prints what is written below it."""

    parent: ExampleFile

    def request_fixtures(self, names: list[str]) -> None:
        """Ask for the fixtures that a docstring would have as a doctest of pytest's."""
        if self.path.suffix == ".py":
            own = self.session._fixturemanager.getfixtureinfo(self, None, None)
            names = [*own.initialnames, *names]
        super().request_fixtures(names)  # type: ignore[no-untyped-call]

    def runtest(self) -> None:
        """Check the example, or bring its output up to date."""
        found = self.example.parsed
        # What the run as a whole wants to know; the report carries it, also between processes.
        outcome = {**self.parent.about, "is_code": found.is_code}
        self.user_properties.append(("tensor_examples", outcome))
        run = self.example.namespace["example_run"]
        is_report = self.config.getoption(REPORT)
        if reason := found.left_out(frozenset(RULES) if is_report else run.settings.rules):
            outcome["left_out"] = reason
            if isinstance(found, NotRun | Malformed):
                pytest.skip(reason)
        try:
            if self.config.getoption(UPDATE):
                outcome["edits"] = [asdict(edit) for edit in found.refresh(run)]
            elif is_report:
                self.report(run, outcome)
            else:
                super().runtest()
                outcome |= {"outputs": found.outputs, "bound": found.bound}
                outcome["is_compared"] = found.is_compared(run.settings.rules)
        except Fragment as fragment:
            outcome["left_out"] = fragment.problem
            pytest.skip(fragment.problem)
        except NotReached as failure:  # one line for each of many blocks would hide the first
            if self.parent.failed:
                pytest.skip(failure.problem)
            raise
        except ExampleFailure as failure:
            outcome["failure"] = [failure.kind, beginning_of(str(failure).partition("\n")[0])]
            raise

    def report(self, run: Run, outcome: dict[str, Any]) -> None:
        """Note what is wrong by the rules that hold, or else by those that do not."""
        strict = Run(replace(run.settings, rules=frozenset(RULES)))
        strict.results = run.results  # what ran is not run again
        for each in (run, strict):
            try:
                self.example.parsed.check(each)
            except NotReached:
                raise
            except ExampleFailure as failure:
                self.parent.failed = True
                outcome["found"] = [failure.kind, beginning_of(str(failure).partition("\n")[0])]
                return

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
        self.found: list[tuple[str, str]] = []  # for a report: the kind, and what is wrong

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
        if "found" in example:
            self.found.append(example["found"])
        elif report.failed:
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
        if self.config.getoption("update_outputs"):
            for path in sorted(self.passed.keys() - self.failed):
                file = self.config.rootpath / path
                parser = parser_of(path, self.config.stash[SYBIL].dialect)
                found = parser(path, read_source(str(file), "utf-8"))
                rules = self.config.stash[SETTINGS].rules
                unbound = [each for each in found if isinstance(each, Unbound)]
                self.unbound += [each for each in unbound if each.kind in rules]
            if self.unbound:
                session.exitstatus = pytest.ExitCode.TESTS_FAILED
        if self.not_compared() and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        file = self.config.getoption("record")
        if file:
            settings = self.config.stash[SETTINGS]
            pages = self.config.stash[VERIFIED] | self.pages()
            written = record.new_record(pages, self.mutants, settings, self.config.stash[CHECKS])
            if before := self.config.stash[VERIFIED] and record.read_record(file):
                written["date"] = before["date"]  # of the oldest
            record.write_record(file, written)

    def not_compared(self) -> list[str]:
        """Return the files that have code, and of which nothing was compared."""
        if any(map(self.config.getoption, (REPORT, UPDATE))):
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

    def report(self) -> Iterator[str]:
        """Yield what would fail, by kind, whether it does so now, and where: the first places."""
        rules = self.config.stash[SETTINGS].rules
        counts = Counter(kind for kind, _ in self.found)
        yield f"{'kind':<10}{'found':>5}  {'now':<6}what it is"
        for kind, meaning in {**ALWAYS, **RULES}.items():
            now = "fails" if kind in rules or kind in ALWAYS else "off"
            yield f"{kind:<10}{counts[kind]:>5}  {now:<6}{meaning}"
        for kind in counts:
            places = [told for each, told in self.found if each == kind]
            shown = places if self.config.option.verbose > 0 else places[:PLACES]
            more = "" if len(shown) == len(places) else " (-v shows all)"
            yield f"\n{kind}, {len(shown)} of {len(places)}{more}:"
            yield from (f"  {place}" for place in shown)

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
        if self.config.getoption(REPORT):
            for told in self.report():
                write(told)
            return
        for path in self.not_compared():
            write(f"{path}: has code, and nothing of it was compared")
        if verified := self.config.stash[VERIFIED]:
            file = self.config.getoption("record")
            write(f"left out as verified: {len(verified)} files, see {file}")
        examples = sum(map(len, self.passed.values()))
        if examples and not self.config.getoption("update_outputs"):
            outputs, bound = (
                sum(e.get(key, 0) for page in self.passed.values() for e in page)
                for key in ("outputs", "bound")
            )
            left_out = sum(map(len, self.left_out.values()))
            write(
                f"{outputs} outputs of examples compared, {left_out} not run or not compared, "
                f"{bound} numbers in prose bound"
            )
