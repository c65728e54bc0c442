"""The trainings that a reader watches, run again by torch: the model without each of its parts.

    pytest tests/trainings.py

The browser computes what torch computes, which tests/site_build/test_learning.py holds for each of
these models. The name keeps pytest from collecting this file by itself; a scheduled workflow runs
it. The page "How the numbers are verified" shows what came out, and when.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
import torch

from attention_story import left_out
from site_build.training_demo.watched import (
    SEEDS,
    SOON,
    STARTS,
    head_at_adjective,
    record,
    trained_without,
    watched,
    way_from,
)
from tests.conftest import ROOT
from tests.results import Results

Row = dict[str, float]
Found = dict[str, dict[str, Row]]  # by what is left out, by the start
MEASURES = ["loss", "adjective", "name", "stories"]


def span(rows: Mapping[str, Row], measure: str) -> str:
    """Return the least and the most of a measure."""
    numbers = sorted({f"{row[measure]:.2f}" for row in rows.values()})
    source = "<!-- source: tests/trainings.json -->"
    return " to ".join(number + source for number in [numbers[0], *numbers[1:][-1:]])


RESULTS = Results(
    file=Path(__file__).with_suffix(".json"),
    page=ROOT / "docs" / "guides" / "how-the-numbers-are-verified.md",
    head=["left out", "starts", *MEASURES],
    rows=lambda found: [
        ["nothing" if name == "whole" else name, ", ".join(rows)]
        + [span(rows, measure) for measure in MEASURES]
        for name, rows in found.items()
    ],
    libraries=["torch"],
)

# What the page on how a model learns says of every start. Names differ among starts.
ONE_IN_TWO, ALL_RIGHT = (0.4, 0.6), (0.95, 1.0)
MUD = {"adjective": ALL_RIGHT}
WITHOUT_A_PART: dict[str, dict[str, tuple[float, float]]] = {
    "whole": MUD | {"loss": (0.54, 0.62), "stories": (0.55, 1)},
    "no attention": {"loss": (0.89, 0.93), "adjective": ONE_IN_TWO, "stories": (0, 0.2)},
    "no mask": {"loss": (0, 0.1), "stories": (0, 0)},
    "plain means": MUD | {"loss": (0.62, 0.7), "name": (0.2, 0.6), "other name": (0.2, 0.7)},
    "one head": MUD | {"loss": (0.56, 0.72)},
    "one block": MUD | {"loss": (0.55, 0.72)},
    "no MLP": MUD | {"loss": (0.55, 0.71)},
    "no positions": MUD | {"loss": (0.55, 0.68)},
    "no root": MUD | {"loss": (0.55, 0.71)},
    "no sum": MUD | {"loss": (0.59, 0.76)},
}


@pytest.fixture(scope="module")
def found(request: pytest.FixtureRequest) -> Iterator[Found]:
    """Return a place for what was found, and write it down at the end if so asked."""
    found: Found = defaultdict(dict)
    yield found
    RESULTS.record(found, request.session)


@pytest.mark.parametrize("seed", SEEDS[:2])
@pytest.mark.parametrize("name", WITHOUT_A_PART)
def test_a_model_without_a_part_is_trained_again(name: str, seed: int, found: Found) -> None:
    torch.set_num_threads(1)
    today, stored = trained_without(name, seed), left_out()[name][SEEDS.index(seed)]
    for measure, (low, high) in WITHOUT_A_PART[name].items():
        assert low <= today[measure] <= high, (measure, today)
        for row in left_out()[name]:
            assert low <= row[measure] <= high, (measure, row)
    assert abs(today["loss"] - stored["loss"]) < 0.06
    found[name][str(seed)] = {measure: today[measure] for measure in MEASURES}


def test_the_recorded_training_is_run_again() -> None:
    torch.set_num_threads(1)
    today, stored = record()["moments"], watched()["run"]["moments"]
    for one, other in zip(today, stored, strict=True):
        assert abs(one["loss"] - other["loss"]) < (0.002 if one["step"] <= SOON else 0.05)
        if one["step"] >= SOON:
            assert head_at_adjective(one["texts"]) == head_at_adjective(today[-1]["texts"])
    muddy, rich = today[-1]["texts"]
    assert (muddy["said"], rich["said"]) == ("water", "money")


def test_the_first_starts_find_their_ways_again() -> None:
    torch.set_num_threads(1)
    assert [way_from(seed) for seed in STARTS] == watched()["ways"]
