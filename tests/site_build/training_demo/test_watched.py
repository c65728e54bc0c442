"""What is stored of a training that a reader can watch."""

import torch

from attention_story import encode, left_out, trained_model
from attention_story.training import answers, loss_of, with_weights
from site_build.training_demo.switches import (
    STEPS,
    WHOLE,
    WITHOUT,
    logits_and_weights,
    random_numbers,
)
from site_build.training_demo.watched import (
    MOMENTS,
    SOON,
    STARTS,
    TEXTS,
    head_at_adjective,
    mean_loss,
    record,
    right,
    watched,
)
from tests.conftest import ROOT


def test_with_all_switches_on_it_is_the_model_of_the_course() -> None:
    model = trained_model().double()
    for text in TEXTS:
        with torch.no_grad():
            logits, weights = logits_and_weights(model, encode(text), WHOLE)
            expected, expected_weights = with_weights(model, encode(text))
        assert (logits - expected).abs().max() < 1e-12
        for one, other in zip(weights, expected_weights, strict=True):
            assert (one - other).abs().max() < 1e-12
    assert abs(mean_loss(model) - loss_of(model)) < 1e-9
    assert set(right(model).values()) == set(answers(model).values()) == {1}


def test_the_random_numbers_are_even() -> None:
    numbers = random_numbers(1)
    found = torch.tensor([next(numbers) for _ in range(100_000)])
    assert abs(found.mean() - 0.5) < 0.005
    assert abs(found.var() - 1 / 12) < 0.002
    assert 0 <= found.min() < found.max() < 1


def test_the_recorded_training_begins_as_it_does_today() -> None:
    stored = watched()["run"]
    today = record(until=100)
    for one, other in zip(today["moments"], stored["moments"], strict=False):
        assert one["step"] == other["step"]
        assert abs(one["loss"] - other["loss"]) < 0.0011
        for mine, theirs in zip(one["texts"], other["texts"], strict=True):
            assert mine["said"] == theirs["said"]
            assert abs(mine["water"] - theirs["water"]) < 0.0011
            assert abs(mine["money"] - theirs["money"]) < 0.0011
            looks = torch.tensor(mine["looks"]) - torch.tensor(theirs["looks"])
            assert looks.abs().max() <= 1
    assert len(today["moments"]) == len([step for step in MOMENTS if step <= 100])
    assert today["written"] == stored["written"][: len(today["written"])]


def test_the_recorded_training_ends_as_the_pages_say() -> None:
    (muddy, rich) = watched()["run"]["moments"][-1]["texts"]
    assert (muddy["said"], rich["said"]) == ("water", "money")
    assert watched()["run"]["moments"][-1]["step"] == STEPS
    head = head_at_adjective([muddy, rich])
    assert head is not None
    for moment in watched()["run"]["moments"]:
        assert moment["step"] < SOON or head_at_adjective(moment["texts"]) == head
    assert list(left_out()) == list(WITHOUT)


def test_the_page_says_how_many_starts_find_the_same_way() -> None:
    page = " ".join((ROOT / "docs" / "steps" / "how-it-learns.md").read_text("utf-8").split())
    ways = watched()["ways"]
    found = {6: "six"}[len(ways) - ways.count(None)]
    assert f"after {SOON} steps, one head looks mainly at the adjective of both texts" in page
    assert f"Of the starts {STARTS[0]} to {STARTS[-1]}, only {found} do so." in page
