"""All numbers of the drawing: the model reads a text, and another one that differs in one word.

The same as theme/assets/model_explorer/compute.js and say.js in the browser.
"""

import json
from collections.abc import Set
from dataclasses import dataclass
from functools import cache
from math import dist, hypot
from pathlib import Path
from typing import Any

from site_build.model_explorer.forward import ModelRun, Vector, read_text, shares
from tiny_lm.stories import START, WORDS

SOURCE = Path(__file__).parents[1] / "theme" / "assets" / "model_explorer" / "words.js"
LIT = 0.15  # of a look, at least, would be different
BLOCKS = ["first block", "second block"]


@cache
def drawing_words() -> dict[str, Any]:
    """Return all that words.js exports."""
    data: dict[str, Any] = json.loads(SOURCE.read_text("utf-8").partition("export default ")[2])
    return data


def changed(x: Vector, other: Vector) -> float:
    """Return how much of a vector would be different: 0 for nothing, 1 for all of it."""
    return min(1.0, dist(x, other) / hypot(*x)) if hypot(*x) > 1e-9 else 0.0


def hue(word: str) -> str:
    """Return whose information a word brings."""
    return next((name for name, words in drawing_words()["hues"].items() if word in words), "other")


def in_quotes(word: str) -> str:
    """Return a word as a sentence has it."""
    return {START: "the start", ".": "the full stop"}.get(word, f"“{word}”")


def spelled_word(word: str) -> str:
    """Return a word as it stands over its stream."""
    return "start" if word == START else word


@dataclass(frozen=True)
class Said:
    """A word, and its share."""

    word: str
    share: float

    @property
    def percent(self) -> str:
        """The share, spelled."""
        return spelled_share(self.share)

    def __str__(self) -> str:
        return f"{in_quotes(self.word)}, {self.percent}"


def spelled_share(share: float) -> str:
    """Spell a share."""
    return f"{round(100 * share)} %"


def says(x: Vector) -> Said:
    """Return what the model would say if it stopped at a vector."""
    share, word = max(zip(shares(x), WORDS, strict=True))
    return Said(word, share)


@dataclass(frozen=True)
class Look:
    """What a head brings to the word that asks.

    Attributes:
        weights: One for each word.
        changed: How much of each word's value would be different in the other text.
    """

    weights: Vector
    changed: Vector

    @property
    def most(self) -> int:
        """Where most of the weight is."""
        return self.weights.index(max(self.weights))

    @property
    def lit(self) -> int | None:
        """The first word of which it brings what would be different, if there is one."""
        parts = [w * c for w, c in zip(self.weights, self.changed, strict=True)]
        return next((j for j, part in enumerate(parts) if part >= LIT), None)


@dataclass(frozen=True)
class Drawn:
    """A text, and what is drawn of it.

    Attributes:
        words: The start token first.
        at: The place of the word that asks.
        follow: That of the word whose information is coloured.
        off: The parts that are switched off.
        patch: The layer before which, and the place at which, a vector comes from the other text.
        now: The run that is drawn.
        twin: The one that it is compared with: of the other text, or else without the patch.
        donor: That of the other text.
    """

    words: list[str]
    at: int
    follow: int
    off: Set[str]
    patch: tuple[int, int] | None
    now: ModelRun
    twin: ModelRun
    donor: ModelRun

    @property
    def other(self) -> str:
        """The word that the other text has in the place of the one that is followed."""
        return other_of(self.words[self.follow])

    def looks(self, layer: int) -> list[Look]:
        """Return what each head of a layer brings to the word that asks."""
        looks = []
        for head, twin in zip(self.now.layers[layer], self.twin.layers[layer], strict=True):
            both = zip(head.value[: self.at + 1], twin.value, strict=False)
            looks.append(Look(head.weights[self.at], [changed(x, y) for x, y in both]))
        return looks

    def streams(self, level: int) -> list[tuple[float, float]]:
        """Return how long each vector of a level is, and how much of it would be different."""
        pairs = zip(self.now.levels[level], self.twin.levels[level], strict=True)
        return [(hypot(*x), changed(x, y)) for x, y in pairs]

    def said(self, level: int = -1) -> Said:
        """Return what the model would say if it stopped at a level."""
        return says(self.now.levels[level][self.at])

    @property
    def said_of_other(self) -> Said:
        """What it says after the other text."""
        return says(self.donor.levels[-1][self.at])


def other_of(word: str) -> str:
    """Return the other word of a pair, or nothing."""
    pair = next((pair for pair in drawing_words()["pairs"] if word in pair), ["", ""])
    return str(pair[pair[0] == word])


def followed(words: list[str]) -> int:
    """Return the place of the word that is followed at first, as state.js has it."""
    for kind in drawing_words()["kinds"]:
        if found := [place for place, word in enumerate(words) if word in kind]:
            return found[-1]
    return len(words) - 1


def draw(
    text: str, at: int | None = None, follow: int | None = None, off: str = "", patch: str = ""
) -> Drawn:
    """Compute what is drawn of a text.

    Raises:
        ValueError: If the model does not know a word, or the text has no such place to patch.
    """
    words = [START, *drawing_words()["texts"].get(text, text).split()]
    if unknown := set(words) - set(WORDS):
        raise ValueError(f"the model does not know {', '.join(sorted(unknown))}")
    place = followed(words) if follow is None else follow
    twin = [other_of(word) or word if j == place else word for j, word in enumerate(words)]
    parts = frozenset(off.split())
    asks = len(words) - 1 if at is None else at
    plain, donor = read_text(words, parts), read_text(twin, parts)
    if not patch:
        return Drawn(words, asks, place, parts, None, plain, donor, donor)
    layer, put = map(int, patch.split("."))
    if layer not in (0, 1) or not 0 < put < len(words) or twin == words:
        raise ValueError(f"there is nothing to put in at {patch}")
    now = read_text(words, parts, (layer, put, donor.levels[2 * layer][put]))
    return Drawn(words, asks, place, parts, (layer, put), now, plain, donor)
