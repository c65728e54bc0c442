"""Checks of what the layers are made with and called with."""

from typing import Any

import torch
from torch import Tensor, nn

from attention_steps._checks import (
    check_axes,
    check_probability,
    check_same_dtype,
    check_same_leading_axes,
    check_same_length,
    check_size,
    is_wide_float,
    shape_of,
)


def check_multi_head_sizes(sizes: dict[str, int], dropout: float) -> None:
    """Check the arguments of `MultiHeadAttention`."""
    for name, size in sizes.items():
        check_size(name, size, minimum=1)
    check_probability("dropout", dropout)
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


def check_multi_head_inputs(
    query: Tensor, key: Tensor | None, value: Tensor | None
) -> tuple[Tensor, Tensor]:
    """Check that the tokens belong together, and return keys and values."""
    if key is None or value is None:
        given, missing = ("key", "value") if value is None else ("value", "key")
        raise ValueError(
            f"key and value must be given together, got {given} without {missing}; leave both out "
            "for self-attention, or pass the same tensor twice, as in "
            "attention(query, memory, memory)"
        )
    check_axes("query", query)
    if key is not query:
        check_same_leading_axes("key", key, "query", query)
    if value is not key:
        check_same_leading_axes("value", value, "query", query)
        check_same_length(key, value)
    return key, value


def check_dtype(dtype: object) -> None:
    """Refuse a dtype in which nothing can be learned, or that no attention takes."""
    if not (dtype is None or (isinstance(dtype, torch.dtype) and is_wide_float(dtype))):
        raise TypeError(f"dtype must be a floating-point dtype, got {dtype!r}")


def refuse_torchs_way(positional: object, unknown: object) -> None:
    """Refuse what torch's layer would take, and say what takes its place.

    While torch.fx traces, both are proxies: `query` is one, too, and is refused by its own check.
    """
    if isinstance(positional, tuple) and positional:
        raise TypeError(
            "MultiHeadAttention takes query, key and value by position and all else by name, "
            f"got {len(positional)} more: torch.nn.MultiheadAttention has key_padding_mask, "
            "need_weights and attn_mask there; pass attn_mask= (True: may attend) or is_causal="
        )
    if not (isinstance(unknown, dict) and unknown):
        return
    name = next(iter(unknown))
    instead = {
        "key_padding_mask": "pass attn_mask=~key_padding_mask[:, None, None, :]",
        "need_weights": "a call returns the output alone, and trace gives the weights",
        "average_attn_weights": "trace(...).weights.mean(dim=-3) is the mean over the heads",
        "batch_first": "the batch always comes first",
    }.get(name)
    raise TypeError(
        f"MultiHeadAttention got an unexpected keyword argument {name!r}"
        + (f", which is one of torch.nn.MultiheadAttention: {instead}" if instead else "")
    )


def check_features(name: str, tokens: Tensor, projection: nn.Module) -> None:
    """Refuse tokens that `nn.Linear` does not take. Another module may take any."""
    if type(projection) is nn.Linear and tokens.shape[-1] != projection.in_features:
        raise ValueError(
            f"{name} must have {projection.in_features} features, got {tokens.shape[-1]}: "
            f"{name} {shape_of(tokens)}"
        )
    # A hook, such as that of a sharded module, may bring the two together before the product.
    if type(projection) is nn.Linear and not projection._forward_pre_hooks:
        check_same_dtype(name, tokens, "the weights", projection.weight)


def check_heads(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    num_heads: int,
    num_kv_heads: int,
) -> None:
    """Refuse heads in another ratio. A device may hold a part of them, whole groups."""
    shape, key_shape, value_shape = query.shape, key.shape, value.shape
    if shape[-3] * num_kv_heads != key_shape[-3] * num_heads or (
        key_shape != value_shape and key_shape[:-1] != value_shape[:-1]
    ):
        raise ValueError(
            f"q_proj, k_proj and v_proj must give heads in the ratio {num_heads} to "
            f"{num_kv_heads} to {num_kv_heads}, got query {shape_of(query)}, key {shape_of(key)}, "
            f"value {shape_of(value)}"
        )


def check_joined_heads(context: Tensor, out_proj: nn.Module) -> None:
    """Refuse heads that were pruned in the other projections, and not in the last one."""
    # A hook may bring the two together, as in `check_features`.
    if type(out_proj) is not nn.Linear or out_proj._forward_pre_hooks:
        return
    if context.shape[-1] != out_proj.weight.shape[-1]:
        raise ValueError(
            f"out_proj must take the {context.shape[-1]} features of all heads, got one that takes "
            f"{out_proj.weight.shape[-1]}"
        )


def check_torch_layer(module: nn.MultiheadAttention) -> None:
    """Check that `MultiHeadAttention.from_torch` can copy the layer."""
    # A parametrized layer is a subclass too, with torch's forward.
    forward = getattr(module, "forward", None)
    if getattr(forward, "__func__", None) is not nn.MultiheadAttention.forward:
        own = " with a forward of its own" if isinstance(module, nn.MultiheadAttention) else ""
        raise TypeError(
            "module must compute what torch.nn.MultiheadAttention does, "
            f"got {type(module).__name__}{own}"
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


def check_has_torch_form(layer: Any) -> None:
    """Check that torch's layer can hold what a `MultiHeadAttention` computes with."""
    names = ("q_proj", "k_proj", "v_proj", "out_proj")
    projections = {name: getattr(layer, name) for name in names}
    for name, x in projections.items():
        if type(x) is not nn.Linear:
            raise TypeError(
                f"{name} must be an nn.Linear for torch's layer, got {type(x).__name__}"
            )
    width = layer.embed_dim
    widths = (width, layer.kdim, layer.vdim, width)
    for (name, x), features in zip(projections.items(), widths, strict=True):
        if tuple(x.weight.shape) != (width, features):
            raise ValueError(
                f"{name} must map {features} features to {width} for torch's layer, in which all "
                f"heads have keys of their own, got {x.in_features} to {x.out_features}"
            )
    if len({x.bias is None for x in projections.values()}) > 1:
        without = [name for name, x in projections.items() if x.bias is None]
        raise ValueError(
            "all projections must have a bias for torch's layer, or none, got "
            f"{', '.join(without)} without"
        )
