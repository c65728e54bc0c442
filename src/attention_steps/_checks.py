"""Refusals of what torch would answer silently and wrongly, or in words that hide the mistake.

Each message names the argument, what was expected and what came. A wrong dtype is a `TypeError`,
a wrong value or shape a `ValueError`. What torch or Python refuse clearly by themselves is left to
them: what is no tensor, tensors on two devices, a product of two dtypes, or of sizes that do not
fit.
"""

import math
from collections.abc import Sequence

import torch
from torch import Tensor, nn


def check_scores_arguments(query: Tensor, key: Tensor) -> None:
    """Refuse what `attention_scores` cannot take."""
    check_same_leading_axes("key", key, "query", query)
    if query.shape[-1] != key.shape[-1]:
        raise ValueError(
            f"key must have the head_dim of query, {query.shape[-1]}, got {key.shape[-1]}: "
            f"query {_shape(query)}, key {_shape(key)}"
        )


def check_weights_arguments(scores: Tensor, attn_mask: Tensor | None) -> None:
    """Refuse what `attention_weights` cannot take."""
    _check_float("scores", scores)
    _check_axes("scores", scores)
    if attn_mask is not None:
        _check_mask(attn_mask, (scores.dtype,), scores.shape)


def check_attention_arguments(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> None:
    """Refuse what `scaled_dot_product_attention` and `trace_attention` cannot take."""
    if scale is not None and not -math.inf < scale < math.inf:
        raise ValueError(f"scale must be finite, got {scale}")
    for name, tensor in (("query", query), ("key", key), ("value", value)):
        _check_plain(name, tensor)
    _check_float("query", query)
    _check_same_dtype("key", key, "query", query)
    _check_same_dtype("value", value, "query", query)
    if enable_gqa:
        _check_head_groups(query, key, value)
        _check_same_length(key, value)
    # Tensors of one shape go together: the common case needs no look at each axis.
    elif query.dim() < 2 or not query.shape == key.shape == value.shape:
        check_scores_arguments(query, key)
        check_same_leading_axes("value", value, "query", query)
        _check_same_length(key, value)
    if attn_mask is not None:
        _check_attn_mask(attn_mask, is_causal, query, key)


def check_parts(context_1: Tensor, lse_1: Tensor, context_2: Tensor, lse_2: Tensor) -> None:
    """Refuse parts that `merge_attention` would broadcast into something else."""
    for name, tensor in (("context_1", context_1), ("lse_1", lse_1), ("lse_2", lse_2)):
        _check_float(name, tensor)
    _check_same_dtype("context_2", context_2, "context_1", context_1)
    _check_axes("context_1", context_1)
    tokens = tuple(context_1.shape[:-1])
    if context_2.shape != context_1.shape or not lse_1.shape == lse_2.shape == tokens:
        raise ValueError(
            f"context_2 must have the shape of context_1, {_shape(context_1)}, and lse_1 and lse_2 "
            f"one number for each context vector, {tokens}, got context_2 {_shape(context_2)}, "
            f"lse_1 {_shape(lse_1)}, lse_2 {_shape(lse_2)}"
        )


def check_linear_arguments(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    decay: Tensor | None,
    state: Tensor | None,
    chunk_size: int | None,
) -> None:
    """Refuse what `linear_attention` cannot take."""
    if chunk_size is not None:
        check_size("chunk_size", chunk_size, minimum=1)
    check_attention_arguments(query, key, value)
    if key.shape[-2] != query.shape[-2]:
        raise ValueError(
            f"key must have the length of query, {query.shape[-2]}, got {key.shape[-2]}: each "
            "token writes, then reads"
        )
    if decay is not None:
        check_tensor("decay", decay)
        if not ((decay >= 0.0) & (decay <= 1.0)).all():
            smallest, largest = (float(end.detach()) for end in decay.aminmax())
            raise ValueError(f"decay must be from 0 to 1, got {smallest:g} to {largest:g}")
    state_shape = (*query.shape[:-2], query.shape[-1], value.shape[-1])
    if state is not None and tuple(state.shape) != state_shape:
        raise ValueError(
            f"state must have the shape (..., head_dim, value_dim), {state_shape}, "
            f"got {_shape(state)}"
        )


def check_group(group: object) -> None:
    """Refuse what is no process group of this rank."""
    # torch gives a rank that is left out of a new group something that is none. Its classes of
    # groups have no base in common.
    if not all(callable(getattr(group, name, None)) for name in ("rank", "size")):
        raise TypeError(
            "group must be a process group to which this rank belongs, "
            f"got {type(group).__name__}; under torchrun it is torch.distributed.group.WORLD, "
            "after init_process_group()"
        )


def check_ring_arguments(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    positions: Tensor,
    scale: float | None,
    enable_gqa: bool,
) -> None:
    """Refuse what `ring_attention` cannot take."""
    check_attention_arguments(query, key, value, scale=scale, enable_gqa=enable_gqa)
    _check_integers("positions", positions)
    for name, tensor in (("query", query), ("key", key)):
        if positions.shape != tensor.shape[-2:-1]:
            raise ValueError(
                f"positions must have one number for each token of {name}, "
                f"({tensor.shape[-2]},), got {_shape(positions)}"
            )


def check_split(x: Tensor, split_dim: int, world_size: int) -> None:
    """Refuse what `all_to_all` cannot cut into equal pieces."""
    size = x.size(split_dim)
    if size % world_size != 0:
        raise ValueError(
            f"the number of ranks must divide axis {split_dim} of x, got {world_size} ranks for "
            f"{size}: x {_shape(x)}"
        )


def check_head_tail(length: int, rank: int, world_size: int) -> None:
    """Refuse what `head_tail_positions` cannot share out evenly."""
    check_size("length", length)
    check_size("rank", rank)
    check_size("world_size", world_size, minimum=1)
    if rank >= world_size:
        raise ValueError(f"rank must be below world_size, {world_size}, got {rank}")
    if length % (2 * world_size) != 0:
        raise ValueError(
            f"length must be a multiple of 2 * world_size, {2 * world_size}, got {length}: pad the "
            "sequence"
        )


def check_constant_mask(attn_mask: Tensor | None) -> None:
    """Refuse a mask that `tiled_attention` would leave without its gradient."""
    if attn_mask is not None and attn_mask.requires_grad:
        raise ValueError(
            "attn_mask must not require a gradient, got requires_grad=True: the gradient of a mask "
            "is as large as the weights; use scaled_dot_product_attention"
        )


def check_multi_head_sizes(sizes: dict[str, int], dropout: float) -> None:
    """Refuse what `MultiHeadAttention` cannot be made from."""
    for name, size in sizes.items():
        check_size(name, size, minimum=1)
    # Written so that NaN, for which every comparison is false, is refused too.
    if not 0.0 <= dropout <= 1.0:
        raise ValueError(f"dropout must be between 0 and 1, got {dropout}")
    embed_dim, num_heads, num_kv_heads = (
        sizes[name] for name in ("embed_dim", "num_heads", "num_kv_heads")
    )
    if "head_dim" not in sizes and embed_dim % num_heads != 0:
        raise ValueError(
            f"num_heads must divide embed_dim, got embed_dim={embed_dim} and num_heads={num_heads}"
        )
    if num_heads % num_kv_heads != 0:
        raise ValueError(
            "num_kv_heads must divide num_heads, "
            f"got num_heads={num_heads} and num_kv_heads={num_kv_heads}"
        )


def check_multi_head_inputs(query: Tensor, key: Tensor | None, value: Tensor | None) -> None:
    """Refuse tokens that do not belong together, before `MultiHeadAttention` projects them."""
    if key is None or value is None:
        given, missing = ("key", "value") if value is None else ("value", "key")
        raise ValueError(
            f"key and value must be given together, got {given} without {missing}; leave both out "
            "for self-attention, or pass the same tensor twice, as in "
            "attention(query, memory, memory)"
        )
    check_tensor("query", query)
    # torch's fused function takes jagged tensors, and nested ones that are strided have no shape.
    if query.is_nested and query.layout is not torch.jagged:
        _check_plain("query", query)
    _check_axes("query", query)
    if key is not query:
        check_same_leading_axes("key", key, "query", query)
    if value is not key:
        check_same_leading_axes("value", value, "query", query)
        _check_same_length(key, value)


def check_heads(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None,
    is_causal: bool,
    num_heads: int,
    num_kv_heads: int,
) -> None:
    """Refuse heads that do not belong together, and masks that do not fit them.

    A device may hold a part of the heads: each group of query heads, with its key and value head.
    """
    heads, kv_heads = query.shape[-3], key.shape[-3]
    if heads * num_kv_heads != kv_heads * num_heads or key.shape[:-1] != value.shape[:-1]:
        raise ValueError(
            f"q_proj, k_proj and v_proj must give heads in the ratio {num_heads} to "
            f"{num_kv_heads} to {num_kv_heads}, got query {_shape(query)}, key {_shape(key)}, "
            f"value {_shape(value)}"
        )
    if attn_mask is not None:
        _check_attn_mask(attn_mask, is_causal, query, key)


def check_torch_layer(module: nn.MultiheadAttention) -> None:
    """Refuse what `MultiHeadAttention.from_torch` cannot copy."""
    # A parametrized layer is a subclass too, with torch's forward.
    if getattr(module.forward, "__func__", None) is not nn.MultiheadAttention.forward:
        raise TypeError(
            "module must compute what torch.nn.MultiheadAttention does, "
            f"got {type(module).__name__} with a forward of its own"
        )
    for option, is_set in (
        ("add_bias_kv", module.bias_k is not None),
        ("add_zero_attn", module.add_zero_attn),
    ):
        if is_set:
            raise ValueError(
                f"module must be made with {option}=False, got True: "
                "MultiHeadAttention adds no key to a sequence"
            )


def check_rotary_scaling(
    dim: int,
    base: float,
    factor: float,
    trained_length: int | None,
    turns: tuple[float, float] | None,
) -> None:
    """Refuse what `rotary_frequencies` cannot take."""
    check_size("dim", dim, minimum=2)
    if dim % 2 != 0:
        raise ValueError(f"dim must be even, got {dim}")
    check_positive("base", base)
    check_positive("factor", factor)
    if trained_length is not None:
        check_size("trained_length", trained_length, minimum=1)
    elif turns is not None:
        raise ValueError(f"turns need trained_length, got turns={turns} without it")
    if turns is not None and not (len(turns) == 2 and 0.0 <= turns[0] < turns[1] < math.inf):
        raise ValueError(f"turns must be two numbers in ascending order, got {turns}")


def check_rotary_arguments(
    x: Tensor, positions: Tensor | None, base: float, frequencies: Tensor | None
) -> None:
    """Refuse what `rotary_embedding` cannot take."""
    check_positive("base", base)
    # The result has the dtype of x: integers would be rounded.
    _check_float("x", x)
    _check_axes("x", x)
    if x.shape[-1] % 2 != 0:
        raise ValueError(
            f"x must have an even number of features, got {x.shape[-1]}: x {_shape(x)}"
        )
    if frequencies is not None:
        if base != 10000.0:
            raise ValueError(f"frequencies come in place of base, got both, base={base}")
        if frequencies.shape != (x.shape[-1] // 2,):
            raise ValueError(
                f"frequencies must have one number for each pair of features, "
                f"({x.shape[-1] // 2},), got {_shape(frequencies)}"
            )
    if positions is None:
        return
    # Half precision cannot count far, and a mask would be taken as positions 0 and 1.
    if positions.dtype not in (torch.float32, torch.float64) and (
        positions.is_floating_point() or positions.is_complex() or positions.dtype == torch.bool
    ):
        raise TypeError(f"positions must be integers, or float32 or float64, got {positions.dtype}")
    if not _broadcasts_to(positions.shape, x.shape[:-1]):
        raise ValueError(
            f"positions must broadcast to the axes of x before the last, {tuple(x.shape[:-1])}, "
            f"got {_shape(positions)}"
        )


def check_cache_arguments(
    key: Tensor, value: Tensor, past_key: Tensor | None, past_value: Tensor | None
) -> None:
    """Refuse what `KVCache.append` cannot take."""
    check_same_leading_axes("value", value, "key", key)
    _check_same_length(key, value)
    for name, tensor, past in (("key", key, past_key), ("value", value, past_value)):
        # torch would bring two dtypes together.
        if past is not None:
            _check_same_dtype(name, tensor, "the cache", past)


def check_plot_arguments(
    weights: Tensor, query_labels: Sequence[str] | None, key_labels: Sequence[str] | None
) -> None:
    """Refuse what `plot_attention` cannot take."""
    if weights.dim() not in (2, 3) or weights.numel() == 0:
        raise ValueError(
            "weights must have shape (L, S) or (num_heads, L, S), with no axis of size 0, "
            f"got {_shape(weights)}"
        )
    if (weights < 0).any():
        raise ValueError(f"weights must not be negative, got {float(weights.detach().min())}")
    *_, query_len, key_len = weights.shape
    for name, labels, count in (
        ("query_labels", query_labels, query_len),
        ("key_labels", key_labels, key_len),
    ):
        if labels is not None and len(labels) != count:
            raise ValueError(f"{name} must have {count} strings, got {len(labels)}")


def check_lengths(lengths: Tensor, max_len: int | None) -> None:
    """Refuse what `padding_mask` cannot take."""
    # A fraction of the greatest length, or a mask, would be compared with positions all the same.
    _check_integers("lengths", lengths)
    if lengths.dim() != 1:
        raise ValueError(
            f"lengths must have shape (batch,), got {_shape(lengths)}; "
            "an attention_mask of 0 and 1 is already a mask: attention_mask.bool()[:, None, None]"
        )
    if max_len is not None:
        check_size("max_len", max_len)


def is_autocast_on(tensor: Tensor) -> bool:
    """Whether torch would now cast the tensor, to multiply it in a lower precision."""
    if tensor.is_cpu:  # asking for a device's name takes as long as a small operation
        return torch.is_autocast_enabled("cpu")
    device = tensor.device.type
    # Asking about a device that has no autocast, such as meta, is an error.
    return torch.amp.is_autocast_available(device) and torch.is_autocast_enabled(device)


def check_tensor(name: str, value: object) -> None:
    """Refuse what is no tensor, of which Python would name an attribute that it lacks."""
    if not isinstance(value, Tensor):
        raise TypeError(f"{name} must be a tensor, got {type(value).__name__}")


def check_integer(name: str, value: int) -> None:
    """Refuse a float, which `torch.arange` would round up."""
    # First, since `torch.compile` cannot ask a symbolic length for its attributes.
    if isinstance(value, int):
        return
    is_integer = hasattr(value, "__index__")
    # Every tensor has `__index__`. Calling it would read the number, which breaks a graph.
    if isinstance(value, Tensor):
        is_integer = value.numel() == 1 and not value.is_floating_point()
    if not is_integer:
        raise TypeError(f"{name} must be an int, got {type(value).__name__} {value}")


def check_size(name: str, value: int, *, minimum: int = 0) -> None:
    """Refuse a float, and a size below the minimum."""
    check_integer(name, value)
    if value < minimum:
        raise ValueError(f"{name} must be at least {minimum}, got {value}")


def check_positive(name: str, value: float) -> None:
    """Refuse zero, what is negative, infinity and NaN."""
    if not 0.0 < value < math.inf:
        raise ValueError(f"{name} must be positive and finite, got {value}")


def check_same_leading_axes(name: str, tensor: Tensor, other_name: str, other: Tensor) -> None:
    """Refuse axes before the last two that torch would broadcast."""
    _check_axes(other_name, other)
    _check_axes(name, tensor)
    if tensor.shape[:-2] != other.shape[:-2]:
        raise ValueError(
            f"{name} must have the leading axes of {other_name}, {tuple(other.shape[:-2])}, "
            f"got {tuple(tensor.shape[:-2])}: "
            f"{other_name} {_shape(other)}, {name} {_shape(tensor)}"
        )


def _check_plain(name: str, tensor: Tensor) -> None:
    # The numbers of a sparse tensor are no array; those of a CausalBias, of which `plain_mask` has
    # taken what is whole, were never filled in.
    kind = type(tensor).__name__
    if tensor.is_nested:
        kind = "a nested tensor"
    elif tensor.layout is not torch.strided:
        kind = f"one of layout {tensor.layout}"
    elif kind != "CausalBias":
        return
    raise TypeError(f"{name} must be a plain tensor, got {kind}")


def _check_axes(name: str, tensor: Tensor) -> None:
    if tensor.dim() < 2:
        raise ValueError(f"{name} must have at least 2 axes, got shape {_shape(tensor)}")


def _check_float(name: str, tensor: Tensor) -> None:
    if not tensor.is_floating_point():
        raise TypeError(f"{name} must have a floating-point dtype, got {tensor.dtype}")


def _check_integers(name: str, tensor: Tensor) -> None:
    if tensor.is_floating_point() or tensor.dtype == torch.bool:
        raise TypeError(f"{name} must have an integer dtype, got {tensor.dtype}")


def _check_same_dtype(name: str, tensor: Tensor, other_name: str, other: Tensor) -> None:
    if tensor.dtype != other.dtype:
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
            f"number of heads that divides that of query, got query {_shape(query)}, "
            f"key {_shape(key)}, value {_shape(value)}"
        )


def _check_same_length(key: Tensor, value: Tensor) -> None:
    if key.shape[-2] != value.shape[-2]:
        raise ValueError(
            "key and value must have the same length, "
            f"got {key.shape[-2]} keys and {value.shape[-2]} values: "
            f"key {_shape(key)}, value {_shape(value)}"
        )


def _check_attn_mask(attn_mask: Tensor, is_causal: bool, query: Tensor, key: Tensor) -> None:
    if is_causal:
        raise ValueError(
            "attn_mask and is_causal=True exclude each other, got both; combine boolean masks "
            "with &, as in attn_mask=mask & causal_mask(query_len, key_len)"
        )
    # The scores are float32 at least, so a float32 mask is added to them as it is.
    _check_mask(attn_mask, (query.dtype, torch.float32), (*query.shape[:-1], key.shape[-2]))


def _check_mask(
    attn_mask: Tensor, float_dtypes: tuple[torch.dtype, ...], scores_shape: tuple[int, ...]
) -> None:
    _check_plain("attn_mask", attn_mask)
    if attn_mask.dtype != torch.bool:
        # A mask of integers 0 and 1 would be added to the scores, and hide nothing.
        if not attn_mask.is_floating_point():
            raise TypeError(
                "attn_mask must be torch.bool (True: may attend) or a float mask, "
                f"got {attn_mask.dtype}; "
                "where 1 stands for may attend and 0 for may not, pass attn_mask.bool()"
            )
        # Under autocast torch brings the dtypes of mask and scores together by itself.
        if attn_mask.dtype not in float_dtypes and not is_autocast_on(attn_mask):
            wanted = " or ".join(sorted({str(dtype) for dtype in float_dtypes}))
            raise TypeError(f"attn_mask must be torch.bool or {wanted}, got {attn_mask.dtype}")
    if not _broadcasts_to(attn_mask.shape, scores_shape):
        raise ValueError(
            f"attn_mask must broadcast to the shape of the scores, {tuple(scores_shape)}, "
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
    # A mask of whole axes is the common case, and needs no look at each of them.
    return shape == target[-len(shape) :] or (
        len(shape) <= len(target)
        and all(size in (1, want) for size, want in zip(shape[::-1], target[::-1], strict=False))
    )


def _shape(tensor: Tensor) -> str:
    return str(tuple(tensor.shape))
