"""The README's two commands are what the project's own checks run; what they install is pinned."""

import re
import tomllib

import yaml

from tests.conftest import ROOT

REQUIREMENTS = [
    line
    for line in (ROOT / "requirements.txt").read_text("utf-8").splitlines()
    if line and not line.startswith("#")
]


def test_the_checks_run_the_commands_of_the_readme() -> None:
    commands = re.findall(r"^python3 -m venv .*$", (ROOT / "README.md").read_text("utf-8"), re.M)
    script = (ROOT / ".ci" / "run").read_text("utf-8").splitlines()
    assert len(commands) == 2
    for command in commands:
        setup, _, work = command.rpartition(" && ")
        # What is served while one writes is built for the checks.
        assert {setup, work.replace("mkdocs serve", "mkdocs build --strict")} <= set(script)


def test_a_check_that_fails_ends_the_run_and_keeps_the_site_from_being_published() -> None:
    script = (ROOT / ".ci" / "run").read_text("utf-8").splitlines()
    options = 'export PYTEST_ADDOPTS="--exact-outputs --record .cache/verified.json"'
    assert {"set -euo pipefail", options} <= set(script)
    jobs = yaml.safe_load((ROOT / ".github/workflows/site.yml").read_text("utf-8"))["jobs"]
    assert "bash .ci/run" in [step.get("run") for step in jobs["check"]["steps"]]
    publishing = [job.get("needs") for job in jobs.values() if "permissions" in job]
    assert publishing == ["check", "check"]


def test_the_readme_cites_the_version_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert f"version = {{{project['version']}}}," in (ROOT / "README.md").read_text("utf-8")


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
