"""Exercise: cut into heads."""

from torch import Tensor

from attention_practice._exercise import Case, Exercise, MistakeNames, known
from attention_practice._inputs import INPUTS, SENTENCE, WORDS, numbers


def attempt(mistakes: MistakeNames, x: Tensor, num_heads: int) -> Tensor:
    head_dim = x.shape[-1] // num_heads
    sizes = (head_dim, num_heads) if "sizes" in mistakes else (num_heads, head_dim)
    if "words cut" in mistakes:
        return x.reshape(*x.shape[:-2], sizes[0], x.shape[-2], sizes[1])
    axes = (*x.shape[:-1], *(sizes[::-1] if "in turn" in mistakes else sizes))
    heads = x.reshape(axes).mT if "in turn" in mistakes else x.reshape(axes)
    if "in front" in mistakes:
        return heads.movedim(-2, 0)
    if "no batch" in mistakes:
        return heads.transpose(0, 1)
    return heads if "not exchanged" in mistakes else heads.transpose(-3, -2)


def my_split_heads(x, num_heads):
    return x.unflatten(-1, (num_heads, -1)).transpose(-3, -2)


EXERCISE = Exercise(
    part=3,
    task=(
        "Cut the components into heads: (..., n, num_heads * head_dim) -> (..., num_heads, n, "
        "head_dim). Head 0 gets the first components."
    ),
    page="steps/multi-head-attention/",
    attempt=attempt,
    cases=(
        Case(SENTENCE, (INPUTS, 2), WORDS),
        Case("three heads of two components", (numbers(4, 6), 3)),
        Case("a batch of three sentences", (numbers(3, 5, 4), 2)),
    ),
    mistakes=known("""
        Read: guides/what-goes-wrong/#heads-are-scrambled
        words cut: Head 0 holds whole words: a single view or reshape takes the numbers in order,
            and so it cuts the sentence. Cut the last axis, then exchange two.
        in turn: The heads get the components in turn, as cards are dealt. Head 0 gets the first
            head_dim components: (num_heads, head_dim), in this order.
        Read: steps/multi-head-attention/#the-formula
        not exchanged: The axis of the heads comes after that of the words. Exchange the two with
            `.transpose(-3, -2)`.
        sizes: num_heads and head_dim have changed places.
        in front: One sentence is right, and a batch is not: the heads stand in front of the batch.
            Their place is before the last two axes, -3.
        no batch: One sentence is right, and a batch is not: the axes are counted from the front.
            Count from the end, `.transpose(-3, -2)`.
    """),
    hints=(
        "Two moves: give the components two axes, (num_heads, head_dim); then bring the heads "
        "before the words.",
        "`x.unflatten(-1, (num_heads, -1))`, then `.transpose(-3, -2)`.",
    ),
    solution=my_split_heads,
)
