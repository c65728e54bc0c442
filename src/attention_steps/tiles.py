"""Attention to some of the keys at a time, and how the parts become one.

Each part gives its context vectors and, for each query, the logarithm of the sum that it divided
by: the log-sum-exp, lse. Two such pairs merge into the pair of all their keys. Tiles, split
decoding, sinks and a ring of devices are all this one operation.

Axes: `L` is query_len, `S` is key_len, `E` is head_dim, `Ev` is value_dim, and `...` stands for any
leading axes.
"""

import math
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from attention_steps._arguments import autocast_once, in_full_precision, prepare
from attention_steps._checks import (
    check_axes,
    check_extras,
    check_float,
    check_same_kind,
    check_size,
    shape_of,
)
from attention_steps._numerics import (
    logsumexp,
    mask_scores,
    normalize,
    scale_or_default,
    soft_capped,
)
from attention_steps.core import attention_weights


@autocast_once
def attention_with_lse(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    *,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
    softcap: float | None = None,
    sinks: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    r"""Compute attention to these keys, and keep the logarithm of the sum that it divides by.

    $$\mathrm{lse}_i = \log \sum_j \exp(\mathrm{scale} \cdot \mathrm{scores}_{ij})$$

    Source: the context is equation (1) of
    [Vaswani et al. 2017, "Attention Is All You Need"](https://arxiv.org/abs/1706.03762). `lse` is
    the logsumexp that [Dao 2023, "FlashAttention-2"](https://arxiv.org/abs/2307.08691)  stores.

    Names: torch's `flex_attention` calls it `lse`, too.

    Args:
        query: Queries, shape `(..., L, E)`.
        key: Keys, shape `(..., S, E)`, with the leading axes and dtype of `query`.
        value: Values, shape `(..., S, Ev)`, likewise.
        attn_mask: A mask that broadcasts to `(..., L, S)`, as in `scaled_dot_product_attention`.
        is_causal: Query i attends to keys 0 to i of this part.
        scale: Factor on the scores. Defaults to $1 / \sqrt{\mathrm{head\_dim}}$.
        enable_gqa: Each head of key and value serves a group of neighbouring query heads.
        softcap: As in `scaled_dot_product_attention`.
        sinks: As there.

    Returns:
        The context vectors, shape `(..., L, Ev)`, in the dtype of `query`, and lse, shape
        `(..., L)`, float32 at least. A query with no key gets zeros, and an lse of -inf.

    Raises:
        TypeError: As `scaled_dot_product_attention`.
        ValueError: As `scaled_dot_product_attention`.

    Examples:
        >>> import torch
        >>> from attention_steps import attention_with_lse
        >>> query = torch.tensor([[1.0]])
        >>> key = torch.tensor([[0.0], [0.0]])
        >>> value = torch.tensor([[1.0], [3.0]])
        >>> scores, scale = query @ key.T, 1.0
        >>> context, lse = attention_with_lse(query, key, value)
        >>> context, lse  # the logarithm of 1 + 1
        (tensor([[2.]]), tensor([0.6931]))
    """
    query, key, value, attn_mask, dtype = prepare(
        query, key, value, attn_mask, is_causal, scale, enable_gqa
    )
    check_extras(query, softcap, sinks)
    context, lse = attend_to_part(
        query, key, value, attn_mask, scale_or_default(scale, query), is_causal, softcap
    )
    context, lse = merge_sinks(clear_empty_rows(context, lse), lse, sinks)
    return context.to(dtype), lse


def attend_to_part(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None,
    scale: float,
    is_causal: bool = False,
    softcap: float | None = None,
) -> tuple[Tensor, Tensor]:
    """Compute `attention_with_lse` of arguments that were checked, but for its empty rows.

    There 0 times NaN is left NaN: another part may have a key for the row.
    """
    scores = mask_scores(soft_capped(query * scale @ key.mT, softcap), attn_mask, is_causal)
    return attention_weights(scores) @ value, logsumexp(scores)


def clear_empty_rows(context: Tensor, lse: Tensor) -> Tensor:
    """Put zeros where no part had a key."""
    return context.masked_fill(lse.isneginf().unsqueeze(-1), 0.0)


def merge_sinks(context: Tensor, lse: Tensor, sinks: Tensor | None) -> tuple[Tensor, Tensor]:
    """Merge one more part into each head: the score of its sink, and a value of zeros."""
    if sinks is None:
        return context, lse
    sink = sinks.to(lse.dtype).unsqueeze(-1).expand_as(lse)
    return merge_attention(context, lse, torch.zeros_like(context), sink)


def merge_attention(
    context_1: Tensor, lse_1: Tensor, context_2: Tensor, lse_2: Tensor
) -> tuple[Tensor, Tensor]:
    r"""Merge attention to two sets of keys into attention to both.

    $$\mathrm{lse}_i = \log\left(\exp(\mathrm{lse\_1}_i) + \exp(\mathrm{lse\_2}_i)\right)$$

    $$\begin{aligned} \mathrm{context}_i
    &= \exp(\mathrm{lse\_1}_i - \mathrm{lse}_i) \, \mathrm{context\_1}_i \\
    &+ \exp(\mathrm{lse\_2}_i - \mathrm{lse}_i) \, \mathrm{context\_2}_i \end{aligned}$$

    Each part counts by its share of the whole sum, in any order. A part without keys, zeros with an
    lse of -inf, changes nothing.

    Source: the rescaling of [Milakov and Gimelshein 2018, "Online normalizer calculation for
    softmax"](https://arxiv.org/abs/1805.02867), written with logarithms.

    Names: vLLM calls it `merge_attn_states`. FlashInfer calls it `merge_state`, and its lse is a
    logarithm to base 2: multiply by the natural logarithm of 2 to bring it here.

    Args:
        context_1: Context vectors from some keys, shape `(..., L, Ev)`.
        lse_1: Their log-sum-exp, shape `(..., L)`.
        context_2: Context vectors of the same queries from other keys.
        lse_2: Their log-sum-exp.

    Returns:
        The context vectors from all keys, shape `(..., L, Ev)`, and their lse, shape `(..., L)`.

    Raises:
        TypeError: If a tensor is not floating-point, or the two contexts or the two lse differ in
            dtype.
        ValueError: If the shapes do not go together.

    Examples:
        >>> import torch
        >>> from attention_steps import merge_attention
        >>> context_1, lse_1 = torch.tensor([[0.0]]), torch.tensor([0.0])  # of one key
        >>> context_2, lse_2 = torch.tensor([[4.0]]), torch.tensor([3.0]).log()  # of three alike
        >>> context, lse = merge_attention(context_1, lse_1, context_2, lse_2)
        >>> context, lse  # a quarter of 0, three of 4
        (tensor([[3.]]), tensor([1.3863]))
    """
    _check_parts(context_1, lse_1, context_2, lse_2)
    lse = logsumexp(torch.stack((lse_1, lse_2), dim=-1))
    share_1, share_2 = (normalize(part, lse).unsqueeze(-1) for part in (lse_1, lse_2))
    context = share_1 * context_1 + share_2 * context_2
    return context.to(context_1.dtype), lse


@autocast_once
def tiled_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    *,
    block_size: int,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
    softcap: float | None = None,
    sinks: Tensor | None = None,
) -> Tensor:
    r"""Compute `scaled_dot_product_attention` tile by tile, without the whole matrix of weights.

    A tile is `block_size` queries times `block_size` keys. Tiles that are hidden as a whole are
    left out, NaN in them too. For the backward pass it keeps the inputs, the context and one lse
    for each query, which grow with L, and computes the weights again, which would grow with $L^2$:

    $$\mathrm{context}_i = \sum_j \exp(\mathrm{scaled\_scores}_{ij} - \mathrm{lse}_i) \,
    \mathrm{tokens}_j$$

    Source: algorithms 1 and 2 of
    [Dao 2023, "FlashAttention-2"](https://arxiv.org/abs/2307.08691). In plain torch, it is the
    idea alone, without dropout and forward-mode derivatives.

    Names: `block_size` is $B_r$ and $B_c$ in the paper, and lse is its $L$.

    Args:
        query: Queries, shape `(..., L, E)`.
        key: Keys, shape `(..., S, E)`, with the leading axes and dtype of `query`.
        value: Values, shape `(..., S, Ev)`, likewise.
        attn_mask: A mask that broadcasts to `(..., L, S)`, boolean, of the dtype of `query` or
            float32. It gets no gradient.
        block_size: Queries and keys in a tile. It need not divide the lengths.
        is_causal: Query i attends to keys 0 to i.
        scale: Factor on the scores. Defaults to $1 / \sqrt{\mathrm{head\_dim}}$.
        enable_gqa: Each head of key and value serves a group of neighbouring query heads.
        softcap: As in `scaled_dot_product_attention`.
        sinks: As there.

    Returns:
        Context vectors, shape `(..., L, Ev)`, in the dtype of `query`.

    Raises:
        TypeError: If `block_size` is not an int; else as `scaled_dot_product_attention`.
        ValueError: If `block_size` is below 1 or `attn_mask` requires a gradient; else as
            `scaled_dot_product_attention`.

    Examples:
        >>> import torch
        >>> from attention_steps import tiled_attention
        >>> tokens = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
        >>> scaled_scores = tokens @ tokens.T / tokens.shape[-1] ** 0.5
        >>> lse = scaled_scores.logsumexp(dim=-1)
        >>> context = tiled_attention(tokens, tokens, tokens, block_size=2)
        >>> tiled_attention(tokens, tokens, tokens, block_size=2, is_causal=True)
        tensor([[1.0000, 0.0000],
                [0.3302, 0.6698],
                [0.7517, 0.7517]])
    """
    query, key, value, attn_mask, dtype = prepare(
        query, key, value, attn_mask, is_causal, scale, enable_gqa
    )
    check_extras(query, softcap, sinks)
    if isinstance(block_size, int):  # one tile is enough for all
        block_size = min(block_size, max(query.shape[-2], key.shape[-2], 1))
    check_size("block_size", block_size, minimum=1)
    if attn_mask is not None and attn_mask.requires_grad:
        raise ValueError(
            "attn_mask must not require a gradient, got requires_grad=True: the gradient of a mask "
            "is as large as the weights; use scaled_dot_product_attention"
        )
    scale = scale_or_default(scale, query)
    parts: tuple[Tensor, Tensor] = _TiledAttention.apply(  # type: ignore[no-untyped-call]
        query, key, value, attn_mask, block_size, is_causal, scale, softcap
    )
    context, _ = merge_sinks(*parts, sinks)
    return context.to(dtype)


class _TiledAttention(torch.autograd.Function):
    """Attention whose backward pass computes the weights again."""

    generate_vmap_rule = True

    @staticmethod
    def forward(
        query: Tensor,
        key: Tensor,
        value: Tensor,
        attn_mask: Tensor | None,
        block_size: int,
        is_causal: bool,
        scale: float,
        softcap: float | None,
    ) -> tuple[Tensor, Tensor]:
        q, k, v = (torch.split(x, block_size, dim=-2) for x in (query * scale, key, value))
        # Of each query: its highest score so far, and what its weights and their mix add up to.
        top = [rows.new_full((*rows.shape[:-1], 1), -math.inf) for rows in q]
        total = [torch.zeros_like(highest) for highest in top]
        context = [rows.new_zeros(*rows.shape[:-1], value.shape[-1]) for rows in q]
        for i, j, allowed in _tiles(query, key, attn_mask, block_size, is_causal):
            scores = mask_scores(soft_capped(q[i] @ k[j].mT, softcap), allowed)
            before, top[i] = top[i], torch.maximum(top[i], scores.amax(dim=-1, keepdim=True))
            highest = top[i].masked_fill(top[i].isneginf(), 0.0)  # -inf - -inf would be NaN
            weights, kept = (scores - highest).exp_(), (before - highest).exp()
            total[i] = total[i] * kept + weights.sum(dim=-1, keepdim=True)
            context[i] = context[i] * kept + weights @ v[j]
        sums = torch.cat(total, dim=-2)
        lse = (torch.cat(top, dim=-2) + sums.log()).squeeze(-1)
        return clear_empty_rows(torch.cat(context, dim=-2) / sums, lse), lse

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, Tensor]) -> None:
        query, key, value, attn_mask, *ctx.options = inputs
        # lse is an output, so that a second derivative finds its way through it.
        ctx.save_for_backward(query, key, value, attn_mask, *output)

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Tensor) -> tuple[Tensor | None, ...]:
        query, key, value, attn_mask, context, lse = ctx.saved_tensors
        block_size, is_causal, scale, softcap = ctx.options
        grad_context, grad_lse = grad_outputs
        # The sum of a row's weights times their gradients; without the weights, context times its
        # own gradient.
        delta = (grad_context * context).sum(dim=-1) - grad_lse
        inputs = (query, key, value)
        q, k, v, grad = (torch.split(x, block_size, dim=-2) for x in (*inputs, grad_context))
        sums, deltas = (torch.split(x, block_size, dim=-1) for x in (lse, delta))
        to_query, to_key, to_value = (
            list(torch.split(torch.zeros_like(x), block_size, dim=-2)) for x in inputs
        )
        for i, j, allowed in _tiles(query, key, attn_mask, block_size, is_causal):
            grads = tile_gradients(
                q[i], k[j], v[j], allowed, scale, sums[i], deltas[i].unsqueeze(-1), grad[i], softcap
            )
            to_query[i] = to_query[i] + grads[0]
            to_key[j] = to_key[j] + grads[1]
            to_value[j] = to_value[j] + grads[2]
        to_inputs = (torch.cat(blocks, dim=-2) for blocks in (to_query, to_key, to_value))
        return *to_inputs, *(None,) * 5


@in_full_precision
def tile_gradients(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None,
    scale: float,
    lse: Tensor,
    delta: Tensor,
    grad_context: Tensor,
    softcap: float | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Return what a tile adds to the gradients of query, key and value.

    Its weights are computed again from lse. `delta` is how much of a weight's gradient the softmax
    takes back, since a row adds up to one.
    """
    query = query * scale
    scores = soft_capped(query @ key.mT, softcap)
    weights = normalize(mask_scores(scores, attn_mask), lse.unsqueeze(-1))
    grad_scores = weights * (grad_context @ value.mT - delta)
    if softcap is not None:
        grad_scores = grad_scores * (1.0 - (scores / softcap).square())
    return grad_scores @ key * scale, grad_scores.mT @ query, weights.mT @ grad_context


def _tiles(
    query: Tensor, key: Tensor, attn_mask: Tensor | None, block_size: int, is_causal: bool
) -> Iterator[tuple[int, int, Tensor | None]]:
    """Yield which block of queries and which of keys a tile has, and its mask.

    Tiles of which all is hidden are left out.
    """
    query_len, key_len = query.shape[-2], key.shape[-2]
    hidden = _hidden_tiles(attn_mask, query_len, key_len, block_size)
    if attn_mask is not None:
        attn_mask = attn_mask.expand(*query.shape[:-1], key_len)  # a view, no copy
    for top in range(0, query_len, block_size):
        bottom = min(top + block_size, query_len)
        for left in range(0, min(bottom, key_len) if is_causal else key_len, block_size):
            i, j = top // block_size, left // block_size
            if hidden and hidden[i][j]:
                continue
            rows, columns = slice(top, bottom), slice(left, min(left + block_size, key_len))
            tile = None if attn_mask is None else attn_mask[..., rows, columns]
            if is_causal and columns.stop > top + 1:
                seen = torch.ones(bottom - top, columns.stop - left, dtype=torch.bool)
                tile = seen.to(query.device).tril(top - left)
            yield i, j, tile


def _hidden_tiles(
    attn_mask: Tensor | None, query_len: int, key_len: int, block_size: int
) -> list[list[bool]] | None:
    """Tell of each tile whether a mask hides all of it; None where no number can be read."""
    if attn_mask is None or attn_mask.numel() == 0 or torch.compiler.is_compiling():
        return None
    allowed = attn_mask if attn_mask.dtype is torch.bool else ~attn_mask.isneginf()
    allowed = torch.atleast_2d(allowed)  # type: ignore[no-untyped-call]
    allowed = allowed.reshape(-1, *allowed.shape[-2:]).any(dim=0)
    for dim in (0, 1):  # an axis of size 1 stands for all, and has one block
        blocks = torch.split(allowed, block_size, dim)
        allowed = torch.cat([block.any(dim, keepdim=True) for block in blocks], dim)
    tiles = (-(-query_len // block_size), -(-key_len // block_size))
    try:  # all answers at once, since a GPU is waited for
        hidden: list[list[bool]] = (~allowed).expand(tiles).tolist()
    except RuntimeError:  # on the device meta, in a fake tensor, under torch.vmap
        return None
    return hidden


def _check_parts(context_1: Tensor, lse_1: Tensor, context_2: Tensor, lse_2: Tensor) -> None:
    """Check that the parts have one shape: `merge_attention` would broadcast them."""
    named = {"context_1": context_1, "lse_1": lse_1, "context_2": context_2, "lse_2": lse_2}
    for name, tensor in named.items():
        check_float(name, tensor)
    check_same_kind("context_2", context_2, "context_1", context_1)
    check_same_kind("lse_2", lse_2, "lse_1", lse_1)
    check_axes("context_1", context_1)
    tokens = tuple(context_1.shape[:-1])
    if context_2.shape != context_1.shape or not lse_1.shape == lse_2.shape == tokens:
        raise ValueError(
            f"context_2 must have the shape of context_1, {shape_of(context_1)}, and lse_1 and "
            f"lse_2 one number for each context vector, {tokens}, got context_2 "
            f"{shape_of(context_2)}, lse_1 {shape_of(lse_1)}, lse_2 {shape_of(lse_2)}"
        )
