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
from attention_story.stories import ID, LENGTH, START, WORDS


class Block(nn.Module):
    """Two halves, each of which adds its note to what came in: attention, then an MLP."""

    def __init__(self, embed_dim: int, num_heads: int, hidden_dim: int) -> None:
        super().__init__()
        self.norm1 = nn.RMSNorm(embed_dim, eps=1e-6)
        self.attention = MultiHeadAttention(embed_dim, num_heads, bias=False)
        self.norm2 = nn.RMSNorm(embed_dim, eps=1e-6)
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
        embed_dim: int = 16,
        num_layers: int = 2,
        num_heads: int = 2,
        hidden_dim: int = 32,
    ) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_dim)
        self.position = nn.Embedding(length, embed_dim)
        self.blocks: Any = nn.ModuleList(
            Block(embed_dim, num_heads, hidden_dim) for _ in range(num_layers)
        )
        self.norm = nn.RMSNorm(embed_dim, eps=1e-6)

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


def json_beside(name: str) -> Any:
    """Return what a file beside this one holds."""
    return json.loads(files("attention_story").joinpath(name).read_text("utf-8"))


def measured() -> Any:
    """Return what was measured after the training, with the day and the version of torch."""
    return json_beside("measured.json")


def left_out() -> Any:
    """Return what models without a part came to, by the name of the part, a row for each start."""
    return json_beside("left_out.json")


def trained_model() -> LanguageModel:
    """Return the model with the numbers that it learned, ready to read."""
    model, saved = LanguageModel(), json_beside("numbers.json")
    planes = torch.frombuffer(bytearray(base64.b64decode(saved["numbers"])), dtype=torch.uint8)
    numbers = planes.view(4, -1).T.contiguous().view(torch.float32).flatten()
    parts = torch.split(numbers, [parameter.numel() for parameter in model.parameters()])
    with torch.no_grad():
        for parameter, part in zip(model.parameters(), parts, strict=True):
            parameter.copy_(part.view_as(parameter))
    return model.requires_grad_(False).eval()
