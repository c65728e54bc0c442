"""Masks say which keys a query may attend to: True where it may."""

import torch
from torch import Tensor

from attention_steps._checks import check_int


def causal_mask(query_len: int, key_len: int | None = None, *, offset: int = 0) -> Tensor:
    r"""Let each query attend to the keys up to its own position, and to no later one.

    $$\mathrm{mask}_{ij} = (j \le i + \mathrm{offset})$$

    Source: [Vaswani et al. 2017, "Attention Is All You Need"](https://arxiv.org/abs/1706.03762),
    section 3.2.3, which masks out the connections to later positions.

    With fewer queries than keys, `offset` says where the queries stand among the keys. The default
    puts query 0 beside key 0, as `is_causal` does in torch. With a cache of earlier keys the
    queries are the last tokens: `offset=key_len - query_len`.

    Args:
        query_len: Number of queries, L.
        key_len: Number of keys, S. Left out, it is `query_len`.
        offset: How many positions past its own index a query sees. A negative one hides keys
            that stand before the query, and can leave a query with no key at all.

    Returns:
        Boolean mask, shape `(L, S)`, True where attention is allowed.

    Raises:
        TypeError: If a length or the offset is not an int.
        ValueError: If a length is negative.

    Example:
        >>> from attention_steps import causal_mask
        >>> causal_mask(3)
        tensor([[ True, False, False],
                [ True,  True, False],
                [ True,  True,  True]])
        >>> causal_mask(2, 4, offset=2)
        tensor([[ True,  True,  True, False],
                [ True,  True,  True,  True]])
    """
    key_len = query_len if key_len is None else key_len
    check_int("query_len", query_len, minimum=0)
    check_int("key_len", key_len, minimum=0)
    check_int("offset", offset)

    query_position = torch.arange(query_len).unsqueeze(-1)
    key_position = torch.arange(key_len)
    # Not key <= query + offset: a very large offset would overflow the sum and hide every key.
    return key_position - query_position <= offset
