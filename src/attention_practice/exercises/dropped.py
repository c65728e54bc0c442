"""Exercise: dropout."""

from attention_practice._exercise import Case, Exercise, planted
from attention_practice._inputs import SCORES, SENTENCE, WORDS, numbers


def my_dropped(weights, keep, p):
    return weights * keep / (1 - p)


EXERCISE = Exercise(
    title="Dropout",
    task=(
        "Weights after dropout with probability p: where keep is False a weight becomes 0, and the "
        "kept ones grow so that the expected sum stays the same."
    ),
    page="reference/layers/",
    cases=(
        Case(SENTENCE, (SCORES.softmax(-1), numbers(6, 6) > -0.7, 0.25), WORDS, WORDS),
        Case("p = 0.6", (numbers(2, 4).softmax(-1), numbers(2, 4, start=3) > 0.2, 0.6)),
    ),
    mistakes=planted("""
        Read: reference/layers/#dropout
        not divided ` / (1 - p)` -> ``: The kept weights are as before, so the sum has become
            smaller. Divide them by 1 - p.
        by p `(1 - p)` -> `p`: The kept weights are divided by p, the chance to be dropped. Divide
            by the chance to be kept, 1 - p.
        times `/` -> `*`: The kept weights have become smaller: they are multiplied by 1 - p.
            Divide.
        shared again `weights * keep / (1 - p)` -> `(kept := weights * keep) / kept.sum(-1,
            keepdim=True)`: Each row adds up to 1 again: it is divided by its own sum. Dropout
            divides by 1 - p, however many weights are left.
        inverted `* keep` -> `* ~keep`: The weights that should be kept are dropped, and the others
            are kept.
        kept all ` * keep` -> ``: All weights are kept: `keep` is not used.
        Read: guides/what-goes-wrong/#dropout-before-the-softmax
        before the softmax `weights * keep / (1 - p)` -> `weights.log().masked_fill(~keep,
            0.0).softmax(-1)`: Dropped keys still have a share: their scores became 0 before the
            softmax, and exp(0) is 1. Drop weights, not scores.
    """),
    hints=(
        "A weight times False is 0.",
        "Of ten weights 10 (1 - p) are kept on average. By which factor must each grow?",
    ),
    solution=my_dropped,
    lines="""
        kept = weights * keep
        kept = weights * ~keep
        kept = weights

        return kept / (1 - p)
        return kept / p
        return kept * (1 - p)
        return kept / kept.sum(dim=-1, keepdim=True)
        return kept
    """,
)
