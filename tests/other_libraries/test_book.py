"""The digits printed in chapter 3 of Raschka's "Build a Large Language Model (From Scratch)".

Source: https://github.com/rasbt/LLMs-from-scratch, ch03/01_main-chapter-code/ch03.ipynb at commit
28c65cd. The numbers are those of the notebook, the code is not: each table is computed by the
package, from the notebook's inputs and seeds.
"""

import torch
from torch import Tensor, nn

from attention_steps import (
    MultiHeadAttention,
    SelfAttention,
    attention_scores,
    attention_weights,
    context_vectors,
    trace_attention,
)

# "Your journey starts with one step": six words of three features.
INPUTS = torch.tensor(
    [
        [0.43, 0.15, 0.89],
        [0.55, 0.87, 0.66],
        [0.57, 0.85, 0.64],
        [0.22, 0.58, 0.33],
        [0.77, 0.25, 0.10],
        [0.05, 0.80, 0.55],
    ]
)

SCORES = [
    [0.9995, 0.9544, 0.9422, 0.4753, 0.4576, 0.6310],
    [0.9544, 1.4950, 1.4754, 0.8434, 0.7070, 1.0865],
    [0.9422, 1.4754, 1.4570, 0.8296, 0.7154, 1.0605],
    [0.4753, 0.8434, 0.8296, 0.4937, 0.3474, 0.6565],
    [0.4576, 0.7070, 0.7154, 0.3474, 0.6654, 0.2935],
    [0.6310, 1.0865, 1.0605, 0.6565, 0.2935, 0.9450],
]
WEIGHTS = [
    [0.2098, 0.2006, 0.1981, 0.1242, 0.1220, 0.1452],
    [0.1385, 0.2379, 0.2333, 0.1240, 0.1082, 0.1581],
    [0.1390, 0.2369, 0.2326, 0.1242, 0.1108, 0.1565],
    [0.1435, 0.2074, 0.2046, 0.1462, 0.1263, 0.1720],
    [0.1526, 0.1958, 0.1975, 0.1367, 0.1879, 0.1295],
    [0.1385, 0.2184, 0.2128, 0.1420, 0.0988, 0.1896],
]
CONTEXT = [
    [0.4421, 0.5931, 0.5790],
    [0.4419, 0.6515, 0.5683],
    [0.4431, 0.6496, 0.5671],
    [0.4304, 0.6298, 0.5510],
    [0.4671, 0.5910, 0.5266],
    [0.4177, 0.6503, 0.5645],
]
WITH_SEED_123 = [
    [0.2996, 0.8053],
    [0.3061, 0.8210],
    [0.3058, 0.8203],
    [0.2948, 0.7939],
    [0.2927, 0.7891],
    [0.2990, 0.8040],
]
CAUSAL_SCORES = [
    [0.2899, -torch.inf, -torch.inf, -torch.inf, -torch.inf, -torch.inf],
    [0.4656, 0.1723, -torch.inf, -torch.inf, -torch.inf, -torch.inf],
    [0.4594, 0.1703, 0.1731, -torch.inf, -torch.inf, -torch.inf],
    [0.2642, 0.1024, 0.1036, 0.0186, -torch.inf, -torch.inf],
    [0.2183, 0.0874, 0.0882, 0.0177, 0.0786, -torch.inf],
    [0.3408, 0.1270, 0.1290, 0.0198, 0.1290, 0.0078],
]
CAUSAL_WEIGHTS = [
    [1.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000],
    [0.5517, 0.4483, 0.0000, 0.0000, 0.0000, 0.0000],
    [0.3800, 0.3097, 0.3103, 0.0000, 0.0000, 0.0000],
    [0.2758, 0.2460, 0.2462, 0.2319, 0.0000, 0.0000],
    [0.2175, 0.1983, 0.1984, 0.1888, 0.1971, 0.0000],
    [0.1935, 0.1663, 0.1666, 0.1542, 0.1666, 0.1529],
]
# Both heads of the notebook's wrapper, side by side.
CAUSAL_CONTEXT = [
    [-0.4519, 0.2216, 0.4772, 0.1063],
    [-0.5874, 0.0058, 0.5891, 0.3257],
    [-0.6300, -0.0632, 0.6202, 0.3860],
    [-0.5675, -0.0843, 0.5478, 0.3589],
    [-0.5526, -0.0981, 0.5321, 0.3428],
    [-0.5299, -0.1081, 0.5077, 0.3493],
]
MULTI_HEAD = [
    [0.3190, 0.4858],
    [0.2943, 0.3897],
    [0.2856, 0.3593],
    [0.2693, 0.3873],
    [0.2639, 0.3928],
    [0.2575, 0.4028],
]


def assert_printed(actual: Tensor, digits: list[list[float]]) -> None:
    """Four decimals are printed, so each number lies within half of the last."""
    torch.testing.assert_close(actual, torch.tensor(digits), rtol=0, atol=0.5001e-4)


def test_attention_without_weights() -> None:
    scores = attention_scores(INPUTS, INPUTS)
    assert_printed(scores, SCORES)
    weights = attention_weights(scores)
    assert_printed(weights, WEIGHTS)
    assert_printed(context_vectors(weights, INPUTS), CONTEXT)


def test_self_attention_with_seed_123() -> None:
    attention = SelfAttention(d_in=3, d_out=2)
    torch.manual_seed(123)
    # The notebook's matrices are (d_in, d_out).
    for projection in (attention.W_query, attention.W_key, attention.W_value):
        projection.weight = nn.Parameter(torch.rand(3, 2).T)
    assert_printed(attention(INPUTS), WITH_SEED_123)


def test_the_causal_mask() -> None:
    torch.manual_seed(789)
    attention = SelfAttention(d_in=3, d_out=2)
    heads = attention.W_query(INPUTS), attention.W_key(INPUTS), attention.W_value(INPUTS)
    trace = trace_attention(*heads, is_causal=True)
    # The notebook masks first and divides afterwards.
    assert_printed(trace.masked_scores * 2**0.5, CAUSAL_SCORES)
    assert_printed(trace.weights, CAUSAL_WEIGHTS)


def test_causal_attention_with_seed_123_for_one_head_after_the_other() -> None:
    torch.manual_seed(123)
    heads = [SelfAttention(d_in=3, d_out=2) for _ in range(2)]
    batch = torch.stack((INPUTS, INPUTS))
    contexts = torch.cat([head(batch, is_causal=True) for head in heads], dim=-1)
    for context in contexts:
        assert_printed(context, CAUSAL_CONTEXT)


def test_multi_head_attention_with_seed_123() -> None:
    attention = MultiHeadAttention(3, num_heads=2, head_dim=1, out_dim=2, bias=False, out_bias=True)
    # The package draws other first weights than `nn.Linear` does.
    torch.manual_seed(123)
    attention.q_proj = nn.Linear(3, 2, bias=False)
    attention.k_proj = nn.Linear(3, 2, bias=False)
    attention.v_proj = nn.Linear(3, 2, bias=False)
    attention.out_proj = nn.Linear(2, 2)
    for output in attention(torch.stack((INPUTS, INPUTS)), is_causal=True):
        assert_printed(output, MULTI_HEAD)
