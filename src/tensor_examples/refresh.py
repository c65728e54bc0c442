"""Writes the outputs that have changed into the files that hold them."""

from collections.abc import Iterable
from pathlib import Path

from tensor_examples.example import Edit


def edited(text: str, edits: Iterable[Edit]) -> str:
    """Return a text with edits made, every other character as it was."""
    # From the end, so that the offsets of the other edits stay true.
    for edit in sorted(edits, key=lambda edit: edit.start, reverse=True):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


def write(path: str, edits: Iterable[Edit]) -> None:
    """Make edits in a file, every other byte left as it was."""
    file = Path(path)
    file.write_bytes(edited(file.read_bytes().decode(), edits).encode())
