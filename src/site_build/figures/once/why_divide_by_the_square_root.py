"""Piles of numbers that spread, and what pushes them back.

The first output is a matrix: each row is a pile, each column a number that grows, each entry its
share of the pile, with as many numbers above 0 as below. The second has a row for each pile: how
far its numbers are spread, and how far once they are divided. Behind the pile that was divided
stands the one that was not.
"""

from site_build.figures.labels import BOLD
from site_build.figures.svg import Drawing, Stage, path, rectangle, straight, text, text_width
from site_build.markdown.tensors import Tensor, rounded, value

WIDE, HIGH = 170.0, 46.0
ROW = HIGH + 18


def spread(tensors: list[Tensor], options: dict[str, str]) -> list[Drawing]:
    """Draw the piles below one another; there are no options."""
    if len(tensors) != 2 or tensors[1].shape != (len(tensors[0].matrix()), 2):
        raise ValueError("a matrix of shares is needed, and two spreads for each of its rows")
    piles, spreads = tensors
    numbers = list(map(value, piles.column_names()))
    names, titles, labels = piles.row_names(), spreads.column_names(), rounded(spreads.digits.flat)
    step = numbers[1] - numbers[0]
    across = WIDE / (numbers[-1] - numbers[0] + step)
    up = HIGH / max(max(shares) for shares in piles.values())
    left = max(map(text_width, names)) + 10
    right = left + WIDE + 6

    def pile(shares: list[float], base: float, by: float) -> str:
        """Return bars side by side, one for each number, all of which are divided."""
        unit = across * by
        return "".join(
            rectangle(left + WIDE / 2 + (x - step / 2) * unit, base, step * unit, -share * up)
            for x, share in zip(numbers, shares, strict=True)
            if share
        )

    stages, pressed = [], Stage(titles[1], [])
    for number, (name, shares, two) in enumerate(
        zip(names, piles.values(), spreads.matrix(), strict=True)
    ):
        base = HIGH + 4 + ROW * number
        before, after = (f"{title} {labels[one]}" for title, one in zip(titles, two, strict=True))
        stands = [
            straight("rule", (left, base), (left + WIDE, base)),
            path("box", pile(shares, base, 1)),
            text(left - 8, base - 4, name, "end"),
            text(right, base - 22, before, "number start"),
        ]
        stages.append(Stage(f"{name}: {before}", stands))
        by = value(two[1]) / value(two[0])
        way = f' style="--from:scaleX({1 / by:.3g})"'
        pressed.parts.append(path("bar slides", pile(shares, base, by), way))
        pressed.parts.append(text(right, base - 5, after, "number start asks"))
    room = (max(map(text_width, titles)) + max(map(text_width, labels.values()))) * BOLD
    return [Drawing(right + room, 8 + ROW * len(names), [], stages=[*stages, pressed])]
