"""A block as nanoGPT computes it, written here once more from its formulas.

Source: https://github.com/karpathy/nanoGPT, model.py: a layer norm before attention and before the
feed-forward part, each added to what came in; one matrix for queries, keys and values; GELU.
"""

import math

import torch
from torch import Tensor, nn

from attention_steps import MultiHeadAttention
from tests.other_libraries.conftest import Compare, copy_weights, give_weights

FEATURES, HEADS, TOKENS = 24, 4, 7


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norms = nn.ModuleList(nn.LayerNorm(FEATURES) for _ in range(2))
        self.to_all = nn.Linear(FEATURES, 3 * FEATURES)
        self.to_output = nn.Linear(FEATURES, FEATURES)
        self.feed_forward = nn.Sequential(
            nn.Linear(FEATURES, 4 * FEATURES), nn.GELU(), nn.Linear(4 * FEATURES, FEATURES)
        )

    def attend(self, inputs: Tensor) -> Tensor:
        """Give each token what it finds at itself and at earlier tokens, head by head."""
        found = []
        all_heads = [part.chunk(HEADS, dim=-1) for part in self.to_all(inputs).chunk(3, dim=-1)]
        for query, key, value in zip(*all_heads, strict=True):
            scores = torch.einsum("bie,bje->bij", query, key) / math.sqrt(FEATURES // HEADS)
            later = torch.ones(TOKENS, TOKENS).triu(1).bool()
            weights = scores.masked_fill(later, -math.inf).softmax(dim=-1)
            found.append(torch.einsum("bij,bje->bie", weights, value))
        output: Tensor = self.to_output(torch.cat(found, dim=-1))
        return output

    def forward(self, inputs: Tensor, attention: nn.Module | None = None) -> Tensor:
        """Run the block, with another attention in place of its own if one is given."""
        normed = self.norms[0](inputs)
        if attention is None:
            inputs = inputs + self.attend(normed)
        else:
            inputs = inputs + attention(normed, is_causal=True)
        output: Tensor = inputs + self.feed_forward(self.norms[1](inputs))
        return output


def test_a_block(compare: Compare) -> None:
    block = Block()
    give_weights(block)
    ours = MultiHeadAttention(FEATURES, HEADS)
    copy_weights(
        ours,
        [*block.to_all.weight.chunk(3), block.to_output.weight],
        [*block.to_all.bias.chunk(3), block.to_output.bias],
    )
    inputs = torch.randn(2, TOKENS, FEATURES)
    compare(
        "nanoGPT's formulas", "a block, with the layer in it", block(inputs, ours), block(inputs)
    )
