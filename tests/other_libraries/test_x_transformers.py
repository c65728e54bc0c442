"""The attention module of x-transformers, with random weights."""

import math
from functools import partial
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from attention_steps import (
    MultiHeadAttention,
    alibi_bias,
    causal_mask,
    rotary_embedding,
    sliding_window_mask,
)
from tests.other_libraries.conftest import Compare, copy_weights, give_weights

x_transformers: Any = pytest.importorskip(
    "x_transformers.x_transformers",
    reason="x-transformers is not installed: pip install --group other-libraries",
)

NAME = "x-transformers"
TOKENS = 7
PADDING = torch.tensor([[True] * TOKENS, [True] * 4 + [False] * 3])


def inputs() -> Tensor:
    return torch.randn(2, TOKENS, 24, generator=torch.Generator().manual_seed(1))


def pair(**options: Any) -> tuple[MultiHeadAttention, nn.Module]:
    """Return a layer of the package and one of the library, with the same weights."""
    theirs = x_transformers.Attention(24, dim_head=8, heads=4, **options)
    give_weights(theirs)
    groups = options.get("kv_heads", 4)
    ours = MultiHeadAttention(24, 4, num_kv_heads=groups, head_dim=8, bias=False)
    # The library's query head i takes key head i % groups, where the package's takes its
    # neighbours: so its query heads are put into the package's order.
    order = torch.arange(4).reshape(-1, groups).T.flatten()
    query = theirs.to_q.weight.unflatten(0, (4, 8))[order].flatten(0, 1)
    output = theirs.to_out.weight.unflatten(1, (4, 8))[:, order].flatten(1)
    copy_weights(ours, [query, theirs.to_k.weight, theirs.to_v.weight, output])
    return ours, theirs


def test_a_padding_mask(compare: Compare) -> None:
    ours, theirs = pair()
    mask = PADDING[:, None, None, :]
    given = inputs()
    # It writes zeros over the outputs that stand on padding.
    compare(
        NAME,
        "the layer: padding",
        ours(given, attn_mask=mask)[PADDING],
        theirs(given, mask=PADDING)[PADDING],
    )


@pytest.mark.parametrize("groups", [1, 2])
def test_shared_heads_with_rotary_positions(groups: int, compare: Compare) -> None:
    ours, theirs = pair(causal=True, kv_heads=groups)
    given = inputs()
    positions = x_transformers.RotaryEmbedding(8).forward_from_seq_len(TOKENS)
    rotate = partial(rotary_embedding, interleaved=True)
    compare(
        NAME,
        "the layer: causal, shared heads in its own order, rotary positions of neighbours",
        ours(given, is_causal=True, rotate=rotate),
        theirs(given, rotary_pos_emb=positions),
    )


def test_alibi(compare: Compare) -> None:
    ours, theirs = pair(causal=True)
    given = inputs()
    bias = alibi_bias(4, TOKENS).masked_fill(~causal_mask(TOKENS), -math.inf)
    compare(
        NAME,
        "the layer: causal, ALiBi",
        ours(given, attn_mask=bias),
        theirs(given, rel_pos=x_transformers.AlibiPositionalBias(4)),
    )


def test_a_window(compare: Compare) -> None:
    # It counts how far back a token sees, without the token itself.
    ours, theirs = pair(causal=True, max_attend_past=2)
    given = inputs()
    compare(
        NAME,
        "the layer: sliding window",
        ours(given, attn_mask=sliding_window_mask(TOKENS, window=3)),
        theirs(given),
    )


def test_cross_attention(compare: Compare) -> None:
    ours, theirs = pair()
    asking, asked = inputs()[:, :3], inputs().flip(0)
    compare(NAME, "the layer: cross-attention", ours(asking, asked, asked), theirs(asking, asked))
