"""A model that learns in the browser: its slopes and its steps are those of torch."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from itertools import islice
from typing import Any

import pytest
import torch
from playwright.sync_api import Browser, Page
from torch import Tensor

from attention_story import LanguageModel
from attention_story.stories import ALL, ID, LENGTH, TRAINING, WORDS, floor
from attention_story.training import rows_of
from site_build.training_demo.switches import (
    CHARGE,
    STORIES,
    WHOLE,
    WITHOUT,
    Switches,
    drawn_stories,
    learn,
    loss_and_spread,
)

OTHERS = {
    "table alone": Switches(layers=0),
    "several": Switches(layers=1, mlp=False, sum=False),
    "others": Switches(mask=False, scores=False, heads=1),
}
KINDS = WITHOUT | OTHERS

LIBRARY = """const {Model, drawer} = await import(new URL("/assets/training/train.js", location))
  const {words, length} = await (await fetch("/assets/training/world.json")).json()"""
SLOPES = f"""async ([has, numbers, batches]) => {{
  {LIBRARY}
  const model = new Model(words.length, length, 40 * length, has)
  model.numbers.set(numbers)
  return batches.map(([texts, charge]) => {{
    const loss = model.take(texts).forward()
    model.backward(charge)
    return [loss, [...model.slopes]]
  }})
}}"""
STEPS = f"""async ([has, seed, count, size, charge]) => {{
  {LIBRARY}
  const {{stories}} = await (await fetch("/assets/training/world.json")).json()
  const told = stories.filter((story) => !story.isKeptBack)
  const draw = drawer(told.map(({{ids}}) => ids), told.map(({{probability}}) => probability), seed)
  const model = new Model(words.length, length, size * length, has).start(seed)
  const begin = [...model.numbers]
  const learn = (_, step) => model.learn(draw(size), step / count, charge)
  const losses = Array.from({{length: count}}, learn)
  return [begin, losses, [...model.numbers]]
}}"""


@pytest.fixture(scope="module")
def tab(address: str, browser: Browser) -> Iterator[Page]:
    page = browser.new_page()
    page.goto(f"{address}robots.txt")
    yield page
    page.close()


def numbers_of(model: LanguageModel) -> Tensor:
    """Return all numbers of a model, one after another."""
    return torch.cat([each.detach().flatten() for each in model.parameters()])


def slopes_of(model: LanguageModel) -> Tensor:
    """Return the slopes of all numbers; of those that are not used, zeros."""
    slopes = [torch.zeros_like(p) if p.grad is None else p.grad for p in model.parameters()]
    return torch.cat([each.flatten() for each in slopes])


def parts(numbers: Tensor, model: LanguageModel) -> tuple[Tensor, ...]:
    """Return the numbers of each parameter."""
    return torch.split(numbers, [each.numel() for each in model.parameters()])


@pytest.mark.parametrize("name", KINDS)
def test_the_slope_of_every_number_is_that_of_torch(tab: Page, name: str) -> None:
    has, generator = KINDS[name], torch.Generator().manual_seed(3)
    model = has.model(1)
    with torch.no_grad():
        for each in model.parameters():  # no norm at its start, and larger scores than there
            drawn = torch.rand(each.shape, generator=generator, dtype=torch.float64) - 0.5
            each.copy_(1.2 * drawn + (each.dim() == 1))
    batches, expected = [], []
    for seed, (count, charge) in enumerate([(1, 0.0), (7, 0.03), (40, 0.5)]):
        stories = [TRAINING[i] for i in islice(drawn_stories(100 + seed), count)]
        batches.append([[[ID[word] for word in story.words] for story in stories], charge])
        model.zero_grad()
        loss, spread = loss_and_spread(model, rows_of(stories), has)
        torch.autograd.backward(loss + charge * spread)
        expected.append((loss.item(), slopes_of(model)))
    found = tab.evaluate(SLOPES, [asdict(has), numbers_of(model).tolist(), batches])
    for (found_loss, slopes), (loss_of_torch, of_torch) in zip(found, expected, strict=True):
        assert found_loss == pytest.approx(loss_of_torch, rel=1e-12)
        mine = torch.tensor(slopes, dtype=torch.float64)
        for one, other in zip(parts(mine, model), parts(of_torch, model), strict=True):
            assert (one - other).abs().max() <= 1e-12 * max(other.abs().max().item(), 1e-3)


def test_twenty_steps_of_training_are_those_of_torch(tab: Page) -> None:
    seed = 12
    model = WHOLE.model(seed)
    begin = numbers_of(model)
    losses = list(learn(model, WHOLE, seed, of=20))
    found = tab.evaluate(STEPS, [asdict(WHOLE), seed, 20, STORIES, CHARGE])
    assert torch.equal(torch.tensor(found[0], dtype=torch.float64), begin)
    assert found[1] == pytest.approx(losses, rel=1e-11)
    assert (torch.tensor(found[2], dtype=torch.float64) - numbers_of(model)).abs().max() < 1e-10
    assert losses[-1] < losses[0] - 0.5


def test_the_numbers_lie_as_in_the_file_of_the_trained_model(tab: Page) -> None:
    names = tab.evaluate(
        """async () => {
          const {shapesOf} = await import(new URL("/assets/training/train.js", location))
          return shapesOf(36, 15, 2)
        }"""
    )
    expected = [
        [name.removesuffix(".weight"), *each.shape]
        for name, each in LanguageModel().named_parameters()
    ]
    split = []
    for name, *shape in names:
        if name.endswith("qkv_proj"):
            each = [shape[0] // 3, shape[1]]
            split += [[name.replace("qkv", part), *each] for part in "qkv"]
        else:
            split.append([name, *shape])
    assert split == expected


def test_the_browser_is_told_the_same_stories(tab: Page) -> None:
    world: dict[str, Any] = json.loads(
        tab.evaluate("async () => (await fetch('/assets/training/world.json')).text()")
    )
    assert world["words"] == WORDS
    assert world["length"] == LENGTH
    assert world["floors"] == [floor(TRAINING, 1), floor(TRAINING)]
    assert [[WORDS[i] for i in story["ids"]] for story in world["stories"]] == [
        story.words for story in ALL
    ]
    for told, story in zip(world["stories"], ALL, strict=True):
        assert told["probability"] == story.probability
        assert told["isKeptBack"] is story.is_kept_back
        assert {int(place): kind for place, kind in told["questions"].items()} == story.questions


def test_the_switches_are_the_same(tab: Page) -> None:
    script = """async () =>
      (await import(new URL("/assets/training/train.js", location))).WHOLE"""
    assert tab.evaluate(script) == asdict(WHOLE)
