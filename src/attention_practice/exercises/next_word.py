"""Exercise: choose the next word."""

import math

import torch
from torch import Tensor

from attention_practice._exercise import Case, Exercise, MistakeNames, known
from attention_practice._inputs import numbers


def attempt(mistakes: MistakeNames, logits: Tensor, temperature: float, top_k: int) -> Tensor:
    row = logits.flatten() if "across the batch" in mistakes else logits
    order = row.sort(-1, descending="smallest" not in mistakes).values
    kth = order[..., top_k - 1 : top_k]
    out = logits <= kth if "one less" in mistakes and top_k > 1 else logits < kth
    out = logits > kth if "smallest" in mistakes else out
    out = torch.zeros_like(out) if "top_k unused" in mistakes else out
    divisor = 1 / temperature if "times" in mistakes else temperature
    divisor = 1.0 if "no temperature" in mistakes else divisor
    first = 1.0 if "temperature last" in mistakes else divisor
    if "not shared again" in mistakes:
        chances = (logits / first).softmax(-1).masked_fill(out, 0.0)
    else:
        kept = logits.masked_fill(out, 0.0 if "zero" in mistakes else -math.inf)
        chances = (kept / first).softmax(-1)
    if "softmax again" in mistakes:
        shares = (logits / divisor).softmax(-1)
        return shares.masked_fill(out, -math.inf).softmax(-1)
    if "kept alone" in mistakes:
        return (logits.topk(top_k).values / divisor).softmax(-1)
    return chances / divisor if "temperature last" in mistakes else chances


def my_next_word(logits, temperature, top_k):
    kth = logits.topk(top_k).values[..., -1:]
    kept = logits.masked_fill(logits < kth, -math.inf)
    return torch.softmax(kept / temperature, dim=-1)


EXERCISE = Exercise(
    part=5,
    task=(
        "The probabilities that the next word is drawn from: the top_k most probable words, at "
        "this temperature, and 0 for all others."
    ),
    page="steps/let-it-write/",
    attempt=attempt,
    cases=(
        Case("seven words, temperature 0.5, top_k 3", (numbers(1, 7), 0.5, 3)),
        Case("seven words, temperature 2, top_k 7", (numbers(1, 7), 2.0, 7)),
        Case("a batch, temperature 1, top_k 1", (numbers(3, 5, start=1), 1.0, 1)),
        Case("logits below 0", (numbers(2, 5, start=2) - 3, 0.7, 2)),
    ),
    mistakes=known("""
        Read: steps/let-it-write/#temperature
        times: The logits are multiplied by the temperature. Divide: the higher the temperature, the
            more equal the words.
        one less: One word too few is kept: the k-th most probable word belongs to the top k.
        temperature last: The probabilities are divided by the temperature, so they do not add up to
            1. Divide the logits.
        no temperature: The temperature changes nothing here. Divide the logits by it, before the
            softmax.
        top_k unused: Every word has a probability: top_k is not used.
        kept alone: You return the probabilities of the words that are kept, without their places.
            Every word has a place in the row.
        smallest: The least probable words are kept. Keep the most probable.
        Read: steps/causal-masks/#multiplying-the-weights-by-the-mask
        not shared again: Your rows add up to less than 1: words are removed after the softmax.
            Remove them before it.
        Read: steps/padding-masks/#zeros-are-not-nothing
        zero: Removed words still have a probability: their logits are 0, and exp(0) is 1. Minus
            infinity gives 0.
        Read: steps/weights/#the-formula
        across the batch: The top k are those of the whole batch. Each row has its own.
        Read: notebooks/002_softmax_once/
        softmax again: The softmax runs twice: what is kept are probabilities already.
    """),
    hints=(
        "`logits.topk(top_k).values[..., -1:]` is the k-th largest of each row.",
        "Fill smaller ones with -inf, divide by the temperature, take the softmax.",
    ),
    solution=my_next_word,
)
