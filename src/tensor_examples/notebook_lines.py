"""The lines of a notebook's file: where each cell is, and each line of its source.

Programs write the same notebook in different ways: on one line or on many, with the names of an
object in any order. So JSON is read here once more, for its places.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

DECODER = json.JSONDecoder()
BETWEEN = re.compile(r"[\s,:]*")


@dataclass(frozen=True)
class CellLines:
    """The lines of the file that a cell has, counted from 1."""

    first: int
    last: int
    source: list[int]  # one for each line of the source
    alt: int  # of the description of its image, or of its metadata


def places_of(text: str) -> Iterator[CellLines]:
    """Yield the place of each cell of a notebook, whose text is valid."""
    for cell, start in json_values(text, members(text, text.index("{"))["cells"]):
        starts = members(text, start)
        metadata = starts["metadata"]
        yield CellLines(
            line_at(text, start),
            line_at(text, DECODER.raw_decode(text, start)[1]),
            source_lines(text, cell["source"], starts["source"]),
            line_at(text, members(text, metadata).get("alt", metadata)),
        )


def source_lines(text: str, source: str | list[str], start: int) -> list[int]:
    """Return the line of the file for each line of a source, which is one string or a list."""
    pieces = list(json_values(text, start)) if isinstance(source, list) else [(source, start)]
    lines = [line_at(text, place) for piece, place in pieces for _ in range(piece.count("\n"))]
    return [*lines, line_at(text, pieces[-1][1] if pieces else start)]


def members(text: str, start: int) -> dict[str, int]:
    """Return where each value of an object begins."""
    found = list(json_values(text, start))
    pairs = zip(found[::2], found[1::2], strict=True)
    return {name: place for (name, _), (_, place) in pairs}


def json_values(text: str, start: int) -> Iterator[tuple[Any, int]]:
    """Yield each value of a list, and where it begins; of an object, its names and values."""
    place = after(text, start + 1)
    while text[place] not in "]}":
        value, end = DECODER.raw_decode(text, place)
        yield value, place
        place = after(text, end)


def after(text: str, place: int) -> int:
    """Return where the next value begins, or where the brackets around this one end."""
    found = BETWEEN.match(text, place)
    assert found is not None  # it may be empty
    return found.end()


def line_at(text: str, place: int) -> int:
    """Return the line of a place in the file, from 1."""
    return text.count("\n", 0, place) + 1
