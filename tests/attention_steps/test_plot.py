"""The picture says what the weights are, to every reader."""

import builtins
import inspect
import runpy
from collections.abc import Iterator, Sequence
from typing import Any

import matplotlib
import pytest
import torch
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from torch import Tensor

from attention_steps import plot_attention
from tests.attention_steps.oracles import randn
from tests.wcag import contrast, luminance

matplotlib.use("Agg")

WORDS = ["Your", "journey", "starts", "with", "one", "step"]


def softmax(*shape: int) -> Tensor:
    return torch.softmax(2 * randn(*shape), dim=-1)


@pytest.fixture(autouse=True)
def _figures_are_closed() -> Iterator[None]:
    yield
    pyplot.close("all")


def drawn(ax: Axes) -> Tensor:
    """The numbers behind the picture."""
    (image,) = ax.images
    return torch.as_tensor(image.get_array())


def root_of(ax: Axes) -> Any:
    return ax.get_figure(root=True)


def words(axis: Any) -> list[str]:
    return [text.get_text() for text in axis.get_ticklabels()]


def test_a_row_for_each_query_and_a_column_for_each_key() -> None:
    weights = softmax(6, 3)

    ax = plot_attention(weights, WORDS, ["a", "b", "c"])

    assert torch.equal(drawn(ax), weights)
    assert words(ax.yaxis) == WORDS
    assert words(ax.xaxis) == ["a", "b", "c"]
    # The first query is at the top, the first key at the left.
    assert ax.yaxis_inverted()
    assert not ax.xaxis_inverted()


def test_values_stand_in_their_cells() -> None:
    weights = softmax(3, 4)

    ax = plot_attention(weights)

    cells = {tuple(map(int, text.get_position())): text.get_text() for text in ax.texts}
    assert cells == {(j, i): f"{weights[i, j]:.2f}" for i in range(3) for j in range(4)}


def test_values_and_words_stay_within_their_cells() -> None:
    for shape in ((2, 2), (6, 6), (3, 12)):
        ax = plot_attention(softmax(*shape))
        root_of(ax).canvas.draw()
        cell = ax.get_window_extent().width / shape[1]
        assert ax.texts
        assert all(text.get_window_extent().width < cell for text in ax.texts)
        assert all(text.get_window_extent().height < cell for text in ax.texts)


@pytest.mark.parametrize(
    ("key_len", "size"), [(3, 10.0), (8, 7.5), (9, 180 / 27), (12, 5.0), (13, None)]
)
def test_values_are_as_large_as_their_cells_allow(key_len: int, size: float | None) -> None:
    # 180 points in all directions, and 2 pixels for a point.
    whole = pyplot.figure(figsize=(2.5, 2.5), dpi=144).add_axes((0, 0, 1, 1))

    ax = plot_attention(softmax(2, key_len), ax=whole)

    assert len(ax.texts) == (0 if size is None else 2 * key_len)
    assert all(text.get_fontsize() == pytest.approx(size) for text in ax.texts)
    middles = {(text.get_horizontalalignment(), text.get_verticalalignment()) for text in ax.texts}
    assert middles <= {("center", "center")}


def test_values_are_left_out_where_there_is_no_room() -> None:
    assert list(plot_attention(softmax(6, 100)).texts) == []
    assert list(plot_attention(softmax(100, 6)).texts) == []

    small = pyplot.figure(figsize=(0.5, 0.5)).add_subplot()
    assert list(plot_attention(softmax(4, 4), ax=small).texts) == []


@pytest.mark.parametrize("weight", [0.0, 0.2, 0.4, 0.5, 0.55, 0.6, 0.7, 0.8, 1.0, float("nan")])
def test_values_can_be_read_on_every_colour(weight: float) -> None:
    ax = plot_attention(torch.tensor([[1.0, weight]]))

    (image,) = ax.images
    ground = image.to_rgba(torch.tensor(weight).numpy())
    assert ground[3] == 1.0
    # The best that black and white can do on a middle colour is 4.58.
    assert contrast(to_rgb(ax.texts[1].get_color()), ground[:3]) >= 4.5


def test_a_darker_cell_is_a_greater_weight() -> None:
    ax = plot_attention(torch.linspace(0, 0.5, 20).reshape(4, 5))

    (image,) = ax.images
    steps = [luminance(image.to_rgba(weight)[:3]) for weight in torch.linspace(0, 0.5, 20).numpy()]
    # Lightness alone tells the weights apart, whatever colours a reader sees.
    assert steps == sorted(steps, reverse=True)
    assert len(set(steps)) == 20
    assert steps[0] > 0.9
    assert steps[-1] < 0.05


@pytest.mark.parametrize("style", ["default", "dark_background"])
@pytest.mark.parametrize("own_figure", [True, False], ids=["new figure", "my axes"])
def test_words_can_be_read_on_light_and_dark(style: str, own_figure: bool) -> None:
    with pyplot.style.context(style):
        ax = None if own_figure else pyplot.figure().add_subplot()
        ax = plot_attention(softmax(6, 6), WORDS, WORDS, ax=ax)
        grid = plot_attention(softmax(2, 6, 6), WORDS, WORDS)
        figure = root_of(ax)

        ground = figure.get_facecolor()
        assert to_rgb(ax.get_facecolor()) == (1.0, 1.0, 1.0)
        labels = [*ax.get_xticklabels(), *ax.get_yticklabels()]
        assert len(labels) == 12
        assert all(contrast(to_rgb(text.get_color()), to_rgb(ground)) > 20.9 for text in labels)
        assert to_rgb(root_of(grid).get_facecolor()) == (1.0, 1.0, 1.0)
        assert all(child.title.get_color() == "black" for child in grid.child_axes)
        assert own_figure <= (to_rgb(ground) == (1.0, 1.0, 1.0))


@pytest.mark.parametrize(
    "ground",
    ["red", "lime", "blue", "maroon", "green", "0.04", "0.3", "0.42", "0.5", "0.9"],
)
def test_words_have_the_ink_that_stands_out_more(ground: str) -> None:
    ax = plot_attention(softmax(2, 2), ax=pyplot.figure(facecolor=ground).add_subplot())

    ink = max("black", "white", key=lambda colour: contrast(to_rgb(colour), to_rgb(ground)))
    assert {text.get_color() for text in ax.get_xticklabels()} == {ink}


def test_long_words_stay_within_the_figure() -> None:
    ax = plot_attention(softmax(2, 2), ["incomprehensibilities"] * 2, ["indistinguishable"] * 2)
    figure = root_of(ax)
    figure.canvas.draw()

    for text in (*ax.get_xticklabels(), *ax.get_yticklabels()):
        box = text.get_window_extent()
        assert box.x0 >= figure.bbox.x0
        assert box.y0 >= figure.bbox.y0


def test_titles_fit_whatever_the_size_of_other_words() -> None:
    with pyplot.rc_context({"font.size": 24.0}):
        grid = plot_attention(softmax(2, 3, 3))

    assert [child.title.get_fontsize() for child in grid.child_axes] == [10.0, 10.0]


@pytest.mark.parametrize(("ground", "ink"), [("black", "white"), ("white", "black")])
def test_words_can_be_read_in_a_part_of_a_figure(ground: str, ink: str) -> None:
    parts: Any = pyplot.figure(facecolor=ground).subfigures(1, 2)

    ax = plot_attention(softmax(3, 3), ax=parts[0].add_subplot())
    grid = plot_attention(softmax(2, 3, 3), ax=parts[1].add_subplot())

    assert {text.get_color() for text in ax.get_xticklabels()} == {ink}
    assert {child.title.get_color() for child in grid.child_axes} == {ink}


@pytest.mark.parametrize(("num_heads", "rows", "columns"), [(1, 1, 1), (2, 1, 2), (5, 2, 3)])
def test_heads_form_a_grid(num_heads: int, rows: int, columns: int) -> None:
    weights = softmax(num_heads, 4, 6) / torch.arange(1, num_heads + 1)[:, None, None]

    ax = plot_attention(weights, WORDS[:4], WORDS)
    root_of(ax).canvas.draw()

    assert not ax.axison
    maps: list[Any] = ax.child_axes
    assert [child.get_title() for child in maps] == [f"head {n}" for n in range(num_heads)]
    assert all(torch.equal(drawn(child), weights[n]) for n, child in enumerate(maps))
    # One scale, so that a colour means the same number in every head.
    assert {child.images[0].get_clim() for child in maps} == {(0.0, weights.max().item())}
    boxes = [child.get_window_extent() for child in maps]
    assert len({round(box.y0) for box in boxes}) == rows
    assert len({round(box.x0) for box in boxes}) == columns
    assert boxes[0].y0 >= boxes[-1].y0
    whole = ax.get_window_extent()
    assert all(whole.x0 - 1 <= box.x0 and box.x1 <= whole.x1 + 1 for box in boxes)
    assert all(whole.y0 - 1 <= box.y0 and box.y1 <= whole.y1 + 1 for box in boxes)
    assert not any(
        boxes[a].overlaps(boxes[b]) for a in range(num_heads) for b in range(num_heads) if a < b
    )
    # Words at the left of each row and below each column.
    shown_left = [child.yaxis.get_tick_params()["labelleft"] for child in maps]
    shown_below = [child.xaxis.get_tick_params()["labelbottom"] for child in maps]
    assert words(maps[0].yaxis) == WORDS[:4]
    assert words(maps[-1].xaxis) == WORDS
    assert shown_left == [n % columns == 0 for n in range(num_heads)]
    assert shown_below == [n + columns >= num_heads for n in range(num_heads)]


def test_draws_on_the_axes_that_it_is_given() -> None:
    figure, (left, right) = pyplot.subplots(1, 2)
    before = pyplot.get_fignums()

    assert plot_attention(softmax(3, 3), ax=left) is left
    assert plot_attention(softmax(2, 3, 3), ax=right) is right

    assert pyplot.get_fignums() == before
    assert len(figure.axes) == 2


def test_without_labels_the_positions_are_whole_numbers() -> None:
    for size in (1, 2, 40):
        ax = plot_attention(softmax(size, size))

        for ticks in (ax.get_xticks(), ax.get_yticks()):
            assert all(float(tick).is_integer() for tick in ticks)


def test_only_long_words_are_turned() -> None:
    short = plot_attention(softmax(3, 3), WORDS[:3], ["a", "the", "of"])
    long = plot_attention(softmax(3, 3), WORDS[:3], ["a", "then", "of"])

    assert {text.get_rotation() for text in short.get_xticklabels()} == {0.0}
    assert {text.get_rotation() for text in long.get_xticklabels()} == {90.0}
    assert {text.get_rotation() for text in long.get_yticklabels()} == {0.0}


def test_a_token_is_not_a_formula() -> None:
    tokens: Sequence[str] = ("$x", "_", "\\frac$", "^")

    ax = plot_attention(softmax(4, 4), tokens, tokens)
    root_of(ax).canvas.draw()

    assert words(ax.xaxis) == words(ax.yaxis) == list(tokens)
    assert not any(text.get_parse_math() for text in ax.get_xticklabels())


def test_takes_weights_that_learn_in_any_dtype() -> None:
    weights = softmax(3, 3).requires_grad_()

    assert torch.equal(drawn(plot_attention(weights)), weights.detach())
    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        rounded = weights.detach().to(dtype)
        assert torch.equal(drawn(plot_attention(rounded)), rounded.double())


@pytest.mark.parametrize(
    ("numbers", "greatest"),
    [
        ([[0.0, 0.0]], 1.0),
        ([[float("nan"), float("nan")]], 1.0),
        ([[float("nan"), 0.5]], 0.5),
        ([[float("inf"), 0.25]], 0.25),
        ([[0.001, 0.002]], 0.002),
    ],
)
def test_the_scale_ends_at_the_greatest_weight(numbers: list[list[float]], greatest: float) -> None:
    ax = plot_attention(torch.tensor(numbers))

    lowest, highest = ax.images[0].get_clim()
    assert lowest == 0.0
    assert highest == pytest.approx(greatest)


@pytest.mark.parametrize(
    ("shape", "inches"),
    [
        ((6, 6), (4.0, 4.0)),
        ((1, 1), (3.0, 3.0)),
        ((6, 8), (5.0, 4.0)),
        ((100, 6), (4.0, 14.0)),
        ((6, 100), (14.0, 4.0)),
        ((5, 6, 8), (13.0, 7.0)),
    ],
)
def test_a_new_figure_grows_with_the_weights(
    shape: tuple[int, ...], inches: tuple[float, float]
) -> None:
    assert tuple(root_of(plot_attention(softmax(*shape))).get_size_inches()) == inches


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
    with pytest.raises(ImportError) as refusal:
        plot_attention(softmax(2, 2))

    needed = 'plot_attention needs matplotlib: pip install "attention-steps[plot]"'
    assert str(refusal.value) == needed
