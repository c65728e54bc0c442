"""Exercise: what an induction head looks at."""

import torch
from torch import Tensor

from attention_practice._exercise import Case, Exercise, MistakeNames, known


def attempt(mistakes: MistakeNames, tokens: Tensor) -> Tensor:
    n = len(tokens)
    place = torch.arange(n)
    before = tokens.roll(1)
    before = before if "wraps round" in mistakes else torch.where(place > 0, before, -1)
    causal = torch.ones(n, n, dtype=torch.bool)
    causal = causal if "future" in mistakes else causal.tril()
    after = torch.where(place < n - 1, tokens.roll(-1), -1)
    key = tokens if "same word" in mistakes else after if "word after" in mistakes else before
    mask = (tokens[:, None] == key) & causal
    if "sides" in mistakes:
        mask = (before[:, None] == tokens) & causal
    if "both before" in mistakes:
        mask = (before[:, None] == before) & causal & (place > 0)
    mask = mask & (place < place[:, None]) if "itself" in mistakes else mask
    if "last only" in mistakes:
        latest = torch.where(mask, place, -1).amax(-1, keepdim=True)
        mask = mask & (place == latest)
    return mask.mT if "turned" in mistakes else mask


def my_induction(tokens):
    mask = torch.zeros(len(tokens), len(tokens), dtype=torch.bool)
    mask[:, 1:] = tokens[:, None] == tokens[:-1]
    return mask.tril()


EXERCISE = Exercise(
    part=3,
    task=(
        "A boolean mask (n, n) of the keys that an induction head looks at: True at key j if the "
        "word before j is the query's word, and j is not later than the query. tokens is (n,)."
    ),
    page="steps/induction/",
    attempt=attempt,
    differentiable=False,
    cases=(
        Case("tokens 0 1 2 0 3 0", (torch.tensor([0, 1, 2, 0, 3, 0]),)),
        Case("tokens 5 5 5", (torch.tensor([5, 5, 5]),)),
        Case("tokens 1 2 1 2 1", (torch.tensor([1, 2, 1, 2, 1]),)),
    ),
    mistakes=known("""
        Read: steps/induction/#layer-2-who-followed-the-word-like-me
        same word: Your mask finds earlier copies of the word itself. The word after such a copy is
            wanted: compare with the word before the key.
        word after: The word after the key is compared. Compare the word before it.
        sides: The word before the query is compared with the key. Compare the query's word with the
            word before the key.
        both before: The word before the query is compared with the word before the key. Take the
            query's own word.
        Read: steps/induction/#no-start-token
        wraps round: Key 0 is compared with the last word, because `roll` goes round. Before key 0
            there is no word.
        Read: steps/causal-masks/#the-formula
        future: A query attends to words that come after it: the causal mask is missing.
        turned: Queries and keys have changed places.
        Read: steps/induction/#the-word-came-twice
        last only: Only the latest place is kept. All earlier copies are looked at.
        itself: A query does not look at its own place. It may: after two equal words, its own
            word is the one that followed.
    """),
    hints=(
        "The word before each key is the row of tokens, moved by one; key 0 has none.",
        "Compare it with the tokens as a column, and keep the lower triangle.",
    ),
    solution=my_induction,
)
