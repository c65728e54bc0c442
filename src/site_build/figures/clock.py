"""Clock hands: each row of a matrix is the end of a hand, a cosine and a sine.

`x` and `y` name the two columns, where there are more. The longest hand is as long as its dial
is wide.
"""

from math import hypot

from site_build.figures.svg import Drawing, Stage, circle, path, points, text, text_width
from site_build.markdown.tensors import Tensor, value

RADIUS = 23.0
MOST = 6  # dials side by side


def clock(tensors: list[Tensor], options: dict[str, str]) -> list[Drawing]:
    """Draw a dial for each row."""
    columns = options.pop("x", None), options.pop("y", None)
    drawings = []
    for tensor in tensors:
        hands = [(value(x), value(y)) for x, y in tensor.two_columns(*columns).matrix()]
        scale = RADIUS / (max(hypot(*hand) for hand in hands) or 1)
        names = tensor.row_names()
        slot = max(2 * RADIUS + 10, *(text_width(name) + 10 for name in names))
        stages = []
        for number, (name, (cosine, sine)) in enumerate(zip(names, hands, strict=True)):
            x = slot * (number % MOST + 0.5)
            y = RADIUS + 2 + (2 * RADIUS + 34) * (number // MOST)
            tip = x + cosine * scale, y - sine * scale
            parts = [
                circle("dial", x, y, RADIUS),
                path("rule", f"M{points([(x + RADIUS - 5, y), (x + RADIUS, y)])}"),
                circle("dot", x, y, 2),
                path("hand", f"M{points([(x, y), tip])}"),
                circle("head", *tip, 3.5),
                text(x, y + RADIUS + 18, name),
            ]
            stages.append(Stage(name, parts))
        lines = (len(names) - 1) // MOST + 1
        width = slot * min(len(names), MOST)
        drawings.append(Drawing(width, (2 * RADIUS + 34) * lines - 4, [], stages=stages))
    return drawings
