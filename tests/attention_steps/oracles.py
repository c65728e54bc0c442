"""Answers to compare with, reached by another road than the package's.

`stages_by_loops` is equation (1) of Vaswani et al. 2017 in plain Python floats, one number at a
time, with a soft cap and sinks. `torch_attention` is torch's own function. `Largest` watches what
is made on the way.
"""

import math
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils._python_dispatch import TorchDispatchMode


class Stages(NamedTuple):
    """What a call computes on the way, each number by itself in float64."""

    scores: Tensor
    scaled_scores: Tensor
    masked_scores: Tensor
    weights: Tensor
    context: Tensor
    lse: Tensor


def stages_by_loops(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    is_causal: bool = False,
    *,
    scale: float | None = None,
    enable_gqa: bool = False,
    softcap: float | None = None,
    sinks: Tensor | None = None,
) -> Stages:
    """Compute the formulas one number at a time, whatever the dtype of the inputs."""
    *leading, query_len, head_dim = query.shape
    key_len, value_dim = value.shape[-2:]
    factor = scale if scale is not None else (head_dim**-0.5 if head_dim else 1.0)
    ends = [(query_len, key_len)] * 4 + [(query_len, value_dim), (query_len,)]
    stages = Stages(*(torch.zeros(*leading, *end, dtype=torch.float64) for end in ends))
    mask = torch.tensor(True) if attn_mask is None else attn_mask
    mask = mask.expand(*leading, query_len, key_len)
    for where in product(*map(range, leading)):
        shared = where
        if enable_gqa:
            shared = (*where[:-1], where[-1] // (query.shape[-3] // key.shape[-3]))
        queries, keys, values = query[where].tolist(), key[shared].tolist(), value[shared].tolist()
        sink = -math.inf if sinks is None else sinks[where[-1]].item()
        for i, j in product(range(query_len), range(key_len)):
            score = math.fsum(q * k for q, k in zip(queries[i], keys[j], strict=True))
            bent = factor * score
            if softcap is not None:
                bent = softcap * math.tanh(bent / softcap)
            added = mask[where][i, j].item()
            if mask.dtype == torch.bool:
                added = 0.0 if added else -math.inf
            masked = -math.inf if is_causal and j > i else bent + added
            for stage, number in zip(stages, (score, factor * score, masked), strict=False):
                stage[where][i, j] = number
        for i in range(query_len):
            row = stages.masked_scores[where][i].tolist()
            largest = max([*row, sink])
            if largest == -math.inf:
                stages.lse[where][i] = -math.inf
                continue
            powers = [math.exp(score - largest) for score in row]
            total = math.fsum([*powers, math.exp(sink - largest)])
            stages.lse[where][i] = largest + math.log(total)
            for j in range(key_len):
                stages.weights[where][i, j] = powers[j] / total
            for e in range(value_dim):
                of_keys = zip(powers, values, strict=True)
                stages.context[where][i, e] = math.fsum(p * v[e] for p, v in of_keys) / total
    return stages


def attention_by_loops(*call: Any, **options: Any) -> Tensor:
    """Attention in float64, whatever the dtype of the inputs."""
    return stages_by_loops(*call, **options).context


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
