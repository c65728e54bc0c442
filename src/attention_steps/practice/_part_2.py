"""Part 2, attention that learns: project, attention, one head, the loss that trains it."""

import math

import torch
import torch.nn.functional as F
from torch import Tensor

from attention_steps.practice._exercise import Case, Exercise, Mistake, Wrong
from attention_steps.practice._inputs import (
    BATCH,
    COLUMNS,
    INPUTS,
    SENTENCE,
    TWO_SENTENCES,
    UNEVEN,
    WORDS,
    numbers,
)

STEP_5 = "steps/05-queries-keys-and-values/"
STEP_6 = "steps/06-why-divide-by-the-square-root/"
STEP_7 = "steps/07-self-attention-as-a-layer/"
TRAINED = "steps/a-head-that-was-trained/"
AXIS = "steps/03-weights/#softmax-along-the-wrong-axis"
NARROW = tuple(numbers(3, 4, start=start) for start in (1, 2, 3))
SQUARE = tuple(numbers(4, 4, start=start) for start in (4, 5, 6))


def _project(
    wrong: Wrong, inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor
) -> tuple[Tensor, ...]:
    if "one for all" in wrong:
        W_key = W_value = W_query
    if "key is value" in wrong:
        W_value = W_key
    matrices = (W_query, W_key, W_value)
    query, key, value = (inputs @ (W if "not transposed" in wrong else W.mT) for W in matrices)
    if "key of query" in wrong:
        key = query @ (W_key if "not transposed" in wrong else W_key.mT)
    return (key, query, value) if "order" in wrong else (query, key, value)


def _attention(wrong: Wrong, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    size = query.shape[1 if "first axis" in wrong else -1]
    size = key.shape[-2] if "length" in wrong else size
    root = float(size) if "no root" in wrong else math.sqrt(size)
    root = 1.0 if "no scale" in wrong else 1 / root if "times" in wrong else root
    scores = query @ key.mT / (1.0 if "too late" in wrong else root)
    dim = 0 if "dim=0" in wrong else -2 if "columns" in wrong else -1
    weights = scores if "no softmax" in wrong else scores.softmax(dim)
    weights = weights / root if "too late" in wrong else weights
    return weights @ (key if "keys mixed" in wrong else value)


def _self_attention(
    wrong: Wrong, inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor
) -> Tensor:
    query, key, value = _project(wrong, inputs, W_query, W_key, W_value)
    value = inputs if "inputs mixed" in wrong else value
    if "model's width" in wrong:
        query = query * math.sqrt(query.shape[-1] / inputs.shape[-1])
    context = _attention(wrong, query, key, value)
    return context + inputs if "inputs added" in wrong else context


def _next_word_loss(wrong: Wrong, logits: Tensor, tokens: Tensor) -> Tensor:
    if "no shift" in wrong:
        guess, word = logits, tokens
    elif "shifted back" in wrong:
        guess, word = logits[:, 1:], tokens[:, :-1]
    elif "rolled" in wrong:
        guess, word = logits, tokens.roll(-1, 1)
    else:
        guess, word = logits[:, :-1], tokens[:, 1:]
    if "reshaped" in wrong:
        guess = guess.reshape(len(guess), guess.shape[-1], -1).mT
    guess, word = guess.flatten(0, 1), word.flatten()
    if "no log_softmax" in wrong:
        return F.nll_loss(guess, word)
    guess = guess.softmax(-1) if "softmax first" in wrong else guess
    if "logarithm of the mean" in wrong:
        return -guess.softmax(-1).gather(1, word[:, None]).mean().log()
    return F.cross_entropy(guess, word, reduction="sum" if "sum" in wrong else "mean")


EXERCISES = (
    Exercise(
        name="project",
        part=2,
        task=(
            "Make query, key and value from the inputs. The matrices are stored as nn.Linear "
            "stores them, (d_out, d_in). Return the three."
        ),
        page=STEP_5,
        attempt=_project,
        results=("query", "key", "value"),
        cases=(
            Case(SENTENCE, (INPUTS, *NARROW), WORDS),
            Case("square matrices", (INPUTS, *SQUARE), WORDS),
            Case(BATCH, (TWO_SENTENCES, *NARROW)),
        ),
        mistakes=(
            Mistake(
                "not transposed",
                "The matrices are used as they are stored, (d_out, d_in). The product needs "
                "(d_in, d_out): transpose them.",
                f"{STEP_7}#for-engineers",
            ),
            Mistake(
                "one for all",
                "Your keys and values equal your queries: all three come from W_query. Each has "
                "a matrix of its own.",
                f"{STEP_5}#the-query-is-the-key-as-well",
            ),
            Mistake(
                "key is value",
                "Your values equal your keys: both come from W_key. Each has a matrix of its own.",
                f"{STEP_5}#the-key-is-the-value-as-well",
            ),
            Mistake("order", "Query and key have changed places.", f"{STEP_5}#the-formula"),
            Mistake(
                "key of query",
                "Your keys are made from the queries. All three are made from the inputs.",
                f"{STEP_5}#by-hand",
            ),
        ),
        hints=(
            "Each of the three is the inputs times one matrix.",
            "nn.Linear keeps its matrix as (d_out, d_in) and multiplies by the transpose.",
        ),
        solution=(
            "def my_project(inputs, W_query, W_key, W_value):\n"
            "    return inputs @ W_query.mT, inputs @ W_key.mT, inputs @ W_value.mT"
        ),
    ),
    Exercise(
        name="attention",
        part=2,
        task=(
            "Scores divided by the square root of head_dim, softmax, context: "
            "(..., L, E), (..., S, E), (..., S, Ev) -> (..., L, Ev)."
        ),
        page=STEP_6,
        attempt=_attention,
        cases=(
            Case(SENTENCE, (INPUTS, INPUTS, INPUTS), WORDS, COLUMNS),
            Case("five queries and four keys of three components", UNEVEN),
            Case(BATCH, (TWO_SENTENCES, TWO_SENTENCES.flip(1), TWO_SENTENCES)),
            Case("two heads", tuple(torch.stack([x, x.flip(0)])[None] for x in UNEVEN)),
        ),
        mistakes=(
            Mistake(
                "no scale",
                "The scores are not divided by the square root of head_dim, so the shares are too "
                "unequal.",
                f"{STEP_6}#the-formula",
            ),
            Mistake(
                "no root",
                "The scores are divided by head_dim. Divide them by its square root.",
                f"{STEP_6}#the-formula",
            ),
            Mistake(
                "length",
                "The scores are divided by the root of the number of keys. Divide by the root of "
                "head_dim, the last axis of the query.",
                f"{STEP_6}#the-formula",
            ),
            Mistake(
                "first axis",
                "The divisor comes from axis 1. With a batch or heads in front, axis 1 is not "
                "head_dim: count from the end, `query.shape[-1]`.",
                f"{STEP_6}#the-models-width-instead-of-the-heads",
            ),
            Mistake(
                "times",
                "The scores are multiplied by the root. Divide by it.",
                f"{STEP_6}#the-formula",
            ),
            Mistake(
                "too late",
                "Your weights add up to less than 1: they are divided after the softmax, where it "
                "changes no share. Divide the scores.",
                f"{STEP_6}#the-formula",
            ),
            Mistake(
                "columns",
                "The softmax runs over the queries. The keys are the last axis, dim=-1.",
                AXIS,
            ),
            Mistake(
                "dim=0",
                "For one sentence the shares of each column add up to 1: dim=0 runs over the "
                "queries, and in a batch over the sentences. The keys are the last axis, dim=-1.",
                AXIS,
            ),
            Mistake(
                "no softmax",
                "The scores themselves are used as weights: the softmax is missing.",
                "steps/03-weights/",
            ),
            Mistake(
                "keys mixed",
                "Your context is a mixture of keys. Keys are compared with the query, and values "
                "are mixed.",
                f"{STEP_5}#the-key-is-the-value-as-well",
            ),
        ),
        hints=(
            "All its parts are written: scores, weights, context. One thing comes between the "
            "first two.",
            "Divide by `math.sqrt(query.shape[-1])` before the softmax.",
        ),
        solution=(
            "def my_attention(query, key, value):\n"
            "    scores = query @ key.mT / math.sqrt(query.shape[-1])\n"
            "    return torch.softmax(scores, dim=-1) @ value"
        ),
    ),
    Exercise(
        name="self_attention",
        part=2,
        task=(
            "One head from inputs to context: project, score, scale, softmax, mix. Matrices as "
            "nn.Linear stores them: (n, d_in), three times (d_out, d_in) -> (n, d_out)."
        ),
        page=STEP_7,
        attempt=_self_attention,
        cases=(
            Case(SENTENCE, (INPUTS, *NARROW), WORDS),
            Case("square matrices", (INPUTS, *SQUARE), WORDS),
            Case(BATCH, (TWO_SENTENCES, *NARROW)),
        ),
        mistakes=(
            Mistake(
                "model's width",
                "The scores are divided by the root of the inputs' width. Divide by the root of "
                "head_dim, the width of the query.",
                f"{STEP_6}#the-models-width-instead-of-the-heads",
            ),
            Mistake(
                "no scale",
                "The scores are not divided by the square root of head_dim.",
                f"{STEP_6}#the-formula",
            ),
            Mistake(
                "inputs mixed",
                "Your context is a mixture of the inputs: W_value is not used.",
                f"{STEP_5}#the-key-is-the-value-as-well",
            ),
            Mistake(
                "order",
                "Query and key have changed places, so each word answers where it should ask.",
                f"{STEP_5}#the-formula",
            ),
            Mistake(
                "not transposed",
                "The matrices are used as they are stored, (d_out, d_in). The product needs "
                "(d_in, d_out): transpose them.",
                f"{STEP_7}#for-engineers",
            ),
            Mistake(
                "columns",
                "The softmax runs over the queries. The keys are the last axis, dim=-1.",
                AXIS,
            ),
            Mistake(
                "inputs added",
                "The inputs are added to the context. A block does that later; a head returns "
                "the context alone.",
                "steps/you-are-here/#add-and-do-not-replace",
            ),
        ),
        hints=(
            "First project, then attention: two functions that are written already.",
            "After the projections head_dim is `query.shape[-1]`, and no longer the width of the "
            "inputs.",
        ),
        solution=(
            "def my_self_attention(inputs, W_query, W_key, W_value):\n"
            "    query, key, value = (inputs @ W.mT for W in (W_query, W_key, W_value))\n"
            "    scores = query @ key.mT / math.sqrt(query.shape[-1])\n"
            "    return torch.softmax(scores, dim=-1) @ value"
        ),
    ),
    Exercise(
        name="next_word_loss",
        part=2,
        task=(
            "The mean cross-entropy of guessing each next word: "
            "(batch, L, vocabulary), (batch, L) -> one number."
        ),
        page=TRAINED,
        attempt=_next_word_loss,
        cases=(
            Case(
                "two sentences of five words",
                (numbers(2, 5, 7), torch.tensor([[0, 3, 1, 6, 2], [4, 4, 5, 0, 1]])),
            ),
            Case(
                "one sentence of three words",
                (numbers(1, 3, 4, start=1), torch.tensor([[2, 0, 3]])),
            ),
        ),
        mistakes=(
            Mistake(
                "no shift",
                "Position i guesses word i, which it has read: such a loss falls quickly, and the "
                "model learns to copy. Position i guesses word i + 1.",
                "guides/what-goes-wrong/#the-model-sees-the-future",
            ),
            Mistake(
                "shifted back",
                "Position i guesses word i - 1. Shift the other way, so that it guesses word i + "
                "1.",
                "guides/what-goes-wrong/#the-model-sees-the-future",
            ),
            Mistake(
                "rolled",
                "The last position guesses the first word, because `roll` goes round. The last "
                "position has no next word: leave it out.",
                "guides/what-goes-wrong/#the-model-sees-the-future",
            ),
            Mistake(
                "sum",
                "The losses are added up. Take their mean, so that the loss does not grow with the "
                "length of the text.",
                TRAINED,
            ),
            Mistake(
                "softmax first",
                "The softmax runs twice: F.cross_entropy takes logits and has a softmax of its "
                "own.",
                "notebooks/002_softmax_once/",
            ),
            Mistake(
                "reshaped",
                "The logits of different words are mixed: a reshape to (batch, vocabulary, L) "
                "takes the numbers in order. `.transpose(1, 2)` exchanges the axes.",
                TRAINED,
            ),
            Mistake(
                "no log_softmax",
                "The logits are used as if they were logarithms of probabilities. nll_loss and "
                "gather want log_softmax first; F.cross_entropy does both.",
                TRAINED,
            ),
            Mistake(
                "logarithm of the mean",
                "Your loss is the logarithm of the mean probability. Take the mean of the "
                "logarithms.",
                TRAINED,
            ),
        ),
        hints=(
            "The guess at position i is compared with the word at i + 1. The last position has "
            "no next word.",
            "`logits[:, :-1]` with `tokens[:, 1:]`; cross_entropy takes (N, vocabulary) and (N,).",
        ),
        solution=(
            "def my_next_word_loss(logits, tokens):\n"
            "    return F.cross_entropy(logits[:, :-1].flatten(0, 1), tokens[:, 1:].flatten())"
        ),
    ),
)
