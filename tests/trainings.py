"""Trainings that are recorded, run again in a browser: they end at the same numbers.

    pytest tests/trainings.py

The name keeps pytest from collecting this file by itself; a scheduled workflow runs it.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from playwright.sync_api import Page

from site_build.browser import empty_page
from site_build.training_demo.record import (
    film_of,
    lines_of,
    numbers_file,
    row_of,
    train,
)
from site_build.training_demo.world import recorded
from tiny_lm import model
from tiny_lm.recipe import RECIPE


@pytest.fixture(scope="module")
def browser_page() -> Iterator[Page]:
    torch.set_num_threads(1)
    with empty_page() as page:
        yield page


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("name", RECIPE.without)
def test_a_model_without_a_part_is_trained_again(browser_page: Page, name: str, seed: int) -> None:
    today = row_of(name, seed, train(browser_page, name, seed)["numbers"])
    assert today in model.recorded("trained_without")[name]


def test_the_training_that_is_shown_is_run_again(browser_page: Page) -> None:
    today = train(browser_page, "whole", RECIPE.shown, film=True)
    stored = (Path(model.__file__).parent / "numbers.json").read_text("utf-8")
    assert numbers_file(today["numbers"]) == stored, "to the last bit"
    assert json.loads(lines_of(film_of(today)))["run"] == recorded()["run"]
