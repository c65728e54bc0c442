"""Exercise: switch a head off."""

from torch import Tensor

from attention_practice._exercise import Case, Exercise, MistakeNames, known
from attention_practice._inputs import WORDS, numbers


def attempt(mistakes: MistakeNames, context: Tensor, W_out: Tensor, head: int) -> Tensor:
    num_heads, _, head_dim = context.shape[-3:]
    head = (head - 1) % num_heads if "one before" in mistakes else head
    first = head * head_dim
    off = slice(head, None, num_heads) if "in turn" in mistakes else slice(first, first + head_dim)
    left = W_out.clone()
    if "no transpose" in mistakes and "rows" not in mistakes:
        context = context.clone()  # the head is off, and W_out is turned
        if "not used" not in mistakes:
            context[..., head, :, :] = 0
    elif "not used" not in mistakes:
        left[off if "rows" in mistakes else (slice(None), off)] = 0
    left = W_out - left if "that head alone" in mistakes else left
    left = left * num_heads / (num_heads - 1) if "scaled" in mistakes else left
    merged = context.transpose(-3, -2).flatten(-2)
    if "scrambled" in mistakes:
        context = context.clone()
        context[..., head, :, :] = 0
        merged = context.reshape(merged.shape)
        left = W_out
    return merged @ (left if "no transpose" in mistakes else left.mT)


def my_without_head(context, W_out, head):
    context = context.clone()
    context[..., head, :, :] = 0
    return context.transpose(-3, -2).flatten(-2) @ W_out.mT


EXERCISE = Exercise(
    part=5,
    task=(
        "The output of attention with one head switched off: the contexts of the other heads side "
        "by side, times their columns of W_out. Contexts are (..., num_heads, L, head_dim), W_out "
        "is (E, num_heads * head_dim) as nn.Linear stores it, and the result is (..., L, E)."
    ),
    page="steps/look-inside/",
    attempt=attempt,
    cases=(
        Case("two heads", (numbers(2, 6, 2), numbers(4, 4, start=1), 1), WORDS),
        Case("three heads of two components", (numbers(3, 4, 2), numbers(8, 6, start=2), 0)),
        Case("a batch", (numbers(2, 3, 5, 2, start=3), numbers(6, 6, start=4), 1)),
    ),
    mistakes=known("""
        Read: steps/look-inside/#switch-a-part-off
        rows: Some components of your result are 0, and the head still adds to the others. Switch
            off what W_out reads from this head, its columns, and not what W_out writes.
        that head alone: Only that head is left, and all others are off.
        not used: All heads are on. If you changed a copy of W_out, use the copy.
        one before: Another head is off: the one before, or the last in place of head 0. Heads are
            counted from 0.
        Read: guides/what-goes-wrong/#heads-are-scrambled
        in turn: The heads get their columns in turn. Head 0 has the first head_dim columns.
        scrambled: Words and heads are mixed up: a reshape takes the numbers in order. Exchange the
            axes of heads and words first.
        Read: steps/dropout/#why-divide-by-1-p
        scaled: The other heads have grown, as if by dropout. Leave them as they are.
        Read: steps/self-attention-as-a-layer/#for-engineers
        no transpose: W_out is used as it is stored. nn.Linear multiplies by its transpose.
    """),
    hints=(
        "Side by side, the components of head h are h * head_dim to (h + 1) * head_dim - 1, and so "
        "are its columns of W_out.",
        "Without a change of W_out: set the context of that head to 0 in a copy.",
    ),
    solution=my_without_head,
)
