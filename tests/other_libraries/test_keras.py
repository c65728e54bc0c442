"""The attention layers of Keras, which keep their weights as (in, heads, head_dim)."""

import os
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from attention_steps import MultiHeadAttention, causal_mask
from tests.other_libraries.conftest import Compare, copy_weights

# Not torch, so that Keras brings an attention of its own. Read when Keras is imported.
os.environ.setdefault("KERAS_BACKEND", "jax")
REASON = "keras or jax is not installed: pip install --group other-libraries"
pytest.importorskip("jax", reason=REASON)
keras: Any = pytest.importorskip("keras", reason=REASON)

PADDING = torch.tensor([[True] * 7, [True] * 4 + [False] * 3])


def tensor(array: Any) -> Tensor:
    return torch.from_numpy(np.array(array))


def copy(theirs: Any, ours: MultiHeadAttention) -> None:
    """Give both layers the same random weights."""
    torch.manual_seed(0)
    for weight in theirs.weights:
        scale = 0.5 if weight.path.endswith("bias") else weight.shape[0] ** -0.5
        weight.assign(torch.randn(tuple(weight.shape)).numpy() * scale)
    named = {weight.path.split("/", 1)[1]: tensor(weight.value) for weight in theirs.weights}
    parts = ("query", "key", "value")
    out = "attention_output"
    copy_weights(
        ours,
        [
            *(named[f"{part}/kernel"].flatten(1).T for part in parts),
            named[f"{out}/kernel"].flatten(0, 1).T,
        ],
        [*(named[f"{part}/bias"].flatten() for part in parts), named[f"{out}/bias"]],
    )


def test_multi_head_attention(compare: Compare) -> None:
    theirs = keras.layers.MultiHeadAttention(num_heads=4, key_dim=8, output_shape=6)
    theirs.build((2, 5, 24), (2, 7, 20))
    ours = MultiHeadAttention(24, num_heads=4, head_dim=8, kdim=20, vdim=20, out_dim=6)
    copy(theirs, ours)
    query, key = torch.randn(2, 5, 24), torch.randn(2, 7, 20)
    mask = PADDING[:, None, :]
    output = theirs(query.numpy(), key.numpy(), attention_mask=mask.numpy())
    what = "MultiHeadAttention: cross-attention, padding, other sizes of key, head and output"
    compare("Keras", what, ours(query, key, key, attn_mask=mask[:, None]), tensor(output))


def test_grouped_heads(compare: Compare) -> None:
    theirs = keras.layers.GroupQueryAttention(8, num_query_heads=4, num_key_value_heads=2)
    theirs.build((2, 7, 24), (2, 7, 24))
    ours = MultiHeadAttention(24, num_heads=4, num_kv_heads=2, head_dim=8)
    copy(theirs, ours)
    inputs = torch.randn(2, 7, 24)
    mask = causal_mask(7) & PADDING[:, None, None, :]
    output = theirs(
        inputs.numpy(),
        inputs.numpy(),
        attention_mask=PADDING[:, None, :].numpy(),
        use_causal_mask=True,
    )
    what = "GroupQueryAttention: causal, padding"
    compare("Keras", what, ours(inputs, attn_mask=mask), tensor(output))
