"""Exercise: the causal mask."""

import torch

from attention_practice._exercise import Case, Exercise, planted
from attention_practice._inputs import SENTENCE, WORDS


def my_causal_mask(n):
    place = torch.arange(n)
    return place <= place[:, None]


EXERCISE = Exercise(
    title="The causal mask",
    task="A boolean mask (n, n): True where the key is the query's own word or an earlier one.",
    page="steps/causal-masks/",
    differentiable=False,
    cases=(Case(SENTENCE, (6,), WORDS, WORDS), Case("one word", (1,)), Case("three words", (3,))),
    mistakes=planted("""
        True hides `<=` -> `>`
        other triangle `<=` -> `>=`
        own key hidden `<=` -> `<`
        one ahead `place <=` -> `place - 1 <=`
        float `place <= place[:, None]` -> `(place <= place[:, None]).float()`
        Read: steps/causal-masks/#the-formula
        all `place <= place[:, None]` -> `torch.ones(n, n, dtype=torch.bool)`: Every word attends to
            every word: nothing is hidden.
        itself `<=` -> `==`: Each word attends to itself alone. Earlier words are allowed as well.
        Read: guides/mask-conventions/#translate-a-mask
        additive `place <= place[:, None]` -> `torch.zeros(n, n).masked_fill(place > place[:, None],
            -math.inf)`: Your mask is a float mask of 0 and -inf, to be added to the scores. Such a
            mask works, too, but a boolean mask is asked for.
    """),
    hints=(
        "Query i may attend to key j if j <= i.",
        "Compare `torch.arange(n)` as a row with the same as a column, `[:, None]`.",
        "Or keep the lower triangle of a table of True with `.tril()`.",
    ),
    solution=my_causal_mask,
    lines="""
        place = torch.arange(n)

        mask = place <= place[:, None]
        mask = place < place[:, None]
        mask = place >= place[:, None]
        mask = place <= place[:, None] + 1

        return mask
        return ~mask
        return mask.float()
    """,
)
