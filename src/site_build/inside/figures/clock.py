"""Clock hands: each row of a matrix is the end of a hand, a cosine and a sine.

`x` and `y` name the two columns, where there are more. The longest hand is as long as its dial
is wide.
"""

from math import hypot

from site_build.inside.figures.svg import Drawing, Stage, circle, path, points, text, text_width
from site_build.inside.figures.tensors import Tensor, value

RADIUS = 23.0
MOST = 6  # dials side by side


def clock(tensors: list[Tensor], options: dict[str, str]) -> list[Drawing]:
    """Draw a dial for each row."""
    columns = options.pop("x", None), options.pop("y", None)
    drawings = []
    for tensor in tensors:
        first, second = tensor.two_columns(*columns)
        hands = [(value(row[first]), value(row[second])) for row in tensor.matrix()]
        scale = RADIUS / (max(hypot(*hand) for hand in hands) or 1)
        names = tensor.row_names()
        slot = max(2 * RADIUS + 10, *(text_width(name) + 10 for name in names))
        stages = []
        for number, (name, (cosine, sine)) in enumerate(zip(names, hands, strict=True)):
            x = slot * (number % MOST + 0.5)
            y = RADIUS + 2 + (2 * RADIUS + 34) * (number // MOST)
            tip = x + cosine * scale, y - sine * scale
            parts = []
            parts.append(circle("dial", x, y, RADIUS))
            parts.append(path("rule", f"M{points([(x + RADIUS - 5, y), (x + RADIUS, y)])}"))
            parts.append(circle("dot", x, y, 2))
            parts.append(path("hand", f"M{points([(x, y), tip])}"))
            parts.append(circle("head", *tip, 3.5))
            parts.append(text(x, y + RADIUS + 18, name))
            stages.append(Stage(name, parts))
        lines = (len(names) - 1) // MOST + 1
        width = slot * min(len(names), MOST)
        drawings.append(Drawing(width, (2 * RADIUS + 34) * lines - 4, [], stages=stages))
    return drawings
