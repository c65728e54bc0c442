"""The attention of jax.nn, which has heads after positions: (batch, L, num_heads, E)."""

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from attention_steps import padding_mask, scaled_dot_product_attention, sliding_window_mask
from tests.other_libraries.conftest import Compare

jax: Any = pytest.importorskip(
    "jax", reason="jax is not installed: pip install --group other-libraries"
)

LENGTHS = torch.tensor([7, 4])
BIAS = torch.linspace(-2, 2, 2 * 4 * 7 * 7).reshape(2, 4, 7, 7)


def array(tensor: Tensor) -> Any:
    return jax.numpy.asarray(tensor.numpy())


@pytest.mark.parametrize(
    ("what", "ours", "theirs", "kv_heads"),
    [
        ("no mask", {}, {}, 4),
        (
            "causal, own scale",
            {"is_causal": True, "scale": 0.7},
            {"is_causal": True, "scale": 0.7},
            4,
        ),
        (
            "grouped heads, padding mask",
            {"attn_mask": padding_mask(LENGTHS), "enable_gqa": True},
            {"mask": array(padding_mask(LENGTHS))},
            2,
        ),
        (
            "lengths",
            {"attn_mask": padding_mask(LENGTHS)},
            {"key_value_seq_lengths": array(LENGTHS.int())},
            4,
        ),
        ("bias", {"attn_mask": BIAS}, {"bias": array(BIAS)}, 4),
        (
            "sliding window",
            {"attn_mask": sliding_window_mask(7, window=3)},
            # It counts what lies on each side of a token, without the token itself.
            {"is_causal": True, "local_window_size": (2, 0)},
            4,
        ),
    ],
)
def test_a_call(
    what: str, ours: dict[str, Any], theirs: dict[str, Any], kv_heads: int, compare: Compare
) -> None:
    torch.manual_seed(0)
    query = torch.randn(2, 4, 7, 8)
    key, value = torch.randn(2, 2, kv_heads, 7, 8)
    result = jax.nn.dot_product_attention(
        *(array(tensor.transpose(1, 2).contiguous()) for tensor in (query, key, value)), **theirs
    )
    compare(
        "jax.nn.dot_product_attention",
        what,
        scaled_dot_product_attention(query, key, value, **ours),
        torch.from_numpy(np.array(result)).transpose(1, 2),
    )
