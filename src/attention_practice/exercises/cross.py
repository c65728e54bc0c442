"""Exercise: cross-attention."""

from attention_practice._exercise import Case, Exercise, planted, those_of
from attention_practice._inputs import INPUTS, NARROW, WORDS
from attention_practice.exercises.multi_head import EXERCISE as MULTI_HEAD
from attention_steps.core import scaled_dot_product_attention
from tiny_lm.words import vectors

FRENCH = vectors("duck money bank")


def my_cross(inputs, memory, W_query, W_key, W_value):
    query, key, value = inputs @ W_query.mT, memory @ W_key.mT, memory @ W_value.mT
    return scaled_dot_product_attention(query, key, value)


EXERCISE = Exercise(
    title="Cross-attention",
    task=(
        "Cross-attention: queries from the inputs, keys and values from the memory, the other "
        "sentence. Matrices as nn.Linear stores them; the context has a row for each input."
    ),
    page="steps/cross-attention/",
    cases=(
        Case("three words and a memory of six", (FRENCH, INPUTS, *NARROW)),
        Case("six words and a memory of three", (INPUTS, FRENCH, *NARROW), WORDS),
        Case("as many words as the memory", (INPUTS, INPUTS.flip(0), *NARROW), WORDS),
    ),
    mistakes=those_of(
        MULTI_HEAD.mistakes, "no scale, no root, multiplied, over queries, too late, no softmax"
    )
    + planted("""
        not transposed `W_query.mT` -> `W_query`, `W_key.mT` -> `W_key`, `W_value.mT` -> `W_value`
        Read: steps/cross-attention/#each-word-asks
        roles `inputs @ W_query` -> `memory @ W_query`, `memory @ W_key` -> `inputs @ W_key`,
            `memory @ W_value` -> `inputs @ W_value`: The queries come from the memory, and keys and
            values from the inputs. Exchange the two.
        Read: steps/cross-attention/#the-formula
        values of inputs `memory @ W_value` -> `inputs @ W_value`,
            `scaled_dot_product_attention(query, key, value)` -> `(query @ key.mT /
            math.sqrt(query.shape[-1])).softmax(-1) @ value`: The values come from the inputs. Take
            them from the memory.
        keys of inputs `memory @ W_key` -> `inputs @ W_key`, `scaled_dot_product_attention(query,
            key, value)` -> `(query @ key.mT / math.sqrt(query.shape[-1])).softmax(-1) @ value`: The
            keys come from the inputs. Take them from the memory.
        both `memory @ W_key` -> `torch.cat((inputs, memory), -2) @ W_key`, `memory @ W_value` ->
            `torch.cat((inputs, memory), -2) @ W_value`: Keys and values come from both sentences,
            one after the other. Take them from the memory alone.
        Read: steps/cross-attention/#a-causal-mask-between-two-sentences
        causal `product_attention(query, key, value` -> `product_attention(query, key, value,
            torch.ones(query.shape[-2], key.shape[-2]).tril() > 0`: There is a causal mask between
            the two sentences. The memory is complete, so every query may attend to all of it.
        Read: steps/why-divide-by-the-square-root/#the-formula
        length `product_attention(query, key, value` -> `product_attention(query, key, value,
            scale=key.shape[-2] ** -0.5`: The scores are divided by the root of the memory's length.
            Divide by the root of head_dim, the last axis of the query.
        Read: guides/what-goes-wrong/#the-key-is-the-value-as-well
        memory mixed `product_attention(query, key, value` -> `product_attention(query, key,
            memory`: Your context is a mixture of the memory itself: W_value is not used.
    """),
    hints=(
        "The sentence that asks has the queries. Keys and values come from the other one.",
        "The scores are (words of the inputs, words of the memory).",
    ),
    solution=my_cross,
    lines="""
        asks, answers = inputs, memory
        asks, answers = memory, inputs

        query = asks @ W_query.mT

        key = answers @ W_key.mT
        key = asks @ W_key.mT

        value = answers @ W_value.mT
        value = asks @ W_value.mT

        return scaled_dot_product_attention(query, key, value)
        return scaled_dot_product_attention(query, key, value, is_causal=True)
    """,
)
