"""The language model of the course: its world, its numbers, and what is stored of its training."""

from math import log

import pytest
import torch

from attention_story import LanguageModel, encode, measured, trained_model
from attention_story.stories import ALL, TEST, TRAINING, floor
from attention_story.training import (
    answers,
    learned_numbers,
    loss_of,
    smaller_models,
    start,
    train,
)


def test_all_stories_of_the_world_are_told_and_none_is_kept_back_twice() -> None:
    assert sum(story.probability for story in ALL) == pytest.approx(1)
    assert len({tuple(story.words) for story in ALL}) == len(ALL) == len(TRAINING) + len(TEST)
    for story in ALL:
        for place in story.questions:
            assert story.words[place] in {
                "water",
                "money",
                "it",
                "she",
                "they",
                *story.words[:place],
            }


def test_the_floor_is_the_entropy_of_the_stories() -> None:
    # By the chain rule: the surprise about whole stories, for each of their words.
    total = sum(story.probability for story in TRAINING)
    shares = [story.probability / total for story in TRAINING]
    surprise = -sum(share * log(share) for share in shares)
    words = sum(
        share * (len(story.words) - 1) for share, story in zip(shares, TRAINING, strict=True)
    )
    assert floor(TRAINING) == pytest.approx(surprise / words)
    assert floor(TRAINING) < floor(TRAINING, remembered=3) < floor(TRAINING, remembered=1)


def test_the_kept_numbers_answer_every_question_close_to_the_floor() -> None:
    model = trained_model()
    assert set(answers(model).values()) == set(answers(model, is_kept_back=True).values()) == {1}
    assert floor(TRAINING) < loss_of(model) < floor(TRAINING) + 0.02


def test_what_is_stored_is_of_these_models_and_of_these_numbers() -> None:
    stored, whole = measured()["models"], trained_model()
    assert {name: each["numbers"] for name, each in stored.items()} == {
        name: learned_numbers(model) for name, model in smaller_models().items()
    }
    assert stored["whole"]["loss"] == pytest.approx(loss_of(whole), abs=1e-4)
    assert stored["whole"]["right"] == answers(whole)


def test_training_repeats_itself_and_learns() -> None:
    first, second = start(LanguageModel()), start(LanguageModel())
    losses = train(first, steps=5)
    assert losses == train(second, steps=5)
    ids = encode("the duck")
    assert torch.equal(first(ids), second(ids))
    assert losses[-1] < losses[0]
