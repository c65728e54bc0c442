"""Attention sees a set of tokens; positions tell it their order.

Taught in docs/steps: 12-where-is-position, position-by-rotation.
Tested in tests/attention_steps/test_positions.py.
"""

import torch
from torch import Tensor

from attention_steps._checks import check_rotary_arguments, check_size


def sinusoidal_positions(length: int, dim: int) -> Tensor:
    r"""Give each position a vector of sines and cosines, to be added to its token.

    $$\mathrm{positions}_{p, 2i} = \sin\left(\frac{p}{10000^{2i/\mathrm{dim}}}\right), \quad
    \mathrm{positions}_{p, 2i+1} = \cos\left(\frac{p}{10000^{2i/\mathrm{dim}}}\right)$$

    Source: section 3.5 of
    [Vaswani et al. 2017, "Attention Is All You Need"](https://arxiv.org/abs/1706.03762).

    Names: $p$ is $pos$ in the paper, `dim` is $d_{\mathrm{model}}$. torch has no such function.
    Other code may put all the sines before all the cosines: the same columns in another order.

    Args:
        length: Number of positions, counted from 0.
        dim: Number of features of a token. If it is odd, the last cosine is left out.

    Returns:
        Encodings, shape `(length, dim)`, in torch's default dtype. They are computed in float64 and
        rounded once.

    Raises:
        TypeError: If an argument is a float.
        ValueError: If `length` is negative, or `dim` is less than 1.

    Examples:
        >>> from attention_steps import sinusoidal_positions
        >>> sinusoidal_positions(length=3, dim=4)
        tensor([[ 0.0000,  1.0000,  0.0000,  1.0000],
                [ 0.8415,  0.5403,  0.0100,  0.9999],
                [ 0.9093, -0.4161,  0.0200,  0.9998]])
    """
    check_size("length", length)
    check_size("dim", dim, minimum=1)
    angle = _angles(torch.arange(length), dim, base=10000.0)
    positions = torch.stack((angle.sin(), angle.cos()), dim=-1).flatten(-2)
    return positions[:, :dim].to(torch.get_default_dtype())


def rotary_embedding(
    x: Tensor,
    positions: Tensor | None = None,
    *,
    base: float = 10000.0,
    interleaved: bool = True,
) -> Tensor:
    r"""Rotate each pair of features by an angle that grows with the position.

    $$\begin{pmatrix} \mathrm{rotated}_{p, 2i} \\ \mathrm{rotated}_{p, 2i+1} \end{pmatrix} =
    \begin{pmatrix} \cos \theta_{pi} & -\sin \theta_{pi} \\
    \sin \theta_{pi} & \cos \theta_{pi} \end{pmatrix}
    \begin{pmatrix} x_{p, 2i} \\ x_{p, 2i+1} \end{pmatrix}, \quad
    \theta_{pi} = p \, \mathrm{base}^{-2i/\mathrm{dim}}$$

    Source: section 3.4.2 of
    [Su et al. 2021, "RoFormer"](https://arxiv.org/abs/2104.09864).

    Rotate queries and keys, not values. The dot product of a rotated query and a rotated key
    depends on the distance between them, and not on where they stand.

    Names: $p$ is $m$ in the paper, $\mathrm{dim}$ is $d$, $\theta_{pi}$ is $m \theta_{i+1}$. torch
    has no such function. Code that speaks of "rotate half" pairs feature $i$ with feature
    $i + \mathrm{dim}/2$: that is `interleaved=False`. The two differ in the order of the features,
    so weights that were trained with one give wrong results with the other.

    Args:
        x: Queries or keys, shape `(..., L, dim)`, with an even `dim`.
        positions: Where the tokens stand, shape `(L,)` or any shape that broadcasts to `(..., L)`.
            For `x` of shape `(batch, num_heads, L, dim)`, positions for each sequence have shape
            `(batch, 1, L)`. Left out, they are 0 to L - 1.
        base: The greater it is, the slower the later pairs turn.
        interleaved: Pair neighbours, (0, 1), (2, 3) and so on. If False, pair the first half
            with the second.

    Returns:
        The rotated tensor, in the shape and dtype of `x`. Angles are computed in float64.

    Raises:
        TypeError: If `x` is not a floating-point tensor.
        ValueError: If `dim` is odd, `x` has fewer than two axes, `positions` does not broadcast,
            or `base` is not a positive number.

    Examples:
        >>> import torch
        >>> from attention_steps import rotary_embedding
        >>> x = torch.tensor([[1.0, 0.0], [1.0, 0.0], [1.0, 0.0]])
        >>> rotary_embedding(x)
        tensor([[ 1.0000,  0.0000],
                [ 0.5403,  0.8415],
                [-0.4161,  0.9093]])
        >>> rotary_embedding(x, positions=torch.tensor([2, 1, 0]))
        tensor([[-0.4161,  0.9093],
                [ 0.5403,  0.8415],
                [ 1.0000,  0.0000]])
    """
    check_rotary_arguments(x, positions, base)
    if positions is None:
        positions = torch.arange(x.shape[-2], device=x.device)
    angle = _angles(positions, x.shape[-1], base)
    dtype = torch.promote_types(x.dtype, torch.float32)
    cos, sin = angle.cos().to(dtype), angle.sin().to(dtype)
    pairs = x.shape[-1] // 2
    # The two of a pair are neighbours in the last axis, or half of it apart.
    pair_axis = -1 if interleaved else -2
    paired_shape = (pairs, 2) if interleaved else (2, pairs)
    first, second = x.reshape(*x.shape[:-1], *paired_shape).unbind(pair_axis)
    rotated = (first * cos - second * sin, first * sin + second * cos)
    return torch.stack(rotated, dim=pair_axis).flatten(-2).to(x.dtype)


def alibi_slopes(num_heads: int) -> Tensor:
    r"""Give each head the slope by which it weakens scores with distance.

    $$\mathrm{slopes}_n = 2^{-8n / \mathrm{num\_heads}}, \quad n = 1, \dots, \mathrm{num\_heads}$$

    Source: section 3 of
    [Press et al. 2022, "Train Short, Test Long"](https://arxiv.org/abs/2108.12409), for a number of
    heads that is a power of two. For another number the paper's code takes the slopes for the next
    lower power of two, and then every other slope for the next higher, and so does this function.

    Names: `slopes` are $m$ in the paper, `num_heads` is its $n$. torch has no such function.

    Args:
        num_heads: Number of heads.

    Returns:
        Slopes, shape `(num_heads,)`, in torch's default dtype.

    Raises:
        TypeError: If `num_heads` is a float.
        ValueError: If `num_heads` is less than 1.

    Examples:
        >>> from attention_steps import alibi_slopes
        >>> alibi_slopes(4)
        tensor([0.2500, 0.0625, 0.0156, 0.0039])
        >>> alibi_slopes(6)
        tensor([0.2500, 0.0625, 0.0156, 0.0039, 0.5000, 0.1250])
    """
    check_size("num_heads", num_heads, minimum=1)
    num_heads = int(num_heads)
    lower = 2 ** (num_heads.bit_length() - 1)
    slopes = _geometric_slopes(lower) + _geometric_slopes(2 * lower)[0::2]
    return torch.tensor(slopes[:num_heads])


def alibi_bias(num_heads: int, query_len: int, key_len: int | None = None) -> Tensor:
    r"""Make the float mask that weakens scores with distance, for each head at its own slope.

    $$\mathrm{bias}_{nij} = -\mathrm{slopes}_n \, |i - j|$$

    Source: section 3 of
    [Press et al. 2022, "Train Short, Test Long"](https://arxiv.org/abs/2108.12409). The paper's
    attention is causal, with distances to earlier keys alone; for later keys the distance is
    counted the same way here. Causal attention takes
    `alibi_bias(num_heads, n).masked_fill(~causal_mask(n), -math.inf)` as its mask.

    Query 0 stands beside key 0. With a cache of earlier keys the queries are the last tokens: take
    the last rows, `alibi_bias(num_heads, key_len)[:, -query_len:]`.

    Names: `slopes` are $m$ in the paper. torch's function takes the result as `attn_mask`.

    Args:
        num_heads: Number of heads.
        query_len: Number of queries, L.
        key_len: Number of keys, S. Left out, it is `query_len`.

    Returns:
        Float mask, shape `(num_heads, L, S)`, in torch's default dtype: 0 or less, to be added to
        the scaled scores.

    Raises:
        TypeError: If an argument is a float.
        ValueError: If `num_heads` is less than 1, or a length is negative.

    Examples:
        >>> from attention_steps import alibi_bias
        >>> alibi_bias(num_heads=2, query_len=3)[0]
        tensor([[ 0.0000, -0.0625, -0.1250],
                [-0.0625,  0.0000, -0.0625],
                [-0.1250, -0.0625,  0.0000]])
    """
    key_len = query_len if key_len is None else key_len
    check_size("query_len", query_len)
    check_size("key_len", key_len)
    slopes = alibi_slopes(num_heads)
    distance = (torch.arange(query_len).unsqueeze(-1) - torch.arange(key_len)).abs()
    return slopes[:, None, None] * -distance


def _angles(positions: Tensor, dim: int, base: float) -> Tensor:
    """Angle of each position and pair of features: (..., L) -> (..., L, pairs), in float64."""
    pair = torch.arange(0, dim, 2, dtype=torch.float64, device=positions.device)
    return positions.unsqueeze(-1) / base ** (pair / dim)


def _geometric_slopes(num_heads: int) -> list[float]:
    return [2.0 ** (-8.0 * n / num_heads) for n in range(1, num_heads + 1)]
