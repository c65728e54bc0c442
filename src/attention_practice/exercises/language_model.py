"""Exercise: the whole model."""

from collections.abc import Sequence

import torch
from torch import Tensor

from attention_practice._exercise import Case, Exercise, MistakeNames, known
from attention_practice._inputs import (
    BATCH,
    BLOCKS,
    EMBEDDING,
    SENTENCE,
    WORDS,
    Part,
    norm,
    numbers,
    vectors,
)

VOCABULARY = list(EMBEDDING)
TABLE = vectors(" ".join(VOCABULARY))
IDS = torch.tensor([VOCABULARY.index(word) for word in WORDS])


def attempt(
    mistakes: MistakeNames,
    ids: Tensor,
    embedding: Tensor,
    position: Tensor,
    blocks: Sequence[Part],
    norm: Part,
) -> Tensor:
    x = embedding[ids]
    places = ids if "places of ids" in mistakes else torch.arange(ids.shape[-1])
    x = x if "places last" in mistakes else x + position[places]
    x = norm(x) if "norm first" in mistakes else x
    start = x
    for block in blocks:
        found = block(start if "not stacked" in mistakes else x)
        x = x + found if "added twice" in mistakes else found
        x = norm(x) if "norm each time" in mistakes else x
    x = x + position[places] if "places last" in mistakes else x
    x = x if mistakes & {"no norm", "norm first", "norm each time"} else norm(x)
    if "no logits" in mistakes:
        return x
    logits = x @ (embedding if "no transpose" in mistakes else embedding.mT)
    logits = logits.softmax(-1) if "softmax" in mistakes else logits
    return logits[..., -1, :] if "last word only" in mistakes else logits


def my_language_model(ids, embedding, position, blocks, norm):
    x = embedding[ids] + position[: ids.shape[-1]]
    for block in blocks:
        x = block(x)
    return norm(x) @ embedding.mT


EXERCISE = Exercise(
    part=5,
    task=(
        "A whole model, from ids (..., L) to logits (..., L, V). `embedding` (V, E) has a row for "
        "each word, and `position` one for each place. `blocks` is a list of functions, each with "
        "its residuals inside; `norm` is a function, too."
    ),
    page="steps/the-whole-model/",
    attempt=attempt,
    cases=(
        Case(SENTENCE, (IDS, TABLE, numbers(8, 4), BLOCKS, norm), WORDS, VOCABULARY),
        Case(
            BATCH,
            (
                torch.tensor([[2, 0, 1], [3, 3, 2]]),
                numbers(5, 4, start=1),
                numbers(4, 4, start=2),
                (BLOCKS[1], *BLOCKS),
                norm,
            ),
        ),
    ),
    mistakes=known("""
        Read: steps/where-is-position/#the-formula
        places of ids: The place of a word is taken from its id. The first word has place 0, the
            next place 1.
        places last: The places are added after the blocks, where no attention can use them.
        Read: steps/the-whole-model/#the-way-of-a-text
        added twice: The result of each block is added to its input. The block does this inside: x =
            block(x).
        not stacked: Every block reads the first vectors, so only the last block counts. Give each
            block the result of the block before.
        no transpose: The last product pairs words with components. Each row of `embedding` is a
            word: transpose it.
        no logits: These are the vectors after the last block. Compare each with all rows of
            `embedding`.
        last word only: Only the last word makes a guess. Every word should make one, in one pass.
        Read: steps/the-whole-model/#all-of-it
        no norm: The norm after the last block is missing.
        norm first: The norm comes before the blocks. Put it after the last block.
        norm each time: There is a norm after every block. Outside of the blocks there is one, after
            the last.
        Read: notebooks/002_softmax_once/
        softmax: Your rows add up to 1: they are shares. Logits are asked for, without a softmax.
    """),
    hints=(
        "A row of each table, added; then block after block; then the norm.",
        "The logit of a word is the dot product with its row of `embedding`: the same table.",
    ),
    solution=my_language_model,
)
