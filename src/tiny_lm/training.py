"""How the model learns, and what a model gets right.

The browser trains by the same recipe: src/site_build/theme/assets/tiny_lm/model.js. Its starts and
its draws of stories come from a generator of random numbers that a few lines of any language hold,
and both compute in 64 bits: so both find the same losses, until what is rounded otherwise grows,
some hundred steps later. The numbers that the pages show are those of the browser, where each
rounding is prescribed: see model.js. `python -m site_build.training_demo.record` trains them anew.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from tiny_lm.model import LanguageModel
from tiny_lm.recipe import RECIPE
from tiny_lm.stories import ALL, ID, LENGTH, PRONOUNS, START, TRAINING, WORDS, Story

PAD = -100  # the target that cross_entropy leaves out


def random_numbers(seed: int) -> Iterator[float]:
    """Yield numbers from 0 to 1, the same ones for the same seed (mulberry32)."""
    bits = 0xFFFFFFFF
    state = seed * 0x9E3779B9 & bits
    while True:
        state = state + 0x6D2B79F5 & bits
        t = (state ^ state >> 15) * (state | 1) & bits
        t ^= t + ((t ^ t >> 7) * (t | 61) & bits) & bits
        yield (t ^ t >> 14) / 2**32


def drawn_stories(seed: int) -> Iterator[int]:
    """Yield indices of stories for training, drawn by their probability."""
    up_to = list(accumulate(story.probability for story in TRAINING))
    for number in random_numbers(seed):
        yield bisect_left(up_to, number * up_to[-1], hi=len(up_to) - 1)


def rows_of(stories: Sequence[Story]) -> Tensor:
    """Return the numbers of the words, a row for each story, filled up with pads."""
    rows = torch.full((len(stories), LENGTH), PAD)
    for row, story in zip(rows, stories, strict=True):
        row[: len(story.words)] = torch.tensor([ID[word] for word in story.words])
    return rows


@torch.no_grad()
def start(seed: int, part: str = "whole") -> LanguageModel:
    """Return a model in 64 bits, before its training.

    Args:
        seed: Of its random numbers, which are at most a half away from 0.
        part: What it is without, a name of the recipe. Where a part is left out and not the size
            of the model, numbers of the part are 0, and stay so.
    """
    has = {**RECIPE.without[part]}
    has.pop("stories", None)
    ends = tuple(f"{name}.weight" for name in has.pop("without", []))
    sizes = {f"num_{name}": size for name, size in has.items()}
    model = LanguageModel(**sizes).double()
    random = random_numbers(seed)
    for name, parameter in model.named_parameters():
        if parameter.dim() == 2:
            drawn = [next(random) - 0.5 for _ in range(parameter.numel())]
            parameter.copy_(torch.tensor(drawn, dtype=torch.float64).view_as(parameter))
        if name.endswith(ends):
            parameter.requires_grad_(False).zero_()
    return model


def loss_on(model: nn.Module, rows: Tensor) -> Tensor:
    """Return the mean loss of a guess, over all places of some rows that have a next word."""
    logits = model(rows[:, :-1].clamp(min=0))  # all words but the last ...
    return cross_entropy(logits.flatten(0, 1), rows[:, 1:].flatten())  # ... all but the first


def train(model: LanguageModel, seed: int, steps: int = RECIPE.steps) -> Iterator[float]:
    """Let a model guess the next word of stories, and yield the loss of each step before it.

    Args:
        model: It is changed in place.
        seed: Of the stories that are drawn.
        steps: How often the numbers are changed a little.
    """
    rows, drawn = rows_of(TRAINING), drawn_stories(seed)
    optimizer = torch.optim.AdamW(
        model.parameters(), betas=(RECIPE.beta1, RECIPE.beta2), weight_decay=RECIPE.decay
    )
    for step in range(steps):
        done = step / steps
        for group in optimizer.param_groups:  # a tenth of the way up, the rest down
            group["lr"] = RECIPE.rate * min(1, 10 * done + 0.01, 1.25 * (1 - done))
        loss = loss_on(model, rows[[next(drawn) for _ in range(RECIPE.stories)]])
        yield loss.item()
        optimizer.zero_grad()
        torch.autograd.backward(loss)
        optimizer.step()


@torch.no_grad()
def mean_loss(model: nn.Module, stories: Sequence[Story] = TRAINING) -> float:
    """Return the mean loss of a guess, over all stories by their probability."""
    ids = rows_of(stories)
    losses = cross_entropy(model(ids[:, :-1].clamp(min=0)).mT, ids[:, 1:], reduction="none")
    told = torch.tensor([[story.probability] for story in stories], dtype=torch.float64)
    guesses = told * (ids[:, 1:] != PAD)
    return ((losses * guesses).sum() / guesses.sum()).item()


@torch.no_grad()
def answers(model: nn.Module, is_kept_back: bool = False) -> dict[str, float]:
    """Return, for each kind of question, the share that is answered right.

    Of pronouns only these three words count: other words may stand there as well.
    """
    stories = [story for story in ALL if story.is_kept_back is is_kept_back]
    logits = model(rows_of(stories)[:, :-1].clamp(min=0))
    pronouns = [ID[word] for word in PRONOUNS]
    asked: dict[str, dict[tuple[str, ...], bool]] = {}
    for row, story in zip(logits, stories, strict=True):
        for place, kind in story.questions.items():
            among = pronouns if kind == "pronoun" else range(len(WORDS))
            said = max(among, key=row[place - 1].tolist().__getitem__)
            beginning = tuple(story.words[:place])
            asked.setdefault(kind, {})[beginning] = WORDS[said] == story.words[place]
    return {kind: sum(right.values()) / len(right) for kind, right in asked.items()}


@torch.no_grad()
def write(model: nn.Module, count: int, seed: int) -> Iterator[list[str]]:
    """Draw each word of so many texts by its share, and yield the words up to the second stop."""
    random = random_numbers(seed)
    ids = torch.full((count, 1), ID[START])
    while ids.shape[1] < LENGTH:
        up_to = model(ids)[:, -1].softmax(dim=-1).cumsum(dim=-1)
        luck = torch.tensor([[next(random)] for _ in ids], dtype=torch.float64)
        drawn = torch.searchsorted(up_to.double(), luck).clamp(max=len(WORDS) - 1)
        ids = torch.cat([ids, drawn], dim=1)
    for row in ids:
        words = [WORDS[number] for number in row]
        stops = [place for place, word in enumerate(words) if word == "."]
        yield words[: stops[1] + 1] if len(stops) > 1 else words
