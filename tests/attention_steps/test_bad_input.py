"""What cannot be right is refused where torch would be silent or unclear."""

import math
import re
from collections.abc import Callable
from functools import partial
from typing import Any

import matplotlib
import numpy as np
import pytest
import torch
from torch import Tensor
from torch.distributed import GroupMember

import attention_steps

matplotlib.use("Agg")

# As a caller without a type checker sees them.
scores: Any = attention_steps.attention_scores
weights: Any = attention_steps.attention_weights
context: Any = attention_steps.context_vectors
attend: Any = attention_steps.scaled_dot_product_attention
trace: Any = attention_steps.trace_attention
merge: Any = attention_steps.merge_attention
causal: Any = attention_steps.causal_mask
padding: Any = attention_steps.padding_mask
window: Any = attention_steps.sliding_window_mask
SelfAttention: Any = attention_steps.SelfAttention
ManyHeads: Any = attention_steps.MultiHeadAttention
sinusoidal: Any = attention_steps.sinusoidal_positions
rotary: Any = partial(attention_steps.rotary_embedding, interleaved=True)
frequencies: Any = attention_steps.rotary_frequencies
slopes: Any = attention_steps.alibi_slopes
bias: Any = attention_steps.alibi_bias
plot: Any = attention_steps.plot_attention
head_tail: Any = attention_steps.head_tail_positions
threads: Any = partial(attention_steps.run_on_threads, lambda group: None)
on_one_rank: Any = partial(attention_steps.run_on_threads, world_size=1)
KVCache: Any = attention_steps.KVCache


def ones(*shape: int, device: str = "cpu") -> Tensor:
    return torch.ones(shape, device=device)


Q, K, V = ones(2, 4), ones(3, 4), ones(3, 5)
HEADS_6, HEADS_4, HEADS_2 = ones(6, 2, 4), ones(4, 2, 4), ones(2, 2, 4)
MASK = torch.ones(2, 3, dtype=torch.bool)


def filled() -> Any:
    """A cache of three tokens, in two heads."""
    cache = KVCache()
    cache.append(ones(2, 3, 4), ones(2, 3, 5))
    return cache


def tiled(**arguments: Any) -> Tensor:
    return attention_steps.tiled_attention(Q, Q, Q, **{"block_size": 2, **arguments})


def linear(query: Any = Q, key: Any = Q, value: Any = Q, **arguments: Any) -> Any:
    return attention_steps.linear_attention(query, key, value, **arguments)


def ring(positions: Tensor, key: Tensor = Q) -> Any:
    return on_one_rank(lambda group: attention_steps.ring_attention(Q, key, key, positions, group))


LAYER = SelfAttention(3, 2)
HEADS = ManyHeads(4, 2)
X, MEMORY = ones(3, 2, 4), ones(3, 5, 4)
LENGTHS = torch.tensor([2, 0, 3])
GROUPED = {"enable_gqa": True}
NO_GROUPS: list[Any] = [None, GroupMember.NON_GROUP_MEMBER, "gloo"]
NAN = math.nan
TORCHS_LAYER = torch.nn.MultiheadAttention

# (call, exception, message with * for the words in between)
REFUSED: list[tuple[Callable[[], object], type[Exception], str]] = [
    # The three steps
    (lambda: scores(ones(4), K), ValueError, "query must have at least 2 axes, got shape (4,)"),
    (lambda: scores(Q, ones(4)), ValueError, "key must have at least 2 axes, got shape (4,)"),
    (
        lambda: scores(Q, V),
        ValueError,
        "key must have the head_dim of query, 4, got 5: query (2, 4), key (3, 5)",
    ),
    (
        lambda: scores(Q, ones(7, 3, 4)),
        ValueError,
        "key must have the leading axes of query, (), got (7,): query (2, 4), key (7, 3, 4)",
    ),
    (lambda: scores(X, MEMORY[:1]), ValueError, "key * leading axes * (3,), got (1,)"),
    (lambda: weights(V.long()), TypeError, "scores must have a floating-point dtype, got *int64"),
    (lambda: weights(ones(3)), ValueError, "scores must have at least 2 axes, got shape (3,)"),
    (
        lambda: weights(V, V.int()),
        TypeError,
        "attn_mask must be torch.bool (True: may attend) or a float mask, got torch.int32; "
        "where 1 stands for may attend and 0 for may not, pass attn_mask.bool()",
    ),
    (
        lambda: weights(V, V.half()),
        TypeError,
        "attn_mask must be torch.bool or torch.float32, got torch.float16",
    ),
    (lambda: weights(V.half(), V), TypeError, "attn_mask must be * torch.float16, got *float32"),
    (lambda: weights(V, ones(2, 3, 5)), ValueError, "attn_mask * (3, 5), got (2, 3, 5)"),
    (lambda: weights(V[:1], V), ValueError, "attn_mask must broadcast * (1, 5), got (3, 5)"),
    (lambda: context(ones(3), V), ValueError, "weights must have at least 2 axes, got shape (3,)"),
    (lambda: context(Q, ones(4)), ValueError, "value must have at least 2 axes, got shape (4,)"),
    (lambda: context(ones(7, 2, 3), V), ValueError, "value must have the leading axes of weights"),
    (
        lambda: attend(*ones(3, 2, 4, device="meta"), ones(2, 2, device="meta").double()),
        TypeError,
        "attn_mask must be torch.bool or torch.float32, got torch.float64",
    ),
    # Parts, tiles, a state
    (lambda: merge(Q.long(), Q[:, 0], Q.long(), Q[:, 0]), TypeError, "context_1 must *int64"),
    (lambda: merge(Q, Q[:, 0].long(), Q, Q[:, 0]), TypeError, "lse_1 must * got torch.int64"),
    (lambda: merge(Q, Q[:, 0], Q, Q[:, 0].long()), TypeError, "lse_2 must * got torch.int64"),
    (
        lambda: merge(Q.half(), Q[:, 0], Q, Q[:, 0]),
        TypeError,
        "context_2 must * dtype of context_1",
    ),
    (
        lambda: merge(Q, Q[:, 0], K, K[:, 0]),
        ValueError,
        "context_2 must have the shape of context_1, (2, 4), * got context_2 (3, 4), lse_1 (2,)",
    ),
    (lambda: merge(Q, Q[:, :1], Q, Q[:, 0]), ValueError, "* context vector, (2,), * lse_1 (2, 1)"),
    (lambda: merge(Q, Q[:, 0], Q, Q[0, :1]), ValueError, "* context vector, (2,), * lse_2 (1,)"),
    (lambda: merge(*[Q[0], Q[0, 0]] * 2), ValueError, "context_1 must have at least 2 axes"),
    (lambda: tiled(block_size=0), ValueError, "block_size must be at least 1, got 0"),
    (lambda: tiled(block_size=2.0), TypeError, "block_size must be an int, got float 2.0"),
    (
        lambda: tiled(attn_mask=ones(2, 2).requires_grad_()),
        ValueError,
        "attn_mask must not require a gradient, got requires_grad=True: the gradient of a mask is",
    ),
    (lambda: tiled(attn_mask=ones(2, 2), is_causal=True), ValueError, "attn_mask and is_causal"),
    (lambda: tiled(attn_mask=MASK), ValueError, "attn_mask must broadcast * (2, 2), got (2, 3)"),
    (lambda: linear(chunk_size=0), ValueError, "chunk_size must be at least 1, got 0"),
    (lambda: linear(chunk_size=2.5), TypeError, "chunk_size must be an int, got float 2.5"),
    (lambda: linear(key=K, value=V), ValueError, "key must have the length of query, 2, got 3"),
    (lambda: linear(key=ones(2, 3)), ValueError, "key must have the head_dim of query"),
    (lambda: linear(value=Q.double()), TypeError, "value must have the dtype of query"),
    (lambda: linear(decay=0.9), TypeError, "decay must be a tensor, got float"),
    (lambda: linear(decay=1.5 * ones(2)), ValueError, "decay must be from 0 to 1, got 1.5 to 1.5"),
    (lambda: linear(decay=-ones(2)), ValueError, "decay must be from 0 to 1"),
    (lambda: linear(decay=NAN * ones(2)), ValueError, "decay must be from 0 to 1"),
    (lambda: linear(state=ones(4, 3)), ValueError, "state must have the shape * got (4, 3)"),
    # Masks
    (lambda: causal("3"), TypeError, "query_len must be an int, got str 3"),
    (lambda: causal(torch.tensor(2.5)), TypeError, "query_len must be an int, got Tensor *2.5"),
    (lambda: causal(np.float32(2)), TypeError, "query_len must be an int, got float32 2.0"),
    (lambda: causal(2, 3.0), TypeError, "key_len must be an int, got float 3.0"),
    (lambda: causal(3, offset=NAN), TypeError, "offset must be an int, got float nan"),
    (lambda: causal(3, offset=LENGTHS), TypeError, "offset must be an int, got Tensor *[2, 0, 3]"),
    (lambda: window(3, window=2, offset=0.5), TypeError, "offset must be an int, got float 0.5"),
    (lambda: causal(-1), ValueError, "query_len must be at least 0, got -1"),
    (lambda: causal(2, -3), ValueError, "key_len must be at least 0, got -3"),
    (lambda: padding(LENGTHS.float()), TypeError, "lengths must * integer dtype, got *float32"),
    (lambda: padding(LENGTHS.bool()), TypeError, "lengths must * integer dtype, got torch.bool"),
    (lambda: padding(LENGTHS[0]), ValueError, "lengths must have shape (batch,), got ()"),
    (
        lambda: padding(LENGTHS[None]),
        ValueError,
        "lengths must have shape (batch,), got (1, 3); an attention_mask of 0 and 1 is already a "
        "mask: attention_mask.bool()[:, None, None]",
    ),
    (lambda: padding(-LENGTHS), ValueError, "lengths must be at least 0, got -3"),
    (lambda: padding(LENGTHS, -1), ValueError, "max_len must be at least 0, got -1"),
    (lambda: padding(LENGTHS, 3.5), TypeError, "max_len must be an int, got float 3.5"),
    (lambda: window(3, window=0), ValueError, "window must be at least 1, got 0"),
    (lambda: window(3, window=1.5), TypeError, "window must be an int, got float 1.5"),
    # The layers
    (lambda: SelfAttention(0, 2), ValueError, "d_in must be at least 1, got 0"),
    (lambda: SelfAttention(3, 0), ValueError, "d_out must be at least 1, got 0"),
    (lambda: LAYER(ones(3)), ValueError, "query must have at least 2 axes, got shape (2,)"),
    (lambda: LAYER(ones(2, 3), MASK), ValueError, "attn_mask * (2, 2), got (2, 3)"),
    (lambda: LAYER(ones(2, 3), MASK[:, :2], True), ValueError, "attn_mask and is_causal=True * &"),
    (lambda: ManyHeads(0, 1), ValueError, "embed_dim must be at least 1, got 0"),
    (lambda: ManyHeads(4, 2, kdim=0), ValueError, "kdim must be at least 1, got 0"),
    (lambda: ManyHeads(4, 2.0), TypeError, "num_heads must be an int, got float 2.0"),
    (lambda: ManyHeads(4, 2, head_dim=0), ValueError, "head_dim must be at least 1, got 0"),
    (
        lambda: ManyHeads(6, 4),
        ValueError,
        "num_heads must divide embed_dim, got embed_dim=6 and num_heads=4",
    ),
    (
        lambda: ManyHeads(12, 6, num_kv_heads=4),
        ValueError,
        "num_kv_heads must divide num_heads, got num_heads=6 and num_kv_heads=4",
    ),
    (lambda: ManyHeads(12, 2, num_kv_heads=6), ValueError, "num_kv_heads must divide num_heads"),
    (lambda: ManyHeads(4, 2, dropout=1.5), ValueError, "dropout must be between 0 and 1, got 1.5"),
    (lambda: ManyHeads(4, 2, dropout=NAN), ValueError, "dropout must be between 0 and 1, got nan"),
    (
        lambda: ManyHeads.from_torch(torch.nn.Linear(4, 4)),
        TypeError,
        "module must compute what torch.nn.MultiheadAttention does, got Linear",
    ),
    (
        lambda: ManyHeads.from_torch(TORCHS_LAYER(4, 2, add_bias_kv=True)),
        ValueError,
        "module must be made with add_bias_kv=False, got True: MultiHeadAttention adds no key",
    ),
    (
        lambda: ManyHeads.from_torch(TORCHS_LAYER(4, 2, add_zero_attn=True)),
        ValueError,
        "module must be made with add_zero_attn=False, got True: MultiHeadAttention adds no key",
    ),
    # Positions
    (lambda: rotary(X.long()), TypeError, "x must have a floating-point dtype, got torch.int64"),
    (lambda: rotary(ones(4)), ValueError, "x must have at least 2 axes, got shape (4,)"),
    (lambda: rotary(V), ValueError, "x must have an even number of features, got 5: x (3, 5)"),
    (lambda: rotary(X, LENGTHS), ValueError, "positions must broadcast * (3, 2), got (3,)"),
    (lambda: rotary(X, ones(2, 3, 2)), ValueError, "positions must broadcast * got (2, 3, 2)"),
    (lambda: rotary(X, base=0.0), ValueError, "base must be positive and finite, got 0.0"),
    (lambda: rotary(X, base=math.inf), ValueError, "base must be positive and finite, got inf"),
    (lambda: rotary(X, base=NAN), ValueError, "base must be positive and finite, got nan"),
    (
        lambda: rotary(X, ones(2).bfloat16()),
        TypeError,
        "positions must be integers, or float32 or float64, got torch.bfloat16",
    ),
    (lambda: rotary(X, ones(2).bool()), TypeError, "positions must be integers * torch.bool"),
    (lambda: rotary(X, 1j * ones(2)), TypeError, "positions must be integers * torch.complex64"),
    (
        lambda: rotary(X, frequencies=ones(1)),
        ValueError,
        "frequencies must have one number for each pair of features, (2,), got (1,)",
    ),
    (
        lambda: rotary(X, frequencies=ones(2), base=500.0),
        ValueError,
        "frequencies come in place of base, got both, base=500.0",
    ),
    (lambda: frequencies(5), ValueError, "dim must be even, got 5"),
    (lambda: frequencies(0), ValueError, "dim must be at least 2, got 0"),
    (lambda: frequencies(4, base=0), ValueError, "base must be positive and finite, got 0"),
    (lambda: frequencies(4, factor=NAN), ValueError, "factor must be positive and finite, got nan"),
    (lambda: frequencies(4, trained_length=0), ValueError, "trained_length must be at least 1"),
    (
        lambda: frequencies(4, trained_length=8, turns=(4, 1)),
        ValueError,
        "turns must be two numbers in ascending order, got (4, 1)",
    ),
    (lambda: frequencies(4, trained_length=8, turns=(1,)), ValueError, "turns must be two numbers"),
    (
        lambda: frequencies(4, factor=8.0, turns=(1, 32)),
        ValueError,
        "turns need trained_length, got turns=(1, 32) without it",
    ),
    (lambda: sinusoidal(-1, 4), ValueError, "length must be at least 0, got -1"),
    (lambda: sinusoidal(3, 0), ValueError, "dim must be at least 1, got 0"),
    (lambda: slopes(8.0), TypeError, "num_heads must be an int, got float 8.0"),
    (lambda: bias(2, 2, offset=0.5), TypeError, "offset must be an int, got float 0.5"),
    (lambda: bias(2, -1), ValueError, "query_len must be at least 0, got -1"),
    (lambda: bias(2, 3, -1), ValueError, "key_len must be at least 0, got -1"),
    # The cache
    (lambda: KVCache(window=0), ValueError, "window must be at least 1, got 0"),
    (lambda: KVCache(window=1.5), TypeError, "window must be an int, got float 1.5"),
    (lambda: KVCache().append(ones(4), ones(4)), ValueError, "key must have at least 2 axes"),
    (
        lambda: KVCache().append(ones(2, 1, 4), ones(3, 1, 4)),
        ValueError,
        "value must have the leading axes of key, (2,), got (3,): key (2, 1, 4), value (3, 1, 4)",
    ),
    (
        lambda: KVCache().append(ones(2, 1, 4), ones(2, 2, 4)),
        ValueError,
        "key and value must have the same length, got 1 keys and 2 values: "
        "key (2, 1, 4), value (2, 2, 4)",
    ),
    (
        # Concatenating would make float64 of all.
        lambda: filled().append(ones(2, 1, 4).double(), ones(2, 1, 5)),
        TypeError,
        "key must have the dtype of the cache, torch.float32, got torch.float64",
    ),
    (
        lambda: filled().append(ones(2, 1, 4), ones(2, 1, 5).bfloat16()),
        TypeError,
        "value must have the dtype of the cache, torch.float32, got torch.bfloat16",
    ),
    # plot_attention
    (lambda: plot(ones(3)), ValueError, "weights must have shape (L, S) * got (3,)"),
    (lambda: plot(ones(1, 2, 3, 4)), ValueError, "weights must have shape (L, S) * (1, 2, 3, 4)"),
    (lambda: plot(ones(0, 3)), ValueError, "weights must * no axis of size 0, got (0, 3)"),
    (lambda: plot(-V.requires_grad_()), ValueError, "weights must not be negative, got -1.0"),
    (lambda: plot(Q, ["a"]), ValueError, "query_labels must have 2 strings, got 1"),
    (lambda: plot(Q, None, ["a"] * 5), ValueError, "key_labels must have 4 strings, got 5"),
    (lambda: plot(ones(7, 2, 4), ["a"] * 7), ValueError, "query_labels must have 2 strings, got 7"),
    # Several devices
    (lambda: threads(0), ValueError, "world_size must be at least 1, got 0"),
    (lambda: threads(2.0), TypeError, "world_size must be an int, got float 2.0"),
    (lambda: threads(2, timeout=0.0), ValueError, "timeout must be positive and finite, got 0.0"),
    (lambda: head_tail(6, 0, 2), ValueError, "length must be a multiple of 2 * world_size, 4"),
    (lambda: head_tail(8, 2, 2), ValueError, "rank must be below world_size, 2, got 2"),
    (lambda: head_tail(8, -1, 2), ValueError, "rank must be at least 0, got -1"),
    (lambda: head_tail(8, 0, 0), ValueError, "world_size must be at least 1, got 0"),
    (
        lambda: ring(torch.arange(3)),
        ValueError,
        "positions must have one number for each token of query, (2,), got (3,)",
    ),
    (lambda: ring(torch.ones(2, 1).int()), ValueError, "positions * token of query, (2,), got (2,"),
    (lambda: ring(torch.arange(2), K), ValueError, "positions * token of key, (3,), got (2,)"),
    (lambda: ring(ones(2)), TypeError, "positions must have an integer dtype, got torch.float32"),
    (lambda: ring(ones(2).bool()), TypeError, "positions must have an integer dtype, got *bool"),
    *(
        (call, TypeError, "group must be a process group to which this rank belongs, got *; under")
        for group in NO_GROUPS
        for call in (
            partial(attention_steps.ring_attention, Q, Q, Q, torch.arange(2), group),
            partial(attention_steps.all_to_all, Q, 0, 1, group),
            partial(attention_steps.copy_to_group, Q, group),
            partial(attention_steps.sum_over_group, Q, group),
        )
    ),
]

# (arguments, keyword arguments, exception, message), the same for forward and trace of HEADS
REFUSED_HEADS: list[tuple[list[Any], dict[str, Any], type[Exception], str]] = [
    ([[1.0]], {}, TypeError, "query must be a tensor, got list"),
    ([ones(4)], {}, ValueError, "query must have at least 2 axes, got shape (4,)"),
    ([X, MEMORY], {}, ValueError, "key and value must be given together, got key without value"),
    (
        [X, None, MEMORY],
        {},
        ValueError,
        "key and value * got value without key; leave both out for self-attention, or pass the "
        "same tensor twice, as in attention(query, memory, memory)",
    ),
    ([X, MEMORY[0], MEMORY[0]], {}, ValueError, "key must have the leading axes of query, (3,)"),
    ([X, MEMORY[:1], MEMORY[:1]], {}, ValueError, "key * leading axes of query, (3,), got (1,)"),
    ([X, MEMORY, MEMORY[:1]], {}, ValueError, "value * leading axes of query, (3,), got (1,)"),
    ([X, MEMORY, MEMORY[:, :1]], {}, ValueError, "key and value * got 5 keys and 1 values: key"),
    ([X, X, MEMORY], {}, ValueError, "key and value must have the same length, got 2 keys and 5"),
    ([X, None, None, MASK.int()], {}, TypeError, "attn_mask must be torch.bool * got torch.int32"),
    ([X, None, None, ones(2, 2).double()], {}, TypeError, "attn_mask must * got torch.float64"),
    (
        [X, None, None, ones(2, 2).bool(), True],
        {},
        ValueError,
        "attn_mask and is_causal=True exclude each other, got both; combine boolean masks with &, "
        "as in attn_mask=mask & causal_mask(query_len, key_len)",
    ),
    (
        [X, None, None, MASK],
        {},
        ValueError,
        "attn_mask must broadcast to the shape of the scores, (3, 2, 2, 2), got (2, 3)",
    ),
    (
        [X, MEMORY, MEMORY, ones(3, 2, 5)],
        {},
        ValueError,
        "* (3, 2, 2, 5), got (3, 2, 5); a mask for each sequence needs * attn_mask[:, None]",
    ),
    (
        [X, MEMORY, MEMORY, ones(3, 5)],
        {},
        ValueError,
        "* (3, 2, 2, 5), got (3, 5); a mask of the keys * is attn_mask[:, None, None, :]",
    ),
]

# The same for the function and its trace
REFUSED_ATTENTION: list[tuple[list[Any], dict[str, Any], type[Exception], str]] = [
    ([None, K, V], {}, TypeError, "query must be a tensor, got NoneType"),
    ([Q, K.to_sparse(), V], {}, TypeError, "key must be a plain tensor, got * torch.sparse_coo"),
    ([Q, K, V.to_sparse()], {}, TypeError, "value must be a plain tensor, got * torch.sparse_coo"),
    ([Q.long(), K, V], {}, TypeError, "query must have a floating-point dtype, got torch.int64"),
    ([Q.half(), K, V.half()], {}, TypeError, "key must * of query, torch.float16, got *float32"),
    ([Q, K, V.double()], {}, TypeError, "value must * of query, torch.float32, got torch.float64"),
    ([ones(4)] * 3, {}, ValueError, "query must have at least 2 axes, got shape (4,)"),
    ([Q, ones(4), V], {}, ValueError, "key must have at least 2 axes, got shape (4,)"),
    ([Q, K, ones(3)], {}, ValueError, "value must have at least 2 axes, got shape (3,)"),
    ([Q, V, V], {}, ValueError, "key must have the head_dim of query, 4, got 5: * (2, 4) * (3, 5)"),
    ([Q, K, V[:2]], {}, ValueError, "key and value * length, got 3 keys and 2 values: * (2, 5)"),
    ([Q, K[:1], V], {}, ValueError, "key and value * length, got 1 keys and 3 values: * (1, 4)"),
    ([Q[None], K, V], {}, ValueError, "key * leading axes of query, (1,), got (): * (1, 2, 4)"),
    ([Q[None], K[None], V], {}, ValueError, "value * leading axes of query, (1,), got ()"),
    ([HEADS_6, HEADS_2, HEADS_2], {}, ValueError, "key * leading axes of query, (6,), got (2,)"),
    # Grouped queries: too few axes, heads that do not divide, no head, another batch
    *(
        (tensors, GROUPED, ValueError, "with enable_gqa, key and value * of query, got query")
        for tensors in (
            [Q] * 3,
            [HEADS_4, K, K],
            [HEADS_4, HEADS_4, V],
            [HEADS_6, HEADS_4, HEADS_4],
            [HEADS_2, HEADS_4, HEADS_4],
            [HEADS_2, *[ones(0, 2, 4)] * 2],
            [HEADS_4, HEADS_2, HEADS_4],
            [ones(3, 4, 2, 4), ones(1, 2, 2, 4), ones(1, 2, 2, 4)],
        )
    ),
    ([HEADS_4, HEADS_2, HEADS_2[:, :1]], GROUPED, ValueError, "key and value * got 2 keys and 1"),
    # Scale and masks
    ([Q, K, V], {"scale": math.inf}, ValueError, "scale must be finite, got inf"),
    ([Q, K, V], {"scale": -math.inf}, ValueError, "scale must be finite, got -inf"),
    ([Q, K, V], {"scale": NAN}, ValueError, "scale must be finite, got nan"),
    ([Q, K, V, MASK.int()], {}, TypeError, "attn_mask must be torch.bool * got torch.int32"),
    ([Q, K, V, MASK.double()], {}, TypeError, "attn_mask must * float32, got torch.float64"),
    (
        [Q.half(), K.half(), V.half(), MASK.bfloat16()],
        {},
        TypeError,
        "attn_mask must be torch.bool or torch.float16 or torch.float32, got torch.bfloat16",
    ),
    ([Q, K, V, MASK.T], {}, ValueError, "attn_mask must broadcast * (2, 3), got (3, 2)"),
    ([Q, K, V, MASK[None]], {}, ValueError, "attn_mask must broadcast * (2, 3), got (1, 2, 3)"),
    ([Q[:1], K, V, MASK], {}, ValueError, "attn_mask must broadcast * (1, 3), got (2, 3)"),
    ([Q, K, V, MASK, 0.0, True], {}, ValueError, "attn_mask and is_causal=True * both * &"),
]


def pattern(message: str) -> str:
    return r"[\s\S]*".join(re.escape(words.strip()) for words in message.split("*"))


@pytest.mark.parametrize(("call", "error", "message"), REFUSED, ids=[row[-1] for row in REFUSED])
def test_refuses(call: Callable[[], object], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=f"^{pattern(message)}"):
        call()


@pytest.mark.parametrize(
    ("functions", "arguments", "keywords", "error", "message"),
    [((attend, trace), *row) for row in REFUSED_ATTENTION]
    + [((HEADS, HEADS.trace), *row) for row in REFUSED_HEADS],
    ids=[row[-1] for row in REFUSED_ATTENTION + REFUSED_HEADS],
)
def test_attention_and_its_trace_refuse(
    functions: Any, arguments: list[Any], keywords: dict[str, Any], error: Any, message: str
) -> None:
    for function in functions:
        with pytest.raises(error, match=f"^{pattern(message)}"):
            function(*arguments, **keywords)


def test_a_mask_gets_a_hint_only_where_the_hint_would_help() -> None:
    with pytest.raises(ValueError, match=r"got \(7, 2, 5\)$"):
        HEADS(X, MEMORY, MEMORY, ones(7, 2, 5))
    with pytest.raises(ValueError, match=r"got \(3, 4\)$"):
        HEADS(X, MEMORY, MEMORY, ones(3, 4))
