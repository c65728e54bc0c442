"""Exercise: the loss of a language model."""

import torch
import torch.nn.functional as F

from attention_practice._exercise import Case, Exercise, planted
from attention_practice._inputs import numbers


def my_next_word_loss(logits, tokens):
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), tokens[:, 1:].flatten())


EXERCISE = Exercise(
    title="The loss of a language model",
    task=(
        "The mean cross-entropy of guessing each next word: (batch, L, vocabulary), (batch, L) -> "
        "one number."
    ),
    page="steps/guess-the-next-word/",
    cases=(
        Case(
            "two sentences of five words",
            (numbers(2, 5, 7), torch.tensor([[0, 3, 1, 6, 2], [4, 4, 5, 0, 1]])),
        ),
        Case("one sentence of three words", (numbers(1, 3, 4, start=1), torch.tensor([[2, 0, 3]]))),
        Case(
            "logits of 100 and more",
            (torch.tensor([[[0.0, 120.0, 125.0], [130.0, 0.0, 1.0]]]), torch.tensor([[2, 0]])),
        ),
    ),
    mistakes=planted("""
        Read: guides/what-goes-wrong/#the-model-sees-the-future
        no shift `logits[:, :-1]` -> `logits`, `tokens[:, 1:]` -> `tokens`: Position i guesses word
            i, which it has read: such a loss falls quickly, and the model learns to copy. Position
            i guesses word i + 1.
        shifted back `logits[:, :-1]` -> `logits[:, 1:]`, `tokens[:, 1:]` -> `tokens[:, :-1]`:
            Position i guesses word i - 1. Shift the other way, so that it guesses word i + 1.
        rolled `logits[:, :-1]` -> `logits`, `tokens[:, 1:]` -> `tokens.roll(-1, 1)`: The last
            position guesses the first word, because `roll` goes round. The last position has no
            next word: leave it out.
        no shift, cut `tokens[:, 1:]` -> `tokens[:, :-1]`: Both are cut at the end, so position i
            still guesses word i, which it has read. The words lose their first, and the guesses
            their last.
        Read: steps/guess-the-next-word/
        sum `.flatten())` -> `.flatten(), reduction="sum")`: The losses are added up. Take their
            mean, so that the loss does not grow with the length of the text.
        reshaped `logits[:, :-1]` -> `logits[:, :-1].reshape(len(logits), logits.shape[-1], -1).mT`:
            The logits of different words are mixed: a reshape to (batch, vocabulary, L) takes the
            numbers in order. `.transpose(1, 2)` exchanges the axes.
        no log_softmax `cross_entropy` -> `nll_loss`: The logits are used as if they were logarithms
            of probabilities. nll_loss and gather want log_softmax first; F.cross_entropy does both.
        logarithm of the mean `F.cross_entropy(logits[:, :-1].flatten(0, 1), tokens[:,
            1:].flatten())` -> `-logits[:, :-1].softmax(-1).gather(2, tokens[:, 1:,
            None]).mean().log()`: Your loss is the logarithm of the mean probability. Take the mean
            of the logarithms.
        sign `F.cross_entropy` -> `-F.cross_entropy`: Your loss is below 0: it is the mean logarithm
            of the probabilities, and the minus is missing.
        not flattened `.flatten(0, 1)` -> ``, `.flatten()` -> ``: F.cross_entropy expects the words
            of the vocabulary on axis 1. Make one long list of guesses, `.flatten(0, 1)`, and one of
            words, or exchange two axes with `.mT`.
        one for each `.flatten())` -> `.flatten(), reduction="none")`: There is a loss for each
            guess. Take their mean.
        one for each text `.flatten())` -> `.flatten(), reduction="sum") / len(tokens)`: The losses
            of a text are added up, and only then averaged. Take the mean over all guesses.
        divided by all `.flatten())` -> `.flatten(), reduction="sum") / tokens.numel()`: The sum is
            divided by the number of words. The first word of a text is not guessed: divide by the
            number of guesses.
        last word `logits[:, :-1]` -> `logits[:, -2:-1]`, `tokens[:, 1:]` -> `tokens[:, -1:]`: Only
            the last word of each text is guessed. Every position guesses the next word.
        perplexity `.flatten())` -> `.flatten()).exp()`: That is the exponential of the loss, the
            perplexity. The loss itself is asked for.
        Read: notebooks/002_softmax_once/
        softmax first `.flatten(0, 1)` -> `.flatten(0, 1).softmax(-1)`: The softmax runs twice:
            F.cross_entropy takes logits and has a softmax of its own.
        Read: guides/what-goes-wrong/#rows-do-not-add-up-to-one
        over the places `F.cross_entropy(logits[:, :-1].flatten(0, 1), tokens[:, 1:].flatten())` ->
            `-logits[:, :-1].log_softmax(1).gather(2, tokens[:, 1:, None]).mean()`: The softmax runs
            over the positions. Shares are those of the words of the vocabulary, the last axis.
    """),
    hints=(
        "The guess at position i is compared with the word at i + 1. The last position has no next "
        "word.",
        "`logits[:, :-1]` with `tokens[:, 1:]`; cross_entropy takes (N, vocabulary) and (N,).",
    ),
    solution=my_next_word_loss,
    lines="""
        logits, tokens = logits[:, :-1], tokens[:, 1:]
        logits, tokens = logits[:, 1:], tokens[:, :-1]
        # nothing

        logits, tokens = logits.flatten(0, 1), tokens.flatten()
        logits = logits.mT

        return F.cross_entropy(logits, tokens)
        return F.cross_entropy(logits, tokens, reduction="sum")
        return F.cross_entropy(logits.softmax(dim=-1), tokens)
        return F.nll_loss(logits, tokens)
    """,
)
