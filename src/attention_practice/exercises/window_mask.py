"""Exercise: a window."""

import torch

from attention_practice._exercise import Case, Exercise, planted
from attention_practice._inputs import SENTENCE, WORDS


def my_window_mask(n, window):
    i, j = torch.arange(n)[:, None], torch.arange(n)
    return (j <= i) & (j > i - window)


EXERCISE = Exercise(
    title="A window",
    task=(
        "A boolean mask (n, n): each word attends to the last `window` words, itself among them."
    ),
    page="steps/windows-and-sinks/",
    differentiable=False,
    cases=(
        Case(f"{SENTENCE}, window 3", (6, 3), WORDS, WORDS),
        Case("window 1", (4, 1)),
        Case("a window longer than the text", (3, 5)),
    ),
    mistakes=planted("""
        True hides `(j <=` -> `~((j <=`, `- window)` -> `- window))`
        window too wide `(j > i` -> `(j >= i`
        window to both sides `j <= i)` -> `j < i + window)`
        float `return (j` -> `return ((j`, `- window)` -> `- window)).float()`
        Read: guides/mask-conventions/#is-the-query-counted-in-a-window
        without itself `<= i)` -> `< i)`, `(j > i` -> `(j >= i`: A word does not attend to itself.
            The window counts it.
        Read: steps/windows-and-sinks/#the-formula
        negative start `- window)` -> `- window) & ((i >= window - 1) | (j > i - window + n))`: The
            first rows are empty: a slice that starts below 0 counts from the end. Start at 0 at
            least: `max(0, ...)`.
        not causal `(j <= i) & ` -> ``: All later words are visible.
        forward `(j <= i) & (j > i - window)` -> `(j >= i) & (j < i + window)`: The window opens
            forward, to later words. It should open back.
        Read: steps/windows-and-sinks/#a-window-of-three
        no end ` & (j > i - window)` -> ``: Each word attends to everything before it: that is the
            causal mask.
    """),
    hints=(
        "Two conditions: j <= i, and j is not too far back.",
        "The last `window` words of place i are i - window + 1 to i.",
    ),
    solution=my_window_mask,
    lines="""
        i, j = torch.arange(n)[:, None], torch.arange(n)

        near = j > i - window
        near = j >= i - window
        near = j > i - window + 1

        return (j <= i) & near
        return ~((j <= i) & near)
        return j <= i
    """,
)
