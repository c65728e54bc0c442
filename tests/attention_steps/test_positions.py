"""Positions: by their formulas, one number at a time, and by the properties they were made for."""

import cmath
import math
from itertools import product
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from attention_steps import (
    alibi_bias,
    alibi_slopes,
    attention_scores,
    attention_weights,
    causal_mask,
    rotary_embedding,
    rotary_frequencies,
    sinusoidal_positions,
)
from attention_steps.positions import Ramp
from tests.attention_steps.oracles import randn

both_layouts = pytest.mark.parametrize("interleaved", [True, False], ids=["neighbours", "halves"])


# Sines and cosines ----------------------------------------------------------------------------


@pytest.mark.parametrize(("length", "dim"), [(1, 1), (7, 4), (5, 7), (3, 2), (0, 4), (1000, 6)])
def test_sinusoidal_positions_follow_their_formula(length: int, dim: int) -> None:
    positions = sinusoidal_positions(length, dim)
    assert positions.shape == (length, dim)
    assert positions.dtype == torch.float32
    for p, feature in product(range(length), range(dim)):
        angle = p / 10000 ** (2 * (feature // 2) / dim)
        expected = math.cos(angle) if feature % 2 else math.sin(angle)
        assert positions[p, feature].item() == pytest.approx(expected, abs=1e-7)


def test_sinusoidal_positions_have_the_default_dtype() -> None:
    torch.set_default_dtype(torch.float64)
    try:
        positions = sinusoidal_positions(3, 4)
    finally:
        torch.set_default_dtype(torch.float32)
    assert positions.dtype == torch.float64
    assert positions[2, 3].item() == pytest.approx(math.cos(0.02), abs=1e-15)


# Rotations ------------------------------------------------------------------------------------


def rotated_by_hand(
    row: list[float], position: float, base: float, interleaved: bool
) -> list[float]:
    """Each pair as a complex number, turned by its angle."""
    dim = len(row)
    rotated = [0.0] * dim
    for i in range(dim // 2):
        first, second = (2 * i, 2 * i + 1) if interleaved else (i, i + dim // 2)
        turned = complex(row[first], row[second]) * cmath.rect(1, position * base ** (-2 * i / dim))
        rotated[first], rotated[second] = turned.real, turned.imag
    return rotated


@both_layouts
@settings(max_examples=60, deadline=None, derandomize=True, database=None)
@given(st.data())
def test_rotation_follows_its_formula(interleaved: bool, data: st.DataObject) -> None:
    leading = data.draw(st.lists(st.integers(0, 3), max_size=3))
    length, pairs = data.draw(st.integers(0, 4)), data.draw(st.integers(0, 3))
    base = data.draw(st.sampled_from([None, 500000.0, 2, 1]))
    x = randn(*leading, length, 2 * pairs)
    positions = None
    if data.draw(st.booleans()):
        axes = data.draw(st.integers(0, len(leading) + 1))
        shape = [
            data.draw(st.sampled_from([1, wanted]))
            for wanted in [*leading, length][len(leading) + 1 - axes :]
        ]
        positions = (100 * randn(*shape, seed=1)).round()

    based: dict[str, Any] = {} if base is None else {"base": base}
    rotated = rotary_embedding(x, positions, interleaved=interleaved, **based)

    assert rotated.shape == x.shape
    assert rotated.dtype == x.dtype
    places = torch.arange(length) if positions is None else positions
    places = places.expand(*leading, length)
    for where in product(*(range(size) for size in places.shape)):
        expected = rotated_by_hand(
            x[where].tolist(), places[where].item(), base or 10000.0, interleaved
        )
        assert rotated[where].tolist() == pytest.approx(expected, abs=1e-12)


@both_layouts
def test_rotated_scores_depend_on_distance_only(interleaved: bool) -> None:
    query, key = randn(8).expand(6, 8), randn(8, seed=1).expand(6, 8)

    for shift in (0, 1, 100_000):
        positions = torch.arange(6) + shift
        scores = attention_scores(
            rotary_embedding(query, positions, interleaved=interleaved),
            rotary_embedding(key, positions, interleaved=interleaved),
        )

        # The same query and key everywhere: one score for each distance.
        for distance in range(-5, 6):
            along = scores.diagonal(distance)
            torch.testing.assert_close(along, along[:1].expand_as(along), rtol=0, atol=1e-9)
        assert len(set(scores[0].tolist())) == 6
        if shift == 0:
            unshifted = scores
        torch.testing.assert_close(scores, unshifted, rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    "dtype",
    [torch.int64, torch.int32, torch.int16, torch.uint8, torch.float64, torch.float32],
    ids=str,
)
def test_positions_may_have_any_dtype(dtype: torch.dtype) -> None:
    x = randn(3, 8)
    rotated = rotary_embedding(x, torch.tensor([0, 1, 2], dtype=dtype), interleaved=True)
    assert torch.equal(rotated, rotary_embedding(x, interleaved=True))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16], ids=str)
@both_layouts
def test_rotation_is_rounded_once(interleaved: bool, dtype: torch.dtype) -> None:
    x = randn(4, 8, dtype=dtype)
    positions = torch.tensor([0, 1, 4096, 1_000_000])
    rotated = rotary_embedding(x, positions, interleaved=interleaved)
    expected = rotary_embedding(x.double(), positions, interleaved=interleaved)
    assert rotated.dtype == dtype
    tolerance = torch.finfo(dtype).eps
    torch.testing.assert_close(rotated.double(), expected, rtol=tolerance, atol=tolerance)


@both_layouts
def test_a_position_beyond_what_float32_can_count_is_exact(interleaved: bool) -> None:
    x = randn(2, 8)
    places = [2**24, 2**24 + 1]
    rotated = rotary_embedding(x, torch.tensor(places), interleaved=interleaved)
    for row, place in zip(range(2), places, strict=True):
        expected = rotated_by_hand(x[row].tolist(), place, 10000.0, interleaved)
        assert rotated[row].tolist() == pytest.approx(expected, abs=1e-8)


class NoDouble(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """A GPU on which float64 is an error, as on Apple's."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        for tensor in tree_leaves(result):
            if isinstance(tensor, Tensor) and tensor.device.type == "mps":
                assert tensor.dtype != torch.float64, func
        return result


@pytest.mark.skipif(
    torch.__version__ < "2.13", reason="torch 2.6 knows such a device only where there is one"
)
def test_positions_need_no_double_precision_of_the_device() -> None:
    # Fake tensors know their device and their dtype, and need no such GPU.
    with FakeTensorMode(), NoDouble():  # type: ignore[no-untyped-call]
        x, places = torch.empty(2, 5, 8, device="mps"), torch.arange(5, device="mps")
        assert sinusoidal_positions(5, 8, device="mps").device.type == "mps"
        calls: list[dict[str, Any]] = [
            {},
            {"positions": places},
            {"frequencies": rotary_frequencies(8)},
        ]
        for arguments in calls:
            rotated = rotary_embedding(x, interleaved=False, **arguments)
            assert (rotated.device.type, rotated.dtype) == ("mps", torch.float32)


# Frequencies ----------------------------------------------------------------------------------


def slowed_by_parts(
    frequency: float, factor: float, trained_length: int, turns: tuple[float, float]
) -> float:
    """By wavelengths, as the code of Llama 3.1 has it."""
    wavelength = 2 * math.pi / frequency
    longest, shortest = (trained_length / turn if turn else math.inf for turn in turns)
    if wavelength < shortest:
        return frequency
    if wavelength > longest:
        return frequency / factor
    smooth = (trained_length / wavelength - turns[0]) / (turns[1] - turns[0])
    return (1 - smooth) * frequency / factor + smooth * frequency


@pytest.mark.parametrize("dim", [2, 64, 128])
@pytest.mark.parametrize("base", [10000.0, 500000.0])
@pytest.mark.parametrize(
    ("factor", "trained_length", "turns"),
    [
        (1.0, None, None),
        (8.0, None, None),
        (8.0, 8192, None),
        (8.0, 8192, (1.0, 4.0)),
        (16.0, 4096, (1, 32)),
    ],
)
def test_frequencies_follow_their_formulas(
    dim: int,
    base: float,
    factor: float,
    trained_length: int | None,
    turns: tuple[float, float] | None,
) -> None:
    frequencies = rotary_frequencies(
        dim, base=base, factor=factor, trained_length=trained_length, turns=turns
    )

    plain = [base ** (-2 * i / dim) for i in range(dim // 2)]
    expected = [
        frequency / factor
        if trained_length is None
        else slowed_by_parts(frequency, factor, trained_length, turns or (1.0, 4.0))
        for frequency in plain
    ]
    assert frequencies.dtype == torch.float64
    assert frequencies.tolist() == pytest.approx(expected, rel=1e-12)
    if trained_length is not None and dim > 2:
        # The first pair is left alone, the last is slowed, and some are in between.
        ratios = torch.tensor(plain, dtype=torch.float64) / frequencies
        assert ratios[0] == 1
        assert ratios[-1].item() == pytest.approx(factor)
        assert ((ratios > 1.001) & (ratios < factor - 0.001)).any()


# Biases ---------------------------------------------------------------------------------------


def slopes_of_the_papers_code(num_heads: int) -> list[float]:
    """Powers of the first slope; the rest by recursion, as the paper's code has it."""
    if math.log2(num_heads).is_integer():
        start = 2 ** (-(2 ** -(math.log2(num_heads) - 3)))
        return [start * start**i for i in range(num_heads)]
    closest = 2 ** math.floor(math.log2(num_heads))
    rest = slopes_of_the_papers_code(2 * closest)[0::2]
    return slopes_of_the_papers_code(closest) + rest[: num_heads - closest]


@pytest.mark.parametrize("num_heads", [*range(1, 41), 64, 96, 112, 128])
def test_slopes_are_those_of_the_papers_code(num_heads: int) -> None:
    slopes = alibi_slopes(num_heads)
    assert slopes.shape == (num_heads,)
    assert slopes.dtype == torch.float32
    assert slopes.tolist() == pytest.approx(slopes_of_the_papers_code(num_heads), rel=1e-7)


@pytest.mark.parametrize("offset", [0, 3, -2])
@pytest.mark.parametrize(("query_len", "key_len"), [(3, None), (0, 4), (4, 0), (5, 2), (1, 1)])
def test_bias_follows_its_formula(query_len: int, key_len: int | None, offset: int) -> None:
    bias = alibi_bias(3, query_len, key_len, offset=offset)
    slopes = slopes_of_the_papers_code(3)
    width = query_len if key_len is None else key_len
    assert bias.shape == (3, query_len, width)
    assert bias.dtype == torch.float32
    for n, i, j in product(range(3), range(query_len), range(width)):
        assert bias[n, i, j].item() == pytest.approx(-slopes[n] * abs(i + offset - j), rel=1e-6)
    # Minus zero would be printed.
    assert not bias[bias == 0].signbit().any()


def test_causal_weights_are_those_of_the_papers_bias() -> None:
    # The paper's code adds slope * j to the scores: the same for every query, up to a constant.
    scores = randn(4, 5, 5)
    hidden = ~causal_mask(5)
    theirs = alibi_slopes(4).double()[:, None, None] * torch.arange(5.0).double()
    ours = attention_weights(scores, alibi_bias(4, 5).double().masked_fill(hidden, -math.inf))
    expected = attention_weights((scores + theirs).masked_fill(hidden, -math.inf))
    torch.testing.assert_close(ours, expected)


def test_a_bias_is_exact_whatever_the_default_dtype_is() -> None:
    expected = alibi_bias(8, 300)
    torch.set_default_dtype(torch.bfloat16)
    try:
        bias = alibi_bias(8, 300)
    finally:
        torch.set_default_dtype(torch.float32)
    assert bias.dtype == torch.float32
    assert torch.equal(bias, expected)


# The ends of the ramp, in the paper's setting: LLaMA's heads, 4 times its 2048 positions.
# The pair that turns 32 times within them is number 16.1, the one that turns once number 40.2. With
# a small base no pair turns as seldom: the ramp would end behind the last of them.
RAMPS: list[tuple[Ramp, int, float, float, float]] = [
    ("pairs", 128, 10000.0, 64 * math.log(32 / math.pi, 1e4), 64 * math.log(1024 / math.pi, 1e4)),
    ("whole pairs", 128, 10000.0, 16, 41),
    ("whole pairs", 8, 100.0, 2, 6),
]


@pytest.mark.parametrize(("ramp", "dim", "base", "first", "last"), RAMPS)
def test_the_ramp_by_index_is_that_of_the_code_of_yarn(
    ramp: Ramp, dim: int, base: float, first: float, last: float
) -> None:
    frequencies = rotary_frequencies(
        dim, base=base, factor=4.0, trained_length=2048, turns=(1.0, 32.0), ramp=ramp
    )
    ratio = frequencies / rotary_frequencies(dim, base=base)
    left_alone = [(share.item() - 0.25) / 0.75 for share in ratio]
    pairs = range(dim // 2)
    expected = [1 - min(max((pair - first) / (last - first), 0.0), 1.0) for pair in pairs]
    assert left_alone == pytest.approx(expected, abs=1e-12)
