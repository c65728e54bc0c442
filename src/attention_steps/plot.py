"""A picture of attention weights: which word attends to which, and how much."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from torch import Tensor

from attention_steps._checks import check_tensor, shape_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

# Font sizes in points: smaller digits cannot be read, larger ones gain nothing.
_SMALLEST_FONT, _LARGEST_FONT = 5.0, 10.0


def plot_attention(
    weights: Tensor,
    query_labels: Sequence[str] | None = None,
    key_labels: Sequence[str] | None = None,
    *,
    ax: Axes | None = None,
) -> Axes:
    r"""Draw weights as a map: a row for each query, a column for each key, darker for more.

    $$\mathrm{colour}_{ij} = \frac{\mathrm{weights}_{ij}}{\max \mathrm{weights}}$$

    Source: figures like these are in
    [Bahdanau et al. 2015](https://arxiv.org/abs/1409.0473), section 5.2.1.

    Heads share one scale.

    Names: queries are the paper's target words, keys its source words, and `weights` its
    $\alpha_{ij}$.

    Args:
        weights: Weights, shape `(L, S)`, or `(num_heads, L, S)` for a map of each head.
        query_labels: A word for each query. Defaults to its position.
        key_labels: A word for each key. Defaults to its position.
        ax: Where to draw. Defaults to a new figure.

    Returns:
        The axes that were drawn on. With several heads they hold one map after another, as
        `child_axes`.

    Raises:
        TypeError: If `weights` is not a tensor, or labels are one string.
        ImportError: If matplotlib is missing: it comes with `pip install "attention-steps[plot]"`.
        ValueError: If `weights` has another number of axes, is empty or has a negative number, or
            there is not one label for each query or key.

    Examples:
        >>> import torch
        >>> from attention_steps.plot import plot_attention
        >>> weights = torch.tensor([[1.0, 0.0], [0.25, 0.75]])
        >>> ax = plot_attention(weights, ["muddy", "bank"], ["muddy", "bank"])
        >>> colour = ax.images[0].norm(weights)
        >>> [text.get_text() for text in ax.texts]
        ['1.00', '0.00', '0.25', '0.75']
    """
    _check_plot_arguments(weights, query_labels, key_labels)
    if ax is not None and not hasattr(ax, "imshow"):
        raise TypeError(f"ax must be axes of matplotlib, got {type(ax).__name__}")
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError(
            'plot_attention needs matplotlib: pip install "attention-steps[plot]"'
        ) from error
    if ax is None:
        ax = pyplot.figure(
            figsize=_figure_size(weights), facecolor="white", layout="constrained"
        ).add_subplot()

    weights = weights.detach()
    finite = weights[weights.isfinite()]
    largest = float(finite.max()) if finite.numel() else 0.0
    scale = largest if largest > 0 else 1.0
    labels = (query_labels, key_labels)
    if weights.dim() == 2:
        _draw_map(ax, weights, scale, *labels)
        return ax
    # A map for each head; words only at the left and at the bottom of the grid.
    rows, columns = _grid(len(weights))
    ax.set_axis_off()
    for head, of_head in enumerate(weights):
        row, column = divmod(head, columns)
        # Each map leaves a tenth of its place free, and its title is in that.
        corner = (column / columns, 1 - (row + 1) / rows)
        child = ax.inset_axes((*corner, 0.9 / columns, 0.9 / rows))
        _draw_map(child, of_head, scale, *labels)
        child.set_title(f"head {head}", fontsize=_LARGEST_FONT)
        # The last row may be shorter than the others.
        is_last = head + columns >= len(weights)
        child.tick_params(labelleft=column == 0, labelbottom=is_last)
    return ax


def _draw_map(
    ax: Axes,
    weights: Tensor,
    scale: float,
    query_labels: Sequence[str] | None,
    key_labels: Sequence[str] | None,
) -> None:
    """One map on its own axes."""
    from matplotlib import colormaps

    values = weights.double().cpu().numpy()
    ax.set_facecolor("white")
    # NaN has no colour: the cell is white, and its text says nan.
    ax.imshow(values, colormaps["Blues"].with_extremes(bad="white"), vmin=0.0, vmax=scale)
    figure: Any = ax.get_figure(root=True)
    long = any(len(str(label)) > 3 for label in key_labels or ())
    _label(ax.xaxis, key_labels, rotation=90.0 if long else 0.0)
    _label(ax.yaxis, query_labels)

    query_len, key_len = values.shape
    box = ax.get_window_extent()
    # The cells are squares, so the tighter direction decides; pixels are converted to points.
    cell = min(box.width / key_len, box.height / query_len) * 72 / figure.dpi
    # "0.00" is 2.3 times as wide as its font is high; a third leaves a margin.
    font = min(_LARGEST_FONT, cell / 3)
    if font < _SMALLEST_FONT:
        return
    for i, j in itertools.product(range(query_len), range(key_len)):
        # White on the darker half; NaN is white, and is not greater.
        colour = "white" if values[i, j] > 0.6 * scale else "black"
        text = f"{values[i, j]:.2f}"
        ax.text(j, i, text, ha="center", va="center", fontsize=font, color=colour)


def _label(axis: Axis, labels: Sequence[str] | None, rotation: float = 0.0) -> None:
    """Words at every tick, or positions at as many as there is room for."""
    from matplotlib.ticker import MaxNLocator

    axis.set_tick_params(length=0)
    if labels is None:
        axis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
        return
    # A token such as "$" is itself, and not the start of a formula.
    axis.set_ticks(range(len(labels)), labels, rotation=rotation, parse_math=False)


def _grid(num_heads: int) -> tuple[int, int]:
    columns = math.ceil(math.sqrt(num_heads))
    return math.ceil(num_heads / columns), columns


def _figure_size(weights: Tensor) -> tuple[float, float]:
    """Half an inch for a cell, an inch for the words, and a page at most."""
    query_len, key_len = weights.shape[-2:]
    rows, columns = _grid(weights.shape[0]) if weights.dim() == 3 else (1, 1)
    return (
        min(max(0.5 * key_len * columns, 2.0) + 1.0, 14.0),
        min(max(0.5 * query_len * rows, 2.0) + 1.0, 14.0),
    )


def _check_plot_arguments(
    weights: Tensor, query_labels: Sequence[str] | None, key_labels: Sequence[str] | None
) -> None:
    """Check the arguments of `plot_attention`."""
    check_tensor("weights", weights)
    if weights.is_complex() or weights.is_meta:
        kind = weights.dtype if weights.is_complex() else "numbers that were never written"
        raise TypeError(f"weights must be real, got {kind}")
    if weights.dim() not in (2, 3) or weights.numel() == 0:
        raise ValueError(
            "weights must have shape (L, S) or (num_heads, L, S), with no axis of size 0, "
            f"got {shape_of(weights)}"
        )
    if (weights < 0).any():
        raise ValueError(f"weights must not be negative, got {float(weights.detach().min())}")
    labelled = (("query_labels", query_labels), ("key_labels", key_labels))
    for (name, labels), count in zip(labelled, weights.shape[-2:], strict=True):
        if labels is None:
            continue
        if isinstance(labels, (str, Tensor)) or not hasattr(labels, "__len__"):
            what = f"the string {labels!r}" if isinstance(labels, str) else type(labels).__name__
            raise TypeError(f"{name} must be a list of strings, got {what}")
        if len(labels) != count:
            raise ValueError(f"{name} must have {count} strings, got {len(labels)}")
