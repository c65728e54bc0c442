"""How a number becomes a colour: one rule for all that shows a tensor.

A cell says its share of the full colour, and what it is otherwise; the colours themselves stand in
theme/assets/heat/heat.css. The script that colours printed tensors (theme/assets/printed-matrix)
has the same rule: a test holds them equal.
"""

from collections.abc import Iterable
from dataclasses import dataclass

# A range that is a smaller part of the largest number than this leaves all cells alike...
NARROW = 0.2
# ...and one that is smaller still is of no interest: rounding, most of the time.
FLAT = 0.02
FILLED, HIDDEN = "True", {"False", "-inf"}


@dataclass(frozen=True)
class Scale:
    """The numbers without a colour and with the full one, and how colours grow between them."""

    low: float
    full: float
    power: float = 1.0

    def share(self, number: float) -> float:
        """Return the share of the full colour, with the sign of the number."""
        part = (number - self.low) / (self.full - self.low)
        share: float = abs(part) ** self.power
        return -share if part < 0 else share


def scale_of(numbers: Iterable[float]) -> Scale:
    """Return the scale of a tensor."""
    numbers = list(numbers) or [1.0]
    least, largest = min(numbers), max(numbers)
    if least < 0:
        return Scale(0.0, max(-least, largest))
    if least > 0 and FLAT < (largest - least) / largest < NARROW:
        return Scale(least, largest)
    if largest > 1:
        return Scale(0.0, largest)
    # Weights have one scale on all pages, so that they can be compared. Most are small: by the
    # square root, 0.10 and 0.24 differ to the eye as well.
    return Scale(0.0, 1.0, 0.5)


def shade(share: float) -> str:
    """Return the attributes of a cell with a number; numbers below zero have another hue."""
    strength = f"{abs(share):.2f}".rstrip("0").rstrip(".")
    minus = ' class="minus"' * (share < 0)
    return f'{minus} style="--share:{strength}"'
