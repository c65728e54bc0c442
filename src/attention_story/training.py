"""Trains the model, measures it and smaller ones, and writes the two files beside this one.

    python -m attention_story.training

It takes some minutes. Training does not come out the same on every machine, to the last digit: so
the numbers are kept, and what is known of every training are bounds (tests/thorough.py).
"""

import base64
import json
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from attention_story.model import LanguageModel, encode
from attention_story.stories import ALL, ID, LENGTH, TRAINING, WORDS, Story

HERE = Path(__file__).parent
PAD = -100  # the target that cross_entropy leaves out
STEPS = 1500
LOGGED = [0, 25, 50, 100, 200, 400, 800, 1200, STEPS - 25]
SEEDS = [1, 2, 3, 4, 5, 6, 8, 9]


def rows_of(stories: Sequence[Story]) -> Tensor:
    """Return the numbers of the words, a row for each story, filled up with pads."""
    rows = torch.full((len(stories), LENGTH), PAD)
    for row, story in zip(rows, stories, strict=True):
        row[: len(story.words)] = torch.tensor([ID[word] for word in story.words])
    return rows


def start(model: LanguageModel, seed: int = 0) -> LanguageModel:
    """Give each matrix of a model small random numbers, and return it."""
    generator = torch.Generator().manual_seed(seed)
    for parameter in model.parameters():
        if parameter.dim() == 2:
            nn.init.uniform_(parameter, -0.5, 0.5, generator=generator)
    return model


def with_weights(model: LanguageModel, ids: Tensor) -> tuple[Tensor, list[Tensor]]:
    """Return the logits, and the weights of each layer, shape `(..., num_heads, L, L)`."""
    x, weights = model.embed(ids), []
    for block in model.blocks:
        trace = block.attention.trace(block.norm1(x), is_causal=True)
        weights.append(trace.weights)
        x = x + trace.output
        x = x + block.mlp(x)
    return model.unembed(x), weights


def train(
    model: LanguageModel, steps: int = STEPS, seed: int = 0, charge: float = 0.03
) -> list[float]:
    """Let a model guess the next word of stories, and return the loss of each step.

    Args:
        model: It is changed in place.
        steps: How often the numbers are turned a little, on 128 stories each.
        seed: Of the stories that are drawn.
        charge: What it costs, in the end, to spread attention: times the entropy of the weights.
            It makes heads easier to read. Without it, the answers are as good.
    """
    rows = rows_of(TRAINING)
    told = torch.tensor([story.probability for story in TRAINING], dtype=torch.float64).cumsum(0)
    generator = torch.Generator().manual_seed(seed)
    optimizer = torch.optim.AdamW(model.parameters(), betas=(0.9, 0.99), weight_decay=0.01)
    losses = []
    for step in range(steps):
        done = step / steps
        for group in optimizer.param_groups:  # a tenth of the way up, the rest down
            group["lr"] = 0.015 * min(1, 10 * done + 0.01, 1.25 * (1 - done))
        drawn = torch.rand(128, generator=generator, dtype=torch.float64) * told[-1]
        ids = rows[torch.searchsorted(told, drawn)]
        logits, weights = with_weights(model, ids[:, :-1].clamp(min=0))  # all but the last ...
        loss = cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())  # ... all but the first
        losses.append(loss.item())
        spread = sum(-(w * (w + 1e-9).log()).sum(-1).mean() for w in weights)
        optimizer.zero_grad()
        torch.autograd.backward(loss + charge * done * spread)
        optimizer.step()
    return losses


@torch.no_grad()
def loss_of(model: LanguageModel, stories: Sequence[Story] = TRAINING) -> float:
    """Return the mean loss of a guess, over all stories by their probability."""
    ids = rows_of(stories)
    logits = model(ids[:, :-1].clamp(min=0))
    losses = cross_entropy(logits.mT.double(), ids[:, 1:], reduction="none")
    told = torch.tensor([[story.probability] for story in stories], dtype=torch.float64)
    guesses = told * (ids[:, 1:] != PAD)
    return ((losses * guesses).sum() / guesses.sum()).item()


@torch.no_grad()
def answers(model: LanguageModel, is_kept_back: bool = False) -> dict[str, float]:
    """Return, for each kind of question, the share that is answered right.

    Of "it or she" and "they" only these three words count: other words may stand there as well.
    """
    stories = [story for story in ALL if story.is_kept_back is is_kept_back]
    logits = model(rows_of(stories)[:, :-1].clamp(min=0))
    pronouns = [ID[word] for word in ("it", "she", "they")]
    asked: dict[str, dict[tuple[str, ...], bool]] = {}
    for row, story in zip(logits, stories, strict=True):
        for place, kind in story.questions.items():
            among = pronouns if kind in ("it or she", "they") else range(len(WORDS))
            said = max(among, key=row[place - 1].tolist().__getitem__)
            beginning = tuple(story.words[:place])
            asked.setdefault(kind, {})[beginning] = WORDS[said] == story.words[place]
    return {kind: sum(right.values()) / len(right) for kind, right in asked.items()}


@torch.no_grad()
def switch_off(*parts: nn.Module) -> None:
    """Set the numbers of some parts to 0, and keep them there while the others learn."""
    for part in parts:
        for parameter in part.parameters():
            parameter.requires_grad_(False).zero_()


def smaller_models() -> dict[str, LanguageModel]:
    """Return models with parts missing, from the smallest to the whole, before any training."""
    models = {
        "word and place": LanguageModel(num_layers=0),
        "two MLPs": LanguageModel(),
        "one layer, no MLP": LanguageModel(num_layers=1),
        "one layer, one head": LanguageModel(num_layers=1, num_heads=1),
        "one layer": LanguageModel(num_layers=1),
        "two layers, one head": LanguageModel(num_heads=1),
        "two layers, no MLP": LanguageModel(),
        "no positions": LanguageModel(),
        "whole": LanguageModel(),
    }
    for model in models.values():
        start(model)
    for block in models["two MLPs"].blocks:
        switch_off(block.norm1, block.attention)
    for name in ["one layer, no MLP", "two layers, no MLP"]:
        for block in models[name].blocks:
            switch_off(block.norm2, block.up, block.down)
    switch_off(models["no positions"].position)
    return models


def learned_numbers(model: LanguageModel) -> int:
    """Return how many numbers of a model can learn."""
    return sum(each.numel() for each in model.parameters() if each.requires_grad)


def save(model: LanguageModel) -> None:
    """Write the numbers of a model as text: all first bytes, then all second ones, and so on.

    Bytes that are alike stand together, which makes the file smaller where it is compressed.
    """
    numbers = torch.cat([parameter.detach().flatten() for parameter in model.parameters()])
    sizes = {name: list(parameter.shape) for name, parameter in model.named_parameters()}
    planes = numbers.view(torch.uint8).view(-1, 4).T.contiguous()
    text = base64.b64encode(planes.numpy().tobytes()).decode()
    saved = {"words": WORDS, "sizes": sizes, "numbers": text}
    (HERE / "numbers.json").write_text(json.dumps(saved, separators=(",", ":")) + "\n", "utf-8")


def row_of(model: LanguageModel) -> dict[str, Any]:
    """Return what is known of a model after its training."""
    return {
        "numbers": learned_numbers(model),
        "loss": round(loss_of(model), 4),
        "right": {kind: round(share, 3) for kind, share in answers(model).items()},
        "kept back": {kind: round(share, 3) for kind, share in answers(model, True).items()},
    }


@torch.no_grad()
def last_word(model: LanguageModel) -> dict[str, Any]:
    """Return what the heads do for the last word of a question, and which of them decide."""
    ids, answer = encode("the duck likes the muddy bank . the bank is full of"), ID["water"]
    weights = [layer[0, :, -1] for layer in with_weights(model, ids)[1]]
    decide = []
    for number, block in enumerate(model.blocks):
        for head, columns in enumerate(block.attention.out_proj.weight.split(8, dim=1)):
            kept = columns.clone()
            columns.zero_()
            if model(ids)[0, -1].softmax(-1)[answer] < 0.5:
                decide.append(f"{number}.{head}")
            columns.copy_(kept)
    return {
        "largest": [round(row.max().item(), 2) for layer in weights for row in layer],
        "at muddy": [round(row[5].item(), 2) for layer in weights for row in layer],
        "decide": decide,
    }


def main() -> None:
    """Train all, and write what came out."""
    torch.set_num_threads(1)  # the matrices are too small to be shared out
    models: dict[str, Any] = {}
    losses: list[float] = []
    trained = smaller_models()
    for name, model in trained.items():
        losses = train(model)
        models[name] = row_of(model)
        print(name, models[name])
    save(trained["whole"])
    seeds: dict[int, Any] = {0: models["whole"] | last_word(trained["whole"])}
    for seed in SEEDS:
        other = start(LanguageModel(), seed)
        train(other, seed=seed)
        seeds[seed] = row_of(other) | last_word(other)
        print(seed, seeds[seed])
    free = start(LanguageModel())
    train(free, charge=0.0)
    found = {
        "day": date.today().isoformat(),
        "torch": torch.__version__.partition("+")[0],
        "losses": {step: round(sum(losses[step : step + 25]) / 25, 3) for step in LOGGED},
        "models": models,
        "seeds": seeds,
        "without a charge": row_of(free) | last_word(free),
    }
    (HERE / "measured.json").write_text(json.dumps(found, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
