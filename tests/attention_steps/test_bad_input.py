"""What cannot be right is refused where torch would be silent or unclear."""

import math
import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import matplotlib
import numpy as np
import pytest
import torch
from torch import Tensor
from torch.distributed import GroupMember
from torch.nn.attention.flex_attention import BlockMask

import attention_steps
from attention_steps import parallel
from attention_steps.plot import plot_attention

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
SelfAttention: Any = attention_steps.SelfAttention
ManyHeads: Any = attention_steps.MultiHeadAttention
rotary: Any = partial(attention_steps.rotary_embedding, interleaved=True)
frequencies: Any = attention_steps.rotary_frequencies
slopes: Any = attention_steps.alibi_slopes
bias: Any = attention_steps.alibi_bias
plot: Any = plot_attention
head_tail: Any = parallel.head_tail_positions
threads: Any = partial(parallel.run_on_threads, lambda group: None)
threads_of: Any = parallel.run_on_threads
on_one_rank: Any = partial(parallel.run_on_threads, world_size=1)
KVCache: Any = attention_steps.KVCache
Preallocated: Any = attention_steps.PreallocatedCache


def ones(*shape: int, device: str = "cpu") -> Tensor:
    return torch.ones(shape, device=device)


Q, K, V = ones(2, 4), ones(3, 4), ones(3, 5)
HEADS_6, HEADS_4, HEADS_2 = ones(6, 2, 4), ones(4, 2, 4), ones(2, 2, 4)
MASK = torch.ones(2, 3, dtype=torch.bool)
# One block of keys for one of queries; `create_block_mask` would load the compiler to make it.
BLOCKS = BlockMask.from_kv_blocks(
    torch.ones(1, 1, 1, dtype=torch.int32), torch.zeros(1, 1, 1, 1, dtype=torch.int32)
)


def filled() -> Any:
    """A cache of three tokens, in two heads."""
    cache = KVCache()
    cache.append(ones(2, 3, 4), ones(2, 3, 5))
    return cache


def one_sequence() -> Any:
    """A cache without an axis of sequences."""
    cache = KVCache()
    cache.append(ones(3, 4), ones(3, 5))
    return cache


def tiled(**arguments: Any) -> Tensor:
    return attention_steps.tiled_attention(Q, Q, Q, **{"block_size": 2, **arguments})


def linear(query: Any = Q, key: Any = Q, value: Any = Q, **arguments: Any) -> Any:
    return attention_steps.linear_attention(query, key, value, **arguments)


def ring(positions: Tensor, key: Tensor = Q, **options: Any) -> Any:
    return on_one_rank(
        lambda group: parallel.ring_attention(Q, key, key, positions, group, **options)
    )


LAYER = SelfAttention(3, 2)
HEADS = ManyHeads(4, 2)
X, MEMORY = ones(3, 2, 4), ones(3, 5, 4)
INDEX = torch.tensor([1, 0])
LENGTHS = torch.tensor([2, 0, 3])
GROUPED = {"enable_gqa": True}
NO_GROUPS: list[Any] = [None, GroupMember.NON_GROUP_MEMBER, "gloo"]
NAN = math.nan
NO_TENSOR: Any = [0, 1]
TORCHS_LAYER = torch.nn.MultiheadAttention

# (call, message with * for the words in between)
WRONG_VALUES: list[tuple[Callable[[], object], str]] = [
    (lambda: slopes(10**9), "num_heads must be at most 65536, got 1000000000"),
    (lambda: threads(257), "world_size must be at most 256, got 257"),
    (lambda: threads(1, timeout=1e30), "timeout must be at most * seconds, got 1e"),
    (lambda: scores(ones(4), K), "query must have at least 2 axes, got shape (4,)"),
    (lambda: scores(Q, V), "key must * the head_dim of query, 4, got 5: query (2, 4), key (3, 5)"),
    (lambda: scores(Q, ones(7, 3, 4)), "key must have * (), got (7,): query (2, 4), key (7, 3, 4)"),
    (lambda: weights(ones(3)), "scores must have at least 2 axes, got shape (3,)"),
    (lambda: weights(V, ones(2, 3, 5)), "attn_mask * (3, 5), got (2, 3, 5)"),
    (lambda: context(ones(7, 2, 3), V), "value must have the leading axes of weights"),
    (lambda: merge(Q, Q[:, 0], K, K[:, 0]), "context_2 must * got context_2 (3, 4), lse_1 (2,)"),
    (lambda: merge(Q, Q[:, 0], Q, Q[0, :1]), "* context vector, (2,), * lse_2 (1,)"),
    (
        lambda: tiled(attn_mask=ones(2, 2).requires_grad_()),
        "attn_mask must not require a gradient, got requires_grad=True: the gradient of a mask is",
    ),
    (lambda: linear(key=K, value=V), "key must have the length of query, 2, got 3"),
    (lambda: linear(key=ones(2, 3)), "key must have the head_dim of query"),
    (lambda: linear(decay=1.5 * ones(2)), "decay must be from 0 to 1, got 1.5 to 1.5"),
    (lambda: linear(decay=NAN * ones(2)), "decay must be from 0 to 1"),
    (lambda: linear(beta=-3 * ones(2)), "beta must be from 0 to 2, got -3 to -3"),
    (lambda: linear(state=ones(4, 3)), "state must have the shape * got (4, 3)"),
    (lambda: linear(beta=torch.tensor(1.0)), "beta must have the shape (..., L), (2,), got ()"),
    (lambda: attend(Q, K, V, softcap=0.0), "softcap must be positive and finite, got 0.0"),
    *(
        (partial(call, HEADS_4, HEADS_4, HEADS_4, sinks=ones(*shape)), "sinks must * head, (4,),")
        for call in (attend, trace, attention_steps.attention_with_lse)
        for shape in ((), (1,), (3, 4))
    ),
    (lambda: padding(LENGTHS[None]), "lengths must have shape (batch,), got (1, 3); * None, None]"),
    (lambda: padding(-LENGTHS), "lengths must be at least 0, got -3"),
    (lambda: LAYER(ones(2, 4)), "inputs must have 3 features, got 4: inputs (2, 4)"),
    (lambda: ManyHeads(6, 4), "num_heads must divide embed_dim, got embed_dim=6 and num_heads=4"),
    (
        lambda: ManyHeads(12, 6, num_kv_heads=4),
        "* divide num_heads, got num_heads=6 and num_kv_heads=4",
    ),
    (lambda: ManyHeads(4, 2, dropout=1.5), "dropout must be between 0 and 1, got 1.5"),
    (lambda: ManyHeads.from_torch(TORCHS_LAYER(4, 2, add_bias_kv=True)), "* add_bias_kv=False,"),
    (lambda: ManyHeads.from_torch(TORCHS_LAYER(4, 2, add_zero_attn=True)), "* add_zero_attn=False"),
    (lambda: rotary(ones(4)), "x must have at least 2 axes, got shape (4,)"),
    (lambda: rotary(V), "x must have an even number of features, got 5: x (3, 5)"),
    (lambda: rotary(X, LENGTHS), "positions must broadcast * (3, 2), got (3,)"),
    (lambda: rotary(X, base=0.0), "base must be positive and finite, got 0.0"),
    (lambda: rotary(X, frequencies=ones(1)), "frequencies must * pair of features, (2,), got (1,)"),
    (
        lambda: rotary(X, frequencies=ones(2), base=500.0),
        "frequencies * place of base, * base=500.0",
    ),
    (lambda: frequencies(5), "dim must be even, got 5"),
    (lambda: frequencies(4, trained_length=8, turns=(4, 1)), "turns must be * order, got (4, 1)"),
    (lambda: frequencies(4, trained_length=8, turns=4), "turns must be two numbers * got 4"),
    (lambda: frequencies(4, factor=8.0, turns=(1, 32)), "turns and ramp need * turns=(1, 32)"),
    (lambda: frequencies(4, ramp="pairs"), "turns and ramp need * ramp='pairs' without"),
    (lambda: frequencies(4, trained_length=8, ramp="pair"), "ramp must be one of * got 'pair'"),
    (
        lambda: frequencies(4, trained_length=8, ramp="pairs", turns=(0, 4)),
        "with ramp='pairs', base must be * 1 and turns * 0, got base=10000.0 and turns=(0, 4)",
    ),
    (
        lambda: frequencies(4, trained_length=8, ramp="whole pairs", base=1),
        "with ramp='whole pairs', base must be greater than 1 * got base=1 and turns=None",
    ),
    (lambda: bias(2, 3, offset=2**63 - 1), "offset must be below 2 ** 62, got 9223372036854775807"),
    (lambda: Preallocated(2).append(K, V), "max_len must be at least 3 for these tokens, got 2"),
    (
        lambda: filled().append(ones(2, 1, 4), ones(2, 1, 6)),
        "value must have the axes of the cache but for the tokens, (2, 3, 5), got (2, 1, 6)",
    ),
    (lambda: filled().append(ones(3, 1, 4), ones(3, 1, 5)), "key must have the axes of the cache"),
    (lambda: filled().reorder(INDEX[None]), "index must have shape (batch,), got (1, 2)"),
    (
        lambda: one_sequence().reorder(INDEX),
        "the cache must have an axis of sequences before its tokens, got key (3, 4)",
    ),
    (lambda: KVCache().append(ones(2, 1, 4), ones(3, 1, 4)), "value * axes of key, (2,), got (3,)"),
    (lambda: KVCache().append(ones(2, 1, 4), ones(2, 2, 4)), "key and value * 1 keys and 2 values"),
    (lambda: context(Q, K), "value must have a row for each key of weights, 4, got 3: weights"),
    (lambda: HEADS(X, attend=lambda q, *x, **y: q[..., :1]), "attend must * (3, 2, 2, 2), got"),
    (
        lambda: frequencies(4, trained_length=8, turns=("a", "b")),
        "turns must be two numbers in ascending order, got ('a', 'b')",
    ),
    (lambda: plot(ones(3)), "weights must have shape (L, S), * got (3,)"),
    (lambda: plot(ones(0, 3)), "weights must * no axis of size 0, got (0, 3)"),
    (lambda: plot(-V.requires_grad_()), "weights must be finite and not negative, got -1.0"),
    (lambda: plot(NAN * V), "weights must be finite and not negative, got nan"),
    (lambda: plot(Q, ["a"]), "query_labels must have 2 strings, got 1"),
    (
        lambda: on_one_rank(lambda group: parallel.all_to_all(Q, 2, 0, group)),
        "split_dim must be an axis of x, (2, 4), got 2",
    ),
    (
        lambda: on_one_rank(lambda group: parallel.all_to_all(Q, 0, -3, group)),
        "join_dim must be an axis of x, (2, 4), got -3",
    ),
    (lambda: HEADS(X, rotate=lambda x: x[..., :1]), "rotate must keep * query, * 2), got (3, 2, 2"),
    (lambda: threads(2, timeout=0.0), "timeout must be positive and finite, got 0.0"),
    (lambda: head_tail(6, 0, 2), "length must be a multiple of 2 * world_size, 4"),
    (lambda: head_tail(8, 2, 2), "rank must be below world_size, 2, got 2"),
    (lambda: ring(torch.tensor([1, 1])), "positions must be different * got [1] more than once"),
]

WRONG_TYPES: list[tuple[Callable[[], object], str]] = [
    (lambda: causal(np.ones((2, 3))), "query_len must be an int, got ndarray"),
    (lambda: causal(ones(device="meta").int()), "query_len must be an int, got *"),
    (lambda: attend(Q, K, V, softcap=ones()), "softcap must be a number, got a tensor"),
    (lambda: rotary(Q, base=ones()), "base must be a number, got a tensor"),
    (lambda: ManyHeads(4, 2, dtype=torch.float8_e4m3fn), "dtype must be a floating"),
    (lambda: plot(ones(2, 3), ones()), "query_labels must be a list of strings"),
    (lambda: plot(ones(2, 3, device="meta")), "weights must be real, got numbers that"),
    (lambda: weights(V.long()), "scores must have a floating-point dtype, got *int64"),
    (lambda: weights(V, V.int()), "attn_mask must be * and 0 for may not, pass attn_mask.bool()"),
    (lambda: weights(V, V.half()), "attn_mask must be * or torch.float32, got torch.float16"),
    (lambda: weights(V.half(), V), "attn_mask must be * torch.float16, got *float32"),
    (
        lambda: attend(*ones(3, 2, 4, device="meta"), ones(2, 2, device="meta").double()),
        "attn_mask must be torch.bool or torch.float32, got torch.float64",
    ),
    (lambda: merge(Q.long(), Q[:, 0], Q.long(), Q[:, 0]), "context_1 must *int64"),
    (lambda: merge(Q, Q[:, 0].long(), Q, Q[:, 0]), "lse_1 must * got torch.int64"),
    (lambda: plot(1j * Q), "weights must be real, got torch.complex64"),
    *(
        (partial(make, 4, 2, dtype=dtype), f"dtype must be a floating-point dtype, got {shown}")
        for make in (ManyHeads, SelfAttention)
        for dtype, shown in ((torch.int64, "torch.int64"), ("half", "'half'"))
    ),
    (lambda: HEADS(X, rotate=Tensor.double), "the query that rotate returns must have * *64"),
    (lambda: HEADS(X, attend=lambda q, *x, **y: q.double()), "the context that attend * *64"),
    (lambda: merge(Q.half(), Q[:, 0], Q, Q[:, 0]), "context_2 must * dtype of context_1"),
    (lambda: attend(Q, K, V, softcap="x"), "softcap must be a number, got str 'x'"),
    (lambda: attend(Q, K, V, sinks=torch.tensor(1)), "sinks must have a floating-point dtype"),
    (lambda: linear(decay=ones(2).long()), "decay must have a floating-point dtype, got *int64"),
    (lambda: rotary(X, interleaved="half"), "interleaved must be True or False, got str 'half'"),
    *(
        (call, message)
        for make in (filled, KVCache, partial(Preallocated, 9))
        for call, message in (
            (lambda m=make: m().reorder([0, 1]), "index must be a tensor, got list"),
            (lambda m=make: m().reorder(None), "index must be a tensor, got NoneType"),
            (lambda m=make: m().reorder(INDEX.bool()), "index must have an integer dtype, got *bo"),
            (
                lambda m=make: m().reorder(INDEX.float()),
                "index must have an integer dtype, got *fl",
            ),
        )
    ),
    *(
        (lambda n=n, c=c: c(X, **{n: "r"}), f"{n} must be a function, got str 'r'")
        for n in ("rotate", "attend")
        for c in (HEADS, HEADS.trace)
    ),
    (lambda: threads_of(None, 1), "function must be a function, got NoneType"),
    (lambda: HEADS(X.double()), "query must have the dtype of the weights, *32, got *64"),
    (lambda: LAYER(ones(2, 3).long()), "inputs must have the dtype of the weights, *int64"),
    (lambda: context(Q, ones(4, 3).long()), "value must have the dtype of weights, *32, got *64"),
    (lambda: ManyHeads(4, 2, bias="no"), "bias must be True or False, got str 'no'"),
    (
        lambda: parallel.run_on_threads(lambda group: parallel.sum_gradients(NO_TENSOR, group), 1),
        "module must be a torch.nn.Module, got list",
    ),
    (lambda: plot(Q, ax="x"), "ax must be axes of matplotlib, got str"),
    (lambda: plot(np.ones((2, 2))), "weights must be a tensor, got ndarray"),
    (lambda: plot(Q, "ab"), "query_labels must be a list of strings, got the string 'ab'"),
    (lambda: linear(value=Q.double()), "value must have the dtype of query"),
    (lambda: KVCache().append([1.0], Q), "key must be a tensor, got list"),
    (lambda: tiled(scale=torch.tensor(0.5)), "scale must be a number, got Tensor; * queries by it"),
    (lambda: causal("3"), "query_len must be an int, got str 3"),
    (lambda: causal(3, offset=LENGTHS), "offset must be an int, got Tensor *[2, 0, 3]"),
    (lambda: padding(LENGTHS.float()), "lengths must * integer dtype, got *float32"),
    (lambda: ManyHeads.from_torch(None), "module must compute * does, got NoneType"),
    (lambda: HEADS(X, attend=lambda *x, **y: x), "the context that attend * tensor, got tuple"),
    (lambda: HEADS(X, rotate=lambda x: 1.0), "the query that rotate * tensor, got float"),
    (lambda: HEADS(X, mask=MASK), "MultiHeadAttention got an unexpected keyword argument 'mask'"),
    (lambda: rotary(X.long()), "x must have a floating-point dtype, got torch.int64"),
    (lambda: rotary(X, ones(2).bfloat16()), "positions must be integers, or float32 or float64,"),
    (
        lambda: filled().append(ones(2, 1, 4).double(), ones(2, 1, 5)),
        "key must have the dtype of the cache, torch.float32, got torch.float64",
    ),
    (
        lambda: filled().append(ones(2, 1, 4), ones(2, 1, 5).bfloat16()),
        "value must have the dtype of the cache, torch.float32, got torch.bfloat16",
    ),
    *(
        (partial(on_one_rank, partial(call, NO_TENSOR)), "x must be a tensor, got list")
        for call in (
            parallel.copy_to_group,
            parallel.sum_over_group,
        )
    ),
    (
        lambda: ring(torch.arange(2), is_causal="no"),
        "is_causal must be True or False, got str 'no'",
    ),
    (lambda: ring(ones(2)), "positions must have an integer dtype, got torch.float32"),
    *(
        (call, "group must be a process group to which this rank belongs, got *; under")
        for group in NO_GROUPS
        for call in (
            partial(parallel.ring_attention, Q, Q, Q, torch.arange(2), group),
            partial(parallel.all_to_all, Q, 0, 1, group),
            partial(parallel.copy_to_group, Q, group),
            partial(parallel.sum_over_group, Q, group),
            partial(parallel.sum_gradients, torch.nn.Linear(1, 1), group),
        )
    ),
]

HEADS_ARGUMENTS = ("query", "key", "value", "attn_mask", "is_causal")
# (arguments in this order, message), the same for forward and trace of HEADS
WRONG_HEADS: list[tuple[list[Any], str]] = [
    ([ones(4)], "query must have at least 2 axes, got shape (4,)"),
    ([X, MEMORY], "key and value must be given together, got key without value"),
    ([X, None, MEMORY], "key and value * got value without key; leave both out * memory, memory)"),
    ([X, MEMORY[0], MEMORY[0]], "key must have the leading axes of query, (3,)"),
    ([X, MEMORY[:1], MEMORY[:1]], "key * leading axes of query, (3,), got (1,)"),
    ([X, MEMORY, MEMORY[:1]], "value * leading axes of query, (3,), got (1,)"),
    ([X, MEMORY, MEMORY[:, :1]], "key and value * got 5 keys and 1 values: key"),
    ([X, X, MEMORY], "key and value must have the same length, got 2 keys and 5"),
    ([X, None, None, ones(2, 2).bool(), True], "attn_mask and is_causal=True exclude each other,"),
    ([ones(3, 2, 7)], "query must have 4 features, got 7: query (3, 2, 7)"),
    ([X, ones(3, 2, 7), ones(3, 2, 7)], "key must have 4 features, got 7: key (3, 2, 7)"),
    ([X, X, ones(3, 2, 7)], "value must have 4 features, got 7: value (3, 2, 7)"),
    ([X, None, None, MASK], "attn_mask must * the shape of the scores, (3, 2, 2, 2), got (2, 3)"),
    ([X, MEMORY, MEMORY, ones(3, 2, 5)], "* (3, 2, 2, 5), got (3, 2, 5); a mask for each * None]"),
    ([X, MEMORY, MEMORY, ones(3, 5)], "* (3, 2, 2, 5), got (3, 5); a mask of the keys * is * :]"),
]

WRONG_TYPES_OF_HEADS: list[tuple[list[Any], str]] = [
    (
        [X, None, None, None, MASK],
        "is_causal must * got a tensor of shape (2, 3); a mask is passed",
    ),
    ([X, None, None, None, "no"], "is_causal must be True or False, got str 'no'"),
    ([X, None, None, MASK.int()], "attn_mask must be torch.bool * got torch.int32"),
    ([X, None, None, ones(2, 2).double()], "attn_mask must * got torch.float64"),
]

# (arguments, keyword arguments, message), the same for the function and its trace
WRONG_ATTENTION: list[tuple[list[Any], dict[str, Any], str]] = [
    ([ones(4)] * 3, {}, "query must have at least 2 axes, got shape (4,)"),
    ([Q, V, V], {}, "key must have the head_dim of query, 4, got 5: * (2, 4) * (3, 5)"),
    ([Q, K, V[:2]], {}, "key and value * length, got 3 keys and 2 values: * (2, 5)"),
    ([K, K, V[:2]], {}, "key and value * length, got 3 keys and 2 values: * (2, 5)"),
    ([Q, K[:1], V], {}, "key and value * length, got 1 keys and 3 values: * (1, 4)"),
    ([Q[None], K, V], {}, "key * leading axes of query, (1,), got (): * (1, 2, 4)"),
    ([Q[None], K[None], V], {}, "value * leading axes of query, (1,), got ()"),
    ([HEADS_6, HEADS_2, HEADS_2], {}, "key * of query, (6,), got (2,) * enable_gqa=True lets"),
    *(
        (tensors, GROUPED, "with enable_gqa, key and value * of query, got query")
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
    ([HEADS_4, HEADS_2, HEADS_2[:, :1]], GROUPED, "key and value * got 2 keys and 1"),
    ([Q, K, V], {"scale": math.inf}, "scale must be finite, got inf"),
    ([Q, K, V], {"scale": NAN}, "scale must be finite, got nan"),
    ([Q, K, V], {"dropout_p": 1.5}, "dropout_p must be between 0 and 1, got 1.5"),
    ([Q, Q.to("meta"), Q], {}, "key must be on the device of query, cpu, got meta"),
    ([Q, K, V, MASK.T], {}, "attn_mask must broadcast * (2, 3), got (3, 2)"),
    ([Q, K, V, MASK[None]], {}, "attn_mask must broadcast * (2, 3), got (1, 2, 3)"),
    ([Q[:1], K, V, MASK], {}, "attn_mask must broadcast * (1, 3), got (2, 3)"),
    ([Q, K, V, MASK, 0.0, True], {}, "attn_mask and is_causal=True * both * &"),
]

WRONG_TYPES_OF_ATTENTION: list[tuple[list[Any], dict[str, Any], str]] = [
    ([Q, K, V, BLOCKS], {}, "attn_mask must be a tensor, got BlockMask"),
    ([Q, K, V], {"scale": torch.tensor(0.5)}, "scale must be a number, got Tensor"),
    ([Q, K, V, None, MASK], {}, "dropout_p must * number, got a tensor of shape (2, 3); a mask is"),
    ([Q, K, V], {"dropout_p": None}, "dropout_p must be a number, got NoneType None"),
    ([Q, K, V], {"dropout_p": "0.1"}, "dropout_p must be a number, got str '0.1'"),
    ([Q, K, V, None, 0.0, MASK], {}, "is_causal must * got a tensor of shape (2, 3); a mask is"),
    ([Q, K, V], {"is_causal": "no"}, "is_causal must be True or False, got str 'no'"),
    ([Q, K, V], {"enable_gqa": 1}, "enable_gqa must be True or False, got int 1"),
    ([Q, K, V], {"scale": "x"}, "scale must be a number, got str 'x'"),
    ([Q.long(), K, V], {}, "query must have a floating-point dtype, got torch.int64"),
    ([Q.half(), K, V.half()], {}, "key must * of query, torch.float16, got *float32"),
    ([Q, K, V.double()], {}, "value must * of query, torch.float32, got torch.float64"),
    ([Q, K, V, MASK.int()], {}, "attn_mask must be torch.bool * got torch.int32"),
    ([Q, K, V, MASK.double()], {}, "attn_mask must * float32, got torch.float64"),
    (
        [Q.half(), K.half(), V.half(), MASK.bfloat16()],
        {},
        "attn_mask must be torch.bool or torch.float16 or torch.float32, got torch.bfloat16",
    ),
]


def pattern(message: str) -> str:
    return r"[\s\S]*".join(re.escape(words.strip()) for words in message.split("*"))


def refusals() -> Iterator[tuple[type[Exception], list[Callable[[], object]], str]]:
    """Yield each error, the calls that raise it, and its message."""
    for error, calls in ((ValueError, WRONG_VALUES), (TypeError, WRONG_TYPES)):
        yield from ((error, [call], message) for call, message in calls)
    for error, heads in ((ValueError, WRONG_HEADS), (TypeError, WRONG_TYPES_OF_HEADS)):
        for arguments, message in heads:
            named = dict(zip(HEADS_ARGUMENTS, arguments, strict=False))
            yield error, [partial(call, **named) for call in (HEADS, HEADS.trace)], message
    for error, rows in ((ValueError, WRONG_ATTENTION), (TypeError, WRONG_TYPES_OF_ATTENTION)):
        for arguments, keywords, message in rows:
            yield (
                error,
                [partial(call, *arguments, **keywords) for call in (attend, trace)],
                message,
            )


@pytest.mark.parametrize(
    ("error", "calls", "message"), list(refusals()), ids=[message for *_, message in refusals()]
)
def test_refuses(error: type[Exception], calls: list[Callable[[], object]], message: str) -> None:
    for call in calls:
        with pytest.raises(error, match=f"^{pattern(message)}"):
            call()


@pytest.mark.parametrize(
    ("given", "instead"),
    [
        ({"need_weights": True}, "trace gives the weights"),
        ({"key_padding_mask": ones(3, 2).bool()}, "pass attn_mask=~key_padding_mask"),
        ({"average_attn_weights": False}, "trace(...).weights.mean(dim=-3)"),
    ],
    ids=str,
)
def test_a_call_in_the_way_of_torchs_layer_is_told_what_to_do(
    given: dict[str, Any], instead: str
) -> None:
    cache = KVCache()
    for call in (HEADS, HEADS.trace):
        with pytest.raises(
            TypeError, match=f"one of torch.nn.MultiheadAttention: .*{re.escape(instead)}"
        ):
            call(X, X, X, cache=cache, **given)
        # torch's key_padding_mask, and its need_weights
        for position in ([ones(3, 2).bool()], [None], [None, True]):
            with pytest.raises(
                TypeError, match=r"^MultiHeadAttention takes query, key and value by"
            ):
                call(X, X, X, *position, cache=cache)
    assert cache.length == 0
    with pytest.raises(
        TypeError, match="'batch_first', * the batch always comes first".replace("* ", ".*")
    ):
        ManyHeads(4, 2, batch_first=True)


@pytest.mark.parametrize("cache", ["c", KVCache, []], ids=str)
def test_what_is_no_cache_is_refused(cache: Any) -> None:
    for call in (HEADS, HEADS.trace):
        with pytest.raises(
            TypeError, match=r"^cache must have a method append, as KVCache\(\) has"
        ):
            call(X, cache=cache)


def test_under_autocast_python_names_the_function_that_lacks_an_argument() -> None:
    linear_attention: Any = attention_steps.linear_attention
    with torch.autocast("cpu"):
        for function in (attend, trace, linear_attention):
            with pytest.raises(TypeError, match=rf"^{function.__name__}\(\) missing 1 required"):
                function(Q, K)


def test_a_mask_gets_a_hint_only_where_the_hint_would_help() -> None:
    with pytest.raises(ValueError, match=r"got \(7, 2, 5\)$"):
        HEADS(X, MEMORY, MEMORY, attn_mask=ones(7, 2, 5))
    with pytest.raises(ValueError, match=r"got \(3, 4\)$"):
        HEADS(X, MEMORY, MEMORY, attn_mask=ones(3, 4))
