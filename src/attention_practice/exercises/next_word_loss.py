"""Exercise: the loss of a language model."""

import torch
import torch.nn.functional as F
from torch import Tensor

from attention_practice._exercise import Case, Exercise, MistakeNames, known
from attention_practice._inputs import numbers


def attempt(mistakes: MistakeNames, logits: Tensor, tokens: Tensor) -> Tensor:
    if "no shift" in mistakes:
        guess, word = logits, tokens
    elif "no shift, cut" in mistakes:
        guess, word = logits[:, :-1], tokens[:, :-1]
    elif "last word" in mistakes:
        guess, word = logits[:, -2:-1], tokens[:, -1:]
    elif "shifted back" in mistakes:
        guess, word = logits[:, 1:], tokens[:, :-1]
    elif "rolled" in mistakes:
        guess, word = logits, tokens.roll(-1, 1)
    else:
        guess, word = logits[:, :-1], tokens[:, 1:]
    if "reshaped" in mistakes:
        guess = guess.reshape(len(guess), guess.shape[-1], -1).mT
    if "over the places" in mistakes:
        return -guess.log_softmax(1).gather(-1, word[..., None]).mean()
    if "not flattened" in mistakes:
        return F.cross_entropy(guess, word)
    guess, word = guess.flatten(0, 1), word.flatten()
    if "no log_softmax" in mistakes:
        return F.nll_loss(guess, word)
    guess = guess.softmax(-1) if "softmax first" in mistakes else guess
    if "logarithm of the mean" in mistakes:
        return -guess.softmax(-1).gather(1, word[:, None]).mean().log()
    each = F.cross_entropy(guess, word, reduction="none")
    each = -each if "sign" in mistakes else each
    if "perplexity" in mistakes:
        return each.mean().exp()
    if "one for each" in mistakes:
        return each
    if "one for each text" in mistakes:
        return each.sum() / len(tokens)
    if "divided by all" in mistakes:
        return each.sum() / tokens.numel()
    return each.sum() if "sum" in mistakes else each.mean()


def my_next_word_loss(logits, tokens):
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), tokens[:, 1:].flatten())


EXERCISE = Exercise(
    part=2,
    task=(
        "The mean cross-entropy of guessing each next word: (batch, L, vocabulary), (batch, L) -> "
        "one number."
    ),
    page="steps/guess-the-next-word/",
    attempt=attempt,
    cases=(
        Case(
            "two sentences of five words",
            (numbers(2, 5, 7), torch.tensor([[0, 3, 1, 6, 2], [4, 4, 5, 0, 1]])),
        ),
        Case(
            "one sentence of three words",
            (numbers(1, 3, 4, start=1), torch.tensor([[2, 0, 3]])),
        ),
        Case(
            "logits of 100 and more",
            (torch.tensor([[[0.0, 120.0, 125.0], [130.0, 0.0, 1.0]]]), torch.tensor([[2, 0]])),
        ),
    ),
    mistakes=known("""
        Read: guides/what-goes-wrong/#the-model-sees-the-future
        no shift: Position i guesses word i, which it has read: such a loss falls quickly, and the
            model learns to copy. Position i guesses word i + 1.
        shifted back: Position i guesses word i - 1. Shift the other way, so that it guesses word i
            + 1.
        rolled: The last position guesses the first word, because `roll` goes round. The last
            position has no next word: leave it out.
        no shift, cut: Both are cut at the end, so position i still guesses word i, which it has
            read. The words lose their first, and the guesses their last.
        Read: steps/guess-the-next-word/
        sum: The losses are added up. Take their mean, so that the loss does not grow with the
            length of the text.
        reshaped: The logits of different words are mixed: a reshape to (batch, vocabulary, L) takes
            the numbers in order. `.transpose(1, 2)` exchanges the axes.
        no log_softmax: The logits are used as if they were logarithms of probabilities. nll_loss
            and gather want log_softmax first; F.cross_entropy does both.
        logarithm of the mean: Your loss is the logarithm of the mean probability. Take the mean of
            the logarithms.
        sign: Your loss is below 0: it is the mean logarithm of the probabilities, and the minus is
            missing.
        not flattened: F.cross_entropy expects the words of the vocabulary on axis 1. Make one long
            list of guesses, `.flatten(0, 1)`, and one of words, or exchange two axes with `.mT`.
        one for each: There is a loss for each guess. Take their mean.
        one for each text: The losses of a text are added up, and only then averaged. Take the mean
            over all guesses.
        divided by all: The sum is divided by the number of words. The first word of a text is not
            guessed: divide by the number of guesses.
        last word: Only the last word of each text is guessed. Every position guesses the next word.
        perplexity: That is the exponential of the loss, the perplexity. The loss itself is asked
            for.
        Read: notebooks/002_softmax_once/
        softmax first: The softmax runs twice: F.cross_entropy takes logits and has a softmax of its
            own.
        Read: steps/weights/#softmax-along-the-wrong-axis
        over the places: The softmax runs over the positions. Shares are those of the words of the
            vocabulary, the last axis.
    """),
    hints=(
        "The guess at position i is compared with the word at i + 1. The last position has no next "
        "word.",
        "`logits[:, :-1]` with `tokens[:, 1:]`; cross_entropy takes (N, vocabulary) and (N,).",
    ),
    solution=my_next_word_loss,
)
