"""A fence for what code prints: it names the axes of a tensor, and may show it as a heat map.

    ````markdown
    ```output rows="the duck likes" columns="0 1" tensors="query"
    tensor([[0.5, 0.3], ...])
    ```
    ````

Every printed tensor is a picture as well (site_build.markdown.printed_cells). `rows` and `columns`
name the axes of each tensor in the block that is as long, and `tensors` the tensors, in turn. What
a mask has hidden is hatched: minus infinity and False, and weights that `hidden` tells apart from
small ones (site_build.markdown.hidden_numbers).

    ````markdown
    ```output heat="the duck likes" caption="Weights"
    tensor([[0.5, 0.3, 0.2], ...])
    ```
    ````

`heat` names both axes, where `columns` names no other columns, and draws the tensor: a table of
coloured cells takes the place of the text. It has the digits that were printed, so it cannot
disagree with them, needs no script, and is read out cell by cell.

Where lines begin with "mistake:" and "fix:", each becomes a panel, and panels stand side by side
where there is room. The numbers in which the first differs from the second are ringed.

With `name`, a stage of the page can draw the output. Names are divided
by spaces, or by `|` where a name has spaces itself: `rows="bank|bank in the mud"`.
"""

import re
from collections.abc import Iterator
from html import escape
from itertools import chain, repeat
from typing import Any

import numpy as np
from markdown import Markdown
from pymdownx.superfences import SuperFencesException

from site_build.markdown.colours import FILLED, scale_of, shade
from site_build.markdown.extension import FencedOutput, reader_of
from site_build.markdown.printed_cells import with_cells
from site_build.markdown.tensors import (
    Mask,
    Tensor,
    names_of,
    shades_of,
    tensors_of,
    values_of,
)
from tensor_examples.printed import TENSOR

PANEL = re.compile(r"^(?=(?:mistake|fix):)", re.MULTILINE)
MATRIX = re.compile(r"\b(?:tensor|array)\(\[\[")
COLUMNS = re.compile(r"\S {2,}\S")  # of words, as in a table
# What stands before the numbers of a panel: a word, or the room of one.
PANEL_WORD = re.compile(r"^(?:(?:mistake|fix): *| {9})", re.MULTILINE)
NARROW = 30  # columns that are as large as others on every screen
OPTIONS = {"name", "heat", "rows", "columns", "tensors", "hidden", "caption"}


def output_fence(
    text: str, language: str, css_class: str, options: dict[str, Any], md: Markdown, **rest: Any
) -> str:
    """Render an output block with the names of its axes, or a heat map."""
    if unknown := options.keys() - OPTIONS:
        raise SuperFencesException(f"an output has no use for {', '.join(sorted(unknown))}")
    heat = options.get("heat", "")
    defaults = {"rows": heat, "columns": heat, "tensors": ""}
    names = {of: names_of(options.get(of, default)) for of, default in defaults.items()}
    tensors = reader_of(md).tensors_of(FencedOutput(text, options))
    shapes = [tensor.shape for tensor in tensors]
    rows, columns = {size[-2] for size in shapes if size[1:]}, {size[-1] for size in shapes if size}
    expect(not names["rows"] or len(names["rows"]) in rows, names, shapes)
    expect(not names["columns"] or len(names["columns"]) in columns, names, shapes)
    expect(not names["tensors"] or len(names["tensors"]) == len(tensors), names, shapes)
    axes = {of: " ".join(names[of]) for of in ("rows", "columns") if names[of]}
    attributes = "".join(f' data-{of}="{escape(words)}"' for of, words in axes.items())
    if options.get("name") in reader_of(md).staged.numbers:
        attributes += f' data-stage="{options["name"]}"'
    if not heat:
        output = printed(text, iter(tensors))
        return f'<div class="language-output highlight"{attributes}><pre>{output}</pre></div>'
    expect(shapes == [(len(names["rows"]), len(names["columns"]))], names, shapes)
    beside, _, printed_tensor = text.partition("tensor(")
    said = names_of(f"{beside};".replace(";", "|"))
    if not (
        {*said} <= {*names["rows"], *names["columns"]} and printed_tensor.rstrip().endswith("]])")
    ):
        raise SuperFencesException("heat map: what stands beside the tensor would be lost")
    try:
        return heat_map(tensors[0], options.get("caption", ""))
    except ValueError as error:
        raise SuperFencesException(f"heat map: {error}") from error


def printed(text: str, tensors: Iterator[Tensor]) -> str:
    """Return what a program prints: a mistake and its fix as two panels.

    Args:
        text: What is printed.
        tensors: Those of the text, which are taken in their order.
    """
    parts = [
        (part.partition(":")[0] if PANEL.match(part) else "", part)
        for part in PANEL.split(f"{text}\n")
        if part
    ]
    # On each `code`, the theme's script would work.
    if not {"mistake", "fix"} <= {kind for kind, _ in parts}:
        return f"<samp{room(text)}>{with_cells(text, tensors)}\n</samp>"
    fixes = [part for kind, part in parts if kind == "fix"]
    panels = []
    for kind, part in parts:
        panels.append(panel(kind, part, fixes[0], tensors))
        fixes = fixes[1:] if kind == "fix" and fixes[1:] else fixes
    # Words are wrapped, and do not make the numbers smaller.
    numbers = [part for kind, part in parts if kind and TENSOR.search(part)]
    inner = PANEL_WORD.sub("", "".join(numbers))
    return f"<samp{room(inner, 'pair')}>{''.join(panels)}</samp>"


def panel(kind: str, text: str, fix: str, tensors: Iterator[Tensor]) -> str:
    """Return a part of what is printed, below its first word."""
    if not kind:
        return f"<span>{with_cells(text, tensors)}</span>"
    wrong = wrong_numbers(text, fix) if kind == "mistake" else []
    label, rest = text[: len(kind) + 1], text[len(kind) + 1 :]
    # The first line begins where it would without the word, and others that stand below it with it.
    indent = len(rest) - len(rest.lstrip(" "))
    margin = len(label) + indent
    below = [line for line in rest.splitlines()[1:] if line.strip()]
    moved = below and all(line.startswith(" " * margin) for line in below)
    style = (
        f"margin-left:-{margin}ch;width:calc(100% + {margin}ch);text-indent:{len(label)}ch"
        if moved
        else f"text-indent:-{indent}ch"
    )
    numbers = with_cells(rest, tensors, chain(wrong, repeat(None)))
    return f'<span class="{kind}"><b>{label}</b><span style="{style}">{numbers}</span></span>'


def room(text: str, *classes: str) -> str:
    """Return the attributes that say how wide numbers are, and whether they can be wrapped."""
    names = " ".join([*classes, *["matrix"] * bool(MATRIX.search(text))])
    wide = TENSOR.search(text) or COLUMNS.search(text)
    columns = max(map(len, text.splitlines())) if wide else 0
    css_class = f' class="{names}"' if names else ""
    return css_class + f' style="--columns:{columns}"' * (columns > NARROW)


def wrong_numbers(mistake: str, fix: str) -> list[Mask]:
    """Return which numbers of a mistake are others than those of its fix, if some are the same."""
    pairs = list(zip(tensors_of(mistake, {}), tensors_of(fix, {}), strict=False))
    if any(one.shape != other.shape for one, other in pairs):
        return []
    differs: list[Mask] = [
        np.vectorize(lambda a, b: number(a) != number(b), otypes=[bool])(one.digits, other.digits)
        for one, other in pairs
    ]
    return [] if all(map(np.all, differs)) else differs


def number(digits: str) -> float | str:
    """Return what can be compared: with more zeros at its end, a number is the same."""
    return digits if digits in {"True", "False", "nan"} else float(digits)


def expect(fits: bool, names: dict[str, list[str]], shapes: list[tuple[int, ...]]) -> None:
    """Fail the build if names do not fit what is printed."""
    if not fits:
        counts = ", ".join(f"{len(words)} names for its {of}" for of, words in names.items())
        raise SuperFencesException(f"{counts}, but the output's tensors have the shapes {shapes}")


def heat_map(tensor: Tensor, caption: str) -> str:
    """Return a table whose cells are coloured, with a key to the colours below it."""
    values = values_of(tensor.digits.flat)
    shades = shades_of(values)
    cells = {FILLED: f"<td{shade(1)}>{FILLED}</td>"}
    for digits in values:
        label = digits.rstrip(".").replace("-", "\N{MINUS SIGN}")
        cells[digits] = f"<td{shades[digits]}>{label}</td>"
    head = "".join(f"<th scope=col>{escape(name)}</th>" for name in tensor.column_names())
    body, hidden = "", tensor.hidden()
    for name, row, hides in zip(tensor.row_names(), tensor.matrix(), hidden, strict=True):
        body += f"<tr><th scope=row>{escape(name)}</th>"
        for digits, hide in zip(row, hides, strict=True):
            body += f"<td class=hidden>{digits}</td>" if hide else cells[digits]
        body += "</tr>"
    name = f' data-name="{escape(tensor.name)}"' * bool(tensor.name)
    below = f"{escape(caption)} {colour_key([*values.values()], bool(hidden.any()))}".strip()
    return (
        f'<div class="heat" tabindex="0" data-search-exclude><table class="heat-map"{name}>'
        f"<caption>{below}</caption><thead><tr><td></td>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def colour_key(numbers: list[float], hidden: bool) -> str:
    """Return what the colours mean."""
    scale = scale_of(numbers)
    marks = [scale.low, scale.full]
    if scale.signed:
        marks = [-scale.full, *marks]
    elif scale.power != 1:
        marks = [0, 0.25, 1]
    items = [f"<i{shade(scale.share(mark))}></i>{mark:.3g}" for mark in marks if numbers]
    items += ["<i class=hidden></i>hidden"] * hidden
    return f"<span class=heat-key>{' '.join(items)}</span>" if items else ""
