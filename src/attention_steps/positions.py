"""Attention sees a set of tokens; positions tell it their order."""

import math
from typing import Literal, get_args

import torch
from torch import Tensor

from attention_steps._checks import (
    broadcasts_to,
    check_axes,
    check_flag,
    check_float,
    check_integer,
    check_positive,
    check_same_device,
    check_size,
    check_tensor,
    shape_of,
)

Ramp = Literal["turns", "pairs", "whole pairs"]


def sinusoidal_positions(
    length: int, dim: int, *, device: torch.device | str | None = None
) -> Tensor:
    r"""Give each position a vector of sines and cosines, to be added to its token.

    $$\mathrm{positions}_{p, 2i} = \sin\left(\frac{p}{10000^{2i/\mathrm{dim}}}\right) \qquad
    \mathrm{positions}_{p, 2i+1} = \cos\left(\frac{p}{10000^{2i/\mathrm{dim}}}\right)$$

    Source: section 3.5 of
    [Vaswani et al. 2017, "Attention Is All You Need"](https://arxiv.org/abs/1706.03762).

    Names: $p$ is $pos$ in the paper, `dim` is $d_{\mathrm{model}}$.

    Args:
        length: Number of positions, counted from 0.
        dim: Number of features of a token. If it is odd, the last cosine is left out.
        device: Where the encodings are made. Defaults to torch's default device.

    Returns:
        Encodings, shape `(length, dim)`, in torch's default dtype, rounded once.

    Raises:
        TypeError: If an argument is a float.
        ValueError: If `length` is negative, or `dim` is less than 1.

    Examples:
        >>> from attention_steps import sinusoidal_positions
        >>> dim = 4
        >>> positions = sinusoidal_positions(length=3, dim=dim)
        >>> positions
        tensor([[ 0.0000,  1.0000,  0.0000,  1.0000],
                [ 0.8415,  0.5403,  0.0100,  0.9999],
                [ 0.9093, -0.4161,  0.0200,  0.9998]])
    """
    check_size("length", length)
    check_size("dim", dim, minimum=1)
    place = torch.arange(length, device=device)
    angle = _angles(place, dim, base=10000.0)
    positions = torch.stack((angle.sin(), angle.cos()), dim=-1).flatten(-2)
    return positions[:, :dim].to(torch.get_default_dtype()).to(place.device)


def rotary_frequencies(
    dim: int,
    *,
    base: float = 10000.0,
    factor: float = 1.0,
    trained_length: int | None = None,
    turns: tuple[float, float] | None = None,
    ramp: Ramp = "turns",
) -> Tensor:
    r"""Say how far each pair of features turns from one position to the next.

    $$\mathrm{frequencies}_i = \mathrm{base}^{-2i/\mathrm{dim}}$$

    Source: section 3.2.2, equation (15) of
    [Su et al. 2021, "RoFormer"](https://arxiv.org/abs/2104.09864). A model that goes on beyond the
    length that it was trained with turns more slowly. There are three ways:

    - By base: a greater `base` slows the later pairs more than the first, as in
      [Roziere et al. 2023, "Code Llama"](https://arxiv.org/abs/2308.12950).
    - Linear: all pairs are slowed by `factor`, as in
      [Chen et al. 2023, "Position Interpolation"](https://arxiv.org/abs/2306.15595).
    - By parts: with a `trained_length`, pairs that turn round fewer than `turns[0]` times within it
      are slowed by `factor`, those that turn more than `turns[1]` times are left alone, and in
      between the two frequencies are mixed in proportion. It is the "NTK-by-parts" of
      [Peng et al. 2023, "YaRN"](https://arxiv.org/abs/2309.00071), and the scaling of Llama 3.1.

    Names: $\theta_{i+1}$ in Su et al.; `inv_freq` in much code. `factor` is $s$ in YaRN, `turns`
    are $\alpha$ and $\beta$, 1 and 32 there; `low_freq_factor` and `high_freq_factor`, 1 and 4, of
    Llama 3.1; `beta_slow` and `beta_fast` in transformers, where `base` is `rope_theta` and
    `trained_length` is `original_max_position_embeddings`.

    Args:
        dim: Number of features of a query or a key, even.
        base: The greater it is, the slower the later pairs turn.
        factor: How much slower the slowed pairs turn.
        trained_length: Number of positions that the model was trained with. By default
            all pairs are slowed.
        turns: Fewer turns than the first: slowed. More than the second: left alone. Defaults
            to 1 and 4 with a `trained_length`.
        ramp: In between, mix in proportion to the "turns" of a pair; or to its index among the
            "pairs", as gpt-oss with `truncate=False`; or among the "whole pairs" around, as the
            code of YaRN. Defaults to "turns".

    Returns:
        Frequencies, shape `(dim / 2,)`, radians a position, in float64, on the CPU.

    Raises:
        TypeError: If `dim` or `trained_length` is a float.
        ValueError: If `dim` is odd, a number is out of its range, `turns` are not two in ascending
            order, or they or `ramp` come without a `trained_length`.

    Examples:
        >>> from attention_steps import rotary_frequencies
        >>> dim, base = 4, 10000
        >>> frequencies = rotary_frequencies(dim, base=base)
        >>> rotary_frequencies(4, factor=4.0)
        tensor([0.2500, 0.0025], dtype=torch.float64)
        >>> rotary_frequencies(4, factor=4.0, trained_length=1500)
        tensor([1.0000, 0.0060], dtype=torch.float64)
    """
    _check_rotary_scaling(dim, base, factor, trained_length, turns, ramp)
    frequencies = _frequencies(dim, base, device="cpu")
    slowed = frequencies / factor
    if trained_length is None:
        return slowed
    fewest, most = (1.0, 4.0) if turns is None else turns
    if ramp == "turns":
        turned = frequencies * trained_length / (2.0 * math.pi)
        left_alone = (turned - fewest) / (most - fewest)
    else:
        # The index, with a fraction, of the pair that turns so often within the trained length.
        first, last = (
            dim * math.log(trained_length / (often * 2.0 * math.pi)) / (2.0 * math.log(base))
            for often in (most, fewest)
        )
        if ramp == "whole pairs":
            first, last = math.floor(first), math.ceil(last)
        first, last = max(first, 0), min(last, dim - 1)
        pair = torch.arange(dim // 2, dtype=torch.float64, device="cpu")
        left_alone = 1.0 - (pair - first) / max(last - first, 0.001)
    return slowed.lerp(frequencies, left_alone.clamp(0.0, 1.0))


def rotary_embedding(
    x: Tensor,
    positions: Tensor | None = None,
    *,
    interleaved: bool,
    base: float = 10000.0,
    frequencies: Tensor | None = None,
) -> Tensor:
    r"""Rotate each pair of features by an angle that grows with the position.

    $$\begin{aligned} \mathrm{rotated}_{p, 2i} &= x_{p, 2i} \cos(p \, \mathrm{frequencies}_i) \\
    &- x_{p, 2i+1} \sin(p \, \mathrm{frequencies}_i) \\
    \mathrm{rotated}_{p, 2i+1} &= x_{p, 2i} \sin(p \, \mathrm{frequencies}_i) \\
    &+ x_{p, 2i+1} \cos(p \, \mathrm{frequencies}_i) \end{aligned}$$

    Source: sections 3.2.2 and 3.4.2 of
    [Su et al. 2021, "RoFormer"](https://arxiv.org/abs/2104.09864).

    Rotate queries and keys, not values. The dot product of a rotated query and a rotated key
    depends on the distance between them, and not on where they stand.

    Names: $p$ is $m$ in the paper, $\mathrm{dim}$ is $d$, $\theta_{pi}$ is $m \theta_{i+1}$.
    Code that speaks of "rotate half" pairs feature $i$ with feature $i + \mathrm{dim}/2$: that is
    `interleaved=False`.

    **Which layout?** Weights that were trained with one give wrong results with the other, and
    nothing raises. Nearly all checkpoints of Hugging Face's library are `interleaved=False`. GPT-J,
    and LLaMA's weights as Meta gives them, are `interleaved=True`, as the formula above.

    Args:
        x: Queries or keys, shape `(..., L, dim)`, with an even `dim`.
        positions: Where the tokens stand, integers or floats that broadcast to `(..., L)`. For `x`
            of shape `(batch, num_heads, L, dim)`, pass `position_ids[:, None]` for the `(batch, L)`
            of other libraries. Defaults to 0 to L - 1.
        interleaved: Pair neighbours, (0, 1), (2, 3) and so on. If False, pair the first half
            with the second.
        base: The greater it is, the slower the later pairs turn.
        frequencies: Those of `rotary_frequencies`, or of a checkpoint, in place of `base`.

    Returns:
        The rotated tensor, in the shape and dtype of `x`. Angles are computed in float64.

    Raises:
        TypeError: If `x` is not a floating-point tensor, `interleaved` is not a bool, or
            `positions` are boolean, complex, or of half precision, which cannot count far.
        ValueError: If `dim` is odd, the shapes do not go together, `base` is not positive, or comes
            with `frequencies`.

    Examples:
        >>> import torch
        >>> from attention_steps import rotary_embedding
        >>> x = torch.tensor([[1.0, 0.0], [1.0, 0.0], [1.0, 0.0]])
        >>> frequencies = torch.tensor([1.0])  # rotary_frequencies(2)
        >>> rotated = rotary_embedding(x, interleaved=True)
        >>> rotated
        tensor([[ 1.0000,  0.0000],
                [ 0.5403,  0.8415],
                [-0.4161,  0.9093]])
    """
    _check_rotary_arguments(x, positions, interleaved, base, frequencies)
    if positions is None:
        positions = torch.arange(x.shape[-2], device=x.device)
    angle = _angles(positions, x.shape[-1], base, frequencies)
    dtype = torch.promote_types(x.dtype, torch.float32)
    cos, sin = (part.to(dtype).to(positions.device) for part in (angle.cos(), angle.sin()))
    pairs = x.shape[-1] // 2
    # The two of a pair are neighbours in the last axis, or half of it apart.
    pair_axis = -1 if interleaved else -2
    paired_shape = (pairs, 2) if interleaved else (2, pairs)
    first, second = x.reshape(*x.shape[:-1], *paired_shape).unbind(pair_axis)
    rotated = (first * cos - second * sin, first * sin + second * cos)
    return torch.stack(rotated, dim=pair_axis).flatten(-2).to(x.dtype)


def alibi_slopes(num_heads: int, *, device: torch.device | str | None = None) -> Tensor:
    r"""Give each head the slope by which it weakens scores with distance.

    $$\mathrm{slopes}_n = 2^{-8 (n + 1) / \mathrm{num\_heads}}$$

    Source: section 3 of
    [Press et al. 2022, "Train Short, Test Long"](https://arxiv.org/abs/2108.12409), for a number of
    heads that is a power of two. For another number the paper's code takes the slopes for the next
    lower power of two, and then every other slope for the next higher, and so does this function.

    Names: `slopes` are $m$ in the paper, `num_heads` is its $n$.

    Args:
        num_heads: Number of heads.
        device: Where the slopes are made. Defaults to torch's default device.

    Returns:
        Slopes, shape `(num_heads,)`, in torch's default dtype, float32 at least.

    Raises:
        TypeError: If `num_heads` is a float.
        ValueError: If `num_heads` is less than 1, or more than any model has, 65,536.

    Examples:
        >>> from attention_steps import alibi_slopes
        >>> num_heads = 4
        >>> slopes = alibi_slopes(num_heads)
        >>> slopes
        tensor([0.2500, 0.0625, 0.0156, 0.0039])
        >>> alibi_slopes(6)
        tensor([0.2500, 0.0625, 0.0156, 0.0039, 0.5000, 0.1250])
    """
    check_size("num_heads", num_heads, minimum=1, most=2**16)
    num_heads = int(num_heads)
    lower = 2 ** (num_heads.bit_length() - 1)
    slopes = _geometric_slopes(lower) + _geometric_slopes(2 * lower)[0::2]
    # In bfloat16 as a default dtype they would be rounded before they meet a distance.
    dtype = torch.promote_types(torch.get_default_dtype(), torch.float32)
    return torch.tensor(slopes[:num_heads], dtype=dtype, device=device)


def alibi_bias(
    num_heads: int,
    query_len: int,
    key_len: int | None = None,
    *,
    offset: int = 0,
    device: torch.device | str | None = None,
) -> Tensor:
    r"""Make the float mask that weakens scores with distance, for each head at its own slope.

    $$\mathrm{bias}_{nij} = -|i + \mathrm{offset} - j| \, \mathrm{slopes}_n$$

    Source: section 3 of
    [Press et al. 2022, "Train Short, Test Long"](https://arxiv.org/abs/2108.12409). The paper's
    attention is causal: its mask is
    `alibi_bias(num_heads, n).masked_fill(~causal_mask(n), -math.inf)`. Leave it in float32.

    Names: `slopes` are $m$ in the paper.

    Args:
        num_heads: Number of heads.
        query_len: Number of queries, L.
        key_len: Number of keys, S. Defaults to `query_len`.
        offset: How many positions after key 0 query 0 stands, as in `causal_mask`.
        device: Where the bias is made. Defaults to torch's default device.

    Returns:
        Float mask, shape `(num_heads, L, S)`, float32 at least, to be added to the scaled scores.

    Raises:
        TypeError: If an argument is a float.
        ValueError: If `num_heads` is less than 1, a length is negative, or `offset` is as large as
            `2 ** 62`, where a sum of integers would overflow.

    Examples:
        >>> from attention_steps import alibi_slopes, alibi_bias
        >>> slopes, offset = alibi_slopes(2), 0
        >>> bias = alibi_bias(num_heads=2, query_len=3, offset=offset)
        >>> bias[0]
        tensor([[ 0.0000, -0.0625, -0.1250],
                [-0.0625,  0.0000, -0.0625],
                [-0.1250, -0.0625,  0.0000]])
    """
    key_len = query_len if key_len is None else key_len
    check_size("query_len", query_len)
    check_size("key_len", key_len)
    check_integer("offset", offset)
    if isinstance(offset, int) and abs(offset) >= 2**62:
        raise ValueError(f"offset must be below 2 ** 62, got {offset}")
    slopes = alibi_slopes(num_heads, device=device)
    query_position = torch.arange(query_len, device=device).unsqueeze(-1) + offset
    distance = (query_position - torch.arange(key_len, device=device)).abs()
    return slopes[:, None, None] * -distance


def _frequencies(dim: int, base: float, device: torch.device | str | None) -> Tensor:
    """One for each pair of features, in float64."""
    return base ** (torch.arange(0, dim, 2, dtype=torch.float64, device=device) / -dim)


def _angles(place: Tensor, dim: int, base: float, frequencies: Tensor | None = None) -> Tensor:
    """Angle of each position and pair of features: (..., L) -> (..., L, pairs), in float64."""
    # Apple's GPUs have no float64, nor have some of Intel's. In float32 an angle would be off by
    # 0.02 at position 1,000,000 with 64 features, and by 0.05 with 128.
    device = "cpu" if place.device.type in ("mps", "xpu") else place.device
    if frequencies is None:
        frequencies = _frequencies(dim, base, device)
    return place.to(device).unsqueeze(-1) * frequencies.to(device, torch.float64)


def _geometric_slopes(num_heads: int) -> list[float]:
    return [2.0 ** (-8.0 * n / num_heads) for n in range(1, num_heads + 1)]


def _check_rotary_scaling(
    dim: int,
    base: float,
    factor: float,
    trained_length: int | None,
    turns: tuple[float, float] | None,
    ramp: str,
) -> None:
    """Check the arguments of `rotary_frequencies`."""
    check_size("dim", dim, minimum=2)
    if dim % 2 != 0:
        raise ValueError(f"dim must be even, got {dim}")
    check_positive("base", base)
    check_positive("factor", factor)
    if trained_length is not None:
        check_size("trained_length", trained_length, minimum=1)
    elif turns is not None or ramp != "turns":
        raise ValueError(
            f"turns and ramp need trained_length, got turns={turns} and ramp={ramp!r} without it"
        )
    if ramp not in get_args(Ramp):
        raise ValueError(f"ramp must be one of {get_args(Ramp)}, got {ramp!r}")
    if turns is not None and not (
        isinstance(turns, (tuple, list))
        and len(turns) == 2
        and all(type(number) in (int, float) for number in turns)
        and 0.0 <= turns[0] < turns[1] < math.inf
    ):
        raise ValueError(f"turns must be two numbers in ascending order, got {turns}")
    if ramp != "turns" and (base <= 1.0 or (turns is not None and turns[0] == 0.0)):
        raise ValueError(
            f"with ramp={ramp!r}, base must be greater than 1 and turns than 0, "
            f"got base={base} and turns={turns}"
        )


def _check_rotary_arguments(
    x: Tensor,
    positions: Tensor | None,
    interleaved: bool,
    base: float,
    frequencies: Tensor | None,
) -> None:
    """Check the arguments of `rotary_embedding`."""
    # "half" would be taken for True, which means the opposite.
    check_flag("interleaved", interleaved)
    check_positive("base", base)
    # The result has the dtype of x: integers would be rounded.
    check_float("x", x)
    check_axes("x", x)
    if x.shape[-1] % 2 != 0:
        raise ValueError(
            f"x must have an even number of features, got {x.shape[-1]}: x {shape_of(x)}"
        )
    if frequencies is not None:
        check_float("frequencies", frequencies)
        if frequencies.is_meta and not x.is_meta:
            check_same_device("frequencies", frequencies, "x", x)
        if base != 10000.0:
            raise ValueError(f"frequencies come in place of base, got both, base={base}")
        if frequencies.shape != (x.shape[-1] // 2,):
            raise ValueError(
                f"frequencies must have one number for each pair of features, "
                f"({x.shape[-1] // 2},), got {shape_of(frequencies)}"
            )
    if positions is None:
        return
    check_tensor("positions", positions)
    check_same_device("positions", positions, "x", x)
    # Half precision cannot count far, and a mask would be taken as positions 0 and 1.
    if positions.dtype not in (torch.float32, torch.float64) and (
        positions.is_floating_point() or positions.is_complex() or positions.dtype == torch.bool
    ):
        raise TypeError(f"positions must be integers, or float32 or float64, got {positions.dtype}")
    if not broadcasts_to(positions.shape, x.shape[:-1]):
        raise ValueError(
            f"positions must broadcast to the axes of x before the last, {tuple(x.shape[:-1])}, "
            f"got {shape_of(positions)}"
        )
