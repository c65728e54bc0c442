"""Exercise: the loss."""

import torch
import torch.nn.functional as F

from attention_practice._exercise import Case, Exercise, planted, those_of
from attention_practice._inputs import numbers
from attention_practice.exercises.next_word_loss import EXERCISE as NEXT_WORD_LOSS


def my_padded_loss(logits, tokens, pad):
    guesses, words = logits[:, :-1].flatten(0, 1), tokens[:, 1:].flatten()
    return F.cross_entropy(guesses, words, ignore_index=pad)


EXERCISE = Exercise(
    title="The loss",
    task=(
        "The mean loss of a guess: how surprised is the model by each next word? Short stories are "
        "filled up with the token `pad`, which is never guessed: (batch, L, vocabulary), (batch, "
        "L) -> one number."
    ),
    page="reference/training/",
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
    + planted("""
        Read: guides/what-goes-wrong/#the-targets-are-not-shifted
        no shift `logits[:, :-1]` -> `logits`, `tokens[:, 1:]` -> `tokens`: Position i guesses word
            i, which it has read: the model learns to copy. Position i guesses word i + 1.
        Read: guides/what-goes-wrong/#pads-are-counted
        pads counted `=pad)` -> `=pad, reduction="sum") / words.numel()`: Your loss is too small: a
            pad adds 0 to the sum, and is counted in the mean. Divide by the number of words that
            are guessed.
        pads are words `, ignore_index=pad` -> ``: Pads are guessed like words. A guess counts only
            where the next token is no pad: `ignore_index=pad`.
        pads alone `guesses, words, ignore_index=pad` -> `guesses[words == pad], words[words ==
            pad]`: Only guesses of pads are counted: True and False have changed places.
        mask of what is read `ignore_index=pad)` -> `reduction="none")[tokens[:, :-1].flatten() !=
            pad].mean()`: The pad after each last word is guessed: you ask whether the token that is
            read is a pad. Ask about the token that is guessed.
        divided by the words `=pad)` -> `=pad, reduction="sum") / (tokens != pad).sum()`: The sum is
            divided by the number of words. The first word of a story is not guessed: divide by the
            number of guesses.
        divided by all `=pad)` -> `=pad, reduction="sum") / tokens.numel()`: The sum is divided by
            the number of all tokens, with the pads and the first words. Divide by the number of
            guesses.
        Read: steps/guess-the-next-word/#the-loss
        mean of means `F.cross_entropy(guesses, words, ignore_index=pad)` ->
            `torch.stack([F.cross_entropy(a[:-1], b[1:], ignore_index=pad) for a, b in zip(logits,
            tokens)]).mean()`: Each story has a mean of its own, so a guess in a short story counts
            more. Take one mean over all guesses.
        Read: steps/guess-the-next-word/
        sum `=pad)` -> `=pad, reduction="sum")`: The losses are added up. Their mean is asked for.
    """),
    hints=(
        "All words but the last are read, and all but the first are guessed.",
        "F.cross_entropy(..., ignore_index=pad) leaves pads out of the sum and of the mean.",
    ),
    solution=my_padded_loss,
    lines="""
        logits, tokens = logits[:, :-1], tokens[:, 1:]
        logits, tokens = logits[:, 1:], tokens[:, :-1]
        # nothing

        logits, tokens = logits.flatten(0, 1), tokens.flatten()

        return F.cross_entropy(logits, tokens, ignore_index=pad)
        return F.cross_entropy(logits, tokens, ignore_index=pad, reduction="sum")
        return F.cross_entropy(logits, tokens)
    """,
)
