"""The model in the browser: its values, its slopes and its steps are those of torch."""

import json
from dataclasses import asdict
from itertools import islice
from typing import Any

import pytest
import torch
from playwright.sync_api import Page
from torch import Tensor

from site_build.stage.training import training
from tiny_lm.model import LanguageModel, recorded
from tiny_lm.recipe import RECIPE
from tiny_lm.stories import ALL, ID, LENGTH, TRAINING, WORDS, floor
from tiny_lm.training import drawn_stories, loss_on, rows_of, start, train

MODULE = 'const {Model} = await import(new URL("/assets/tiny_lm/model.js", location))'
SLOPES = f"""async ([words, length, has, numbers, batches]) => {{
  {MODULE}
  const model = new Model(words, length, has)
  model.numbers.set(numbers)
  return batches.map((texts) => {{
    const loss = model.take(texts).forward()
    model.backward()
    return [loss, [...model.slopes]]
  }})
}}"""
STEPS = """async ([seed, count, part]) => {
  const {Learner} = await import(new URL("/assets/tiny_lm/learner.js", location))
  const world = await (await fetch("/assets/tiny_lm/world.json")).json()
  const learner = new Learner(world, seed, part)
  const begin = [...learner.model.numbers]
  const losses = Array.from({length: count}, () => learner.learn())
  return [begin, losses, [...learner.model.numbers]]
}"""


def numbers_of(model: LanguageModel) -> Tensor:
    """Return all numbers of a model, one after another."""
    return torch.cat([each.detach().flatten() for each in model.parameters()])


def slopes_of(model: LanguageModel) -> Tensor:
    """Return the slopes of all numbers; of those that do not learn, zeros."""
    slopes = [torch.zeros_like(p) if p.grad is None else p.grad for p in model.parameters()]
    return torch.cat([each.flatten() for each in slopes])


def parts(numbers: Tensor, model: LanguageModel) -> tuple[Tensor, ...]:
    """Return the numbers of each parameter."""
    return torch.split(numbers, [each.numel() for each in model.parameters()])


@pytest.mark.parametrize("part", RECIPE.without)
def test_the_slope_of_every_number_is_that_of_torch(tab: Page, part: str) -> None:
    model, generator = start(1, part), torch.Generator().manual_seed(3)
    with torch.no_grad():
        for each in model.parameters():  # no norm at its start, and larger scores than there
            drawn = torch.rand(each.shape, generator=generator, dtype=torch.float64) - 0.5
            each.copy_((1.2 * drawn + (each.dim() == 1)) * each.requires_grad)
    batches, expected = [], []
    for seed, count in enumerate([1, 7, 40]):
        stories = [TRAINING[i] for i in islice(drawn_stories(100 + seed), count)]
        batches.append([[ID[word] for word in story.words] for story in stories])
        model.zero_grad()
        loss = loss_on(model, rows_of(stories))
        torch.autograd.backward(loss)
        expected.append((loss.item(), slopes_of(model)))
    given = [WORDS, LENGTH, RECIPE.without[part], numbers_of(model).tolist(), batches]
    found = tab.evaluate(SLOPES, given)
    for (found_loss, slopes), (loss_of_torch, of_torch) in zip(found, expected, strict=True):
        assert found_loss == pytest.approx(loss_of_torch, rel=1e-12)
        mine = torch.tensor(slopes, dtype=torch.float64)
        for one, other in zip(parts(mine, model), parts(of_torch, model), strict=True):
            assert (one - other).abs().max() <= 1e-12 * max(other.abs().max().item(), 1e-3)


@pytest.mark.parametrize("part", ["whole", "plain means", "one block"])
def test_twenty_steps_of_training_are_those_of_torch(tab: Page, part: str) -> None:
    seed, count = 12, 20
    model = start(seed, part)
    begin = numbers_of(model)
    losses = list(islice(train(model, seed), count + 1))  # before the last, all steps are done
    found = tab.evaluate(STEPS, [seed, count, part])
    assert torch.equal(torch.tensor(found[0], dtype=torch.float64), begin)
    assert found[1] == pytest.approx(losses[:count], rel=1e-11)
    assert (torch.tensor(found[2], dtype=torch.float64) - numbers_of(model)).abs().max() < 1e-10
    assert losses[-1] < losses[0] - 0.1


def test_a_training_in_the_browser_begins_as_the_recorded_one(tab: Page) -> None:
    run = recorded("shown")["run"]
    losses = tab.evaluate(STEPS, [RECIPE.shown, 25, "whole"])[1]
    assert sum(losses) / 25 == pytest.approx(run["losses"]["0"], abs=0.0005)


def test_the_numbers_lie_in_the_order_of_torch(tab: Page) -> None:
    script = """async (size) => {
      const {shapesOf} = await import(new URL("/assets/tiny_lm/model.js", location))
      return shapesOf(...size)
    }"""
    assert tab.evaluate(script, [len(WORDS), LENGTH]) == [
        [name.removesuffix(".weight"), *each.shape]
        for name, each in LanguageModel().named_parameters()
    ]


def test_the_browser_is_told_the_same_constants_and_stories(tab: Page) -> None:
    script = "async () => (await import(new URL('/assets/tiny_lm/recipe.js', location))).default"
    assert tab.evaluate(script) == json.loads(json.dumps(asdict(RECIPE)))
    world: dict[str, Any] = json.loads(
        tab.evaluate("async () => (await fetch('/assets/tiny_lm/world.json')).text()")
    )
    assert world["words"] == WORDS
    assert world["length"] == LENGTH
    assert training()["floor"] == round(floor(TRAINING), 5)
    assert [[WORDS[i] for i in story["ids"]] for story in world["stories"]] == [
        story.words for story in ALL
    ]
    for told, story in zip(world["stories"], ALL, strict=True):
        assert told["probability"] == story.probability
        assert told["isKeptBack"] is story.is_kept_back
        assert {int(place): kind for place, kind in told["questions"].items()} == story.questions


def test_no_number_of_a_training_needs_what_browsers_round_differently(tab: Page) -> None:
    script = f"""async (given) => {{
      for (const name of ["exp", "expm1", "pow", "tanh"]) Math[name] = () => NaN
      return (await ({STEPS})(given))[2].every(Number.isFinite)
    }}"""
    assert tab.evaluate(script, [1, 2, "whole"])
