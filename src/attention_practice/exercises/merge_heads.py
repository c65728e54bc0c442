"""Exercise: join the heads."""

import torch

from attention_practice._exercise import Case, Exercise, planted, those_of
from attention_practice._inputs import (
    BATCH,
    COLUMNS,
    INPUTS,
    SENTENCE,
    TWO_SENTENCES,
    WORDS,
    numbers,
)
from attention_practice.exercises.split_heads import EXERCISE as SPLIT_HEADS


def my_merge_heads(x):
    return x.transpose(-3, -2).flatten(-2)


EXERCISE = Exercise(
    title="Join the heads",
    task="The way back: (..., num_heads, n, head_dim) -> (..., n, num_heads * head_dim).",
    page="steps/multi-head-attention/",
    cases=(
        Case(SENTENCE, (torch.stack(INPUTS.chunk(2, -1)),), WORDS, COLUMNS),
        Case("three heads of two components", (numbers(3, 4, 2),)),
        Case(BATCH, (torch.stack(TWO_SENTENCES.chunk(2, -1), -3),)),
    ),
    mistakes=those_of(SPLIT_HEADS.mistakes, "no batch")
    + planted("""
        Read: guides/what-goes-wrong/#heads-are-scrambled
        no transpose `x.transpose(-3, -2).flatten(-2)` -> `x.reshape(*x.shape[:-3], x.shape[-2],
            -1)`: A row of yours holds several words of one head: the axes were joined before they
            were exchanged back.
        in turn `.flatten` -> `.mT.flatten`: The components of the heads alternate. All of head 0
            come first, then all of head 1.
        Read: guides/what-goes-wrong/#the-average-of-the-heads
        mean `x.transpose(-3, -2).flatten(-2)` -> `x.mean(-3)`: The heads are averaged. Put them
            side by side.
        Read: steps/multi-head-attention/#mix-what-they-found
        sum `x.transpose(-3, -2).flatten(-2)` -> `x.sum(-3)`: The heads are added up. Put them side
            by side.
        Read: reference/layers/#all-heads-at-once
        one under another `x.transpose(-3, -2).flatten(-2)` -> `x.flatten(-3, -2)`: The heads are
            one under another. Put them side by side.
    """),
    hints=(
        "Undo the two moves of split_heads, the last one first.",
        "`.transpose(-3, -2)`, then make one axis of the last two.",
    ),
    solution=my_merge_heads,
)
