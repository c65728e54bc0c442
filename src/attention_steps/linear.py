"""Attention without a softmax, whose past fits into one matrix.

Axes: `L` is query_len and key_len, `E` is head_dim, `Ev` is value_dim, and `...` stands for any
leading axes.
"""

import torch
from torch import Tensor

from attention_steps._arguments import in_full_precision
from attention_steps._checks import (
    check_attention_arguments,
    check_float,
    check_same_device,
    check_size,
    shape_of,
)
from attention_steps._numerics import widen


@in_full_precision
def linear_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    *,
    decay: Tensor | None = None,
    beta: Tensor | None = None,
    state: Tensor | None = None,
    chunk_size: int = 64,
) -> tuple[Tensor, Tensor]:
    r"""Write each token's value into a state, under its key, and read it with the query.

    A token writes its value, or with `beta` (the delta rule) the part of it that the state lacks.
    The state after token $t$ is

    $$\begin{aligned} \mathrm{states}_t &= \mathrm{decay}_t \, \mathrm{states}_{t-1} \\
    &+ \mathrm{beta}_t \, \mathrm{key}_t^T (\mathrm{value}_t - \mathrm{decay}_t \, \mathrm{key}_t \,
    \mathrm{states}_{t-1}) \end{aligned}$$

    $$\mathrm{context}_t = \mathrm{query}_t \, \mathrm{states}_t$$

    The function is causal. A scale or a feature map is applied to queries and keys before. To
    divide by the sum of weights, give the values one more component that is 1, and divide by it.

    Source: [Katharopoulos et al. 2020](https://arxiv.org/abs/2006.16236) without `decay` and
    `beta`; [Sun et al. 2023, RetNet](https://arxiv.org/abs/2307.08621), for `decay`;
    [Yang et al. 2024](https://arxiv.org/abs/2406.06484) for `beta` and its chunks; both together in
    [Yang et al. 2024, Gated DeltaNet](https://arxiv.org/abs/2412.06464).

    Names: the operator LinearAttention of ONNX has `past_state` for `state`, and takes the
    logarithm of `decay`.

    Args:
        query: Queries, shape `(..., L, E)`.
        key: Keys, of the same shape and dtype.
        value: Values, shape `(..., L, Ev)`, with the leading axes and dtype of `query`.
        decay: How much of the state each token leaves, from 0 to 1, shape `(..., L)`. Its numbers
            are read to check that, for which a GPU waits.
        beta: The share of the missing part that each token writes, from 0 to 2, shape `(..., L)`.
        state: The state that earlier tokens left, shape `(..., E, Ev)`. Defaults to zeros.
        chunk_size: Tokens that are computed at a time, with matrix products: 1 is the recurrence
            above. The result is the same but for rounding.

    Returns:
        The context vectors, shape `(..., L, Ev)`, and the state after the last token, shape
        `(..., E, Ev)`, in float32 for half precision.

    Raises:
        TypeError: If the dtypes differ or are not floating-point, or `chunk_size` is not an int.
        ValueError: If the shapes do not go together, `decay` is not from 0 to 1, `beta` is not from
            0 to 2, or `chunk_size` is below 1.

    Examples:
        >>> import torch
        >>> from attention_steps import linear_attention
        >>> key = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
        >>> value = torch.tensor([[1.0], [2.0], [5.0]])
        >>> context, state = linear_attention(key, key, value)
        >>> state  # under the first key are 1 and 5
        tensor([[6.],
                [2.]])
        >>> linear_attention(key, key, value, beta=torch.ones(3))[1]  # 5 overwrites 1
        tensor([[5.],
                [2.]])
        >>> query, decay, beta = key, torch.tensor([1.0, 0.5, 0.25]), torch.tensor([1.0, 0.5, 0.5])
        >>> def read(n):
        ...     factors = {"decay": decay[:n], "beta": beta[:n]}
        ...     return linear_attention(query[:n], key[:n], value[:n], **factors)
        >>> context, _ = read(3)
        >>> states = torch.stack([read(n)[1] for n in range(1, 4)])
    """
    _check_linear_arguments(query, key, value, decay, beta, state, chunk_size)
    dtype = query.dtype
    query, key, value = widen(query), widen(key), widen(value)
    tokens = query.shape[:-1]
    decay = query.new_ones(tokens) if decay is None else decay.to(query.dtype)
    beta = None if beta is None else beta.to(query.dtype)
    if state is None:
        state = query.new_zeros(*query.shape[:-2], query.shape[-1], value.shape[-1])
    state = state.to(query.dtype)

    contexts = []
    for start in range(0, query.shape[-2], chunk_size):
        chunk = slice(start, start + chunk_size)
        context, state = _attend_to_chunk(
            query[..., chunk, :],
            key[..., chunk, :],
            value[..., chunk, :],
            decay[..., chunk],
            None if beta is None else beta[..., chunk],
            state,
        )
        contexts.append(context)
    whole = torch.cat(contexts, dim=-2) if contexts else torch.zeros_like(value)
    return whole.to(dtype), state


def _attend_to_chunk(
    query: Tensor, key: Tensor, value: Tensor, decay: Tensor, beta: Tensor | None, state: Tensor
) -> tuple[Tensor, Tensor]:
    """Compute some tokens at once: what they take from the state, and what from one another."""
    left = _left_after(decay)
    of_state = decay.cumprod(dim=-1).unsqueeze(-1)
    write = value
    if beta is not None:
        # What a token writes depends on what those before it in the chunk have written: a system of
        # equations with a triangle of coefficients.
        known = beta.unsqueeze(-1) * (value - of_state * (key @ state))
        overlap = (beta.unsqueeze(-1) * (key @ key.mT) * left).tril(-1)
        write = torch.linalg.solve_triangular(overlap, known, upper=False, unitriangular=True)
    context = (query @ key.mT * left) @ write + of_state * (query @ state)
    state = of_state[..., -1:, :] * state + (key * left[..., -1, :, None]).mT @ write
    return context, state


def _left_after(decay: Tensor) -> Tensor:
    """Return how much of what token j wrote is left at token i: (..., L, L), zeros for j > i."""
    length = decay.shape[-1]
    every = torch.ones(length, length, dtype=torch.bool, device=decay.device)
    # Entry (i, j) multiplies the decays from j + 1 to i. The exponential of a sum of logarithms
    # would have a gradient of NaN where a decay is 0.
    decays = decay.unsqueeze(-1).expand(*decay.shape, length).masked_fill(every.triu(), 1.0)
    return decays.cumprod(dim=-2).masked_fill(every.triu(1), 0.0)


def _check_linear_arguments(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    decay: Tensor | None,
    beta: Tensor | None,
    state: Tensor | None,
    chunk_size: int,
) -> None:
    """Check the arguments of `linear_attention`."""
    check_size("chunk_size", chunk_size, minimum=1)
    check_attention_arguments(query, key, value)
    if key.shape[-2] != query.shape[-2]:
        raise ValueError(
            f"key must have the length of query, {query.shape[-2]}, got {key.shape[-2]}: each "
            "token writes, then reads"
        )
    state_shape = (*query.shape[:-2], query.shape[-1], value.shape[-1])
    for name, tensor, wanted, shape in (
        ("decay", decay, "(..., L)", tuple(query.shape[:-1])),
        ("beta", beta, "(..., L)", tuple(query.shape[:-1])),
        ("state", state, "(..., head_dim, value_dim)", state_shape),
    ):
        if tensor is not None:
            check_float(name, tensor)
            check_same_device(name, tensor, "query", query)
            if tuple(tensor.shape) != shape:
                raise ValueError(
                    f"{name} must have the shape {wanted}, {shape}, got {shape_of(tensor)}"
                )
    _check_range("decay", decay, 1)
    _check_range("beta", beta, 2)


def _check_range(name: str, numbers: Tensor | None, most: int) -> None:
    """Refuse numbers that are not from 0 to `most`, where there are numbers to read."""
    # A graph cannot ask what a number is.
    if numbers is None or torch.compiler.is_compiling():
        return
    try:
        is_in_range = bool(((numbers >= 0) & (numbers <= most)).all())
    except RuntimeError:  # on the device meta, in a fake tensor, under torch.vmap
        return
    if not is_in_range:
        smallest, largest = (float(end.detach()) for end in numbers.aminmax())
        raise ValueError(f"{name} must be from 0 to {most}, got {smallest:g} to {largest:g}")
