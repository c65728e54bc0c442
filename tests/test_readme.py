"""The README's two commands are the ones that the project's own checks run."""

import re
import tomllib

from tests.conftest import ROOT

README = (ROOT / "README.md").read_text("utf-8")
COMMANDS = re.findall(r"^python3 -m venv .*$", README, re.MULTILINE)
REQUIREMENTS = [
    line
    for line in (ROOT / "requirements.txt").read_text("utf-8").splitlines()
    if line and not line.startswith("#")
]


def test_there_are_two_commands_and_each_does_all_its_set_up() -> None:
    assert len(COMMANDS) == 2
    setups = {command.rpartition(" && ")[0] for command in COMMANDS}
    assert setups == {"python3 -m venv .venv && .venv/bin/pip install -r requirements.txt"}
    assert {command.rpartition("/")[2] for command in COMMANDS} == {
        "mkdocs serve",
        "pytest -n 2 --dist loadfile",
    }


def test_ci_runs_the_test_command_of_the_readme() -> None:
    script = (ROOT / ".ci" / "run").read_text("utf-8")
    assert "grep -m1 'bin/pytest' README.md" in script


def test_every_requirement_is_pinned() -> None:
    assert REQUIREMENTS[-1] == "-e ."
    assert all(re.fullmatch(r"[\w.\[\]-]+==[\w.]+", line) for line in REQUIREMENTS[:-1])


def test_the_compiled_requirements_are_those_of_the_project() -> None:
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    wanted = {pin.lower().replace("_", "-") for pin in pyproject["dependency-groups"]["dev"]}
    assert wanted <= {line.lower().replace("_", "-") for line in REQUIREMENTS}


def test_actions_are_pinned_to_a_commit() -> None:
    workflows = (ROOT / ".github" / "workflows").glob("*.yml")
    used = [
        line
        for path in workflows
        for line in path.read_text("utf-8").splitlines()
        if "uses:" in line
    ]
    assert used
    assert [line for line in used if not re.search(r"@[0-9a-f]{40} # v[\d.]+$", line)] == []
