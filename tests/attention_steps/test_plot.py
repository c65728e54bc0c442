"""The picture shows what the weights are. How matplotlib draws it is matplotlib's own affair."""

import builtins
import inspect
import math
import runpy
from collections.abc import Iterator
from typing import Any

import matplotlib
import pytest
import torch
from matplotlib import pyplot
from torch import Tensor

from attention_steps.plot import plot_attention
from tests.attention_steps.oracles import randn

matplotlib.use("Agg")

WORDS = ["Your", "journey", "starts", "with", "one", "step"]


def softmax(*shape: int) -> Tensor:
    return torch.softmax(2 * randn(*shape), dim=-1)


@pytest.fixture(autouse=True)
def _figures_are_closed() -> Iterator[None]:
    yield
    pyplot.close("all")


def words(axis: Any) -> list[str]:
    return [text.get_text() for text in axis.get_ticklabels()]


@pytest.mark.parametrize("dtype", [torch.float64, torch.float16, torch.bfloat16], ids=str)
def test_a_row_for_each_query_a_column_for_each_key_and_a_number_in_each(
    dtype: torch.dtype,
) -> None:
    weights = softmax(6, 3).to(dtype).requires_grad_()

    ax = plot_attention(weights, WORDS, ["$x", "_", "\\frac$"])

    (image,) = ax.images
    assert torch.equal(torch.as_tensor(image.get_array()), weights.detach().double())
    # The first query is at the top, the first key at the left.
    assert ax.yaxis_inverted()
    assert not ax.xaxis_inverted()
    assert words(ax.yaxis) == WORDS
    # A token is not a formula.
    assert words(ax.xaxis) == ["$x", "_", "\\frac$"]
    assert not any(text.get_parse_math() for text in ax.get_xticklabels())
    assert {text.get_rotation() for text in ax.get_xticklabels()} == {90.0}
    assert {text.get_rotation() for text in ax.get_yticklabels()} == {0.0}
    numbers = {tuple(map(int, text.get_position())): text.get_text() for text in ax.texts}
    assert numbers == {(j, i): f"{weights[i, j]:.2f}" for i in range(6) for j in range(3)}
    middles = {(text.get_horizontalalignment(), text.get_verticalalignment()) for text in ax.texts}
    assert middles == {("center", "center")}


@pytest.mark.slow
@pytest.mark.parametrize("size", [1, 2, 40])
def test_without_labels_the_positions_are_whole_numbers(size: int) -> None:
    ax = plot_attention(softmax(size, size))
    assert all(float(tick).is_integer() for tick in (*ax.get_xticks(), *ax.get_yticks()))
    for longest, turned in (("the", 0.0), ("then", 90.0)):
        labelled = plot_attention(softmax(2, 3), None, ["a", longest, "of"])
        assert {text.get_rotation() for text in labelled.get_xticklabels()} == {turned}


@pytest.mark.slow
@pytest.mark.parametrize(("num_heads", "rows", "columns"), [(1, 1, 1), (2, 1, 2), (5, 2, 3)])
def test_heads_form_a_grid(num_heads: int, rows: int, columns: int) -> None:
    weights = softmax(num_heads, 4, 6) / torch.arange(1, num_heads + 1)[:, None, None]

    with pyplot.rc_context({"font.size": 24.0}):
        ax = plot_attention(weights, WORDS[:4], WORDS)
    figure: Any = ax.get_figure(root=True)
    figure.canvas.draw()

    assert not ax.axison
    maps: list[Any] = ax.child_axes
    assert [child.get_title() for child in maps] == [f"head {n}" for n in range(num_heads)]
    assert {child.title.get_fontsize() for child in maps} == {10.0}
    for child, head in zip(maps, weights, strict=True):
        assert torch.equal(torch.as_tensor(child.images[0].get_array()), head)
    # One scale, so that a colour means the same number in every head.
    assert {child.images[0].get_clim() for child in maps} == {(0.0, weights.max().item())}
    boxes, whole = [child.get_window_extent() for child in maps], ax.get_window_extent()
    assert len({round(box.y0) for box in boxes}) == rows
    assert len({round(box.x0) for box in boxes}) == columns
    assert boxes[0].y0 >= boxes[-1].y0
    assert all(whole.x0 - 1 <= box.x0 and box.x1 <= whole.x1 + 1 for box in boxes)
    assert all(whole.y0 - 1 <= box.y0 and box.y1 <= whole.y1 + 1 for box in boxes)
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])
    # Words at the left of each row and below each column.
    shown_left = [child.yaxis.get_tick_params()["labelleft"] for child in maps]
    shown_below = [child.xaxis.get_tick_params()["labelbottom"] for child in maps]
    assert shown_left == [n % columns == 0 for n in range(num_heads)]
    assert shown_below == [n + columns >= num_heads for n in range(num_heads)]
    assert words(maps[0].yaxis) == WORDS[:4]
    assert words(maps[-1].xaxis) == WORDS


def test_draws_on_the_axes_that_it_is_given() -> None:
    _, (left, right) = pyplot.subplots(1, 2)
    before = pyplot.get_fignums()
    assert plot_attention(softmax(3, 3), ax=left) is left
    assert plot_attention(softmax(2, 3, 3), ax=right) is right
    assert pyplot.get_fignums() == before


@pytest.mark.parametrize(
    ("numbers", "greatest"),
    [
        ([[0.0, 0.0]], 1.0),
        ([[math.nan, math.nan]], 1.0),
        ([[math.nan, 0.5]], 0.5),
        ([[math.inf, 0.25]], 0.25),
        ([[0.001, 0.002]], 0.002),
    ],
)
def test_the_scale_ends_at_the_greatest_weight(numbers: list[list[float]], greatest: float) -> None:
    ax = plot_attention(torch.tensor(numbers))
    assert ax.images[0].get_clim() == pytest.approx((0.0, greatest))


def test_matplotlib_is_asked_for_to_draw_and_not_to_import(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    find = builtins.__import__

    def without_matplotlib(name: str, *rest: Any, **keywords: Any) -> Any:
        if name.split(".")[0] == "matplotlib":
            raise ImportError(name)
        return find(name, *rest, **keywords)

    monkeypatch.setattr(builtins, "__import__", without_matplotlib)

    runpy.run_path(inspect.getfile(plot_attention))
    with pytest.raises(
        ImportError, match=r'needs matplotlib: pip install "attention-steps\[plot\]"'
    ):
        plot_attention(softmax(2, 2))
