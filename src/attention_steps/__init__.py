"""Attention, one step at a time.

What the steps teach is imported from here. What engineers need besides stands in modules that are
imported by name: `attention_steps.parallel` for several devices, `attention_steps.drop_in` for the
models of transformers, `attention_steps.plot` for pictures, and in
`attention_steps.cache` the caches of engines.
"""

from typing import TYPE_CHECKING, Never

from attention_steps.cache import KVCache, PreallocatedCache
from attention_steps.core import (
    AttentionTrace,
    attention_scores,
    attention_weights,
    context_vectors,
    scaled_dot_product_attention,
    trace_attention,
)
from attention_steps.layers import MultiHeadAttention, MultiHeadAttentionTrace
from attention_steps.linear import linear_attention
from attention_steps.masks import causal_mask, document_mask, padding_mask, sliding_window_mask
from attention_steps.positions import (
    alibi_bias,
    alibi_slopes,
    rotary_embedding,
    rotary_frequencies,
    sinusoidal_positions,
)
from attention_steps.self_attention import SelfAttention
from attention_steps.tiles import attention_with_lse, merge_attention, tiled_attention

__all__ = [
    "AttentionTrace",
    "KVCache",
    "MultiHeadAttention",
    "MultiHeadAttentionTrace",
    "PreallocatedCache",
    "SelfAttention",
    "alibi_bias",
    "alibi_slopes",
    "attention_scores",
    "attention_weights",
    "attention_with_lse",
    "causal_mask",
    "context_vectors",
    "document_mask",
    "linear_attention",
    "merge_attention",
    "padding_mask",
    "rotary_embedding",
    "rotary_frequencies",
    "scaled_dot_product_attention",
    "sinusoidal_positions",
    "sliding_window_mask",
    "tiled_attention",
    "trace_attention",
]

__version__ = "0.1.0"

_MOVED = {
    "cache": "Cache",
    "drop_in": "transformers_attention",
    "parallel": "all_to_all copy_to_group head_tail_positions ring_attention run_on_threads "
    "sum_gradients sum_over_group",
    "plot": "plot_attention",
}

if not TYPE_CHECKING:  # to a type checker such a name is unknown, as any other

    def __getattr__(name: str) -> Never:
        """Say where a name has gone that once stood here."""
        for module, names in _MOVED.items():
            if name in names.split():
                raise ImportError(
                    f"{name} stands in attention_steps.{module}: "
                    f"from attention_steps.{module} import {name}"
                )
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
