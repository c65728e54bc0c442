"""The README's two commands are the ones that the project's own checks run."""

import re

from tests.conftest import ROOT

README = (ROOT / "README.md").read_text("utf-8")
COMMANDS = re.findall(r"^python3 -m venv .*$", README, re.MULTILINE)


def test_there_are_two_commands_and_each_does_all_its_set_up() -> None:
    assert len(COMMANDS) == 2
    setups = {command.rpartition(" && ")[0] for command in COMMANDS}
    assert setups == {"python3 -m venv .venv && .venv/bin/pip install -r requirements.txt"}
    assert {command.rpartition("/")[2] for command in COMMANDS} == {"mkdocs serve", "pytest"}


def test_ci_runs_the_test_command_of_the_readme() -> None:
    script = (ROOT / ".ci" / "run").read_text("utf-8")
    assert "grep -m1 'bin/pytest$' README.md" in script
    assert [command for command in COMMANDS if command.endswith("bin/pytest")]


def test_every_requirement_is_pinned() -> None:
    lines = (ROOT / "requirements.txt").read_text("utf-8").splitlines()
    requirements = [line for line in lines if line and not line.startswith("#")]
    assert requirements[-1] == "-e ."
    assert all(re.fullmatch(r"[\w.\[\]-]+==[\w.]+", line) for line in requirements[:-1])
