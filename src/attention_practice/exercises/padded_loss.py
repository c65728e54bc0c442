"""Exercise: the loss."""

import torch
import torch.nn.functional as F
from torch import Tensor

from attention_practice._exercise import Case, Exercise, MistakeNames, known, those_of
from attention_practice._inputs import numbers
from attention_practice.exercises.next_word_loss import EXERCISE as NEXT_WORD_LOSS


def attempt(mistakes: MistakeNames, logits: Tensor, tokens: Tensor, pad: int) -> Tensor:
    guess, read, word = logits[:, :-1], tokens[:, :-1], tokens[:, 1:]
    if "shifted back" in mistakes:
        guess, read, word = logits[:, 1:], word, read
    if "no shift" in mistakes:
        guess, read, word = logits, tokens, tokens
    counted = (read if "mask of what is read" in mistakes else word) != pad
    counted = torch.ones_like(counted) if "pads are words" in mistakes else counted
    counted = ~counted if "pads alone" in mistakes else counted
    guess = guess.softmax(-1) if "softmax first" in mistakes else guess
    losses = F.cross_entropy(guess.mT, word, reduction="none") * counted
    if "sum" in mistakes:
        return losses.sum()
    if "divided by the words" in mistakes:
        return losses.sum() / (tokens != pad).sum()
    if "divided by all" in mistakes:
        return losses.sum() / tokens.numel()
    if "mean of means" in mistakes:
        return (losses.sum(1) / counted.sum(1)).mean()
    return losses.mean() if "pads counted" in mistakes else losses.sum() / counted.sum()


def my_padded_loss(logits, tokens, pad):
    guesses, words = logits[:, :-1].flatten(0, 1), tokens[:, 1:].flatten()
    return F.cross_entropy(guesses, words, ignore_index=pad)


EXERCISE = Exercise(
    part=5,
    task=(
        "The mean loss of a guess: how surprised is the model by each next word? Short stories are "
        "filled up with the token `pad`, which is never guessed: (batch, L, vocabulary), (batch, "
        "L) -> one number."
    ),
    page="steps/guess-the-next-word/",
    attempt=attempt,
    cases=(
        Case(
            "stories of five and three words",
            (numbers(2, 5, 6), torch.tensor([[1, 3, 2, 5, 4], [2, 1, 4, 0, 0]]), 0),
        ),
        Case(
            "three stories, pad 3",
            (
                numbers(3, 4, 4, start=1),
                torch.tensor([[2, 0, 3, 3], [1, 1, 0, 2], [0, 2, 1, 3]]),
                3,
            ),
        ),
        # Here the words are fewer than the places that guess.
        Case(
            "stories of two and three words, logits of 100 and more",
            (200 * numbers(2, 4, 4, start=2), torch.tensor([[1, 2, 0, 0], [2, 1, 3, 0]]), 0),
        ),
    ),
    mistakes=those_of(NEXT_WORD_LOSS.mistakes, "softmax first, shifted back")
    + known("""
        Read: steps/guess-the-next-word/#the-targets-are-not-shifted
        no shift: Position i guesses word i, which it has read: the model learns to copy. Position i
            guesses word i + 1.
        Read: steps/guess-the-next-word/#pads-are-counted
        pads counted: Your loss is too small: a pad adds 0 to the sum, and is counted in the mean.
            Divide by the number of words that are guessed.
        pads are words: Pads are guessed like words. A guess counts only where the next token is no
            pad: `ignore_index=pad`.
        pads alone: Only guesses of pads are counted: True and False have changed places.
        mask of what is read: The pad after each last word is guessed: you ask whether the token
            that is read is a pad. Ask about the token that is guessed.
        divided by the words: The sum is divided by the number of words. The first word of a story
            is not guessed: divide by the number of guesses.
        divided by all: The sum is divided by the number of all tokens, with the pads and the first
            words. Divide by the number of guesses.
        Read: steps/guess-the-next-word/#the-loss
        mean of means: Each story has a mean of its own, so a guess in a short story counts more.
            Take one mean over all guesses.
        Read: steps/guess-the-next-word/
        sum: The losses are added up. Their mean is asked for.
    """),
    hints=(
        "All words but the last are read, and all but the first are guessed.",
        "F.cross_entropy(..., ignore_index=pad) leaves pads out of the sum and of the mean.",
    ),
    solution=my_padded_loss,
)
