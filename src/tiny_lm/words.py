"""The words of the first pages, as four numbers each: a snippet imports them, not the table."""

import torch
from torch import Tensor

EMBEDDING = {
    # water, money, acts, describes
    "the": [0.0, 0.0, 0.0, 1.0],
    "duck": [3.0, 0.0, 1.0, 0.0],
    "banker": [0.0, 3.0, 1.0, 0.0],
    "likes": [0.0, 0.0, 2.0, 0.0],
    "muddy": [3.0, 0.0, 0.0, 3.0],
    "rich": [0.0, 3.0, 0.0, 3.0],
    "bank": [1.0, 1.0, 0.0, 0.0],
    "money": [0.0, 3.0, 0.0, 0.0],
    "pond": [3.0, 0.0, 0.0, 0.0],
}


def vectors(sentence: str) -> Tensor:
    """Return a row for each word of a sentence, shape `(words, 4)`."""
    return torch.tensor([EMBEDDING[word] for word in sentence.split()])
