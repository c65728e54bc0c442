"""A fence that shows a printed matrix twice: as the text that it is, and as a picture.

    ```output heat="Your journey starts" caption="Weights"
    tensor([[0.5, 0.3, 0.2], ...])
    ```

`heat` names the tokens on both axes; `rows` and `columns` name them where they differ.

The picture is a table whose cells are coloured, made from the printed digits themselves, so it
cannot disagree with them, needs no script, and is read out cell by cell.
"""

import ast
import re
from html import escape
from typing import Any

from markdown import Markdown
from pymdownx.superfences import SuperFencesException

TENSOR = re.compile(r"\b(?:tensor|array)\((\[[-+\d.e,\s\[\]]*\])")
NUMBER = re.compile(r"-?\d[\d.]*(?:e[-+]?\d+)?")
DARK = 0.65  # the share from which on a cell is so dark that its digits are light
OPTIONS = {"heat", "rows", "columns", "caption"}


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
    """Render an output block and, where it asks for one, its heat map."""
    fences: Any = md.preprocessors["fenced_code_block"]
    html: str = fences.highlight(src=text, language="output", options={}, md=md, **rest)
    names = options.get("heat", "")
    row_names = options.get("rows", names).split()
    column_names = options.get("columns", names).split()
    if not row_names:
        return html
    printed = TENSOR.search(text)
    if printed is None:
        raise SuperFencesException(f"no matrix to draw in the output {text!r}")
    rows = ast.literal_eval(printed[1])
    if len(rows) != len(row_names) or any(len(row) != len(column_names) for row in rows):
        raise SuperFencesException(
            f"a matrix of {len(rows)} rows, but {len(row_names)} names for its rows and "
            f"{len(column_names)} for its columns: {text!r}"
        )
    digits = NUMBER.findall(printed[1])
    return html + heat_map(rows, digits, row_names, column_names, options.get("caption", ""))


def heat_map(
    rows: list[list[float]],
    digits: list[str],
    row_names: list[str],
    column_names: list[str],
    caption: str,
) -> str:
    """Return a table whose cells are coloured by their share of the largest value."""
    largest = max(abs(value) for row in rows for value in row) or 1.0
    printed = iter(digits)
    head = "".join(f"<th scope=col>{escape(name)}</th>" for name in column_names)
    body = "".join(
        f"<tr><th scope=row>{escape(name)}</th>"
        + "".join(cell(next(printed), value / largest) for value in row)
        + "</tr>"
        for name, row in zip(row_names, rows, strict=True)
    )
    return (
        f'<div class="heat" tabindex="0"><table class="heat-map"><caption>{escape(caption)}'
        f"</caption><thead><tr><td></td>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def cell(digits: str, share: float) -> str:
    """Return one cell; dark ones have light digits, and negative ones another hue."""
    classes = " ".join(
        name for name, holds in (("high", abs(share) > DARK), ("minus", share < 0)) if holds
    )
    css_class = f' class="{classes}"' if classes else ""
    return f'<td{css_class} style="--share:{abs(share):.2f}">{digits}</td>'
