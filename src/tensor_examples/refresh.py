"""Brings the outputs that are written in files up to date with what the code prints."""

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from tensor_examples.script import Edit


def write(edits: Iterable[Edit]) -> dict[str, int]:
    """Carry out edits, and return how many there were in each file.

    The last edit of a place wins: a notebook's is the whole file, once for each changed cell.
    """
    by_file: dict[str, dict[tuple[int, int], Edit]] = defaultdict(dict)
    for edit in edits:
        by_file[edit.path][edit.start, edit.end] = edit
    for path, places in by_file.items():
        text = Path(path).read_bytes().decode("utf-8")
        # From the end, so that the offsets of the other edits stay true.
        for edit in sorted(places.values(), key=lambda edit: edit.start, reverse=True):
            text = text[: edit.start] + edit.text + text[edit.end :]
        Path(path).write_bytes(text.encode("utf-8"))
    return {path: len(places) for path, places in by_file.items()}
