"""How a number becomes a colour: one rule for all that shows a tensor.

A cell says its share of the full colour, and what it is otherwise; the colours themselves stand in
theme/assets/heat/heat.css.
"""

from collections.abc import Iterable
from dataclasses import dataclass

# A range that is a smaller part of the largest number than this leaves all cells alike...
NARROW = 0.2
# ...and one that is smaller still is of no interest: rounding, most of the time.
FLAT = 0.02
FILLED, HIDDEN = "True", {"False", "-inf"}


@dataclass(frozen=True)
class ColourScale:
    """The numbers without a colour and with the full one, and how colours grow between them."""

    low: float
    full: float
    power: float = 1.0
    signed: bool = False

    def share(self, number: float) -> float:
        """Return the share of the full colour, with the sign of the number."""
        part = (number - self.low) / (self.full - self.low)
        share: float = abs(part) ** self.power
        return -share if part < 0 else share


def scale_of(numbers: Iterable[float]) -> ColourScale:
    """Return the scale of a tensor."""
    numbers = list(numbers) or [1.0]
    least, largest = min(numbers), max(numbers)
    if least < 0:
        return ColourScale(0.0, max(-least, largest), signed=True)
    if least > 0 and FLAT < (largest - least) / largest < NARROW:
        return ColourScale(least, largest)
    if largest > 1:
        return ColourScale(0.0, largest)
    # Weights have one scale on all pages, so that they can be compared. Most are small: by the
    # square root, 0.10 and 0.24 differ to the eye as well.
    return ColourScale(0.0, 1.0, 0.5)


def shade(share: float | None, *names: str) -> str:
    """Return the attributes of a cell.

    Args:
        share: Of the full colour, with the sign of the number, or None for a cell without a number.
        names: Further classes of the cell.
    """
    names = (*names, *["hidden"] * (share is None), *["minus"] * ((share or 0) < 0))
    classes = f' class="{" ".join(names)}"' if names else ""
    if share is None:
        return classes
    strength = f"{abs(share):.2f}".rstrip("0").rstrip(".")
    return f'{classes} style="--share:{strength}"'
