"""Exercise: keep a guess of the draft, or draw anew."""

import torch

from attention_practice._exercise import Case, Exercise, planted
from attention_practice._inputs import numbers


def my_guessed(p, q):
    kept = (p / q).clamp(max=1)
    more = (p - q).clamp(min=0)
    return kept, more / more.sum(dim=-1, keepdim=True)


EXERCISE = Exercise(
    title="Guesses that are kept",
    task=(
        "For each word, the probability that a guess of the draft is kept, and the shares from "
        "which the word is drawn after a refusal, so that in the end each word is as frequent as "
        "the model says. p are the shares of the model and q those of the draft, (..., V), none of "
        "them 0. Return two tensors (..., V)."
    ),
    page="steps/guess-ahead/",
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
    mistakes=planted("""
        Read: steps/guess-ahead/#drawing
        other way `p / q` -> `q / p`: The two shares have changed places: a word that the draft
            guesses too often is kept always. Keep it with p / q.
        above 1 `.clamp(max=1)` -> ``: A probability is above 1: where the model's share is the
            larger one, the guess is always kept, with probability 1.
        model's share `(p / q).clamp(max=1)` -> `p`: A guess is kept with the model's share, which
            refuses too much: the draft guesses the word only in q of all cases.
        never `(p / q).clamp(max=1)` -> `(p >= q).to(p)`: A word that the draft guesses too often is
            never kept. Keep it with p / q.
        draft's more `p - q` -> `q - p`: After a refusal the word is drawn from what the draft has
            too much. Take what the model has more.
        size `.clamp(min=0)` -> `.abs()`: The differences count in both directions. Only what the
            model has more is left to draw.
        Read: steps/guess-ahead/#the-formula
        how often `(p / q).clamp(max=1)` -> `torch.minimum(p, q)`: That is how often a word is
            guessed and kept. The draft has guessed it already: the guess is kept with min(1, p /
            q).
        not shared ` / more.sum(dim=-1, keepdim=True)` -> ``: The shares after a refusal do not add
            up to 1: divide by their sum.
        softmax `more / more.sum(dim=-1, keepdim=True)` -> `more.softmax(-1)`: A softmax makes
            shares of the differences. Divide them by their sum: they are shares already.
        Read: steps/guess-ahead/#refused-then-drawn-from-all-shares
        all shares `(p - q).clamp(min=0)` -> `p`: After a refusal the word is drawn from the model's
            full shares, so words whose guesses were kept come too often.
    """),
    hints=(
        "Where q is larger than p, the word is guessed too often: it is kept with p / q.",
        "After a refusal, draw from max(p - q, 0), divided by its sum.",
    ),
    solution=my_guessed,
    lines="""
        kept = (p / q).clamp(max=1)
        kept = p / q
        kept = torch.minimum(p, q)
        kept = (q / p).clamp(max=1)

        more = (p - q).clamp(min=0)
        more = p
        more = (p - q).abs()

        return kept, more / more.sum(dim=-1, keepdim=True)
        return kept, more
    """,
)
