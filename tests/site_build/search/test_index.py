"""The index of the search."""

import json
from pathlib import Path

import pytest

from site_build.search.index import write_index

ENTRIES = [
    {"location": "part/", "title": "Part", "text": ""},
    {
        "location": "part/#a",
        "title": "A &amp; <code>b</code>",
        "text": "<p>Look\nhere.</p><ul><li>x</li></ul>"
        "<pre><code>y &lt; 1\nz 0.4387</code></pre><pre>y</pre>",
    },
    {"location": "part/#empty", "title": "Empty", "text": " "},
]


def write(site: Path, entries: list[dict[str, str]]) -> None:
    (site / "search").mkdir()
    (site / "search" / "search_index.json").write_text(json.dumps({"docs": entries}), "utf-8")
    write_index(site)


def test_titles_are_a_line_of_their_own_and_words_of_code_stand_once(tmp_path: Path) -> None:
    write(tmp_path, ENTRIES)
    [index] = (tmp_path / "search").iterdir()
    titles, texts = json.loads(index.read_text("utf-8"))
    assert titles == [["part/", "Part"], ["part/#a", "A & b"]]
    assert texts == [["", ""], ["Look here.\nx", "y 1 z"]]
    first, second = index.read_text("utf-8").split("\n")
    assert json.loads(first[1:-1]) == titles
    assert json.loads(second[:-1]) == texts


def test_an_index_without_sections_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no sections"):
        write(tmp_path, [])
