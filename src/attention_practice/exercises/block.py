"""Exercise: the block."""

from attention_practice._exercise import Case, Exercise, planted
from attention_practice._inputs import (
    BATCH,
    COLUMNS,
    INPUTS,
    SENTENCE,
    TWO_SENTENCES,
    WORDS,
    look,
    mlp,
    norm,
)


def my_block(x, norm, attention, mlp):
    x = x + attention(norm(x))
    return x + mlp(norm(x))


EXERCISE = Exercise(
    title="The block",
    task=(
        "One block of a transformer: attention, then the MLP. Each half reads the norm of its "
        "input, and adds its result to the input: (..., n, d) -> (..., n, d)."
    ),
    page="steps/the-whole-model/",
    cases=(
        Case(SENTENCE, (INPUTS, norm, look, mlp), WORDS, COLUMNS),
        Case(BATCH, (TWO_SENTENCES, norm, look, mlp)),
    ),
    mistakes=planted("""
        Read: steps/the-whole-model/#the-residual-is-left-out
        no residual `x + attention` -> `attention`, `x + mlp` -> `mlp`: Each half replaces its
            input. Add the result to the input.
        Read: steps/the-whole-model/#add-and-do-not-replace
        one residual `x + mlp` -> `mlp`: The MLP replaces its input. Add the result to the input, as
            after attention.
        no first residual `x + attention` -> `attention`: Attention replaces its input. Add the
            result to the input, as after the MLP.
        one for both `x = x + attention(norm(x)) return x + mlp(norm(x))` -> `return x +
            mlp(norm(attention(norm(x))))`: The input is added once, after both halves. Each half
            adds its result to its own input.
        Read: steps/the-whole-model/#the-block
        norm after `x + attention(norm(x))` -> `norm(x + attention(x))`, `x + mlp(norm(x))` ->
            `norm(x + mlp(x))`: The norm comes after the sum, as in the block of 2017. Here each
            half reads the norm of its input, and the sum is left as it is.
        no norm `attention(norm(x))` -> `attention(x)`, `mlp(norm(x))` -> `mlp(x)`: Neither half
            takes the norm first.
        one norm `mlp(norm(x))` -> `mlp(x)`: The MLP does not take the norm first.
        no first norm `attention(norm(x))` -> `attention(x)`: Attention does not take the norm
            first.
        norm of the result `attention(norm(x))` -> `norm(attention(x))`, `mlp(norm(x))` ->
            `norm(mlp(x))`: The norm is taken of what each half finds. Take it of what each half
            reads.
        Read: steps/the-whole-model/#the-block
        old x `x = x + attention(norm(x)) return x` -> `return x + attention(norm(x))`: The MLP
            reads the input of the block. Give it the sum after attention.
        norm added `x + attention` -> `norm(x) + attention`, `x + mlp` -> `norm(x) + mlp`: Each half
            adds its result to the norm of its input. Add it to the input itself.
        first half lost `x = x + attention(norm(x)) return x + mlp(norm(x))` -> `return x +
            mlp(norm(x + attention(norm(x))))`: The second half adds its result to the input of the
            block, so what attention has added is lost. Add it to the sum after attention.
        Read: reference/layers/#all-of-it
        norm last `x + mlp(norm(x))` -> `norm(x + mlp(norm(x)))`: A norm comes after the block as
            well. The model has one, after its last block.
    """),
    hints=(
        "Two lines of one form: x = x + part(norm(x)).",
        "The second line takes the x of the first.",
    ),
    solution=my_block,
    lines="""
        x = x + attention(norm(x))
        x = x + attention(x)
        x = attention(norm(x))

        return x + mlp(norm(x))
        return x + mlp(x)
        return mlp(norm(x))
    """,
)
