"""Exercise: a window."""

import torch
from torch import Tensor

from attention_practice._exercise import SUITE, Case, Exercise, MistakeNames, known, those_of
from attention_practice._inputs import SENTENCE, WORDS
from attention_practice.exercises.causal_mask import EXERCISE as CAUSAL_MASK


def attempt(mistakes: MistakeNames, n: int, window: int) -> Tensor:
    back = torch.arange(n)[:, None] - torch.arange(n)
    window += "window too wide" in mistakes
    near = torch.ones_like(back, dtype=torch.bool) if "no end" in mistakes else back < window
    mask = near & (back > -window if "window to both sides" in mistakes else back >= 0)
    mask = near if "not causal" in mistakes else mask
    mask = (back > 0) & (back <= window) if "without itself" in mistakes else mask
    mask = near.mT & (back <= 0) if "forward" in mistakes else mask
    if "negative start" in mistakes:
        start = torch.arange(n)[:, None] - window + 1
        mask = mask & ((start >= 0) | (torch.arange(n) >= start + n))
    mask = ~mask if "True hides" in mistakes else mask
    return mask.float() if "float" in mistakes else mask


def my_window_mask(n, window):
    i, j = torch.arange(n)[:, None], torch.arange(n)
    return (j <= i) & (j > i - window)


EXERCISE = Exercise(
    part=4,
    task=(
        "A boolean mask (n, n): each word attends to the last `window` words, itself among them."
    ),
    page="steps/windows-and-sinks/",
    attempt=attempt,
    differentiable=False,
    cases=(
        Case(f"{SENTENCE}, window 3", (6, 3), WORDS, WORDS),
        Case("window 1", (4, 1)),
        Case("a window longer than the text", (3, 5)),
    ),
    mistakes=those_of(SUITE, "True hides, window too wide, window to both sides")
    + those_of(CAUSAL_MASK.mistakes, "float")
    + known("""
        Read: guides/mask-conventions/#is-the-query-counted-in-a-window
        without itself: A word does not attend to itself. The window counts it.
        Read: steps/windows-and-sinks/#the-formula
        negative start: The first rows are empty: a slice that starts below 0 counts from the end.
            Start at 0 at least: `max(0, ...)`.
        not causal: All later words are visible.
        forward: The window opens forward, to later words. It should open back.
        Read: steps/windows-and-sinks/#a-window-of-three
        no end: Each word attends to everything before it: that is the causal mask.
    """),
    hints=(
        "Two conditions: j <= i, and j is not too far back.",
        "The last `window` words of place i are i - window + 1 to i.",
    ),
    solution=my_window_mask,
)
