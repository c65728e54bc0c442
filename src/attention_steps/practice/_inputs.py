"""Inputs of the exercises: the sentences of the course, and numbers without any symmetry."""

import math

import torch
from torch import Tensor

# water, money, acts, describes: as in step 1
EMBEDDING = {
    "the": [0.0, 0.0, 0.0, 1.0],
    "duck": [3.0, 0.0, 1.0, 0.0],
    "likes": [0.0, 0.0, 2.0, 0.0],
    "muddy": [3.0, 0.0, 0.0, 3.0],
    "rich": [0.0, 3.0, 0.0, 3.0],
    "bank": [1.0, 1.0, 0.0, 0.0],
    "money": [0.0, 3.0, 0.0, 0.0],
}
COLUMNS = ("water", "money", "acts", "describes")
WORDS = ("the", "duck", "likes", "the", "muddy", "bank")
SENTENCE = "“the duck likes the muddy bank”"
BATCH = "a batch of two sentences"
TWO_QUERIES = "two queries and six keys"


def vectors(words: str) -> Tensor:
    """Return the vectors of the words, a row each."""
    return torch.tensor([EMBEDDING[word] for word in words.split()])


def numbers(*shape: int, start: int = 0) -> Tensor:
    """Return numbers of size 1.5 at most, without any pattern and equal on every machine."""
    count = torch.arange(math.prod(shape), dtype=torch.float64)
    return (torch.sin((count + 1) * 12.9898 + start * 78.233) * 1.5).float().view(shape)


INPUTS = vectors(" ".join(WORDS))
TWO_SENTENCES = torch.stack([INPUTS, vectors("the rich duck likes the bank")])
QUERIES = vectors("bank money")
# Five queries and four keys of three features, values of two: every size is another.
UNEVEN = (numbers(5, 3, start=1), numbers(4, 3, start=2), numbers(4, 2, start=3))
