"""Every function that attends, over many random calls, against loops over single numbers."""

from random import Random
from typing import Any

import pytest
import torch

from attention_steps import (
    attention_scores,
    attention_weights,
    attention_with_lse,
    context_vectors,
    merge_attention,
    scaled_dot_product_attention,
    tiled_attention,
    trace_attention,
)
from tests.attention_steps.oracles import (
    DTYPES,
    TOLERANCE,
    assert_near,
    randn,
    random_mask,
    stages_by_loops,
)


def random_call(seed: int, dtype: torch.dtype) -> tuple[Any, dict[str, Any]]:
    """Return query, key and value of any shapes, and options that go together."""
    draw = Random(seed)
    leading = draw.choice([(), (2,), (1, 4), (3, 2), (2, 1, 3), (0, 2)])
    options: dict[str, Any] = {}
    of_keys = leading
    if leading and draw.random() < 0.4:
        divisors = [n for n in range(1, leading[-1] + 1) if leading[-1] % n == 0]
        of_keys, options["enable_gqa"] = (*leading[:-1], draw.choice(divisors)), True
    query_len, key_len, head_dim, value_dim = (draw.randrange(6) for _ in range(4))
    inputs = [
        randn(*leading, query_len, head_dim, seed=seed, dtype=dtype),
        randn(*of_keys, key_len, head_dim, seed=seed + 1, dtype=dtype),
        randn(*of_keys, key_len, value_dim, seed=seed + 2, dtype=dtype),
    ]
    if draw.random() < 0.3:  # in another order in memory
        inputs = [x.mT.contiguous().mT for x in inputs]
    if draw.random() < 0.5:  # rows without keys go another way then
        inputs = [x.requires_grad_() for x in inputs]
    kind = draw.choice(["none", "causal", "boolean", "float"])
    whole = (*leading, query_len, key_len)
    shape = draw.choice([whole, whole[-2:], whole[-1:], (1, key_len), (query_len, 1)])
    if kind == "causal":
        options["is_causal"] = True
    elif kind == "boolean":
        options["attn_mask"] = random_mask(*shape, seed=seed)
    elif kind == "float":
        hidden = ~random_mask(*shape, seed=seed)
        mask = randn(*shape, seed=seed, dtype=draw.choice([dtype, torch.float32]))
        options["attn_mask"] = mask.masked_fill(hidden, -torch.inf)
    if draw.random() < 0.4:
        options["scale"] = draw.choice([0.0, -0.7, 1, 2.5])
    if draw.random() < 0.4:
        options["softcap"] = draw.choice([0.5, 2.0, 50.0])
    if leading and draw.random() < 0.4:
        options["sinks"] = randn(leading[-1], seed=seed, dtype=dtype)
    return inputs, options


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_any_call_is_what_loops_compute(dtype: torch.dtype) -> None:
    for seed in range(100):
        inputs, options = random_call(seed, dtype)
        query, key, value = inputs
        right, near = stages_by_loops(*inputs, **options), TOLERANCE[dtype]
        in_between = min(near, TOLERANCE[torch.float32])  # that is not rounded to half
        for stage, expected in zip(trace_attention(*inputs, **options)[:4], right, strict=False):
            assert_near(stage, expected, in_between)
        context, lse = attention_with_lse(*inputs, **options)
        assert_near(lse, right.lse, in_between)
        for found in (
            context,
            trace_attention(*inputs, **options).context,
            scaled_dot_product_attention(*inputs, **options),
            *(tiled_attention(*inputs, block_size=n, **options) for n in (1, 2, 3, 64)),
        ):
            assert found.dtype == dtype
            assert_near(found, right.context, near)
        if dtype.itemsize == 2 or {"enable_gqa", "sinks"} & {*options}:
            continue
        assert_near(attention_scores(query, key), right.scores, near)
        scores = right.masked_scores.to(dtype)
        assert_near(context_vectors(attention_weights(scores), value), right.context, near)
        # Where the scale is 0, a float mask is all that counts.
        half = key.shape[-2] // 2
        first, last = (
            attention_with_lse(query, key[..., at, :], value[..., at, :], scores[..., at], scale=0)
            for at in (slice(half), slice(half, None))
        )
        context, lse = merge_attention(*first, *last)
        assert_near(context, right.context, near)
        assert_near(lse, right.lse, near)
