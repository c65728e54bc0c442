"""How long a page takes."""

import re
from itertools import pairwise
from pathlib import Path

import pytest

from site_build.page.reading_time import minutes_to_read
from tests.conftest import ROOT

MINUTE = "word " * 120


@pytest.mark.parametrize(
    ("html", "minutes"),
    [
        ("", 0),
        (f"<p>{MINUTE}<em>{MINUTE}</em></p>", 2),
        (f"<p>{MINUTE}</p>" + f"<figure><svg><text>{MINUTE}</text></svg></figure>" * 2, 2),
        (f"<details><details>{MINUTE}</details>{MINUTE}<figure></figure></details>{MINUTE}", 1),
        (f"<pre>{MINUTE}</pre>" + f"<formula-card>{MINUTE}</formula-card>" * 4, 2),
        (f"<p><span><b>The guess.</b><b>{MINUTE}</b></span>{MINUTE}</p>", 1),
    ],
    ids=[
        "nothing",
        "words",
        "two figures",
        "what is folded",
        "code, and figures",
        "guesses",
    ],
)
def test_open_words_and_figures_take_time(html: str, minutes: int) -> None:
    assert minutes_to_read(html) == minutes


def test_teachers_are_told_what_the_pages_of_a_part_say(site: Path) -> None:
    said = {}
    for path in site.glob("steps/*/index.html"):
        if found := re.search(r"Step (\d+) of \d+ · (\d+) minutes", path.read_text("utf-8")):
            said[int(found[1])] = path.parent.name, int(found[2])
    names, minutes = zip(*(said[number] for number in sorted(said)), strict=True)
    text = (ROOT / "docs" / "guides" / "for-teachers.md").read_text("utf-8")
    parts = re.findall(r"steps/([\w-]+)\.md\).* (\d+) minutes \|$", text, re.MULTILINE)
    starts = [names.index(name) for name, _ in parts]
    assert starts[0] == 0
    for (start, end), (_, told) in zip(pairwise([*starts, len(names)]), parts, strict=True):
        assert abs(sum(minutes[start:end]) - int(told)) <= 5, names[start:end]
