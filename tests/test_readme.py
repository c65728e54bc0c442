"""The README's two commands are what the project's own checks run; what they install is pinned."""

import re
import subprocess
import sys
import tomllib
from importlib import metadata

import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.conftest import ROOT

LOOK = "src/site_build/requirements.txt"
REQUIREMENTS = [
    line
    for line in (ROOT / "requirements.txt").read_text("utf-8").splitlines()
    if line and not line.startswith("#")
]


def test_the_checks_run_the_commands_of_the_readme() -> None:
    commands = re.findall(r"^python3 -m venv .*$", (ROOT / "README.md").read_text("utf-8"), re.M)
    script = (ROOT / ".ci" / "run").read_text("utf-8").splitlines()
    look, work = commands
    setup, _, tests = work.rpartition(" && ")
    assert {setup, tests} <= set(script)
    # What is served while one looks is built for the checks, with more installed.
    few = setup.replace("requirements.txt", LOOK)
    assert look == f"{few} && PYTHONPATH=src .venv/bin/mkdocs serve"
    assert ".venv/bin/mkdocs build --strict" in script


def listed_to_look() -> list[str]:
    lines = (ROOT / LOOK).read_text("utf-8").splitlines()
    return [line for line in lines if not line.startswith("#")]


def test_what_it_takes_to_look_is_pinned_as_for_the_work_and_whole() -> None:
    listed = listed_to_look()
    assert set(listed) <= set(REQUIREMENTS)
    names = {line.partition("==")[0] for line in listed}
    assert "torch" not in names
    asked = [Requirement(each) for name in names for each in metadata.requires(name) or []]
    needed = [each for each in asked if not each.marker or each.marker.evaluate({"extra": ""})]
    assert {canonicalize_name(each.name) for each in needed} <= names


# Reads the settings of the site, which load its hooks, plugins and extensions.
LOADS = """
import sys
from importlib.metadata import packages_distributions
from packaging.utils import canonicalize_name

listed = set(sys.argv[1:])
for module, brought_by in packages_distributions().items():
    own = {canonicalize_name(name) for name in brought_by} | {module.replace("_", "-")}
    if not own & listed and module not in sys.modules and "attention-steps" not in own:
        sys.modules[module] = None  # to import it is an error
from mkdocs.config import load_config

load_config("mkdocs.yml")
print("torch" in sys.modules and sys.modules["torch"])
"""


def test_the_build_loads_without_what_it_takes_to_work() -> None:
    names = [line.partition("==")[0] for line in listed_to_look()]
    loads = [sys.executable, "-c", LOADS, *names]
    run = subprocess.run(loads, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.stdout == "None\n", run.stderr


def test_a_check_that_fails_ends_the_run_and_keeps_the_site_from_being_published() -> None:
    script = (ROOT / ".ci" / "run").read_text("utf-8").splitlines()
    options = 'export PYTEST_ADDOPTS="--exact-outputs --record .cache/verified.json"'
    assert {"set -euo pipefail", options} <= set(script)
    jobs = yaml.safe_load((ROOT / ".github/workflows/site.yml").read_text("utf-8"))["jobs"]
    assert "bash .ci/run" in [step.get("run") for step in jobs["check"]["steps"]]
    may_write = [job for job in jobs.values() if "write" in job.get("permissions", {}).values()]
    publishing = [job.get("needs") for job in may_write]
    assert publishing == ["check", "check"]


def test_every_requirement_is_pinned_and_compiled_from_those_of_the_project() -> None:
    assert REQUIREMENTS[-1] == "-e ."
    assert all(re.fullmatch(r"[\w.\[\]-]+==[\w.]+", line) for line in REQUIREMENTS[:-1])
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    wanted = {pin.lower().replace("_", "-") for pin in pyproject["dependency-groups"]["dev"]}
    assert wanted <= {line.lower().replace("_", "-") for line in REQUIREMENTS}


def test_actions_are_pinned_to_a_commit() -> None:
    used = [
        line
        for path in (ROOT / ".github" / "workflows").glob("*.yml")
        for line in path.read_text("utf-8").splitlines()
        if "uses:" in line
    ]
    assert used
    assert [line for line in used if not re.search(r"@[0-9a-f]{40} # v[\d.]+$", line)] == []
