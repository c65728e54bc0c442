"""Attention, one step at a time."""

from attention_steps.core import (
    AttentionTrace,
    attention_scores,
    attention_weights,
    context_vectors,
    scaled_dot_product_attention,
    trace_attention,
)
from attention_steps.layers import MultiHeadAttention, MultiHeadAttentionTrace, SelfAttention
from attention_steps.masks import causal_mask, padding_mask, sliding_window_mask
from attention_steps.plot import plot_attention
from attention_steps.positions import (
    alibi_bias,
    alibi_slopes,
    rotary_embedding,
    rotary_frequencies,
    sinusoidal_positions,
)

__all__ = [
    "AttentionTrace",
    "MultiHeadAttention",
    "MultiHeadAttentionTrace",
    "SelfAttention",
    "alibi_bias",
    "alibi_slopes",
    "attention_scores",
    "attention_weights",
    "causal_mask",
    "context_vectors",
    "padding_mask",
    "plot_attention",
    "rotary_embedding",
    "rotary_frequencies",
    "scaled_dot_product_attention",
    "sinusoidal_positions",
    "sliding_window_mask",
    "trace_attention",
]
