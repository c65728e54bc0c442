"""Exercise: choose the next word."""

import math

import torch

from attention_practice._exercise import Case, Exercise, planted
from attention_practice._inputs import numbers


def my_next_word(logits, temperature, top_k):
    kth = logits.topk(top_k).values[..., -1:]
    kept = logits.masked_fill(logits < kth, -math.inf)
    return torch.softmax(kept / temperature, dim=-1)


EXERCISE = Exercise(
    title="Choose the next word",
    task=(
        "The probabilities that the next word is drawn from: the top_k most probable words, at "
        "this temperature, and 0 for all others."
    ),
    page="reference/training/",
    cases=(
        Case("seven words, temperature 0.5, top_k 3", (numbers(1, 7), 0.5, 3)),
        Case("seven words, temperature 2, top_k 7", (numbers(1, 7), 2.0, 7)),
        Case("a batch, temperature 1, top_k 1", (numbers(3, 5, start=1), 1.0, 1)),
        Case("logits below 0", (numbers(2, 5, start=2) - 3, 0.7, 2)),
    ),
    mistakes=planted("""
        Read: steps/guess-the-next-word/#temperature
        times `/ temperature` -> `* temperature`: The logits are multiplied by the temperature.
            Divide: the higher the temperature, the more equal the words.
        one less `logits < kth` -> `logits <= kth if top_k > 1 else logits < kth`: One word too few
            is kept: the k-th most probable word belongs to the top k.
        temperature last ` / temperature` -> ``, `dim=-1)` -> `dim=-1) / temperature`: The
            probabilities are divided by the temperature, so they do not add up to 1. Divide the
            logits.
        no temperature ` / temperature` -> ``: The temperature changes nothing here. Divide the
            logits by it, before the softmax.
        top_k unused `logits.masked_fill(logits < kth, -math.inf)` -> `logits`: Every word has a
            probability: top_k is not used.
        kept alone `logits.masked_fill(logits < kth, -math.inf)` -> `logits.topk(top_k).values`: You
            return the probabilities of the words that are kept, without their places. Every word
            has a place in the row.
        smallest `topk(top_k)` -> `topk(top_k, largest=False)`, `< kth` -> `> kth`: The least
            probable words are kept. Keep the most probable.
        Read: guides/what-goes-wrong/#multiplying-the-weights-by-the-mask
        not shared again `(kept` -> `(logits`, `dim=-1)` -> `dim=-1).masked_fill(logits < kth,
            0.0)`: Your rows add up to less than 1: words are removed after the softmax. Remove them
            before it.
        Read: steps/padding-masks/#zeros-are-not-nothing
        zero `-math.inf` -> `0.0`: Removed words still have a probability: their logits are 0, and
            exp(0) is 1. Minus infinity gives 0.
        Read: steps/weights/#the-formula
        across the batch `logits.topk` -> `logits.flatten().topk`: The top k are those of the whole
            batch. Each row has its own.
        Read: notebooks/002_softmax_once/
        softmax again `logits.masked_fill` -> `torch.softmax(logits / temperature,
            dim=-1).masked_fill`, `kept / temperature` -> `kept`: The softmax runs twice: what is
            kept are probabilities already.
    """),
    hints=(
        "`logits.topk(top_k).values[..., -1:]` is the k-th largest of each row.",
        "Fill smaller ones with -inf, divide by the temperature, take the softmax.",
    ),
    solution=my_next_word,
    lines="""
        kth = logits.topk(top_k).values[..., -1:]

        removed = logits < kth
        removed = logits <= kth

        logits = logits.masked_fill(removed, -math.inf)
        logits = logits.masked_fill(removed, 0.0)
        # nothing

        logits = logits / temperature
        logits = logits * temperature
        # nothing

        return torch.softmax(logits, dim=-1)
    """,
)
