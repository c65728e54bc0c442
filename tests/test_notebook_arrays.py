"""Each notebook prints every array that its source printed, digit for digit."""

import ast
import re
from difflib import get_close_matches
from pathlib import Path
from typing import TypeAlias

import nbformat
import pytest

Array: TypeAlias = "float | list[Array]"

NOTEBOOKS = Path(__file__).parents[1] / "docs" / "notebooks"

# What a stored output shows of one array: numbers, commas and brackets, then options such as
# grad_fn. An array with a nan, an inf or a boolean in it is none of those looked for here.
PRINTED = re.compile(r"\b(?:tensor|array)\(([-+\d.e,\s\[\]]+?)(?:,\s*[a-z_]+=[^)]*)?\)")

# Three tables that several sources print: six tokens of three numbers, attending to each other.
SCORES: Array = [
    [0.9995, 0.9544, 0.9422, 0.4753, 0.4576, 0.631],
    [0.9544, 1.495, 1.4754, 0.8434, 0.707, 1.0865],
    [0.9422, 1.4754, 1.457, 0.8296, 0.7154, 1.0605],
    [0.4753, 0.8434, 0.8296, 0.4937, 0.3474, 0.6565],
    [0.4576, 0.707, 0.7154, 0.3474, 0.6654, 0.2935],
    [0.631, 1.0865, 1.0605, 0.6565, 0.2935, 0.945],
]
WEIGHTS: Array = [
    [0.2098, 0.2006, 0.1981, 0.1242, 0.122, 0.1452],
    [0.1385, 0.2379, 0.2333, 0.124, 0.1082, 0.1581],
    [0.139, 0.2369, 0.2326, 0.1242, 0.1108, 0.1565],
    [0.1435, 0.2074, 0.2046, 0.1462, 0.1263, 0.172],
    [0.1526, 0.1958, 0.1975, 0.1367, 0.1879, 0.1295],
    [0.1385, 0.2184, 0.2128, 0.142, 0.0988, 0.1896],
]
CONTEXT: Array = [
    [0.4421, 0.5931, 0.579],
    [0.4419, 0.6515, 0.5683],
    [0.4431, 0.6496, 0.5671],
    [0.4304, 0.6298, 0.551],
    [0.4671, 0.591, 0.5266],
    [0.4177, 0.6503, 0.5645],
]

# The embedded sentence of 001: six tokens of sixteen numbers, two lines a token.
# fmt: off
EMBEDDED: Array = [
    [0.3374, -0.1778, -0.3035, -0.588, 0.3486, 0.6603, -0.2196, -0.3792,
     0.7671, -1.1925, 0.6984, -1.4097, 0.1794, 1.8951, 0.4954, 0.2692],
    [0.5146, 0.9938, -0.2587, -1.0826, -0.0444, 1.6236, -2.3229, 1.0878,
     0.6716, 0.6933, -0.9487, -0.0765, -0.1526, 0.1167, 0.4403, -1.4465],
    [0.2553, -0.5496, 1.0042, 0.8272, -0.3948, 0.4892, -0.2168, -1.7472,
     -1.6025, -1.0764, 0.9031, -0.7218, -0.5951, -0.7112, 0.623, -1.3729],
    [-1.325, 0.1784, -2.1338, 1.0524, -0.3885, -0.9343, -0.4991, -1.0867,
     0.8805, 1.5542, 0.6266, -0.1755, 0.0983, -0.0935, 0.2662, -0.585],
    [-0.077, -1.0205, -0.169, 0.9178, 1.581, 1.301, 1.2753, -0.201,
     0.4965, -1.5723, 0.9666, -1.1481, -1.1589, 0.3255, -0.6315, -2.84],
    [0.8768, 1.6221, -1.4779, 1.1331, -1.2203, 1.3139, 1.0533, 0.1388,
     2.2473, -0.8036, -0.2808, 0.7697, -0.6596, -0.7979, 0.1838, 0.2293],
]
# fmt: on

SOURCE_ARRAYS: dict[str, list[Array]] = {
    "000_attention_by_dot_product": [
        [0.9544, 1.495, 1.4754, 0.8434, 0.707, 1.0865],
        6.5617,
        [0.1455, 0.2278, 0.2249, 0.1285, 0.1077, 0.1656],
        1.0,
        [0.1385, 0.2379, 0.2333, 0.124, 0.1082, 0.1581],
        1.0,
        [0.4419, 0.6515, 0.5683],
        SCORES,
        WEIGHTS,
        CONTEXT,
    ],
    "001_queries_keys_values": [
        [0, 4, 5, 2, 1, 3],
        EMBEDDED,
        2.3206,
        [-7.0847, -4.5398, 3.9887, 10.2379, 2.3206, -10.5434],
        [0.0185, 0.0312, 0.1778, 0.6368, 0.1265, 0.0092],
    ],
    "002_softmax_once": [
        [0.2241, 0.214, 0.2113, 0.1066, 0.1026, 0.1415],
        [0.1763, 0.1745, 0.174, 0.1567, 0.1561, 0.1623],
        [0.4338, 0.586, 0.5401],
        WEIGHTS,
        CONTEXT,
    ],
    "003_formula_and_numbers": [
        [0.9544, 1.495, 1.4754, 0.8434, 0.707, 1.0865],
        [0.1455, 0.2278, 0.2249, 0.1285, 0.1077, 0.1656],
        1.0,
        [0.1385, 0.2379, 0.2333, 0.124, 0.1082, 0.1581],
        1.0,
        [0.4419, 0.6515, 0.5683],
        SCORES,
        SCORES,
        WEIGHTS,
        CONTEXT,
    ],
    "004_run_out_of_order": [
        [[8, 4, 1], [3, 6, 7], [2, 0, 3]],
        [[1, 1, 1], [1, 1, 1], [1, 0, 2]],
        [[1, 1, 1], [1, 1, 1], [2, 2, 1]],
        [0, 0, 0, 2],
        [0.16199, 0.16199, 0.16199, 0.51402],
        [1.67601, 1.67601, 0.64798],
        [1.67601, 1.67601, 0.64798],
        [
            [1.67601, 1.67601, 0.64798],
            [1.67601, 1.67601, 0.64798],
            [1.84696, 1.84696, 0.30608],
            [1.67601, 1.67601, 0.64798],
        ],
    ],
}


def printed_arrays(path: Path) -> list[Array]:
    """Read every array of numbers in the text that a notebook's cells have stored."""
    arrays: list[Array] = []
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            text = output.get("text") or output.get("data", {}).get("text/plain", "")
            arrays += [ast.literal_eval(numbers.strip()) for numbers in PRINTED.findall(text)]
    return arrays


def test_there_are_38_source_arrays() -> None:
    assert sum(len(arrays) for arrays in SOURCE_ARRAYS.values()) == 38


@pytest.mark.parametrize("name", SOURCE_ARRAYS)
def test_notebook_prints_its_sources_arrays(name: str) -> None:
    wanted = SOURCE_ARRAYS[name]
    printed = printed_arrays(NOTEBOOKS / f"{name}.ipynb")
    for array in wanted:
        if printed.count(array) < wanted.count(array):
            nearest = get_close_matches(str(array), map(str, printed), n=1, cutoff=0)
            pytest.fail(
                f"{name}.ipynb prints an array of its source {printed.count(array)} times, "
                f"not {wanted.count(array)}.\n  wanted:  {array}\n  nearest: {', '.join(nearest)}"
            )


@pytest.mark.parametrize("name", SOURCE_ARRAYS)
def test_no_array_is_printed_twice(name: str) -> None:
    """A table is shown where it proves something, and again only where its source does so."""
    printed = [a for a in printed_arrays(NOTEBOOKS / f"{name}.ipynb") if isinstance(a, list)]
    twice = [a for a in printed if printed.count(a) > max(1, SOURCE_ARRAYS[name].count(a))]
    assert twice == []
