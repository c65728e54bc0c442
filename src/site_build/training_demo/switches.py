"""The language model with parts left out, and a training of it that a browser can repeat.

Its starts and its draws of stories come from a generator of random numbers that a few lines of any
language hold, and it computes in 64 bits: so a browser that begins with the same number finds the
same losses. src/site_build/theme/assets/training/train.js is that browser's side.
"""

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from attention_steps import MultiHeadAttention
from attention_story.model import LanguageModel
from attention_story.stories import TRAINING
from attention_story.training import PAD, rows_of

STEPS = 1500
STORIES = 64  # of a step
CHARGE = 0.015  # for spreading weights, in the end
TINY = 1e-9  # keeps a logarithm finite


@dataclass(frozen=True)
class Switches:
    """What a model has; by default, everything.

    Attributes:
        layers: How many blocks.
        heads: How many heads in each block.
        mask: A word sees itself and the words before it, but none after it.
        root: Scores are divided by the root of the size of a head.
        positions: A vector says where a word stands.
        scores: Weights follow scores. Otherwise all words that are seen get the same weight.
        attention: Each block has attention.
        mlp: Each block has an MLP.
        sum: Each half adds its note to what came in. Otherwise the note takes its place.
    """

    layers: int = 2
    heads: int = 2
    mask: bool = True
    root: bool = True
    positions: bool = True
    scores: bool = True
    attention: bool = True
    mlp: bool = True
    sum: bool = True

    def model(self, seed: int) -> LanguageModel:
        """Return a model in 64 bits, whose random numbers are at most a half away from 0."""
        model = LanguageModel(num_layers=self.layers, num_heads=self.heads).double()
        random = random_numbers(seed)
        for parameter in model.parameters():
            if parameter.dim() == 2:
                drawn = [next(random) - 0.5 for _ in range(parameter.numel())]
                parameter.data = torch.tensor(drawn, dtype=torch.float64).view_as(parameter)
        return model


WHOLE = Switches()
WITHOUT = {
    "whole": WHOLE,
    "no attention": Switches(attention=False),
    "no mask": Switches(mask=False),
    "plain means": Switches(scores=False),
    "one head": Switches(heads=1),
    "one block": Switches(layers=1),
    "no MLP": Switches(mlp=False),
    "no positions": Switches(positions=False),
    "no root": Switches(root=False),
    "no sum": Switches(sum=False),
}


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


def logits_and_weights(
    model: LanguageModel, ids: Tensor, has: Switches
) -> tuple[Tensor, list[Tensor]]:
    """Return the logits, and the weights of each block, shape `(N, heads, L, L)`.

    Args:
        model: Made by `has`.
        ids: Shape `(N, L)`. Where it is negative, there is no word, and none sees one there.
        has: What it has.
    """
    x = model.embedding(ids.clamp(min=0))
    length = ids.shape[1]
    if has.positions:
        x = x + model.position.weight[:length]
    seen = (ids >= 0)[:, None, None, :]
    if has.mask:
        seen = seen & torch.ones(length, length, dtype=torch.bool).tril()
    all_weights = []
    for block in model.blocks:
        if has.attention:
            note, weights = attend(block.attention, block.norm1(x), seen, has)
            all_weights.append(weights)
            x = x + note if has.sum else note
        if has.mlp:
            note = block.mlp(x)
            x = x + note if has.sum else note
    return model.unembed(x), all_weights


def attend(
    layer: MultiHeadAttention, x: Tensor, seen: Tensor, has: Switches
) -> tuple[Tensor, Tensor]:
    """Return what attention notes for each word, and the weights."""
    query, key, value = (
        project(x).view(*x.shape[:2], has.heads, -1).transpose(1, 2)
        for project in (layer.q_proj, layer.k_proj, layer.v_proj)
    )
    scores = query @ key.mT * has.scores
    if has.root:
        scores = scores / query.shape[-1] ** 0.5
    weights = scores.masked_fill(~seen, -torch.inf).softmax(dim=-1)
    note: Tensor = layer.out_proj((weights @ value).transpose(1, 2).flatten(2))
    return note, weights


def loss_and_spread(model: LanguageModel, rows: Tensor, has: Switches) -> tuple[Tensor, Tensor]:
    """Return the mean loss of a guess, and the entropy of the weights: over blocks, its sum."""
    targets = rows[:, 1:]
    ids = rows[:, :-1].masked_fill(targets == PAD, PAD)  # what is read is what has a next word
    logits, weights = logits_and_weights(model, ids, has)
    loss = cross_entropy(logits.flatten(0, 1), targets.flatten())
    entropies = [-(each * (each + TINY).log()).sum(dim=-1) for each in weights]
    spread = [each.transpose(1, 2)[targets != PAD].mean() for each in entropies]
    return loss, sum(spread, start=loss.new_zeros(()))


def rate_at(done: float) -> float:
    """Return the size of a step: a tenth of the training up, the rest down."""
    return 0.015 * min(1, 10 * done + 0.01, 1.25 * (1 - done))


def learn(
    model: LanguageModel, has: Switches, seed: int, of: int = STEPS, charge: float = CHARGE
) -> Iterator[float]:
    """Train a model, and yield the loss before each step.

    Args:
        model: It is changed in place.
        has: What it has.
        seed: Of the stories that are drawn.
        of: How many steps the whole training has.
        charge: What it costs, in the end, to spread weights: times their entropy.
    """
    rows, drawn = rows_of(TRAINING), drawn_stories(seed)
    optimizer = torch.optim.AdamW(model.parameters(), betas=(0.9, 0.99), weight_decay=0.01)
    for step in range(of):
        optimizer.param_groups[0]["lr"] = rate_at(step / of)
        loss, spread = loss_and_spread(model, rows[[next(drawn) for _ in range(STORIES)]], has)
        yield loss.item()
        optimizer.zero_grad()
        torch.autograd.backward(loss + charge * step / of * spread)
        optimizer.step()
