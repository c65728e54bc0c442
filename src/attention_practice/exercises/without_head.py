"""Exercise: switch a head off."""

from attention_practice._exercise import Case, Exercise, planted
from attention_practice._inputs import WORDS, numbers


def my_without_head(context, W_out, head):
    context = context.clone()
    context[..., head, :, :] = 0
    return context.transpose(-3, -2).flatten(-2) @ W_out.mT


EXERCISE = Exercise(
    title="Switch a head off",
    task=(
        "The output of attention with one head switched off: the contexts of the other heads side "
        "by side, times their columns of W_out. Contexts are (..., num_heads, L, head_dim), W_out "
        "is (E, num_heads * head_dim) as nn.Linear stores it, and the result is (..., L, E)."
    ),
    page="steps/look-inside/",
    cases=(
        Case("two heads", (numbers(2, 6, 2), numbers(4, 4, start=1), 1), WORDS),
        Case("three heads of two components", (numbers(3, 4, 2), numbers(8, 6, start=2), 0)),
        Case("a batch", (numbers(2, 3, 5, 2, start=3), numbers(6, 6, start=4), 1)),
    ),
    mistakes=planted("""
        Read: steps/look-inside/#switch-a-part-off
        rows `context = context.clone() context[..., head, :, :] = 0 return` -> `return`, `W_out.mT`
            -> `(W_out.mT * (torch.arange(len(W_out)) // context.shape[-1] != head))`: Some
            components of your result are 0, and the head still adds to the others. Switch off what
            W_out reads from this head, its columns, and not what W_out writes.
        that head alone `context.clone()` -> `torch.zeros_like(kept := context)`, `= 0` -> `=
            kept[..., head, :, :]`: Only that head is left, and all others are off.
        not used `context = context.clone() context[..., head, :, :] = 0 return` -> `return`: All
            heads are on. If you changed a copy of W_out, use the copy.
        one before `head, :` -> `head - 1, :`: Another head is off: the one before, or the last in
            place of head 0. Heads are counted from 0.
        Read: guides/what-goes-wrong/#heads-are-scrambled
        in turn `context = context.clone() context[..., head, :, :] = 0 return` -> `return`,
            `W_out.mT` -> `(W_out * (torch.arange(W_out.shape[1]) % context.shape[-3] != head)).mT`:
            The heads get their columns in turn. Head 0 has the first head_dim columns.
        scrambled `.transpose(-3, -2).flatten(-2)` -> `.reshape(*context.shape[:-3],
            context.shape[-2], -1)`: Words and heads are mixed up: a reshape takes the numbers in
            order. Exchange the axes of heads and words first.
        Read: reference/layers/#dropout
        scaled `W_out.mT` -> `W_out.mT * context.shape[-3] / (context.shape[-3] - 1)`: The other
            heads have grown, as if by dropout. Leave them as they are.
        Read: reference/layers/#a-layer-from-three-matrices
        no transpose `W_out.mT` -> `W_out`: W_out is used as it is stored. nn.Linear multiplies by
            its transpose.
    """),
    hints=(
        "Side by side, the components of head h are h * head_dim to (h + 1) * head_dim - 1, and so "
        "are its columns of W_out.",
        "Without a change of W_out: set the context of that head to 0 in a copy.",
    ),
    solution=my_without_head,
    lines="""
        context = context.clone()

        context[..., head, :, :] = 0
        context[..., torch.arange(context.shape[-3]) != head, :, :] = 0
        # nothing

        context = context.transpose(-3, -2).flatten(-2)

        return context @ W_out.mT
    """,
)
