"""Exercise: attention in tiles."""

import math

import torch

from attention_practice._exercise import Case, Exercise, planted
from attention_practice._inputs import COLUMNS, INPUTS, SENTENCE, UNEVEN, WORDS, numbers

ONE_QUERY, PAIRS = torch.tensor([[1.0]]), numbers(3, 2, start=4)
LARGE_SCORES = (
    torch.tensor([[9.0, 2.0]]),
    torch.tensor([[1.0, 0.0], [20.0, 1.0], [20.0, 0.0]]),
    torch.eye(3),
)


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
    title="Attention in tiles",
    task=(
        "Attention to `block_size` keys at a time, never to all keys at once. Divide the scores by "
        "the root of head_dim: (L, E), (S, E), (S, Ev) -> (L, Ev)."
    ),
    page="steps/tiles/",
    cases=(
        Case(f"{SENTENCE}, three keys at a time", (INPUTS, INPUTS, INPUTS, 3), WORDS, COLUMNS),
        Case("blocks that do not divide the length", (*UNEVEN, 3)),
        Case("scores of 100 and more", (*LARGE_SCORES, 1)),
        Case("scores that fall", (ONE_QUERY, torch.tensor([[200.0], [0.0], [100.0]]), PAIRS, 1)),
        Case(
            "scores below -100", (ONE_QUERY, torch.tensor([[-200.0], [-201.0], [-203.0]]), PAIRS, 1)
        ),
        Case("one block", (*UNEVEN, 10)),
    ),
    long=(numbers(96, 2), numbers(97, 2, start=1), numbers(97, 2, start=2), 5),
    mistakes=planted("""
        no scale ` / math.sqrt(query.shape[-1])` -> ``
        tail dropped `(keys, values` -> `(keys[: len(key) // block_size], values[: len(key) //
            block_size]`, `0.0` -> `torch.zeros(len(query), value.shape[-1])`
        contexts averaged `context * shrink + shares @ v` -> `context + scores.softmax(-1) @ v`,
            `context / total` -> `context / len(keys)`
        Read: steps/softmax-in-parts/#the-sums-are-not-shrunk
        not shrunk `(largest - new).exp()` -> `1.0`: The words before a larger score count too much.
            When the maximum grows, multiply the sum and the context so far by exp(old maximum - new
            maximum).
        context not shrunk `context * shrink` -> `context`: When the maximum grows, the sum so far
            shrinks and the context so far does not.
        own maximum `torch.maximum(largest, scores.amax(-1, keepdim=True))` -> `scores.amax(-1,
            keepdim=True)`, `(largest - new).exp()` -> `1.0`: Blocks with small scores count as much
            as blocks with large ones: each block subtracts a maximum of its own. Bring both to one
            maximum before you add.
        sum not shrunk `total * shrink` -> `total`: When the maximum grows, the context so far
            shrinks and the sum so far does not.
        Read: steps/softmax-in-parts/#every-word-changes-all-shares
        tiles added `context * shrink + shares @ v` -> `context + scores.softmax(-1) @ v`, `context
            / total` -> `context`: Each block has a softmax of its own, and the results are added:
            the weights of a row add up to the number of blocks.
        Read: steps/tiles/#forward-one-tile-at-a-time
        not divided `context / total` -> `context`: Your context is too large by the sum of its
            shares: it is never divided by it. Divide once, after the last block.
        last block `context * shrink + shares @ v` -> `scores.softmax(-1) @ v`, `context / total` ->
            `context`: Your result is that of the last block: what came before is overwritten.
        Read: steps/softmax-in-parts/#the-largest-may-still-come
        no maximum `torch.maximum(largest, scores.amax(-1, keepdim=True))` ->
            `torch.zeros_like(largest)`, `(largest - new).exp()` -> `1.0`: Your numbers are NaN
            where scores are large, because exp(100) is more than a float32 can hold. Subtract the
            largest score so far.
    """),
    hints=(
        "Keep three things for each query: the largest score so far, the sum, and the context that "
        "is not divided yet.",
        "A block brings a new maximum. Shrink sum and context by exp(old - new), then add.",
        "Divide once, at the end.",
    ),
    solution=my_tiles,
    lines="""
    def my_tiles(query, key, value, block_size):
        largest = query.new_full((*query.shape[:-1], 1), -math.inf)
        total, context = torch.zeros_like(largest), 0.0
        for k, v in zip(key.split(block_size, -2), value.split(block_size, -2)):

            scores = query @ k.mT / math.sqrt(query.shape[-1])
            scores = query @ k.mT

            new = torch.maximum(largest, scores.amax(-1, keepdim=True))

            shares, shrink = (scores - new).exp(), (largest - new).exp()
            shares, shrink = (scores - new).exp(), 1.0

            total = total * shrink + shares.sum(-1, keepdim=True)

            context = context * shrink + shares @ v
            context = context + shares @ v

            largest = new

        return context / total
        return context
    """,
)
