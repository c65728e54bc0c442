"""Inputs of the exercises: the sentences of the course, and numbers without any symmetry."""

import math
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor

from attention_steps.core import scaled_dot_product_attention
from tiny_lm.words import vectors

COLUMNS = ("water", "money", "acts", "describes")
WORDS = ("the", "duck", "likes", "the", "muddy", "bank")
SENTENCE = "“the duck likes the muddy bank”"
BATCH = "a batch of two sentences"
TWO_QUERIES = "two queries and six keys"


def numbers(*shape: int, start: int = 0) -> Tensor:
    """Return numbers of size 1.5 at most, without any pattern and equal on every machine."""
    count = torch.arange(math.prod(shape), dtype=torch.float64)
    return (torch.sin((count + 1) * 12.9898 + start * 78.233) * 1.5).float().view(shape)


INPUTS = vectors(" ".join(WORDS))
TWO_SENTENCES = torch.stack([INPUTS, vectors("the rich duck likes the bank")])
QUERIES = vectors("bank money")
# Five queries and four keys of three features, values of two: every size is another.
UNEVEN = (numbers(5, 3, start=1), numbers(4, 3, start=2), numbers(4, 2, start=3))
SCORES = INPUTS @ INPUTS.mT
BANK_AND_MONEY = ("bank", "money")
NARROW = tuple(numbers(3, 4, start=start) for start in (1, 2, 3))
SQUARE = tuple(numbers(4, 4, start=start) for start in (4, 5, 6))
MATRICES = tuple(numbers(4, 4, start=start) for start in (7, 8, 9, 10))

# Parts of a block, and blocks.
Part = Callable[[Tensor], Tensor]


def norm(x: Tensor) -> Tensor:
    return F.layer_norm(x, x.shape[-1:])


def look(x: Tensor) -> Tensor:
    return scaled_dot_product_attention(x, x, x, is_causal=True)


def mlp(x: Tensor) -> Tensor:
    return torch.relu(x @ numbers(4, 8, start=11).to(x)) @ numbers(8, 4, start=12).to(x)


BLOCKS: tuple[Part, ...] = (lambda x: x + look(norm(x)), lambda x: x + mlp(norm(x)))
