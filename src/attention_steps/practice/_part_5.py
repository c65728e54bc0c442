"""Part 5, a language model: its loss, its parts in order, what one part or place does, a word."""

import math
from collections.abc import Callable, Sequence

import torch
import torch.nn.functional as F
from torch import Tensor

from attention_steps.practice._exercise import Case, Exercise, Mistake, Wrong
from attention_steps.practice._inputs import (
    BATCH,
    COLUMNS,
    EMBEDDING,
    INPUTS,
    SENTENCE,
    WORDS,
    numbers,
    vectors,
)
from attention_steps.practice._part_3 import (
    STEP_8,
    STEP_9,
    STEP_12,
    look,
    mlp,
    norm,
)

STEP_23, STEP_24 = "steps/23-guess-the-next-word/", "steps/24-the-whole-model/"
STEP_25, STEP_26 = "steps/25-look-inside/", "steps/26-let-it-write/"

VOCABULARY = list(EMBEDDING)
TABLE = vectors(" ".join(VOCABULARY))
IDS = torch.tensor([VOCABULARY.index(word) for word in WORDS])
RICH = vectors("the duck likes the rich bank")

Part = Callable[[Tensor], Tensor]
BLOCKS: tuple[Part, ...] = (lambda x: x + look(norm(x)), lambda x: x + mlp(norm(x)))


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


EXERCISES = (
    Exercise(
        name="padded_loss",
        part=5,
        task=(
            "The mean loss of a guess: how surprised is the model by each next word? Short stories "
            "are filled up with the token `pad`, which is never guessed: "
            "(batch, L, vocabulary), (batch, L) -> one number."
        ),
        page=STEP_23,
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
        ),
        mistakes=(
            Mistake(
                "no shift",
                "Position i guesses word i, which it has read: the model learns to copy. Position "
                "i guesses word i + 1.",
                f"{STEP_23}#the-targets-are-not-shifted",
            ),
            Mistake(
                "shifted back",
                "Position i guesses word i - 1. Shift the other way, so that it guesses word i + "
                "1.",
                f"{STEP_23}#the-targets-are-not-shifted",
            ),
            Mistake(
                "pads counted",
                "Your loss is too small: a pad adds 0 to the sum, and is counted in the mean. "
                "Divide by the number of words that are guessed.",
                f"{STEP_23}#pads-are-counted",
            ),
            Mistake(
                "pads are words",
                "Pads are guessed like words. A guess counts only where the next token is no pad: "
                "`ignore_index=pad`.",
                f"{STEP_23}#pads-are-counted",
            ),
            Mistake(
                "mask of what is read",
                "The pad after each last word is guessed: you ask whether the token that is read "
                "is a pad. Ask about the token that is guessed.",
                f"{STEP_23}#pads-are-counted",
            ),
            Mistake(
                "mean of means",
                "Each story has a mean of its own, so a guess in a short story counts more. Take "
                "one mean over all guesses.",
                f"{STEP_23}#the-loss",
            ),
            Mistake("sum", "The losses are added up. Their mean is asked for.", STEP_23),
            Mistake(
                "softmax first",
                "The softmax runs twice: F.cross_entropy takes logits and has a softmax of its "
                "own.",
                "notebooks/002_softmax_once/",
            ),
        ),
        hints=(
            "All words but the last are read, and all but the first are guessed.",
            "F.cross_entropy(..., ignore_index=pad) leaves pads out of the sum and of the mean.",
        ),
        solution=(
            "def my_padded_loss(logits, tokens, pad):\n"
            "    guesses, words = logits[:, :-1].flatten(0, 1), tokens[:, 1:].flatten()\n"
            "    return F.cross_entropy(guesses, words, ignore_index=pad)"
        ),
    ),
    Exercise(
        name="language_model",
        part=5,
        task=(
            "A whole model, from ids (..., L) to logits (..., L, V). `embedding` (V, E) has a row "
            "for each word, and `position` one for each place. `blocks` is a list of functions, "
            "each with its residuals inside; `norm` is a function, too."
        ),
        page=STEP_24,
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
        mistakes=(
            Mistake(
                "no places",
                "A word gets the same vector at each place: `position` is not added.",
                f"{STEP_12}#the-formula",
            ),
            Mistake(
                "places of ids",
                "The place of a word is taken from its id. The first word has place 0, the next "
                "place 1.",
                f"{STEP_12}#the-formula",
            ),
            Mistake(
                "added twice",
                "The result of each block is added to its input. The block does this inside: x = "
                "block(x).",
                f"{STEP_24}#the-way-of-a-text",
            ),
            Mistake(
                "not stacked",
                "Every block reads the first vectors, so only the last block counts. Give each "
                "block the result of the block before.",
                f"{STEP_24}#the-way-of-a-text",
            ),
            Mistake("no norm", "The norm after the last block is missing.", f"{STEP_24}#all-of-it"),
            Mistake(
                "norm first",
                "The norm comes before the blocks. Put it after the last block.",
                f"{STEP_24}#all-of-it",
            ),
            Mistake(
                "no transpose",
                "The last product pairs words with components. Each row of `embedding` is a word: "
                "transpose it.",
                f"{STEP_24}#the-way-of-a-text",
            ),
            Mistake(
                "softmax",
                "Your rows add up to 1: they are shares. Logits are asked for, without a softmax.",
                "notebooks/002_softmax_once/",
            ),
            Mistake(
                "last word only",
                "Only the last word makes a guess. Every word should make one, in one pass.",
                f"{STEP_24}#the-way-of-a-text",
            ),
        ),
        hints=(
            "A row of each table, added; then block after block; then the norm.",
            "The logit of a word is the dot product with its row of `embedding`: the same table.",
        ),
        solution=(
            "def my_language_model(ids, embedding, position, blocks, norm):\n"
            "    x = embedding[ids] + position[: ids.shape[-1]]\n"
            "    for block in blocks:\n"
            "        x = block(x)\n"
            "    return norm(x) @ embedding.mT"
        ),
    ),
    Exercise(
        name="without_head",
        part=5,
        task=(
            "The output of attention with one head switched off: the contexts of the other heads "
            "side by side, times their columns of W_out. Contexts are "
            "(..., num_heads, L, head_dim), W_out is (E, num_heads * head_dim) as nn.Linear stores "
            "it, and the result is (..., L, E)."
        ),
        page=STEP_25,
        attempt=_without_head,
        cases=(
            Case("two heads", (numbers(2, 6, 2), numbers(4, 4, start=1), 1), WORDS),
            Case("three heads of two components", (numbers(3, 4, 2), numbers(8, 6, start=2), 0)),
            Case("a batch", (numbers(2, 3, 5, 2, start=3), numbers(6, 6, start=4), 1)),
        ),
        mistakes=(
            Mistake(
                "rows",
                "Some components of your result are 0, and the head still adds to the others: its "
                "rows of W_out are switched off. Switch off its columns.",
                f"{STEP_25}#switch-a-part-off",
            ),
            Mistake(
                "in turn",
                "The heads get their columns in turn. Head 0 has the first head_dim columns.",
                "guides/what-goes-wrong/#heads-are-scrambled",
            ),
            Mistake(
                "that head alone",
                "Only that head is left, and all others are off.",
                f"{STEP_25}#switch-a-part-off",
            ),
            Mistake(
                "not used",
                "All heads are on. If you changed a copy of W_out, use the copy.",
                f"{STEP_25}#switch-a-part-off",
            ),
            Mistake(
                "from 1",
                "The head before is off. Heads are counted from 0.",
                f"{STEP_25}#switch-a-part-off",
            ),
            Mistake(
                "scaled",
                "The other heads have grown, as if by dropout. Leave them as they are.",
                "steps/dropout/#why-divide-by-1-p",
            ),
            Mistake(
                "no transpose",
                "W_out is used as it is stored. nn.Linear multiplies by its transpose.",
                "steps/07-self-attention-as-a-layer/#for-engineers",
            ),
        ),
        hints=(
            "Side by side, the components of head h are h * head_dim to (h + 1) * head_dim - 1, "
            "and so are its columns of W_out.",
            "Without a change of W_out: set the context of that head to 0 in a copy.",
        ),
        solution=(
            "def my_without_head(context, W_out, head):\n"
            "    context = context.clone()\n"
            "    context[..., head, :, :] = 0\n"
            "    return context.transpose(-3, -2).flatten(-2) @ W_out.mT"
        ),
    ),
    Exercise(
        name="patched",
        part=5,
        task=(
            "Run x (L, E) through all blocks, but just before block number `layer`, put the vector "
            "of one place from the run of another text there. `other` (L, E) has been through the "
            "same blocks up to then. Return the result for x."
        ),
        page=STEP_25,
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
        mistakes=(
            Mistake(
                "after",
                "The vector is put in after the block, and so one block too late.",
                f"{STEP_25}#put-one-word-of-another-text-in-its-place",
            ),
            Mistake(
                "not run",
                "The vector is that of the other text before any block. Run the other text through "
                "the same blocks.",
                f"{STEP_25}#put-one-word-of-another-text-in-its-place",
            ),
            Mistake(
                "at the start",
                "The vector is put in before block 0. Put it in before block number `layer`.",
                f"{STEP_25}#put-one-word-of-another-text-in-its-place",
            ),
            Mistake(
                "not used",
                "Your result is that of x alone: the other text has no part in it.",
                f"{STEP_25}#put-one-word-of-another-text-in-its-place",
            ),
            Mistake(
                "all places",
                "All places come from the other text. One should.",
                f"{STEP_25}#put-one-word-of-another-text-in-its-place",
            ),
            Mistake(
                "exchanged",
                "The two texts have changed places: a vector of x goes into the run of the other.",
                f"{STEP_25}#put-one-word-of-another-text-in-its-place",
            ),
            Mistake(
                "every block",
                "The vector is put in before every block. Once is enough.",
                f"{STEP_25}#put-one-word-of-another-text-in-its-place",
            ),
        ),
        hints=(
            "Run both texts, block by block: x, other = block(x), block(other).",
            "In place of `x[place] = ...`, which would change the caller's tensor, write into "
            "`x.clone()`.",
        ),
        solution=(
            "def my_patched(x, other, blocks, layer, place):\n"
            "    for number, block in enumerate(blocks):\n"
            "        if number == layer:\n"
            "            x = x.clone()\n"
            "            x[place] = other[place]\n"
            "        x, other = block(x), block(other)\n"
            "    return x"
        ),
    ),
    Exercise(
        name="next_word",
        part=5,
        task=(
            "The probabilities that the next word is drawn from: the top_k most probable words, at "
            "this temperature, and 0 for all others."
        ),
        page=STEP_26,
        attempt=_next_word,
        cases=(
            Case("seven words, temperature 0.5, top_k 3", (numbers(1, 7), 0.5, 3)),
            Case("seven words, temperature 2, top_k 7", (numbers(1, 7), 2.0, 7)),
            Case("a batch, temperature 1, top_k 1", (numbers(3, 5, start=1), 1.0, 1)),
            Case("logits below 0", (numbers(2, 5, start=2) - 3, 0.7, 2)),
        ),
        mistakes=(
            Mistake(
                "times",
                "The logits are multiplied by the temperature. Divide: the higher the temperature, "
                "the more equal the words.",
                f"{STEP_26}#temperature",
            ),
            Mistake(
                "not shared again",
                "Your rows add up to less than 1: words are removed after the softmax. Remove them "
                "before it.",
                f"{STEP_8}#multiplying-the-weights-by-the-mask",
            ),
            Mistake(
                "zero",
                "Removed words still have a probability: their logits are 0, and exp(0) is 1. "
                "Minus infinity gives 0.",
                f"{STEP_9}#zeros-are-not-nothing",
            ),
            Mistake(
                "one less",
                "One word too few is kept: the k-th most probable word belongs to the top k.",
                f"{STEP_26}#temperature",
            ),
            Mistake(
                "temperature last",
                "The probabilities are divided by the temperature, so they do not add up to 1. "
                "Divide the logits.",
                f"{STEP_26}#temperature",
            ),
            Mistake(
                "top_k unused",
                "Every word has a probability: top_k is not used.",
                f"{STEP_26}#temperature",
            ),
            Mistake(
                "across the batch",
                "The top k are those of the whole batch. Each row has its own.",
                "steps/03-weights/#the-formula",
            ),
        ),
        hints=(
            "`logits.topk(top_k).values[..., -1:]` is the k-th largest of each row.",
            "Fill smaller ones with -inf, divide by the temperature, take the softmax.",
        ),
        solution=(
            "def my_next_word(logits, temperature, top_k):\n"
            "    kth = logits.topk(top_k).values[..., -1:]\n"
            "    kept = logits.masked_fill(logits < kth, -math.inf)\n"
            "    return torch.softmax(kept / temperature, dim=-1)"
        ),
    ),
)
