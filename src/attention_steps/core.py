"""Attention in three steps: scores, weights, context vectors.

Axes, everywhere: `L` is query_len, `S` is key_len, `E` is head_dim, `Ev` is value_dim, and `...`
stands for any leading axes, such as batch and num_heads, or for none.
"""

from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from attention_steps._arguments import autocast_once, plain_mask, prepare
from attention_steps._checks import (
    check_axes,
    check_context_arguments,
    check_extras,
    check_float,
    check_mask,
    check_same_device,
    check_scores_arguments,
)
from attention_steps._numerics import (
    empty_rows,
    mask_for_softmax,
    mask_scores,
    scale_or_default,
    soft_capped,
)


def attention_scores(query: Tensor, key: Tensor) -> Tensor:
    r"""Score each query against each key with a dot product.

    $$\mathrm{scores}_{ij} = \sum_c \mathrm{query}_{ic} \, \mathrm{key}_{jc}$$

    Source: the product $Q K^T$ in equation (1) of
    [Vaswani et al. 2017, "Attention Is All You Need"](https://arxiv.org/abs/1706.03762).

    Names: `query` and `key` are $Q$ and $K$ in the paper.

    Args:
        query: Queries, shape `(..., L, E)`.
        key: Keys, shape `(..., S, E)`, with the leading axes and the dtype of `query`.

    Returns:
        Raw scores, shape `(..., L, S)`: not scaled, not masked.

    Raises:
        TypeError: If the dtypes differ, but for autocast.
        ValueError: If head_dim or the leading axes differ, or a tensor has fewer than two axes.

    Examples:
        >>> import torch
        >>> from attention_steps import attention_scores
        >>> query = torch.tensor([[1.0, 2.0]])
        >>> key = torch.tensor([[3.0, 0.5], [0.0, 1.0], [1.0, -1.0]])
        >>> scores = attention_scores(query, key)
        >>> scores
        tensor([[ 4.,  2., -1.]])
    """
    check_scores_arguments(query, key)
    return query @ key.transpose(-2, -1)


def attention_weights(scores: Tensor, attn_mask: Tensor | None = None) -> Tensor:
    r"""Turn each row of scores into weights that add up to one: a softmax over the keys.

    $$\mathrm{weights}_{ij} =
    \frac{\exp(\mathrm{scores}_{ij})}{\sum_{j'} \exp(\mathrm{scores}_{ij'})}$$

    Source: equation (6) of
    [Bahdanau et al. 2015](https://arxiv.org/abs/1409.0473); the softmax in equation (1) of
    [Vaswani et al. 2017, "Attention Is All You Need"](https://arxiv.org/abs/1706.03762).

    Names: `weights` are $\alpha_{ij}$ and `scores` $e_{ij}$ in Bahdanau et al.

    A key that is masked out gets weight 0. A query with no key left to attend to gets a row of
    zeros, with a gradient of zero, where a plain softmax would give NaN.

    Args:
        scores: Scores, shape `(..., L, S)`.
        attn_mask: A mask that broadcasts to the shape of `scores`. A boolean mask is True where
            attention is allowed. A float mask, of the dtype of `scores`, is added to them.

    Returns:
        Weights, shape `(..., L, S)`. Each row sums to one, or is all zeros.

    Raises:
        TypeError: If `scores` is not floating-point, or the mask of another dtype.
        ValueError: If `scores` has fewer than two axes, or the mask does not broadcast to it.

    Examples:
        >>> import torch
        >>> from attention_steps import attention_weights
        >>> scores = torch.tensor([[2.0, 1.0, 0.0]])
        >>> weights = attention_weights(scores)
        >>> weights
        tensor([[0.6652, 0.2447, 0.0900]])
        >>> attention_weights(scores, torch.tensor([[True, True, False]]))
        tensor([[0.7311, 0.2689, 0.0000]])
    """
    check_float("scores", scores)
    check_axes("scores", scores)
    attn_mask = plain_mask(attn_mask, scores)
    if attn_mask is not None:
        check_mask(attn_mask, (scores.dtype,), scores.shape)
        check_same_device("attn_mask", attn_mask, "scores", scores)
    scores = mask_scores(scores, attn_mask)
    empty = empty_rows(scores)
    weights = torch.softmax(scores.masked_fill(empty, 0.0), dim=-1)
    return weights.masked_fill(empty, 0.0)


def context_vectors(weights: Tensor, value: Tensor) -> Tensor:
    r"""Mix the values by the weights: one context vector for each query.

    $$\mathrm{context}_{i} = \sum_j \mathrm{weights}_{ij} \, \mathrm{value}_{j}$$

    Source: equation (5) of
    [Bahdanau et al. 2015](https://arxiv.org/abs/1409.0473); the product with $V$ in equation (1)
    of [Vaswani et al. 2017, "Attention Is All You Need"](https://arxiv.org/abs/1706.03762).

    Names: `context` is $c_i$ in Bahdanau et al., `value` is their $h_j$ and the $V$ of Vaswani et
    al.; torch has `value`, and calls the context the output.

    Args:
        weights: Weights, shape `(..., L, S)`.
        value: Values, shape `(..., S, Ev)`, with the leading axes and the dtype of `weights`.

    Returns:
        Context vectors, shape `(..., L, Ev)`.

    Raises:
        TypeError: If the dtypes differ, but for autocast.
        ValueError: If the leading axes or the numbers of keys differ, or there are too few axes.

    Examples:
        >>> import torch
        >>> from attention_steps import context_vectors
        >>> weights = torch.tensor([[0.5, 0.5, 0.0], [0.0, 0.25, 0.75]])
        >>> value = torch.tensor([[1.0, 0.0], [3.0, 2.0], [5.0, 6.0]])
        >>> context = context_vectors(weights, value)
        >>> context
        tensor([[2.0000, 1.0000],
                [4.5000, 5.0000]])
    """
    check_context_arguments(weights, value)
    return weights @ value


class AttentionTrace(NamedTuple):
    """Every tensor on the way from queries, keys and values to context vectors.

    Attributes:
        scores: Raw dot products, shape `(..., L, S)`.
        scaled_scores: `scores` times the scale, shape `(..., L, S)`.
        masked_scores: `scaled_scores`, bent by `softcap` if there is one, after the mask.
        weights: The weights that the values were mixed by, after dropout, shape `(..., L, S)`. What
            a sink takes is left out.
        context: Context vectors, shape `(..., L, Ev)`.
    """

    scores: Tensor
    scaled_scores: Tensor
    masked_scores: Tensor
    weights: Tensor
    context: Tensor


@autocast_once
def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    *,
    scale: float | None = None,
    enable_gqa: bool = False,
    softcap: float | None = None,
    sinks: Tensor | None = None,
) -> Tensor:
    r"""Mix the values for each query by its weights: the three steps, one after another.

    $$\mathrm{context} = \mathrm{softmax}\left(
    \frac{\mathrm{query} \, \mathrm{key}^T}{\sqrt{\mathrm{head\_dim}}}\right) \mathrm{value}$$

    **For looking and for checking, not for long texts.** All scores are held at once, in float32
    for half precision: in one layer of 32 heads, 8,192 tokens take 8 GiB, and training about three
    times that. torch's own function gives the same result without them.

    Source: equation (1) of
    [Vaswani et al. 2017, "Attention Is All You Need"](https://arxiv.org/abs/1706.03762).

    Names: `query`, `key`, `value` are $Q$, $K$, $V$ in the paper, head_dim is $d_k$, value_dim is
    $d_v$.

    It gives the result of torch's function wherever that is defined, and `trace_attention` the
    tensors in between. Half-precision inputs are computed in float32, and the result is rounded
    once. A mask hides finite numbers: 0 times NaN is NaN, so put zeros into padding.

    Args:
        query: Queries, shape `(..., L, E)`.
        key: Keys, shape `(..., S, E)`, with the leading axes, dtype and device of `query`.
        value: Values, shape `(..., S, Ev)`, likewise.
        attn_mask: A mask that broadcasts to `(..., L, S)`. A boolean mask is True where attention
            is allowed. A float mask, of the dtype of `query` or float32, is added to the scaled
            scores. A causal mask of `torch.nn.attention.bias` is filled in.
        dropout_p: Probability that a weight is set to zero, from 0 to 1; those that stay are
            divided by `1 - dropout_p`. It is applied in evaluation too: pass 0.0 there.
        is_causal: Query i attends to keys 0 to i, as with `causal_mask(L, S)`.
        scale: Factor on the scores. Defaults to $1 / \sqrt{\mathrm{head\_dim}}$.
        enable_gqa: Key and value have fewer heads, `(..., num_kv_heads, S, E)`, each of which
            serves a group of neighbouring query heads.
        softcap: Bends the scaled scores before the mask, to `softcap * tanh(scores / softcap)`.
        sinks: Learned scores, shape `(num_heads,)`, each for one more key with a value of zeros.

    Returns:
        Context vectors, shape `(..., L, Ev)`, in the dtype of `query`. A query with no key to
        attend to gets zeros.

    Raises:
        TypeError: If a dtype differs or is not floating-point, or a tensor is not a plain one.
        ValueError: If the shapes do not go together, `dropout_p` is not from 0 to 1, `scale` is
            not finite, `softcap` is not positive, or `attn_mask` comes with `is_causal=True`:
            combine boolean masks with `&`.

    Examples:
        >>> import torch
        >>> from attention_steps import scaled_dot_product_attention
        >>> query = torch.tensor([[1.0, 0.0], [0.0, 1.0]])
        >>> key = torch.tensor([[1.0, 0.0], [0.0, 1.0]])
        >>> value = torch.tensor([[10.0, 0.0, 1.0], [0.0, 20.0, 2.0]])
        >>> head_dim = query.shape[-1]
        >>> context = scaled_dot_product_attention(query, key, value)
        >>> scaled_dot_product_attention(query, key, value, is_causal=True)
        tensor([[10.0000,  0.0000,  1.0000],
                [ 3.3024, 13.3952,  1.6698]])
    """
    query, key, value, attn_mask, dtype = prepare(
        query, key, value, attn_mask, is_causal, scale, enable_gqa, dropout_p
    )
    check_extras(query, softcap, sinks)
    # The steps of `trace_attention` with fewer copies: the scale goes to the queries, which are
    # smaller than the scores, and empty rows are cleared in the context, smaller than the weights.
    scores = soft_capped((query * scale_or_default(scale, query)) @ key.mT, softcap)
    hidden = None
    if any(x is not None and x.requires_grad for x in (scores, value, attn_mask, sinks)):
        # NaN in the weights of an empty row would reach the gradients of all keys and values.
        masked_scores, hidden = mask_for_softmax(scores, attn_mask, is_causal)
    else:
        masked_scores = mask_scores(scores, attn_mask, is_causal)
    masked_scores, value = _beside_sinks(masked_scores, value, sinks)
    # Infinite keys empty a row, too. Autograd has nothing to keep for this look.
    empty = empty_rows(masked_scores.detach())
    if hidden is not None:
        empty = empty | hidden
    weights = masked_scores.softmax(dim=-1)
    if dropout_p != 0.0:
        weights = F.dropout(weights, dropout_p)
    context = (weights @ value).masked_fill(empty, 0.0)
    return context if context.dtype == dtype else context.to(dtype)


@autocast_once
def trace_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    *,
    scale: float | None = None,
    enable_gqa: bool = False,
    softcap: float | None = None,
    sinks: Tensor | None = None,
) -> AttentionTrace:
    """Compute `scaled_dot_product_attention`, and keep every tensor on the way.

    The formula, its source, the names and the arguments are those of
    `scaled_dot_product_attention`, and so are the errors.

    Returns:
        An `AttentionTrace`. With half-precision inputs all but `context` are float32.

    Examples:
        >>> import torch
        >>> from attention_steps import trace_attention
        >>> query = torch.tensor([[2.0, 0.0, 0.0, 0.0], [0.0, 4.0, 0.0, 0.0]])
        >>> key = torch.tensor([[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]])
        >>> value = torch.tensor([[1.0, 0.0], [0.0, 1.0]])
        >>> trace = trace_attention(query, key, value, is_causal=True)
        >>> trace.masked_scores
        tensor([[1., -inf],
                [0., 2.]])
        >>> trace.weights
        tensor([[1.0000, 0.0000],
                [0.1192, 0.8808]])
    """
    query, key, value, attn_mask, dtype = prepare(
        query, key, value, attn_mask, is_causal, scale, enable_gqa, dropout_p
    )
    check_extras(query, softcap, sinks)
    scores = attention_scores(query, key)
    scaled_scores = scores * scale_or_default(scale, query)
    masked_scores = mask_scores(soft_capped(scaled_scores, softcap), attn_mask, is_causal)
    all_scores, values = _beside_sinks(masked_scores, value, sinks)
    weights = F.dropout(attention_weights(all_scores), dropout_p)
    # A weight of zero does not stop a value of NaN.
    context = context_vectors(weights, values).masked_fill(empty_rows(all_scores), 0.0).to(dtype)
    weights = weights[..., : key.shape[-2]]
    return AttentionTrace(scores, scaled_scores, masked_scores, weights, context)


def _beside_sinks(scores: Tensor, value: Tensor, sinks: Tensor | None) -> tuple[Tensor, Tensor]:
    """Add a key to each head: it has the score of the head's sink, and a value of zeros."""
    if sinks is None:
        return scores, value
    sink = sinks.to(scores.dtype)[..., None, None].expand(*scores.shape[:-1], 1)
    zeros = value.new_zeros(*value.shape[:-2], 1, value.shape[-1])
    return torch.cat((scores, sink), dim=-1), torch.cat((value, zeros), dim=-2)
