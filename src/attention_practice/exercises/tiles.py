"""Exercise: attention in tiles."""

import math

import torch
from torch import Tensor

from attention_practice._exercise import SUITE, Case, Exercise, MistakeNames, known, those_of
from attention_practice._inputs import COLUMNS, INPUTS, SENTENCE, UNEVEN, WORDS, numbers

ONE_QUERY, PAIRS = torch.tensor([[1.0]]), numbers(3, 2, start=4)
LARGE_SCORES = (
    torch.tensor([[9.0, 2.0]]),
    torch.tensor([[1.0, 0.0], [20.0, 1.0], [20.0, 0.0]]),
    torch.eye(3),
)


def attempt(
    mistakes: MistakeNames, query: Tensor, key: Tensor, value: Tensor, block_size: int
) -> Tensor:
    key_len = key.shape[-2]
    if "tail dropped" in mistakes:
        key_len = key_len // block_size * block_size
    keys = torch.split(key[..., :key_len, :], block_size, -2) if key_len else ()
    values = torch.split(value[..., :key_len, :], block_size, -2) if key_len else ()
    largest = query.new_full((*query.shape[:-1], 1), -math.inf)
    total = torch.zeros_like(largest)
    context = query.new_zeros(*query.shape[:-1], value.shape[-1])
    by_itself = []
    for k, v in zip(keys, values, strict=True):
        scores = query @ k.mT / (1.0 if "no scale" in mistakes else math.sqrt(query.shape[-1]))
        by_itself.append(scores.softmax(-1) @ v)
        new = torch.maximum(largest, scores.amax(-1, keepdim=True))
        new = torch.zeros_like(new) if "no maximum" in mistakes else new
        new = scores.amax(-1, keepdim=True) if "own maximum" in mistakes else new
        shares, shrink = (scores - new).exp(), (largest - new).exp()
        if mistakes & {"not shrunk", "no maximum", "own maximum"}:
            shrink = torch.ones_like(shrink)
        kept = total if "sum not shrunk" in mistakes else total * shrink
        total = kept + shares.sum(-1, keepdim=True)
        context = context * (1.0 if "context not shrunk" in mistakes else shrink) + shares @ v
        largest = new
    if by_itself and "last block" in mistakes:
        return by_itself[-1]
    if by_itself and "tiles added" in mistakes:
        return torch.stack(by_itself).sum(0)
    if by_itself and "contexts averaged" in mistakes:
        return torch.stack(by_itself).mean(0)
    return context if "not divided" in mistakes else context / total


def my_tiles(query, key, value, block_size):
    largest = query.new_full((*query.shape[:-1], 1), -math.inf)
    total, context = torch.zeros_like(largest), 0.0
    keys, values = key.split(block_size, -2), value.split(block_size, -2)
    for k, v in zip(keys, values, strict=True):
        scores = query @ k.mT / math.sqrt(query.shape[-1])
        new = torch.maximum(largest, scores.amax(-1, keepdim=True))
        shares, shrink = (scores - new).exp(), (largest - new).exp()
        total = total * shrink + shares.sum(-1, keepdim=True)
        context, largest = context * shrink + shares @ v, new
    return context / total


EXERCISE = Exercise(
    part=4,
    task=(
        "Attention to `block_size` keys at a time, never to all keys at once. Divide the scores by "
        "the root of head_dim: (L, E), (S, E), (S, Ev) -> (L, Ev)."
    ),
    page="steps/tiles/",
    attempt=attempt,
    cases=(
        Case(f"{SENTENCE}, three keys at a time", (INPUTS, INPUTS, INPUTS, 3), WORDS, COLUMNS),
        Case("blocks that do not divide the length", (*UNEVEN, 3)),
        Case("scores of 100 and more", (*LARGE_SCORES, 1)),
        Case("scores that fall", (ONE_QUERY, torch.tensor([[200.0], [0.0], [100.0]]), PAIRS, 1)),
        Case(
            "scores below -100",
            (ONE_QUERY, torch.tensor([[-200.0], [-201.0], [-203.0]]), PAIRS, 1),
        ),
        Case("one block", (*UNEVEN, 10)),
    ),
    long=(numbers(96, 2), numbers(97, 2, start=1), numbers(97, 2, start=2), 5),
    mistakes=those_of(SUITE, "no scale, tail dropped, contexts averaged")
    + known("""
        Read: steps/softmax-in-parts/#the-sums-are-not-shrunk
        not shrunk: The words before a larger score count too much. When the maximum grows, multiply
            the sum and the context so far by exp(old maximum - new maximum).
        context not shrunk: When the maximum grows, the sum so far shrinks and the context so far
            does not.
        own maximum: Blocks with small scores count as much as blocks with large ones: each block
            subtracts a maximum of its own. Bring both to one maximum before you add.
        sum not shrunk: When the maximum grows, the context so far shrinks and the sum so far does
            not.
        Read: steps/softmax-in-parts/#every-word-changes-all-shares
        tiles added: Each block has a softmax of its own, and the results are added: the weights of
            a row add up to the number of blocks.
        Read: steps/tiles/#forward-one-tile-at-a-time
        not divided: Your context is too large by the sum of its shares: it is never divided by it.
            Divide once, after the last block.
        last block: Your result is that of the last block: what came before is overwritten.
        Read: steps/softmax-in-parts/#the-largest-may-still-come
        no maximum: Your numbers are NaN where scores are large, because exp(100) is more than a
            float32 can hold. Subtract the largest score so far.
    """),
    hints=(
        "Keep three things for each query: the largest score so far, the sum, and the context that "
        "is not divided yet.",
        "A block brings a new maximum. Shrink sum and context by exp(old - new), then add.",
        "Divide once, at the end.",
    ),
    solution=my_tiles,
)
