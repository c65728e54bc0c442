"""Marks that come along a way in their stage, as a figure moves."""

from site_build.figures.svg import Point, short


def to(x: float, y: float) -> str:
    """Return a place, in the way that a style has it."""
    return f"translate({short(x)}px,{short(y)}px)"


def slides(marks: str, way: Point) -> str:
    """Return marks that come to their place along a way, right and down, in their stage.

    What is in a group of the class `stays` is seen before.
    """
    if way == (0, 0):
        return marks
    return f'<g class="slides" style="--from:{to(-way[0], -way[1])}">{marks}</g>'
