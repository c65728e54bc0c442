"""The numerics that all attention functions share: precision, scale, masks, and empty rows.

An empty row is a query with no key to attend to: all its scores are -inf, or it has none.
"""

import math

import torch
from torch import Tensor

HALF_PRECISION = (torch.float16, torch.bfloat16)


def is_autocast_on(tensor: Tensor) -> bool:
    """Return whether torch would now cast the tensor, to multiply it in a lower precision."""
    if tensor.is_cpu:  # asking for a device's name takes as long as a small operation
        return torch.is_autocast_enabled("cpu")
    device = tensor.device.type
    # Asking about a device that has no autocast, such as meta, is an error.
    return torch.amp.is_autocast_available(device) and torch.is_autocast_enabled(device)


def widen(x: Tensor) -> Tensor:
    """Cast half precision to float32."""
    # A dot product can overflow float16, whose largest number is 65504, and a sum in bfloat16 stops
    # growing: 256 + 1 is 256.
    return x.float() if x.dtype in HALF_PRECISION else x


def scale_or_default(scale: float | None, query: Tensor) -> float:
    """Return the scale, by default 1 / sqrt(head_dim)."""
    # Vectors without components score 0 whatever the scale, so any finite one will do.
    return 1.0 / math.sqrt(query.shape[-1] or 1) if scale is None else scale


def soft_capped(scores: Tensor, softcap: float | None) -> Tensor:
    """Bend scores to the range from -softcap to softcap."""
    return scores if softcap is None else softcap * (scores / softcap).tanh()


def mask_scores(scores: Tensor, attn_mask: Tensor | None, is_causal: bool = False) -> Tensor:
    """Put -inf where a boolean mask or the flag does not allow attention; add a float mask."""
    if is_causal:
        attn_mask = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device).tril()
    if attn_mask is None:
        return scores
    if attn_mask.dtype == torch.bool:
        return scores.where(attn_mask, -math.inf)
    return scores + attn_mask


def mask_for_softmax(
    scores: Tensor, attn_mask: Tensor | None, is_causal: bool
) -> tuple[Tensor, Tensor | None]:
    """Mask the scores, but leave finite ones in empty rows, whose softmax then has no NaN.

    Which rows are empty is returned, or None for none. The mask tells it, in place of the scores:
    it is often smaller.
    """
    if is_causal:
        attn_mask = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device).tril()
    if attn_mask is None:
        return scores, None
    if attn_mask.dtype == torch.bool:
        empty = ~attn_mask.any(dim=-1, keepdim=True)
        return torch.where(attn_mask, scores, empty.to(scores.dtype).log()), empty  # 0 or -inf
    empty = attn_mask.isneginf().all(dim=-1, keepdim=True)
    return scores + attn_mask.masked_fill(empty, 0.0), empty


def empty_rows(scores: Tensor) -> Tensor:
    """Return which rows are empty: boolean, (..., L, 1). A plain softmax gives NaN there."""
    if scores.shape[-1] == 0:  # amax raises on an empty axis
        return scores.new_ones((*scores.shape[:-1], 1), dtype=torch.bool)
    return scores.amax(dim=-1, keepdim=True).isneginf()


def logsumexp(scores: Tensor) -> Tensor:
    """Return the log-sum-exp of each row: -inf, with a gradient of zero, in an empty row."""
    empty = empty_rows(scores)
    lse = torch.logsumexp(scores.masked_fill(empty, 0.0), dim=-1)
    return lse.masked_fill(empty.squeeze(-1), -math.inf)


def normalize(scores: Tensor, lse: Tensor) -> Tensor:
    """Return exp(scores - lse), the weights of a row: zeros where lse is that of an empty row."""
    # -inf - -inf would be NaN, and its gradient too.
    return (scores - lse.masked_fill(lse.isneginf(), 0.0)).exp()
