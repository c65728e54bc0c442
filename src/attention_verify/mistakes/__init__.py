"""The known mistakes: what each is called, what it says, and the steps that make it."""

import math

import torch

from attention_verify.mistakes import caches, heads, masks, options, scores, tiles
from attention_verify.mistakes.known import Known, explained_on, known
from attention_verify.oracle import RIGHT, Steps

# Questions with several right answers, first the oracle's, until a function gives another.
CONVENTIONS = {
    "what True means in the mask": explained_on(
        "guides/mask-conventions/#what-true-means-in-attn_mask",
        known(
            "True attends",
            "True in the mask shows a key, as in torch's scaled_dot_product_attention. In "
            "nn.MultiheadAttention True hides, in key_padding_mask as in attn_mask.",
            masks.TURNED,
        ),
        known(
            "True hides",
            "True in the mask hides a key, as in nn.MultiheadAttention.",
            masks.TURNED,
        ),
    ),
    "where the queries of a causal call stand": explained_on(
        "steps/kv-cache/#one-query-sees-the-first-key-only",
        known("bottom-right", "The last query stands beside the last key.", RIGHT),
        known(
            "top-left",
            "Query 0 stands beside key 0, as with torch's is_causal.",
            Steps(places=lambda query_len, key_len: torch.arange(query_len)[:, None]),
        ),
    ),
    "what a query without keys gets": explained_on(
        "guides/how-torch-behaves-at-the-edges/#a-row-with-nothing-to-attend-to",
        known("empty is 0", "A query with no key to attend to gets zeros.", RIGHT),
        known(
            "empty is NaN",
            "A query with no key to attend to gets NaN.",
            Steps(filled=lambda scores, empty: scores, emptied=lambda context, empty: context),
            Steps(
                filled=lambda scores, empty: scores,
                emptied=lambda context, empty: context,
                masked=lambda scores, allowed, cap, bias: (
                    cap(scores) + bias + torch.where(allowed, 0.0, -math.inf).to(scores)
                ),
            ),
        ),
        known(
            "empty is the mean",
            "A query with no key to attend to gets the mean of all values.",
            Steps(emptied=lambda context, empty: context),
        ),
    ),
}

# What numbers do not show as those of other steps: the engine says so itself.
SEEN_OTHERWISE = (
    *explained_on(
        "guides/what-goes-wrong/#results-change-from-run-to-run",
        known("input changed", "The function writes into a tensor that it was given."),
        known("strides ignored", "A tensor that is not contiguous is read as if it were."),
        known(
            "second call differs",
            "A second call with the same inputs gives other numbers, so that no number can be "
            "judged. Is dropout still on? Call `.eval()`.",
        ),
        known(
            "store shared",
            "Two caches have one store: what one gets, the other gives back. Make a new one in "
            "each.",
        ),
    ),
    *explained_on(
        "guides/comparing-results/#why-the-last-digits-differ",
        known("float32 inside", "Inputs in float64 are computed in float32, at least in part."),
        known(
            "float16 inside", "Inputs are computed as coarsely as in float16, or on a GPU in TF32."
        ),
        known("bfloat16 inside", "Inputs are computed as coarsely as in bfloat16."),
    ),
)

MISTAKES = (
    *scores.MISTAKES,
    *masks.OF_MASKS,
    *masks.OF_CAUSALITY,
    *caches.MISTAKES,
    *masks.OF_WINDOWS,
    *heads.MISTAKES,
    *options.MISTAKES,
    *tiles.MISTAKES,
    *SEEN_OTHERWISE,
)
KNOWN: dict[str, Known] = {
    mistake.name: mistake for group in (*CONVENTIONS.values(), MISTAKES) for mistake in group
}
