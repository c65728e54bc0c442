"""Writes the outputs that have changed into the files that hold them."""

from collections.abc import Sequence
from pathlib import Path

from tensor_examples.example import Edit


def edited(text: str, edits: Sequence[Edit]) -> str:
    """Return a text with some of its lines replaced, and every other character as it was."""
    newline = "\r\n" if text.count("\r\n") == text.count("\n") else "\n"
    lines = text.split(newline)
    # From the end, so that the other edits find their lines where they were.
    once = [edit for number, edit in enumerate(edits) if edit not in edits[:number]]
    for edit in sorted(once, key=lambda edit: edit.first, reverse=True):
        lines[edit.first - 1 : edit.end - 1] = edit.lines
    return newline.join(lines)


def write_edits(path: str, edits: Sequence[Edit]) -> None:
    """Make edits in a file, every other byte left as it was."""
    file = Path(path)
    file.write_bytes(edited(file.read_bytes().decode(), edits).encode())
