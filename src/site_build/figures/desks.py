"""Two desks, one for each device, on which cards lie.

A card has the hue of the device that it is for, and an output says which device holds it.
"""

from site_build.figures.marks import HIGH
from site_build.figures.svg import SMALL, path, rectangle, text, text_width
from site_build.markdown.tensors import Tensor

DEVICES = (0, 1)
HEAD = 24.0  # the room for the name of a desk
EDGE = 7.0  # the room beside its cards
ROW = HIGH + 5
LEAST = text_width("device 0", SMALL) + 2 * EDGE  # how wide a desk is


def holder_of_rows(tensor: Tensor) -> list[int]:
    """Return the number of the device that holds all of each row."""
    rows = [set(row) for row in tensor.counts(len(DEVICES))]
    if any(len(row) > 1 for row in rows):
        raise ValueError("each row is with one device")
    return [min(row) for row in rows]


def desk(device: int, left: float, top: float, wide: float, high: float) -> list[str]:
    """Return a desk with its name."""
    box = path("dial", rectangle(left, top, wide, high))
    return [box, text(left + EDGE, top + 16, f"device {device}", "number start faint")]
