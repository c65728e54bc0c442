"""One scale for all panels of a figure: how much room a number takes, counted from 0."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Scale:
    """From the smallest to the largest of some numbers, 0 among them, and the room for that."""

    low: float
    high: float
    room: float

    @classmethod
    def of(cls, numbers: Iterable[float], room: float) -> "Scale":
        """Return the scale in which all the numbers have room."""
        known = [0.0, *numbers]
        return cls(min(known), max(known), room)

    @property
    def unit(self) -> float:
        """The length of the number 1."""
        return self.room / (self.high - self.low or 1)

    def length(self, number: float) -> float:
        """Return how long a number is drawn."""
        return number * self.unit

    def down(self, number: float) -> float:
        """Return how far a number stands below the largest."""
        return self.length(self.high - number)
