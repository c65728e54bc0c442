"""Exercise: padding and later words."""

import torch

from attention_practice._exercise import Case, Exercise, planted
from attention_practice._inputs import WORDS


def my_padded_causal(lengths, n):
    place = torch.arange(n)
    return (place < lengths[:, None, None, None]) & (place <= place[:, None])


EXERCISE = Exercise(
    title="Padding and later words",
    task=(
        "A boolean mask (batch, 1, n, n): a word attends to itself and to words before it, and no "
        "query attends to padding."
    ),
    page="steps/padding-masks/",
    differentiable=False,
    cases=(
        Case("sentences of six and two words", (torch.tensor([6, 2]), 6), WORDS, WORDS),
        Case("lengths 1, 4 and 3 of 4", (torch.tensor([1, 4, 3]), 4)),
        Case("padding after every sentence", (torch.tensor([2, 3]), 5)),
    ),
    mistakes=planted("""
        True hides `(place < ` -> `~((place < `, ` place[:, None])` -> ` place[:, None]))`
        rows hidden `(place < ` -> `(place[:, None] < `
        other triangle `<=` -> `>=`
        own key hidden `<=` -> `<`
        one more `lengths[` -> `(lengths + 1)[`
        left `(place < ` -> `(place >= n - `
        float `return (place` -> `return ((place`, `place[:, None])` -> `place[:, None])).float()`
        Read: steps/padding-masks/#the-formula
        or `&` -> `|`: A key is allowed if either mask allows it. Both must: `&`.
        causal alone `(place < lengths[:, None, None, None])` -> `torch.ones(len(lengths), 1, 1, n,
            dtype=torch.bool)`: Later words are hidden, and the padding is not: `lengths` is not
            used.
        Read: steps/causal-masks/#the-formula
        no causal `(place <= place[:, None])` -> `torch.ones(n, n, dtype=torch.bool)`: The padding
            is hidden, and the words that come later are not.
    """),
    hints=(
        "Two masks, and both must allow: `&`.",
        "The mask of the lengths is (batch, 1, 1, n), the causal one (n, n).",
    ),
    solution=my_padded_causal,
    lines="""
        place = torch.arange(n)

        real = (place < lengths[:, None])[:, None, None, :]
        real = (place <= lengths[:, None])[:, None, None, :]
        real = (place < lengths[:, None])[:, None, :, None]

        causal = place <= place[:, None]

        return real & causal
        return real | causal
        return ~(real & causal)
    """,
)
