"""What the drawing shows, computed by torch and the package's own trace."""

from collections.abc import Set
from dataclasses import dataclass

import torch
from torch import Tensor

from attention_steps import MultiHeadAttentionTrace
from attention_story import LanguageModel, encode, trained_model


@dataclass(frozen=True)
class Traced:
    """What is computed on the way.

    Attributes:
        levels: Before each block, in its middle and behind all, shape `(levels, L, embed_dim)`.
        traces: What each attention computes.
        notes: What each head adds, by the name of the head, shape `(L, embed_dim)`.
        hidden: The neurons of each block, shape `(L, hidden_dim)`.
    """

    model: LanguageModel
    levels: Tensor
    traces: list[MultiHeadAttentionTrace]
    notes: dict[str, Tensor]
    hidden: list[Tensor]

    def shares(self, level: int, at: int) -> Tensor:
        """Return the shares of all words, if the model stopped at a level."""
        shares: Tensor = self.model.unembed(self.levels[level, at]).softmax(-1)
        return shares


@torch.no_grad()
def traced(
    text: str, off: Set[str] = frozenset(), patch: tuple[int, int, Tensor] | None = None
) -> Traced:
    """Read a text with zeros in the matrices that read what is switched off.

    A patch is a block, a place, and the vector that stands there before the block.
    """
    model = trained_model().double()
    x = model.embed(encode(text))
    levels, traces, notes, hidden = [], [], {}, []
    for number, block in enumerate(model.blocks):
        if patch and patch[0] == number:
            x[0, patch[1]] = patch[2]
        trace = block.attention.trace(block.norm1(x), is_causal=True)
        mid = x.clone()
        for head in range(2):
            name, part = f"{number}.{head}", slice(8 * head, 8 * head + 8)
            out = block.attention.out_proj.weight[:, part] * (name not in off)
            notes[name] = (trace.weights[0, head] @ trace.value[0, head]) @ out.T
            mid = mid + notes[name]
        hidden.append(torch.relu(block.up(block.norm2(mid)))[0])
        levels += [x[0].clone(), mid[0].clone()]
        traces.append(trace)
        x = mid if f"{number}.mlp" in off else mid + block.down(hidden[-1])
    return Traced(model, torch.stack([*levels, x[0]]), traces, notes, hidden)


def changed(x: Tensor, other: Tensor) -> Tensor:
    """Return how much of each vector would be different."""
    share: Tensor = ((x - other).norm(dim=-1) / x.norm(dim=-1)).clamp(max=1)
    return share
