"""Places in which texts take turns: each row of a matrix is a place, each column a step.

A number says which text has the place in that step, counted from 0, and a negative one that none
has it. `names` are those of the texts, each of which has a hue of its own.
"""

from site_build.figures.svg import (
    SMALL,
    Drawing,
    Stage,
    path,
    rectangle,
    short,
    text,
    text_width,
)
from site_build.markdown.tensors import Tensor, names_of, value

WIDE, HIGH = 16.0, 26.0  # from one step to the next, and from one place to the next
HUES = 6  # theme/assets/figures/figures.css has them


def lanes(tensors: list[Tensor], options: dict[str, str]) -> list[Drawing]:
    """Draw a tile for each step of a text, and a gap where no text has the place."""
    names = names_of(options.pop("names", ""))
    if len(names) > HUES:
        raise ValueError(f"{len(names)} texts; {HUES} can be told apart at most")
    return [one_hall(tensor, names) for tensor in tensors]


def one_hall(tensor: Tensor, names: list[str]) -> Drawing:
    """Draw the places of one matrix."""
    places, steps = tensor.row_names(), tensor.column_names()
    left = max(text_width(place, SMALL) for place in places) + 8
    bottom = HIGH * len(places) + 15
    parts = [text(left - 8, middle(row), place, "number end") for row, place in enumerate(places)]
    stages = []
    for column, step in enumerate(steps):
        x, tiles, gaps = left + column * WIDE, [], ""
        for row, line in enumerate(tensor.matrix()):
            who = int(value(line[column]))
            if who >= len(names):
                raise ValueError(f"{who} is not one of {len(names)} texts")
            outline = rectangle(x + 1, row * HIGH + 1, WIDE - 2, HIGH - 2)
            if who < 0:
                gaps += outline
            else:
                tiles.append(path(f"tile who-{who}", outline))
                tiles.append(text(x + WIDE / 2, middle(row), names[who], "number"))
        if gaps:
            tiles.append(path("gap", gaps))
        stages.append(Stage(step, tiles, [text(left, bottom, f"step {step}", "start")]))
    return Drawing(left + WIDE * len(steps), bottom + 6, parts, stages=stages)


def middle(row: int) -> float:
    """Return where the words of a place stand."""
    return float(short(row * HIGH + HIGH / 2 + 4.5))
