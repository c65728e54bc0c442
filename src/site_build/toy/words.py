"""The words of the toy, and what attention makes of a sentence, for pictures without a browser.

They stand in theme/assets/toy/words.js, which the browser reads as well.
"""

import json
from dataclasses import dataclass
from functools import cache
from math import exp
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).parents[1] / "theme" / "assets" / "toy" / "words.js"


@cache
def course() -> dict[str, Any]:
    """Return all that words.js exports."""
    data: dict[str, Any] = json.loads(SOURCE.read_text("utf-8").partition("export default ")[2])
    return data


@dataclass(frozen=True)
class Sentence:
    """A sentence of the toy, in which its ambiguous word asks."""

    text: str

    @property
    def words(self) -> list[str]:
        """Its words."""
        return self.text.split()

    @property
    def vectors(self) -> list[list[float]]:
        """The vector of each word."""
        return [course()["words"][word] for word in self.words]

    @property
    def asks(self) -> int:
        """Where the ambiguous word stands."""
        return next(i for i, word in enumerate(self.words) if word in course()["meanings"])

    @property
    def meanings(self) -> dict[str, str]:
        """What the word can mean, by the component that says so."""
        meanings: dict[str, str] = course()["meanings"][self.words[self.asks]]
        return meanings

    @property
    def poles(self) -> list[int]:
        """The components at the ends of the line."""
        return [course()["components"].index(name) for name in self.meanings]

    @property
    def shares(self) -> list[float]:
        """What the word takes of each."""
        query = self.vectors[self.asks]
        parts = [exp(sum(q * k for q, k in zip(query, key, strict=True))) for key in self.vectors]
        return [part / sum(parts) for part in parts]

    @property
    def pull(self) -> list[float]:
        """How much the word takes of each of its two meanings."""
        return [
            sum(share * row[c] for share, row in zip(self.shares, self.vectors, strict=True))
            for c in self.poles
        ]

    @property
    def place(self) -> float:
        """Where on the line it ends up, from -1 to 1."""
        left, right = self.pull
        return (right - left) / 3

    @property
    def verdict(self) -> str:
        """What it means, or that it is undecided."""
        left, right = self.pull
        word = self.words[self.asks]
        if abs(right - left) >= course()["decided"]:
            return list(self.meanings.values())[right > left]
        own = self.shares[self.asks]  # with as much of the one as of the other
        return (
            f"Undecided. Which {word} is it?"
            if min(left, right) - own > 0.1
            else f"Which {word}? No word says."
        )

    def hue(self, vector: list[float]) -> str:
        """Return which meaning a word brings."""
        left, right = self.poles
        names = course()["components"]
        if vector[left] != vector[right]:
            return str(names[left if vector[left] > vector[right] else right])
        others = [c for c in (0, 1, 4) if vector[c]]
        return str(names[others[0]]) if others and not vector[left] else "none"
