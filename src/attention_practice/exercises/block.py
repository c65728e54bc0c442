"""Exercise: the block."""

from torch import Tensor

from attention_practice._exercise import Case, Exercise, MistakeNames, known
from attention_practice._inputs import (
    BATCH,
    COLUMNS,
    INPUTS,
    SENTENCE,
    TWO_SENTENCES,
    WORDS,
    Part,
    look,
    mlp,
    norm,
)


def attempt(mistakes: MistakeNames, x: Tensor, norm: Part, attention: Part, mlp: Part) -> Tensor:
    def half(came: Tensor, part: Part, normed: bool, added: bool, to: Tensor) -> Tensor:
        if "norm after" in mistakes:
            return norm(to + part(came) if added else part(came))
        found = part(norm(came) if normed else came)
        to = norm(to) if "norm added" in mistakes else to
        return to + found if added else found

    if "one for both" in mistakes:
        return x + mlp(norm(attention(norm(x))))
    if "norm of the result" in mistakes:
        x = x + norm(attention(x))
        return x + norm(mlp(x))
    residual = "no residual" not in mistakes
    normed = not mistakes & {"no norm", "no first norm"}
    first = half(x, attention, normed, residual and "no first residual" not in mistakes, x)
    came = x if "old x" in mistakes else first
    normed = not mistakes & {"no norm", "one norm"}
    to = x if "first half lost" in mistakes else first
    found = half(came, mlp, normed, residual and "one residual" not in mistakes, to)
    return norm(found) if "norm last" in mistakes else found


def my_block(x, norm, attention, mlp):
    x = x + attention(norm(x))
    return x + mlp(norm(x))


EXERCISE = Exercise(
    part=3,
    task=(
        "One block of a transformer: attention, then the MLP. Each half reads the norm of its "
        "input, and adds its result to the input: (..., n, d) -> (..., n, d)."
    ),
    page="steps/the-whole-model/",
    attempt=attempt,
    cases=(
        Case(SENTENCE, (INPUTS, norm, look, mlp), WORDS, COLUMNS),
        Case(BATCH, (TWO_SENTENCES, norm, look, mlp)),
    ),
    mistakes=known("""
        Read: steps/the-whole-model/#the-residual-is-left-out
        no residual: Each half replaces its input. Add the result to the input.
        Read: steps/the-whole-model/#add-and-do-not-replace
        one residual: The MLP replaces its input. Add the result to the input, as after attention.
        no first residual: Attention replaces its input. Add the result to the input, as after the
            MLP.
        one for both: The input is added once, after both halves. Each half adds its result to
            its own input.
        Read: steps/the-whole-model/#the-norm
        norm after: The norm comes after the sum, as in the block of 2017. Here each half reads the
            norm of its input, and the sum is left as it is.
        no norm: Neither half takes the norm first.
        one norm: The MLP does not take the norm first.
        no first norm: Attention does not take the norm first.
        norm of the result: The norm is taken of what each half finds. Take it of what each half
            reads.
        Read: steps/the-whole-model/#the-block
        old x: The MLP reads the input of the block. Give it the sum after attention.
        norm added: Each half adds its result to the norm of its input. Add it to the input itself.
        first half lost: The second half adds its result to the input of the block, so what
            attention has added is lost. Add it to the sum after attention.
        Read: steps/the-whole-model/#all-of-it
        norm last: A norm comes after the block as well. The model has one, after its last block.
    """),
    hints=(
        "Two lines of one form: x = x + part(norm(x)).",
        "The second line takes the x of the first.",
    ),
    solution=my_block,
)
