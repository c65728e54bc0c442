"""Each size and each tensor that no function takes is refused in one way, by all of them."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
import torch
from torch import Tensor

from attention_steps import (
    KVCache,
    MultiHeadAttention,
    PreallocatedCache,
    SelfAttention,
    alibi_bias,
    attention_scores,
    attention_weights,
    attention_with_lse,
    causal_mask,
    context_vectors,
    drop_in,
    linear_attention,
    merge_attention,
    padding_mask,
    parallel,
    rotary_embedding,
    rotary_frequencies,
    scaled_dot_product_attention,
    sinusoidal_positions,
    sliding_window_mask,
    tiled_attention,
    trace_attention,
)
from attention_steps.static_cache import StaticCache

ones = torch.ones
Q, K, V, X = ones(2, 4), ones(3, 4), ones(3, 5), ones(3, 2, 4)
MASK = ones(2, 3, dtype=torch.bool)
ARGUMENTS = ("query", "key", "value")


def on_a_thread(function: Any) -> Callable[..., object]:
    return lambda **given: parallel.run_on_threads(lambda group: function(group=group, **given), 1)


# A right call of each function that takes sizes, and the least that each may be.
SIZES: list[tuple[Callable[..., object], dict[str, int], dict[str, int]]] = [
    (causal_mask, {"query_len": 3, "key_len": 3}, {"query_len": 0, "key_len": 0}),
    (partial(padding_mask, torch.tensor([2, 0, 3])), {"max_len": 3}, {"max_len": 0}),
    (partial(sliding_window_mask, 3), {"window": 3}, {"window": 1}),
    (SelfAttention, {"d_in": 2, "d_out": 2}, {"d_in": 1, "d_out": 1}),
    (
        MultiHeadAttention,
        {"embed_dim": 4, "num_heads": 2},
        dict.fromkeys(
            ("embed_dim", "num_heads", "num_kv_heads", "head_dim", "kdim", "vdim", "out_dim"), 1
        ),
    ),
    (sinusoidal_positions, {"length": 3, "dim": 4}, {"length": 0, "dim": 1}),
    (rotary_frequencies, {"dim": 4}, {"dim": 2, "trained_length": 1}),
    (alibi_bias, {"num_heads": 2, "query_len": 3}, {"num_heads": 1, "query_len": 0, "key_len": 0}),
    (KVCache, {}, {"window": 1}),
    (PreallocatedCache, {}, {"max_len": 1}),
    (
        partial(StaticCache, device="meta"),
        {"batch": 1, "num_kv_heads": 1, "max_len": 1, "head_dim": 1},
        {"batch": 1, "num_kv_heads": 1, "max_len": 1, "head_dim": 1},
    ),
    (partial(tiled_attention, Q, Q, Q), {}, {"block_size": 1}),
    (partial(linear_attention, Q, Q, Q), {}, {"chunk_size": 1}),
    (
        on_a_thread(partial(parallel.ring_attention, Q, Q, Q, torch.arange(2))),
        {},
        {"block_size": 1},
    ),
    (partial(parallel.run_on_threads, lambda group: None), {}, {"world_size": 1}),
    (
        parallel.head_tail_positions,
        {"length": 4, "rank": 0, "world_size": 2},
        {"length": 0, "rank": 0},
    ),
]


@pytest.mark.parametrize(("function", "right", "least"), SIZES)
def test_a_size_is_an_int_and_large_enough(
    function: Callable[..., object], right: dict[str, int], least: dict[str, int]
) -> None:
    wrong: Any
    for name, minimum in least.items():
        for wrong in (minimum - 1, -(2**40)):
            with pytest.raises(
                ValueError, match=f"^{name} must be at least {minimum}, got {wrong}"
            ):
                function(**right | {name: wrong})
        for wrong in (2.0, "2", True, torch.ones(2)):
            with pytest.raises(
                TypeError, match=f"^{name} must be an int, got {type(wrong).__name__}"
            ):
                function(**right | {name: wrong})


# A right call of each function that takes tensors.
ATTENTION = {"query": Q, "key": K, "value": ones(3, 4), "sinks": ones(())}
PLACES = {"positions": torch.arange(2), "documents": torch.zeros(2, dtype=torch.int64)}
RIGHT: dict[str, tuple[Callable[..., object], dict[str, Any]]] = {
    "scores": (attention_scores, {"query": Q, "key": K}),
    "weights": (attention_weights, {"scores": ones(2, 3), "attn_mask": MASK}),
    "context": (context_vectors, {"weights": ones(2, 3), "value": V}),
    "attend": (scaled_dot_product_attention, {**ATTENTION, "attn_mask": MASK}),
    "trace": (trace_attention, {**ATTENTION, "attn_mask": MASK}),
    "tiled": (partial(tiled_attention, block_size=2), ATTENTION),
    "with_lse": (attention_with_lse, ATTENTION),
    "merge": (
        merge_attention,
        {"context_1": Q, "lse_1": ones(2), "context_2": Q, "lse_2": ones(2)},
    ),
    "linear": (
        linear_attention,
        {"query": Q, "key": Q, "value": Q, "decay": ones(2), "beta": ones(2), "state": ones(4, 4)},
    ),
    "ring": (
        on_a_thread(parallel.ring_attention),
        {**dict.fromkeys(ARGUMENTS, Q), **PLACES},
    ),
    "rotary": (
        partial(rotary_embedding, interleaved=True),
        {"x": Q, "positions": torch.arange(2), "frequencies": ones(2)},
    ),
    "layer": (
        MultiHeadAttention(4, 2),
        {"query": X, "key": X, "value": X, "attn_mask": ones(2, 2).bool()},
    ),
    "transformers": (
        partial(drop_in.transformers_attention, torch.nn.Module()),
        {
            **dict.fromkeys(ARGUMENTS, ones(1, 2, 3, 4)),
            "attention_mask": ones(1, 1, 3, 3).bool(),
            "position_bias": ones(1, 2, 3, 3),
            "s_aux": ones(2),
        },
    ),
}
# What a tensor may be that no attention takes, and the error.
UNFIT: dict[str, tuple[Callable[[Tensor], Any], type[Exception]]] = {
    "sparse": (Tensor.to_sparse, TypeError),
    "nested": (lambda x: torch.nested.nested_tensor([x.float(), x.float()]), TypeError),
    "quantized": (
        lambda x: torch.quantize_per_tensor(x.float(), 0.1, 0, torch.qint8),
        TypeError,
    ),
    "a list": (Tensor.tolist, TypeError),
    "8 bits": (lambda x: x.float().to(torch.float8_e4m3fn), TypeError),
    "meta": (lambda x: x.to("meta"), ValueError),
}


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested", "ignore:torch.quantize_per_tensor")
@pytest.mark.parametrize("kind", UNFIT)
@pytest.mark.parametrize("name", RIGHT)
def test_each_tensor_is_of_a_kind_that_attention_takes(name: str, kind: str) -> None:
    function, right = RIGHT[name]
    function(**right)
    unfit, error = UNFIT[kind]
    for argument, tensor in right.items():
        # It is refused, or another for not being like it.
        with pytest.raises(error, match=rf"^({'|'.join(right)}) must") as told:
            function(**right | {argument: unfit(tensor)})
        assert argument in str(told.value)
