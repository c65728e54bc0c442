"""Checks of arguments that torch would take and compute wrongly, or refuse in unclear words.

Each message names the argument, what was expected and what came. A wrong type or dtype is a
`TypeError`, a wrong value, shape or device a `ValueError`.

A check with one caller is in the module of its caller.
"""

import math
from numbers import Real

import torch
from torch import Tensor

from attention_steps._numerics import is_autocast_on

_NUMBERS = (int, float, Real, torch.SymInt, torch.SymFloat)


def check_scores_arguments(query: Tensor, key: Tensor) -> None:
    check_same_leading_axes("key", key, "query", query)
    check_same_dtype("key", key, "query", query)
    _check_head_dim(query, key)


def _check_head_dim(query: Tensor, key: Tensor) -> None:
    if query.shape[-1] != key.shape[-1]:
        raise ValueError(
            f"key must have the head_dim of query, {query.shape[-1]}, got {key.shape[-1]}: "
            f"query {shape_of(query)}, key {shape_of(key)}"
        )


def check_context_arguments(weights: Tensor, value: Tensor) -> None:
    check_same_leading_axes("value", value, "weights", weights)
    check_same_dtype("value", value, "weights", weights)
    if weights.shape[-1] != value.shape[-2]:
        raise ValueError(
            f"value must have a row for each key of weights, {weights.shape[-1]}, "
            f"got {value.shape[-2]}: weights {shape_of(weights)}, value {shape_of(value)}"
        )


def check_attention_arguments(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> None:
    """Check the arguments of `scaled_dot_product_attention` and its relatives."""
    check_flag("is_causal", is_causal)
    check_flag("enable_gqa", enable_gqa)
    if scale is not None:
        check_scale("scale", scale)
    check_plain("query", query)
    check_plain("key", key)
    check_plain("value", value)
    if not is_wide_float(query.dtype):
        check_float("query", query)
    # Tensors of one kind and shape go together: the common case needs no look at each.
    if not (query.dtype is key.dtype is value.dtype and query.device == key.device == value.device):
        check_same_kind("key", key, "query", query)
        check_same_kind("value", value, "query", query)
    if enable_gqa:
        _check_head_groups(query, key, value)
        _check_head_dim(query, key)
        check_same_length(key, value)
    elif query.dim() < 2 or not query.shape == key.shape == value.shape:
        check_scores_arguments(query, key)
        check_same_leading_axes("value", value, "query", query)
        check_same_length(key, value)
    if attn_mask is not None:
        check_attn_mask(attn_mask, is_causal, query, key)


def check_extras(query: Tensor, softcap: float | None, sinks: Tensor | None) -> None:
    """Check what `scaled_dot_product_attention` takes besides torch's arguments."""
    if softcap is not None:
        check_positive("softcap", softcap)
    if sinks is not None:
        check_sinks("sinks", sinks, query)


def check_sinks(name: str, sinks: Tensor, query: Tensor) -> None:
    check_float(name, sinks)
    check_same_device(name, sinks, "query", query)
    if sinks.shape != query.shape[-3:-2]:  # one number for all heads would broadcast
        raise ValueError(
            f"{name} must have one number for each head, {tuple(query.shape[-3:-2])}, "
            f"got {shape_of(sinks)}"
        )


def check_scale(name: str, scale: float) -> None:
    # Tiles and a ring would drop its gradient.
    if isinstance(scale, Tensor):
        raise TypeError(
            f"{name} must be a number, got Tensor; where it is learned, multiply the queries by "
            f"it and pass {name}=1.0"
        )
    check_number(name, scale)
    if not -math.inf < scale < math.inf:
        raise ValueError(f"{name} must be finite, got {scale}")


def check_tensor(name: str, value: object) -> None:
    """Refuse what is not a tensor, or one without an array of numbers."""
    if not isinstance(value, Tensor):
        raise TypeError(f"{name} must be a tensor, got {type(value).__name__}")
    if value.layout not in (torch.strided, torch.jagged):
        kind = f"one of layout {value.layout}"
    elif value.is_nested and value.layout is torch.strided:
        kind = "a nested tensor"
    elif value.is_quantized:
        kind = "a quantized tensor"
    else:
        return
    raise TypeError(f"{name} must be a plain tensor, got {kind}")


def check_flag(name: str, value: object) -> None:
    """Refuse what is no bool: Python takes "no" for True, and cannot decide about a mask."""
    # A graph's flag may follow from a symbolic length.
    if not (value is False or value is True or isinstance(value, (bool, torch.SymBool))):
        raise TypeError(f"{name} must be True or False, got {_shown(value)}")


def check_callable(name: str, value: object) -> None:
    if not callable(value):
        raise TypeError(f"{name} must be a function, got {_shown(value)}")


def check_number(name: str, value: object) -> None:
    """Refuse what is no number: a tensor too, whose gradient would be dropped by some functions."""
    if not isinstance(value, _NUMBERS) or isinstance(value, bool):
        raise TypeError(f"{name} must be a number, got {_shown(value)}")


def _shown(value: object) -> str:
    """Name what came in the place of another argument: most often a mask."""
    if not isinstance(value, Tensor):
        return f"{type(value).__name__} {value!r}"
    hint = "; a mask is passed as attn_mask" if value.dim() > 1 else ""
    return f"a tensor of shape {shape_of(value)}{hint}"


def check_integer(name: str, value: int) -> None:
    """Refuse a float, which `torch.arange` would round up, and a bool."""
    # First, since `torch.compile` cannot ask a symbolic length for its attributes.
    if not isinstance(value, int) or isinstance(value, bool):
        # A tensor and an array have `__index__`, too, whatever they hold.
        is_array = isinstance(value, (bool, Tensor)) or getattr(value, "ndim", 0)
        if is_array or not hasattr(value, "__index__"):
            raise TypeError(f"{name} must be an int, got {type(value).__name__} {value}")


def check_size(name: str, value: int, *, minimum: int = 0, most: int | None = None) -> None:
    """Refuse a float, and a size out of bounds."""
    check_integer(name, value)
    if value < minimum:
        raise ValueError(f"{name} must be at least {minimum}, got {value}")
    if most is not None and value > most:
        raise ValueError(f"{name} must be at most {most}, got {value}")


def check_probability(name: str, value: float) -> None:
    """Refuse a number outside 0 to 1, and NaN, for which every comparison is false."""
    if type(value) is not float:  # the common case
        check_number(name, value)
    if not 0.0 <= value <= 1.0:
        raise ValueError(f"{name} must be between 0 and 1, got {value}")


def check_positive(name: str, value: float) -> None:
    """Refuse zero, negative numbers, infinity and NaN."""
    check_number(name, value)
    if not 0.0 < value < math.inf:
        raise ValueError(f"{name} must be positive and finite, got {value}")


def check_same_leading_axes(name: str, tensor: Tensor, other_name: str, other: Tensor) -> None:
    """Refuse axes before the last two that torch would broadcast, and tensors on two devices."""
    check_axes(other_name, other)
    check_axes(name, tensor)
    check_same_device(name, tensor, other_name, other)
    if tensor.shape[:-2] != other.shape[:-2]:
        raise ValueError(
            f"{name} must have the leading axes of {other_name}, {tuple(other.shape[:-2])}, "
            f"got {tuple(tensor.shape[:-2])}: "
            f"{other_name} {shape_of(other)}, {name} {shape_of(tensor)}"
            + ("; enable_gqa=True lets heads share keys" if _may_share(tensor, other) else "")
        )


def _may_share(key: Tensor, query: Tensor) -> bool:
    """Tell whether the shapes are those of heads that share keys."""
    return (
        key.dim() == query.dim() >= 3
        and key.shape[:-3] == query.shape[:-3]
        and 0 < key.shape[-3] < query.shape[-3]
        and query.shape[-3] % key.shape[-3] == 0
    )


def check_plain(name: str, tensor: Tensor) -> None:
    check_tensor(name, tensor)
    # The numbers of a CausalBias were never written; `plain_mask` has filled in a whole one.
    kind = "a nested tensor" if tensor.is_nested else type(tensor).__name__
    if tensor.is_nested or kind == "CausalBias":
        raise TypeError(f"{name} must be a plain tensor, got {kind}")


def check_axes(name: str, tensor: Tensor) -> None:
    check_tensor(name, tensor)
    if tensor.dim() < 2:
        raise ValueError(f"{name} must have at least 2 axes, got shape {shape_of(tensor)}")


def check_float(name: str, tensor: Tensor) -> None:
    check_tensor(name, tensor)
    if not is_wide_float(tensor.dtype):
        raise TypeError(f"{name} must have a floating-point dtype, got {tensor.dtype}")


def is_wide_float(dtype: torch.dtype) -> bool:
    """Tell float16 and wider ones from dtypes of 8 bits, in which torch stores and does not add."""
    return dtype.is_floating_point and dtype.itemsize > 1


def check_integers(name: str, tensor: Tensor) -> None:
    check_tensor(name, tensor)
    if tensor.is_floating_point() or tensor.is_complex() or tensor.dtype == torch.bool:
        raise TypeError(f"{name} must have an integer dtype, got {tensor.dtype}")


def check_same_device(name: str, tensor: Tensor, other_name: str, other: Tensor) -> None:
    # With one of the two on the device meta, a product holds numbers that were never written.
    if tensor.device != other.device:
        raise ValueError(
            f"{name} must be on the device of {other_name}, {other.device}, got {tensor.device}"
        )


def check_fits_cache(name: str, tensor: Tensor, past: Tensor) -> None:
    """Refuse new tokens of another kind or shape than those that a cache has."""
    # torch would bring two dtypes together.
    check_same_kind(name, tensor, "the cache", past)
    if (*past.shape[:-2], past.shape[-1]) != (*tensor.shape[:-2], tensor.shape[-1]):
        raise ValueError(
            f"{name} must have the axes of the cache but for the tokens, {shape_of(past)}, "
            f"got {shape_of(tensor)}"
        )


def check_same_kind(name: str, tensor: Tensor, other_name: str, other: Tensor) -> None:
    """Refuse another dtype, and another device."""
    check_same_device(name, tensor, other_name, other)
    if tensor.dtype != other.dtype:
        _refuse_dtype(name, tensor, other_name, other)


def check_same_dtype(name: str, tensor: Tensor, other_name: str, other: Tensor) -> None:
    """Refuse another dtype, but under autocast, which brings the two together by itself."""
    if tensor.dtype != other.dtype and not is_autocast_on(other):
        _refuse_dtype(name, tensor, other_name, other)


def _refuse_dtype(name: str, tensor: Tensor, other_name: str, other: Tensor) -> None:
    raise TypeError(
        f"{name} must have the dtype of {other_name}, {other.dtype}, got {tensor.dtype}"
    )


def _check_head_groups(query: Tensor, key: Tensor, value: Tensor) -> None:
    if (
        not query.dim() == key.dim() == value.dim() >= 3
        or key.shape[:-3] != query.shape[:-3]
        or key.shape[:-2] != value.shape[:-2]
        or key.shape[-3] == 0
        or query.shape[-3] % key.shape[-3] != 0
    ):
        raise ValueError(
            "with enable_gqa, key and value must have the axes of query before its heads, and one "
            f"number of heads that divides that of query, got query {shape_of(query)}, "
            f"key {shape_of(key)}, value {shape_of(value)}"
        )


def check_same_length(key: Tensor, value: Tensor) -> None:
    if key.shape[-2] != value.shape[-2]:
        raise ValueError(
            "key and value must have the same length, "
            f"got {key.shape[-2]} keys and {value.shape[-2]} values: "
            f"key {shape_of(key)}, value {shape_of(value)}"
        )


def check_attn_mask(attn_mask: Tensor, is_causal: bool, query: Tensor, key: Tensor) -> None:
    if is_causal:
        raise ValueError(
            "attn_mask and is_causal=True exclude each other, got both; combine boolean masks "
            "with &, as in attn_mask=mask & causal_mask(query_len, key_len)"
        )
    # The scores are float32 at least, so a float32 mask is added to them as it is.
    check_mask(attn_mask, (query.dtype, torch.float32), (*query.shape[:-1], key.shape[-2]))
    check_same_device("attn_mask", attn_mask, "query", query)


def check_mask(
    attn_mask: Tensor,
    float_dtypes: tuple[torch.dtype, ...],
    scores_shape: tuple[int, ...],
    name: str = "attn_mask",
) -> None:
    check_plain(name, attn_mask)
    if attn_mask.dtype != torch.bool:
        # A mask of integers 0 and 1 would be added to the scores, and hide nothing.
        if not attn_mask.is_floating_point():
            raise TypeError(
                f"{name} must be torch.bool (True: may attend) or a float mask, "
                f"got {attn_mask.dtype}; "
                f"where 1 stands for may attend and 0 for may not, pass {name}.bool()"
            )
        # Under autocast torch brings the dtypes of mask and scores together by itself.
        if attn_mask.dtype not in float_dtypes and not is_autocast_on(attn_mask):
            wanted = " or ".join(sorted({str(dtype) for dtype in float_dtypes}))
            raise TypeError(f"{name} must be torch.bool or {wanted}, got {attn_mask.dtype}")
    if not broadcasts_to(attn_mask.shape, scores_shape):
        raise ValueError(
            f"{name} must broadcast to the shape of the scores, {tuple(scores_shape)}, "
            f"got {shape_of(attn_mask)}{_mask_hint(attn_mask.shape, scores_shape)}"
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


def broadcasts_to(shape: tuple[int, ...], target: tuple[int, ...]) -> bool:
    # A mask of whole axes is the common case, and needs no look at each of them.
    return shape == target[-len(shape) :] or (
        len(shape) <= len(target)
        # Not `size in (1, want)`: torch.compile answers that wrongly where `want` is symbolic.
        and all(
            size == 1 or size == want for size, want in zip(shape[::-1], target[::-1], strict=False)
        )
    )


def shape_of(tensor: Tensor) -> str:
    return str(tuple(tensor.shape))
