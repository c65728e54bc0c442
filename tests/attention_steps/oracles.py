"""Answers to compare with, reached by another road than the package's.

`attention_by_loops` is equation (1) of Vaswani et al. 2017 in plain Python floats, one number at
a time. `torch_attention` is torch's own function. `Largest` watches what is made on the way.
"""

import math
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils._python_dispatch import TorchDispatchMode


def loop_scores(
    query: Sequence[Sequence[float]], key: Sequence[Sequence[float]]
) -> list[list[float]]:
    """Dot product of each query with each key."""
    return [
        [math.fsum(q * k for q, k in zip(q_row, k_row, strict=True)) for k_row in key]
        for q_row in query
    ]


def loop_weights(scores: Sequence[Sequence[float]]) -> list[list[float]]:
    """Softmax of each row; zeros for a row that is empty or -inf throughout."""
    rows = []
    for row in scores:
        largest = max(row, default=-math.inf)
        if largest == -math.inf:
            rows.append([0.0] * len(row))
            continue
        powers = [math.exp(score - largest) for score in row]
        total = math.fsum(powers)
        rows.append([power / total for power in powers])
    return rows


def loop_context(
    weights: Sequence[Sequence[float]], value: Sequence[Sequence[float]], value_dim: int
) -> list[list[float]]:
    """Sum of the values, each times its weight."""
    return [
        [
            math.fsum(weight * v_row[e] for weight, v_row in zip(row, value, strict=True))
            for e in range(value_dim)
        ]
        for row in weights
    ]


def attention_by_loops(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """Attention in float64, whatever the dtype of the inputs."""
    query_len, head_dim = query.shape[-2:]
    key_len, value_dim = value.shape[-2:]
    factor = scale if scale is not None else (head_dim**-0.5 if head_dim else 1.0)
    context = torch.zeros(*query.shape[:-1], value_dim, dtype=torch.float64)
    if attn_mask is not None:
        attn_mask = attn_mask.expand(*query.shape[:-1], key_len)

    for where in product(*(range(size) for size in query.shape[:-2])):
        shared = where
        if enable_gqa:
            group_size = query.shape[-3] // key.shape[-3]
            shared = (*where[:-1], where[-1] // group_size)
        scores = loop_scores(query[where].tolist(), key[shared].tolist())
        for i, j in product(range(query_len), range(key_len)):
            scores[i][j] *= factor
            if is_causal and j > i:
                scores[i][j] = -math.inf
            if attn_mask is not None:
                entry = attn_mask[where][i, j].item()
                if attn_mask.dtype == torch.bool:
                    entry = 0.0 if entry else -math.inf
                scores[i][j] += entry
        rows = loop_context(loop_weights(scores), value[shared].tolist(), value_dim)
        context[where] = torch.tensor(rows, dtype=torch.float64).reshape(query_len, value_dim)
    return context


def torch_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    *,
    scale: float | None = None,
    enable_gqa: bool = False,
    fused: bool = False,
) -> Tensor:
    """torch's own function: its plain path, or with `fused` whichever path torch picks.

    The fused path for the CPU departs from torch's documentation in places (torch 2.13): with
    `is_causal` and a scale of zero or below it lets queries see later keys, or gives NaN.
    """
    backends = [SDPBackend.MATH]
    if fused:
        backends.append(SDPBackend.FLASH_ATTENTION)
    with sdpa_kernel(backends):
        return F.scaled_dot_product_attention(
            query, key, value, attn_mask, dropout_p, is_causal, scale=scale, enable_gqa=enable_gqa
        )


def assert_near(actual: Tensor, expected: Tensor, tolerance: float = 1e-12) -> None:
    """Compare numbers, whatever the dtypes; NaN equals NaN."""
    torch.testing.assert_close(
        actual, expected, rtol=tolerance, atol=tolerance, check_dtype=False, equal_nan=True
    )


def randn(
    *shape: int, seed: int = 0, dtype: torch.dtype = torch.float64, requires_grad: bool = False
) -> Tensor:
    """Normal numbers that depend on the seed and the shape alone."""
    generator = torch.Generator().manual_seed(seed)
    numbers = torch.randn(shape, generator=generator, dtype=torch.float64).to(dtype)
    return numbers.requires_grad_(requires_grad)


def query_key_value(
    *shape: int, seed: int = 0, dtype: torch.dtype = torch.float64
) -> tuple[Tensor, Tensor, Tensor]:
    """Three different tensors of one shape."""
    return (
        randn(*shape, seed=seed, dtype=dtype),
        randn(*shape, seed=seed + 1, dtype=dtype),
        randn(*shape, seed=seed + 2, dtype=dtype),
    )


def random_mask(*shape: int, seed: int = 0) -> Tensor:
    """A boolean mask, True in two places out of three."""
    return torch.rand(shape, generator=torch.Generator().manual_seed(seed)) < 2 / 3


class Largest(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """The size of the largest tensor that was made."""

    size = 0

    def __torch_dispatch__(
        self,
        func: Callable[..., Any],
        types: object,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        for x in result if isinstance(result, (tuple, list)) else [result]:
            if isinstance(x, Tensor):
                self.size = max(self.size, x.numel())
        return result


DTYPES = [torch.float64, torch.float32, torch.bfloat16, torch.float16]
# Twice the machine epsilon in half precision: the result is rounded once, as torch's is.
TOLERANCE = {
    torch.float64: 1e-12,
    torch.float32: 2e-5,
    torch.bfloat16: 2 * torch.finfo(torch.bfloat16).eps,
    torch.float16: 2 * torch.finfo(torch.float16).eps,
}


def assert_same_gradients(
    actual: Tensor, expected: Tensor, inputs: Sequence[Tensor], tolerance: float = 1e-12
) -> None:
    """Compare the gradients of a sum in which each number counts differently."""
    upstream = randn(*actual.shape, seed=9, dtype=actual.dtype)
    gradients = torch.autograd.grad(actual, inputs, upstream)
    wanted = torch.autograd.grad(expected, inputs, upstream)
    for gradient, other, tensor in zip(gradients, wanted, inputs, strict=True):
        assert gradient.dtype == tensor.dtype
        assert gradient.isfinite().all()
        assert_near(gradient, other, tolerance)
