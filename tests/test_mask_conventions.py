"""The table that opens "Mask conventions" says what the page's code prints further down."""

import re
from itertools import pairwise

from tests.conftest import ROOT

PAGE = (ROOT / "docs" / "guides" / "mask-conventions.md").read_text("utf-8")
# The rows of the table, and those of the output that prove them.
PROOFS = [
    ["torch's function", "... two axes"],
    ["this package"],
    ["ONNX"],
    ["layer, attn_mask", "... no weights"],
    ["layer, key_padding"],
]


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


def printed() -> dict[str, list[str]]:
    """Return which keys got weight, by the name of the way and in the order of the masks."""
    head, *rows = PAGE.partition("keys with weight\n")[2].partition("```")[0].splitlines()
    starts = [name.start() for name in re.finditer(r"\S+", head)][:5]  # with that of "all -inf"
    return {
        row[:21].strip(): [row[start:end].strip() for start, end in pairwise(starts)]
        for row in rows
    }


def verdict(keys: str, asked: str) -> str:
    """Return what has become of a key."""
    return keys if keys == "error" else "attends" if asked in keys.split() else "hidden"


def test_the_table_says_what_the_code_prints() -> None:
    lines = [
        cells(line)
        for line in PAGE.partition("\n## The table, proved")[0].splitlines()
        if line[:1] == "|"
    ]
    head, _, *rows = lines
    assert head[1:] == ["True", "False", "0.0", "-inf", "1.0", "0 or 1, integers"]
    assert len(rows) == len(PROOFS)
    found = printed()
    assert {way for ways in PROOFS for way in ways} == set(found)
    for row, ways in zip(rows, PROOFS, strict=True):
        for way in ways:
            booleans, infinite, floats, integers = found[way]
            # Key 0 met the first value of the mask, and the other two the second.
            assert row[1:] == [
                verdict(booleans, "1"),
                verdict(booleans, "0"),
                verdict(infinite, "1"),
                verdict(infinite, "0"),
                verdict(floats, "1"),
                verdict(integers, "1"),
            ], way
            assert verdict(floats, "0") == "attends", "0.0 hides nothing"
            assert verdict(integers, "0") == verdict(integers, "1")
