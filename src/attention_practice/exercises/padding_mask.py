"""Exercise: the padding mask."""

import torch

from attention_practice._exercise import Case, Exercise, planted
from attention_practice._inputs import WORDS


def my_padding_mask(lengths, n):
    return torch.arange(n) < lengths[:, None, None, None]


EXERCISE = Exercise(
    title="The padding mask",
    task=(
        "A boolean mask (batch, 1, 1, n): True at the words of each sentence, False at the padding "
        "after them. lengths is (batch,)."
    ),
    page="steps/padding-masks/",
    differentiable=False,
    cases=(
        Case("sentences of six and two words", (torch.tensor([6, 2]), 6), (), WORDS),
        Case("lengths 1, 4 and 3 of 4", (torch.tensor([1, 4, 3]), 4)),
        Case("padding after every sentence", (torch.tensor([2, 3]), 5)),
    ),
    mistakes=planted("""
        True hides `torch` -> `~(torch`, `None]` -> `None])`
        rows hidden `(n)` -> `(n)[:, None]`
        float `return torch` -> `return (torch`, `None]` -> `None]).float()`
        one more `lengths[` -> `(lengths + 1)[`
        left `<` -> `>= n -`
        Read: guides/mask-conventions/#which-shapes-it-takes
        axes missing `, None, None, None` -> `, None`: Your mask is (batch, n). With two axes of
            size 1 between, (batch, 1, 1, n), it fits scores of (batch, num_heads, n, n).
    """),
    hints=(
        "Key j is a word if j < length.",
        "Lengths as (batch, 1, 1, 1), compared with `torch.arange(n)`, give (batch, 1, 1, n).",
    ),
    solution=my_padding_mask,
    lines="""
        place = torch.arange(n)

        mask = place < lengths[:, None]
        mask = place <= lengths[:, None]
        mask = place >= lengths[:, None]

        return mask[:, None, None, :]
        return mask[:, None, :, None]
        return mask
    """,
)
