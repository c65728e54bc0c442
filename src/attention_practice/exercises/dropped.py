"""Exercise: dropout."""

from torch import Tensor

from attention_practice._exercise import Case, Exercise, MistakeNames, known
from attention_practice._inputs import SCORES, SENTENCE, WORDS, numbers


def attempt(mistakes: MistakeNames, weights: Tensor, keep: Tensor, p: float) -> Tensor:
    keep = ~keep if "inverted" in mistakes else keep
    if "before the softmax" in mistakes:
        return weights.log().masked_fill(~keep, 0.0).softmax(-1)
    if "shared again" in mistakes:
        kept = weights * keep
        return kept / kept.sum(-1, keepdim=True)
    factor = p if "by p" in mistakes else 1.0 if "not divided" in mistakes else 1 - p
    kept = weights * factor if "times" in mistakes else weights / factor
    return kept if "kept all" in mistakes else kept * keep


def my_dropped(weights, keep, p):
    return weights * keep / (1 - p)


EXERCISE = Exercise(
    part=3,
    task=(
        "Weights after dropout with probability p: where keep is False a weight becomes 0, and the "
        "kept ones grow so that the expected sum stays the same."
    ),
    page="steps/dropout/",
    attempt=attempt,
    cases=(
        Case(SENTENCE, (SCORES.softmax(-1), numbers(6, 6) > -0.7, 0.25), WORDS, WORDS),
        Case("p = 0.6", (numbers(2, 4).softmax(-1), numbers(2, 4, start=3) > 0.2, 0.6)),
    ),
    mistakes=known("""
        Read: steps/dropout/#why-divide-by-1-p
        not divided: The kept weights are as before, so the sum has become smaller. Divide them by 1
            - p.
        by p: The kept weights are divided by p, the chance to be dropped. Divide by the chance to
            be kept, 1 - p.
        times: The kept weights have become smaller: they are multiplied by 1 - p. Divide.
        shared again: Each row adds up to 1 again: it is divided by its own sum. Dropout divides by
            1 - p, however many weights are left.
        Read: steps/dropout/#keep-or-drop
        inverted: The weights that should be kept are dropped, and the others are kept.
        kept all: All weights are kept: `keep` is not used.
        Read: steps/dropout/#dropout-before-the-softmax
        before the softmax: Dropped keys still have a share: their scores became 0 before the
            softmax, and exp(0) is 1. Drop weights, not scores.
    """),
    hints=(
        "A weight times False is 0.",
        "Of ten weights 10 (1 - p) are kept on average. By which factor must each grow?",
    ),
    solution=my_dropped,
)
