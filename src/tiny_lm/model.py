"""The whole language model, and the numbers that it learned."""

import base64
import json
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

import torch
from torch import Tensor, nn

from attention_steps import KVCache, MultiHeadAttention
from attention_steps.cache import Cache
from tiny_lm.recipe import RECIPE
from tiny_lm.stories import ID, LENGTH, START, WORDS


class Block(nn.Module):
    """Two halves, each of which adds its note to what came in: attention, then an MLP."""

    def __init__(self, embed_dim: int, num_heads: int, hidden_dim: int) -> None:
        super().__init__()
        self.norm1 = nn.RMSNorm(embed_dim, eps=RECIPE.eps)
        self.attention = MultiHeadAttention(embed_dim, num_heads, bias=False)
        self.norm2 = nn.RMSNorm(embed_dim, eps=RECIPE.eps)
        self.up = nn.Linear(embed_dim, hidden_dim, bias=False)
        self.down = nn.Linear(hidden_dim, embed_dim, bias=False)

    def forward(self, x: Tensor, cache: Cache | None = None) -> Tensor:
        """Return the words with both notes, shape `(..., L, embed_dim)`, as they came in."""
        x = x + self.attention(self.norm1(x), is_causal=True, cache=cache)
        return x + self.mlp(x)

    def mlp(self, x: Tensor) -> Tensor:
        """Return the note of the second half, made from each word alone."""
        note: Tensor = self.down(torch.relu(self.up(self.norm2(x))))
        return note


class LanguageModel(nn.Module):
    """Reads words, and scores each word that it knows as the next one, at every place."""

    def __init__(
        self,
        vocab_size: int = len(WORDS),
        length: int = LENGTH,
        embed_dim: int = RECIPE.width,
        num_layers: int = RECIPE.layers,
        num_heads: int = RECIPE.heads,
        hidden_dim: int = RECIPE.hidden,
    ) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_dim)
        self.position = nn.Embedding(length, embed_dim)
        self.blocks: Any = nn.ModuleList(
            Block(embed_dim, num_heads, hidden_dim) for _ in range(num_layers)
        )
        self.norm = nn.RMSNorm(embed_dim, eps=RECIPE.eps)

    def embed(self, ids: Tensor, start: int = 0) -> Tensor:
        """Return a vector for each word: what it is, plus the place where it stands."""
        places = torch.arange(start, start + ids.shape[-1], device=ids.device)
        x: Tensor = self.embedding(ids) + self.position(places)
        return x

    def unembed(self, x: Tensor) -> Tensor:
        """Return the logits of all words, by the same matrix that made vectors of words."""
        logits: Tensor = self.norm(x) @ self.embedding.weight.T
        return logits

    def forward(self, ids: Tensor, caches: Sequence[KVCache] | None = None) -> Tensor:
        """Return logits, shape `(..., L, vocab_size)`, for ids of shape `(..., L)`."""
        x = self.embed(ids, caches[0].length if caches else 0)
        for number, block in enumerate(self.blocks):
            x = block(x, caches[number] if caches else None)
        return self.unembed(x)


def encode(text: str) -> Tensor:
    """Return the numbers of the words of a text, shape `(1, L)`, the start token first."""
    return torch.tensor([[ID[word] for word in [START, *text.split()]]])


def recorded(name: str) -> Any:
    """Return what was recorded of the trainings: `numbers`, `trained_without` or `moments`."""
    return json.loads(files("tiny_lm").joinpath(f"{name}.json").read_text("utf-8"))


def trained_model() -> LanguageModel:
    """Return the model with the numbers that it learned, ready to read."""
    planes = torch.frombuffer(
        bytearray(base64.b64decode(recorded("numbers")["numbers"])), dtype=torch.uint8
    )
    numbers = planes.view(4, -1).T.contiguous().view(torch.float32).flatten()
    return with_numbers(LanguageModel(), numbers).requires_grad_(False).eval()


@torch.no_grad()
def with_numbers(model: LanguageModel, numbers: Tensor) -> LanguageModel:
    """Give a model all of its numbers, one part after another, and return it."""
    parts = torch.split(numbers, [parameter.numel() for parameter in model.parameters()])
    for parameter, part in zip(model.parameters(), parts, strict=True):
        parameter.copy_(part.view_as(parameter))
    return model
