"""Exercise: the norm."""

import torch

from attention_practice._exercise import Case, Exercise, planted
from attention_practice._inputs import (
    BATCH,
    COLUMNS,
    INPUTS,
    SENTENCE,
    TWO_SENTENCES,
    WORDS,
    numbers,
)


def my_rms_norm(x, weight, eps):
    size = (x.pow(2).mean(dim=-1, keepdim=True) + eps).sqrt()
    return x / size * weight


EXERCISE = Exercise(
    title="The norm",
    task=(
        "The RMS norm: divide each word by the root of the mean of its squared components, to "
        "which eps is added, then multiply by weight: (..., L, E), (E,) -> (..., L, E)."
    ),
    page="reference/layers/",
    cases=(
        Case(SENTENCE, (INPUTS, torch.tensor([1.0, 2.0, 0.5, 1.5]), 0.1), WORDS, COLUMNS),
        Case("three words of five components", (numbers(3, 5), numbers(5, start=1), 1e-6)),
        Case(BATCH, (TWO_SENTENCES, torch.ones(4), 0.5)),
    ),
    mistakes=planted("""
        Read: reference/layers/#the-norm
        no root `.sqrt()` -> ``: Each word is divided by its mean square. The root is missing.
        sum `.mean(` -> `.sum(`: Your words are too short: the squares are added up. Take their
            mean.
        layer norm `x.pow` -> `(x := x - x.mean(-1, keepdim=True)).pow`: The mean of the components
            is taken away first: that is layer normalisation. The RMS norm only divides.
        words `dim=-1` -> `dim=-2`: The mean runs over the words. Each word has a mean of its own,
            over its components: dim=-1.
        dim=0 `dim=-1` -> `dim=0`: The mean runs over the words, and in a batch over the sentences.
            Each word has a mean of its own: dim=-1.
        all at once `.mean(dim=-1, keepdim=True)` -> `.mean()`: There is one mean for all words.
            Each word has its own: dim=-1.
        eps outside ` + eps).sqrt()` -> `).sqrt() + eps`: eps is added to the root. Add it under the
            root, to the mean of the squares.
        no weight ` * weight` -> ``: `weight` is not used.
        deviation `(x.pow(2).mean(dim=-1, keepdim=True) + eps).sqrt()` -> `x.std(dim=-1,
            keepdim=True) + eps`: Each word is divided by its standard deviation, which measures
            from the mean. The RMS measures from 0.
        mean size `(x.pow(2).mean(dim=-1, keepdim=True) + eps).sqrt()` -> `x.abs().mean(dim=-1,
            keepdim=True) + eps`: Each word is divided by the mean of its sizes. Square first, and
            take the root of the mean.
        times `x / size` -> `x * size`: Each word is multiplied by the root. Divide.
        one more `* weight` -> `* (weight + 1)`: The weight is 1 too large. Some models store it so;
            here it is taken as it is.
    """),
    hints=(
        "`x.pow(2).mean(dim=-1, keepdim=True)` is the mean square of each word.",
        "Add eps, take the root, divide, multiply by weight.",
    ),
    solution=my_rms_norm,
)
