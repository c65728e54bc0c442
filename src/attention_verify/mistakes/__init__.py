"""The steps that make each known mistake. Its words stand in `words.txt`."""

import math

import torch

from attention_verify.mistakes import caches, heads, masks, options, scores, tiles
from attention_verify.oracle import RIGHT, Steps

# Questions with several right answers, first the oracle's, until a function gives another.
CONVENTIONS: dict[str, dict[str, list[Steps]]] = {
    "what True means in the mask": {"True attends": [masks.TURNED], "True hides": [masks.TURNED]},
    "where the queries of a causal call stand": {
        "bottom-right": [RIGHT],
        "top-left": [
            Steps(places=lambda query_len, key_len: torch.arange(query_len)[:, None]),
        ],
    },
    "what a query without keys gets": {
        "empty is 0": [RIGHT],
        "empty is NaN": [
            Steps(filled=lambda scores, empty: scores, emptied=lambda context, empty: context),
            Steps(
                filled=lambda scores, empty: scores,
                emptied=lambda context, empty: context,
                masked=lambda scores, allowed, cap, bias: (
                    cap(scores) + bias + torch.where(allowed, 0.0, -math.inf).to(scores)
                ),
            ),
        ],
        "empty is the mean": [Steps(emptied=lambda context, empty: context)],
    },
}
WAYS: dict[str, list[Steps]] = {
    name: ways
    for group in (
        *CONVENTIONS.values(),
        *(module.WAYS for module in (scores, masks, caches, heads, options, tiles)),
    )
    for name, ways in group.items()
}
