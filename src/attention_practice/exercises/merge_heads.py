"""Exercise: join the heads."""

import torch
from torch import Tensor

from attention_practice._exercise import Case, Exercise, MistakeNames, known, those_of
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


def attempt(mistakes: MistakeNames, x: Tensor) -> Tensor:
    if "mean" in mistakes:
        return x.mean(-3)
    if "sum" in mistakes:
        return x.sum(-3)
    if "no transpose" in mistakes:
        return x.reshape(*x.shape[:-3], x.shape[-2], x.shape[-3] * x.shape[-1])
    if "one under another" in mistakes:
        return x.flatten(-3, -2)
    x = x.transpose(0, 1) if "no batch" in mistakes else x.transpose(-3, -2)
    return (x.mT if "in turn" in mistakes else x).flatten(-2)


def my_merge_heads(x):
    return x.transpose(-3, -2).flatten(-2)


EXERCISE = Exercise(
    part=3,
    task="The way back: (..., num_heads, n, head_dim) -> (..., n, num_heads * head_dim).",
    page="steps/multi-head-attention/",
    attempt=attempt,
    cases=(
        Case(SENTENCE, (torch.stack(INPUTS.chunk(2, -1)),), WORDS, COLUMNS),
        Case("three heads of two components", (numbers(3, 4, 2),)),
        Case(BATCH, (torch.stack(TWO_SENTENCES.chunk(2, -1), -3),)),
    ),
    mistakes=those_of(SPLIT_HEADS.mistakes, "no batch")
    + known("""
        Read: guides/what-goes-wrong/#heads-are-scrambled
        no transpose: A row of yours holds several words of one head: the axes were joined before
            they were exchanged back.
        in turn: The components of the heads alternate. All of head 0 come first, then all of head
            1.
        Read: steps/multi-head-attention/#the-average-of-the-heads
        mean: The heads are averaged. Put them side by side.
        Read: steps/multi-head-attention/#mix-what-they-found
        sum: The heads are added up. Put them side by side.
        Read: steps/multi-head-attention/#the-formula
        one under another: The heads are one under another. Put them side by side.
    """),
    hints=(
        "Undo the two moves of split_heads, the last one first.",
        "`.transpose(-3, -2)`, then make one axis of the last two.",
    ),
    solution=my_merge_heads,
)
