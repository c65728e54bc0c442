"""Parts 4 and 5: attention at scale, and a language model."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from attention_practice._devices import PassOn, joined, on_devices, sum_over
from attention_practice._exercise import Case, Exercise, Function, Wrong, known
from attention_practice._inputs import (
    BATCH,
    BLOCKS,
    COLUMNS,
    EMBEDDING,
    INPUTS,
    MATRICES,
    SENTENCE,
    UNEVEN,
    WORDS,
    Part,
    norm,
    numbers,
    vectors,
)
from attention_practice._outcome import FormError, are_tensors
from attention_steps.core import scaled_dot_product_attention
from attention_steps.tiles import attention_with_lse, merge_attention


class _Cache:
    """A cache that makes the mistakes it is told to make."""

    def __init__(self, wrong: Wrong) -> None:
        self.wrong = wrong
        self.key: Tensor | None = None
        self.value: Tensor | None = None

    def append(self, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        if self.key is None or self.value is None or "replaced" in self.wrong:
            self.key, self.value = key, value
            return (key, key) if "keys twice" in self.wrong else (key, value)
        keys = self._joined(self.key, key)
        values = value if "keys only" in self.wrong else self._joined(self.value, value)
        if "not kept" not in self.wrong:
            self.key, self.value = keys, values
        return (keys, keys) if "keys twice" in self.wrong else (keys, values)

    def _joined(self, old: Tensor, new: Tensor) -> Tensor:
        pair = (new, old) if "in front" in self.wrong else (old, new)
        return torch.cat(pair, 0 if "axis 0" in self.wrong else -2)


def _feed(make_cache: Callable[[], Any], inputs: tuple[Any, ...]) -> list[Tensor] | None:
    """Append key and value in pieces, and collect the keys and values that come back."""
    key, value, *lengths = inputs
    cache, given = make_cache(), []
    for k, v in zip(key.split(lengths, -2), value.split(lengths, -2), strict=True):
        pair = cache.append(k, v)
        if pair is None:
            return None
        returned = list(pair) if isinstance(pair, tuple | list) else [pair]
        if len(returned) != 2 or not are_tensors(returned):
            types = ", ".join(type(x).__name__ for x in returned)
            raise FormError(
                f"append should return two tensors, all keys and all values, and returned: {types}."
            )
        given += returned
    return given


class MyCache:
    def __init__(self):
        self.key = self.value = None

    def append(self, key, value):
        if self.key is not None:
            key = torch.cat((self.key, key), dim=-2)
            value = torch.cat((self.value, value), dim=-2)
        self.key, self.value = key, value
        return key, value


def _cached_mask(wrong: Wrong, query_len: int, key_len: int) -> Tensor:
    offset = 0 if "top left" in wrong else key_len - query_len
    offset += ("one ahead" in wrong) - ("one short" in wrong)
    mask = torch.arange(key_len) <= torch.arange(query_len)[:, None] + offset
    mask = torch.ones_like(mask) if "all" in wrong else mask
    return ~mask if "inverted" in wrong else mask


def my_cached_mask(query_len, key_len):
    place = torch.arange(query_len)[:, None] + key_len - query_len
    return torch.arange(key_len) <= place


def _share_heads(wrong: Wrong, key: Tensor, num_heads: int) -> Tensor:
    dim = 0 if "axis 0" in wrong else -2 if "words" in wrong else -3
    times = num_heads if "too often" in wrong else num_heads // key.shape[-3]
    if "in turn" in wrong:
        return torch.cat([key] * times, dim)
    return key.repeat_interleave(times, dim)


def my_share_heads(key, num_heads):
    return key.repeat_interleave(num_heads // key.shape[-3], dim=-3)


def _window_mask(wrong: Wrong, n: int, window: int) -> Tensor:
    back = torch.arange(n)[:, None] - torch.arange(n)
    window += ("one more" in wrong) - ("one less" in wrong)
    near = torch.ones_like(back, dtype=torch.bool) if "no end" in wrong else back < window
    mask = near & (back > -window if "both sides" in wrong else back >= 0)
    return ~mask if "inverted" in wrong else mask


def my_window_mask(n, window):
    i, j = torch.arange(n)[:, None], torch.arange(n)
    return (j <= i) & (j > i - window)


TWO_PARTS = (
    *attention_with_lse(INPUTS, INPUTS[:2], INPUTS[:2], scale=1.0),
    *attention_with_lse(INPUTS, INPUTS[2:], INPUTS[2:], scale=1.0),
)


FAR_APART = (
    numbers(3, 2),
    torch.tensor([0.0, 200.0, -150.0]),
    numbers(3, 2, start=1),
    torch.tensor([100.0, 201.0, -300.0]),
)


EMPTY_PART = (
    numbers(2, 2),
    torch.tensor([0.3, 0.1]),
    torch.zeros(2, 2),
    torch.full((2,), -math.inf),
)


def _merge(
    wrong: Wrong, context_1: Tensor, lse_1: Tensor, context_2: Tensor, lse_2: Tensor
) -> tuple[Tensor, Tensor]:
    lse = torch.logaddexp(lse_1, lse_2)
    shares = [(part - lse).exp() for part in (lse_1, lse_2)]
    if "no maximum" in wrong:
        total = lse_1.exp() + lse_2.exp()
        lse, shares = total.log(), [part.exp() / total for part in (lse_1, lse_2)]
    if "plain shares" in wrong:
        shares = [part / (lse_1 + lse_2) for part in (lse_1, lse_2)]
    if "averaged" in wrong:
        shares = [torch.full_like(lse_1, 0.5)] * 2
    one, two = reversed(shares) if "exchanged" in wrong else shares
    lse = torch.maximum(lse_1, lse_2) if "larger lse" in wrong else lse
    lse = lse_1 + lse_2 if "lse added" in wrong else lse
    return one[..., None] * context_1 + two[..., None] * context_2, lse


def my_merge(context_1, lse_1, context_2, lse_2):
    lse = torch.logaddexp(lse_1, lse_2)
    share_1, share_2 = ((part - lse).exp()[..., None] for part in (lse_1, lse_2))
    return share_1 * context_1 + share_2 * context_2, lse


ONE_QUERY, PAIRS = torch.tensor([[1.0]]), numbers(3, 2, start=4)


LARGE_SCORES = (
    torch.tensor([[9.0, 2.0]]),
    torch.tensor([[1.0, 0.0], [20.0, 1.0], [20.0, 0.0]]),
    torch.eye(3),
)


def _tiles(wrong: Wrong, query: Tensor, key: Tensor, value: Tensor, block_size: int) -> Tensor:
    key_len = key.shape[-2]
    if "last dropped" in wrong:
        key_len = key_len // block_size * block_size
    keys = torch.split(key[..., :key_len, :], block_size, -2) if key_len else ()
    values = torch.split(value[..., :key_len, :], block_size, -2) if key_len else ()
    largest = query.new_full((*query.shape[:-1], 1), -math.inf)
    total = torch.zeros_like(largest)
    context = query.new_zeros(*query.shape[:-1], value.shape[-1])
    by_itself = []
    for k, v in zip(keys, values, strict=True):
        scores = query @ k.mT / (1.0 if "no scale" in wrong else math.sqrt(query.shape[-1]))
        by_itself.append(scores.softmax(-1) @ v)
        new = torch.maximum(largest, scores.amax(-1, keepdim=True))
        new = torch.zeros_like(new) if "no maximum" in wrong else new
        new = scores.amax(-1, keepdim=True) if "own maximum" in wrong else new
        shares, shrink = (scores - new).exp(), (largest - new).exp()
        if wrong & {"not shrunk", "no maximum", "own maximum"}:
            shrink = torch.ones_like(shrink)
        total = total * shrink + shares.sum(-1, keepdim=True)
        context = context * (1.0 if "context not shrunk" in wrong else shrink) + shares @ v
        largest = new
    if by_itself and "tiles added" in wrong:
        return torch.stack(by_itself).sum(0)
    if by_itself and "averaged" in wrong:
        return torch.stack(by_itself).mean(0)
    return context if "not divided" in wrong else context / total


def my_tiles(query, key, value, block_size):
    largest = query.new_full((*query.shape[:-1], 1), -math.inf)
    total, context = torch.zeros_like(largest), 0.0
    keys, values = key.split(block_size, -2), value.split(block_size, -2)
    for k, v in zip(keys, values, strict=True):
        scores = query @ k.mT / math.sqrt(query.shape[-1])
        new = torch.maximum(largest, scores.amax(-1, keepdim=True))
        shares, shrink = (scores - new).exp(), (largest - new).exp()
        total = total * shrink + shares.sum(-1, keepdim=True)
        context, largest = context * shrink + shares @ v, new
    return context / total


def _document_mask(wrong: Wrong, documents: Tensor) -> Tensor:
    same = documents[:, None] == documents
    same = documents[:, None] >= documents if "earlier documents" in wrong else same
    causal = torch.ones_like(same).tril()
    if "documents alone" in wrong:
        mask = same
    elif "causal alone" in wrong:
        mask = causal
    else:
        mask = same | causal if "or" in wrong else same & causal
    return ~mask if "inverted" in wrong else mask


def my_document_mask(documents):
    return (documents[:, None] == documents).tril()


def _linear(wrong: Wrong, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    table = query @ key.mT
    if "overwritten" in wrong:
        table = table * torch.eye(table.shape[-1]).to(table)
    elif "not causal" not in wrong:
        table = table.tril(-1 if "read first" in wrong else 0)
    context = table @ value / (math.sqrt(query.shape[-1]) if "scaled" in wrong else 1.0)
    if "divided" in wrong:
        context = context / torch.arange(1, context.shape[-2] + 1)[:, None]
    return context


def my_linear(query, key, value):
    return (query @ key.mT).tril() @ value


def _run_heads(function: Function, inputs: tuple[Any, ...]) -> Any:
    *tensors, world_size = inputs

    def work(rank: int, pass_on: PassOn) -> Any:
        def add_up(x: Tensor) -> Tensor:
            return sum_over(x, pass_on, world_size)

        return function(*tensors, rank, world_size, add_up)

    return joined(on_devices(work, world_size), torch.stack)


def _heads_on_devices(
    wrong: Wrong,
    inputs: Tensor,
    W_query: Tensor,
    W_key: Tensor,
    W_value: Tensor,
    W_out: Tensor,
    bias: Tensor,
    rank: int,
    world_size: int,
    sum_over: Callable[[Tensor], Tensor],
) -> Tensor:
    if "all heads" in wrong:
        rank, world_size = 0, 1
    query, key, value = (inputs @ W.chunk(world_size)[rank].mT for W in (W_query, W_key, W_value))
    context = scaled_dot_product_attention(query, key, value)
    if "rows of W_out" in wrong:
        found = context @ W_out.chunk(world_size)[rank]
    else:
        found = context @ W_out.chunk(world_size, 1)[rank].mT
    if "bias everywhere" in wrong:
        return sum_over(found + bias)
    found = found if "not summed" in wrong else sum_over(found)
    return found if "no bias" in wrong else found + bias


# fmt: off
def my_heads_on_devices(
    inputs, W_query, W_key, W_value, W_out, bias, rank, world_size, sum_over
):
    query, key, value = (
        inputs @ W.chunk(world_size)[rank].mT for W in (W_query, W_key, W_value)
    )
    context = scaled_dot_product_attention(query, key, value)
    return sum_over(context @ W_out.chunk(world_size, dim=1)[rank].mT) + bias
# fmt: on


def _run_ring(function: Function, inputs: tuple[Any, ...]) -> Any:
    query, key, value, world_size = inputs

    def work(rank: int, pass_on: PassOn) -> Any:
        shares = [x.chunk(world_size, -2)[rank] for x in (query, key, value)]
        return function(*shares, rank, world_size, pass_on)

    return joined(on_devices(work, world_size), torch.cat)


def _ring(
    wrong: Wrong,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    rank: int,
    world_size: int,
    pass_on: PassOn,
) -> Tensor:
    n = query.shape[-2]
    own = rank * n + torch.arange(n)
    origin = rank
    parts = []
    for _ in range(world_size - ("one turn short" in wrong) + ("one turn more" in wrong)):
        theirs = (rank if "own places" in wrong else origin) * n + torch.arange(n)
        allowed = theirs <= own[:, None]
        allowed = torch.ones_like(allowed) if "not causal" in wrong else allowed
        parts.append(attention_with_lse(query, key, value, allowed))
        key = pass_on(key)
        value = value if "values stay" in wrong else pass_on(value)
        origin = (origin + (1 if "order" in wrong else -1)) % world_size
    if "averaged" in wrong:
        return torch.stack([context for context, _ in parts]).mean(0)
    context, lse = parts[0]
    for part in parts[1:]:
        context, lse = merge_attention(context, lse, *part)
    return context


def my_ring(query, key, value, rank, world_size, pass_on):
    n = torch.arange(len(query))
    done = None
    for turn in range(world_size):
        origin = (rank - turn) % world_size
        allowed = origin * len(n) + n <= (rank * len(n) + n)[:, None]
        part = attention_with_lse(query, key, value, allowed)
        done = merge_attention(*done, *part) if done else part
        key, value = pass_on(key), pass_on(value)
    return done[0]


def _exchange(wrong: Wrong, x: Tensor) -> Tensor:
    devices, words, heads, head_dim = x.shape
    share = heads // devices
    if "gathered" in wrong:
        return x.flatten(0, 1).expand(devices, -1, -1, -1)
    if "reshaped" in wrong:
        return x.reshape(devices, devices * words, share, head_dim)
    if "heads in turn" in wrong:
        cut = x.reshape(devices, words, share, devices, head_dim).transpose(2, 3)
    else:
        cut = x.reshape(devices, words, devices, share, head_dim)
    by_head = cut.movedim(2, 0)
    by_head = by_head.transpose(1, 2) if "words in turn" in wrong else by_head
    by_head = by_head.flip(1) if "order" in wrong else by_head
    return by_head.flatten(1, 2)


def my_exchange(x):
    return x.unflatten(2, (len(x), -1)).movedim(2, 0).flatten(1, 2)


def _padded_loss(wrong: Wrong, logits: Tensor, tokens: Tensor, pad: int) -> Tensor:
    guess, read, word = logits[:, :-1], tokens[:, :-1], tokens[:, 1:]
    if "shifted back" in wrong:
        guess, read, word = logits[:, 1:], word, read
    if "no shift" in wrong:
        guess, read, word = logits, tokens, tokens
    counted = (read if "mask of what is read" in wrong else word) != pad
    counted = torch.ones_like(counted) if "pads are words" in wrong else counted
    guess = guess.softmax(-1) if "softmax first" in wrong else guess
    losses = F.cross_entropy(guess.mT, word, reduction="none") * counted
    if "sum" in wrong:
        return losses.sum()
    if "mean of means" in wrong:
        return (losses.sum(1) / counted.sum(1)).mean()
    return losses.mean() if "pads counted" in wrong else losses.sum() / counted.sum()


def my_padded_loss(logits, tokens, pad):
    guesses, words = logits[:, :-1].flatten(0, 1), tokens[:, 1:].flatten()
    return F.cross_entropy(guesses, words, ignore_index=pad)


VOCABULARY = list(EMBEDDING)


TABLE = vectors(" ".join(VOCABULARY))


IDS = torch.tensor([VOCABULARY.index(word) for word in WORDS])


def _language_model(
    wrong: Wrong,
    ids: Tensor,
    embedding: Tensor,
    position: Tensor,
    blocks: Sequence[Part],
    norm: Part,
) -> Tensor:
    x = embedding[ids]
    places = ids if "places of ids" in wrong else torch.arange(ids.shape[-1])
    x = x if "no places" in wrong else x + position[places]
    x = norm(x) if "norm first" in wrong else x
    start = x
    for block in blocks:
        found = block(start if "not stacked" in wrong else x)
        x = x + found if "added twice" in wrong else found
    x = x if wrong & {"no norm", "norm first"} else norm(x)
    logits = x @ (embedding if "no transpose" in wrong else embedding.mT)
    logits = logits.softmax(-1) if "softmax" in wrong else logits
    return logits[..., -1, :] if "last word only" in wrong else logits


def my_language_model(ids, embedding, position, blocks, norm):
    x = embedding[ids] + position[: ids.shape[-1]]
    for block in blocks:
        x = block(x)
    return norm(x) @ embedding.mT


def _without_head(wrong: Wrong, context: Tensor, W_out: Tensor, head: int) -> Tensor:
    num_heads, _, head_dim = context.shape[-3:]
    first = (head - ("from 1" in wrong)) * head_dim
    off = slice(head, None, num_heads) if "in turn" in wrong else slice(first, first + head_dim)
    left = W_out.clone()
    if "not used" not in wrong:
        left[off if "rows" in wrong else (slice(None), off)] = 0
    left = W_out - left if "that head alone" in wrong else left
    left = left * num_heads / (num_heads - 1) if "scaled" in wrong else left
    return context.transpose(-3, -2).flatten(-2) @ (left if "no transpose" in wrong else left.mT)


def my_without_head(context, W_out, head):
    context = context.clone()
    context[..., head, :, :] = 0
    return context.transpose(-3, -2).flatten(-2) @ W_out.mT


RICH = vectors("the duck likes the rich bank")


def _patched(
    wrong: Wrong, x: Tensor, other: Tensor, blocks: Sequence[Part], layer: int, place: int
) -> Tensor:
    x, other = (other, x) if "exchanged" in wrong else (x, other)
    start, here = other, torch.arange(len(x))[:, None] == place
    here = torch.ones_like(here) if "all places" in wrong else here
    for number, block in enumerate(blocks):
        is_here = number == (0 if "at the start" in wrong else layer) or "every block" in wrong
        is_here = is_here and "not used" not in wrong
        if is_here and "after" not in wrong:
            x = torch.where(here, start if "not run" in wrong else other, x)
        x, other = block(x), block(other)
        if is_here and "after" in wrong:
            x = torch.where(here, start if "not run" in wrong else other, x)
    return x


def my_patched(x, other, blocks, layer, place):
    for number, block in enumerate(blocks):
        if number == layer:
            x = x.clone()
            x[place] = other[place]
        x, other = block(x), block(other)
    return x


def _next_word(wrong: Wrong, logits: Tensor, temperature: float, top_k: int) -> Tensor:
    row = logits.flatten() if "across the batch" in wrong else logits
    kth = row.sort(-1, descending=True).values[..., top_k - 1 : top_k]
    out = logits <= kth if "one less" in wrong and top_k > 1 else logits < kth
    out = torch.zeros_like(out) if "top_k unused" in wrong else out
    divisor = 1 / temperature if "times" in wrong else temperature
    first = 1.0 if "temperature last" in wrong else divisor
    if "not shared again" in wrong:
        chances = (logits / first).softmax(-1).masked_fill(out, 0.0)
    else:
        kept = logits.masked_fill(out, 0.0 if "zero" in wrong else -math.inf)
        chances = (kept / first).softmax(-1)
    return chances / divisor if "temperature last" in wrong else chances


def my_next_word(logits, temperature, top_k):
    kth = logits.topk(top_k).values[..., -1:]
    kept = logits.masked_fill(logits < kth, -math.inf)
    return torch.softmax(kept / temperature, dim=-1)


EXERCISES = (
    Exercise(
        name="cache",
        part=4,
        task=(
            "A class whose append(key, value) puts the new rows, (..., n, E), after those that are "
            'kept, and returns all keys and all values. Give the class itself: check("cache", '
            "MyCache)."
        ),
        page="steps/13-kv-cache/",
        attempt=_Cache,
        run=_feed,
        differentiable=False,
        results=tuple(
            f"{what} after the {which} piece"
            for which in ("first", "second", "third")
            for what in ("keys", "values")
        ),
        cases=(
            Case(
                "words 0 to 2, then 3, then 4 and 5", (INPUTS, INPUTS.flip(1), 3, 1, 2), (), COLUMNS
            ),
            Case("two heads", (numbers(2, 4, 3), numbers(2, 4, 2, start=1), 2, 1, 1)),
        ),
        mistakes=known("""
        in front: New words come before the old ones. Put them after the old ones.
            Read: steps/13-kv-cache/#keep-them
        replaced: Each piece replaces the rows that were kept, so the earlier words are lost.
            Read: steps/13-kv-cache/#keep-them
        keys only: The keys are kept, and the values are not.
            Read: steps/13-kv-cache/#keep-them
        not kept: The joined rows are returned and not kept: the third piece is joined to the first.
            Read: steps/13-kv-cache/#keep-them
        axis 0: The pieces are joined along axis 0. With heads in front that is the axis of the
            heads: the words are dim=-2.
            Read: steps/13-kv-cache/#the-formula
        keys twice: The keys are returned as values.
            Read: steps/13-kv-cache/#keep-them
    """),
        hints=(
            "`torch.cat((self.key, key), dim=-2)`: words are the last axis but one.",
            "The first time there is nothing to join to.",
        ),
        solution=MyCache,
    ),
    Exercise(
        name="cached_mask",
        part=4,
        task=(
            "The causal mask of new words after a cache, (query_len, key_len): the last query has "
            "the place of the last key."
        ),
        page="steps/13-kv-cache/",
        attempt=_cached_mask,
        differentiable=False,
        cases=(
            Case("“muddy bank” after “the duck likes the”", (2, 6), ("muddy", "bank"), WORDS),
            Case("one new word", (1, 6), ("bank",), WORDS),
            Case("no cache yet", (4, 4)),
        ),
        mistakes=known("""
        top left: Query 0 has the place of key 0, as with is_causal=True, so the new words attend to
            the first words only. Move the queries to the end, by key_len - query_len.
            Read: steps/13-kv-cache/#one-query-sees-the-first-key-only
        one short: No word attends to itself: off by one.
            Read: steps/13-kv-cache/#the-formula
        one ahead: A word attends to the next one: off by one.
            Read: steps/13-kv-cache/#the-formula
        all: Every query attends to every key, which is right for a single new word, and wrong for
            several.
            Read: steps/13-kv-cache/#the-formula
        inverted: True and False have changed places. True means that a query may attend to the key.
            Read: guides/mask-conventions/#what-true-means-in-attn_mask
    """),
        hints=(
            "Query i has place i + key_len - query_len.",
            "It may attend to key j if j is at most that place.",
        ),
        solution=my_cached_mask,
    ),
    Exercise(
        name="share_heads",
        part=4,
        task=(
            "Repeat each head of keys for its group of neighbouring query heads: (..., "
            "num_kv_heads, S, E) -> (..., num_heads, S, E)."
        ),
        page="steps/14-shared-heads/",
        attempt=_share_heads,
        cases=(
            Case("two heads for four", (numbers(2, 3, 2), 4)),
            Case("three heads for six, a batch of two", (numbers(2, 3, 2, 2, start=1), 6)),
            Case("one head for all four", (numbers(1, 3, 2, start=2), 4)),
        ),
        mistakes=known("""
        in turn: The heads come as 0 1 0 1. Neighbours share, 0 0 1 1: repeat_interleave.
            Read: steps/14-shared-heads/#shared-heads-in-the-wrong-order
        words: The words are repeated. The heads should be, dim=-3.
            Read: steps/14-shared-heads/#the-formula
        too often: Each head is repeated num_heads times. Repeat it num_heads // num_kv_heads times.
            Read: steps/14-shared-heads/#the-formula
        axis 0: Axis 0 is repeated. With a batch in front that is the batch: the heads are dim=-3.
            Read: steps/14-shared-heads/#the-formula
    """),
        hints=(
            "A group has num_heads // num_kv_heads heads.",
            "`repeat` gives 0 1 0 1, and `repeat_interleave` 0 0 1 1.",
        ),
        solution=my_share_heads,
    ),
    Exercise(
        name="window_mask",
        part=4,
        task=(
            "A boolean mask (n, n): each word attends to the last `window` words, itself among "
            "them."
        ),
        page="steps/15-windows-and-sinks/",
        attempt=_window_mask,
        differentiable=False,
        cases=(
            Case(f"{SENTENCE}, window 3", (6, 3), WORDS, WORDS),
            Case("window 1", (4, 1)),
            Case("a window longer than the text", (3, 5)),
        ),
        mistakes=known("""
        one more: The window has one key too many: the word itself is counted in it.
            Read: guides/mask-conventions/#is-the-query-counted-in-a-window
        one less: The window has one key too few.
            Read: guides/mask-conventions/#is-the-query-counted-in-a-window
        both sides: The window also opens forward.
            Read: steps/15-windows-and-sinks/#the-formula
        no end: Each word attends to everything before it: that is the causal mask.
            Read: steps/15-windows-and-sinks/#a-window-of-three
        inverted: True and False have changed places. True means that a query may attend to the key.
            Read: guides/mask-conventions/#what-true-means-in-attn_mask
    """),
        hints=(
            "Two conditions: j <= i, and j is not too far back.",
            "The last `window` words of place i are i - window + 1 to i.",
        ),
        solution=my_window_mask,
    ),
    Exercise(
        name="merge",
        part=4,
        task=(
            "Merge attention to some keys with attention to the other keys. Return the context and "
            "its log-sum-exp: contexts are (L, Ev), log-sum-exps (L,)."
        ),
        page="steps/16-softmax-in-parts/",
        attempt=_merge,
        results=("context", "lse"),
        cases=(
            Case("“the duck” and “likes the muddy bank”", TWO_PARTS, WORDS, COLUMNS),
            Case("log-sum-exps of 100 and more", FAR_APART),
            Case("a part in which all is hidden", EMPTY_PART),
        ),
        mistakes=known("""
        averaged: The two contexts are averaged, so a part with a small sum counts as much as one
            with a large sum.
            Read: steps/16-softmax-in-parts/#the-contexts-are-averaged
        plain shares: The parts are weighted by their log-sum-exp. Weight them by its exponential.
            Read: steps/16-softmax-in-parts/#two-volumes
        no maximum: Your numbers are NaN or infinite where a log-sum-exp is large, because exp(100)
            is more than a float32 can hold. torch.logaddexp subtracts the larger one first.
            Read: steps/16-softmax-in-parts/#the-largest-may-still-come
        exchanged: Each context has the share of the other part.
            Read: steps/16-softmax-in-parts/#two-volumes
        lse added: The log-sum-exps are added. Add the sums of which they are the logarithms.
            Read: steps/16-softmax-in-parts/#the-formula
        larger lse: Only the larger log-sum-exp is returned. Both parts count.
            Read: steps/16-softmax-in-parts/#the-formula
    """),
        hints=(
            "A part counts by its share of the whole sum, exp(lse_1 - lse).",
            "`torch.logaddexp(lse_1, lse_2)` is the log-sum-exp of both.",
            "A share belongs to a row: `[..., None]`.",
        ),
        solution=my_merge,
    ),
    Exercise(
        name="tiles",
        part=4,
        task=(
            "Attention to `block_size` keys at a time, never to all keys at once. Divide the "
            "scores by the root of head_dim: (L, E), (S, E), (S, Ev) -> (L, Ev)."
        ),
        page="steps/17-tiles/",
        attempt=_tiles,
        cases=(
            Case(f"{SENTENCE}, three keys at a time", (INPUTS, INPUTS, INPUTS, 3), WORDS, COLUMNS),
            Case("blocks that do not divide the length", (*UNEVEN, 3)),
            Case("scores of 100 and more", (*LARGE_SCORES, 1)),
            Case(
                "scores that fall", (ONE_QUERY, torch.tensor([[200.0], [0.0], [100.0]]), PAIRS, 1)
            ),
            Case(
                "scores below -100",
                (ONE_QUERY, torch.tensor([[-200.0], [-201.0], [-203.0]]), PAIRS, 1),
            ),
            Case("one block", (*UNEVEN, 10)),
        ),
        long=(numbers(96, 2), numbers(97, 2, start=1), numbers(97, 2, start=2), 5),
        mistakes=known("""
        not shrunk: The words before a larger score count too much. When the maximum grows, multiply
            the sum and the context so far by exp(old maximum - new maximum).
            Read: steps/16-softmax-in-parts/#the-sums-are-not-shrunk
        context not shrunk: When the maximum grows, the sum so far shrinks and the context so far
            does not.
            Read: steps/16-softmax-in-parts/#the-sums-are-not-shrunk
        tiles added: Each block has a softmax of its own, and the results are added: the weights of
            a row add up to the number of blocks.
            Read: steps/16-softmax-in-parts/#every-word-changes-all-shares
        averaged: Each block has a softmax of its own, and the results are averaged.
            Read: steps/16-softmax-in-parts/#the-contexts-are-averaged
        last dropped: The last keys are left out where block_size does not divide their number.
            Read: steps/17-tiles/#forward-one-tile-at-a-time
        no maximum: Your numbers are NaN where scores are large, because exp(100) is more than a
            float32 can hold. Subtract the largest score so far.
            Read: steps/16-softmax-in-parts/#the-largest-may-still-come
        own maximum: Blocks with small scores count as much as blocks with large ones: each block
            subtracts a maximum of its own. Bring both to one maximum before you add.
            Read: steps/16-softmax-in-parts/#the-sums-are-not-shrunk
        not divided: Your context is too large by the sum of its shares: it is never divided by it.
            Divide once, after the last block.
            Read: steps/17-tiles/#forward-one-tile-at-a-time
        no scale: The scores are not divided by the square root of head_dim.
            Read: steps/06-why-divide-by-the-square-root/#the-formula
    """),
        hints=(
            "Keep three things for each query: the largest score so far, the sum, and the context "
            "that is not divided yet.",
            "A block brings a new maximum. Shrink sum and context by exp(old - new), then add.",
            "Divide once, at the end.",
        ),
        solution=my_tiles,
    ),
    Exercise(
        name="document_mask",
        part=4,
        task=(
            "A boolean mask (n, n) for documents packed one after the other: True at the query's "
            "own word and at earlier words of the same document. documents is (n,)."
        ),
        page="steps/18-chosen-pairs/",
        attempt=_document_mask,
        differentiable=False,
        cases=(
            Case("documents 0 0 0 1 1 2", (torch.tensor([0, 0, 0, 1, 1, 2]),)),
            Case("documents 3 3 1 1", (torch.tensor([3, 3, 1, 1]),)),
        ),
        mistakes=known("""
        causal alone: Words attend to earlier documents: the documents are not compared.
            Read: steps/18-chosen-pairs/#sentences-are-packed-without-a-rule
        documents alone: Words attend to later words of their document: the causal rule is missing.
            Read: steps/08-causal-masks/#the-formula
        or: A key is allowed if either rule allows it. Both must: `&`.
            Read: steps/18-chosen-pairs/#and-in-a-rule
        earlier documents: Words attend to documents with a smaller number. The two numbers must be
            equal.
            Read: steps/18-chosen-pairs/#a-mask-is-a-function-of-two-places
        inverted: True and False have changed places. True means that a query may attend to the key.
            Read: guides/mask-conventions/#what-true-means-in-attn_mask
    """),
        hints=(
            "Two rules, each a table (n, n) by broadcasting; `&` joins them.",
            "`documents[:, None] == documents` compares all pairs.",
        ),
        solution=my_document_mask,
    ),
    Exercise(
        name="linear",
        part=4,
        task=(
            "Attention without a softmax: each word adds the product of its key and its value to a "
            "state (E, Ev), and then reads the state with its query: (..., n, E), (..., n, E), "
            "(..., n, Ev) -> (..., n, Ev)."
        ),
        page="steps/19-without-softmax/",
        attempt=_linear,
        cases=(
            Case(SENTENCE, (INPUTS, INPUTS, INPUTS), WORDS, COLUMNS),
            Case(
                "values of two components",
                (numbers(5, 3), numbers(5, 3, start=1), numbers(5, 2, start=2)),
            ),
            Case(
                "two heads",
                (numbers(2, 4, 3), numbers(2, 4, 3, start=1), numbers(2, 4, 2, start=2)),
            ),
        ),
        mistakes=known("""
        not causal: Each word reads a state that all words have written, later ones too.
            Read: steps/19-without-softmax/#written-as-it-is-read
        read first: Each word reads before it writes, so it does not read itself.
            Read: steps/19-without-softmax/#written-as-it-is-read
        overwritten: Each word replaces the state. Add to the state.
            Read: steps/19-without-softmax/#written-as-it-is-read
        scaled: The queries are divided by the root of head_dim. Without a softmax nothing is
            divided here.
            Read: steps/19-without-softmax/#the-formula
        divided: Each row is divided by the number of words so far. Nothing is divided here.
            Read: steps/19-without-softmax/#the-formula
    """),
        hints=(
            "A word writes `key[t][:, None] * value[t]`.",
            "All at once: query @ key.mT, with the later keys set to 0, times value.",
        ),
        solution=my_linear,
    ),
    Exercise(
        name="heads_on_devices",
        part=4,
        task=(
            "One layer on world_size devices, a head each. This device takes its rows of W_query, "
            "W_key and W_value and its columns of W_out; sum_over(x) returns the sum of x over all "
            "devices. Every device returns the whole result, with the bias."
        ),
        page="steps/20-heads-on-devices/",
        attempt=_heads_on_devices,
        run=_run_heads,
        differentiable=False,
        in_pairs=False,
        cases=(
            Case(f"{SENTENCE} on two devices", (INPUTS, *MATRICES, numbers(4, start=3), 2), WORDS),
            Case("four devices", (numbers(3, 4, start=5), *MATRICES, numbers(4, start=6), 4)),
        ),
        mistakes=known("""
        not summed: Each device returns the part of its own heads. sum_over adds them up.
            Read: steps/20-heads-on-devices/#by-hand-with-a-list
        bias everywhere: The bias is counted once for each device: it is added before the sum. Add
            it after.
            Read: steps/20-heads-on-devices/#every-device-adds-the-bias
        rows of W_out: This device takes rows of W_out. Its context has the components of its heads,
            and their weights are columns of W_out.
            Read: steps/20-heads-on-devices/#two-ways-to-cut-a-matrix
        all heads: Each device computes one head of the whole width, so the sum is too large. A
            device takes its rows: `W.chunk(world_size)[rank]`.
            Read: steps/20-heads-on-devices/#a-device-splits-its-rows-into-all-heads
        no bias: The bias is missing.
            Read: steps/20-heads-on-devices/#the-formula
    """),
        hints=(
            "`W_query.chunk(world_size)[rank]` are this device's rows, and "
            "`W_out.chunk(world_size, dim=1)[rank]` its columns.",
            "Attention in one head, times its columns, summed over all devices; the bias last.",
        ),
        solution=my_heads_on_devices,
    ),
    Exercise(
        name="ring",
        part=4,
        task=(
            "Causal attention on a ring of devices. This device holds part number `rank` of query, "
            "key and value. pass_on(x) gives x to the next device and returns the tensor of the "
            "device before. Use attention_with_lse for each part, then merge_attention."
        ),
        page="steps/21-sequence-on-devices/",
        attempt=_ring,
        run=_run_ring,
        differentiable=False,
        in_pairs=False,
        cases=(
            Case(f"{SENTENCE} on three devices", (INPUTS, INPUTS, INPUTS, 3), WORDS, COLUMNS),
            Case(
                "four words on two devices",
                (numbers(4, 3), numbers(4, 3, start=1), numbers(4, 2, start=2), 2),
            ),
        ),
        mistakes=known("""
        own places: The mask uses this device's places for all keys. Keys that came from another
            device have the places of that device.
            Read: steps/21-sequence-on-devices/#the-causal-flag-on-every-volume
        order: The mask takes the keys for those of the next device. After one turn, the keys here
            are those of the device before, rank - 1.
            Read: steps/21-sequence-on-devices/#by-hand-with-a-list
        values stay: The keys travel, and the values stay.
            Read: steps/21-sequence-on-devices/#by-hand-with-a-list
        one turn short: One turn is missing: the queries have not met the last part.
            Read: steps/21-sequence-on-devices/#by-hand-with-a-list
        one turn more: One turn too many: this device's own part comes round again and counts twice.
            Read: steps/21-sequence-on-devices/#by-hand-with-a-list
        not causal: Every word attends to every word: the causal mask is missing.
            Read: steps/08-causal-masks/#the-formula
        averaged: The parts are averaged. merge_attention weighs them by their log-sum-exp.
            Read: steps/16-softmax-in-parts/#the-contexts-are-averaged
    """),
        hints=(
            "world_size turns. In each: attend to the part that is here, merge, pass keys and "
            "values on.",
            "After `turn` turns the keys here are those of device (rank - turn) % world_size.",
            "Word k of part r has place r * n + k.",
        ),
        solution=my_ring,
    ),
    Exercise(
        name="exchange",
        part=4,
        task=(
            "An all-to-all, as one computation for all devices: device r holds its words with all "
            "heads, x[r] of (words, num_heads, head_dim), and gets all words with its share of the "
            "heads: (devices, words, num_heads, head_dim) -> (devices, devices * words, num_heads "
            "/ devices, head_dim)."
        ),
        page="steps/22-all-to-all/",
        attempt=_exchange,
        cases=(
            Case("two devices, three words and four heads each", (numbers(2, 3, 4, 2),)),
            Case("three devices, one word and three heads each", (numbers(3, 1, 3, 2, start=1),)),
            Case("two devices, two words and two heads each", (numbers(2, 2, 2, 1, start=2),)),
        ),
        mistakes=known("""
        reshaped: No number has changed its device: a reshape only reads the same numbers in another
            shape. Cut the heads, then exchange the axis of the devices with that of the shares.
            Read: steps/22-all-to-all/#by-hand-with-a-list
        heads in turn: The heads are dealt to the devices in turn. Device 0 gets the first ones.
            Read: steps/22-all-to-all/#the-formula
        words in turn: The words of the devices alternate. All words of device 0 come first.
            Read: steps/22-all-to-all/#words-in-the-order-of-a-ring
        order: The words of the last device come first.
            Read: steps/22-all-to-all/#by-hand-with-a-list
        gathered: Every device has all words with all heads: that is an all-gather. A device gets
            its share of the heads.
            Read: steps/22-all-to-all/#what-is-sent
    """),
        hints=(
            "Cut the axis of the heads into (devices, share), then move the new axis to the front.",
            "`x.unflatten(2, (len(x), -1)).movedim(2, 0).flatten(1, 2)` does all of it.",
        ),
        solution=my_exchange,
    ),
    Exercise(
        name="padded_loss",
        part=5,
        task=(
            "The mean loss of a guess: how surprised is the model by each next word? Short stories "
            "are filled up with the token `pad`, which is never guessed: (batch, L, vocabulary), "
            "(batch, L) -> one number."
        ),
        page="steps/23-guess-the-next-word/",
        attempt=_padded_loss,
        cases=(
            Case(
                "stories of five and three words",
                (numbers(2, 5, 6), torch.tensor([[1, 3, 2, 5, 4], [2, 1, 4, 0, 0]]), 0),
            ),
            Case(
                "three stories, pad 3",
                (
                    numbers(3, 4, 4, start=1),
                    torch.tensor([[2, 0, 3, 3], [1, 1, 0, 2], [0, 2, 1, 3]]),
                    3,
                ),
            ),
            # Here the words are fewer than the places that guess.
            Case(
                "stories of two and three words, logits of 100 and more",
                (200 * numbers(2, 4, 4, start=2), torch.tensor([[1, 2, 0, 0], [2, 1, 3, 0]]), 0),
            ),
        ),
        mistakes=known("""
        no shift: Position i guesses word i, which it has read: the model learns to copy. Position i
            guesses word i + 1.
            Read: steps/23-guess-the-next-word/#the-targets-are-not-shifted
        shifted back: Position i guesses word i - 1. Shift the other way, so that it guesses word i
            + 1.
            Read: steps/23-guess-the-next-word/#the-targets-are-not-shifted
        pads counted: Your loss is too small: a pad adds 0 to the sum, and is counted in the mean.
            Divide by the number of words that are guessed.
            Read: steps/23-guess-the-next-word/#pads-are-counted
        pads are words: Pads are guessed like words. A guess counts only where the next token is no
            pad: `ignore_index=pad`.
            Read: steps/23-guess-the-next-word/#pads-are-counted
        mask of what is read: The pad after each last word is guessed: you ask whether the token
            that is read is a pad. Ask about the token that is guessed.
            Read: steps/23-guess-the-next-word/#pads-are-counted
        mean of means: Each story has a mean of its own, so a guess in a short story counts more.
            Take one mean over all guesses.
            Read: steps/23-guess-the-next-word/#the-loss
        sum: The losses are added up. Their mean is asked for.
            Read: steps/23-guess-the-next-word/
        softmax first: The softmax runs twice: F.cross_entropy takes logits and has a softmax of its
            own.
            Read: notebooks/002_softmax_once/
    """),
        hints=(
            "All words but the last are read, and all but the first are guessed.",
            "F.cross_entropy(..., ignore_index=pad) leaves pads out of the sum and of the mean.",
        ),
        solution=my_padded_loss,
    ),
    Exercise(
        name="language_model",
        part=5,
        task=(
            "A whole model, from ids (..., L) to logits (..., L, V). `embedding` (V, E) has a row "
            "for each word, and `position` one for each place. `blocks` is a list of functions, "
            "each with its residuals inside; `norm` is a function, too."
        ),
        page="steps/24-the-whole-model/",
        attempt=_language_model,
        cases=(
            Case(SENTENCE, (IDS, TABLE, numbers(8, 4), BLOCKS, norm), WORDS, VOCABULARY),
            Case(
                BATCH,
                (
                    torch.tensor([[2, 0, 1], [3, 3, 2]]),
                    numbers(5, 4, start=1),
                    numbers(4, 4, start=2),
                    BLOCKS[::-1],
                    norm,
                ),
            ),
        ),
        mistakes=known("""
        no places: A word gets the same vector at each place: `position` is not added.
            Read: steps/12-where-is-position/#the-formula
        places of ids: The place of a word is taken from its id. The first word has place 0, the
            next place 1.
            Read: steps/12-where-is-position/#the-formula
        added twice: The result of each block is added to its input. The block does this inside: x =
            block(x).
            Read: steps/24-the-whole-model/#the-way-of-a-text
        not stacked: Every block reads the first vectors, so only the last block counts. Give each
            block the result of the block before.
            Read: steps/24-the-whole-model/#the-way-of-a-text
        no norm: The norm after the last block is missing.
            Read: steps/24-the-whole-model/#all-of-it
        norm first: The norm comes before the blocks. Put it after the last block.
            Read: steps/24-the-whole-model/#all-of-it
        no transpose: The last product pairs words with components. Each row of `embedding` is a
            word: transpose it.
            Read: steps/24-the-whole-model/#the-way-of-a-text
        softmax: Your rows add up to 1: they are shares. Logits are asked for, without a softmax.
            Read: notebooks/002_softmax_once/
        last word only: Only the last word makes a guess. Every word should make one, in one pass.
            Read: steps/24-the-whole-model/#the-way-of-a-text
    """),
        hints=(
            "A row of each table, added; then block after block; then the norm.",
            "The logit of a word is the dot product with its row of `embedding`: the same table.",
        ),
        solution=my_language_model,
    ),
    Exercise(
        name="without_head",
        part=5,
        task=(
            "The output of attention with one head switched off: the contexts of the other heads "
            "side by side, times their columns of W_out. Contexts are (..., num_heads, L, "
            "head_dim), W_out is (E, num_heads * head_dim) as nn.Linear stores it, and the result "
            "is (..., L, E)."
        ),
        page="steps/25-look-inside/",
        attempt=_without_head,
        cases=(
            Case("two heads", (numbers(2, 6, 2), numbers(4, 4, start=1), 1), WORDS),
            Case("three heads of two components", (numbers(3, 4, 2), numbers(8, 6, start=2), 0)),
            Case("a batch", (numbers(2, 3, 5, 2, start=3), numbers(6, 6, start=4), 1)),
        ),
        mistakes=known("""
        rows: Some components of your result are 0, and the head still adds to the others: its rows
            of W_out are switched off. Switch off its columns.
            Read: steps/25-look-inside/#switch-a-part-off
        in turn: The heads get their columns in turn. Head 0 has the first head_dim columns.
            Read: guides/what-goes-wrong/#heads-are-scrambled
        that head alone: Only that head is left, and all others are off.
            Read: steps/25-look-inside/#switch-a-part-off
        not used: All heads are on. If you changed a copy of W_out, use the copy.
            Read: steps/25-look-inside/#switch-a-part-off
        from 1: The head before is off. Heads are counted from 0.
            Read: steps/25-look-inside/#switch-a-part-off
        scaled: The other heads have grown, as if by dropout. Leave them as they are.
            Read: steps/dropout/#why-divide-by-1-p
        no transpose: W_out is used as it is stored. nn.Linear multiplies by its transpose.
            Read: steps/07-self-attention-as-a-layer/#for-engineers
    """),
        hints=(
            "Side by side, the components of head h are h * head_dim to (h + 1) * head_dim - 1, "
            "and so are its columns of W_out.",
            "Without a change of W_out: set the context of that head to 0 in a copy.",
        ),
        solution=my_without_head,
    ),
    Exercise(
        name="patched",
        part=5,
        task=(
            "Run x (L, E) through all blocks, but just before block number `layer`, put the vector "
            "of one place from the run of another text there. `other` (L, E) has been through the "
            "same blocks up to then. Return the result for x."
        ),
        page="steps/25-look-inside/",
        attempt=_patched,
        cases=(
            Case(
                "“muddy” from “rich”, before block 0", (INPUTS, RICH, BLOCKS, 0, 4), WORDS, COLUMNS
            ),
            Case("“bank”, before block 1", (INPUTS, RICH, BLOCKS, 1, 5), WORDS, COLUMNS),
            Case(
                "place 1 of four, before block 1 of three",
                (numbers(4, 4), numbers(4, 4, start=1), (*BLOCKS, BLOCKS[0]), 1, 1),
            ),
        ),
        mistakes=known("""
        after: The vector is put in after the block, and so one block too late.
            Read: steps/25-look-inside/#put-one-word-of-another-text-in-its-place
        not run: The vector is that of the other text before any block. Run the other text through
            the same blocks.
            Read: steps/25-look-inside/#put-one-word-of-another-text-in-its-place
        at the start: The vector is put in before block 0. Put it in before block number `layer`.
            Read: steps/25-look-inside/#put-one-word-of-another-text-in-its-place
        not used: Your result is that of x alone: the other text has no part in it.
            Read: steps/25-look-inside/#put-one-word-of-another-text-in-its-place
        all places: All places come from the other text. One should.
            Read: steps/25-look-inside/#put-one-word-of-another-text-in-its-place
        exchanged: The two texts have changed places: a vector of x goes into the run of the other.
            Read: steps/25-look-inside/#put-one-word-of-another-text-in-its-place
        every block: The vector is put in before every block. Once is enough.
            Read: steps/25-look-inside/#put-one-word-of-another-text-in-its-place
    """),
        hints=(
            "Run both texts, block by block: x, other = block(x), block(other).",
            "In place of `x[place] = ...`, which would change the caller's tensor, write into "
            "`x.clone()`.",
        ),
        solution=my_patched,
    ),
    Exercise(
        name="next_word",
        part=5,
        task=(
            "The probabilities that the next word is drawn from: the top_k most probable words, at "
            "this temperature, and 0 for all others."
        ),
        page="steps/26-let-it-write/",
        attempt=_next_word,
        cases=(
            Case("seven words, temperature 0.5, top_k 3", (numbers(1, 7), 0.5, 3)),
            Case("seven words, temperature 2, top_k 7", (numbers(1, 7), 2.0, 7)),
            Case("a batch, temperature 1, top_k 1", (numbers(3, 5, start=1), 1.0, 1)),
            Case("logits below 0", (numbers(2, 5, start=2) - 3, 0.7, 2)),
        ),
        mistakes=known("""
        times: The logits are multiplied by the temperature. Divide: the higher the temperature, the
            more equal the words.
            Read: steps/26-let-it-write/#temperature
        not shared again: Your rows add up to less than 1: words are removed after the softmax.
            Remove them before it.
            Read: steps/08-causal-masks/#multiplying-the-weights-by-the-mask
        zero: Removed words still have a probability: their logits are 0, and exp(0) is 1. Minus
            infinity gives 0.
            Read: steps/09-padding-masks/#zeros-are-not-nothing
        one less: One word too few is kept: the k-th most probable word belongs to the top k.
            Read: steps/26-let-it-write/#temperature
        temperature last: The probabilities are divided by the temperature, so they do not add up to
            1. Divide the logits.
            Read: steps/26-let-it-write/#temperature
        top_k unused: Every word has a probability: top_k is not used.
            Read: steps/26-let-it-write/#temperature
        across the batch: The top k are those of the whole batch. Each row has its own.
            Read: steps/03-weights/#the-formula
    """),
        hints=(
            "`logits.topk(top_k).values[..., -1:]` is the k-th largest of each row.",
            "Fill smaller ones with -inf, divide by the temperature, take the softmax.",
        ),
        solution=my_next_word,
    ),
)
