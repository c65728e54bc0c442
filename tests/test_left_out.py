"""A test is left out while its inputs are as they were, and not a run longer."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests import left_out
from tests.conftest import ROOT

FILES = {
    ".gitignore": "__pycache__/\nrecord*",
    "tests/__init__.py": "",
    "tests/conftest.py": """
import pytest
from tests.left_out import LeftOut

def pytest_configure(config):
    config.pluginmanager.register(LeftOut(config))

@pytest.fixture(scope="session")
def site(tmp_path_factory):
    open("docs/aside").read()  # as the real one reads all pages, for no test in particular
    folder = tmp_path_factory.mktemp("site")
    for name in "ab":
        (folder / name).write_text(open(f"docs/{name}").read())
    return folder
""",
    "tests/helper.py": """
from tests.left_out import remembered

FOUND = open("docs/imported").read()

@remembered
def text_of(name):
    return open(f"docs/{name}").read()
""",
    "tests/test_files.py": """
import subprocess, sys
from tests.helper import text_of

def test_pure(): pass
def test_opens_a(): assert open("docs/a").read()
def test_opens_b(): assert open("docs/b").read()
def test_remembers_a(): assert text_of("a")
def test_remembers_a_too(): assert text_of("a")
def test_starts_a_process(): subprocess.run([sys.executable, "--version"], check=True)
def test_fails(): assert open("docs/wrong").read() == "right"
""",
    "tests/test_site.py": """
import pytest

@pytest.fixture(scope="module", params=["a", "b"])
def page(site, request): return (site / request.param).read_text()

def test_page(page): assert page
def test_page_again(page): assert page
""",
    **{f"docs/{name}": name for name in ("a", "b", "aside", "imported", "wrong")},
}
ALL = {
    *("pure", "opens_a", "opens_b", "remembers_a", "remembers_a_too", "starts_a_process", "fails"),
    *("page[a]", "page_again[a]", "page[b]", "page_again[b]"),
}
# What fails runs again, and so does the first test for which the site is built.
ALWAYS = {"fails", "page[a]"}


def ran(folder: Path) -> set[str]:
    """Return the tests that a run did not leave out."""
    command = [sys.executable, "-m", "pytest", "-v", "-p", "no:cacheprovider", "-p", "no:doctest"]
    command += ["-p", "tensor_examples.plugin", "--record=record.json", "--unverified", "tests"]
    path = os.pathsep.join([str(folder), str(ROOT / "src")])
    variables = {**os.environ, "PYTHONPATH": path, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    variables.pop("PYTEST_ADDOPTS", None)
    run = subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True)
    found = set(re.findall(r"::test_(\S+) (?:PASSED|FAILED)", run.stdout))
    assert found or "left out" in run.stdout, run.stdout + run.stderr
    return found


def test_a_test_runs_again_when_an_input_changes(tmp_path: Path) -> None:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    shutil.copy(left_out.__file__, tmp_path / "tests")
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "all"]):
        own = ["-c", "user.name=a", "-c", "user.email=a@example.com"]
        subprocess.run(["git", *own, *command], cwd=tmp_path, check=True)

    def change(name: str, text: str) -> set[str]:
        """Return what runs after a change, beside what always does."""
        (tmp_path / name).write_text(text)
        return ran(tmp_path) - ALWAYS

    assert ran(tmp_path) == ALL
    assert ran(tmp_path) == ALWAYS
    reads_a = {"opens_a", "remembers_a", "remembers_a_too", "page_again[a]"}
    assert change("docs/a", "another a") == {*reads_a, "starts_a_process"}
    imports = {name for name in ALL - ALWAYS if not name.startswith("page")}
    assert change("docs/imported", "what a helper has read as it was imported") == imports
    assert change("docs/aside", "of no page") == {"starts_a_process"}
    assert change("docs/wrong", "right") == {"starts_a_process"}
    assert ran(tmp_path) == ALWAYS - {"fails"}
    assert change("tests/helper.py", FILES["tests/helper.py"] + "x = 1") == imports
    assert change("tests/conftest.py", FILES["tests/conftest.py"] + "x = 1") == ALL - ALWAYS


def test_a_cache_of_the_tests_remembers_what_it_opened() -> None:
    """What functools keeps, only the first test that asks would have for its input."""
    apart = {"engines.py", "left_out.py", "mutation.py"}  # no test of a run, or given their texts
    for path in sorted((ROOT / "tests").rglob("*.py")):
        if path.name not in apart:
            assert not re.search(
                r"^ *@(functools\.)?(lru_)?cache\b", path.read_text("utf-8"), re.M
            ), path


def test_keys_without_an_order_are_shown_as_they_were_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sorted, they are in the order of where they lie in memory, which no two runs share."""
    first, last = sorted((type("First", (), {}), type("Last", (), {})), key=id, reverse=True)
    module = ModuleType("written")
    module.__file__ = str(tmp_path / "written.py")
    Path(module.__file__).write_text("")
    module.KEYS = {first: 1, last: 2}  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "written", module)
    _, shown = left_out.data_of("written")
    assert shown.index(first.__name__) < shown.index(last.__name__)
