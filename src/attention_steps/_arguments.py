"""The first lines of every attention function: autocast, checks, dtypes, and shared heads."""

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

import torch
from torch import Tensor

from attention_steps._checks import check_attention_arguments, check_probability
from attention_steps._numerics import HALF_PRECISION, is_autocast_on, widen

Decorated = TypeVar("Decorated", bound=Callable[..., Any])
INPUTS = ("query", "key", "value", "attn_mask")


def in_full_precision(function: Decorated) -> Decorated:
    """Compute without autocast, which would round every product in between."""
    return _without_autocast(function, cast_inputs=False)


def autocast_once(function: Decorated) -> Decorated:
    """Cast the inputs as autocast does for torch's function, and compute without autocast."""
    return _without_autocast(function, cast_inputs=True)


def _without_autocast(function: Decorated, *, cast_inputs: bool) -> Decorated:
    @functools.wraps(function)
    def without_autocast(*args: Any, **kwargs: Any) -> Any:
        query = args[0] if args else kwargs.get("query")
        # What is no tensor, the function refuses.
        if not isinstance(query, Tensor) or not is_autocast_on(query):
            return function(*args, **kwargs)
        device = query.device.type
        if cast_inputs:
            dtype = torch.get_autocast_dtype(device)
            inputs = {name: _cast(kwargs[name], dtype) for name in INPUTS if name in kwargs}
            args, kwargs = tuple(_cast(x, dtype) for x in args), {**kwargs, **inputs}
        with torch.autocast(device, enabled=False):
            return function(*args, **kwargs)

    return cast(Decorated, without_autocast)


def _cast(x: Any, dtype: torch.dtype) -> Any:
    """Cast a tensor as autocast does, which leaves double precision and boolean masks alone."""
    is_cast = isinstance(x, Tensor) and x.is_floating_point() and x.dtype != torch.float64
    return x.to(dtype) if is_cast and not hasattr(x, "variant") else x  # see `plain_mask`


def prepare(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
    dropout_p: float = 0.0,
) -> tuple[Tensor, Tensor, Tensor, Tensor | None, torch.dtype]:
    """Check the arguments, and bring them to the form that the three steps take.

    Returns query, key and value, at least float32 and with as many key heads as query heads; a mask
    that holds numbers; and the dtype of the result.
    """
    check_probability("dropout_p", dropout_p)
    attn_mask = plain_mask(attn_mask, query)
    check_attention_arguments(query, key, value, attn_mask, is_causal, scale, enable_gqa)
    dtype = query.dtype
    if dtype in HALF_PRECISION:
        query, key, value = widen(query), widen(key), widen(value)
    if enable_gqa:
        heads_per_group = query.shape[-3] // key.shape[-3]
        key = key.repeat_interleave(heads_per_group, dim=-3)
        value = value.repeat_interleave(heads_per_group, dim=-3)
    return query, key, value, attn_mask, dtype


def plain_mask(attn_mask: Tensor | None, query: Tensor) -> Tensor | None:
    """Fill in the causal masks of `torch.nn.attention.bias`, and return any other mask as it is.

    Such a mask knows its lengths alone. As a tensor it holds numbers that were never written.
    """
    if attn_mask is None or type(attn_mask) is Tensor:
        return attn_mask
    # Known by what it has: importing the module that makes it takes seconds.
    bias: Any = attn_mask
    if not hasattr(bias, "variant"):
        return attn_mask
    offset = bias.seq_len_kv - bias.seq_len_q if bias.variant.name == "LOWER_RIGHT" else 0
    size = (bias.seq_len_q, bias.seq_len_kv)
    return torch.ones(size, dtype=torch.bool, device=query.device).tril(offset)
