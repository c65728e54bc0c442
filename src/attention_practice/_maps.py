"""Both results side by side, as coloured tables for a notebook."""

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import torch
from torch import Tensor

from attention_practice._outcome import close

LARGEST = 16  # rows and columns that are shown
CELL = "padding:2px 6px;text-align:right;border:1px solid transparent;"
OUTLINED = "border-color:#d1242f;"


@dataclass(frozen=True)
class Maps:
    """A wrong result and the right one, with the words of their axes."""

    mine: Tensor
    right: Tensor
    rows: Sequence[str] = ()
    columns: Sequence[str] = ()

    def html(self) -> str:
        """Return two tables, in which the numbers that differ are outlined."""
        differs = ~close(self.mine, self.right)
        both = torch.stack([self.mine.double(), self.right.double()])
        largest = both[both.isfinite()].abs().max().item() if both.isfinite().any() else 1.0
        tables = (
            self._table(title, x, differs, largest or 1.0)
            for title, x in (("yours", self.mine), ("right", self.right))
        )
        return f'<div style="display:flex;flex-wrap:wrap;gap:0 2em">{"".join(tables)}</div>'

    def _table(self, title: str, x: Tensor, differs: Tensor, largest: float) -> str:
        height, width = x.shape
        named = len(self.rows) == height
        head = "".join(f"<th>{escape(word)}</th>" for word in self.columns)
        lines = [f"<tr>{'<td></td>' * named}{head}</tr>"] if len(self.columns) == width else []
        for i in range(height):
            cells = "".join(
                f'<td style="{CELL}{_colour(x[i, j].item(), largest)}'
                f'{OUTLINED if differs[i, j] else ""}">{_printed(x[i, j].item())}</td>'
                for j in range(width)
            )
            name = f"<th>{escape(self.rows[i])}</th>" if named else ""
            lines.append(f"<tr>{name}{cells}</tr>")
        return f"<table><caption>{title}</caption>{''.join(lines)}</table>"


def maps_of(
    mine: Tensor, right: Tensor, rows: Sequence[str], columns: Sequence[str]
) -> Maps | None:
    """Return the maps of two results of one shape, of the first matrix in which they differ."""
    if mine.shape != right.shape or not right.dim() or not right.numel():
        return None
    x, y = (t.detach().reshape(-1, *([1] * (2 - t.dim())), *t.shape[-2:]) for t in (mine, right))
    wrong = (~close(x, y)).flatten(1).any(1).nonzero().flatten()
    if not len(wrong) or max(y.shape[-2:]) > LARGEST:
        return None
    return Maps(x[wrong[0]], y[wrong[0]], rows, columns)


def show(maps: Maps) -> None:
    """Display maps in a notebook; elsewhere, where nothing can draw them, do nothing."""
    python = sys.modules.get("IPython")
    shell = python and python.get_ipython()
    if python and hasattr(shell, "kernel"):
        python.display.display(python.display.HTML(maps.html()))


def _colour(value: float, largest: float) -> str:
    """Return a colour that is as strong as the number is large, on any background."""
    if not math.isfinite(value):
        return ""
    hue = "56,120,190" if value >= 0 else "190,110,40"
    return f"background:rgba({hue},{0.65 * min(1.0, abs(value) / largest):.2f});"


def _printed(value: float | bool) -> str:
    if isinstance(value, bool | int) or not math.isfinite(value):
        return str(value)
    return f"{round(value, 2) + 0.0:.2f}".replace("-", "\N{MINUS SIGN}")
