"""Places in which texts take turns: each row of a matrix is a place, each column a step.

A number says which text has the place in that step, counted from 0, and -1 that none has it.
`names` are those of the texts, each of which has a hue of its own.
"""

from site_build.figures.marks import Grid, card, together, who
from site_build.figures.svg import Drawing, Stage, text
from site_build.markdown.tensors import Tensor, names_of

WIDE, HIGH = 16.0, 26.0  # from one step to the next, and from one place to the next


def lanes(tensors: list[Tensor], options: dict[str, str]) -> list[Drawing]:
    """Draw a tile for each step of a text, and a gap where no text has the place."""
    names = names_of(options.pop("names", ""))
    return [one_hall(tensor, names) for tensor in tensors]


def one_hall(tensor: Tensor, names: list[str]) -> Drawing:
    """Draw the places of one matrix."""
    grid = Grid.of(tensor.row_names(), WIDE, HIGH)
    steps, columns = tensor.column_names(), zip(*tensor.counts(len(names), least=-1), strict=True)
    stages = []
    for column, (step, texts) in enumerate(zip(steps, columns, strict=True)):
        tiles, free = [], []
        for row, one in enumerate(texts):
            if one < 0:
                free.append(grid.cell(row, column))
            else:
                place = grid.middle(row, column)
                tiles += card(*place, names[one], WIDE - 2, HIGH - 2, f"tile {who(one)}")
        now = text(grid.left, grid.bottom + 15, f"step {step}", "start")
        stages.append(Stage(step, tiles + together("gap", free), [now]))
    return Drawing(grid.x(len(steps)), grid.bottom + 21, grid.row_names(), stages=stages)
