"""Exercise: look up the rows."""

import torch

from attention_practice._exercise import Case, Exercise, planted
from attention_practice._inputs import numbers


def my_embed(token_ids, table):
    return table[token_ids]


EXERCISE = Exercise(
    title="Look up the rows",
    task="Look up the row of each token in the table: (...,), (V, E) -> (..., E).",
    page="steps/tokens-become-vectors/",
    cases=(
        Case("six tokens", (torch.tensor([0, 2, 1, 0, 3, 4]), numbers(5, 5))),
        Case("a table of seven rows", (torch.tensor([3, 3, 5]), numbers(7, 4, start=1))),
        Case("a batch of two sentences", (torch.tensor([[0, 1], [2, 0]]), numbers(4, 4))),
    ),
    mistakes=planted("""
        Read: guides/what-goes-wrong/#the-tokens-number-is-used-as-its-meaning
        id `table[token_ids]` -> `token_ids[..., None] * torch.ones_like(table[0])`: Each row
            repeats the number of its token. A token's number is a name and not a meaning: it says
            which row of the table to take.
        Read: steps/tokens-become-vectors/#a-word-as-a-row-of-numbers
        column `table[` -> `table.mT[`: You take columns of the table. A word has a row.
        columns `[token_ids]` -> `[:, token_ids]`: You take columns of the table: `table[:, ids]`. A
            word has a row, `table[ids]`.
        Read: steps/tokens-become-vectors/#the-formula
        one-hot `table[token_ids]` -> `F.one_hot(token_ids, len(table)).to(table)`: Your rows hold a
            single 1 each. Such a row times the table is the vector: the product is missing.
        one-hot, whole `table[token_ids]` -> `F.one_hot(token_ids, len(table))`: Your rows hold a
            single 1 each, and are whole numbers. As floats, such a row times the table is the
            vector.
        scaled `token_ids]` -> `token_ids] * math.sqrt(table.shape[-1])`: Your rows are longer by
            the root of their width. Some models do that to a table that is made small for it; here
            a row is taken as it is.
        of length 1 `table[token_ids]` -> `F.normalize(table[token_ids], dim=-1)`: Your rows all
            have length 1: each is divided by its length. A row is taken as it is.
        Read: steps/tokens-become-vectors/#look-up-a-sentence
        in one row `token_ids]` -> `token_ids.flatten()]`: One sentence is right, and a batch is
            not: all words stand in one row. The result has the axes of the numbers, and one more.
    """),
    hints=(
        "A table that is indexed with a tensor of integers gives a row for each of them.",
        "`table[token_ids]`; `F.embedding(token_ids, table)` does the same.",
    ),
    solution=my_embed,
    lines="""
        rows = token_ids
        rows = token_ids + 1

        return table[rows]
        return table[:, rows]
        return F.one_hot(rows, len(table)).float()
    """,
)
