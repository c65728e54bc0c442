"""Lines of a file and where they begin."""

from itertools import accumulate


def split_lines(text: str) -> list[str]:
    """Return the lines of a file, without their ends, be they Unix's or Windows's."""
    return [line.removesuffix("\r") for line in text.split("\n")]


def line_starts(text: str) -> list[int]:
    """Return the offset at which each line begins, and after them the length of the text."""
    lines = text.split("\n")
    return [*accumulate((len(line) + 1 for line in lines[:-1]), initial=0), len(text)]


def newline_of(text: str) -> str:
    """Return how the lines of a file end."""
    return "\r\n" if "\r\n" in text else "\n"
