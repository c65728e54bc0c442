"""A picture of attention weights: which word attends to which, and how much."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING

from torch import Tensor

from attention_steps._checks import check_tensor, shape_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_NUMBERS = 15  # rows or columns: in smaller cells no one can read a number


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

    Names: queries are the paper's target words, keys its source words, and `weights` its
    $\alpha_{ij}$.

    Args:
        weights: Weights of one head, shape `(L, S)`.
        query_labels: A word for each query. Defaults to its position.
        key_labels: A word for each key. Defaults to its position.
        ax: Where to draw. Defaults to a new figure.

    Returns:
        The axes that were drawn on.

    Raises:
        TypeError: If `weights` is not a tensor, or labels are one string.
        ImportError: If matplotlib is missing: it comes with `pip install "attention-steps[plot]"`.
        ValueError: If `weights` has another number of axes, is empty or has a negative or no finite
            number, or there is not one label for each query or key.

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
        from matplotlib.ticker import MaxNLocator
    except ImportError as error:
        raise ImportError(
            'plot_attention needs matplotlib: pip install "attention-steps[plot]"'
        ) from error
    if ax is None:
        ax = pyplot.figure(layout="constrained").add_subplot()
    values = weights.detach().double().cpu().numpy()
    largest = float(values.max()) or 1.0
    ax.imshow(values, "Blues", vmin=0.0, vmax=largest)
    for axis, labels in ((ax.xaxis, key_labels), (ax.yaxis, query_labels)):
        if labels is None:
            axis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
        else:
            # A token such as "$" is itself, and not the start of a formula.
            rotation = 90.0 if axis is ax.xaxis else 0.0
            axis.set_ticks(range(len(labels)), labels, rotation=rotation, parse_math=False)
    if max(values.shape) <= MOST_NUMBERS:
        for i, j in itertools.product(*map(range, values.shape)):
            colour = "white" if values[i, j] > 0.6 * largest else "black"
            ax.text(j, i, f"{values[i, j]:.2f}", ha="center", va="center", color=colour)
    return ax


def _check_plot_arguments(
    weights: Tensor, query_labels: Sequence[str] | None, key_labels: Sequence[str] | None
) -> None:
    """Check the arguments of `plot_attention`."""
    check_tensor("weights", weights)
    if weights.is_complex() or weights.is_meta:
        kind = weights.dtype if weights.is_complex() else "numbers that were never written"
        raise TypeError(f"weights must be real, got {kind}")
    if weights.dim() != 2 or weights.numel() == 0:
        raise ValueError(
            f"weights must have shape (L, S), with no axis of size 0, got {shape_of(weights)}"
        )
    strange = weights[~(weights >= 0) | weights.isinf()]
    if strange.numel():
        raise ValueError(f"weights must be finite and not negative, got {strange[0].item()}")
    labelled = (("query_labels", query_labels), ("key_labels", key_labels))
    for (name, labels), count in zip(labelled, weights.shape, strict=True):
        if labels is None:
            continue
        if isinstance(labels, (str, Tensor)) or not hasattr(labels, "__len__"):
            what = f"the string {labels!r}" if isinstance(labels, str) else type(labels).__name__
            raise TypeError(f"{name} must be a list of strings, got {what}")
        if len(labels) != count:
            raise ValueError(f"{name} must have {count} strings, got {len(labels)}")
