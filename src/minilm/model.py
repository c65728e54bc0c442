"""An encoder such as BERT: words as vectors, and layers of attention and an MLP."""

import re
import unicodedata
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from attention_steps import MultiHeadAttention

EPS = 1e-12
LONGEST_WORD = 100  # letters; a longer one is unknown
CJK = re.compile("([\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff])")


class Sizes(NamedTuple):
    """How large a model is; by default as all-MiniLM-L6-v2."""

    words: int = 30522
    places: int = 512
    dim: int = 384
    heads: int = 12
    layers: int = 6
    hidden: int = 1536


class Reading(NamedTuple):
    """What a model computes of a text.

    Attributes:
        vectors: Each token before the first layer and after each, shape `(layers + 1, n, dim)`.
        weights: Where each token looks, shape `(layers, heads, n, n)`.
    """

    vectors: Tensor
    weights: Tensor


class Block(nn.Module):
    """Attention, and an MLP. Each is added to what comes in, and the sum is normed."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.attention = MultiHeadAttention(sizes.dim, sizes.heads)
        self.norm1 = nn.LayerNorm(sizes.dim, EPS)
        self.up = nn.Linear(sizes.dim, sizes.hidden)
        self.down = nn.Linear(sizes.hidden, sizes.dim)
        self.norm2 = nn.LayerNorm(sizes.dim, EPS)

    def forward(self, x: Tensor, off: Collection[int] = ()) -> tuple[Tensor, Tensor]:
        """Return the new vectors and the weights; a head that is off adds zeros."""
        found = self.attention.trace(x)
        context = found.context.clone()
        context[..., list(off), :, :] = 0
        side_by_side = context.transpose(-3, -2).flatten(-2)
        x = self.norm1(x + self.attention.out_proj(side_by_side))
        return self.norm2(x + self.down(F.gelu(self.up(x)))), found.weights


class MiniLM(nn.Module):
    """The model with its vocabulary."""

    def __init__(self, vocabulary: Sequence[str], sizes: Sizes | None = None) -> None:
        super().__init__()
        self.sizes = sizes or Sizes()
        self.number = {piece: place for place, piece in enumerate(vocabulary)}
        self.word = nn.Embedding(self.sizes.words, self.sizes.dim)
        self.place = nn.Embedding(self.sizes.places, self.sizes.dim)
        self.kind = nn.Parameter(torch.zeros(self.sizes.dim))  # that of a single text
        self.norm = nn.LayerNorm(self.sizes.dim, EPS)
        # Any: to a type checker, a module of a list is any module.
        self.blocks: Any = nn.ModuleList(Block(self.sizes) for _ in range(self.sizes.layers))

    def tokens(self, text: str) -> list[str]:
        """Return the pieces of a text, between the marks of its beginning and its end."""
        return ["[CLS]", *(piece for word in words(text) for piece in self.pieces(word)), "[SEP]"]

    def pieces(self, word: str) -> list[str]:
        """Return the longest pieces that the vocabulary has, from the beginning of a word on."""
        found: list[str] = []
        start = 0
        while start < len(word):
            ends = range(len(word), start, -1)
            pieces = (("##" if start else "") + word[start:end] for end in ends)
            known = next((piece for piece in pieces if piece in self.number), None)
            if known is None or len(word) > LONGEST_WORD:
                return ["[UNK]"]
            found.append(known)
            start += len(known.removeprefix("##") if start else known)
        return found

    @torch.no_grad()
    def read(self, tokens: Sequence[str], off: Collection[tuple[int, int]] = ()) -> Reading:
        """Read a text, with some heads switched off: pairs of a layer and a head."""
        ids = torch.tensor([self.number[token] for token in tokens])
        x = self.norm(self.word(ids) + self.place.weight[: len(ids)] + self.kind)
        vectors, weights = [x], []
        for layer, block in enumerate(self.blocks):
            x, looks = block(x, [head for at, head in off if at == layer])
            vectors.append(x)
            weights.append(looks)
        return Reading(torch.stack(vectors), torch.stack(weights))


def words(text: str) -> list[str]:
    """Return a text in lower case and without accents, split at spaces and at each mark."""
    kept = "".join(" " if letter in "\t\n\r" else letter for letter in text if is_kept(letter))
    plain = unicodedata.normalize("NFD", CJK.sub(r" \1 ", kept))
    plain = "".join(letter for letter in plain if unicodedata.category(letter) != "Mn").lower()
    apart = "".join(f" {letter} " if is_mark(letter) else letter for letter in plain)
    return apart.split()


def is_kept(letter: str) -> bool:
    """Whether a letter is no control character."""
    return letter in "\t\n\r" or (unicodedata.category(letter)[0] != "C" and letter != "\ufffd")


def is_mark(letter: str) -> bool:
    """Whether a letter is punctuation, or one of the signs of ASCII, which stand by themselves."""
    return unicodedata.category(letter)[0] == "P" or letter in "$+<=>^`|~"
