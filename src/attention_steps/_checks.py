"""The words of every refusal: each names the argument, what was expected and what came.

The functions that are taught stay as short as their equations because they check their
arguments here, with one call. A wrong type or dtype is a `TypeError`, a wrong value a `ValueError`.
"""

import math
from collections.abc import Sequence

import torch
from torch import Tensor, nn

_FLOAT_DTYPES = (torch.float64, torch.float32, torch.bfloat16, torch.float16)
_INT_DTYPES = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8)
_INT64 = 2**63


def check_scores_arguments(query: Tensor, key: Tensor) -> None:
    """Refuse what `attention_scores` cannot take."""
    _check_tensor("query", query)
    _check_tensor("key", key)
    _check_same_kind("key", key, "query", query)
    _check_same_leading_axes("key", key, "query", query)
    _check_head_dim(query, key)


def check_weights_arguments(scores: Tensor, attn_mask: Tensor | None) -> None:
    """Refuse what `attention_weights` cannot take."""
    _check_tensor("scores", scores)
    if attn_mask is not None:
        _check_mask(attn_mask, "scores", scores, tuple(scores.shape))


def check_context_arguments(weights: Tensor, value: Tensor) -> None:
    """Refuse what `context_vectors` cannot take."""
    _check_tensor("weights", weights)
    _check_tensor("value", value)
    _check_same_kind("value", value, "weights", weights)
    _check_same_leading_axes("value", value, "weights", weights)
    if value.shape[-2] != weights.shape[-1]:
        raise ValueError(
            f"value must have one row for each key in weights, {weights.shape[-1]} rows, "
            f"got {value.shape[-2]}: weights {_shape(weights)}, value {_shape(value)}"
        )


def check_attention_arguments(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None,
    dropout_p: float,
    is_causal: bool,
    scale: float | None,
    enable_gqa: bool,
) -> None:
    """Refuse what `scaled_dot_product_attention` and `trace_attention` cannot take."""
    check_flag("is_causal", is_causal)
    check_flag("enable_gqa", enable_gqa)
    _check_probability("dropout_p", dropout_p)
    if scale is not None:
        _check_number("scale", scale)

    rank = 3 if enable_gqa else 2
    _check_tensor("query", query, rank)
    _check_tensor("key", key, rank)
    _check_tensor("value", value, rank)
    _check_same_kind("key", key, "query", query)
    _check_same_kind("value", value, "query", query)
    # Tensors of one shape go together, and that is seen sooner.
    if enable_gqa or not query.shape == key.shape == value.shape:
        _check_shapes(query, key, value, enable_gqa)

    if attn_mask is not None:
        _check_mask_alone(is_causal)
        _check_mask(attn_mask, "query", query, (*query.shape[:-1], key.shape[-2]))


def check_self_attention_inputs(inputs: Tensor, weight: Tensor) -> None:
    """Refuse what `SelfAttention.forward` cannot take; `weight` is W_query's, (d_out, d_in)."""
    _check_tensor("inputs", inputs)
    _check_same_kind("inputs", inputs, "the weights of SelfAttention", weight)
    if inputs.shape[-1] != weight.shape[-1]:
        raise ValueError(
            f"inputs must have d_in={weight.shape[-1]} features in the last axis, "
            f"got {inputs.shape[-1]}: inputs {_shape(inputs)}"
        )


def check_multi_head_sizes(
    embed_dim: int,
    num_heads: int,
    num_kv_heads: int | None,
    kdim: int | None,
    vdim: int | None,
    dropout: float,
    bias: bool,
) -> None:
    """Refuse what `MultiHeadAttention` cannot be made from."""
    check_int("embed_dim", embed_dim, minimum=1)
    check_int("num_heads", num_heads, minimum=1)
    for name, size in (("num_kv_heads", num_kv_heads), ("kdim", kdim), ("vdim", vdim)):
        if size is not None:
            check_int(name, size, minimum=1)
    _check_probability("dropout", dropout)
    check_flag("bias", bias)
    if embed_dim % num_heads != 0:
        raise ValueError(
            f"num_heads must divide embed_dim, got embed_dim={embed_dim} and num_heads={num_heads}"
        )
    if num_kv_heads is not None and num_heads % num_kv_heads != 0:
        raise ValueError(
            "num_kv_heads must divide num_heads, "
            f"got num_heads={num_heads} and num_kv_heads={num_kv_heads}"
        )


def check_multi_head_inputs(
    query: Tensor,
    key: Tensor | None,
    value: Tensor | None,
    attn_mask: Tensor | None,
    is_causal: bool,
    *,
    sizes: tuple[int, int, int, int],
    weight: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    """Refuse what `MultiHeadAttention.forward` cannot take; fill in key and value.

    `sizes` are embed_dim, kdim, vdim and num_heads. `weight` is the weight of a projection.
    """
    embed_dim, kdim, vdim, num_heads = sizes
    check_flag("is_causal", is_causal)
    _check_layer_input("query", query, "embed_dim", embed_dim, weight)
    if key is None and value is None:
        key = value = query
    elif key is None or value is None:
        given, missing = ("key", "value") if value is None else ("value", "key")
        raise ValueError(
            f"key and value must be given together, got {given} without {missing}; leave both out "
            "for self-attention, or pass the same tensor twice, as in "
            "attention(query, memory, memory)"
        )
    # What was checked once under another name can differ from it in nothing but the features.
    if key is not query or kdim != embed_dim:
        _check_layer_input("key", key, "kdim", kdim, weight)
        _check_same_leading_axes("key", key, "query", query)
    if value is not key or vdim != kdim:
        _check_layer_input("value", value, "vdim", vdim, weight)
        _check_same_leading_axes("value", value, "query", query)
        _check_same_length(key, value)
    if attn_mask is not None:
        _check_mask_alone(is_causal)
        *leading, query_len, _ = query.shape
        scores_shape = (*leading, num_heads, query_len, key.shape[-2])
        _check_mask(attn_mask, "query", query, scores_shape)
    return query, key, value


def _check_layer_input(
    name: str, tensor: Tensor, size_name: str, size: int, weight: Tensor
) -> None:
    _check_tensor(name, tensor)
    _check_same_kind(name, tensor, "the weights of MultiHeadAttention", weight)
    if tensor.shape[-1] != size:
        raise ValueError(
            f"{name} must have {size_name}={size} features in the last axis, "
            f"got {tensor.shape[-1]}: {name} {_shape(tensor)}"
        )


def check_torch_layer(module: nn.MultiheadAttention) -> None:
    """Refuse what `MultiHeadAttention.from_torch` cannot copy."""
    if not isinstance(module, nn.MultiheadAttention):
        raise TypeError(f"module must be a torch.nn.MultiheadAttention, got {_kind(module)}")
    if module.bias_k is not None:
        raise ValueError(
            "module must be made with add_bias_kv=False, got True: "
            "MultiHeadAttention has no learned key and value to add to every sequence"
        )
    if module.add_zero_attn:
        raise ValueError(
            "module must be made with add_zero_attn=False, got True: "
            "MultiHeadAttention adds no key of zeros to a sequence"
        )


def check_rotary_arguments(
    x: Tensor, positions: Tensor | None, base: float, interleaved: bool
) -> None:
    """Refuse what `rotary_embedding` cannot take."""
    check_flag("interleaved", interleaved)
    _check_number("base", base)
    if not 0.0 < base < math.inf:
        raise ValueError(f"base must be positive and finite, got {base}")
    _check_tensor("x", x)
    if x.shape[-1] % 2 != 0:
        raise ValueError(
            f"x must have an even number of features, got {x.shape[-1]}: x {_shape(x)}"
        )
    if positions is None:
        return
    if not isinstance(positions, Tensor):
        raise TypeError(f"positions must be a tensor or None, got {_kind(positions)}")
    if positions.dtype not in (*_INT_DTYPES, *_FLOAT_DTYPES):
        raise TypeError(f"positions must be integers or floats, got {positions.dtype}")
    if positions.device != x.device:
        raise ValueError(
            f"positions must be on the device of x, {x.device}, got {positions.device}"
        )
    tokens_shape = tuple(x.shape[:-1])
    if not _broadcasts_to(positions.shape, tokens_shape):
        raise ValueError(
            f"positions must broadcast to the axes of x before the last, {tokens_shape}, "
            f"got {_shape(positions)}"
        )


def check_plot_arguments(
    weights: Tensor, query_labels: Sequence[str] | None, key_labels: Sequence[str] | None
) -> None:
    """Refuse what `plot_attention` cannot take, but for its axes."""
    _check_tensor("weights", weights)
    if weights.dim() > 3 or weights.numel() == 0:
        raise ValueError(
            "weights must have shape (L, S) or (num_heads, L, S), with no axis of size 0, "
            f"got {_shape(weights)}"
        )
    if weights.is_meta:
        raise ValueError("weights must have numbers, got a tensor on the device meta")
    if (weights < 0).any():
        raise ValueError(f"weights must not be negative, got {float(weights.detach().min())}")
    *_, query_len, key_len = weights.shape
    _check_labels("query_labels", query_labels, query_len)
    _check_labels("key_labels", key_labels, key_len)


def _check_labels(name: str, labels: Sequence[str] | None, count: int) -> None:
    if labels is None:
        return
    # A string is a sequence of strings, but hardly ever meant as one.
    if not isinstance(labels, Sequence) or isinstance(labels, str):
        raise TypeError(f"{name} must be a list of strings or None, got {_kind(labels)}")
    for label in labels:
        if not isinstance(label, str):
            raise TypeError(f"{name} must be a list of strings, got one with {_kind(label)}")
    if len(labels) != count:
        raise ValueError(f"{name} must have {count} strings, got {len(labels)}")


def check_lengths(lengths: Tensor, max_len: int | None) -> None:
    """Refuse what `padding_mask` cannot take."""
    if not isinstance(lengths, Tensor):
        raise TypeError(f"lengths must be a tensor, got {_kind(lengths)}")
    if lengths.dtype not in _INT_DTYPES:
        raise TypeError(f"lengths must have an integer dtype, got {lengths.dtype}")
    if lengths.dim() != 1:
        raise ValueError(f"lengths must have shape (batch,), got {_shape(lengths)}")
    if max_len is not None:
        check_int("max_len", max_len, minimum=0)
    if lengths.is_meta:
        if max_len is None:
            raise ValueError("max_len must be given when lengths has no numbers (device meta)")
        return
    if lengths.numel() == 0:
        return
    shortest, longest = (int(length) for length in lengths.aminmax())
    if shortest < 0:
        raise ValueError(f"lengths must not be negative, got {shortest}")
    if max_len is not None and longest > max_len:
        raise ValueError(f"lengths must be at most max_len, {max_len}, got {longest}")


def check_int(name: str, value: int, *, minimum: int | None = None) -> None:
    """Refuse all but an int, and an int below the minimum."""
    # torch.export gives sizes as SymInt, which is not an int to isinstance.
    if isinstance(value, bool) or not isinstance(value, (int, torch.SymInt)):
        raise TypeError(f"{name} must be an int, got {_kind(value)}")
    _check_fits(name, value)
    if minimum is not None and value < minimum:
        raise ValueError(f"{name} must be at least {minimum}, got {value}")


def check_flag(name: str, value: bool) -> None:
    """Refuse all but True and False."""
    if not isinstance(value, bool):
        raise TypeError(f"{name} must be a bool, got {_kind(value)}")


def _check_number(name: str, value: float) -> None:
    # True would pass for 1.0: most likely a flag that was put in the wrong place.
    if isinstance(value, bool) or not isinstance(value, (int, float, torch.SymInt, torch.SymFloat)):
        raise TypeError(f"{name} must be a number, got {_kind(value)}")
    if isinstance(value, int):
        _check_fits(name, value)


def _check_fits(name: str, value: int) -> None:
    # torch would raise an error of its own.
    if not -_INT64 <= value < _INT64:
        raise ValueError(f"{name} must fit in 64 bits, got {value}")


def _check_probability(name: str, value: float) -> None:
    _check_number(name, value)
    # Written so that NaN, for which every comparison is false, is refused too.
    if not 0.0 <= value <= 1.0:
        raise ValueError(f"{name} must be between 0 and 1, got {value}")


def _check_tensor(name: str, tensor: Tensor, rank: int = 2) -> None:
    if not isinstance(tensor, Tensor):
        raise TypeError(f"{name} must be a tensor, got {_kind(tensor)}")
    if tensor.dtype not in _FLOAT_DTYPES:
        expected = ", ".join(str(dtype) for dtype in _FLOAT_DTYPES)
        raise TypeError(f"{name} must have one of the dtypes {expected}, got {tensor.dtype}")
    if tensor.dim() < rank:
        raise ValueError(f"{name} must have at least {rank} axes, got shape {_shape(tensor)}")


def _check_same_kind(name: str, tensor: Tensor, other_name: str, other: Tensor) -> None:
    if tensor.device != other.device:
        raise ValueError(
            f"{name} must be on the device of {other_name}, {other.device}, got {tensor.device}"
        )
    # Under autocast torch brings the dtypes of a product together by itself.
    if tensor.dtype != other.dtype and not torch.is_autocast_enabled(other.device.type):
        raise TypeError(
            f"{name} must have the dtype of {other_name}, {other.dtype}, got {tensor.dtype}"
        )


def _check_same_leading_axes(name: str, tensor: Tensor, other_name: str, other: Tensor) -> None:
    if tensor.shape[:-2] != other.shape[:-2]:
        raise ValueError(
            f"{name} must have the leading axes of {other_name}, {tuple(other.shape[:-2])}, "
            f"got {tuple(tensor.shape[:-2])}: "
            f"{other_name} {_shape(other)}, {name} {_shape(tensor)}"
        )


def _check_shapes(query: Tensor, key: Tensor, value: Tensor, enable_gqa: bool) -> None:
    if enable_gqa:
        _check_head_groups(query, key, value)
    else:
        _check_same_leading_axes("key", key, "query", query)
        _check_same_leading_axes("value", value, "query", query)
    _check_head_dim(query, key)
    _check_same_length(key, value)


def _check_head_groups(query: Tensor, key: Tensor, value: Tensor) -> None:
    shapes = f"query {_shape(query)}, key {_shape(key)}, value {_shape(value)}"
    if not query.shape[:-3] == key.shape[:-3] == value.shape[:-3]:
        raise ValueError(
            "query, key and value must have the same axes before num_heads, "
            f"{tuple(query.shape[:-3])}, got {shapes}"
        )
    if key.shape[-3] != value.shape[-3]:
        raise ValueError(
            "key and value must have the same number of heads, "
            f"got {key.shape[-3]} and {value.shape[-3]}: {shapes}"
        )
    if key.shape[-3] == 0 or query.shape[-3] % key.shape[-3] != 0:
        raise ValueError(
            "the number of heads of key must divide that of query, "
            f"got {key.shape[-3]} and {query.shape[-3]}: {shapes}"
        )


def _check_head_dim(query: Tensor, key: Tensor) -> None:
    if query.shape[-1] != key.shape[-1]:
        raise ValueError(
            f"key must have the head_dim of query, {query.shape[-1]}, got {key.shape[-1]}: "
            f"query {_shape(query)}, key {_shape(key)}"
        )


def _check_same_length(key: Tensor, value: Tensor) -> None:
    if key.shape[-2] != value.shape[-2]:
        raise ValueError(
            "key and value must have the same length, "
            f"got {key.shape[-2]} keys and {value.shape[-2]} values: "
            f"key {_shape(key)}, value {_shape(value)}"
        )


def _check_mask_alone(is_causal: bool) -> None:
    if is_causal:
        raise ValueError(
            "attn_mask and is_causal=True exclude each other, got both; combine boolean masks "
            "with &, as in attn_mask=mask & causal_mask(query_len, key_len)"
        )


def _check_mask(
    attn_mask: Tensor, name: str, tensor: Tensor, scores_shape: tuple[int, ...]
) -> None:
    if not isinstance(attn_mask, Tensor):
        raise TypeError(f"attn_mask must be a tensor or None, got {_kind(attn_mask)}")
    if attn_mask.dtype != torch.bool:
        # A mask of integers 0 and 1 would be added to the scores, and hide nothing.
        if not attn_mask.is_floating_point():
            raise TypeError(
                "attn_mask must be torch.bool (True: may attend) or a float mask of the dtype of "
                f"{name}, {tensor.dtype}, got {attn_mask.dtype}"
            )
        _check_same_kind("attn_mask", attn_mask, name, tensor)
    elif attn_mask.device != tensor.device:
        raise ValueError(
            f"attn_mask must be on the device of {name}, {tensor.device}, got {attn_mask.device}"
        )
    if not _broadcasts_to(attn_mask.shape, scores_shape):
        raise ValueError(
            f"attn_mask must broadcast to the shape of the scores, {scores_shape}, "
            f"got {_shape(attn_mask)}{_mask_hint(attn_mask.shape, scores_shape)}"
        )


def _mask_hint(shape: tuple[int, ...], scores_shape: tuple[int, ...]) -> str:
    """Two masks that were most likely meant for each sequence of (batch, num_heads, L, S)."""
    if len(scores_shape) == 4:
        batch, _, query_len, key_len = scores_shape
        if shape == (batch, query_len, key_len):
            return "; a mask for each sequence needs an axis for the heads: attn_mask[:, None]"
        if shape == (batch, key_len):
            return "; a mask of the keys of each sequence is attn_mask[:, None, None, :]"
    return ""


def _broadcasts_to(shape: tuple[int, ...], target: tuple[int, ...]) -> bool:
    last = target[max(len(target) - len(shape), 0) :]
    # A mask of the whole size, the common case, needs no look at each axis.
    return shape == last or (
        len(shape) == len(last)
        and all(size in (1, wanted) for size, wanted in zip(shape, last, strict=True))
    )


def _shape(tensor: Tensor) -> str:
    return str(tuple(tensor.shape))


def _kind(value: object) -> str:
    text = repr(value) if isinstance(value, (bool, int, float, str)) else ""
    return f"{type(value).__name__} {text}".rstrip()
