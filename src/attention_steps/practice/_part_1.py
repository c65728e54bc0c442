"""Part 1, attention by hand: look up, scores, weights, context."""

import math

import torch
import torch.nn.functional as F
from torch import Tensor

from attention_steps.practice._exercise import Case, Exercise, Mistake, Wrong
from attention_steps.practice._inputs import (
    BATCH,
    COLUMNS,
    INPUTS,
    QUERIES,
    SENTENCE,
    TWO_QUERIES,
    TWO_SENTENCES,
    WORDS,
    numbers,
)

STEP_1, STEP_2 = "steps/01-tokens-become-vectors/", "steps/02-scores/"
STEP_3, STEP_4 = "steps/03-weights/", "steps/04-context-vectors/"
SCORES = INPUTS @ INPUTS.mT
BANK_AND_MONEY = ("bank", "money")


def _embed(wrong: Wrong, token_ids: Tensor, table: Tensor) -> Tensor:
    if "id" in wrong:
        return token_ids[..., None] * torch.ones_like(table[0])
    token_ids = token_ids + 1 if "from 1" in wrong else token_ids
    if "column" in wrong:
        return table.mT[token_ids]
    one_hot = F.one_hot(token_ids, len(table) + ("from 1" in wrong)).to(table)
    return one_hot if "one-hot" in wrong else table[token_ids]


def _scores(wrong: Wrong, query: Tensor, key: Tensor) -> Tensor:
    if "cosine" in wrong:
        query, key = F.normalize(query, dim=-1), F.normalize(key, dim=-1)
    if "not added" in wrong:
        scores = query * key
    elif "no transpose" in wrong:
        scores = query @ key
    elif "swapped" in wrong:
        scores = key @ query.mT
    else:
        scores = query @ (key.T if ".T" in wrong else key.mT)
    return scores / math.sqrt(query.shape[-1]) if "scaled" in wrong else scores


def _weights(wrong: Wrong, scores: Tensor) -> Tensor:
    axes = {"columns": -2, "dim=1": 1, "dim=0": 0}
    dim = next((axis for name, axis in axes.items() if name in wrong), -1)
    if "no exponential" in wrong:
        return scores / scores.sum(dim, keepdim=True)
    if "all at once" in wrong:
        shares = (scores if "no maximum" in wrong else scores - scores.max()).exp()
        return shares / shares.sum()
    if "no keepdim" in wrong:
        return scores.exp() / scores.exp().sum(dim)
    if "no maximum" in wrong:
        return scores.exp() / scores.exp().sum(dim, keepdim=True)
    weights = scores.log_softmax(dim) if "logarithm" in wrong else scores.softmax(dim)
    return weights.softmax(dim) if "twice" in wrong else weights


def _context(wrong: Wrong, weights: Tensor, value: Tensor) -> Tensor:
    if "plain mean" in wrong:
        weights = torch.ones_like(weights) / weights.shape[-1]
    if "largest only" in wrong:
        weights = F.one_hot(weights.argmax(-1), weights.shape[-1]).to(value)
    weights = weights.mT if "weights turned" in wrong else weights
    context = weights @ (value.mT if "value turned" in wrong else value)
    return context / value.shape[-2] if "divided" in wrong else context


EXERCISES = (
    Exercise(
        name="embed",
        part=1,
        task="Look up the row of each token in the table: (...,), (V, E) -> (..., E).",
        page=STEP_1,
        attempt=_embed,
        cases=(
            Case("six tokens", (torch.tensor([0, 2, 1, 0, 3, 4]), numbers(5, 5))),
            Case("a table of seven rows", (torch.tensor([3, 3, 5]), numbers(7, 4, start=1))),
            Case("a batch of two sentences", (torch.tensor([[0, 1], [2, 0]]), numbers(4, 4))),
        ),
        mistakes=(
            Mistake(
                "id",
                "Each row repeats the number of its token. A token's number is a name and not a "
                "meaning: it says which row of the table to take.",
                f"{STEP_1}#the-tokens-number-is-used-as-its-meaning",
            ),
            Mistake(
                "from 1",
                "Each row is the one after the right row. Rows are counted from 0.",
                f"{STEP_1}#look-up-a-sentence",
            ),
            Mistake(
                "column",
                "You take columns of the table. A word has a row.",
                f"{STEP_1}#a-word-as-a-row-of-numbers",
            ),
            Mistake(
                "one-hot",
                "Your rows hold a single 1 each. Such a row times the table is the vector: the "
                "product is missing.",
                f"{STEP_1}#the-formula",
            ),
        ),
        hints=(
            "A table that is indexed with a tensor of integers gives a row for each of them.",
            "`table[token_ids]`; `F.embedding(token_ids, table)` does the same.",
        ),
        solution="def my_embed(token_ids, table):\n    return table[token_ids]",
    ),
    Exercise(
        name="scores",
        part=1,
        task=(
            "Score each query against each key with a dot product: "
            "(..., L, E), (..., S, E) -> (..., L, S)."
        ),
        page=STEP_2,
        attempt=_scores,
        cases=(
            Case(SENTENCE, (INPUTS, INPUTS), WORDS, WORDS),
            Case(TWO_QUERIES, (QUERIES, INPUTS), BANK_AND_MONEY, WORDS),
            Case("four words of four components", (numbers(4, 4), numbers(4, 4, start=1))),
            Case(BATCH, (TWO_SENTENCES, TWO_SENTENCES.flip(1))),
        ),
        mistakes=(
            Mistake(
                "no transpose",
                "The product pairs words of the one with components of the other. Transpose the "
                "keys first, so that each key is a column.",
                f"{STEP_2}#the-transpose-is-left-out",
            ),
            Mistake(
                ".T",
                "One sentence is right, and a batch is not: `.T` reverses all axes, that of the "
                "batch too. `.mT`, or `.transpose(-2, -1)`, exchanges the last two.",
                f"{STEP_2}#for-engineers",
            ),
            Mistake(
                "swapped",
                "Rows and columns have changed places: your rows belong to the keys. A row "
                "belongs to a query.",
                f"{STEP_2}#the-formula",
            ),
            Mistake(
                "cosine",
                "Each score is divided by the lengths of its two vectors, which makes it a cosine. "
                "A dot product also counts how long the vectors are.",
                f"{STEP_2}#a-dot-product-is-not-a-cosine",
            ),
            Mistake(
                "scaled",
                "Each score is divided by the square root of head_dim already. Step 6 will do so; "
                "here raw dot products are asked for.",
                "steps/06-why-divide-by-the-square-root/",
            ),
            Mistake(
                "not added",
                "The components are multiplied and not added up: `*` where `@` belongs.",
                f"{STEP_2}#by-hand",
            ),
        ),
        hints=(
            "A dot product multiplies component by component and adds up: for one query and one "
            "key, `(query[i] * key[j]).sum()`.",
            "A matrix product does it for all pairs, if each key is a column.",
            "`.mT` exchanges the last two axes and leaves a batch alone.",
        ),
        solution="def my_scores(query, key):\n    return query @ key.mT",
    ),
    Exercise(
        name="weights",
        part=1,
        task=(
            "Turn scores into shares that are positive and add up to 1 in each row: "
            "(..., L, S) -> (..., L, S)."
        ),
        page=STEP_3,
        attempt=_weights,
        cases=(
            Case(SENTENCE, (SCORES,), WORDS, WORDS),
            Case(TWO_QUERIES, (QUERIES @ INPUTS.mT,), BANK_AND_MONEY, WORDS),
            Case(
                "scores of 100 and more",
                (torch.tensor([[100.0, 99.0, 98.0], [200.0, 0.0, 201.0]]),),
            ),
            Case("scores below 0", (torch.tensor([[3.0, -2.0, 0.0], [-1.0, -2.0, -4.0]]),)),
            Case(BATCH, (TWO_SENTENCES @ TWO_SENTENCES.flip(1).mT,)),
        ),
        mistakes=(
            Mistake(
                "columns",
                "Your columns add up to 1, and your rows do not: the softmax runs over the "
                "queries. The keys are the last axis, dim=-1.",
                f"{STEP_3}#softmax-along-the-wrong-axis",
            ),
            Mistake(
                "dim=1",
                "One sentence is right, and a batch is not: with a batch in front, axis 1 is that "
                "of the queries. Counted from the end, the keys are always dim=-1.",
                f"{STEP_3}#softmax-along-the-wrong-axis",
            ),
            Mistake(
                "dim=0",
                "Your columns add up to 1, and your rows do not: dim=0 runs over the queries, and "
                "in a batch over the sentences. The keys are the last axis, dim=-1.",
                f"{STEP_3}#softmax-along-the-wrong-axis",
            ),
            Mistake(
                "all at once",
                "All your weights together add up to 1. Each row should add up to 1.",
                f"{STEP_3}#the-formula",
            ),
            Mistake(
                "no exponential",
                "Each score is divided by the sum of its row, without an exponential. Scores below "
                "0 then become shares below 0, or NaN.",
                f"{STEP_3}#dividing-by-the-sum-without-the-exponential",
            ),
            Mistake(
                "no maximum",
                "Your weights are NaN where scores are large, because exp(100) is more than a "
                "float32 can hold. Subtract the largest score of each row first: only differences "
                "between scores count.",
                "guides/what-goes-wrong/#nan-in-the-output",
            ),
            Mistake(
                "no keepdim",
                "Each number is divided by the sum of another row: a sum that has lost its axis is "
                "broadcast along the columns. `sum(dim=-1, keepdim=True)` keeps the axis.",
                f"{STEP_3}#the-formula",
            ),
            Mistake(
                "twice",
                "Your shares are nearly equal: the softmax runs twice.",
                "notebooks/002_softmax_once/",
            ),
            Mistake(
                "logarithm",
                "Your numbers are negative: they are logarithms of the weights, log_softmax in "
                "place of softmax.",
                f"{STEP_3}#the-formula",
            ),
        ),
        hints=(
            "First make every score positive, and a larger score larger. Then divide by the sum "
            "of the row.",
            "The exponential does the first. `dim=-1` is the axis of the keys, and `keepdim=True` "
            "keeps the sum in its row.",
            "torch has both in one function, `torch.softmax`. Along which axis?",
        ),
        solution="def my_weights(scores):\n    return torch.softmax(scores, dim=-1)",
    ),
    Exercise(
        name="context",
        part=1,
        task=(
            "Mix the values by the weights, one context vector for each query: "
            "(..., L, S), (..., S, Ev) -> (..., L, Ev)."
        ),
        page=STEP_4,
        attempt=_context,
        cases=(
            Case(SENTENCE, (SCORES.softmax(-1), INPUTS), WORDS, COLUMNS),
            Case(
                TWO_QUERIES,
                ((QUERIES @ INPUTS.mT).softmax(-1), INPUTS),
                BANK_AND_MONEY,
                COLUMNS,
            ),
            Case(
                "four words of four components",
                (numbers(4, 4).softmax(-1), numbers(4, 4, start=1)),
            ),
            Case(BATCH, ((TWO_SENTENCES @ TWO_SENTENCES.mT).softmax(-1), TWO_SENTENCES)),
        ),
        mistakes=(
            Mistake(
                "weights turned",
                "Each word collects the shares that the others take from it: the weights are "
                "transposed. A query's shares are its row.",
                f"{STEP_4}#the-formula",
            ),
            Mistake(
                "plain mean",
                "All rows are equal: each is the plain average of the values, and the weights are "
                "not used.",
                f"{STEP_4}#a-weighted-sum-by-hand",
            ),
            Mistake(
                "largest only",
                "Each row is a single value, the one with the largest weight. A weighted sum "
                "takes a share of every value.",
                f"{STEP_4}#a-weighted-sum-by-hand",
            ),
            Mistake(
                "divided",
                "Your numbers are too small by the number of words. The weights of a row add up "
                "to 1 already, so nothing is left to divide.",
                f"{STEP_4}#a-weighted-sum-by-hand",
            ),
            Mistake(
                "value turned",
                "The values are transposed. Their rows are words, as the columns of the weights "
                "are, so they fit as they are.",
                f"{STEP_4}#the-formula",
            ),
        ),
        hints=(
            "For one query, multiply each value by its weight and add up.",
            "A matrix product takes a row of weights and all values.",
        ),
        solution="def my_context(weights, value):\n    return weights @ value",
    ),
)
