"""A fence that names the axes of a printed matrix, and shows it a second time as a table.

    ```output rows="Your journey starts" columns="0 1" tensors="query"
    tensor([[0.5, 0.3], ...])
    ```

In the browser every printed matrix is a picture (theme/assets/pictures). `rows` and `columns`
name the axes of each tensor in the block that is as long, and `tensors` the tensors, in turn.

    ```output heat="Your journey starts" caption="Weights"
    tensor([[0.5, 0.3, 0.2], ...])
    ```

`heat` names both axes, where `columns` names no other columns, and draws the first tensor. The
drawing is a table whose cells are coloured, made from the printed digits themselves, so it cannot
disagree with them, needs no script, and is read out cell by cell. With `lab`, such as
`lab="causal query=2"`, the attention lab takes its place in the browser, and starts with these
attributes and the names of the rows, which are words of the course (theme/assets/lab/lab.js).

With `name`, figures of the page can draw the output (site_build.inside.figures). Names are divided
by spaces, or by `|` where a name has spaces itself: `rows="bank|bank in the mud"`.
"""

from html import escape
from typing import Any

from markdown import Markdown
from pymdownx.superfences import SuperFencesException

from tensor_examples.printed import tensors_in

Matrix = list[list[str]]

NO_BREAK = "\N{NO-BREAK SPACE}"
DARK = 0.65  # the share from which on a cell is so dark that its digits are light
OPTIONS = {"name", "heat", "rows", "columns", "tensors", "caption", "lab"}


def accept_options(
    language: str, inputs: dict[str, str], options: dict[str, Any], attrs: Any, md: Markdown
) -> bool:
    """Take the options of an output block, in the way that SuperFences asks."""
    if not set(inputs) <= OPTIONS:
        return False
    options.update(inputs)
    return True


def output_fence(
    text: str, language: str, css_class: str, options: dict[str, Any], md: Markdown, **rest: Any
) -> str:
    """Render an output block with the names of its axes and, where it asks for one, a heat map."""
    heat = options.get("heat", "")
    defaults = {"rows": heat, "columns": heat, "tensors": ""}
    names = {of: names_of(options.get(of, default)) for of, default in defaults.items()}
    tensors = list(tensors_in(text))
    shapes = [shape(tensor) for tensor in tensors]
    picture = ""
    if heat:
        expect(shapes[:1] == [(len(names["rows"]), len(names["columns"]))], names, shapes)
        picture = heat_map(tensors[0], names["rows"], names["columns"], options.get("caption", ""))
        lab = options.get("lab")
        words = f'words="{escape(heat)}"'
        picture = f"<attention-lab {words} {lab}>{picture}</attention-lab>" if lab else picture
    rows, columns = {size[-2] for size in shapes if size[1:]}, {size[-1] for size in shapes if size}
    expect(not names["rows"] or len(names["rows"]) in rows, names, shapes)
    expect(not names["columns"] or len(names["columns"]) in columns, names, shapes)
    expect(not names["tensors"] or len(names["tensors"]) == len(tensors), names, shapes)
    attributes = [f' data-{of}="{escape(" ".join(words))}"' for of, words in names.items() if words]
    # `samp` is what a program prints; on each `code`, the theme's script would work.
    code = f"<pre><samp>{escape(text, quote=False)}\n</samp></pre>"
    return f'<div class="language-output highlight"{"".join(attributes)}>{code}</div>{picture}'


def names_of(text: str) -> list[str]:
    """Return the names in an option; a space within a name is one at which nothing is divided."""
    names = text.split("|") if "|" in text else text.split()
    return [NO_BREAK.join(name.split()) for name in names if name.strip()]


def shape(tensor: Any) -> tuple[int, ...]:
    """Return the shape of nested lists."""
    return (len(tensor), *shape(tensor[0])) if tensor and isinstance(tensor, list) else ()


def expect(fits: bool, names: dict[str, list[str]], shapes: list[tuple[int, ...]]) -> None:
    """Fail the build if names do not fit what is printed."""
    if not fits:
        counts = ", ".join(f"{len(words)} names for its {of}" for of, words in names.items())
        raise SuperFencesException(f"{counts}, but the output's tensors have the shapes {shapes}")


def heat_map(matrix: Matrix, row_names: list[str], column_names: list[str], caption: str) -> str:
    """Return a table whose cells are coloured by their share of the largest value."""
    largest = max(abs(number(digits)) for row in matrix for digits in row) or 1.0
    head = "".join(f"<th scope=col>{escape(name)}</th>" for name in column_names)
    body = "".join(
        f"<tr><th scope=row>{escape(name)}</th>"
        + "".join(cell(digits, number(digits) / largest) for digits in row)
        + "</tr>"
        for name, row in zip(row_names, matrix, strict=True)
    )
    return (
        '<div class="heat" tabindex="0" data-search-exclude><table class="heat-map">'
        f"<caption>{escape(caption)}</caption><thead><tr><td></td>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def number(digits: str) -> float:
    """Return a printed number, if it is one with a colour."""
    if not any(map(str.isdigit, digits)):
        raise SuperFencesException(f"{digits} cannot be drawn in a heat map")
    return float(digits)


def cell(digits: str, share: float) -> str:
    """Return one cell."""
    return f"<td{shade(share)}>{digits}</td>"


def shade(share: float) -> str:
    """Return the attributes that colour by a share; dark ones have light digits.

    Negative ones have another hue.
    """
    strength = round(abs(share), 2)
    classes = " ".join(
        name for name, holds in (("high", strength >= DARK), ("minus", share < 0)) if holds
    )
    css_class = f' class="{classes}"' if classes else ""
    return f'{css_class} style="--share:{strength:.2f}"'
