"""The right function of each exercise once more, by other means: the package's, loops, one device.

An exercise's own solution is edited to make its mistakes, and these cannot make any.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from attention_steps import (
    KVCache,
    MultiHeadAttention,
    alibi_bias,
    attention_scores,
    attention_weights,
    causal_mask,
    context_vectors,
    linear_attention,
    merge_attention,
    padding_mask,
    rotary_embedding,
    scaled_dot_product_attention,
    sinusoidal_positions,
    sliding_window_mask,
)

Part = Callable[[Tensor], Tensor]


def right_loss(logits: Tensor, tokens: Tensor) -> Tensor:
    """Sum up the surprise at each next word in loops, as an oracle of its own."""
    losses: list[Tensor] = [
        torch.logsumexp(logits[b, i], 0) - logits[b, i, tokens[b, i + 1]]
        for b in range(tokens.shape[0])
        for i in range(tokens.shape[1] - 1)
    ]
    return torch.stack(losses).mean()


def right_self_attention(inputs: Tensor, *matrices: Tensor) -> Tensor:
    query, key, value = right_project(inputs, *matrices)
    return scaled_dot_product_attention(query, key, value)


def right_project(inputs: Tensor, *matrices: Any) -> tuple[Tensor, ...]:
    return tuple(F.linear(inputs, W) for W in matrices)


def right_multi_head(inputs: Tensor, *rest: Any) -> Tensor:
    *matrices, num_heads = rest
    layer = MultiHeadAttention(inputs.shape[-1], num_heads, bias=False, out_bias=False)
    names = ("q_proj", "k_proj", "v_proj", "out_proj")
    weights = {f"{name}.weight": W for name, W in zip(names, matrices, strict=True)}
    result: Tensor = torch.func.functional_call(layer, weights, (inputs,))
    return result


def right_cross(inputs: Tensor, memory: Tensor, *matrices: Tensor) -> Tensor:
    query, key, value = map(F.linear, (inputs, memory, memory), matrices)
    return scaled_dot_product_attention(query, key, value)


def right_rotary_attention(query: Tensor, key: Tensor, value: Tensor, positions: Tensor) -> Tensor:
    query, key = (rotary_embedding(x, positions, interleaved=True) for x in (query, key))
    return scaled_dot_product_attention(query, key, value)


def right_turn(hands: Tensor) -> Tensor:
    """Multiply the tips by the sixth roots of 1, in the complex plane."""
    sixth = torch.polar(hands.new_ones(6), math.pi / 3 * torch.arange(6).to(hands))
    tips = torch.view_as_complex(hands.contiguous())
    return torch.view_as_real(torch.stack([tip * sixth[i % 6] for i, tip in enumerate(tips)]))


def right_block(x: Tensor, norm: Part, attention: Part, mlp: Part) -> Tensor:
    after_attention = x + attention(norm(x))
    return after_attention + mlp(norm(after_attention))


def right_induction(tokens: Tensor) -> Tensor:
    """Ask pair by pair whether a place follows an earlier copy of the query's word."""
    words = tokens.tolist()
    rows = [
        [0 < j <= i and words[j - 1] == words[i] for j in range(len(words))]
        for i in range(len(words))
    ]
    return torch.tensor(rows)


def right_share(key: Tensor, num_heads: int) -> Tensor:
    group = num_heads // key.shape[-3]
    return torch.stack([key.select(-3, head // group) for head in range(num_heads)], -3)


def right_documents(documents: Tensor) -> Tensor:
    d = documents.tolist()
    return torch.tensor([[j <= i and d[i] == d[j] for j in range(len(d))] for i in range(len(d))])


def right_heads_on_devices(inputs: Tensor, *rest: Any) -> Tensor:
    """Compute all heads in one place: every device has to return this."""
    *matrices, to_out, bias, _, world_size, _ = rest
    query, key, value = (torch.stack((inputs @ W.mT).chunk(world_size, -1)) for W in matrices)
    context = scaled_dot_product_attention(query, key, value)
    result: Tensor = torch.cat(context.unbind(), -1) @ to_out.mT + bias
    return result


def right_ring(query: Tensor, *rest: Any) -> Tensor:
    """Compute it in one place, each device from what all pass on: an oracle without turns."""
    key, value, rank, world_size, pass_on = rest
    parts = [(key, value)]
    for _ in range(world_size - 1):
        parts.append((pass_on(parts[-1][0]), pass_on(parts[-1][1])))
    in_order = [parts[(rank - origin) % world_size] for origin in range(world_size)]
    keys, values = (torch.cat(x, -2) for x in zip(*in_order, strict=True))
    mask = causal_mask(len(query), len(keys), offset=rank * len(query))
    return scaled_dot_product_attention(query, keys, values, mask)


def right_exchange(x: Tensor) -> Tensor:
    share = x.shape[2] // len(x)
    return torch.stack(
        [torch.cat([words[:, r * share : (r + 1) * share] for words in x]) for r in range(len(x))]
    )


def right_padded_loss(logits: Tensor, tokens: Tensor, pad: int) -> Tensor:
    """Collect the surprise at each next word that is no pad, in loops."""
    losses = [
        torch.logsumexp(row[i], 0) - row[i, words[i + 1]]
        for row, words in zip(logits, tokens, strict=True)
        for i in range(len(words) - 1)
        if words[i + 1] != pad
    ]
    return torch.stack(losses).mean()


def right_language_model(
    ids: Tensor, embedding: Tensor, position: Tensor, blocks: Sequence[Part], norm: Part
) -> Tensor:
    x = F.embedding(ids, embedding) + F.embedding(torch.arange(ids.shape[-1]), position)
    for block in blocks:
        x = block(x)
    return F.linear(norm(x), embedding)


def right_without_head(context: Tensor, to_out: Tensor, head: int) -> Tensor:
    """Add up the notes of all other heads."""
    columns = to_out.chunk(context.shape[-3], 1)
    notes = [x @ W.mT for x, W in zip(context.unbind(-3), columns, strict=True)]
    return torch.stack(notes[:head] + notes[head + 1 :]).sum(0)


def right_patched(
    x: Tensor, other: Tensor, blocks: Sequence[Part], layer: int, place: int
) -> Tensor:
    for block in blocks[:layer]:
        x, other = block(x), block(other)
    x = torch.cat((x[:place], other[place : place + 1], x[place + 1 :]))
    for block in blocks[layer:]:
        x = block(x)
    return x


def right_next_word(logits: Tensor, temperature: float, top_k: int) -> Tensor:
    kept = torch.full_like(logits, -math.inf)
    best = logits.topk(top_k)
    return kept.scatter(-1, best.indices, best.values / temperature).softmax(-1)


def right_batched(
    query: Tensor, keys: Sequence[Tensor], values: Sequence[Tensor], sizes: Sequence[int]
) -> Tensor:
    """Attend word by word: the last one of a text sees all, the one before it all but one."""
    rows, at = [], 0
    for key, value, size in zip(keys, values, sizes, strict=True):
        for left in reversed(range(size)):
            seen = len(key) - left
            rows.append(scaled_dot_product_attention(query[at : at + 1], key[:seen], value[:seen]))
            at += 1
    return torch.cat(rows)


def right_rounded(keys: Tensor, bits: int) -> Tensor:
    """Look among all numbers that can be read back for the nearest."""
    most = 2 ** (bits - 1) - 1
    scale = keys.abs().max(dim=-2, keepdim=True).values / most
    levels = torch.arange(-most, most + 1) * scale[..., None]
    nearest = (levels - keys[..., None]).abs().argmin(-1, keepdim=True)
    found: Tensor = levels.expand(*keys.shape, -1).gather(-1, nearest)
    return found[..., 0]


def right_guessed(p: Tensor, q: Tensor) -> tuple[Tensor, Tensor]:
    """Ask how often a word may be kept, and what is then missing to its share."""
    often = torch.minimum(p, q)
    missing = p - often
    return often / q, missing / (1 - often.sum(-1, keepdim=True))


ORACLES: dict[str, Callable[..., Any]] = {
    "embed": lambda token_ids, table: F.embedding(token_ids, table),
    "scores": attention_scores,
    "weights": attention_weights,
    "context": context_vectors,
    "project": right_project,
    "attention": lambda query, key, value: scaled_dot_product_attention(query, key, value),
    "self_attention": right_self_attention,
    "next_word_loss": right_loss,
    "causal_mask": lambda n: causal_mask(n),
    "masked_weights": attention_weights,
    "padding_mask": padding_mask,
    "padded_causal": lambda lengths, n: padding_mask(lengths, n) & causal_mask(n),
    "dropped": lambda weights, keep, p: torch.where(keep, weights / (1 - p), 0.0),
    "split_heads": lambda x, num_heads: torch.stack(x.chunk(num_heads, -1), -3),
    "merge_heads": lambda x: torch.cat(x.unbind(-3), -1),
    "multi_head": right_multi_head,
    "turn": right_turn,
    "one_step": lambda loss_of, number, nudge, rate: torch.lerp(
        number, number - (loss_of(number + nudge) - loss_of(number)), rate / nudge
    ),
    "cross": right_cross,
    "sinusoids": sinusoidal_positions,
    "alibi": lambda num_heads, n: alibi_bias(num_heads, n),
    "rotary": lambda x, positions: rotary_embedding(x, positions, interleaved=True),
    "rotary_attention": right_rotary_attention,
    "rms_norm": lambda x, weight, eps: F.rms_norm(x, weight.shape, weight, eps),
    "block": right_block,
    "induction": right_induction,
    "cache": KVCache,
    "cached_mask": lambda query_len, key_len: causal_mask(
        query_len, key_len, offset=key_len - query_len
    ),
    "share_heads": right_share,
    "window_mask": lambda n, window: sliding_window_mask(n, window=window),
    "merge": merge_attention,
    "tiles": lambda query, key, value, block_size: F.scaled_dot_product_attention(
        query, key, value
    ),
    "document_mask": right_documents,
    "linear": lambda query, key, value: linear_attention(query, key, value)[0],
    "heads_on_devices": right_heads_on_devices,
    "ring": right_ring,
    "exchange": right_exchange,
    "padded_loss": right_padded_loss,
    "language_model": right_language_model,
    "without_head": right_without_head,
    "patched": right_patched,
    "next_word": right_next_word,
    "batched": right_batched,
    "paged": lambda pool, table, length: pool[table].flatten(0, 1)[:length],
    "rounded": right_rounded,
    "guessed": right_guessed,
}
