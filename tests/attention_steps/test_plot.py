"""The picture shows what the weights are. How matplotlib draws it is matplotlib's own affair."""

import builtins
import inspect
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


@pytest.mark.parametrize("size", [1, 2, 40])
def test_without_labels_the_positions_are_whole_numbers(size: int) -> None:
    ax = plot_attention(softmax(size, size))
    assert all(float(tick).is_integer() for tick in (*ax.get_xticks(), *ax.get_yticks()))
    assert len(ax.texts) == (size * size if size < 40 else 0)


def test_draws_on_the_axes_that_it_is_given() -> None:
    _, (left, right) = pyplot.subplots(1, 2)
    before = pyplot.get_fignums()
    assert plot_attention(softmax(3, 3), ax=left) is left
    assert plot_attention(softmax(2, 3), ax=right) is right
    assert pyplot.get_fignums() == before


@pytest.mark.parametrize(("numbers", "greatest"), [([[0.0, 0.0]], 1.0), ([[0.001, 0.002]], 0.002)])
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
