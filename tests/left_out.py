"""With `--record FILE --unverified`, tests are left out whose inputs are as they were.

The inputs of a test are the code that it imports, and each file of the project and of the built
site that was opened while it ran: by this process, which also serves the site. What another process
opens cannot be seen, so a test that starts one has the whole project for its input. Tests that
share what a fixture made, such as a page that stays open, share their inputs.
"""

import ast
import json
import os
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Generator, Iterator
from functools import cache, wraps
from pathlib import Path
from pprint import pformat
from types import ModuleType
from typing import Any, ParamSpec, TypeVar

import pytest

from tensor_examples.project_modules import hash_of, project_code, sha256
from tensor_examples.record import hash_of_checks

ROOT = Path(__file__).parents[1]
OPENS = {"open", "os.listdir", "os.scandir"}
STARTS_A_PROCESS = {"subprocess.Popen", "os.fork", "os.posix_spawn", "os.system"}
READ = {".ci", ".github"}  # of what begins with a dot
PROJECT, SITE, CODE = "the whole project", "site: ", "code: "  # names of inputs that are no file
AS_BEFORE = "its inputs are as they were"
Report = Generator[None, pytest.TestReport, pytest.TestReport]
P = ParamSpec("P")
T = TypeVar("T")


class Heard:
    """What was opened since the test began, as names of inputs."""

    def __init__(self) -> None:
        self.names: set[str] = set()

    def apart(self) -> set[str]:
        """Begin anew, and return what there was."""
        before, self.names = self.names, set()
        return before


HEARD = Heard()


class LeftOut:
    """Hears what is opened, and knows what was opened before."""

    def __init__(self, config: pytest.Config, *about: object) -> None:
        self.is_worker = hasattr(config, "workerinput")
        self.file: Path = config.option.record.with_suffix(".tests.json")
        self.checks = hash_of_checks(*about)
        before = json.loads(self.file.read_text("utf-8")) if self.file.is_file() else {}
        # Of each test its group, and of each group its inputs: each name with a hash.
        is_same = before.get("checks") == self.checks
        self.tests: dict[str, str] = before["tests"] if is_same else {}
        self.groups: dict[str, dict[str, str]] = before["groups"] if is_same else {}
        self.site: Path | None = None  # until this process knows where it was built
        self.running: pytest.Item | None = None
        self.passed: dict[str, str] = {}
        self.found: dict[str, dict[str, str]] = defaultdict(dict)
        sys.addaudithook(self.hear)

    def hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Note what Python opens or starts."""
        if event in STARTS_A_PROCESS:
            HEARD.names.add(PROJECT)
        elif event in OPENS and isinstance(arguments[0], str | bytes | os.PathLike):
            path = Path(os.path.abspath(os.fsdecode(arguments[0])))
            if self.site and path.is_relative_to(self.site):
                HEARD.names.add(f"{SITE}{path.relative_to(self.site).as_posix()}")
            elif path.is_relative_to(ROOT):
                HEARD.names.add(path.relative_to(ROOT).as_posix())

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Generator[None, object, object]:
        """Forget what is done once for all tests: a build of the site, and a browser's start."""
        before = HEARD.apart()
        made = yield
        HEARD.names = before if fixturedef.scope == "session" else HEARD.names | before
        if (fixturedef.argname, fixturedef.scope) == ("site", "session"):
            assert isinstance(made, Path)
            self.site = made
        return made

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Leave a test out, or begin to listen."""
        known = self.groups.get(self.tests.get(item.nodeid, ""), {})
        if known and all(self.hash_now(name) == before for name, before in known.items()):
            pytest.skip(AS_BEFORE)
        self.running = item
        HEARD.apart()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Report:
        """Send what a test has opened with its last report."""
        report = yield
        if call.when == "teardown" and item is self.running and isinstance(item, pytest.Function):
            names = {name for name in HEARD.names if is_input(name)}
            names.add(f"{CODE}{item.path.relative_to(ROOT).as_posix()}")
            inputs = {name: self.hash_now(name) for name in sorted(names)}
            report.user_properties.append(("inputs", [group_of(item), inputs]))
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note which tests passed, and the inputs of their groups."""
        if report.skipped and AS_BEFORE in str(report.longrepr):
            self.passed[report.nodeid] = self.tests[report.nodeid]
            self.found[self.tests[report.nodeid]] |= self.groups[self.tests[report.nodeid]]
        elif report.when == "call" and report.passed:
            self.passed[report.nodeid] = ""
        elif report.failed:
            self.passed.pop(report.nodeid, None)
        sent: dict[str, Any] = dict(report.user_properties)
        if "inputs" in sent:
            group, inputs = sent["inputs"]
            self.found[group] |= inputs
            if self.passed.get(report.nodeid) == "":
                self.passed[report.nodeid] = group

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self) -> None:
        """Write what is known now: of groups with tests in this run, what this run has found."""
        if self.is_worker:
            return
        others = {test: group for test, group in self.tests.items() if group not in self.found}
        known = {
            "checks": self.checks,
            "tests": others | {test: group for test, group in self.passed.items() if group},
            "groups": self.groups | self.found,
        }
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.file.write_text(json.dumps(known, indent=1) + "\n", "utf-8")

    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, str] | None:
        """Count what is left out by itself, without a letter for each."""
        if report.skipped and AS_BEFORE in str(report.longrepr):
            return "left out as before", "", ""
        return None

    def hash_now(self, name: str) -> str:
        """Return the hash of an input; of a folder, that of the names in it."""
        if name == PROJECT:
            return hash_of_project()
        if name.startswith(CODE):
            return hash_of_code(ROOT / name.removeprefix(CODE))
        if name.startswith(SITE):
            if self.site is None:
                return "not built yet"
            return hash_of_opened(self.site / name.removeprefix(SITE))
        return hash_of_opened(ROOT / name)


def remembered(function: Callable[P, T]) -> Callable[P, T]:
    """Return a function that keeps its results, as functools.cache does, and what it opened.

    Each test that asks has these inputs, not only the first.
    """
    opened: dict[tuple[object, ...], set[str]] = {}
    kept = cache(function)

    @wraps(function)
    def ask(*args: P.args, **kwargs: P.kwargs) -> T:
        asked = (*args, *kwargs.items())
        if asked not in opened:
            before = HEARD.apart()
            kept(*args, **kwargs)  # type: ignore[arg-type]
            opened[asked] = HEARD.names
            HEARD.names = before
        HEARD.names = HEARD.names | opened[asked]
        return kept(*args, **kwargs)  # type: ignore[arg-type]

    return ask


def is_input(name: str) -> bool:
    """Tell a file of the project from what tools leave there."""
    first = name.partition("/")[0]
    return "__pycache__" not in name and (not first.startswith(".") or first in READ)


def group_of(item: pytest.Function) -> str:
    """Return the name of the tests that share what the fixtures of their file made for all."""
    shared = {
        name
        for name, definitions in item._fixtureinfo.name2fixturedefs.items()
        if definitions[-1].scope != "function" and "/" in definitions[-1].baseid
    }
    if not shared:
        return item.nodeid
    given = item.callspec.params if hasattr(item, "callspec") else {}
    made_of = sorted((name, repr(given[name])) for name in shared & given.keys())
    return f"{item.path.relative_to(ROOT).as_posix()} {made_of}"


def hash_of_opened(path: Path) -> str:
    """Return the hash of a file, or of the names in a folder."""
    if path.is_dir():
        return sha256("\n".join(sorted(os.listdir(path))).encode())
    return hash_of_file(path, path.stat().st_mtime_ns) if path.is_file() else "is not there"


@cache
def hash_of_file(path: Path, changed: int) -> str:
    """Return the hash of a file, which many tests open, since it was changed."""
    return sha256(path.read_bytes())


@cache
def hash_of_project() -> str:
    """Return the hash of all files that are or would be committed, and of the last commit."""

    def git(*arguments: str) -> str:
        return subprocess.run(
            ["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True
        ).stdout

    files = git("ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
    listing = [f"{name} {hash_of_opened(ROOT / name)}" for name in sorted(filter(None, files))]
    return sha256("\n".join([git("rev-parse", "HEAD"), *listing]).encode())


@cache
def hash_of_code(path: Path) -> str:
    """Return the hash of a module of tests, and of all of the project's that it imports."""
    modules, packages = set[str](), set[str]()
    waiting = [name_of(path)]
    inner = (folder for folder in path.parents if ROOT in folder.parents)
    waiting += [f"{name_of(folder)}.conftest" for folder in inner]
    while waiting:
        name = waiting.pop()
        if not name.startswith("tests."):
            packages.add(f"import {name}")
        elif name in sys.modules and name not in modules:
            modules.add(name)
            waiting += imports_of(name)
    code = project_code(packages, ROOT)
    if "src/site_build" in code:  # which also opens files of the others, and keeps what it read
        code["src"] = hash_of(ROOT / "src")
    return sha256(pformat([*map(data_of, sorted(modules)), code]).encode())


def name_of(path: Path) -> str:
    """Return the name by which a module or a folder of the project is imported."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


def imports_of(name: str) -> Iterator[str]:
    """Yield the names of what a module imports, and of what it takes from other modules."""
    for node in ast.walk(ast.parse(text_of_module(name))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def text_of_module(name: str) -> str:
    """Return the text of a module that is imported."""
    return Path(str(sys.modules[name].__file__)).read_text("utf-8")


def data_of(name: str) -> tuple[str, str]:
    """Return the source of a module, and what it has found in other files as it was imported."""
    data = {
        key: value
        for key, value in sorted(vars(sys.modules[name]).items())
        if not key.startswith("__") and not isinstance(value, ModuleType)  # which are imported
    }
    # Where an object lies in memory says nothing about it, and sorts keys that have no order.
    shown = pformat(data, width=1, sort_dicts=False)
    return text_of_module(name), re.sub(r" at 0x[0-9a-f]+", "", shown)
