"""A class is graded: each function gives a row, whatever the code of a learner does."""

import json
import os
import sys
from pathlib import Path

import pytest

from attention_practice import grade as module
from attention_practice.grade import Row, _judge, grade, print_table

RIGHT = "def my_weights(scores):\n    return scores.softmax(-1)\n"
WRONG = "def my_scores(query, key):\n    return key @ query.mT\n"
ENDLESS = "def my_embed(token_ids, table):\n    while True:\n        pass\n"
ENDS = "import os\n\n\ndef my_context(weights, value):\n    os._exit(3)\n"
LEAVES = "def my_context(weights, value):\n    raise SystemExit\n"
CACHE = "class MyCache:\n    def append(self, key, value):\n        return key, key\n"


class Sent(list[Row | str]):
    """Keeps what a process would send."""

    send = list.append


def judged(path: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """Return the exercises and results of a file, judged in this process."""
    monkeypatch.setattr(module, "resource", None)
    path.write_text(text, "utf-8")
    sent = Sent()
    _judge(path, [], 1.0, sent)  # type: ignore[arg-type]
    return [(row.exercise, row.result) for row in sent if isinstance(row, Row)]


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        (WRONG + RIGHT, [("scores", "mistake"), ("weights", "right")]),
        (CACHE, [("cache", "two mistakes")]),
        (LEAVES + RIGHT, [("weights", "right"), ("context", "error")]),
        ("def my_weights(:\n", [("", "not read")]),
        ("raise SystemExit\n", [("", "not read")]),
        (RIGHT + "1 / 0\n", [("", "not read"), ("weights", "right")]),
        ("x = 1\n", [("", "no function")]),
    ],
)
def test_each_function_of_a_file_gives_a_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, rows: list[tuple[str, str]]
) -> None:
    assert judged(tmp_path / "ada.py", text, monkeypatch) == rows


@pytest.mark.parametrize(
    ("first", "rows"),
    [
        ("try:\n    import torch\nexcept ImportError:\n    %pip install torch", []),
        ("!ls", []),
        ("1 / 0", [("", "not read")]),
    ],
)
def test_commands_of_a_notebook_are_passed_over_and_a_cell_that_fails_leaves_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: str, rows: list[tuple[str, str]]
) -> None:
    cells = [{"cell_type": "code", "source": source} for source in (first, RIGHT)]
    cells.append({"cell_type": "markdown", "source": "# text"})
    text = json.dumps({"cells": cells})
    assert judged(tmp_path / "ada.ipynb", text, monkeypatch) == [*rows, ("weights", "right")]


@pytest.mark.parametrize("text", ["no notebook", "[1]", '{"cells": null}'])
def test_what_is_no_notebook_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    assert judged(tmp_path / "ben.ipynb", text, monkeypatch) == [("", "not read")]


def test_what_never_ends_or_ends_python_costs_a_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "part-1").mkdir()
    (tmp_path / "a-folder.py").mkdir()
    (tmp_path / "part-1" / "ada.py").write_text(ENDLESS + RIGHT + ENDS, "utf-8")
    monkeypatch.setattr("sys.argv", ["grade", str(tmp_path), "--seconds", "1"])
    print_table()
    assert capsys.readouterr().out.splitlines() == [
        "who,exercise,result,mistakes,says",
        "part-1/ada.py,embed,took more than 1 seconds,,",
        'part-1/ada.py,weights,right,,"weights: right, on all 5 inputs."',
        "part-1/ada.py,context,ended Python,,",
    ]


# What writes past Python into the table, begins a process, or takes all memory.
WRITES = (
    "import os\n\nos.write(1, b'ada.py,scores,right,,')\nos.system('echo ada.py,merge,right,,')\n"
)
SLEEPS = """import subprocess


def my_context(weights, value):
    subprocess.Popen(["sleep", "1000.{}"])
    raise SystemExit
"""
BREAKS = "import ctypes\n\n\ndef my_merge(*lse):\n    ctypes.string_at(0)\n"
FILLS = "def my_scores(query, key):\n    return bytearray(8 * 2**30)\n"


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere memory has no limit")
def test_hostile_code_costs_its_own_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    number = os.getpid()
    text = WRITES + SLEEPS.format(number) + FILLS + RIGHT + BREAKS
    (tmp_path / "ada.py").write_text(text, "utf-8")
    monkeypatch.setattr("sys.argv", ["grade", str(tmp_path)])
    print_table()
    rows = [line.split(",")[:3] for line in capfd.readouterr().out.splitlines()[1:]]
    assert rows == [
        ["ada.py", "scores", "error"],
        ["ada.py", "weights", "right"],
        ["ada.py", "context", "error"],
        ["ada.py", "merge", "ended Python"],
    ]
    commands = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline")]
    assert not [command for command in commands if f"1000.{number}".encode() in command]


def test_a_folder_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="folder must be a folder of answers"):
        list(grade(tmp_path / "none"))
