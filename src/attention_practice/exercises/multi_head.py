"""Exercise: the whole layer."""

from attention_practice._exercise import Case, Exercise, planted
from attention_practice._inputs import BATCH, INPUTS, MATRICES, SENTENCE, TWO_SENTENCES, WORDS
from attention_steps.core import scaled_dot_product_attention


def my_multi_head(inputs, W_query, W_key, W_value, W_out, num_heads):
    query, key, value = (
        (inputs @ W.mT).unflatten(-1, (num_heads, -1)).transpose(-3, -2)
        for W in (W_query, W_key, W_value)
    )
    context = scaled_dot_product_attention(query, key, value)
    return context.transpose(-3, -2).flatten(-2) @ W_out.mT


EXERCISE = Exercise(
    title="The whole layer",
    task=(
        "Project, split, attend in each head, merge, mix with W_out. All four matrices are stored "
        "as in nn.Linear: (..., n, d), four times (d, d) -> (..., n, d)."
    ),
    page="steps/multi-head-attention/",
    cases=(
        Case(SENTENCE, (INPUTS, *MATRICES, 2), WORDS),
        Case(BATCH, (TWO_SENTENCES, *MATRICES, 2)),
        Case("four heads", (INPUTS, *MATRICES, 4), WORDS),
    ),
    mistakes=planted("""
        no scale `product_attention(query, key, value` -> `product_attention(query, key, value,
            scale=1.0`
        no root `product_attention(query, key, value` -> `product_attention(query, key, value,
            scale=1 / query.shape[-1]`
        root of width `product_attention(query, key, value` -> `product_attention(query, key, value,
            scale=inputs.shape[-1] ** -0.5`
        multiplied `product_attention(query, key, value` -> `product_attention(query, key, value,
            scale=query.shape[-1] ** 0.5`
        over queries `scaled_dot_product_attention(query, key, value)` -> `(query @ key.mT /
            math.sqrt(query.shape[-1])).softmax(-2) @ value`
        too late `(query, key, value)` -> `(query, key, value, scale=1.0) /
            math.sqrt(query.shape[-1])`
        no softmax `scaled_dot_product_attention(query, key, value)` -> `query @ key.mT /
            math.sqrt(query.shape[-1]) @ value`
        length `product_attention(query, key, value` -> `product_attention(query, key, value,
            scale=key.shape[-2] ** -0.5`
        causal `product_attention(query, key, value` -> `product_attention(query, key, value,
            is_causal=True`
        one for all `(W_query, W_key, W_value) )` -> `(W_query, W_query, W_query) )`
        key is value `(W_query, W_key, W_value) )` -> `(W_query, W_key, W_key) )`
        order `query, key, value =` -> `key, query, value =`
        Read: guides/what-goes-wrong/#heads-are-scrambled
        words cut `.unflatten(-1, (num_heads, -1)).transpose(-3, -2) for` ->
            `.reshape(*inputs.shape[:-2], num_heads, inputs.shape[-2], -1) for`: On the way in, the
            words are cut into heads and not the components.
        no transpose `context.transpose(-3, -2).flatten(-2)` -> `context.reshape(inputs.shape)`: On
            the way back the axes are joined before they are exchanged, so words and heads are mixed
            up.
        between heads `.transpose(-3, -2) for` -> ` for`, `context.transpose(-3, -2)` -> `context`:
            The heads of a word attend to each other, and no word to another: the axis of the heads
            stays behind that of the words. Exchange the two, `.transpose(-3, -2)`.
        in turn `(num_heads, -1))` -> `(-1, num_heads)).mT`: The heads get the components in turn,
            as cards are dealt. Head 0 gets the first head_dim components.
        Read: steps/multi-head-attention/#mix-what-they-found
        no W_out ` @ W_out.mT` -> ``: W_out is missing, so the results of the heads are side by side
            and not mixed.
        one head `(num_heads, -1)` -> `(1, -1)`: There is a single head, as wide as the model:
            `num_heads` is not used.
        Read: reference/layers/#a-layer-from-three-matrices
        not transposed `W.mT` -> `W`: The matrices of queries, keys and values are used as they are
            stored, (d_out, d_in). They are square, so nothing fails. The product needs (d_in,
            d_out): transpose each.
        W_out as stored `W_out.mT` -> `W_out`: W_out is used as it is stored, (d_out, d_in). The
            product needs (d_in, d_out): transpose it.
        Read: guides/what-goes-wrong/#rows-do-not-add-up-to-one
        over heads `scaled_dot_product_attention(query, key, value)` -> `(query @ key.mT /
            math.sqrt(query.shape[-1])).softmax(-3) @ value`: The softmax runs over the heads. The
            keys are the last axis, dim=-1.
        Read: guides/what-goes-wrong/#the-average-of-the-heads
        weights averaged `scaled_dot_product_attention(query, key, value)` -> `(query @ key.mT /
            math.sqrt(query.shape[-1])).softmax(-1).mean(-3, True) @ value`: All heads use the
            average of their weights, so no head has weights of its own.
        Read: guides/what-goes-wrong/#the-key-is-the-value-as-well
        inputs mixed `product_attention(query, key, value` -> `product_attention(query, key,
            inputs.unflatten(-1, (num_heads, -1)).transpose(-3, -2)`: The heads mix the inputs:
            W_value is not used.
    """),
    hints=(
        "All its parts are written: project, split_heads, attention, merge_heads.",
        "With two heads of two shapes go (6, 4), (2, 6, 2), (2, 6, 6), (2, 6, 2), (6, 4).",
    ),
    solution=my_multi_head,
    lines="""
        projected = [inputs @ W.mT for W in (W_query, W_key, W_value)]
        projected = [inputs @ W for W in (W_query, W_key, W_value)]

        heads = [x.unflatten(-1, (num_heads, -1)).transpose(-3, -2) for x in projected]
        heads = [x.reshape(*x.shape[:-2], num_heads, x.shape[-2], -1) for x in projected]

        context = scaled_dot_product_attention(*heads)
        context = scaled_dot_product_attention(*heads, scale=1.0)
        context = scaled_dot_product_attention(*heads, scale=inputs.shape[-1] ** -0.5)

        context = context.transpose(-3, -2).flatten(-2)
        context = context.reshape(inputs.shape)

        return context @ W_out.mT
        return context @ W_out
        return context
    """,
)
