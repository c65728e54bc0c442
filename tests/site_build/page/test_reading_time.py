"""How long a page takes."""

import pytest

from site_build.page.reading_time import minutes_to_read

MINUTE = "word " * 120


@pytest.mark.parametrize(
    ("html", "minutes"),
    [
        ("", 0),
        (f"<p>{MINUTE}<em>{MINUTE}</em></p>", 2),
        (f"<p>{MINUTE}</p>" + f"<figure><svg><text>{MINUTE}</text></svg></figure>" * 2, 2),
        (f"<details><details>{MINUTE}</details>{MINUTE}<figure></figure></details>{MINUTE}", 1),
        (f"<pre>{MINUTE}</pre>" + f"<hand-figure>{MINUTE}</hand-figure>" * 4, 2),
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
