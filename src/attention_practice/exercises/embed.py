"""Exercise: look up the rows."""

import math

import torch
import torch.nn.functional as F
from torch import Tensor

from attention_practice._exercise import Case, Exercise, MistakeNames, known
from attention_practice._inputs import numbers


def attempt(mistakes: MistakeNames, token_ids: Tensor, table: Tensor) -> Tensor:
    if "id" in mistakes:
        return token_ids[..., None] * torch.ones_like(table[0])
    if "column" in mistakes:
        return table.mT[token_ids]
    if "columns" in mistakes:
        return table[:, token_ids]
    if "in one row" in mistakes:
        return table[token_ids.flatten()]
    if "of length 1" in mistakes:
        return F.normalize(table[token_ids], dim=-1)
    if "scaled" in mistakes:
        return table[token_ids] * math.sqrt(table.shape[-1])
    if mistakes & {"one-hot", "one-hot, whole"}:
        one_hot = F.one_hot(token_ids, len(table))
        return one_hot if "one-hot, whole" in mistakes else one_hot.to(table)
    return table[token_ids]


def my_embed(token_ids, table):
    return table[token_ids]


EXERCISE = Exercise(
    part=1,
    task="Look up the row of each token in the table: (...,), (V, E) -> (..., E).",
    page="steps/tokens-become-vectors/",
    attempt=attempt,
    cases=(
        Case("six tokens", (torch.tensor([0, 2, 1, 0, 3, 4]), numbers(5, 5))),
        Case("a table of seven rows", (torch.tensor([3, 3, 5]), numbers(7, 4, start=1))),
        Case("a batch of two sentences", (torch.tensor([[0, 1], [2, 0]]), numbers(4, 4))),
    ),
    mistakes=known("""
        Read: steps/tokens-become-vectors/#the-tokens-number-is-used-as-its-meaning
        id: Each row repeats the number of its token. A token's number is a name and not a meaning:
            it says which row of the table to take.
        Read: steps/tokens-become-vectors/#a-word-as-a-row-of-numbers
        column: You take columns of the table. A word has a row.
        columns: You take columns of the table: `table[:, ids]`. A word has a row, `table[ids]`.
        Read: steps/tokens-become-vectors/#the-formula
        one-hot: Your rows hold a single 1 each. Such a row times the table is the vector: the
            product is missing.
        one-hot, whole: Your rows hold a single 1 each, and are whole numbers. As floats, such a row
            times the table is the vector.
        scaled: Your rows are longer by the root of their width. Some models do that to a table that
            is made small for it; here a row is taken as it is.
        of length 1: Your rows all have length 1: each is divided by its length. A row is taken as
            it is.
        Read: steps/tokens-become-vectors/#look-up-a-sentence
        in one row: One sentence is right, and a batch is not: all words stand in one row. The
            result has the axes of the numbers, and one more.
    """),
    hints=(
        "A table that is indexed with a tensor of integers gives a row for each of them.",
        "`table[token_ids]`; `F.embedding(token_ids, table)` does the same.",
    ),
    solution=my_embed,
)
