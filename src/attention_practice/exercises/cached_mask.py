"""Exercise: the mask after a cache."""

import torch

from attention_practice._exercise import Case, Exercise, planted
from attention_practice._inputs import WORDS


def my_cached_mask(query_len, key_len):
    place = torch.arange(query_len)[:, None] + key_len - query_len
    return torch.arange(key_len) <= place


EXERCISE = Exercise(
    title="The mask after a cache",
    task=(
        "The causal mask of new words after a cache, (query_len, key_len): the last query has the "
        "place of the last key."
    ),
    page="steps/kv-cache/",
    differentiable=False,
    cases=(
        Case("“muddy bank” after “the duck likes the”", (2, 6), ("muddy", "bank"), WORDS),
        Case("one new word", (1, 6), ("bank",), WORDS),
        Case("no cache yet", (4, 4)),
    ),
    mistakes=planted("""
        True hides `<=` -> `>`
        other triangle `<=` -> `>=`
        own key hidden `<=` -> `<`
        one ahead `(key_len) <=` -> `(key_len) - 1 <=`
        top-left ` + key_len - query_len` -> ``
        float `torch.arange(key_len) <= place` -> `(torch.arange(key_len) <= place).float()`
        Read: steps/kv-cache/#the-formula
        all `torch.arange(key_len) <= place` -> `torch.ones(query_len, key_len, dtype=torch.bool)`:
            Every query attends to every key, which is right for a single new word, and wrong for
            several.
    """),
    hints=(
        "Query i has place i + key_len - query_len.",
        "It may attend to key j if j is at most that place.",
    ),
    solution=my_cached_mask,
)
