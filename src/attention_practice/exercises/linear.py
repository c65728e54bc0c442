"""Exercise: attention without a softmax."""

from attention_practice._exercise import Case, Exercise, planted
from attention_practice._inputs import COLUMNS, INPUTS, SENTENCE, WORDS, numbers


def my_linear(query, key, value):
    return (query @ key.mT).tril() @ value


EXERCISE = Exercise(
    title="Attention without a softmax",
    task=(
        "Attention without a softmax: each word adds the product of its key and its value to a "
        "state (E, Ev), and then reads the state with its query: (..., n, E), (..., n, E), (..., "
        "n, Ev) -> (..., n, Ev)."
    ),
    page="steps/without-softmax/",
    cases=(
        Case(SENTENCE, (INPUTS, INPUTS, INPUTS), WORDS, COLUMNS),
        Case(
            "values of two components",
            (numbers(5, 3), numbers(5, 3, start=1), numbers(5, 2, start=2)),
        ),
        Case("two heads", (numbers(2, 4, 3), numbers(2, 4, 3, start=1), numbers(2, 4, 2, start=2))),
    ),
    mistakes=planted("""
        Read: steps/without-softmax/#written-as-it-is-read
        not causal `.tril()` -> ``: Each word reads a state that all words have written, later ones
            too.
        read first `.tril()` -> `.tril(-1)`: Each word reads before it writes, so it does not read
            itself.
        overwritten `.tril()` -> ` * torch.eye(key.shape[-2])`: Each word replaces the state. Add to
            the state.
        Read: steps/without-softmax/#the-formula
        scaled `key.mT)` -> `key.mT / math.sqrt(query.shape[-1]))`: The queries are divided by the
            root of head_dim. Without a softmax nothing is divided here.
        divided `@ value` -> `@ value / torch.arange(1, query.shape[-2] + 1)[:, None]`: Each row is
            divided by the number of words so far. Nothing is divided here.
        softmax `.tril()` -> `.masked_fill(torch.ones(query.shape[-2], key.shape[-2]).triu(1) > 0,
            -math.inf).softmax(-1)`: That is causal attention with a softmax. Here there is none.
        shares `(query @` -> `(table := (query @`, `.tril() @ value` -> `.tril()) @ value /
            table.sum(-1, keepdim=True)`: Each row is divided by the sum of its products, as if they
            were shares. Nothing is divided here.
    """),
    hints=(
        "A word writes `key[t][:, None] * value[t]`.",
        "All at once: query @ key.mT, with the later keys set to 0, times value.",
    ),
    solution=my_linear,
    lines="""
        scores = query @ key.mT
        scores = query @ key.mT / math.sqrt(query.shape[-1])

        scores = scores.tril()
        scores = scores.tril(-1)
        # nothing

        return scores @ value
        return scores @ value / torch.arange(1, len(value) + 1)[:, None]
    """,
)
