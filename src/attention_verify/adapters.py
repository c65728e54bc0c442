"""Turn attention of another form into what the cases call."""

import inspect
import math
from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor

from attention_verify.words import FormError

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
OTHER_SHAPE = "it returned the shape"
STORE = "store shared"


class KnownError(Exception):
    """The function makes the mistake of this name, which its numbers do not show."""


class LeftOutError(Exception):
    """Raised, with the reason, where attention is not made for what a case asks."""


def adapted(function: Attend, layout: str = "bhld", interface: str = "function") -> Attend:
    """Return attention that takes and returns `(batch, num_heads, length, head_dim)`.

    Args:
        function: Attention on heads; for `mha`, a class; for `cache`, what makes an empty one.
        layout: `bhld` or `blhd`: the axes that all but `mha` and `transformers` take and return.
        interface: One of `INTERFACES`.
    """
    for name, x, known in (("layout", layout, LAYOUTS), ("interface", interface, INTERFACES)):
        if x not in known:
            raise ValueError(f"{name} must be one of {', '.join(known)}, got {x!r}")
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
        result = _context_of(function(*tensors, **named), tensors[0], value.shape[-1])
        return result if layout == "bhld" else result.transpose(1, 2)

    return attend


def _context_of(result: Any, query: Tensor, width: int) -> Tensor:
    """Return the context, of a function that returns weights as well, if its form is that asked."""
    found = result[0] if isinstance(result, tuple) and result else result
    shape = (*query.shape[:-1], width)
    if not isinstance(found, Tensor):
        raise FormError(f"it returned {type(found).__name__}, and a tensor was expected")
    if found.shape != shape:
        raise FormError(f"{OTHER_SHAPE} {tuple(found.shape)}, and {shape} was expected")
    if found.dtype != query.dtype:
        raise FormError(f"it returned {found.dtype} for inputs in {query.dtype}")
    return found


def _self(function: Attend, layout: str, *, is_causal: bool = False) -> Attend:
    """Call self-attention, whose cases are `squared`."""
    call = _function(function, layout)

    def attend(query: Tensor, key: Tensor, value: Tensor, **options: Any) -> Any:
        if query.shape[2] > key.shape[2]:
            raise LeftOutError("more queries than keys")
        if is_causal and not options.pop("causal", False):
            raise LeftOutError("a mask without the causal rule")
        return call(query, key, value, **options)

    return attend


def _layer(make: Attend, layout: str) -> Attend:
    """Call a layer like `nn.MultiheadAttention`, whose projections change nothing."""
    takes = inspect.signature(make)
    try:
        takes.bind(8, 2, batch_first=True)
    except TypeError as error:
        form = "(embed_dim, num_heads, batch_first=True)"
        raise ValueError(f"function must take {form} for mha, got {takes}: {error}") from error

    def attend(
        query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, **others: Any
    ) -> Any:
        batch, num_heads, query_len, head_dim = query.shape
        if others:
            raise LeftOutError(f"the layer is not called with {' and '.join(others)}")
        if key.shape[1] != num_heads or value.shape[-1] != head_dim:
            raise LeftOutError("the layer has one head_dim, and a key head for each query head")
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
        joined = [x.transpose(1, 2).flatten(2) for x in (query, key, value)]
        context = _context_of(layer(*joined, **options), joined[0], width)
        return context.reshape(batch, query_len, num_heads, head_dim).transpose(1, 2)

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
        return _context_of(result, query.transpose(1, 2), value.shape[-1]).transpose(1, 2)

    return attend


def _with_rules(mask: Tensor | None, query: Tensor, key_len: int, window: int | None) -> Tensor:
    """Join a mask with the causal rule, in the form that the models of transformers make."""
    i = torch.arange(key_len - query.shape[2], key_len, device=query.device)[:, None]
    j = torch.arange(key_len, device=query.device)
    allowed = (j <= i) & (j > i - (window or key_len))
    if mask is not None and mask.dtype == torch.bool:
        return mask & allowed
    added = query.new_zeros(1, 1, *allowed.shape) if mask is None else mask
    return added.masked_fill(~allowed, torch.finfo(query.dtype).min)


def _in_pieces(make: Attend, layout: str) -> Attend:
    """Give a cache some tokens at a time; at the first call, see whether two have one store."""

    def new_cache() -> Attend:
        if not callable(made := make()):
            raise FormError(f"it made {type(made).__name__}, which cannot be called")
        return _function(made, layout)

    def fed(*tensors: Tensor, pieces: list[int], beside: bool, **options: Any) -> Tensor:
        one, other, contexts = new_cache(), new_cache(), []
        for piece in zip(*(torch.split(x, pieces, 2) for x in tensors), strict=True):
            contexts.append(one(*piece, **options))
            if beside:
                other(*(-x for x in piece), **options)
        return torch.cat(contexts, 2)

    seen: list[bool] = []

    def attend(*tensors: Tensor, causal: bool = False, **options: Any) -> Any:
        if not causal or "mask" in options:
            raise LeftOutError("a cache is causal, and takes no mask")
        if tensors[0].shape[2] > tensors[1].shape[2]:
            raise LeftOutError("more queries than keys")
        context = fed(*tensors, beside=False, **options)
        if not seen:
            seen.append(True)
            beside = fed(*tensors, beside=True, **options).cpu()
            if not torch.allclose(context.cpu(), beside, 1e-2, 1e-2, equal_nan=True):
                raise KnownError(STORE)
        return context

    return attend


INTERFACES: dict[str, Callable[[Attend, str], Attend]] = {
    "function": _function,
    "self": _self,
    "causal-self": partial(_self, is_causal=True),
    "mha": _layer,
    "transformers": _of_transformers,
    "cache": _in_pieces,
}
