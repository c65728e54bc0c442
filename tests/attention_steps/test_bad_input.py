"""What cannot be right is refused, in words that name the argument, the rule and what came."""

import inspect
import math
import re
from collections.abc import Callable
from typing import Any

import matplotlib
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib import pyplot
from torch import Tensor

import attention_steps

matplotlib.use("Agg")

# As a caller without a type checker sees them.
scores: Any = attention_steps.attention_scores
weights: Any = attention_steps.attention_weights
context: Any = attention_steps.context_vectors
attend: Any = attention_steps.scaled_dot_product_attention
trace: Any = attention_steps.trace_attention
causal: Any = attention_steps.causal_mask
padding: Any = attention_steps.padding_mask
window: Any = attention_steps.sliding_window_mask
SelfAttention: Any = attention_steps.SelfAttention
ManyHeads: Any = attention_steps.MultiHeadAttention
sinusoidal: Any = attention_steps.sinusoidal_positions
rotary: Any = attention_steps.rotary_embedding
slopes: Any = attention_steps.alibi_slopes
bias: Any = attention_steps.alibi_bias
plot: Any = attention_steps.plot_attention


def ones(*shape: int, device: str = "cpu") -> Tensor:
    return torch.ones(shape, device=device)


def elsewhere(*shape: int) -> Tensor:
    return ones(*shape, device="meta")


Q, K, V = ones(2, 4), ones(3, 4), ones(3, 5)
HEADS_6, HEADS_4, HEADS_2 = ones(6, 2, 4), ones(4, 2, 4), ones(2, 2, 4)
MASK = torch.ones(2, 3, dtype=torch.bool)
LAYER = SelfAttention(3, 2)
HEADS = ManyHeads(4, 2)
CROSS = ManyHeads(4, 2, kdim=3, vdim=5)
X, MEMORY = ones(3, 2, 4), ones(3, 5, 4)
LENGTHS = torch.tensor([2, 0, 3])
TORCHS_LAYER = torch.nn.MultiheadAttention

# (call, exception, message with * for the words in between)
REFUSED: list[tuple[Callable[[], object], type[Exception], str]] = [
    # attention_scores
    (lambda: scores([[1.0]], K), TypeError, "query must be a tensor, got list"),
    (lambda: scores(Q, None), TypeError, "key must be a tensor, got NoneType"),
    (
        lambda: scores(Q.long(), K.long()),
        TypeError,
        "query must have one of the dtypes torch.float64, torch.float32, torch.bfloat16, "
        "torch.float16, got torch.int64",
    ),
    (lambda: scores(Q * 1j, K * 1j), TypeError, "query must * torch.complex64"),
    (
        lambda: scores(Q, K.double()),
        TypeError,
        "key must have the dtype of query, torch.float32, got torch.float64",
    ),
    (lambda: scores(ones(4), K), ValueError, "query must have at least 2 axes, got shape (4,)"),
    (lambda: scores(Q, ones(4)), ValueError, "key must have at least 2 axes, got shape (4,)"),
    (lambda: scores(Q, V), ValueError, "key must * head_dim of query, 4, got 5: * (2, 4) * (3, 5)"),
    (
        lambda: scores(Q, ones(7, 3, 4)),
        ValueError,
        "key must have the leading axes of query, (), got (7,): query (2, 4), key (7, 3, 4)",
    ),
    (
        lambda: scores(ones(2, 2, 4), ones(1, 3, 4)),
        ValueError,
        "key * leading axes * (2,), got (1,)",
    ),
    (
        lambda: scores(Q, elsewhere(3, 4)),
        ValueError,
        "key must be on the device of query, cpu, got meta",
    ),
    # attention_weights
    (lambda: weights(0.5), TypeError, "scores must be a tensor, got float 0.5"),
    (lambda: weights(MASK), TypeError, "scores must have * got torch.bool"),
    (lambda: weights(ones(3)), ValueError, "scores must have at least 2 axes, got shape (3,)"),
    (lambda: weights(V, "no"), TypeError, "attn_mask must be a tensor or None, got str 'no'"),
    (lambda: weights(V, V.int()), TypeError, "attn_mask must be torch.bool * got torch.int32"),
    (lambda: weights(V, V * 1j), TypeError, "attn_mask must be * got torch.complex64"),
    (
        lambda: weights(V, V.half()),
        TypeError,
        "attn_mask must have the dtype of scores, torch.float32, got torch.float16",
    ),
    (lambda: weights(V, MASK), ValueError, "attn_mask must broadcast * (3, 5), got (2, 3)"),
    (lambda: weights(V, ones(2, 3, 5)), ValueError, "attn_mask * (3, 5), got (2, 3, 5)"),
    (lambda: weights(V[:1], V), ValueError, "attn_mask must broadcast * (1, 5), got (3, 5)"),
    (lambda: weights(V, elsewhere(3, 5)), ValueError, "attn_mask * device * cpu, got meta"),
    (lambda: weights(V, elsewhere(3, 5).bool()), ValueError, "attn_mask * cpu, got meta"),
    # context_vectors
    (lambda: context(3, V), TypeError, "weights must be a tensor, got int 3"),
    (lambda: context(Q, V.tolist()), TypeError, "value must be a tensor, got list"),
    (lambda: context(MASK, V), TypeError, "weights must have * got torch.bool"),
    (
        lambda: context(MASK.double(), V),
        TypeError,
        "value must have the dtype of weights, torch.float64, got torch.float32",
    ),
    (lambda: context(ones(3), V), ValueError, "weights must have at least 2 axes, got shape (3,)"),
    (lambda: context(Q, ones(4)), ValueError, "value must have at least 2 axes, got shape (4,)"),
    (lambda: context(Q, V), ValueError, "value must * 4 rows, got 3: * (2, 4), value (3, 5)"),
    (lambda: context(ones(7, 2, 4), ones(7, 3, 5)), ValueError, "value must * 4 rows, got 3"),
    (
        lambda: context(ones(7, 2, 3), V),
        ValueError,
        "value must have the leading axes of weights, (7,), got (): weights (7, 2, 3), value",
    ),
    (
        lambda: context(ones(2, 3), elsewhere(3, 5)),
        ValueError,
        "value must be on the device of weights, cpu, got meta",
    ),
    # causal_mask
    (lambda: causal(2.0), TypeError, "query_len must be an int, got float 2.0"),
    (lambda: causal(True), TypeError, "query_len must be an int, got bool True"),
    (lambda: causal("3"), TypeError, "query_len must be an int, got str '3'"),
    (lambda: causal(None), TypeError, "query_len must be an int, got NoneType"),
    (lambda: causal(2, torch.tensor(3)), TypeError, "key_len must be an int, got Tensor"),
    (lambda: causal(2, offset=0.5), TypeError, "offset must be an int, got float 0.5"),
    (lambda: causal(2, offset=None), TypeError, "offset must be an int, got NoneType"),
    (lambda: causal(-1), ValueError, "query_len must be at least 0, got -1"),
    (lambda: causal(2, -3), ValueError, "key_len must be at least 0, got -3"),
    (lambda: causal(2, offset=2**63), ValueError, "offset must fit in 64 bits, got 9223372036854"),
    (lambda: causal(2, offset=-(2**63) - 1), ValueError, "offset must fit in 64 bits, got -92233"),
    # padding_mask
    (lambda: padding([3, 1]), TypeError, "lengths must be a tensor, got list"),
    (lambda: padding(3), TypeError, "lengths must be a tensor, got int 3"),
    (
        lambda: padding(LENGTHS.float()),
        TypeError,
        "lengths must * integer dtype, got torch.float32",
    ),
    (lambda: padding(LENGTHS.bool()), TypeError, "lengths must * integer dtype, got torch.bool"),
    (lambda: padding(LENGTHS[0]), ValueError, "lengths must have shape (batch,), got ()"),
    (lambda: padding(LENGTHS[None]), ValueError, "lengths must have shape (batch,), got (1, 3)"),
    (lambda: padding(-LENGTHS), ValueError, "lengths must not be negative, got -3"),
    (lambda: padding(LENGTHS, 2), ValueError, "lengths must be at most max_len, 2, got 3"),
    (lambda: padding(LENGTHS, -1), ValueError, "max_len must be at least 0, got -1"),
    (lambda: padding(LENGTHS, 3.0), TypeError, "max_len must be an int, got float 3.0"),
    (lambda: padding(LENGTHS, LENGTHS), TypeError, "max_len must be an int, got Tensor"),
    (lambda: padding(LENGTHS.to("meta")), ValueError, "max_len must be given * (device meta)"),
    # sliding_window_mask
    (lambda: window(3), TypeError, "* missing * 'window'"),
    (lambda: window(3, window=0), ValueError, "window must be at least 1, got 0"),
    (lambda: window(3, window=2.0), TypeError, "window must be an int, got float 2.0"),
    (lambda: window(3, window=None), TypeError, "window must be an int, got NoneType"),
    (lambda: window(3, window=True), TypeError, "window must be an int, got bool True"),
    (lambda: window(-1, window=2), ValueError, "query_len must be at least 0, got -1"),
    (lambda: window(3, -1, window=2), ValueError, "key_len must be at least 0, got -1"),
    (lambda: window("3", window=2), TypeError, "query_len must be an int, got str '3'"),
    (lambda: window(3, window=2, offset=0.5), TypeError, "offset must be an int, got float 0.5"),
    # SelfAttention
    (lambda: SelfAttention(0, 2), ValueError, "d_in must be at least 1, got 0"),
    (lambda: SelfAttention(3, -2), ValueError, "d_out must be at least 1, got -2"),
    (lambda: SelfAttention(3.0, 2), TypeError, "d_in must be an int, got float 3.0"),
    (lambda: SelfAttention(3, True), TypeError, "d_out must be an int, got bool True"),
    (lambda: SelfAttention(3, 2, bias=1), TypeError, "bias must be a bool, got int 1"),
    (lambda: LAYER([1.0]), TypeError, "inputs must be a tensor, got list"),
    (lambda: LAYER(ones(3)), ValueError, "inputs must have at least 2 axes, got shape (3,)"),
    (lambda: LAYER(Q), ValueError, "inputs must have d_in=3 features * got 4: inputs (2, 4)"),
    (lambda: LAYER(ones(5, 2, 4)), ValueError, "* d_in=3 features * got 4: inputs (5, 2, 4)"),
    (
        lambda: LAYER(ones(2, 3).half()),
        TypeError,
        "* of the weights of SelfAttention, torch.float32",
    ),
    (lambda: LAYER(ones(2, 3).long()), TypeError, "inputs must * torch.int64"),
    (lambda: LAYER(ones(2, 3).double()), TypeError, "inputs must * float32, got torch.float64"),
    (lambda: LAYER(elsewhere(2, 3)), ValueError, "inputs must * device * cpu, got meta"),
    (lambda: LAYER(ones(2, 3), MASK), ValueError, "attn_mask * (2, 2), got (2, 3)"),
    (lambda: LAYER(ones(2, 3), MASK.int()), TypeError, "attn_mask * torch.int32"),
    (lambda: LAYER(ones(2, 3), MASK[:, :2], True), ValueError, "attn_mask and is_causal=True * &"),
    # MultiHeadAttention
    (lambda: ManyHeads(0, 1), ValueError, "embed_dim must be at least 1, got 0"),
    (lambda: ManyHeads(4, 0), ValueError, "num_heads must be at least 1, got 0"),
    (lambda: ManyHeads(4, 2, num_kv_heads=0), ValueError, "num_kv_heads must be at least 1, got 0"),
    (lambda: ManyHeads(4, 2, kdim=0), ValueError, "kdim must be at least 1, got 0"),
    (lambda: ManyHeads(4, 2, vdim=-1), ValueError, "vdim must be at least 1, got -1"),
    (lambda: ManyHeads(4.0, 2), TypeError, "embed_dim must be an int, got float 4.0"),
    (lambda: ManyHeads(4, None), TypeError, "num_heads must be an int, got NoneType"),
    (lambda: ManyHeads(4, 2, num_kv_heads=1.0), TypeError, "num_kv_heads must be an int * 1.0"),
    (lambda: ManyHeads(4, 2, kdim="4"), TypeError, "kdim must be an int, got str '4'"),
    (lambda: ManyHeads(4, 2, vdim=True), TypeError, "vdim must be an int, got bool True"),
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
    (lambda: ManyHeads(4, 2, dropout=True), TypeError, "dropout must be a number, got bool True"),
    (lambda: ManyHeads(4, 2, dropout="0"), TypeError, "dropout must be a number, got str '0'"),
    (lambda: ManyHeads(4, 2, bias=None), TypeError, "bias must be a bool, got NoneType"),
    (lambda: ManyHeads(4, 2, 1), TypeError, "* positional"),
    (
        lambda: ManyHeads.from_torch(torch.nn.Linear(4, 4)),
        TypeError,
        "module must be a torch.nn.MultiheadAttention, got Linear",
    ),
    (lambda: ManyHeads.from_torch(None), TypeError, "module must be * got NoneType"),
    (
        lambda: ManyHeads.from_torch(TORCHS_LAYER(4, 2, add_bias_kv=True)),
        ValueError,
        "module must be made with add_bias_kv=False, got True: MultiHeadAttention has no learned",
    ),
    (
        lambda: ManyHeads.from_torch(TORCHS_LAYER(4, 2, add_zero_attn=True)),
        ValueError,
        "module must be made with add_zero_attn=False, got True: MultiHeadAttention adds no key",
    ),
    # rotary_embedding
    (lambda: rotary([[1.0, 0.0]]), TypeError, "x must be a tensor, got list"),
    (lambda: rotary(X.long()), TypeError, "x must have one of the dtypes * got torch.int64"),
    (lambda: rotary(X * 1j), TypeError, "x must have one of the dtypes * got torch.complex64"),
    (lambda: rotary(ones(4)), ValueError, "x must have at least 2 axes, got shape (4,)"),
    (lambda: rotary(V), ValueError, "x must have an even number of features, got 5: x (3, 5)"),
    (lambda: rotary(ones(2, 4, 3)), ValueError, "x must * got 3: x (2, 4, 3)"),
    (lambda: rotary(X, [0, 1]), TypeError, "positions must be a tensor or None, got list"),
    (lambda: rotary(X, LENGTHS.bool()), TypeError, "positions must be * floats, got torch.bool"),
    (lambda: rotary(X, LENGTHS), ValueError, "positions must broadcast * (3, 2), got (3,)"),
    (lambda: rotary(X, ones(2, 3, 2)), ValueError, "positions must broadcast * got (2, 3, 2)"),
    (
        lambda: rotary(X, elsewhere(2)),
        ValueError,
        "positions must be on the device of x, cpu * meta",
    ),
    (lambda: rotary(X, base=0.0), ValueError, "base must be positive and finite, got 0.0"),
    (lambda: rotary(X, base=-2), ValueError, "base must be positive and finite, got -2"),
    (lambda: rotary(X, base=math.inf), ValueError, "base must be positive and finite, got inf"),
    (lambda: rotary(X, base=math.nan), ValueError, "base must be positive and finite, got nan"),
    (
        lambda: rotary(X, base=2**63),
        ValueError,
        "base must fit in 64 bits, got 9223372036854775808",
    ),
    (lambda: rotary(X, base="10000"), TypeError, "base must be a number, got str '10000'"),
    (lambda: rotary(X, base=True), TypeError, "base must be a number, got bool True"),
    (lambda: rotary(X, interleaved=1), TypeError, "interleaved must be a bool, got int 1"),
    # The other positions
    (lambda: sinusoidal(-1, 4), ValueError, "length must be at least 0, got -1"),
    (lambda: sinusoidal(3, 0), ValueError, "dim must be at least 1, got 0"),
    (lambda: sinusoidal(3.0, 4), TypeError, "length must be an int, got float 3.0"),
    (lambda: sinusoidal(3, None), TypeError, "dim must be an int, got NoneType"),
    (lambda: slopes(0), ValueError, "num_heads must be at least 1, got 0"),
    (lambda: slopes(8.0), TypeError, "num_heads must be an int, got float 8.0"),
    (lambda: slopes(True), TypeError, "num_heads must be an int, got bool True"),
    (lambda: bias(0, 3), ValueError, "num_heads must be at least 1, got 0"),
    (lambda: bias(2, -1), ValueError, "query_len must be at least 0, got -1"),
    (lambda: bias(2, 3, -1), ValueError, "key_len must be at least 0, got -1"),
    (lambda: bias(2.0, 3), TypeError, "num_heads must be an int, got float 2.0"),
    (lambda: bias(2, "3"), TypeError, "query_len must be an int, got str '3'"),
    (lambda: bias(2, 3, 1.5), TypeError, "key_len must be an int, got float 1.5"),
    # plot_attention
    (lambda: plot([[1.0]]), TypeError, "weights must be a tensor, got list"),
    (lambda: plot(MASK), TypeError, "weights must have one of the dtypes * got torch.bool"),
    (lambda: plot(ones(3)), ValueError, "weights must have at least 2 axes, got shape (3,)"),
    (lambda: plot(ones(1, 2, 3, 4)), ValueError, "weights must have shape (L, S) * (1, 2, 3, 4)"),
    (lambda: plot(ones(0, 3)), ValueError, "weights must * no axis of size 0, got (0, 3)"),
    (lambda: plot(elsewhere(2, 3)), ValueError, "weights must have numbers * device meta"),
    (lambda: plot(-V), ValueError, "weights must not be negative, got -1.0"),
    (lambda: plot(-V.requires_grad_()), ValueError, "weights must not be negative, got -1.0"),
    (
        lambda: plot(Q, "ab"),
        TypeError,
        "query_labels must be a list of strings or None, got str 'ab'",
    ),
    (lambda: plot(Q, 2), TypeError, "query_labels must be a list of strings or None, got int 2"),
    (lambda: plot(Q, ["a", 1]), TypeError, "query_labels must be a list * got one with int 1"),
    (lambda: plot(Q, ["a"]), ValueError, "query_labels must have 2 strings, got 1"),
    (lambda: plot(Q, None, ["a"] * 5), ValueError, "key_labels must have 4 strings, got 5"),
    (lambda: plot(Q, None, [None] * 4), TypeError, "key_labels must be * got one with NoneType"),
    (lambda: plot(ones(7, 2, 4), ["a"] * 7), ValueError, "query_labels must have 2 strings, got 7"),
    (lambda: plot(Q, ax="here"), TypeError, "ax must be a matplotlib Axes or None, got str"),
    (lambda: plot(Q, ax=plot), TypeError, "ax must be a matplotlib Axes or None, got function"),
]

# (arguments, keyword arguments, exception, message), the same for forward and trace of HEADS
REFUSED_HEADS: list[tuple[list[Any], dict[str, Any], type[Exception], str]] = [
    ([[1.0]], {}, TypeError, "query must be a tensor, got list"),
    ([None], {}, TypeError, "query must be a tensor, got NoneType"),
    ([X.long()], {}, TypeError, "query must have one of the dtypes * got torch.int64"),
    ([X.double()], {}, TypeError, "query must * weights of MultiHeadAttention, * torch.float64"),
    (
        [elsewhere(2, 4)],
        {},
        ValueError,
        "query must be on the device of the weights * cpu, got meta",
    ),
    ([ones(4)], {}, ValueError, "query must have at least 2 axes, got shape (4,)"),
    ([ones(2, 3)], {}, ValueError, "query must have embed_dim=4 features * got 3: query (2, 3)"),
    ([X, MEMORY], {}, ValueError, "key and value must be given together, got key without value"),
    (
        [X, None, MEMORY],
        {},
        ValueError,
        "* got value without key; leave both",
    ),
    (
        [X, None, MEMORY],
        {},
        ValueError,
        "key and value * out for self-attention, or pass the same tensor twice, as in "
        "attention(query, memory, memory)",
    ),
    ([X, "key", MEMORY], {}, TypeError, "key must be a tensor, got str 'key'"),
    ([X, MEMORY, 1.0], {}, TypeError, "value must be a tensor, got float 1.0"),
    (
        [X, ones(3, 5, 3), MEMORY],
        {},
        ValueError,
        "key must have kdim=4 features * got 3: key (3, 5",
    ),
    ([X, MEMORY, ones(3, 5, 3)], {}, ValueError, "value must have vdim=4 features * got 3: value"),
    ([X, MEMORY.half(), MEMORY], {}, TypeError, "key must have the dtype of * got torch.float16"),
    ([X, MEMORY, MEMORY.half()], {}, TypeError, "value must have the dtype * got torch.float16"),
    ([X, MEMORY[0], MEMORY[0]], {}, ValueError, "key must have the leading axes of query, (3,)"),
    ([X, MEMORY[:2], MEMORY[:2]], {}, ValueError, "key * leading axes of query, (3,), got (2,)"),
    ([X, MEMORY, MEMORY[:2]], {}, ValueError, "value * leading axes of query, (3,), got (2,)"),
    (
        [X, MEMORY, MEMORY[:, :1]],
        {},
        ValueError,
        "key and value * got 5 keys and 1 values: key (3,",
    ),
    ([X, X, MEMORY], {}, ValueError, "key and value must have the same length, got 2 keys and 5"),
    ([X], {"is_causal": 1}, TypeError, "is_causal must be a bool, got int 1"),
    ([X], {"attn_mask": [[True]]}, TypeError, "attn_mask must be a tensor or None, got list"),
    (
        [X],
        {"attn_mask": MASK.int()},
        TypeError,
        "attn_mask must be torch.bool (True: may attend) or a float mask of the dtype of * got",
    ),
    ([X], {"attn_mask": ones(2, 2).double()}, TypeError, "attn_mask must * query, torch.float32"),
    ([X], {"attn_mask": elsewhere(2, 2)}, ValueError, "attn_mask must * of query, cpu, got meta"),
    (
        [X],
        {"attn_mask": ones(2, 2).bool(), "is_causal": True},
        ValueError,
        "attn_mask and is_causal=True exclude each other, got both; combine boolean masks with &, "
        "as in attn_mask=mask & causal_mask(query_len, key_len)",
    ),
    (
        [X],
        {"attn_mask": MASK},
        ValueError,
        "attn_mask must broadcast to the shape of the scores, (3, 2, 2, 2), got (2, 3)",
    ),
    (
        [X, MEMORY, MEMORY],
        {"attn_mask": ones(3, 2, 5)},
        ValueError,
        "* (3, 2, 2, 5), got (3, 2, 5); a mask for each sequence needs * attn_mask[:, None]",
    ),
    (
        [X, MEMORY, MEMORY],
        {"attn_mask": ones(3, 5)},
        ValueError,
        "* (3, 2, 2, 5), got (3, 5); a mask of the keys * is attn_mask[:, None, None, :]",
    ),
]

# (arguments, keyword arguments, exception, message), the same for the function and its trace
REFUSED_ATTENTION: list[tuple[list[Any], dict[str, Any], type[Exception], str]] = [
    ([[1.0], K, V], {}, TypeError, "query must be a tensor, got list"),
    ([Q, None, V], {}, TypeError, "key must be a tensor, got NoneType"),
    ([Q, K, None], {}, TypeError, "value must be a tensor, got NoneType"),
    ([Q.long(), K.long(), V.long()], {}, TypeError, "query must have * got torch.int64"),
    ([Q * 1j, K * 1j, V * 1j], {}, TypeError, "query must * torch.complex64"),
    ([Q, K.half(), V], {}, TypeError, "key must * of query, torch.float32, got torch.float16"),
    ([Q, K, V.double()], {}, TypeError, "value must * of query, torch.float32, got torch.float64"),
    ([Q, elsewhere(3, 4), V], {}, ValueError, "key must * device of query, cpu, got meta"),
    ([Q, K, elsewhere(3, 5)], {}, ValueError, "value must * device of query, cpu, got meta"),
    ([ones(4), K, V], {}, ValueError, "query must have at least 2 axes, got shape (4,)"),
    ([Q, ones(4), V], {}, ValueError, "key must have at least 2 axes, got shape (4,)"),
    ([Q, K, ones(3)], {}, ValueError, "value must have at least 2 axes, got shape (3,)"),
    ([Q, V, V], {}, ValueError, "key must have the head_dim of query, 4, got 5: * (2, 4) * (3, 5)"),
    ([Q, K, V[:2]], {}, ValueError, "key and value * length, got 3 keys and 2 values: * (2, 5)"),
    ([Q, K[:1], V], {}, ValueError, "key and value * length, got 1 keys and 3 values: * (1, 4)"),
    ([Q[None], K, V], {}, ValueError, "key * leading axes of query, (1,), got (): * (1, 2, 4)"),
    ([Q[None], K[None], V], {}, ValueError, "value * leading axes of query, (1,), got ()"),
    ([HEADS_6, HEADS_2, HEADS_2], {}, ValueError, "key * leading axes of query, (6,), got (2,)"),
    # Grouped queries
    ([Q, K, V], {"enable_gqa": True}, ValueError, "query must have at least 3 axes, got * (2, 4)"),
    ([HEADS_4, K, HEADS_4], {"enable_gqa": True}, ValueError, "key must have at least 3 axes"),
    ([HEADS_4, HEADS_4, V], {"enable_gqa": True}, ValueError, "value must have at least 3 axes"),
    (
        [HEADS_6, HEADS_4, HEADS_4],
        {"enable_gqa": True},
        ValueError,
        "* heads of key must divide that of query, got 4 and 6: query (6, 2, 4), key (4, 2, 4)",
    ),
    ([HEADS_2, HEADS_4, HEADS_4], {"enable_gqa": True}, ValueError, "* heads of key * got 4 and 2"),
    ([HEADS_2, *[ones(0, 2, 4)] * 2], {"enable_gqa": True}, ValueError, "* of key * got 0 and 2"),
    (
        [HEADS_4, HEADS_2, HEADS_4],
        {"enable_gqa": True},
        ValueError,
        "key and value must have the same number of heads, got 2 and 4: * value (4, 2, 4)",
    ),
    (
        [ones(3, 4, 2, 4), ones(1, 2, 2, 4), ones(1, 2, 2, 4)],
        {"enable_gqa": True},
        ValueError,
        "query, key and value * before num_heads, (3,), got query (3, 4, 2, 4), key (1, 2, 2, 4)",
    ),
    (
        # The shapes in the message are those that were passed, before key heads are repeated.
        [HEADS_4, ones(2, 2, 3), HEADS_2],
        {"enable_gqa": True},
        ValueError,
        "key must have the head_dim of query, 4, got 3: query (4, 2, 4), key (2, 2, 3)",
    ),
    # Masks
    ([Q, K, V, [[True]]], {}, TypeError, "attn_mask must be a tensor or None, got list"),
    ([Q, K, V, MASK.int()], {}, TypeError, "attn_mask must be torch.bool * got torch.int32"),
    ([Q, K, V, MASK.byte()], {}, TypeError, "attn_mask must be torch.bool * got torch.uint8"),
    ([Q, K, V, MASK.double()], {}, TypeError, "attn_mask must * float32, got torch.float64"),
    ([Q.half(), K.half(), V.half(), MASK.float()], {}, TypeError, "attn_mask must * got *float32"),
    ([Q, K, V, MASK.T], {}, ValueError, "attn_mask must broadcast * (2, 3), got (3, 2)"),
    ([Q, K, V, MASK[None]], {}, ValueError, "attn_mask must broadcast * (2, 3), got (1, 2, 3)"),
    ([Q[:1], K, V, MASK], {}, ValueError, "attn_mask must broadcast * (1, 3), got (2, 3)"),
    ([Q, K, V, elsewhere(2, 3)], {}, ValueError, "attn_mask * device of query, cpu, got meta"),
    ([Q, K, V, MASK, 0.0, True], {}, ValueError, "attn_mask and is_causal=True * both * &"),
    # Numbers and flags
    ([Q, K, V, None, -0.1], {}, ValueError, "dropout_p must be between 0 and 1, got -0.1"),
    ([Q, K, V, None, 1.5], {}, ValueError, "dropout_p must be between 0 and 1, got 1.5"),
    ([Q, K, V, None, math.nan], {}, ValueError, "dropout_p must be between 0 and 1, got nan"),
    ([Q, K, V, None, True], {}, TypeError, "dropout_p must be a number, got bool True"),
    ([Q, K, V, None, None], {}, TypeError, "dropout_p must be a number, got NoneType"),
    ([Q, K, V, None, "0.1"], {}, TypeError, "dropout_p must be a number, got str '0.1'"),
    ([Q, K, V, None, 0.0, 1], {}, TypeError, "is_causal must be a bool, got int 1"),
    ([Q, K, V], {"is_causal": MASK}, TypeError, "is_causal must be a bool, got Tensor"),
    ([Q, K, V], {"scale": True}, TypeError, "scale must be a number, got bool True"),
    ([Q, K, V], {"scale": torch.tensor(1.0)}, TypeError, "scale must be a number, got Tensor"),
    ([Q, K, V], {"enable_gqa": 1}, TypeError, "enable_gqa must be a bool, got int 1"),
]


def assert_refuses(call: Callable[[], object], error: type[Exception], message: str) -> None:
    with pytest.raises(error) as refusal:
        call()
    assert type(refusal.value) is error
    said, position = str(refusal.value), 0
    # A message that does not begin with a star stands at the very beginning of what was said.
    assert said.startswith(message.split("*")[0].strip()), said
    for piece in message.split("*"):
        position = said.find(piece.strip(), position)
        assert position >= 0, f"{piece.strip()!r} is not in, or not in order in: {said}"
        position += len(piece.strip())


@pytest.mark.parametrize(("call", "error", "message"), REFUSED, ids=[row[-1] for row in REFUSED])
def test_refuses(call: Callable[[], object], error: type[Exception], message: str) -> None:
    assert_refuses(call, error, message)


@pytest.mark.parametrize("function", [attend, trace], ids=["function", "trace"])
@pytest.mark.parametrize(
    ("arguments", "keywords", "error", "message"),
    REFUSED_ATTENTION,
    ids=[row[-1] for row in REFUSED_ATTENTION],
)
def test_attention_refuses(
    function: Any, arguments: list[Any], keywords: dict[str, Any], error: Any, message: str
) -> None:
    assert_refuses(lambda: function(*arguments, **keywords), error, message)


@pytest.mark.parametrize("call", [HEADS, HEADS.trace], ids=["forward", "trace"])
@pytest.mark.parametrize(
    ("arguments", "keywords", "error", "message"),
    REFUSED_HEADS,
    ids=[row[-1] for row in REFUSED_HEADS],
)
def test_many_heads_refuse(
    call: Any, arguments: list[Any], keywords: dict[str, Any], error: Any, message: str
) -> None:
    assert_refuses(lambda: call(*arguments, **keywords), error, message)


@pytest.mark.parametrize(
    ("came", "words"),
    [
        ([3, 1], "list"),
        (None, "NoneType"),
        (torch.ones(2).numpy(), "ndarray"),
        (2.5, "float 2.5"),
        (7, "int 7"),
        (False, "bool False"),
        ("3", "str '3'"),
    ],
)
def test_says_of_what_kind_the_argument_was_and_no_more(came: object, words: str) -> None:
    with pytest.raises(TypeError) as refusal:
        padding(came)

    assert str(refusal.value) == f"lengths must be a tensor, got {words}"


def test_self_attention_needs_keys_and_values_as_wide_as_queries() -> None:
    assert_refuses(lambda: CROSS(X), ValueError, "key must have kdim=3 features * got 4")
    only_values = ManyHeads(4, 2, vdim=5)
    assert_refuses(lambda: only_values(X), ValueError, "value must have vdim=5 features * got 4")
    only_keys = ManyHeads(4, 2, kdim=3)
    assert_refuses(
        lambda: only_keys(X, ones(3, 2, 3), ones(3, 2, 3)), ValueError, "value must have vdim=4"
    )


def test_a_mask_gets_a_hint_only_where_the_hint_would_help() -> None:
    with pytest.raises(ValueError, match=r"got \(7, 2, 5\)$"):
        HEADS(X, MEMORY, MEMORY, ones(7, 2, 5))
    with pytest.raises(ValueError, match=r"got \(3, 4\)$"):
        HEADS(X, MEMORY, MEMORY, ones(3, 4))


# Anything at all ------------------------------------------------------------------------------

SMALL = st.integers(-2, 4)
TENSORS = st.builds(
    lambda shape, dtype, device: torch.ones(shape, dtype=dtype, device=device),
    st.lists(st.integers(0, 4), max_size=4),
    st.sampled_from(
        [torch.float32, torch.float64, torch.float16, torch.bool, torch.int64, torch.complex64]
    ),
    st.sampled_from(["cpu", "cpu", "cpu", "meta"]),
)
ANYTHING = (
    TENSORS
    | SMALL
    | st.sampled_from([None, True, False, "a", 2**70, -(2**70), [], [1.0], (1, 2), {}, object()])
    | st.floats()
    | st.lists(st.sampled_from(["a", "b", 1]), max_size=3)
)


ATTENTION: dict[str, Any] = {
    "query": X,
    "key": MEMORY,
    "value": MEMORY,
    "attn_mask": None,
    "dropout_p": 0.0,
    "is_causal": False,
    "scale": None,
    "enable_gqa": False,
}
LAYER_CALL: dict[str, Any] = {
    name: ATTENTION[name] for name in ("query", "key", "value", "attn_mask", "is_causal")
}
# Calls that are right, for every public name, with every argument.
RIGHT: list[tuple[Any, dict[str, Any]]] = [
    (scores, {"query": Q, "key": K}),
    (weights, {"scores": Q, "attn_mask": None}),
    (context, {"weights": ones(2, 3), "value": V}),
    (attend, ATTENTION),
    (trace, ATTENTION),
    (causal, {"query_len": 3, "key_len": 4, "offset": 1}),
    (padding, {"lengths": LENGTHS, "max_len": 4}),
    (window, {"query_len": 3, "key_len": 4, "window": 2, "offset": 1}),
    (SelfAttention, {"d_in": 3, "d_out": 2, "bias": True}),
    (LAYER, {"inputs": ones(2, 3), "attn_mask": None, "is_causal": False}),
    (
        ManyHeads,
        {
            "embed_dim": 4,
            "num_heads": 2,
            "num_kv_heads": 1,
            "kdim": 3,
            "vdim": 5,
            "dropout": 0.1,
            "bias": True,
        },
    ),
    (ManyHeads.from_torch, {"module": TORCHS_LAYER(4, 2)}),
    (HEADS, LAYER_CALL),
    (HEADS.trace, LAYER_CALL),
    (sinusoidal, {"length": 3, "dim": 4}),
    (rotary, {"x": X, "positions": None, "base": 10.0, "interleaved": True}),
    (slopes, {"num_heads": 3}),
    (bias, {"num_heads": 2, "query_len": 3, "key_len": 4}),
    (plot, {"weights": Q, "query_labels": None, "key_labels": None, "ax": None}),
]


def test_the_right_calls_are_right_and_name_everything() -> None:
    for function, arguments in RIGHT:
        function(**arguments)
        called = inspect.signature(getattr(function, "forward", function))
        if not isinstance(function, type):
            assert list(called.parameters) == list(arguments)
    pyplot.close("all")
    tested = {getattr(function, "__name__", "") for function, _ in RIGHT}
    assert tested >= {name for name in attention_steps.__all__ if not name.endswith("Trace")}


@settings(max_examples=1500, deadline=None, derandomize=True, database=None)
@given(st.data())
def test_random_arguments_get_an_answer_or_a_refusal_in_our_words(data: st.DataObject) -> None:
    function, right = data.draw(st.sampled_from(RIGHT))
    replaced = data.draw(st.sets(st.sampled_from(list(right)), min_size=1, max_size=3))
    arguments = {**right, **{name: data.draw(ANYTHING) for name in sorted(replaced)}}

    try:
        function(**arguments)
    except (TypeError, ValueError) as refusal:
        # Ours begin with the name of an argument, and say what came; torch's do not.
        said = str(refusal)
        begins = re.match(r"(the number of heads of )?(\w+)", said)
        assert begins is not None
        assert begins[2] in arguments, said
        assert re.search(r" must .*, (got|as) |exclude each other, got", said, re.DOTALL), said
    finally:
        pyplot.close("all")


def test_scale_and_enable_gqa_are_keywords_only() -> None:
    with pytest.raises(TypeError, match="positional"):
        attend(Q, K, V, None, 0.0, False, 0.5)
