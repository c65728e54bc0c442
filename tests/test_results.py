"""What the pages say was found is what was found."""

import pytest

from tests import engines
from tests.other_libraries import conftest as other_libraries
from tests.other_libraries import matrix
from tests.results import Results, not_repeated


@pytest.mark.parametrize(
    "results",
    [
        engines.RESULTS,
        other_libraries.RESULTS,
        matrix.RESULTS,
    ],
)
def test_the_page_shows_the_results(results: Results) -> None:
    assert results.shown() in results.page.read_text("utf-8")


RECORDED = {"a": {"equal": 0.0, "rounded": 2e-07}}


@pytest.mark.parametrize(
    ("found", "whole", "told"),
    [
        ({"a": {"equal": 0.0, "rounded": 9e-08}}, True, []),
        ({"a": {"equal": 0.0}}, False, []),
        ({"a": {"equal": 0.0}}, True, ["a, rounded: was not run"]),
        ({"a": {"equal": 1e-08}}, False, ["a, equal: 0e+00 is written down, and 1e-08 found"]),
        ({"a": {"rounded": 0.0}}, False, ["a, rounded: 2e-07 is written down, and 0e+00 found"]),
        ({"a": {"rounded": 3e-06}}, False, ["a, rounded: 2e-07 is written down, and 3e-06 found"]),
        ({"b": {"equal": 0.0}}, False, ["b, equal: is new"]),
    ],
)
def test_a_fresh_run_finds_what_is_written_down(
    found: dict[str, dict[str, float]], whole: bool, told: list[str]
) -> None:
    assert not_repeated(RECORDED, found, whole=whole) == told
