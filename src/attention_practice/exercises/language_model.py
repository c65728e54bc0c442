"""Exercise: the whole model."""

import torch

from attention_practice._exercise import Case, Exercise, planted
from attention_practice._inputs import (
    BATCH,
    BLOCKS,
    SENTENCE,
    WORDS,
    norm,
    numbers,
)
from tiny_lm.words import vectors

VOCABULARY = ["the", "duck", "likes", "muddy", "rich", "bank", "money"]
TABLE = vectors(" ".join(VOCABULARY))
IDS = torch.tensor([VOCABULARY.index(word) for word in WORDS])


def my_language_model(ids, embedding, position, blocks, norm):
    x = embedding[ids] + position[: ids.shape[-1]]
    for block in blocks:
        x = block(x)
    return norm(x) @ embedding.mT


EXERCISE = Exercise(
    title="The whole model",
    task=(
        "A whole model, from ids (..., L) to logits (..., L, V). `embedding` (V, E) has a row for "
        "each word, and `position` one for each place. `blocks` is a list of functions, each with "
        "its residuals inside; `norm` is a function, too."
    ),
    page="reference/layers/",
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
    mistakes=planted("""
        Read: reference/positions/#which-one-to-take
        places of ids `[: ids.shape[-1]]` -> `[ids]`: The place of a word is taken from its id. The
            first word has place 0, the next place 1.
        places last ` + position[: ids.shape[-1]]` -> ``, `norm(x)` -> `norm(x + position[:
            ids.shape[-1]])`: The places are added after the blocks, where no attention can use
            them.
        Read: reference/layers/#the-way-of-a-text
        added twice `= block(x)` -> `= x + block(x)`: The result of each block is added to its
            input. The block does this inside: x = block(x).
        not stacked `for block in blocks: x = block(x)` -> `x = blocks[-1](x)`: Every block reads
            the first vectors, so only the last block counts. Give each block the result of the
            block before.
        no transpose `embedding.mT` -> `embedding`: The last product pairs words with components.
            Each row of `embedding` is a word: transpose it.
        no logits ` @ embedding.mT` -> ``: These are the vectors after the last block. Compare each
            with all rows of `embedding`.
        last word only `norm(x)` -> `norm(x)[..., -1, :]`: Only the last word makes a guess. Every
            word should make one, in one pass.
        Read: reference/layers/#all-of-it
        no norm `norm(x)` -> `x`: The norm after the last block is missing.
        norm first `norm(x)` -> `x`, `embedding[ids] + position[: ids.shape[-1]]` ->
            `norm(embedding[ids] + position[: ids.shape[-1]])`: The norm comes before the blocks.
            Put it after the last block.
        norm each time `norm(x)` -> `x`, `= block(x)` -> `= norm(block(x))`: There is a norm after
            every block. Outside of the blocks there is one, after the last.
        Read: notebooks/002_softmax_once/
        softmax `norm(x) @ embedding.mT` -> `(norm(x) @ embedding.mT).softmax(-1)`: Your rows add up
            to 1: they are shares. Logits are asked for, without a softmax.
    """),
    hints=(
        "A row of each table, added; then block after block; then the norm.",
        "The logit of a word is the dot product with its row of `embedding`: the same table.",
    ),
    solution=my_language_model,
    lines="""
        x = embedding[ids] + position[: ids.shape[-1]]
        x = embedding[ids] + position[ids]
        x = embedding[ids]

        for block in blocks:

            x = block(x)
            x = x + block(x)

        x = norm(x)
        # nothing

        logits = x @ embedding.mT
        logits = x @ embedding

        return logits
        return torch.softmax(logits, dim=-1)
        return logits[..., -1, :]
    """,
)
