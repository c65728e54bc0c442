"""Exercise: the mask after a cache."""

import torch
from torch import Tensor

from attention_practice._exercise import SUITE, Case, Exercise, MistakeNames, known, those_of
from attention_practice._inputs import WORDS
from attention_practice.exercises.causal_mask import EXERCISE as CAUSAL_MASK


def attempt(mistakes: MistakeNames, query_len: int, key_len: int) -> Tensor:
    offset = 0 if "top-left" in mistakes else key_len - query_len
    offset += ("one ahead" in mistakes) - ("own key hidden" in mistakes)
    mask = torch.arange(key_len) <= torch.arange(query_len)[:, None] + offset
    mask = torch.ones_like(mask) if "all" in mistakes else mask
    if "other triangle" in mistakes:
        mask = torch.arange(key_len) >= torch.arange(query_len)[:, None] + offset
    mask = ~mask if "True hides" in mistakes else mask
    return mask.float() if "float" in mistakes else mask


def my_cached_mask(query_len, key_len):
    place = torch.arange(query_len)[:, None] + key_len - query_len
    return torch.arange(key_len) <= place


EXERCISE = Exercise(
    part=4,
    task=(
        "The causal mask of new words after a cache, (query_len, key_len): the last query has the "
        "place of the last key."
    ),
    page="steps/kv-cache/",
    attempt=attempt,
    differentiable=False,
    cases=(
        Case("“muddy bank” after “the duck likes the”", (2, 6), ("muddy", "bank"), WORDS),
        Case("one new word", (1, 6), ("bank",), WORDS),
        Case("no cache yet", (4, 4)),
    ),
    mistakes=those_of(SUITE, "True hides, other triangle, one ahead, own key hidden, top-left")
    + those_of(CAUSAL_MASK.mistakes, "float")
    + known("""
        Read: steps/kv-cache/#the-formula
        all: Every query attends to every key, which is right for a single new word, and wrong for
            several.
    """),
    hints=(
        "Query i has place i + key_len - query_len.",
        "It may attend to key j if j is at most that place.",
    ),
    solution=my_cached_mask,
)
