"""Attention as the models of transformers call it."""

import math
import sys
from typing import Any

import torch
from torch import Tensor, nn

from attention_steps._checks import (
    check_axes,
    check_float,
    check_mask,
    check_probability,
    check_same_device,
    check_scale,
    check_sinks,
)
from attention_steps.core import scaled_dot_product_attention


def transformers_attention(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    scaling: float | None = None,
    dropout: float = 0.0,
    *,
    softcap: float | None = None,
    s_aux: Tensor | None = None,
    position_bias: Tensor | None = None,
    **others: Any,
) -> tuple[Tensor, None]:
    r"""Attention as a model of transformers calls it, to be registered there.

    $$\mathrm{output}_{bihc} = \mathrm{context}_{bhic}$$

    **For comparing numbers, not for long texts**: it holds all scores at once, in float32. With 32
    heads, 8,192 tokens take 8 GiB in each layer, for a batch of one.

    `AttentionInterface` of transformers registers it under a name, and `AttentionMaskInterface`
    registers `eager_mask` of `transformers.masking_utils` under the same name.

    Source: the [interface](https://huggingface.co/docs/transformers/attention_interface) of
    transformers.

    Names: `attention_mask`, `scaling`, `dropout` and `s_aux` are `attn_mask`, `scale`, `dropout_p`
    and `sinks` here.

    Args:
        module: The layer of the model that calls. Its `config` names the implementation.
        query: Queries, shape `(batch, num_heads, L, head_dim)`.
        key: Keys, shape `(batch, num_kv_heads, S, head_dim)`.
        value: Values, shape `(batch, num_kv_heads, S, value_dim)`.
        attention_mask: As in `scaled_dot_product_attention`; its keys after S are left out.
        scaling: Factor on the scores. Defaults to $1 / \sqrt{\mathrm{head\_dim}}$.
        dropout: Probability that a weight is set to zero.
        softcap: As in `scaled_dot_product_attention`.
        s_aux: Learned sinks, one for each head.
        position_bias: A float mask that a layer has learned, as those of T5.
        **others: Not used: the mask holds the window. `indices` of chosen keys are refused.

    Returns:
        The context vectors, shape `(batch, L, num_heads, value_dim)`, and None for the weights.

    Raises:
        TypeError: As `scaled_dot_product_attention`.
        ValueError: If no mask is registered under the name of this attention, or `indices` come;
            else as `scaled_dot_product_attention`.

    Examples:
        >>> import torch
        >>> from attention_steps.drop_in import transformers_attention
        >>> from attention_steps import scaled_dot_product_attention
        >>> x = torch.arange(24.0).sin().view(1, 2, 3, 4)  # two heads, three tokens
        >>> context = scaled_dot_product_attention(x, x, x)
        >>> output, weights = transformers_attention(torch.nn.Module(), x, x, x, None)
        >>> output.shape
        torch.Size([1, 3, 2, 4])
    """
    _check_mask_is_registered(module)
    if others.get("indices") is not None:
        raise ValueError(
            "indices must be None, got the keys that each query has chosen: "
            "put them into attention_mask"
        )
    check_axes("key", key)
    check_axes("query", query)
    check_probability("dropout", dropout)
    if scaling is not None:
        check_scale("scaling", scaling)
    if s_aux is not None:
        check_sinks("s_aux", s_aux, query)
    dtypes, shape = (query.dtype, torch.float32), (*query.shape[:-1], key.shape[-2])
    if attention_mask is not None:
        check_axes("attention_mask", attention_mask)
        attention_mask = attention_mask[..., : key.shape[-2]]
    if position_bias is not None:
        check_float("position_bias", position_bias)
    for name, mask in (("attention_mask", attention_mask), ("position_bias", position_bias)):
        if mask is not None:
            check_mask(mask, dtypes, shape, name)
            check_same_device(name, mask, "query", query)
    if attention_mask is None or position_bias is None:
        attention_mask = position_bias if attention_mask is None else attention_mask
    elif attention_mask.dtype is torch.bool:
        attention_mask = position_bias.masked_fill(~attention_mask, -math.inf)
    else:
        attention_mask = position_bias + attention_mask
    context = scaled_dot_product_attention(
        query,
        key,
        value,
        attention_mask,
        dropout,
        scale=scaling,
        enable_gqa=True,
        softcap=softcap,
        sinks=s_aux,
    )
    return context.transpose(1, 2), None


def _check_mask_is_registered(module: nn.Module) -> None:
    """Refuse a call that would lose the padding: transformers makes no mask without a maker."""
    name = getattr(getattr(module, "config", None), "_attn_implementation", None)
    makers: Any = sys.modules.get("transformers.masking_utils")
    if name is None or makers is None or name in makers.ALL_MASK_ATTENTION_FUNCTIONS:
        return
    raise ValueError(
        f"a mask must be registered beside the attention {name!r}, got none: "
        f'AttentionMaskInterface.register("{name}", eager_mask)'
    )
