"""What cannot be right is refused, in words that name the argument, the rule and what came."""

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

import attention_steps

# As a caller without a type checker sees them.
scores: Any = attention_steps.attention_scores
weights: Any = attention_steps.attention_weights
context: Any = attention_steps.context_vectors
attend: Any = attention_steps.scaled_dot_product_attention
trace: Any = attention_steps.trace_attention
causal: Any = attention_steps.causal_mask
SelfAttention: Any = attention_steps.SelfAttention


def ones(*shape: int, device: str = "cpu") -> Tensor:
    return torch.ones(shape, device=device)


def elsewhere(*shape: int) -> Tensor:
    return ones(*shape, device="meta")


Q, K, V = ones(2, 4), ones(3, 4), ones(3, 5)
HEADS_6, HEADS_4, HEADS_2 = ones(6, 2, 4), ones(4, 2, 4), ones(2, 2, 4)
MASK = torch.ones(2, 3, dtype=torch.bool)
LAYER = SelfAttention(3, 2)

# (call, exception, message with * for the words in between)
REFUSED: list[tuple[Callable[[], object], type[Exception], str]] = [
    # attention_scores
    (lambda: scores([[1.0]], K), TypeError, "query must be a tensor, got list"),
    (lambda: scores(Q, None), TypeError, "key must be a tensor, got NoneType"),
    (lambda: scores(Q.long(), K.long()), TypeError, "query must * torch.int64"),
    (lambda: scores(Q * 1j, K * 1j), TypeError, "query must * torch.complex64"),
    (lambda: scores(Q, K.double()), TypeError, "key must * torch.float32, got torch.float64"),
    (lambda: scores(ones(4), K), ValueError, "query must have at least 2 axes, got shape (4,)"),
    (lambda: scores(Q, ones(4)), ValueError, "key must have at least 2 axes, got shape (4,)"),
    (lambda: scores(Q, V), ValueError, "key must * head_dim of query, 4, got 5: * (2, 4) * (3, 5)"),
    (lambda: scores(Q, ones(7, 3, 4)), ValueError, "key * leading axes * (2, 4) * (7, 3, 4)"),
    (
        lambda: scores(ones(2, 2, 4), ones(1, 3, 4)),
        ValueError,
        "key * leading axes * (2,), got (1,)",
    ),
    (lambda: scores(Q, elsewhere(3, 4)), ValueError, "key must * device * cpu, got meta"),
    # attention_weights
    (lambda: weights(0.5), TypeError, "scores must be a tensor, got float 0.5"),
    (lambda: weights(MASK), TypeError, "scores must have * got torch.bool"),
    (lambda: weights(ones(3)), ValueError, "scores must have at least 2 axes, got shape (3,)"),
    (lambda: weights(V, "no"), TypeError, "attn_mask must be a tensor or None, got str 'no'"),
    (lambda: weights(V, V.int()), TypeError, "attn_mask must be torch.bool * got torch.int32"),
    (lambda: weights(V, V * 1j), TypeError, "attn_mask must be * got torch.complex64"),
    (lambda: weights(V, V.half()), TypeError, "attn_mask must * torch.float32, got torch.float16"),
    (lambda: weights(V, MASK), ValueError, "attn_mask must broadcast * (3, 5), got (2, 3)"),
    (lambda: weights(V, ones(2, 3, 5)), ValueError, "attn_mask * (3, 5), got (2, 3, 5)"),
    (lambda: weights(V[:1], V), ValueError, "attn_mask must broadcast * (1, 5), got (3, 5)"),
    (lambda: weights(V, elsewhere(3, 5)), ValueError, "attn_mask * device * cpu, got meta"),
    (lambda: weights(V, elsewhere(3, 5).bool()), ValueError, "attn_mask * cpu, got meta"),
    # context_vectors
    (lambda: context(3, V), TypeError, "weights must be a tensor, got int 3"),
    (lambda: context(Q, V.tolist()), TypeError, "value must be a tensor, got list"),
    (lambda: context(MASK, V), TypeError, "weights must have * got torch.bool"),
    (lambda: context(MASK.double(), V), TypeError, "value * torch.float64, got torch.float32"),
    (lambda: context(ones(3), V), ValueError, "weights must have at least 2 axes, got shape (3,)"),
    (lambda: context(Q, ones(4)), ValueError, "value must have at least 2 axes, got shape (4,)"),
    (lambda: context(Q, V), ValueError, "value must * 4 rows, got 3: * (2, 4), value (3, 5)"),
    (lambda: context(ones(7, 2, 3), V), ValueError, "value * leading axes * (7,), got ()"),
    (lambda: context(ones(2, 3), elsewhere(3, 5)), ValueError, "value * cpu, got meta"),
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
    # SelfAttention
    (lambda: SelfAttention(0, 2), ValueError, "d_in must be at least 1, got 0"),
    (lambda: SelfAttention(3, -2), ValueError, "d_out must be at least 1, got -2"),
    (lambda: SelfAttention(3.0, 2), TypeError, "d_in must be an int, got float 3.0"),
    (lambda: SelfAttention(3, True), TypeError, "d_out must be an int, got bool True"),
    (lambda: SelfAttention(3, 2, bias=1), TypeError, "bias must be a bool, got int 1"),
    (lambda: LAYER([1.0]), TypeError, "inputs must be a tensor, got list"),
    (lambda: LAYER(ones(3)), ValueError, "inputs must have at least 2 axes, got shape (3,)"),
    (lambda: LAYER(Q), ValueError, "inputs must have d_in=3 features * got 4: inputs (2, 4)"),
    (lambda: LAYER(ones(2, 3).long()), TypeError, "inputs must * torch.int64"),
    (lambda: LAYER(ones(2, 3).double()), TypeError, "inputs must * float32, got torch.float64"),
    (lambda: LAYER(elsewhere(2, 3)), ValueError, "inputs must * device * cpu, got meta"),
    (lambda: LAYER(ones(2, 3), MASK), ValueError, "attn_mask * (2, 2), got (2, 3)"),
    (lambda: LAYER(ones(2, 3), MASK.int()), TypeError, "attn_mask * torch.int32"),
    (lambda: LAYER(ones(2, 3), MASK[:, :2], True), ValueError, "attn_mask and is_causal=True * &"),
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
    (
        [HEADS_6, HEADS_4, HEADS_4],
        {"enable_gqa": True},
        ValueError,
        "heads of key must divide that of query, got 4 and 6: query (6, 2, 4), key (4, 2, 4)",
    ),
    ([HEADS_2, HEADS_4, HEADS_4], {"enable_gqa": True}, ValueError, "heads of key * got 4 and 2"),
    ([HEADS_2, *[ones(0, 2, 4)] * 2], {"enable_gqa": True}, ValueError, "of key * got 0 and 2"),
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


def test_scale_and_enable_gqa_are_keywords_only() -> None:
    with pytest.raises(TypeError, match="positional"):
        attend(Q, K, V, None, 0.0, False, 0.5)
