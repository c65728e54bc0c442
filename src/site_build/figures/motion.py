"""Marks that move: those that come along a way in their stage, and those that travel all the time.

A mark that travels keeps its way, which is where it stands before the first step of a figure and
after each one. The script of moving figures sets it there, and the style sheet lets it glide. A
figure begins with each at the start of its way; without a script and on paper it stands at the end.
"""

from site_build.figures.svg import Point, short


def to(x: float, y: float) -> str:
    """Return a place, in the way that a style has it."""
    return f"translate({short(x)}px,{short(y)}px)"


def travels(parts: list[str], way: list[str], css_class: str = "") -> str:
    """Return marks around the origin, which stand at each place of a way in turn."""
    name = f' class="{css_class}"' if css_class else ""
    ends = f"--start:{way[0]};--end:{way[-1]}"
    return f'<g{name} data-way="{"|".join(way)}" style="{ends}">{"".join(parts)}</g>'


def slides(marks: str, way: Point) -> str:
    """Return marks that come to their place along a way, right and down, in their stage.

    What is in a group of the class `stays` is seen before.
    """
    if way == (0, 0):
        return marks
    return f'<g class="slides" style="--from:{to(-way[0], -way[1])}">{marks}</g>'


def grows(marks: str, start: Point) -> str:
    """Return marks that grow from a place in their stage."""
    begin = f"{to(*start)} scale(0) {to(-start[0], -start[1])}"
    return f'<g class="slides" style="--from:{begin}">{marks}</g>'
