"""Attention as the models of transformers call it, and their caches."""

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
    check_same_leading_axes,
    check_same_length,
    check_scale,
    check_sinks,
    check_size,
)
from attention_steps.core import scaled_dot_product_attention


class TransformersCache:
    r"""One layer's part of a cache of transformers, as the `cache` of a `MultiHeadAttention`.

    $$\mathrm{append} = \mathrm{update} \qquad \text{(not computed: two methods)}$$

    Source: the [caches](https://huggingface.co/docs/transformers/kv_cache) of transformers.

    Names: `append` is their `update`, and `length` their `get_seq_length`.

    Args:
        cache: A cache of transformers that returns the tokens so far and no others, such as a
            `DynamicCache`. A `StaticCache` is refused at the first call.
        layer_idx: The number of the layer, from 0.

    Raises:
        TypeError: If `cache` has no `update`, or `layer_idx` is not an int.
        ValueError: If `layer_idx` is negative.

    Examples:
        In place of `transformers.DynamicCache()`, any object with its two methods will do:

        >>> import torch
        >>> from attention_steps import KVCache, MultiHeadAttention
        >>> from attention_steps.drop_in import TransformersCache
        >>> class OneLayer(KVCache):
        ...     def get_seq_length(self, layer_idx):
        ...         return self.length
        ...     def update(self, key, value, layer_idx):
        ...         return self.append(key, value)
        >>> cache = TransformersCache(OneLayer(), layer_idx=0)
        >>> layer = MultiHeadAttention(4, 2)
        >>> inputs = torch.tensor([[[1.0, 0.0, 0.0, 2.0], [0.0, 1.0, 2.0, 0.0]]])
        >>> first, second = (layer(x, cache=cache, is_causal=True) for x in inputs.split(1, dim=1))
        >>> torch.allclose(torch.cat([first, second], dim=1), layer(inputs, is_causal=True))
        True
    """

    def __init__(self, cache: Any, layer_idx: int) -> None:
        if not (callable(getattr(cache, "update", None)) and hasattr(cache, "get_seq_length")):
            raise TypeError(
                "cache must have the methods update and get_seq_length, as the caches of "
                f"transformers have, got {type(cache).__name__}"
            )
        check_size("layer_idx", layer_idx, minimum=0)
        self.cache, self.layer_idx = cache, layer_idx

    @property
    def length(self) -> int:
        """How many tokens have been appended, whether they are still kept or not."""
        return int(self.cache.get_seq_length(self.layer_idx))

    @property
    def window(self) -> int | None:
        """How many keys a query sees, its own among them, or None for all."""
        return getattr(self._layer(), "sliding_window", None)

    def _layer(self) -> Any:
        """Return the part of the cache that is this layer's, or None before there is one."""
        layers = getattr(self.cache, "layers", [])[self.layer_idx :]
        return layers[0] if layers else None

    def append(self, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        """Add new tokens, and return what their queries may see.

        Args:
            key: Keys of the new tokens, shape `(batch, num_kv_heads, L, head_dim)`.
            value: Values of the new tokens, shape `(batch, num_kv_heads, L, value_dim)`.

        Returns:
            Keys and values: those that were kept, and the new ones after them.

        Raises:
            ValueError: If the cache is a static one, or returns other than the tokens so far.
        """
        check_same_leading_axes("value", value, "key", key)
        check_same_length(key, value)
        layer = self._layer()
        if getattr(layer, "max_cache_len", None) is not None:
            raise ValueError(
                "cache must return the keys so far and no others, got a static one, "
                f"{type(self.cache).__name__} of {type(layer).__name__}: take a DynamicCache"
            )
        before, window = self.length, self.window
        kept = before if window is None else min(before, window - 1)
        keys, values = self.cache.update(key, value, self.layer_idx)
        if keys.shape[-2] != kept + key.shape[-2]:
            raise ValueError(
                f"cache must return the {kept + key.shape[-2]} keys so far, "
                f"got {keys.shape[-2]} from {type(self.cache).__name__}"
            )
        return keys, values


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

    $$\mathrm{output}_{bihe} = \mathrm{context}_{bhie}$$

    **For comparing numbers, not for long texts**: it holds all scores at once, in float32. With 32
    heads, 8,192 tokens take 8 GiB in each layer, for a batch of one.

    `AttentionInterface` of transformers registers it under a name, and `AttentionMaskInterface`
    registers `eager_mask` of `transformers.masking_utils` under the same name. Then
    `model.set_attn_implementation` switches to it.

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
