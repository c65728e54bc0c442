"""The language model of the course: its world, its numbers, and what is recorded of it."""

from math import log

import pytest
import torch

from tests.tiny_lm import oracle
from tiny_lm.model import LanguageModel, encode, recorded, trained_model
from tiny_lm.recipe import RECIPE
from tiny_lm.stories import ALL, KINDS, TEST, TRAINING, floor
from tiny_lm.trace import traced
from tiny_lm.training import answers, mean_loss, random_numbers, start, train, write

BANK = RECIPE.texts[0]


def test_all_stories_of_the_world_are_told_and_none_is_kept_back_twice() -> None:
    assert sum(story.probability for story in ALL) == pytest.approx(1)
    assert len({tuple(story.words) for story in ALL}) == len(ALL) == len(TRAINING) + len(TEST)
    assert {kind for story in ALL for kind in story.questions.values()} == {*KINDS}
    for story in ALL:
        for place in story.questions:
            assert story.words[place] in {"water", "money", "it", "she", "they"}


def test_the_same_words_in_another_order_and_another_question_have_another_answer() -> None:
    told = {tuple(story.words[:-2]): story.words[-2] for story in ALL}
    answered = [told["<", *text.split()] for text in RECIPE.texts]
    assert answered == ["water", "money", "money", "water"]
    one, other, *_ = [sorted(text.split()) for text in RECIPE.texts]
    assert one == other


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
    assert floor(TRAINING) < mean_loss(model) < floor(TRAINING) + 0.02


@pytest.mark.parametrize("off", ["", "0.1", "0.0 1.1", "0.mlp", "1.mlp 0.0"])
@pytest.mark.parametrize("text", [BANK, RECIPE.texts[3], " ".join(TEST[0].words[1:])])
def test_it_computes_what_the_oracle_does(text: str, off: str) -> None:
    model, expected = trained_model().double(), oracle.read(text, {*off.split()})
    found = traced(model, encode(text), {*off.split()})
    assert close(found.levels, expected.levels)
    for weights, heads in zip(found.weights, expected.heads, strict=True):
        for rows, head in zip(weights, heads, strict=True):
            for row, there in zip(rows, head.weights, strict=True):
                assert close(row[: len(there)], there)
                assert not row[len(there) :].any()
    for level in range(len(expected.levels)):
        assert close(found.shares[level, -1], expected.shares(level))
    if not off:
        assert close(model(encode(text))[0, -1].softmax(-1), expected.shares())


@pytest.mark.parametrize(("layer", "place"), [(0, 6), (1, 6), (1, 13)])
def test_a_patch_is_that_of_the_oracle(layer: int, place: int) -> None:
    donor = oracle.read(RECIPE.texts[1]).levels[2 * layer][place]
    patch = (layer, place, torch.tensor(donor, dtype=torch.float64))
    found = traced(trained_model().double(), encode(BANK), patch=patch)
    assert close(found.levels, oracle.read(BANK, patch=(layer, place, donor)).levels)


def close(found: torch.Tensor, expected: object) -> bool:
    numbers = torch.tensor(expected, dtype=torch.float64)
    assert numbers.shape == found.shape
    return bool((found - numbers).abs().max() < 1e-12)


def test_the_random_numbers_are_even() -> None:
    numbers = random_numbers(1)
    found = torch.tensor([next(numbers) for _ in range(100_000)])
    assert abs(found.mean() - 0.5) < 0.005
    assert abs(found.var() - 1 / 12) < 0.002
    assert 0 <= found.min() < found.max() < 1


def test_a_part_that_is_left_out_stays_out_while_the_others_learn() -> None:
    for part, has in RECIPE.without.items():
        model = start(1, part)
        before = {name: each.clone() for name, each in model.named_parameters()}
        list(train(model, 1, steps=2))
        for name, each in model.named_parameters():
            is_out = name.endswith(tuple(f"{end}.weight" for end in has.get("without", [])))
            assert torch.equal(each, before[name]) is is_out, (part, name)
            assert each.any() != is_out


def test_what_is_recorded_is_of_these_models_and_of_these_numbers() -> None:
    assert list(recorded("trained_without")) == list(RECIPE.without)
    run, texts = recorded("shown")["run"], RECIPE.texts
    assert run["seed"] == RECIPE.shown
    last = run["moments"][-1]
    assert last["step"] == RECIPE.steps
    for text, told in zip(texts, last["texts"], strict=True):
        found = traced(trained_model().double(), encode(text))
        looks = torch.cat([each[:, -1] for each in found.weights])
        assert (100 * looks).round().int().tolist() == told["looks"]


def test_it_writes_stories() -> None:
    known = [story.words for story in ALL]
    told = list(write(trained_model(), 20, seed=1))
    assert sum(words in known for words in told) > 12
    assert sum(words in known for words in write(LanguageModel(), 20, seed=1)) == 0
