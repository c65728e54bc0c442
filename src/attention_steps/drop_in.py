"""Attention as other code calls it: torch's modules, and the models and caches of transformers."""

import math
import sys
from typing import Any

import torch
from torch import Tensor, nn

from attention_steps._checks import (
    check_axes,
    check_flag,
    check_float,
    check_mask,
    check_probability,
    check_same_device,
    check_same_leading_axes,
    check_same_length,
    check_scale,
    check_sinks,
    check_size,
    check_tensor,
    is_wide_float,
    shape_of,
)
from attention_steps.core import scaled_dot_product_attention
from attention_steps.layers import MultiHeadAttention
from attention_steps.masks import causal_mask


class _NoTensor:
    """Stands where torch's encoder looks for weights: then it takes no path without the layer."""

    weight = bias = None

    @classmethod
    def __torch_function__(cls, *call: Any) -> Any:
        return NotImplemented


class TorchStyleAttention(nn.Module):
    r"""A `MultiHeadAttention` that is called as `torch.nn.MultiheadAttention` is.

    $$\mathrm{mask}_{\mathrm{torch}} = \lnot \, \mathrm{mask}$$

    It stands in `torch.nn.TransformerEncoderLayer` and its relatives, and `load_state_dict` takes
    the state of torch's layer: that of a whole trained model, too.

    Three things differ from torch's layer: a query with no key, as `from_torch` says;
    `is_causal=True` without a mask, which torch's refuses, and which is causal; and in `eval()`
    what an encoder gives for padding, where torch's may give zeros.

    Source: the [layer of torch](https://docs.pytorch.org/docs/stable/generated/torch.nn.MultiheadAttention.html).

    Names: the arguments of a call are torch's, in torch's order.

    Args:
        layer: What computes. `MultiHeadAttention.from_torch` makes one of torch's layer.
        batch_first: Whether inputs are `(batch, n, embed_dim)`. If not, they are
            `(n, batch, embed_dim)`, torch's default.

    Raises:
        TypeError: If `layer` is not a `MultiHeadAttention`, or `batch_first` is not a bool.

    Examples:
        >>> import torch
        >>> from attention_steps import MultiHeadAttention
        >>> from attention_steps.drop_in import TorchStyleAttention
        >>> block = torch.nn.TransformerEncoderLayer(4, 2, dropout=0.0, batch_first=True)
        >>> inputs = torch.tensor([[[1.0, 0.0, 0.0, 2.0], [0.0, 1.0, 2.0, 0.0]]])
        >>> expected = block(inputs)
        >>> layer = MultiHeadAttention.from_torch(block.self_attn)
        >>> block.self_attn = TorchStyleAttention(layer, batch_first=True)
        >>> torch.allclose(block(inputs), expected, atol=1e-6)
        True
    """

    # What torch's blocks and encoders ask for before they take a path that leaves the layer out.
    in_proj_bias = None
    in_proj_weight = out_proj = _NoTensor()
    _qkv_same_embed_dim = False

    def __init__(self, layer: MultiHeadAttention, *, batch_first: bool = False) -> None:
        if not isinstance(layer, MultiHeadAttention):
            raise TypeError(
                f"layer must be a MultiHeadAttention, got {type(layer).__name__}; "
                "MultiHeadAttention.from_torch makes one of torch's layer"
            )
        check_flag("batch_first", batch_first)
        super().__init__()
        self.layer = layer
        self.batch_first = batch_first
        self.embed_dim, self.num_heads = layer.embed_dim, layer.num_heads

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        """Attend as torch's layer does.

        Args:
            query: Tokens that ask, shape `(batch, L, embed_dim)`, or as `batch_first` says, or
                `(L, embed_dim)`.
            key: Tokens that are asked, likewise.
            value: Tokens that give, likewise.
            key_padding_mask: Which keys are padding: boolean, shape `(batch, S)` or `(S,)`, True
                where attention is **not** allowed. A float mask is added.
            need_weights: Whether to return the weights. Without them torch's fused function is
                called, which does not make them.
            attn_mask: Which keys a query may **not** attend to, shape `(L, S)` or
                `(batch * num_heads, L, S)`; or a float mask.
            average_attn_weights: Whether to return the mean of the weights over the heads.
            is_causal: Query i attends to keys 0 to i. A mask beside it decides alone.

        Returns:
            The output, shaped as `query`, and the weights, shape `(batch, L, S)` or
            `(batch, num_heads, L, S)`, or None.

        Raises:
            TypeError: If a mask is neither boolean nor float, or a flag is not a bool.
            ValueError: If the axes do not go together, or a mask has another shape.
        """
        for name, flag in (
            ("need_weights", need_weights),
            ("average_attn_weights", average_attn_weights),
            ("is_causal", is_causal),
        ):
            check_flag(name, flag)
        for name, x in (("query", query), ("key", key), ("value", value)):
            if isinstance(x, Tensor) and x.is_nested:
                raise TypeError(
                    f"{name} must be a plain tensor, got a nested one, as torch.nn."
                    "TransformerEncoder makes while the attention of its first layer is torch's: "
                    "put this in all its layers, or set its use_nested_tensor to False"
                )
            check_axes(name, x)
            if x.dim() > 3 or x.dim() != query.dim():
                raise ValueError(
                    "query, key and value must have 3 axes, or 2 without a batch, "
                    f"got {name} {shape_of(x)}"
                )
        is_turned = query.dim() == 3 and not self.batch_first
        if is_turned:
            query, key, value = (x.transpose(0, 1) for x in (query, key, value))
        mask = self._merged(attn_mask, key_padding_mask, query, key)
        is_causal = is_causal and attn_mask is None
        if is_causal and mask is not None:
            seen = causal_mask(query.shape[-2], key.shape[-2], device=query.device)
            mask = mask & seen if mask.dtype is torch.bool else mask.masked_fill(~seen, -math.inf)
            is_causal = False
        weights = None
        if need_weights:
            trace = self.layer.trace(query, key, value, attn_mask=mask, is_causal=is_causal)
            output = trace.output
            weights = trace.weights.mean(dim=-3) if average_attn_weights else trace.weights
        else:
            output = self.layer(query, key, value, attn_mask=mask, is_causal=is_causal)
        return output.transpose(0, 1) if is_turned else output, weights

    def _merged(
        self, attn_mask: Tensor | None, key_padding_mask: Tensor | None, query: Tensor, key: Tensor
    ) -> Tensor | None:
        """Make one mask of the two: True where attention is allowed, or a float mask."""
        batch, sizes = tuple(query.shape[:-2]), (query.shape[-2], key.shape[-2])
        masks = []
        if attn_mask is not None:
            heads = (*batch, self.num_heads)
            _check_torch_mask("attn_mask", attn_mask, query, [sizes, (math.prod(heads), *sizes)])
            masks.append(attn_mask.view(*heads, *sizes) if attn_mask.dim() == 3 else attn_mask)
        if key_padding_mask is not None:
            _check_torch_mask("key_padding_mask", key_padding_mask, query, [(*batch, sizes[1])])
            masks.append(key_padding_mask[..., None, None, :])
        if not masks:
            return None
        if all(mask.dtype is torch.bool for mask in masks):
            return ~(masks[0] | masks[-1])
        zero = query.new_zeros(())
        added = [
            zero.masked_fill(mask, -math.inf) if mask.dtype is torch.bool else mask
            for mask in masks
        ]
        return added[0] if len(added) == 1 else added[0] + added[1]

    def _load_from_state_dict(self, state_dict: dict[str, Any], prefix: str, *others: Any) -> None:
        """Take the state of torch's layer, too: it is that of the layer inside."""
        mine = f"{prefix}layer."
        for name in [name for name in state_dict if name.startswith(prefix)]:
            if not name.startswith(mine):
                state_dict[mine + name.removeprefix(prefix)] = state_dict.pop(name)
        super()._load_from_state_dict(state_dict, prefix, *others)


class TransformersCache:
    r"""One layer's part of a cache of transformers, as the `cache` of a `MultiHeadAttention`.

    $$\mathrm{key}_{0 \ldots t}, \mathrm{value}_{0 \ldots t} =
    \mathrm{update}(\mathrm{key}_t, \mathrm{value}_t)$$

    Source: the [caches](https://huggingface.co/docs/transformers/kv_cache) of transformers.

    Names: `append` is their `update`, and `length` their `get_seq_length`.

    Args:
        cache: A cache of transformers that returns the tokens so far and no others, such as a
            `DynamicCache`. A `StaticCache` returns its empty places, too, and keeps a window
            otherwise: it is refused at the first call, which leaves it as it is.
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

    $$\mathrm{output} = \mathrm{context}^T, \quad
    \mathrm{context} = \mathrm{attention}(\mathrm{query}, \mathrm{key}, \mathrm{value})$$

    **For comparing numbers, not for long texts**: it holds all scores at once, in float32. With 32
    heads, 8,192 tokens take 8 GiB in each layer, for a batch of one.

    The context is that of `scaled_dot_product_attention`, with the axes of heads and tokens
    exchanged. `AttentionInterface` of transformers registers it under a name, and
    `AttentionMaskInterface` registers `eager_mask` of `transformers.masking_utils` under the same
    name. Then `model.set_attn_implementation` switches to it.

    Source: the [interface](https://huggingface.co/docs/transformers/attention_interface) of
    transformers.

    Names: `attention_mask`, `scaling`, `dropout` and `s_aux` are `attn_mask`, `scale`, `dropout_p`
    and `sinks` here.

    Args:
        module: The layer of the model that calls. Its `config` names the implementation.
        query: Queries, shape `(batch, num_heads, L, head_dim)`.
        key: Keys, shape `(batch, num_kv_heads, S, head_dim)`.
        value: Values, shape `(batch, num_kv_heads, S, value_dim)`.
        attention_mask: Boolean or float, as in `scaled_dot_product_attention`; its keys after S are
            left out.
        scaling: Factor on the scores. Defaults to $1 / \sqrt{\mathrm{head\_dim}}$.
        dropout: Probability that a weight is set to zero.
        softcap: As in `scaled_dot_product_attention`.
        s_aux: Learned sinks, one for each head.
        position_bias: A float mask that a layer has learned, as those of T5.
        **others: What transformers hands to all attentions. It is not used: the mask holds the
            window. The `indices` of chosen keys are refused.

    Returns:
        The context vectors, shape `(batch, L, num_heads, value_dim)`, and None for the weights.

    Raises:
        TypeError: As `scaled_dot_product_attention`.
        ValueError: If no mask is registered under the name of this attention, or `indices` come;
            else as `scaled_dot_product_attention`.

    Examples:
        >>> import torch
        >>> from attention_steps.drop_in import transformers_attention
        >>> x = torch.ones(1, 2, 3, 4)  # two heads, three tokens
        >>> context, weights = transformers_attention(torch.nn.Module(), x, x, x, None)
        >>> context.shape
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
        check_mask(attention_mask, dtypes, shape, "attention_mask")
        check_same_device("attention_mask", attention_mask, "query", query)
    if position_bias is not None:
        check_float("position_bias", position_bias)
        check_mask(position_bias, dtypes, shape, "position_bias")
        check_same_device("position_bias", position_bias, "query", query)
        if attention_mask is None:
            attention_mask = position_bias
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


def _check_torch_mask(
    name: str, mask: Tensor, query: Tensor, shapes: list[tuple[int, ...]]
) -> None:
    """Check a mask in which True hides."""
    check_tensor(name, mask)
    check_same_device(name, mask, "query", query)
    if not (mask.dtype is torch.bool or is_wide_float(mask.dtype)):
        raise TypeError(
            f"{name} must be torch.bool (True: may not attend) or a float mask, got {mask.dtype}"
        )
    if tuple(mask.shape) not in shapes:
        wanted = " or ".join(str(shape) for shape in shapes)
        raise ValueError(f"{name} must have the shape {wanted}, got {shape_of(mask)}")


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
