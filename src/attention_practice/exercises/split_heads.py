"""Exercise: cut into heads."""

from attention_practice._exercise import Case, Exercise, planted
from attention_practice._inputs import INPUTS, SENTENCE, WORDS, numbers


def my_split_heads(x, num_heads):
    return x.unflatten(-1, (num_heads, -1)).transpose(-3, -2)


EXERCISE = Exercise(
    title="Cut into heads",
    task=(
        "Cut the components into heads: (..., n, num_heads * head_dim) -> (..., num_heads, n, "
        "head_dim). Head 0 gets the first components."
    ),
    page="reference/layers/",
    cases=(
        Case(SENTENCE, (INPUTS, 2), WORDS),
        Case("three heads of two components", (numbers(4, 6), 3)),
        Case("a batch of three sentences", (numbers(3, 5, 4), 2)),
    ),
    mistakes=planted("""
        Read: guides/what-goes-wrong/#heads-are-scrambled
        words cut `x.unflatten(-1, (num_heads, -1)).transpose(-3, -2)` -> `x.reshape(*x.shape[:-2],
            num_heads, x.shape[-2], -1)`: Head 0 holds whole words: a single view or reshape takes
            the numbers in order, and so it cuts the sentence. Cut the last axis, then exchange two.
        in turn `(num_heads, -1))` -> `(-1, num_heads)).mT`: The heads get the components in turn,
            as cards are dealt. Head 0 gets the first head_dim components: (num_heads, head_dim), in
            this order.
        Read: reference/layers/#all-heads-at-once
        not exchanged `.transpose(-3, -2)` -> ``: The axis of the heads comes after that of the
            words. Exchange the two with `.transpose(-3, -2)`.
        sizes `(num_heads, -1)` -> `(-1, num_heads)`: num_heads and head_dim have changed places.
        in front `.transpose(-3, -2)` -> `.movedim(-2, 0)`: One sentence is right, and a batch is
            not: the heads stand in front of the batch. Their place is before the last two axes, -3.
        no batch `(-3, -2)` -> `(0, 1)`: One sentence is right, and a batch is not: the axes are
            counted from the front. Count from the end, `.transpose(-3, -2)`.
    """),
    hints=(
        "Two moves: give the components two axes, (num_heads, head_dim); then bring the heads "
        "before the words.",
        "`x.unflatten(-1, (num_heads, -1))`, then `.transpose(-3, -2)`.",
    ),
    solution=my_split_heads,
    lines="""
        head_dim = x.shape[-1] // num_heads

        x = x.unflatten(-1, (num_heads, head_dim))
        x = x.unflatten(-1, (head_dim, num_heads))
        x = x.unflatten(-1, (head_dim, num_heads)).mT

        return x.transpose(-3, -2)
        return x
    """,
)
