"""What was measured of the model, kept in files: with them, the page computes without it."""

import json
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor

SHOWN, PAIRS, HEAD = (
    Path(str(files("minilm").joinpath(f"{name}.json"))) for name in ("shown", "pairs", "head")
)


class Pair(NamedTuple):
    """Two sentences that differ in one word, and another word in both.

    Attributes:
        tokens: The pieces of each sentence.
        at: The place of the word.
        paths: The sense of the word before the first layer and after each, shape `(2, 7)`.
        rest: How far apart the other words are on average, shape `(7,)`.
        looks: Where the word looks, shape `(2, 6, 12, n)`.
        without: The paths with one head switched off, shape `(2, 6, 12, 7)`.
    """

    tokens: list[list[str]]
    at: int
    paths: Tensor
    rest: Tensor
    looks: Tensor
    without: Tensor


def shown(word: str) -> Pair:
    """Return the pair about a word: fan, bass or bank.

    Raises:
        ValueError: If it is about another one.

    Examples:
        >>> from minilm.shown import shown
        >>> " ".join(shown("fan").tokens[0])
        '[CLS] the singer looked at the fan [SEP]'
    """
    kept = {pair["word"]: pair for pair in read(SHOWN)}
    if word not in kept:
        raise ValueError(f"word must be one of {', '.join(kept)}, got {word!r}")
    pair = kept[word]
    paths, rest = torch.tensor(pair["paths"]), torch.tensor(pair["rest"])
    looks, changes = (torch.tensor(pair[name]) / 1000 for name in ("looks", "changes"))
    without = paths[:, None, None] + changes
    return Pair(pair["tokens"], pair["at"], paths, rest, looks, without)


def measured() -> dict[str, Any]:
    """Return what is measured: 72 `pairs`, `pronouns`, a head of `previous` words, `as_sent`."""
    found: dict[str, Any] = read(PAIRS)
    return found


def head() -> tuple[Tensor, Tensor, Tensor]:
    """Return queries, keys and values, `(8, 32)`, of head 0.0 in "the singer looked at the fan"."""
    query, key, value = (torch.tensor(rows) for rows in read(HEAD))
    return query, key, value


def read(path: Path) -> Any:
    """Return what a file of JSON holds."""
    return json.loads(path.read_text("utf-8"))
