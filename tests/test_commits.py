"""The subject of a commit names the thing that it changes, from the commit on that brought this."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.conftest import ROOT

SUBJECT = re.compile(r"(?=.{1,72}$)[^:]{1,40}: \S.*")


def git(*arguments: str) -> str:
    """Return what git prints, or skip where there is no history."""
    answer = subprocess.run(
        ["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if answer.returncode:
        pytest.skip("there is no history of commits here")
    return answer.stdout.strip()


def test_the_subject_of_each_new_commit_names_the_thing_that_it_changes() -> None:
    first = git("log", "--diff-filter=A", "--format=%H", "--", f"tests/{Path(__file__).name}")
    commits = git("log", "--no-merges", "--format=%h %s", f"{first}..HEAD") if first else ""
    wrong = [line for line in commits.splitlines() if not SUBJECT.fullmatch(line.split(" ", 1)[1])]
    assert not wrong, 'a subject is "thing: what it is now", in at most 72 characters'


@pytest.mark.parametrize(
    ("subject", "fits"),
    [
        ("masks: refuse a window of 0", True),
        ("A window of 0 is refused", False),
        ("masks:refuse", False),
        (f"masks: {'a' * 65}", True),
        (f"masks: {'a' * 66}", False),
    ],
)
def test_what_a_subject_is(subject: str, fits: bool) -> None:
    assert bool(SUBJECT.fullmatch(subject)) is fits
