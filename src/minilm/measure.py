"""Measures what the page says of the model, and writes it down for builds that have no model.

    .venv/bin/python -m minilm.measure

It takes four minutes. The sense of a word is a number: how much nearer its vector is to three words
of the one sense, each read alone, than to three of the other. It is measured against the vectors
of these words behind the last layer.
"""

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from minilm.model import MiniLM, Reading
from minilm.sentences import NEUTRAL, PRONOUNS, WORDS
from minilm.shown import HEAD, PAIRS, SHOWN
from minilm.wheel import download, load

LAYERS, HEADS = range(6), range(12)
PICKED = [("fan", 2), ("bass", 2), ("bank", 0)]  # the pairs that are shown


class Senses:
    """A word with two senses, as the model reads it."""

    def __init__(self, model: MiniLM, word: str) -> None:
        self.model, self.word = model, word
        self.poles = [self.alone(names) for names in WORDS[word][:2]]

    def alone(self, names: str) -> Tensor:
        """Return the mean vector of words that are read alone."""
        read = [self.model.read(self.model.tokens(name)).vectors[-1] for name in names.split()]
        return torch.stack([vectors[1:-1].mean(0) for vectors in read]).mean(0)

    def sense(self, vectors: Tensor) -> Tensor:
        """Return the sense of each vector."""
        one, other = (F.cosine_similarity(vectors, pole, dim=-1) for pole in self.poles)
        return one - other

    def path(self, tokens: list[str]) -> Tensor:
        """Return the sense of the word before the first layer and after each."""
        return self.sense(self.model.read(tokens).vectors[:, tokens.index(self.word)])

    def without(self, tokens: list[str]) -> Tensor:
        """Return the sense of the word after each layer, without each head: `(6, 12, 7)`."""
        at = tokens.index(self.word)
        rows = [[self.model.read(tokens, [(layer, head)]) for head in HEADS] for layer in LAYERS]
        return torch.stack(
            [torch.stack([self.sense(read.vectors[:, at]) for read in row]) for row in rows]
        )


def gap(frame: str, cue: str) -> str:
    """Return a sentence with its gap filled."""
    return frame.replace("_", cue)


def shown(model: MiniLM) -> list[dict[str, Any]]:
    """Return the pairs that are shown, with all that the drawing needs; tables in thousandths."""
    found = []
    for word, place in PICKED:
        senses, (frame, *cues, _) = Senses(model, word), WORDS[word].pairs[place]
        tokens = [model.tokens(gap(frame, cue)) for cue in cues]
        read = [model.read(each) for each in tokens]
        at = tokens[0].index(word)
        paths = torch.stack([senses.sense(each.vectors[:, at]) for each in read])
        without = torch.stack([senses.without(each) for each in tokens])
        looks = torch.stack([each.weights[:, :, at] for each in read])
        found.append(
            {
                "word": word,
                "senses": WORDS[word][:2],
                "tokens": tokens,
                "at": at,
                "paths": rounded(paths),
                "rest": rounded(rest(senses, tokens, read)[0]),
                "looks": thousandths(looks),
                # What a head changes, which is nothing before its layer.
                "changes": thousandths(without - paths[:, None, None]),
            }
        )
    return found


@torch.no_grad()
def head(model: MiniLM) -> Any:
    """Return queries, keys and values of the first head, in the first sentence that is shown."""
    tokens = model.tokens(gap(*WORDS["fan"].pairs[2][:2]))
    found = model.blocks[0].attention.trace(model.read(tokens).vectors[0])
    return [rounded(each[0]) for each in (found.query, found.key, found.value)]


def thousandths(tensor: Tensor) -> Any:
    """Return whole numbers."""
    return (1000 * tensor).round().int().tolist()


def rest(senses: Senses, tokens: list[list[str]], read: list[Reading]) -> tuple[Tensor, Tensor]:
    """Return how far apart the other words are that stand in both sentences: mean and most."""
    one, other = (senses.sense(each.vectors) for each in read)
    same = [
        place
        for place, (token, too) in enumerate(zip(*tokens, strict=True))
        if token == too != senses.word and 0 < place < len(tokens[0]) - 1
    ]
    apart = (one - other)[:, same]
    return apart.mean(1).abs(), apart.max(1).values


def pairs(model: MiniLM) -> dict[str, Any]:
    """Measure each pair, with its control, its widest and its strongest heads."""
    found = []
    for word, (_, _, tried) in WORDS.items():
        senses = Senses(model, word)
        for frame, *cues, kind in tried:
            tokens = [model.tokens(gap(frame, cue)) for cue in cues]
            read = [model.read(each) for each in tokens]
            at = tokens[0].index(word)
            paths = [senses.path(each) for each in tokens]
            apart = paths[0] - paths[1]
            neutral = [senses.path(model.tokens(gap(frame, cue)))[-1] for cue in NEUTRAL[kind]]
            mean, most = rest(senses, tokens, read)
            without = [senses.without(each)[..., -1] for each in tokens]
            change = (without[0] - without[1]) / apart[-1] - 1
            strongest = change.abs().argmax()
            found.append(
                {
                    "word": word,
                    "frame": frame,
                    "cues": cues,
                    "starts_equal": torch.equal(read[0].vectors[0, at], read[1].vectors[0, at]),
                    "apart": rounded(apart),
                    "rest": rounded(mean),
                    "most": rounded(most),
                    "ends": rounded(torch.stack([path[-1] for path in paths])),
                    "control": rounded((neutral[0] - neutral[1]).abs()),
                    "widest": [
                        name_of(each.weights[:, :, at, words.index(model.tokens(cue)[1])].argmax())
                        for each, words, cue in zip(read, tokens, cues, strict=True)
                    ],
                    "strongest": name_of(strongest),
                    "change": rounded(change.flatten()[strongest]),
                }
            )
    least, words = previous(model)
    return {
        "pairs": found,
        "pronouns": pronouns(model),
        "previous": [rounded(least), words],
        "as_sent": as_sent(model),
    }


def rounded(tensor: Tensor) -> Any:
    """Return four decimals."""
    return (tensor.double() * 10_000).round().div(10_000).tolist()


def name_of(place: Tensor) -> str:
    """Return the name of a head: its layer, a dot, and its place."""
    return f"{int(place) // len(HEADS)}.{int(place) % len(HEADS)}"


def pronouns(model: MiniLM) -> list[list[int]]:
    """Count for each head in how many pairs "it" looks more at the noun that is meant."""
    flips = torch.zeros(len(LAYERS), len(HEADS), dtype=torch.int)
    for frame, cue, noun, other_cue, other in PRONOUNS:
        leans = []
        for each in (cue, other_cue):
            tokens = model.tokens(gap(frame, each))
            it = len(tokens) - 1 - tokens[::-1].index("it")
            looks = model.read(tokens).weights[:, :, it]
            leans.append(looks[..., tokens.index(noun)] - looks[..., tokens.index(other)])
        flips += (leans[0] > 0) & (leans[1] < 0)
    return flips.tolist()


def previous(model: MiniLM) -> tuple[Tensor, int]:
    """Return the least that one head gives to the word before, and of how many words."""
    tried = [pair for word in WORDS.values() for pair in word.pairs]
    texts = [gap(frame, cue) for frame, *cues, _ in tried for cue in cues]
    least, words = [], 0
    for text in texts:
        looks = model.read(model.tokens(text)).weights[0, 2]
        least.append(looks.diagonal(-1)[1:-1].min())  # the first has none before it
        words += len(looks) - 3
    return torch.stack(least).min(), words


def as_sent(model: MiniLM) -> Any:
    """Return how far weights and distances are off at most, in the numbers that travel."""
    sent = in_8_bits(deepcopy(model))
    furthest = torch.zeros(2)
    for word, (_, _, tried) in WORDS.items():
        senses = [Senses(each, word) for each in (model, sent)]
        for frame, *cues, _ in tried:
            tokens = [model.tokens(gap(frame, cue)) for cue in cues]
            for each in tokens:
                weights, other = (read.model.read(each).weights for read in senses)
                furthest[0] = furthest[0].maximum((weights - other).abs().max())
            apart, other = ((s.path(tokens[0]) - s.path(tokens[1])).abs() for s in senses)
            furthest[1] = furthest[1].maximum((apart - other).abs().max())
    numbers: list[float] = rounded(furthest)
    return numbers


@torch.no_grad()
def in_8_bits(model: MiniLM) -> MiniLM:
    """Round the matrices of a model, as `minilm.__main__` writes them."""
    for each in model.parameters():
        if each.dim() > 1:
            scale = (each.abs().amax(1, keepdim=True) / 127).clamp_min(1e-12)
            each.copy_((each / scale).round() * scale)
    return model


def record() -> None:
    """Write down what is found."""
    torch.set_num_threads(1)
    folder = Path(".cache/minilm")
    folder.mkdir(parents=True, exist_ok=True)
    model = load(download(folder))
    for path, found in ((HEAD, head(model)), (SHOWN, shown(model)), (PAIRS, pairs(model))):
        path.write_text(json.dumps(found, separators=(",", ":")) + "\n", "utf-8")


if __name__ == "__main__":
    record()
