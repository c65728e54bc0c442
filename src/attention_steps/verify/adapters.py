"""Turn attention of another form into what the cases call."""

import inspect
import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor

Attend = Callable[..., Any]
# What an option is called elsewhere: the first name that a function has is taken.
NAMES = {
    "mask": ("mask", "attn_mask", "attention_mask", "bias", "attn_bias"),
    "float mask": ("bias", "attn_bias", "mask", "attn_mask", "attention_mask"),
    "causal": ("causal", "is_causal", "use_causal_mask"),
    "scale": ("scale", "softmax_scale", "scaling", "sm_scale"),
    "window": ("window", "window_size", "sliding_window"),
    "softcap": ("softcap", "soft_cap", "logits_soft_cap", "attn_logits_soft_cap"),
    "sinks": ("sinks", "s_aux"),
}
# torch's own function is not written in Python, and does not tell the names of its arguments.
OF_TORCH = ("attn_mask", "is_causal", "scale", "enable_gqa")
LAYOUTS = ("bhld", "blhd")
FIRST_PIECE = 3  # tokens that a cache gets at once; the rest comes one by one


class LeftOutError(Exception):
    """Raised where attention is not made for what a case asks, which then says nothing about it."""


def adapted(function: Attend, layout: str = "bhld", interface: str = "function") -> Attend:
    """Return attention that takes and returns `(batch, num_heads, length, head_dim)`.

    Args:
        function: For `function`, attention on heads, whose options may have the names of torch,
            JAX, flash-attn or transformers. For `mha`, a class like `nn.MultiheadAttention`:
            `function(embed_dim, num_heads, batch_first=True)`, with its names of weights. For
            `transformers`, what its `AttentionInterface` registers. For `cache`, what makes an
            empty cache: `function()` returns `step(query, key, value, **options)`, which keeps
            keys and values, and returns the contexts of the new, causal queries.
        layout: `bhld` or `blhd`: the axes of what `function` and `cache` take and return.
        interface: `function`, `mha`, `transformers` or `cache`.

    Raises:
        ValueError: If there is no such layout or interface.
    """
    if layout not in LAYOUTS:
        raise ValueError(f"layout must be one of {', '.join(LAYOUTS)}, got {layout!r}")
    if interface not in INTERFACES:
        raise ValueError(f"interface must be one of {', '.join(INTERFACES)}, got {interface!r}")
    return INTERFACES[interface](function, layout)


def _function(function: Attend, layout: str) -> Attend:
    """Call a function with its own names, in its own layout."""
    try:
        parameters = inspect.signature(function).parameters
        takes: Any = parameters
        takes_all = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    except ValueError:
        takes, takes_all = OF_TORCH, False

    def attend(query: Tensor, key: Tensor, value: Tensor, **options: Any) -> Any:
        named = {}
        for option, x in options.items():
            is_added = option == "mask" and x.is_floating_point()
            names = NAMES["float mask" if is_added else option]
            found = [name for name in names if name in takes] or [option] * takes_all
            if not found:
                raise TypeError(f"it has no argument for {option}, such as {', '.join(names)}")
            named[found[0]] = x
        if "enable_gqa" in takes and query.shape[1] != key.shape[1]:
            named["enable_gqa"] = True
        tensors = [x if layout == "bhld" else x.transpose(1, 2) for x in (query, key, value)]
        result = _context_of(function(*tensors, **named))
        is_turned = layout == "blhd" and isinstance(result, Tensor) and result.dim() == 4
        return result.transpose(1, 2) if is_turned else result

    return attend


def _context_of(result: Any) -> Any:
    """Return the context of a function that returns weights as well."""
    return result[0] if isinstance(result, tuple) and result else result


def _layer(make: Attend, layout: str) -> Attend:
    """Call a layer like `nn.MultiheadAttention`, whose projections change nothing."""

    def attend(
        query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, **others: Any
    ) -> Any:
        batch, num_heads, query_len, head_dim = query.shape
        if others or key.shape[1] != num_heads or value.shape[-1] != head_dim:
            raise LeftOutError
        layer = make(width := num_heads * head_dim, num_heads, batch_first=True).to(query)
        eye = torch.eye(width).to(query)
        for weight in layer.state_dict().values():
            is_matrix = weight.dim() > 1
            weight.copy_(eye.repeat(len(weight) // width, 1) if is_matrix else 0.0 * weight)
        options = {}
        if mask is not None and mask.dtype == torch.bool and mask.shape[1:3] == (1, 1):
            options["key_padding_mask"] = mask[:, 0, 0]
        elif mask is not None:
            mask = mask.expand(batch, num_heads, query_len, key.shape[2])
            options["attn_mask"] = mask.flatten(0, 1)
        joined = (x.transpose(1, 2).flatten(2) for x in (query, key, value))
        context = _context_of(layer(*joined, **options))
        return context.unflatten(-1, (num_heads, -1)).transpose(1, 2)

    return attend


def _of_transformers(function: Attend, layout: str) -> Attend:
    """Call what a model of transformers calls. It hands over causal rules and windows as masks."""

    def attend(
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
        causal: bool = False,
        window: int | None = None,
        scale: float | None = None,
        sinks: Tensor | None = None,
        **others: Any,
    ) -> Any:
        if causal:
            mask = _with_rules(mask, query, key.shape[2], window)
        module = SimpleNamespace(
            num_key_value_groups=query.shape[1] // key.shape[1],
            is_causal=causal,
            training=False,
            head_dim=query.shape[-1],
            config=SimpleNamespace(_attn_implementation=None),
            sinks=sinks,
        )
        more = others if sinks is None else {**others, "s_aux": sinks}
        scaling = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
        result = function(module, query, key, value, mask, scaling=scaling, dropout=0.0, **more)
        return _context_of(result).transpose(1, 2)

    return attend


def _with_rules(mask: Tensor | None, query: Tensor, key_len: int, window: int | None) -> Tensor:
    """Join a mask with the causal rule, in the form that the models of transformers make."""
    query_len, device = query.shape[2], query.device
    i = torch.arange(key_len - query_len, key_len, device=device)[:, None]
    j = torch.arange(key_len, device=device)
    allowed = (j <= i) & (j > i - (window or key_len + query_len))
    if mask is not None and mask.dtype == torch.bool:
        return mask & allowed
    hidden = torch.finfo(query.dtype).min
    added = query.new_zeros(1, 1, query_len, key_len) if mask is None else mask
    return added.masked_fill(~allowed, hidden)


def _in_pieces(make: Attend, layout: str) -> Attend:
    """Give a cache some tokens, and then one at a time."""

    def attend(
        query: Tensor, key: Tensor, value: Tensor, causal: bool = False, **options: Any
    ) -> Any:
        new, length = query.shape[2], key.shape[2]
        if not causal or new > length or "mask" in options:
            raise LeftOutError
        # Queries that nobody asks about stand at the places before.
        before = query.new_zeros(*query.shape[:2], length - new, query.shape[-1])
        query, step = torch.cat((before, query), 2), _function(make(), layout)
        first = min(FIRST_PIECE, length)
        pieces = [slice(0, first), *(slice(i, i + 1) for i in range(first, length))]
        contexts = [
            step(query[:, :, piece], key[:, :, piece], value[:, :, piece], **options)
            for piece in pieces
        ]
        return torch.cat(contexts, 2)[:, :, length - new :]

    return attend


INTERFACES = {
    "function": _function,
    "mha": _layer,
    "transformers": _of_transformers,
    "cache": _in_pieces,
}
