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

__all__ = [
    "AttentionTrace",
    "MultiHeadAttention",
    "MultiHeadAttentionTrace",
    "SelfAttention",
    "attention_scores",
    "attention_weights",
    "causal_mask",
    "context_vectors",
    "padding_mask",
    "scaled_dot_product_attention",
    "sliding_window_mask",
    "trace_attention",
]
