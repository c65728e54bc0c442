"""Parts 1 to 3: attention by hand, with projections, in a transformer."""

import math

import torch
import torch.nn.functional as F
from torch import Tensor

from attention_practice._exercise import Case, Exercise, Wrong, known
from attention_practice._inputs import (
    BANK_AND_MONEY,
    BATCH,
    COLUMNS,
    INPUTS,
    MATRICES,
    NARROW,
    QUERIES,
    SCORES,
    SENTENCE,
    SQUARE,
    TWO_QUERIES,
    TWO_SENTENCES,
    UNEVEN,
    WORDS,
    Part,
    look,
    mlp,
    norm,
    numbers,
    vectors,
)
from attention_steps.core import scaled_dot_product_attention
from attention_steps.positions import rotary_embedding


def _embed(wrong: Wrong, token_ids: Tensor, table: Tensor) -> Tensor:
    if "id" in wrong:
        return token_ids[..., None] * torch.ones_like(table[0])
    token_ids = token_ids + 1 if "from 1" in wrong else token_ids
    if "column" in wrong:
        return table.mT[token_ids]
    one_hot = F.one_hot(token_ids, len(table) + ("from 1" in wrong)).to(table)
    return one_hot if "one-hot" in wrong else table[token_ids]


def my_embed(token_ids, table):
    return table[token_ids]


def _scores(wrong: Wrong, query: Tensor, key: Tensor) -> Tensor:
    if "cosine" in wrong:
        query, key = F.normalize(query, dim=-1), F.normalize(key, dim=-1)
    if "not added" in wrong:
        scores = query * key
    elif "no transpose" in wrong:
        scores = query @ key
    elif "swapped" in wrong:
        scores = key @ query.mT
    else:
        scores = query @ (key.T if ".T" in wrong else key.mT)
    return scores / math.sqrt(query.shape[-1]) if "scaled" in wrong else scores


def my_scores(query, key):
    return query @ key.mT


def _weights(wrong: Wrong, scores: Tensor) -> Tensor:
    axes = {"columns": -2, "dim=1": 1, "dim=0": 0}
    dim = next((axis for name, axis in axes.items() if name in wrong), -1)
    if "no exponential" in wrong:
        return scores / scores.sum(dim, keepdim=True)
    if "all at once" in wrong:
        shares = (scores if "no maximum" in wrong else scores - scores.max()).exp()
        return shares / shares.sum()
    if "no keepdim" in wrong:
        return scores.exp() / scores.exp().sum(dim)
    if "no maximum" in wrong:
        return scores.exp() / scores.exp().sum(dim, keepdim=True)
    weights = scores.log_softmax(dim) if "logarithm" in wrong else scores.softmax(dim)
    return weights.softmax(dim) if "twice" in wrong else weights


def my_weights(scores):
    return torch.softmax(scores, dim=-1)


def _context(wrong: Wrong, weights: Tensor, value: Tensor) -> Tensor:
    if "plain mean" in wrong:
        weights = torch.ones_like(weights) / weights.shape[-1]
    if "largest only" in wrong:
        weights = F.one_hot(weights.argmax(-1), weights.shape[-1]).to(value)
    weights = weights.mT if "weights turned" in wrong else weights
    context = weights @ (value.mT if "value turned" in wrong else value)
    return context / value.shape[-2] if "divided" in wrong else context


def my_context(weights, value):
    return weights @ value


def _project(
    wrong: Wrong, inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor
) -> tuple[Tensor, ...]:
    if "one for all" in wrong:
        W_key = W_value = W_query
    if "key is value" in wrong:
        W_value = W_key
    matrices = (W_query, W_key, W_value)
    query, key, value = (inputs @ (W if "not transposed" in wrong else W.mT) for W in matrices)
    if "key of query" in wrong:
        key = query @ (W_key if "not transposed" in wrong else W_key.mT)
    return (key, query, value) if "order" in wrong else (query, key, value)


def my_project(inputs, W_query, W_key, W_value):
    return inputs @ W_query.mT, inputs @ W_key.mT, inputs @ W_value.mT


def _attention(wrong: Wrong, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    size = query.shape[1 if "first axis" in wrong else -1]
    size = key.shape[-2] if "length" in wrong else size
    root = float(size) if "no root" in wrong else math.sqrt(size)
    root = 1.0 if "no scale" in wrong else 1 / root if "times" in wrong else root
    scores = query @ key.mT / (1.0 if "too late" in wrong else root)
    dim = 0 if "dim=0" in wrong else -2 if "columns" in wrong else -1
    weights = scores if "no softmax" in wrong else scores.softmax(dim)
    weights = weights / root if "too late" in wrong else weights
    return weights @ (key if "keys mixed" in wrong else value)


def my_attention(query, key, value):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    return torch.softmax(scores, dim=-1) @ value


def _self_attention(
    wrong: Wrong, inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor
) -> Tensor:
    query, key, value = _project(wrong, inputs, W_query, W_key, W_value)
    value = inputs if "inputs mixed" in wrong else value
    if "model's width" in wrong:
        query = query * math.sqrt(query.shape[-1] / inputs.shape[-1])
    context = _attention(wrong, query, key, value)
    return context + inputs if "inputs added" in wrong else context


def my_self_attention(inputs, W_query, W_key, W_value):
    query, key, value = (inputs @ W.mT for W in (W_query, W_key, W_value))
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    return torch.softmax(scores, dim=-1) @ value


def _next_word_loss(wrong: Wrong, logits: Tensor, tokens: Tensor) -> Tensor:
    if "no shift" in wrong:
        guess, word = logits, tokens
    elif "shifted back" in wrong:
        guess, word = logits[:, 1:], tokens[:, :-1]
    elif "rolled" in wrong:
        guess, word = logits, tokens.roll(-1, 1)
    else:
        guess, word = logits[:, :-1], tokens[:, 1:]
    if "reshaped" in wrong:
        guess = guess.reshape(len(guess), guess.shape[-1], -1).mT
    guess, word = guess.flatten(0, 1), word.flatten()
    if "no log_softmax" in wrong:
        return F.nll_loss(guess, word)
    guess = guess.softmax(-1) if "softmax first" in wrong else guess
    if "logarithm of the mean" in wrong:
        return -guess.softmax(-1).gather(1, word[:, None]).mean().log()
    return F.cross_entropy(guess, word, reduction="sum" if "sum" in wrong else "mean")


def my_next_word_loss(logits, tokens):
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), tokens[:, 1:].flatten())


def _causal_mask(wrong: Wrong, n: int) -> Tensor:
    ahead = ("one ahead" in wrong) - ("strict" in wrong)
    mask = torch.arange(n) <= torch.arange(n)[:, None] + ahead
    mask = mask.mT if "upper" in wrong else mask
    mask = ~mask if "inverted" in wrong else mask
    if "additive" in wrong:
        return torch.zeros(n, n).masked_fill(~mask, -math.inf)
    return mask.float() if "float" in wrong else mask


def my_causal_mask(n):
    place = torch.arange(n)
    return place <= place[:, None]


EMPTY_ROW = torch.tensor([[True, True, False], [False, False, False], [True, False, True]])


PADDED = torch.arange(6) < torch.tensor([6, 4])[:, None, None]


def _masked_weights(wrong: Wrong, scores: Tensor, mask: Tensor) -> Tensor:
    if "no mask" in wrong:
        return scores.softmax(-1)
    mask = (~mask if "inverted" in wrong else mask).expand(scores.shape)
    if "after" in wrong:
        return scores.softmax(-1) * mask
    if "zero" in wrong:
        return scores.masked_fill(~mask, 0.0).softmax(-1)
    if "added" in wrong:
        return (scores + mask.to(scores)).softmax(-1)
    if "times infinity" in wrong:
        return (scores + (1 - mask.to(scores)) * -math.inf).softmax(-1)
    if "large number" in wrong:
        return scores.masked_fill(~mask, -1e9).softmax(-1)
    weights = scores.masked_fill(~mask, -math.inf).softmax(-1)
    return weights if "nan" in wrong else weights.masked_fill(~mask.any(-1, keepdim=True), 0.0)


def my_masked_weights(scores, mask):
    some = mask.any(dim=-1, keepdim=True)
    hidden = scores.masked_fill(~mask & some, -math.inf)
    return torch.softmax(hidden, dim=-1).masked_fill(~some, 0.0)


def _padding_mask(wrong: Wrong, lengths: Tensor, n: int) -> Tensor:
    column = torch.arange(n)
    lengths = lengths[:, None, None, None] + ("one more" in wrong)
    mask = column >= n - lengths if "left" in wrong else column < lengths
    mask = mask.mT if "rows" in wrong else mask
    mask = ~mask if "inverted" in wrong else mask
    return mask[:, 0, 0] if "axes missing" in wrong else mask


def my_padding_mask(lengths, n):
    return torch.arange(n) < lengths[:, None, None, None]


def _padded_causal(wrong: Wrong, lengths: Tensor, n: int) -> Tensor:
    padding = _padding_mask(wrong - {"inverted"}, lengths, n)
    causal = torch.ones(n, n, dtype=torch.bool)
    causal = causal if "no causal" in wrong else causal.tril()
    mask = padding | causal if "or" in wrong else padding & causal
    mask = ~mask if "inverted" in wrong else mask
    return mask[:, 0] if "no head axis" in wrong else mask


def my_padded_causal(lengths, n):
    place = torch.arange(n)
    return (place < lengths[:, None, None, None]) & (place <= place[:, None])


def _dropped(wrong: Wrong, weights: Tensor, keep: Tensor, p: float) -> Tensor:
    keep = ~keep if "inverted" in wrong else keep
    if "before the softmax" in wrong:
        return weights.log().masked_fill(~keep, 0.0).softmax(-1)
    if "shared again" in wrong:
        kept = weights * keep
        return kept / kept.sum(-1, keepdim=True)
    factor = p if "by p" in wrong else 1.0 if "not divided" in wrong else 1 - p
    kept = weights * factor if "times" in wrong else weights / factor
    return kept if "kept all" in wrong else kept * keep


def my_dropped(weights, keep, p):
    return weights * keep / (1 - p)


def _split_heads(wrong: Wrong, x: Tensor, num_heads: int) -> Tensor:
    head_dim = x.shape[-1] // num_heads
    sizes = (head_dim, num_heads) if "sizes" in wrong else (num_heads, head_dim)
    if "words cut" in wrong:
        return x.reshape(*x.shape[:-2], sizes[0], x.shape[-2], sizes[1])
    axes = (*x.shape[:-1], *(sizes[::-1] if "in turn" in wrong else sizes))
    heads = x.reshape(axes).mT if "in turn" in wrong else x.reshape(axes)
    return heads if "not exchanged" in wrong else heads.transpose(-3, -2)


def my_split_heads(x, num_heads):
    return x.unflatten(-1, (num_heads, -1)).transpose(-3, -2)


def _merge_heads(wrong: Wrong, x: Tensor) -> Tensor:
    if "mean" in wrong:
        return x.mean(-3)
    if "sum" in wrong:
        return x.sum(-3)
    if "no transpose" in wrong:
        return x.reshape(*x.shape[:-3], x.shape[-2], x.shape[-3] * x.shape[-1])
    if "one under another" in wrong:
        return x.flatten(-3, -2)
    x = x.transpose(-3, -2)
    return (x.mT if "in turn" in wrong else x).flatten(-2)


def my_merge_heads(x):
    return x.transpose(-3, -2).flatten(-2)


def _multi_head(
    wrong: Wrong,
    inputs: Tensor,
    W_query: Tensor,
    W_key: Tensor,
    W_value: Tensor,
    W_out: Tensor,
    num_heads: int,
) -> Tensor:
    query, key, value = (
        _split_heads(wrong & {"words cut"}, inputs @ W.mT, num_heads)
        for W in (W_query, W_key, W_value)
    )
    width = inputs.shape[-1] if "model's width" in wrong else query.shape[-1]
    scores = query @ key.mT / (1.0 if "no scale" in wrong else math.sqrt(width))
    weights = scores.softmax(-3 if "over heads" in wrong else -1)
    weights = weights.mean(-3, keepdim=True) if "weights averaged" in wrong else weights
    merged = _merge_heads(wrong & {"no transpose"}, weights @ value)
    return merged if "no W_out" in wrong else merged @ W_out.mT


def my_multi_head(inputs, W_query, W_key, W_value, W_out, num_heads):
    query, key, value = (
        (inputs @ W.mT).unflatten(-1, (num_heads, -1)).transpose(-3, -2)
        for W in (W_query, W_key, W_value)
    )
    context = scaled_dot_product_attention(query, key, value)
    return context.transpose(-3, -2).flatten(-2) @ W_out.mT


FRENCH = vectors("duck money bank")


def _cross(
    wrong: Wrong, inputs: Tensor, memory: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor
) -> Tensor:
    inputs, memory = (memory, inputs) if "roles" in wrong else (inputs, memory)
    query = inputs @ W_query.mT
    key = (inputs if "keys of inputs" in wrong else memory) @ W_key.mT
    value = (inputs if "values of inputs" in wrong else memory) @ W_value.mT
    size = memory.shape[-2] if "length" in wrong else query.shape[-1]
    scores = query @ key.mT / math.sqrt(size)
    if "causal" in wrong:
        allowed = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
        scores = scores.masked_fill(~allowed, -math.inf)
    return scores.softmax(-1) @ value


def my_cross(inputs, memory, W_query, W_key, W_value):
    query, key, value = inputs @ W_query.mT, memory @ W_key.mT, memory @ W_value.mT
    return scaled_dot_product_attention(query, key, value)


def _angles(wrong: Wrong, positions: Tensor, dim: int) -> Tensor:
    positions = positions + ("from 1" in wrong)
    pair = torch.arange(dim // 2, dtype=torch.float64)
    exponent = (1 if "i for 2i" in wrong else 2) * pair / dim
    return positions[:, None] * 10000.0**-exponent


def _sinusoids(wrong: Wrong, length: int, dim: int) -> Tensor:
    angles = _angles(wrong, torch.arange(length), dim)
    if "dim/2 - 1" in wrong:
        pair = torch.arange(dim // 2, dtype=torch.float64)
        angles = torch.arange(length)[:, None] * 10000.0 ** (-pair / (dim // 2 - 1))
    pair_of = (angles.cos(), angles.sin()) if "exchanged" in wrong else (angles.sin(), angles.cos())
    if "halves" in wrong:
        return torch.cat(pair_of, -1).float()
    return torch.stack(pair_of, -1).flatten(-2).float()


def my_sinusoids(length, dim):
    frequency = 10000.0 ** (-torch.arange(0, dim, 2) / dim)
    angle = torch.arange(length)[:, None] * frequency
    return torch.stack((angle.sin(), angle.cos()), dim=-1).flatten(-2)


def _alibi(wrong: Wrong, num_heads: int, n: int) -> Tensor:
    distance = torch.arange(n) - torch.arange(n)[:, None]
    distance = distance if "signed" in wrong else -distance.abs()
    head = torch.arange(num_heads) + ("from 0" not in wrong)
    slopes = 2.0 ** (-8.0 * head / num_heads)
    slopes = slopes[:1].expand(num_heads) if "one slope" in wrong else slopes
    bias = slopes[:, None, None] * distance
    return -bias if "sign" in wrong else bias


def my_alibi(num_heads, n):
    distance = (torch.arange(n)[:, None] - torch.arange(n)).abs()
    slopes = 2.0 ** (-8.0 * torch.arange(1, num_heads + 1) / num_heads)
    return -slopes[:, None, None] * distance


def _rotary(wrong: Wrong, x: Tensor, positions: Tensor) -> Tensor:
    positions = torch.arange(x.shape[-2]) if "positions ignored" in wrong else positions
    angles = _angles(wrong, positions, x.shape[-1])
    angles = angles * (math.pi / 180) if "degrees" in wrong else angles
    cos, sin = angles.cos().to(x), angles.sin().to(x) * (-1 if "turned back" in wrong else 1)
    if "halves" in wrong:
        first, second = x.chunk(2, -1)
        return torch.cat((first * cos - second * sin, first * sin + second * cos), -1)
    first, second = x[..., 0::2], x[..., 1::2]
    turned = (first * cos - second * sin, first * sin + second * cos)
    return torch.stack(turned, -1).flatten(-2)


def my_rotary(x, positions):
    frequency = 10000.0 ** (-torch.arange(0, x.shape[-1], 2) / x.shape[-1])
    angle = positions[:, None] * frequency
    cos, sin = angle.cos().to(x), angle.sin().to(x)
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack((a * cos - b * sin, a * sin + b * cos), dim=-1).flatten(-2)


def _rotary_attention(
    wrong: Wrong, query: Tensor, key: Tensor, value: Tensor, positions: Tensor
) -> Tensor:
    query = query if "keys only" in wrong else _rotary(wrong, query, positions)
    key = key if "queries only" in wrong else _rotary(wrong, key, positions)
    value = _rotary(wrong, value, positions) if "values turned" in wrong else value
    scores = query @ key.mT / (1.0 if "no scale" in wrong else math.sqrt(query.shape[-1]))
    return scores.softmax(-1) @ value


def my_rotary_attention(query, key, value, positions):
    query = rotary_embedding(query, positions, interleaved=True)
    key = rotary_embedding(key, positions, interleaved=True)
    return scaled_dot_product_attention(query, key, value)


def _rms_norm(wrong: Wrong, x: Tensor, weight: Tensor, eps: float) -> Tensor:
    x = x - x.mean(-1, keepdim=True) if "layer norm" in wrong else x
    axis = -2 if "words" in wrong else 0 if "dim=0" in wrong else -1
    eps = 0.0 if "no eps" in wrong else eps
    squares = x.pow(2)
    size = squares.sum(axis, keepdim=True) if "sum" in wrong else squares.mean(axis, keepdim=True)
    size = squares.mean() if "all at once" in wrong else size
    eps_after = eps if "eps outside" in wrong else 0.0
    size = size + eps - eps_after
    normed = x / (size if "no root" in wrong else size.sqrt() + eps_after)
    return normed if "no weight" in wrong else normed * weight


def my_rms_norm(x, weight, eps):
    size = (x.pow(2).mean(dim=-1, keepdim=True) + eps).sqrt()
    return x / size * weight


def _block(wrong: Wrong, x: Tensor, norm: Part, attention: Part, mlp: Part) -> Tensor:
    def half(came: Tensor, part: Part, normed: bool, added: bool, to: Tensor) -> Tensor:
        if "norm after" in wrong:
            return norm(to + part(came) if added else part(came))
        found = part(norm(came) if normed else came)
        to = norm(to) if "norm added" in wrong else to
        return to + found if added else found

    residual = "no residual" not in wrong
    first = half(x, attention, "no norm" not in wrong, residual, x)
    came = x if "old x" in wrong else first
    normed = not wrong & {"no norm", "one norm"}
    return half(came, mlp, normed, residual and "one residual" not in wrong, first)


def my_block(x, norm, attention, mlp):
    x = x + attention(norm(x))
    return x + mlp(norm(x))


def _induction(wrong: Wrong, tokens: Tensor) -> Tensor:
    n = len(tokens)
    place = torch.arange(n)
    before = tokens.roll(1)
    before = before if "wraps round" in wrong else torch.where(place > 0, before, -1)
    causal = torch.ones(n, n, dtype=torch.bool)
    causal = causal if "future" in wrong else causal.tril()
    mask = (tokens[:, None] == (tokens if "same word" in wrong else before)) & causal
    if "last only" in wrong:
        latest = torch.where(mask, place, -1).amax(-1, keepdim=True)
        mask = mask & (place == latest)
    return mask.mT if "turned" in wrong else mask


def my_induction(tokens):
    mask = torch.zeros(len(tokens), len(tokens), dtype=torch.bool)
    mask[:, 1:] = tokens[:, None] == tokens[:-1]
    return mask.tril()


EXERCISES = (
    Exercise(
        name="embed",
        part=1,
        task=("Look up the row of each token in the table: (...,), (V, E) -> (..., E)."),
        page="steps/01-tokens-become-vectors/",
        attempt=_embed,
        cases=(
            Case("six tokens", (torch.tensor([0, 2, 1, 0, 3, 4]), numbers(5, 5))),
            Case("a table of seven rows", (torch.tensor([3, 3, 5]), numbers(7, 4, start=1))),
            Case("a batch of two sentences", (torch.tensor([[0, 1], [2, 0]]), numbers(4, 4))),
        ),
        mistakes=known("""
        id: Each row repeats the number of its token. A token's number is a name and not a meaning:
            it says which row of the table to take.
            Read: steps/01-tokens-become-vectors/#the-tokens-number-is-used-as-its-meaning
        from 1: Each row is the one after the right row. Rows are counted from 0.
            Read: steps/01-tokens-become-vectors/#look-up-a-sentence
        column: You take columns of the table. A word has a row.
            Read: steps/01-tokens-become-vectors/#a-word-as-a-row-of-numbers
        one-hot: Your rows hold a single 1 each. Such a row times the table is the vector: the
            product is missing.
            Read: steps/01-tokens-become-vectors/#the-formula
    """),
        hints=(
            "A table that is indexed with a tensor of integers gives a row for each of them.",
            "`table[token_ids]`; `F.embedding(token_ids, table)` does the same.",
        ),
        solution=my_embed,
    ),
    Exercise(
        name="scores",
        part=1,
        task=(
            "Score each query against each key with a dot product: (..., L, E), (..., S, E) -> "
            "(..., L, S)."
        ),
        page="steps/02-scores/",
        attempt=_scores,
        cases=(
            Case(SENTENCE, (INPUTS, INPUTS), WORDS, WORDS),
            Case(TWO_QUERIES, (QUERIES, INPUTS), BANK_AND_MONEY, WORDS),
            Case("four words of four components", (numbers(4, 4), numbers(4, 4, start=1))),
            Case(BATCH, (TWO_SENTENCES, TWO_SENTENCES.flip(1))),
        ),
        mistakes=known("""
        no transpose: The product pairs words of the one with components of the other. Transpose the
            keys first, so that each key is a column.
            Read: steps/02-scores/#the-transpose-is-left-out
        .T: One sentence is right, and a batch is not: `.T` reverses all axes, that of the batch
            too. `.mT`, or `.transpose(-2, -1)`, exchanges the last two.
            Read: steps/02-scores/#for-engineers
        swapped: Rows and columns have changed places: your rows belong to the keys. A row belongs
            to a query.
            Read: steps/02-scores/#the-formula
        cosine: Each score is divided by the lengths of its two vectors, which makes it a cosine. A
            dot product also counts how long the vectors are.
            Read: steps/02-scores/#a-dot-product-is-not-a-cosine
        scaled: Each score is divided by the square root of head_dim already. Step 6 will do so;
            here raw dot products are asked for.
            Read: steps/06-why-divide-by-the-square-root/
        not added: The components are multiplied and not added up: `*` where `@` belongs.
            Read: steps/02-scores/#by-hand
    """),
        hints=(
            "A dot product multiplies component by component and adds up: for one query and one "
            "key, `(query[i] * key[j]).sum()`.",
            "A matrix product does it for all pairs, if each key is a column.",
            "`.mT` exchanges the last two axes and leaves a batch alone.",
        ),
        solution=my_scores,
    ),
    Exercise(
        name="weights",
        part=1,
        task=(
            "Turn scores into shares that are positive and add up to 1 in each row: (..., L, S) -> "
            "(..., L, S)."
        ),
        page="steps/03-weights/",
        attempt=_weights,
        cases=(
            Case(SENTENCE, (SCORES,), WORDS, WORDS),
            Case(TWO_QUERIES, (QUERIES @ INPUTS.mT,), BANK_AND_MONEY, WORDS),
            Case(
                "scores of 100 and more",
                (torch.tensor([[100.0, 99.0, 98.0], [200.0, 0.0, 201.0]]),),
            ),
            Case("scores below 0", (torch.tensor([[3.0, -2.0, 0.0], [-1.0, -2.0, -4.0]]),)),
            Case(BATCH, (TWO_SENTENCES @ TWO_SENTENCES.flip(1).mT,)),
        ),
        mistakes=known("""
        columns: Your columns add up to 1, and your rows do not: the softmax runs over the queries.
            The keys are the last axis, dim=-1.
            Read: steps/03-weights/#softmax-along-the-wrong-axis
        dim=1: One sentence is right, and a batch is not: with a batch in front, axis 1 is that of
            the queries. Counted from the end, the keys are always dim=-1.
            Read: steps/03-weights/#softmax-along-the-wrong-axis
        dim=0: Your columns add up to 1, and your rows do not: dim=0 runs over the queries, and in a
            batch over the sentences. The keys are the last axis, dim=-1.
            Read: steps/03-weights/#softmax-along-the-wrong-axis
        all at once: All your weights together add up to 1. Each row should add up to 1.
            Read: steps/03-weights/#the-formula
        no exponential: Each score is divided by the sum of its row, without an exponential. Scores
            below 0 then become shares below 0, or NaN.
            Read: steps/03-weights/#dividing-by-the-sum-without-the-exponential
        no maximum: Your weights are NaN where scores are large, because exp(100) is more than a
            float32 can hold. Subtract the largest score of each row first: only differences between
            scores count.
            Read: guides/what-goes-wrong/#nan-in-the-output
        no keepdim: Each number is divided by the sum of another row: a sum that has lost its axis
            is broadcast along the columns. `sum(dim=-1, keepdim=True)` keeps the axis.
            Read: steps/03-weights/#the-formula
        twice: Your shares are nearly equal: the softmax runs twice.
            Read: notebooks/002_softmax_once/
        logarithm: Your numbers are negative: they are logarithms of the weights, log_softmax in
            place of softmax.
            Read: steps/03-weights/#the-formula
    """),
        hints=(
            "First make every score positive, and a larger score larger. Then divide by the sum of "
            "the row.",
            "The exponential does the first. `dim=-1` is the axis of the keys, and `keepdim=True` "
            "keeps the sum in its row.",
            "torch has both in one function, `torch.softmax`. Along which axis?",
        ),
        solution=my_weights,
    ),
    Exercise(
        name="context",
        part=1,
        task=(
            "Mix the values by the weights, one context vector for each query: (..., L, S), (..., "
            "S, Ev) -> (..., L, Ev)."
        ),
        page="steps/04-context-vectors/",
        attempt=_context,
        cases=(
            Case(SENTENCE, (SCORES.softmax(-1), INPUTS), WORDS, COLUMNS),
            Case(
                TWO_QUERIES,
                ((QUERIES @ INPUTS.mT).softmax(-1), INPUTS),
                BANK_AND_MONEY,
                COLUMNS,
            ),
            Case(
                "four words of four components",
                (numbers(4, 4).softmax(-1), numbers(4, 4, start=1)),
            ),
            Case(BATCH, ((TWO_SENTENCES @ TWO_SENTENCES.mT).softmax(-1), TWO_SENTENCES)),
        ),
        mistakes=known("""
        weights turned: Each word collects the shares that the others take from it: the weights are
            transposed. A query's shares are its row.
            Read: steps/04-context-vectors/#the-formula
        plain mean: All rows are equal: each is the plain average of the values, and the weights are
            not used.
            Read: steps/04-context-vectors/#a-weighted-sum-by-hand
        largest only: Each row is a single value, the one with the largest weight. A weighted sum
            takes a share of every value.
            Read: steps/04-context-vectors/#a-weighted-sum-by-hand
        divided: Your numbers are too small by the number of words. The weights of a row add up to 1
            already, so nothing is left to divide.
            Read: steps/04-context-vectors/#a-weighted-sum-by-hand
        value turned: The values are transposed. Their rows are words, as the columns of the weights
            are, so they fit as they are.
            Read: steps/04-context-vectors/#the-formula
    """),
        hints=(
            "For one query, multiply each value by its weight and add up.",
            "A matrix product takes a row of weights and all values.",
        ),
        solution=my_context,
    ),
    Exercise(
        name="project",
        part=2,
        task=(
            "Make query, key and value from the inputs, and return the three. The matrices are "
            "stored as in nn.Linear: (..., n, d_in), three times (d_out, d_in) -> three times "
            "(..., n, d_out)."
        ),
        page="steps/05-queries-keys-and-values/",
        attempt=_project,
        results=("query", "key", "value"),
        cases=(
            Case(SENTENCE, (INPUTS, *NARROW), WORDS),
            Case("square matrices", (INPUTS, *SQUARE), WORDS),
            Case(BATCH, (TWO_SENTENCES, *NARROW)),
        ),
        mistakes=known("""
        not transposed: The matrices are used as they are stored, (d_out, d_in). The product needs
            (d_in, d_out): transpose them.
            Read: steps/07-self-attention-as-a-layer/#for-engineers
        one for all: Your keys and values equal your queries: all three come from W_query. Each has
            a matrix of its own.
            Read: steps/05-queries-keys-and-values/#the-query-is-the-key-as-well
        key is value: Your values equal your keys: both come from W_key. Each has a matrix of its
            own.
            Read: steps/05-queries-keys-and-values/#the-key-is-the-value-as-well
        order: Query and key have changed places.
            Read: steps/05-queries-keys-and-values/#the-formula
        key of query: Your keys are made from the queries. All three are made from the inputs.
            Read: steps/05-queries-keys-and-values/#by-hand
    """),
        hints=(
            "Each of the three is the inputs times one matrix.",
            "nn.Linear keeps its matrix as (d_out, d_in) and multiplies by the transpose.",
        ),
        solution=my_project,
    ),
    Exercise(
        name="attention",
        part=2,
        task=(
            "Scores divided by the square root of head_dim, softmax, context: (..., L, E), (..., "
            "S, E), (..., S, Ev) -> (..., L, Ev)."
        ),
        page="steps/06-why-divide-by-the-square-root/",
        attempt=_attention,
        cases=(
            Case(SENTENCE, (INPUTS, INPUTS, INPUTS), WORDS, COLUMNS),
            Case("five queries and four keys of three components", UNEVEN),
            Case(BATCH, (TWO_SENTENCES, TWO_SENTENCES.flip(1), TWO_SENTENCES)),
            Case("two heads", tuple(torch.stack([x, x.flip(0)])[None] for x in UNEVEN)),
            Case("scores of 100 and more", tuple(x * 20 for x in UNEVEN)),
        ),
        mistakes=known("""
        no scale: The scores are not divided by the square root of head_dim, so the shares are too
            unequal.
            Read: steps/06-why-divide-by-the-square-root/#the-formula
        no root: The scores are divided by head_dim. Divide them by its square root.
            Read: steps/06-why-divide-by-the-square-root/#the-formula
        length: The scores are divided by the root of the number of keys. Divide by the root of
            head_dim, the last axis of the query.
            Read: steps/06-why-divide-by-the-square-root/#the-formula
        first axis: The divisor comes from axis 1. With a batch or heads in front, axis 1 is not
            head_dim: count from the end, `query.shape[-1]`.
            Read: steps/06-why-divide-by-the-square-root/#the-models-width-instead-of-the-heads
        times: The scores are multiplied by the root. Divide by it.
            Read: steps/06-why-divide-by-the-square-root/#the-formula
        too late: Your weights add up to less than 1: they are divided after the softmax, where it
            changes no share. Divide the scores.
            Read: steps/06-why-divide-by-the-square-root/#the-formula
        columns: The softmax runs over the queries. The keys are the last axis, dim=-1.
            Read: steps/03-weights/#softmax-along-the-wrong-axis
        dim=0: For one sentence the shares of each column add up to 1: dim=0 runs over the queries,
            and in a batch over the sentences. The keys are the last axis, dim=-1.
            Read: steps/03-weights/#softmax-along-the-wrong-axis
        no softmax: The scores themselves are used as weights: the softmax is missing.
            Read: steps/03-weights/
        keys mixed: Your context is a mixture of keys. Keys are compared with the query, and values
            are mixed.
            Read: steps/05-queries-keys-and-values/#the-key-is-the-value-as-well
    """),
        hints=(
            "All its parts are written: scores, weights, context. One thing comes between the "
            "first two.",
            "Divide by `math.sqrt(query.shape[-1])` before the softmax.",
        ),
        solution=my_attention,
    ),
    Exercise(
        name="self_attention",
        part=2,
        task=(
            "One head from inputs to context: project, score, scale, softmax, mix. Matrices as "
            "nn.Linear stores them: (..., n, d_in), three times (d_out, d_in) -> (..., n, d_out)."
        ),
        page="steps/07-self-attention-as-a-layer/",
        attempt=_self_attention,
        cases=(
            Case(SENTENCE, (INPUTS, *NARROW), WORDS),
            Case("square matrices", (INPUTS, *SQUARE), WORDS),
            Case(BATCH, (TWO_SENTENCES, *NARROW)),
        ),
        mistakes=known("""
        model's width: The scores are divided by the root of the inputs' width. Divide by the root
            of head_dim, the width of the query.
            Read: steps/06-why-divide-by-the-square-root/#the-models-width-instead-of-the-heads
        no scale: The scores are not divided by the square root of head_dim.
            Read: steps/06-why-divide-by-the-square-root/#the-formula
        inputs mixed: Your context is a mixture of the inputs: W_value is not used.
            Read: steps/05-queries-keys-and-values/#the-key-is-the-value-as-well
        order: Query and key have changed places, so each word answers where it should ask.
            Read: steps/05-queries-keys-and-values/#the-formula
        not transposed: The matrices are used as they are stored, (d_out, d_in). The product needs
            (d_in, d_out): transpose them.
            Read: steps/07-self-attention-as-a-layer/#for-engineers
        columns: The softmax runs over the queries. The keys are the last axis, dim=-1.
            Read: steps/03-weights/#softmax-along-the-wrong-axis
        inputs added: The inputs are added to the context. A block does that later; a head returns
            the context alone.
            Read: steps/you-are-here/#add-and-do-not-replace
    """),
        hints=(
            "First project, then attention: two functions that are written already.",
            "After the projections head_dim is `query.shape[-1]`, and no longer the width of the "
            "inputs.",
        ),
        solution=my_self_attention,
    ),
    Exercise(
        name="next_word_loss",
        part=2,
        task=(
            "The mean cross-entropy of guessing each next word: (batch, L, vocabulary), (batch, L) "
            "-> one number."
        ),
        page="steps/a-head-that-was-trained/",
        attempt=_next_word_loss,
        cases=(
            Case(
                "two sentences of five words",
                (numbers(2, 5, 7), torch.tensor([[0, 3, 1, 6, 2], [4, 4, 5, 0, 1]])),
            ),
            Case(
                "one sentence of three words",
                (numbers(1, 3, 4, start=1), torch.tensor([[2, 0, 3]])),
            ),
            Case(
                "logits of 100 and more",
                (torch.tensor([[[0.0, 120.0, 125.0], [130.0, 0.0, 1.0]]]), torch.tensor([[2, 0]])),
            ),
        ),
        mistakes=known("""
        no shift: Position i guesses word i, which it has read: such a loss falls quickly, and the
            model learns to copy. Position i guesses word i + 1.
            Read: guides/what-goes-wrong/#the-model-sees-the-future
        shifted back: Position i guesses word i - 1. Shift the other way, so that it guesses word i
            + 1.
            Read: guides/what-goes-wrong/#the-model-sees-the-future
        rolled: The last position guesses the first word, because `roll` goes round. The last
            position has no next word: leave it out.
            Read: guides/what-goes-wrong/#the-model-sees-the-future
        sum: The losses are added up. Take their mean, so that the loss does not grow with the
            length of the text.
            Read: steps/a-head-that-was-trained/
        softmax first: The softmax runs twice: F.cross_entropy takes logits and has a softmax of its
            own.
            Read: notebooks/002_softmax_once/
        reshaped: The logits of different words are mixed: a reshape to (batch, vocabulary, L) takes
            the numbers in order. `.transpose(1, 2)` exchanges the axes.
            Read: steps/a-head-that-was-trained/
        no log_softmax: The logits are used as if they were logarithms of probabilities. nll_loss
            and gather want log_softmax first; F.cross_entropy does both.
            Read: steps/a-head-that-was-trained/
        logarithm of the mean: Your loss is the logarithm of the mean probability. Take the mean of
            the logarithms.
            Read: steps/a-head-that-was-trained/
    """),
        hints=(
            "The guess at position i is compared with the word at i + 1. The last position has no "
            "next word.",
            "`logits[:, :-1]` with `tokens[:, 1:]`; cross_entropy takes (N, vocabulary) and (N,).",
        ),
        solution=my_next_word_loss,
    ),
    Exercise(
        name="causal_mask",
        part=3,
        task=(
            "A boolean mask (n, n): True where the key is the query's own word or an earlier one."
        ),
        page="steps/08-causal-masks/",
        attempt=_causal_mask,
        differentiable=False,
        cases=(Case(SENTENCE, (6,), WORDS, WORDS), Case("one word", (1,)), Case("no word", (0,))),
        mistakes=known("""
        inverted: True and False have changed places. True means that a query may attend to the key.
            nn.MultiheadAttention reads it the other way.
            Read: guides/mask-conventions/#what-true-means-in-attn_mask
        upper: Each word attends to itself and to later words: the mask is the upper triangle. Keep
            the lower one, j <= i.
            Read: steps/08-causal-masks/#the-formula
        strict: No word attends to itself, so the first word has no key at all, and its softmax is 0
            / 0.
            Read: guides/what-goes-wrong/#nan-in-the-output
        one ahead: Each word attends to one word too many: the next, which it should guess.
            Read: guides/what-goes-wrong/#the-model-sees-the-future
        float: Your mask holds ones and zeros as floats, and a float mask is added to the scores.
            Compare, or ask for dtype=torch.bool.
            Read: guides/mask-conventions/#what-true-means-in-attn_mask
        additive: Your mask is a float mask of 0 and -inf, to be added to the scores. Such a mask
            works, too, but a boolean mask is asked for.
            Read: guides/mask-conventions/#translate-a-mask
    """),
        hints=(
            "Query i may attend to key j if j <= i.",
            "Compare `torch.arange(n)` as a row with the same as a column, `[:, None]`.",
            "Or keep the lower triangle of a table of True with `.tril()`.",
        ),
        solution=my_causal_mask,
    ),
    Exercise(
        name="masked_weights",
        part=3,
        task=(
            "Weights where hidden keys (mask False) get 0 and the others share 1. A row in which "
            "every key is hidden becomes zeros. Scores are (..., L, S), and the mask broadcasts to "
            "them."
        ),
        page="steps/08-causal-masks/",
        attempt=_masked_weights,
        cases=(
            Case(SENTENCE, (SCORES, torch.ones(6, 6, dtype=torch.bool).tril()), WORDS, WORDS),
            Case("a batch with padding", (TWO_SENTENCES @ TWO_SENTENCES.mT, PADDED)),
            Case("a row in which all is hidden", (numbers(3, 3), EMPTY_ROW)),
            Case(
                "scores of 100 and more",
                (
                    torch.tensor([[100.0, 99.0, 200.0], [200.0, 0.0, 1.0]]),
                    torch.tensor([[True, True, False], [False, True, True]]),
                ),
            ),
        ),
        mistakes=known("""
        after: Your rows add up to less than 1: the mask is multiplied after the softmax, which has
            counted the hidden keys in its sum. Hide the scores before it.
            Read: steps/08-causal-masks/#multiplying-the-weights-by-the-mask
        zero: Hidden keys still get a share: their scores are set to 0, and exp(0) is 1. Minus
            infinity gives 0.
            Read: steps/09-padding-masks/#zeros-are-not-nothing
        inverted: True and False have changed places. True means that a query may attend to the key.
            Read: guides/mask-conventions/#what-true-means-in-attn_mask
        nan: A row in which every key is hidden is NaN, because 0 is divided by 0. Such a row should
            be zeros.
            Read: guides/mask-conventions/#a-row-with-no-key-left
        no mask: Your weights are those without a mask. If you call masked_fill, use its result: it
            leaves `scores` as it is.
            Read: steps/08-causal-masks/#the-formula
        large number: A row in which every key is hidden has equal shares, as a large negative
            number in place of minus infinity would give it. Such a row should be zeros.
            Read: guides/mask-conventions/#a-row-with-no-key-left
        added: The mask is added to the scores, True as 1, which hides no key.
            Read: guides/mask-conventions/#what-true-means-in-attn_mask
        times infinity: Your weights are NaN, because 0 times infinity is NaN. Choose between scores
            and minus infinity with masked_fill or torch.where.
            Read: guides/what-goes-wrong/#nan-in-the-output
    """),
        hints=(
            "Before the softmax: `scores.masked_fill(~mask, -math.inf)`.",
            "A row in which all scores are -inf becomes NaN. `mask.any(dim=-1, keepdim=True)` "
            "tells which rows have a key.",
            "Let no NaN arise: leave such a row as it is, and fill it with 0 after the softmax.",
        ),
        solution=my_masked_weights,
    ),
    Exercise(
        name="padding_mask",
        part=3,
        task=(
            "A boolean mask (batch, 1, 1, n): True at the words of each sentence, False at the "
            "padding after them. lengths is (batch,)."
        ),
        page="steps/09-padding-masks/",
        attempt=_padding_mask,
        differentiable=False,
        cases=(
            Case("sentences of six and two words", (torch.tensor([6, 2]), 6), (), WORDS),
            Case("lengths 1, 4 and 3 of 4", (torch.tensor([1, 4, 3]), 4)),
            Case("padding after every sentence", (torch.tensor([2, 3]), 5)),
        ),
        mistakes=known("""
        one more: One pad of each sentence stays visible: j < length, and not j <= length.
            Read: steps/09-padding-masks/#the-formula
        inverted: True and False have changed places. True means that a query may attend to the key.
            Read: guides/mask-conventions/#what-true-means-in-attn_mask
        rows: Your mask has its lengths along the queries, so pads do not ask, but words still
            attend to pads. Lengths belong to the keys, the last axis.
            Read: steps/09-padding-masks/#the-rows-are-masked-not-the-columns
        left: The beginnings are hidden. Here the padding comes after the words.
            Read: steps/09-padding-masks/#not-printed-or-blank
        axes missing: Your mask is (batch, n). With two axes of size 1 between, (batch, 1, 1, n), it
            fits scores of (batch, num_heads, n, n).
            Read: guides/mask-conventions/#which-shapes-it-takes
    """),
        hints=(
            "Key j is a word if j < length.",
            "Lengths as (batch, 1, 1, 1), compared with `torch.arange(n)`, give (batch, 1, 1, n).",
        ),
        solution=my_padding_mask,
    ),
    Exercise(
        name="padded_causal",
        part=3,
        task=(
            "A boolean mask (batch, 1, n, n): a word attends to itself and to words before it, and "
            "no query attends to padding."
        ),
        page="steps/09-padding-masks/",
        attempt=_padded_causal,
        differentiable=False,
        cases=(
            Case("sentences of six and two words", (torch.tensor([6, 2]), 6), WORDS, WORDS),
            Case("lengths 1, 4 and 3 of 4", (torch.tensor([1, 4, 3]), 4)),
            Case("padding after every sentence", (torch.tensor([2, 3]), 5)),
        ),
        mistakes=known("""
        rows: The lengths run along the queries, so pads do not ask, but words still attend to pads.
            Lengths belong to the keys, the last axis.
            Read: steps/09-padding-masks/#the-rows-are-masked-not-the-columns
        or: A key is allowed if either mask allows it. Both must: `&`.
            Read: steps/09-padding-masks/#the-formula
        one more: One pad of each sentence stays visible: j < length, and not j <= length.
            Read: steps/09-padding-masks/#the-formula
        left: The beginnings are hidden. Here the padding comes after the words.
            Read: steps/09-padding-masks/#not-printed-or-blank
        no head axis: The axis of the heads is missing: (batch, 1, n, n) fits scores of (batch,
            num_heads, n, n).
            Read: guides/mask-conventions/#which-shapes-it-takes
        inverted: True and False have changed places. True means that a query may attend to the key.
            Read: guides/mask-conventions/#what-true-means-in-attn_mask
        no causal: The padding is hidden, and the words that come later are not.
            Read: steps/08-causal-masks/#the-formula
    """),
        hints=(
            "Two masks, and both must allow: `&`.",
            "The mask of the lengths is (batch, 1, 1, n), the causal one (n, n).",
        ),
        solution=my_padded_causal,
    ),
    Exercise(
        name="dropped",
        part=3,
        task=(
            "Weights after dropout with probability p: where keep is False a weight becomes 0, and "
            "the kept ones grow so that the expected sum stays the same."
        ),
        page="steps/dropout/",
        attempt=_dropped,
        cases=(
            Case(SENTENCE, (SCORES.softmax(-1), numbers(6, 6) > -0.7, 0.25), WORDS, WORDS),
            Case("p = 0.6", (numbers(2, 4).softmax(-1), numbers(2, 4, start=3) > 0.2, 0.6)),
        ),
        mistakes=known("""
        not divided: The kept weights are as before, so the sum has become smaller. Divide them by 1
            - p.
            Read: steps/dropout/#why-divide-by-1-p
        by p: The kept weights are divided by p, the chance to be dropped. Divide by the chance to
            be kept, 1 - p.
            Read: steps/dropout/#why-divide-by-1-p
        times: The kept weights have become smaller: they are multiplied by 1 - p. Divide.
            Read: steps/dropout/#why-divide-by-1-p
        inverted: The weights that should be kept are dropped, and the others are kept.
            Read: steps/dropout/#keep-or-drop
        shared again: Each row adds up to 1 again: it is divided by its own sum. Dropout divides by
            1 - p, however many weights are left.
            Read: steps/dropout/#why-divide-by-1-p
        before the softmax: Dropped keys still have a share: their scores became 0 before the
            softmax, and exp(0) is 1. Drop weights, not scores.
            Read: steps/dropout/#dropout-before-the-softmax
        kept all: All weights are kept: `keep` is not used.
            Read: steps/dropout/#keep-or-drop
    """),
        hints=(
            "A weight times False is 0.",
            "Of ten weights 10 (1 - p) are kept on average. By which factor must each grow?",
        ),
        solution=my_dropped,
    ),
    Exercise(
        name="split_heads",
        part=3,
        task=(
            "Cut the components into heads: (..., n, num_heads * head_dim) -> (..., num_heads, n, "
            "head_dim). Head 0 gets the first components."
        ),
        page="steps/10-multi-head-attention/",
        attempt=_split_heads,
        cases=(
            Case(SENTENCE, (INPUTS, 2), WORDS),
            Case("three heads of two components", (numbers(4, 6), 3)),
            Case("a batch of three sentences", (numbers(3, 5, 4), 2)),
        ),
        mistakes=known("""
        words cut: Head 0 holds whole words: a single view or reshape takes the numbers in order,
            and so it cuts the sentence. Cut the last axis, then exchange two.
            Read: guides/what-goes-wrong/#heads-are-scrambled
        not exchanged: The axis of the heads comes after that of the words. Exchange the two with
            `.transpose(-3, -2)`.
            Read: steps/10-multi-head-attention/#the-formula
        in turn: The heads get the components in turn, as cards are dealt. Head 0 gets the first
            head_dim components: (num_heads, head_dim), in this order.
            Read: guides/what-goes-wrong/#heads-are-scrambled
        sizes: num_heads and head_dim have changed places.
            Read: steps/10-multi-head-attention/#the-formula
    """),
        hints=(
            "Two moves: give the components two axes, (num_heads, head_dim); then bring the heads "
            "before the words.",
            "`x.unflatten(-1, (num_heads, -1))`, then `.transpose(-3, -2)`.",
        ),
        solution=my_split_heads,
    ),
    Exercise(
        name="merge_heads",
        part=3,
        task=("The way back: (..., num_heads, n, head_dim) -> (..., n, num_heads * head_dim)."),
        page="steps/10-multi-head-attention/",
        attempt=_merge_heads,
        cases=(
            Case(SENTENCE, (torch.stack(INPUTS.chunk(2, -1)),), WORDS, COLUMNS),
            Case("three heads of two components", (numbers(3, 4, 2),)),
            Case(BATCH, (torch.stack(TWO_SENTENCES.chunk(2, -1), -3),)),
        ),
        mistakes=known("""
        no transpose: A row of yours holds several words of one head: the axes were joined before
            they were exchanged back.
            Read: guides/what-goes-wrong/#heads-are-scrambled
        in turn: The components of the heads alternate. All of head 0 come first, then all of head
            1.
            Read: guides/what-goes-wrong/#heads-are-scrambled
        mean: The heads are averaged. Put them side by side.
            Read: steps/10-multi-head-attention/#the-average-of-the-heads
        sum: The heads are added up. Put them side by side.
            Read: steps/10-multi-head-attention/#mix-what-they-found
        one under another: The heads are one under another. Put them side by side.
            Read: steps/10-multi-head-attention/#the-formula
    """),
        hints=(
            "Undo the two moves of split_heads, the last one first.",
            "`.transpose(-3, -2)`, then make one axis of the last two.",
        ),
        solution=my_merge_heads,
    ),
    Exercise(
        name="multi_head",
        part=3,
        task=(
            "Project, split, attend in each head, merge, mix with W_out. All four matrices are "
            "stored as in nn.Linear: (..., n, d), four times (d, d) -> (..., n, d)."
        ),
        page="steps/10-multi-head-attention/",
        attempt=_multi_head,
        cases=(
            Case(SENTENCE, (INPUTS, *MATRICES, 2), WORDS),
            Case(BATCH, (TWO_SENTENCES, *MATRICES, 2)),
            Case("four heads", (INPUTS, *MATRICES, 4), WORDS),
        ),
        mistakes=known("""
        model's width: The scores are divided by the root of the model's width. Divide by the root
            of head_dim, the width of one head.
            Read: steps/06-why-divide-by-the-square-root/#the-models-width-instead-of-the-heads
        no scale: The scores are not divided by the square root of head_dim.
            Read: steps/06-why-divide-by-the-square-root/#the-formula
        words cut: On the way in, the words are cut into heads and not the components.
            Read: guides/what-goes-wrong/#heads-are-scrambled
        no transpose: On the way back the axes are joined before they are exchanged, so words and
            heads are mixed up.
            Read: guides/what-goes-wrong/#heads-are-scrambled
        no W_out: W_out is missing, so the results of the heads are side by side and not mixed.
            Read: steps/10-multi-head-attention/#mix-what-they-found
        over heads: The softmax runs over the heads. The keys are the last axis, dim=-1.
            Read: steps/03-weights/#softmax-along-the-wrong-axis
        weights averaged: All heads use the average of their weights, so no head has weights of its
            own.
            Read: steps/10-multi-head-attention/#the-average-of-the-heads
    """),
        hints=(
            "All its parts are written: project, split_heads, attention, merge_heads.",
            "With two heads of two shapes go (6, 4), (2, 6, 2), (2, 6, 6), (2, 6, 2), (6, 4).",
        ),
        solution=my_multi_head,
    ),
    Exercise(
        name="cross",
        part=3,
        task=(
            "Cross-attention: queries from the inputs, keys and values from the memory, the other "
            "sentence. Matrices as nn.Linear stores them; the context has a row for each input."
        ),
        page="steps/11-cross-attention/",
        attempt=_cross,
        cases=(
            Case("three words and a memory of six", (FRENCH, INPUTS, *NARROW)),
            Case("six words and a memory of three", (INPUTS, FRENCH, *NARROW), WORDS),
            Case("as many words as the memory", (INPUTS, INPUTS.flip(0), *NARROW), WORDS),
        ),
        mistakes=known("""
        roles: The queries come from the memory, and keys and values from the inputs. Exchange the
            two.
            Read: steps/11-cross-attention/#each-word-asks
        values of inputs: The values come from the inputs. Take them from the memory.
            Read: steps/11-cross-attention/#the-formula
        keys of inputs: The keys come from the inputs. Take them from the memory.
            Read: steps/11-cross-attention/#the-formula
        causal: There is a causal mask between the two sentences. The memory is complete, so every
            query may attend to all of it.
            Read: steps/11-cross-attention/#a-causal-mask-between-two-sentences
        length: The scores are divided by the root of the memory's length. Divide by the root of
            head_dim, the last axis of the query.
            Read: steps/06-why-divide-by-the-square-root/#the-formula
    """),
        hints=(
            "The sentence that asks has the queries. Keys and values come from the other one.",
            "The scores are (words of the inputs, words of the memory).",
        ),
        solution=my_cross,
    ),
    Exercise(
        name="sinusoids",
        part=3,
        task=(
            "The table of places (length, dim): sin(place * 10000^(-2i/dim)) in column 2i, the "
            "cosine of the same in column 2i + 1."
        ),
        page="steps/12-where-is-position/",
        attempt=_sinusoids,
        differentiable=False,
        cases=(Case("six places", (6, 4)), Case("three places of eight columns", (3, 8))),
        mistakes=known("""
        halves: All sines come first, then all cosines. Here the two alternate: sine in column 2i,
            cosine in column 2i + 1.
            Read: steps/12-where-is-position/#the-formula
        i for 2i: The later columns turn too fast: the exponent is -2i/dim, where i counts pairs of
            columns.
            Read: steps/12-where-is-position/#the-formula
        exchanged: Sine and cosine have changed places.
            Read: steps/12-where-is-position/#the-formula
        from 1: Your places begin at 1. The first place is 0.
            Read: steps/12-where-is-position/#the-formula
        dim/2 - 1: The last pair is slower than 10000^(-2i/dim): the exponent is divided by dim/2 -
            1 and not by dim/2. Some libraries do that.
            Read: steps/12-where-is-position/#for-engineers
    """),
        hints=(
            "Place times frequency is a table (length, dim/2) by broadcasting.",
            "`torch.stack((sin, cos), dim=-1).flatten(-2)` makes the columns alternate.",
        ),
        solution=my_sinusoids,
    ),
    Exercise(
        name="alibi",
        part=3,
        task=(
            "A bias (num_heads, n, n) to add to the scores: minus the distance of the two places, "
            "times the slope of the head, 2^(-8 (h + 1) / num_heads) for head h = 0, 1, ..."
        ),
        page="steps/position-by-rotation/",
        attempt=_alibi,
        differentiable=False,
        cases=(Case("four heads, five places", (4, 5)), Case("two heads, three places", (2, 3))),
        mistakes=known("""
        sign: Distant words get a higher score. The bias is negative.
            Read: steps/position-by-rotation/#which-one-to-take
        signed: Later words get a positive bias: the distance has a sign. Take its absolute value.
            Read: steps/position-by-rotation/#which-one-to-take
        from 0: The first head has slope 1: heads are counted from 0 in the exponent. The first
            exponent is -8 / num_heads.
            Read: steps/position-by-rotation/#which-one-to-take
        one slope: All heads have the slope of the first. Each head has its own.
            Read: steps/position-by-rotation/#which-one-to-take
    """),
        hints=(
            "The distance of two places is a table (n, n) by broadcasting.",
            "Slopes as (num_heads, 1, 1) times that table.",
        ),
        solution=my_alibi,
    ),
    Exercise(
        name="rotary",
        part=3,
        task=(
            "Turn each pair of neighbouring components (0, 1), (2, 3), ... by the angle position * "
            "10000^(-2i/dim), i the number of the pair: (..., L, dim), (L,) -> (..., L, dim)."
        ),
        page="steps/position-by-rotation/",
        attempt=_rotary,
        cases=(
            Case(SENTENCE, (INPUTS, torch.arange(6)), WORDS, COLUMNS),
            Case("two new words after five", (numbers(2, 6), torch.tensor([5, 6]))),
            Case("two heads", (numbers(2, 3, 4, start=1), torch.tensor([0, 2, 9]))),
        ),
        mistakes=known("""
        turned back: Each pair is turned the other way: the sign of the sine.
            Read: steps/position-by-rotation/#the-formula
        halves: Component i is paired with component i + dim/2, the layout of most checkpoints. Here
            neighbours are paired.
            Read: steps/position-by-rotation/#for-engineers
        positions ignored: Your words are at 0, 1, 2, ..., and `positions` is not used. With a
            cache, the next word is not at 0.
            Read: steps/13-kv-cache/#a-new-token-starts-at-0-again
        from 1: Your positions are too large by 1.
            Read: steps/position-by-rotation/#the-formula
        i for 2i: The later pairs turn too fast: the exponent is -2i/dim, where i is the number of
            the pair.
            Read: steps/position-by-rotation/#the-formula
        degrees: The angles are converted from degrees. sin and cos take radians, and the formula
            has no pi.
            Read: steps/position-by-rotation/#the-formula
    """),
        hints=(
            "The angles are a table (L, dim/2): position times frequency, by broadcasting.",
            "first, second = x[..., 0::2], x[..., 1::2]. Turned, the pair is (first cos - second "
            "sin, first sin + second cos).",
            "`torch.stack((a, b), dim=-1).flatten(-2)` puts the pairs back.",
        ),
        solution=my_rotary,
    ),
    Exercise(
        name="rotary_attention",
        part=3,
        task=(
            "Attention in which queries and keys are turned by their positions first, values are "
            "not. rotary_embedding(x, positions, interleaved=True) turns. Query, key, value and "
            "result are (..., n, E), positions (n,)."
        ),
        page="steps/position-by-rotation/",
        attempt=_rotary_attention,
        cases=(
            Case(SENTENCE, (INPUTS, INPUTS, INPUTS, torch.arange(6)), WORDS, COLUMNS),
            Case(
                "four words from place 3 on",
                (*(numbers(4, 4, start=start) for start in range(3)), torch.arange(3, 7)),
            ),
            Case(
                "two heads",
                (*(numbers(2, 4, 4, start=start) for start in range(3)), torch.arange(4)),
            ),
        ),
        mistakes=known("""
        values turned: The values are turned as well, so the context depends on where the text
            begins. Turn queries and keys alone.
            Read: steps/position-by-rotation/#the-values-are-turned-as-well
        keys only: Only the keys are turned, so a score depends on the place and not on the
            distance. Turn the queries too.
            Read: steps/position-by-rotation/#turn-a-query-turn-a-key
        queries only: Only the queries are turned, so a score depends on the place and not on the
            distance. Turn the keys too.
            Read: steps/position-by-rotation/#turn-a-query-turn-a-key
        no scale: The scores are not divided by the square root of head_dim.
            Read: steps/06-why-divide-by-the-square-root/#the-formula
    """),
        hints=(
            "Turn first, then attend as before.",
            "Two calls of rotary_embedding, with the same positions.",
        ),
        solution=my_rotary_attention,
    ),
    Exercise(
        name="rms_norm",
        part=3,
        task=(
            "The RMS norm: divide each word by the root of the mean of its squared components, to "
            "which eps is added, then multiply by weight: (..., L, E), (E,) -> (..., L, E)."
        ),
        page="steps/you-are-here/",
        attempt=_rms_norm,
        cases=(
            Case(SENTENCE, (INPUTS, torch.tensor([1.0, 2.0, 0.5, 1.5]), 0.1), WORDS, COLUMNS),
            Case("three words of five components", (numbers(3, 5), numbers(5, start=1), 1e-6)),
            Case(BATCH, (TWO_SENTENCES, torch.ones(4), 0.5)),
        ),
        mistakes=known("""
        no root: Each word is divided by its mean square. The root is missing.
            Read: steps/you-are-here/#the-norm
        sum: Your words are too short: the squares are added up. Take their mean.
            Read: steps/you-are-here/#the-norm
        layer norm: The mean of the components is taken away first: that is layer normalisation. The
            RMS norm only divides.
            Read: steps/you-are-here/#the-norm
        words: The mean runs over the words. Each word has a mean of its own, over its components:
            dim=-1.
            Read: steps/you-are-here/#the-norm
        dim=0: The mean runs over the words, and in a batch over the sentences. Each word has a mean
            of its own: dim=-1.
            Read: steps/you-are-here/#the-norm
        all at once: There is one mean for all words. Each word has its own: dim=-1.
            Read: steps/you-are-here/#the-norm
        eps outside: eps is added to the root. Add it under the root, to the mean of the squares.
            Read: steps/you-are-here/#the-norm
        no eps: `eps` is not used.
            Read: steps/you-are-here/#the-norm
        no weight: `weight` is not used.
            Read: steps/you-are-here/#the-norm
    """),
        hints=(
            "`x.pow(2).mean(dim=-1, keepdim=True)` is the mean square of each word.",
            "Add eps, take the root, divide, multiply by weight.",
        ),
        solution=my_rms_norm,
    ),
    Exercise(
        name="block",
        part=3,
        task=(
            "One block of a transformer: attention, then the MLP. Each half reads the norm of its "
            "input, and adds its result to the input: (..., n, d) -> (..., n, d)."
        ),
        page="steps/you-are-here/",
        attempt=_block,
        cases=(
            Case(SENTENCE, (INPUTS, norm, look, mlp), WORDS, COLUMNS),
            Case(BATCH, (TWO_SENTENCES, norm, look, mlp)),
        ),
        mistakes=known("""
        no residual: Each half replaces its input. Add the result to the input.
            Read: steps/you-are-here/#the-residual-is-left-out
        one residual: The MLP replaces its input. Add the result to the input, as after attention.
            Read: steps/you-are-here/#add-and-do-not-replace
        norm after: The norm comes after the sum, as in the block of 2017. Here each half reads the
            norm of its input, and the sum is left as it is.
            Read: steps/you-are-here/#the-norm
        old x: The MLP reads the input of the block. Give it the sum after attention.
            Read: steps/you-are-here/#the-block
        no norm: Neither half takes the norm first.
            Read: steps/you-are-here/#the-norm
        one norm: The MLP does not take the norm first.
            Read: steps/you-are-here/#the-norm
        norm added: Each half adds its result to the norm of its input. Add it to the input itself.
            Read: steps/you-are-here/#the-block
    """),
        hints=(
            "Two lines of one form: x = x + part(norm(x)).",
            "The second line takes the x of the first.",
        ),
        solution=my_block,
    ),
    Exercise(
        name="induction",
        part=3,
        task=(
            "A boolean mask (n, n) of the keys that an induction head looks at: True at key j if "
            "the word before j is the query's word, and j is not later than the query. tokens is "
            "(n,)."
        ),
        page="steps/induction/",
        attempt=_induction,
        differentiable=False,
        cases=(
            Case("tokens 0 1 2 0 3 0", (torch.tensor([0, 1, 2, 0, 3, 0]),)),
            Case("tokens 5 5 5", (torch.tensor([5, 5, 5]),)),
            Case("tokens 1 2 1 2 1", (torch.tensor([1, 2, 1, 2, 1]),)),
        ),
        mistakes=known("""
        same word: Your mask finds earlier copies of the word itself. The word after such a copy is
            wanted: compare with the word before the key.
            Read: steps/induction/#layer-2-who-followed-the-word-like-me
        wraps round: Key 0 is compared with the last word, because `roll` goes round. Before key 0
            there is no word.
            Read: steps/induction/#no-start-token
        future: A query attends to words that come after it: the causal mask is missing.
            Read: steps/08-causal-masks/#the-formula
        last only: Only the latest place is kept. All earlier copies are looked at.
            Read: steps/induction/#the-word-came-twice
        turned: Queries and keys have changed places.
            Read: steps/08-causal-masks/#the-formula
    """),
        hints=(
            "The word before each key is the row of tokens, moved by one; key 0 has none.",
            "Compare it with the tokens as a column, and keep the lower triangle.",
        ),
        solution=my_induction,
    ),
)
