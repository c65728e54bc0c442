"""How a layer calls what attends: torch's function, or one in its place."""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor

from attention_steps._checks import check_same_dtype, check_tensor, shape_of


def attend_by(
    attend: Callable[..., Tensor],
    heads: tuple[Tensor, Tensor, Tensor],
    attn_mask: Tensor | None,
    dropout_p: float,
    is_causal: bool,
    enable_gqa: bool,
) -> Tensor:
    """Call a function that stands in for torch's, and check what it returns."""
    # Tiles have no dropout: they are asked for it only where there is some.
    dropout = {"dropout_p": dropout_p} if dropout_p else {}
    context = attend(*heads, attn_mask, is_causal=is_causal, enable_gqa=enable_gqa, **dropout)
    check_tensor("the context that attend returns", context)
    wanted = (*heads[0].shape[:-1], heads[2].shape[-1])
    if context.shape != wanted:
        raise ValueError(
            f"attend must return a context vector for each query, {wanted}, got {shape_of(context)}"
        )
    check_same_dtype("the context that attend returns", context, "value", heads[2])
    return context


def attend_to_shared_keys(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None,
    dropout_p: float,
    is_causal: bool,
) -> Tensor:
    """Call torch's function, which reads each key once for one new query."""
    if attn_mask is not None or is_causal or query.shape[-2] != 1:
        return F.scaled_dot_product_attention(
            query, key, value, attn_mask, dropout_p, is_causal, enable_gqa=True
        )
    # With enable_gqa, a CPU reads each key again for every query of its group. As rows of one head,
    # they are read together.
    rows = torch.unflatten(query, -3, (key.shape[-3], -1)).flatten(-3, -2)
    context = F.scaled_dot_product_attention(rows, key, value, None, dropout_p)
    return context.reshape(*query.shape[:-1], value.shape[-1])
