"""Exercise: keep a guess of the draft, or draw anew."""

import torch
from torch import Tensor

from attention_practice._exercise import Case, Exercise, MistakeNames, known
from attention_practice._inputs import numbers


def attempt(mistakes: MistakeNames, p: Tensor, q: Tensor) -> tuple[Tensor, Tensor]:
    kept = torch.minimum(p / q, torch.ones(()).to(p))
    if "other way" in mistakes:
        kept = torch.minimum(q / p, torch.ones(()).to(p))
    kept = p / q if "above 1" in mistakes else kept
    kept = torch.minimum(p, q) if "how often" in mistakes else kept
    kept = p if "model's share" in mistakes else kept
    kept = (p >= q).to(p) if "never" in mistakes else kept
    more = (p - q).clamp(min=0)
    more = (q - p).clamp(min=0) if "draft's more" in mistakes else more
    more = (p - q).abs() if "size" in mistakes else more
    more = p if "all shares" in mistakes else more
    if "softmax" in mistakes:
        return kept, more.softmax(-1)
    return kept, more if "not shared" in mistakes else more / more.sum(-1, keepdim=True)


def my_guessed(p, q):
    kept = (p / q).clamp(max=1)
    more = (p - q).clamp(min=0)
    return kept, more / more.sum(dim=-1, keepdim=True)


EXERCISE = Exercise(
    part=6,
    task=(
        "For each word, the probability that a guess of the draft is kept, and the shares from "
        "which the word is drawn after a refusal, so that in the end each word is as frequent as "
        "the model says. p are the shares of the model and q those of the draft, (..., V), none of "
        "them 0. Return two tensors (..., V)."
    ),
    page="steps/guess-ahead/",
    attempt=attempt,
    results=("kept", "after a refusal"),
    differentiable=False,
    cases=(
        Case(
            "bank, duck, fish and queens",
            (torch.tensor([0.4, 0.45, 0.1, 0.05]), torch.tensor([0.5, 0.1, 0.2, 0.2])),
            (),
            ("bank", "duck", "fish", "queens"),
        ),
        Case("a batch of two", (numbers(2, 5).softmax(-1), numbers(2, 5, start=1).softmax(-1))),
        Case("a vocabulary of three", (numbers(3).softmax(-1), numbers(3, start=4).softmax(-1))),
    ),
    mistakes=known("""
        Read: steps/guess-ahead/#drawing
        other way: The two shares have changed places: a word that the draft guesses too often is
            kept always. Keep it with p / q.
        above 1: A probability is above 1: where the model's share is the larger one, the guess is
            always kept, with probability 1.
        model's share: A guess is kept with the model's share, which refuses too much: the draft
            guesses the word only in q of all cases.
        never: A word that the draft guesses too often is never kept. Keep it with p / q.
        draft's more: After a refusal the word is drawn from what the draft has too much. Take what
            the model has more.
        size: The differences count in both directions. Only what the model has more is left to
            draw.
        Read: steps/guess-ahead/#the-formula
        how often: That is how often a word is guessed and kept. The draft has guessed it already:
            the guess is kept with min(1, p / q).
        not shared: The shares after a refusal do not add up to 1: divide by their sum.
        softmax: A softmax makes shares of the differences. Divide them by their sum: they are
            shares already.
        Read: steps/guess-ahead/#refused-then-drawn-from-all-shares
        all shares: After a refusal the word is drawn from the model's full shares, so words whose
            guesses were kept come too often.
    """),
    hints=(
        "Where q is larger than p, the word is guessed too often: it is kept with p / q.",
        "After a refusal, draw from max(p - q, 0), divided by its sum.",
    ),
    solution=my_guessed,
)
