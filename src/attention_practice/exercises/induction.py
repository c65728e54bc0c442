"""Exercise: what an induction head looks at."""

import torch

from attention_practice._exercise import Case, Exercise, planted


def my_induction(tokens):
    mask = torch.zeros(len(tokens), len(tokens), dtype=torch.bool)
    mask[:, 1:] = tokens[:, None] == tokens[:-1]
    return mask.tril()


EXERCISE = Exercise(
    title="What an induction head looks at",
    task=(
        "A boolean mask (n, n) of the keys that an induction head looks at: True at key j if the "
        "word before j is the query's word, and j is not later than the query. tokens is (n,)."
    ),
    page="steps/induction/",
    differentiable=False,
    cases=(
        Case("tokens 0 1 2 0 3 0", (torch.tensor([0, 1, 2, 0, 3, 0]),)),
        Case("tokens 5 5 5", (torch.tensor([5, 5, 5]),)),
        Case("tokens 1 2 1 2 1", (torch.tensor([1, 2, 1, 2, 1]),)),
    ),
    mistakes=planted("""
        Read: steps/induction/#layer-2-who-followed-the-word-like-me
        same word `mask[:, 1:]` -> `mask[:]`, `tokens[:-1]` -> `tokens`: Your mask finds earlier
            copies of the word itself. The word after such a copy is wanted: compare with the word
            before the key.
        word after `mask[:, 1:]` -> `mask[:, :-1]`, `tokens[:-1]` -> `tokens[1:]`: The word after
            the key is compared. Compare the word before it.
        sides `mask[:, 1:] = tokens[:, None] == tokens[:-1]` -> `mask[1:] = tokens[:-1, None] ==
            tokens`: The word before the query is compared with the key. Compare the query's word
            with the word before the key.
        both before `mask[:, 1:] = tokens[:, None]` -> `mask[1:, 1:] = tokens[:-1, None]`: The word
            before the query is compared with the word before the key. Take the query's own word.
        Read: steps/induction/#no-start-token
        wraps round `mask[:, 1:]` -> `mask[:]`, `tokens[:-1]` -> `tokens.roll(1)`: Key 0 is compared
            with the last word, because `roll` goes round. Before key 0 there is no word.
        Read: steps/causal-masks/#the-formula
        future `.tril()` -> ``: A query attends to words that come after it: the causal mask is
            missing.
        turned `.tril()` -> `.tril().mT`: Queries and keys have changed places.
        Read: steps/induction/#the-word-came-twice
        last only `mask.tril()` -> `(mask := mask.tril()) & (mask.cumsum(-1) == mask.sum(-1,
            keepdim=True))`: Only the latest place is kept. All earlier copies are looked at.
        itself `.tril()` -> `.tril(-1)`: A query does not look at its own place. It may: after two
            equal words, its own word is the one that followed.
    """),
    hints=(
        "The word before each key is the row of tokens, moved by one; key 0 has none.",
        "Compare it with the tokens as a column, and keep the lower triangle.",
    ),
    solution=my_induction,
    lines="""
        before = torch.cat((tokens.new_tensor([-1]), tokens[:-1]))
        before = tokens.roll(1)
        before = tokens

        mask = tokens[:, None] == before

        return mask.tril()
        return mask
    """,
)
