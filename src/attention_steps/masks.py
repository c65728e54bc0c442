"""Masks say which keys a query may attend to: True where it may.

Masks combine with `&`. The last two axes are `(L, S)`, those before them `(batch, num_heads)`. An
axis of size 1, or one that is left out in front, stands for all.
"""

import torch
from torch import Tensor

from attention_steps._checks import (
    check_integer,
    check_integers,
    check_size,
    shape_of,
)


def causal_mask(
    query_len: int,
    key_len: int | None = None,
    *,
    offset: int = 0,
    device: torch.device | str | None = None,
) -> Tensor:
    r"""Let each query attend to the keys up to its own position, and to no later one.

    $$\mathrm{mask}_{ij} = (j \le i + \mathrm{offset})$$

    Source: [Vaswani et al. 2017, "Attention Is All You Need"](https://arxiv.org/abs/1706.03762),
    section 3.2.3, which masks out the connections to later positions.

    Names: torch has `is_causal=True` for the mask without an offset.

    With fewer queries than keys, `offset` says where the queries are among the keys: by default
    query 0 beside key 0, and behind a cache of earlier keys `offset=key_len - query_len`.

    Args:
        query_len: Number of queries, L.
        key_len: Number of keys, S. Defaults to `query_len`.
        offset: How many positions past its own index a query sees. It may be negative.
        device: Where the mask is made. Defaults to torch's default device.

    Returns:
        Boolean mask, shape `(L, S)`, True where attention is allowed.

    Raises:
        TypeError: If a length or `offset` is a float.
        ValueError: If a length is negative.

    Examples:
        >>> from attention_steps import causal_mask
        >>> causal_mask(3)
        tensor([[ True, False, False],
                [ True,  True, False],
                [ True,  True,  True]])
        >>> offset = 2
        >>> mask = causal_mask(2, 4, offset=offset)
        >>> mask
        tensor([[ True,  True,  True, False],
                [ True,  True,  True,  True]])
    """
    key_len = query_len if key_len is None else key_len
    check_size("query_len", query_len)
    check_size("key_len", key_len)
    check_integer("offset", offset)

    query_position = torch.arange(query_len, device=device).unsqueeze(-1)
    key_position = torch.arange(key_len, device=device)
    # Not key <= query + offset: a very large offset would overflow the sum and hide every key.
    return key_position - query_position <= offset


def padding_mask(lengths: Tensor, max_len: int | None = None) -> Tensor:
    r"""Hide the padding: let every query attend to the first `lengths[b]` keys of its sequence.

    $$\mathrm{mask}_{b,0,0,j} = (j < \mathrm{lengths}_b)$$

    Source: no paper's equation; it follows from putting sequences of different length into one
    batch. Queries of the padding attend too, so leave their outputs out of the loss.

    Names: `key_padding_mask` of `torch.nn.MultiheadAttention` says True where attention is **not**
    allowed: it is `~padding_mask(lengths)[:, 0, 0]`. An `attention_mask` of other libraries, 1 for
    a token and 0 for padding on whichever side, is `attention_mask.bool()[:, None, None, :]` here.

    Args:
        lengths: Number of tokens of each sequence, integers, shape `(batch,)`, before the padding.
        max_len: Number of keys, S, with the padding. Defaults to the greatest length, for which
            `lengths` are read: a GPU waits, and graphs and `torch.vmap` fail.

    Returns:
        Boolean mask, shape `(batch, 1, 1, max_len)`, True where attention is allowed. For inputs
        without an axis for heads, take `[:, 0]`.

    Raises:
        TypeError: If `lengths` does not hold integers, or `max_len` is a float.
        ValueError: If `lengths` does not have one axis, or, where they are read, a length is
            negative.

    Examples:
        >>> import torch
        >>> from attention_steps import padding_mask
        >>> lengths = torch.tensor([3, 1])
        >>> mask = padding_mask(lengths)
        >>> mask.shape
        torch.Size([2, 1, 1, 3])
        >>> mask[:, 0, 0]
        tensor([[ True,  True,  True],
                [ True, False, False]])
    """
    # A fraction of the greatest length, or a mask, would still be compared with positions.
    check_integers("lengths", lengths)
    if lengths.dim() != 1:
        raise ValueError(
            f"lengths must have shape (batch,), got {shape_of(lengths)}; "
            "an attention_mask of 0 and 1 is already a mask: attention_mask.bool()[:, None, None]"
        )
    if max_len is None:
        shortest, max_len = map(int, lengths.aminmax()) if lengths.numel() else (0, 0)
        check_size("lengths", shortest)
    check_size("max_len", max_len)
    # Not in the dtype of lengths: its largest number may be smaller than max_len.
    key_position = torch.arange(max_len, device=lengths.device)
    return key_position < lengths[:, None, None, None]


def sliding_window_mask(
    query_len: int,
    key_len: int | None = None,
    *,
    window: int,
    offset: int = 0,
    device: torch.device | str | None = None,
) -> Tensor:
    r"""Let each query attend to the last few keys up to its own position.

    $$\mathrm{mask}_{ij} =
    (i + \mathrm{offset} - \mathrm{window} < j \le i + \mathrm{offset})$$

    Source: [Jiang et al. 2023, "Mistral 7B"](https://arxiv.org/abs/2310.06825), figure 1: a token
    attends to at most $W$ tokens.

    Names: `window` is $W$ of Mistral 7B.

    Args:
        query_len: Number of queries, L.
        key_len: Number of keys, S. Defaults to `query_len`.
        window: How many keys a query sees, its own position among them.
        offset: As in `causal_mask`: with a cache of earlier keys, `key_len - query_len`.
        device: Where the mask is made. Defaults to torch's default device.

    Returns:
        Boolean mask, shape `(L, S)`, True where attention is allowed.

    Raises:
        TypeError: If a length, `window` or `offset` is a float.
        ValueError: If a length is negative, or `window` is less than 1.

    Examples:
        >>> from attention_steps import sliding_window_mask
        >>> window, offset = 2, 0
        >>> mask = sliding_window_mask(4, window=window, offset=offset)
        >>> mask
        tensor([[ True, False, False, False],
                [ True,  True, False, False],
                [False,  True,  True, False],
                [False, False,  True,  True]])
    """
    check_size("window", window, minimum=1)
    seen = causal_mask(query_len, key_len, offset=offset, device=device)
    passed = causal_mask(query_len, key_len, offset=offset - window, device=device)
    return seen & ~passed


def document_mask(documents: Tensor) -> Tensor:
    r"""Let each token attend to the tokens of its own document, where several stand in one row.

    $$\mathrm{mask}_{ij} = (\mathrm{document}_i = \mathrm{document}_j)$$

    Source: [Krell et al. 2021, "Efficient Sequence Packing without
    Cross-contamination"](https://arxiv.org/abs/2107.02027), which packs short texts into one
    sequence and keeps them apart by such a mask.

    Names: torch's `varlen_attn` takes `cu_seq_q` and `cu_seq_k` in place of a mask: where each
    document begins, and where the last one ends. The documents are
    `torch.repeat_interleave(cu_seq_q.diff())`.

    Args:
        documents: In which document each token stands, shape `(..., L)`, integers. Tokens of one
            document need not be neighbours.

    Returns:
        Boolean mask, shape `(..., L, L)`, True where attention is allowed. For inputs with an axis
        for heads, `documents[:, None]` of shape `(batch, 1, L)` gives `(batch, 1, L, L)`.

    Raises:
        TypeError: If `documents` does not hold integers.
        ValueError: If it has no axis.

    Examples:
        >>> import torch
        >>> from attention_steps import document_mask
        >>> document = torch.tensor([0, 0, 1, 1])
        >>> mask = document_mask(document)
        >>> mask
        tensor([[ True,  True, False, False],
                [ True,  True, False, False],
                [False, False,  True,  True],
                [False, False,  True,  True]])
    """
    check_integers("documents", documents)
    if documents.dim() == 0:
        raise ValueError(f"documents must have shape (..., L), got {shape_of(documents)}")
    return documents.unsqueeze(-1) == documents.unsqueeze(-2)
