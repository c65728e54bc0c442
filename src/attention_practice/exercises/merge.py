"""Exercise: merge two parts."""

import math

import torch

from attention_practice._exercise import Case, Exercise, planted
from attention_practice._inputs import COLUMNS, INPUTS, WORDS, numbers
from attention_steps.tiles import attention_with_lse

TWO_PARTS = (
    *attention_with_lse(INPUTS, INPUTS[:2], INPUTS[:2], scale=1.0),
    *attention_with_lse(INPUTS, INPUTS[2:], INPUTS[2:], scale=1.0),
)
FAR_APART = (
    numbers(3, 2),
    torch.tensor([0.0, 200.0, -150.0]),
    numbers(3, 2, start=1),
    torch.tensor([100.0, 201.0, -300.0]),
)
EMPTY_PART = (
    numbers(2, 2),
    torch.tensor([0.3, 0.1]),
    torch.zeros(2, 2),
    torch.full((2,), -math.inf),
)


def my_merge(context_1, lse_1, context_2, lse_2):
    lse = torch.logaddexp(lse_1, lse_2)
    share_1, share_2 = ((part - lse).exp()[..., None] for part in (lse_1, lse_2))
    return share_1 * context_1 + share_2 * context_2, lse


EXERCISE = Exercise(
    title="Merge two parts",
    task=(
        "Merge attention to some keys with attention to the other keys. Return the context and its "
        "log-sum-exp: contexts are (L, Ev), log-sum-exps (L,)."
    ),
    page="steps/softmax-in-parts/",
    results=("context", "lse"),
    cases=(
        Case("“the duck” and “likes the muddy bank”", TWO_PARTS, WORDS, COLUMNS),
        Case("log-sum-exps of 100 and more", FAR_APART),
        Case("a part in which all is hidden", EMPTY_PART),
    ),
    mistakes=planted("""
        Read: steps/softmax-in-parts/#the-contexts-are-averaged
        averaged `share_1 * context_1 + share_2 * context_2` -> `(context_1 + context_2) / 2`: The
            two contexts are averaged, so a part with a small sum counts as much as one with a large
            sum.
        Read: steps/softmax-in-parts/#two-volumes
        plain shares `(part - lse).exp()` -> `(part / (lse_1 + lse_2))`: The parts are weighted by
            their log-sum-exp. Weight them by its exponential.
        added `share_1 * context_1 + share_2 * context_2` -> `context_1 + context_2`: The two
            contexts are added. Each has a share, and the shares add up to 1.
        not divided `(part - lse)` -> `part`: The contexts are weighted by the exponentials, and not
            divided by their sum.
        Read: steps/softmax-in-parts/#the-largest-may-still-come
        no maximum `torch.logaddexp(lse_1, lse_2)` -> `(lse_1.exp() + lse_2.exp()).log()`, `(part -
            lse).exp()` -> `(part.exp() / (lse_1.exp() + lse_2.exp()))`: Your numbers are NaN or
            infinite where a log-sum-exp is large, because exp(100) is more than a float32 can hold.
            torch.logaddexp subtracts the larger one first.
        Read: steps/softmax-in-parts/#the-formula
        lse added `* context_2, lse` -> `* context_2, lse_1 + lse_2`: The log-sum-exps are added.
            Add the sums of which they are the logarithms.
        larger lse `* context_2, lse` -> `* context_2, torch.maximum(lse_1, lse_2)`: Only the larger
            log-sum-exp is returned. Both parts count.
        mean lse `* context_2, lse` -> `* context_2, (lse_1 + lse_2) / 2`: The log-sum-exps are
            averaged. Add the sums of which they are the logarithms.
        maximum not added `* context_2, lse` -> `* context_2, lse - torch.maximum(lse_1, lse_2)`:
            The maximum that was subtracted is not added to the logarithm again.
    """),
    hints=(
        "A part counts by its share of the whole sum, exp(lse_1 - lse).",
        "`torch.logaddexp(lse_1, lse_2)` is the log-sum-exp of both.",
        "A share belongs to a row: `[..., None]`.",
    ),
    solution=my_merge,
    lines="""
        lse = torch.logaddexp(lse_1, lse_2)

        share_1, share_2 = (lse_1 - lse).exp(), (lse_2 - lse).exp()
        share_1, share_2 = (lse_2 - lse).exp(), (lse_1 - lse).exp()
        share_1, share_2 = lse_1 / (lse_1 + lse_2), lse_2 / (lse_1 + lse_2)
        share_1, share_2 = torch.full_like(lse, 0.5), torch.full_like(lse, 0.5)

        context = share_1[..., None] * context_1 + share_2[..., None] * context_2

        return context, lse
        return context, lse_1 + lse_2
        return context, torch.maximum(lse_1, lse_2)
    """,
)
