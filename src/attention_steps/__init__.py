"""Attention, one step at a time."""

from attention_steps.cache import KVCache, PreallocatedCache, RaggedCache
from attention_steps.core import (
    AttentionTrace,
    attention_scores,
    attention_weights,
    context_vectors,
    scaled_dot_product_attention,
    trace_attention,
)
from attention_steps.drop_in import TorchStyleAttention, TransformersCache, transformers_attention
from attention_steps.layers import (
    Cache,
    MultiHeadAttention,
    MultiHeadAttentionTrace,
    SelfAttention,
)
from attention_steps.linear import linear_attention
from attention_steps.masks import causal_mask, document_mask, padding_mask, sliding_window_mask
from attention_steps.parallel import (
    all_to_all,
    copy_to_group,
    head_tail_positions,
    ring_attention,
    run_on_threads,
    sum_gradients,
    sum_over_group,
)
from attention_steps.plot import plot_attention
from attention_steps.positions import (
    alibi_bias,
    alibi_slopes,
    rotary_embedding,
    rotary_frequencies,
    sinusoidal_positions,
)
from attention_steps.tiles import attention_with_lse, merge_attention, tiled_attention

__all__ = [
    "AttentionTrace",
    "Cache",
    "KVCache",
    "MultiHeadAttention",
    "MultiHeadAttentionTrace",
    "PreallocatedCache",
    "RaggedCache",
    "SelfAttention",
    "TorchStyleAttention",
    "TransformersCache",
    "alibi_bias",
    "alibi_slopes",
    "all_to_all",
    "attention_scores",
    "attention_weights",
    "attention_with_lse",
    "causal_mask",
    "context_vectors",
    "copy_to_group",
    "document_mask",
    "head_tail_positions",
    "linear_attention",
    "merge_attention",
    "padding_mask",
    "plot_attention",
    "ring_attention",
    "rotary_embedding",
    "rotary_frequencies",
    "run_on_threads",
    "scaled_dot_product_attention",
    "sinusoidal_positions",
    "sliding_window_mask",
    "sum_gradients",
    "sum_over_group",
    "tiled_attention",
    "trace_attention",
    "transformers_attention",
]

__version__ = "0.1.0"
