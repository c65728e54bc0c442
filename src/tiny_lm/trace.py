"""What the model computes on the way, with parts switched off and vectors put in."""

from collections.abc import Set
from dataclasses import dataclass

import torch
from torch import Tensor

from tiny_lm.model import LanguageModel


@dataclass(frozen=True)
class Traced:
    """What is computed on the way, with L words in all.

    Attributes:
        levels: The vectors of all words before each block, in its middle, and behind all blocks,
            shape `(levels, L, embed_dim)`.
        weights: Those of each block, shape `(num_heads, L, L)`.
        shares: Those of all words, at each level and at each place, shape `(levels, L, words)`.
    """

    levels: Tensor
    weights: list[Tensor]
    shares: Tensor


@torch.no_grad()
def traced(
    model: LanguageModel,
    ids: Tensor,
    off: Set[str] = frozenset(),
    patch: tuple[int, int, Tensor] | None = None,
) -> Traced:
    """Read a text.

    Args:
        model: The model.
        ids: The numbers of the words, shape `(1, L)`.
        off: Parts that add nothing: a head as `BLOCK.HEAD`, counted from 0, or `0.mlp`.
        patch: A block, a place, and the vector that is put there before this block.
    """
    x = model.embed(ids)
    levels, weights = [], []
    for number, block in enumerate(model.blocks):
        if patch and patch[0] == number:
            x[0, patch[1]] = patch[2]
        attention = block.attention.trace(block.norm1(x), is_causal=True)
        is_on = [f"{number}.{head}" not in off for head in range(block.attention.num_heads)]
        context = attention.context * torch.tensor(is_on)[:, None, None]
        middle = x + block.attention.out_proj(context.transpose(1, 2).flatten(2))
        levels += [x[0].clone(), middle[0]]
        weights.append(attention.weights[0])
        x = middle if f"{number}.mlp" in off else middle + block.mlp(middle)
    found = torch.stack([*levels, x[0]])
    return Traced(found, weights, model.unembed(found).softmax(-1))
