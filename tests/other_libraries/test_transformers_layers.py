"""The layer with the weights of models of Hugging Face's transformers."""

import math
from functools import partial
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from attention_steps import (
    MultiHeadAttention,
    alibi_bias,
    causal_mask,
    rotary_embedding,
    rotary_frequencies,
    scaled_dot_product_attention,
    sliding_window_mask,
)
from tests.other_libraries.conftest import Compare, copy_weights
from tests.other_libraries.models_of_transformers import (
    GEMMA_3,
    GPT_OSS,
    GROUPED,
    LEFT_PADDED,
    RIGHT_PADDED,
    first_call,
    make,
)


def test_the_layer_with_weights_of_gpt_2(compare: Compare) -> None:
    model = make("GPT2", vocab_size=31, n_embd=24, n_layer=1, n_head=4, n_positions=64)
    attention = model.h[0].attn
    ours = MultiHeadAttention(24, num_heads=4)
    # GPT-2 keeps a matrix as (in, out), and those of queries, keys and values side by side.
    copy_weights(
        ours,
        [*attention.c_attn.weight.T.chunk(3), attention.c_proj.weight.T],
        [*attention.c_attn.bias.chunk(3), attention.c_proj.bias],
    )
    given, theirs = first_call(model, attention)
    what = "the layer with its weights"
    compare("GPT-2 of transformers", what, ours(given["hidden_states"], is_causal=True), theirs)


BY_PARTS = {
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 40,
}


@pytest.mark.parametrize(
    ("what", "rope_type", "theirs_of", "ours_of"),
    [
        ("default", "default", {}, {}),
        ("linear", "linear", {"factor": 4.0}, {"factor": 4.0}),
        (
            "by parts",
            "llama3",
            BY_PARTS,
            {"factor": 8.0, "trained_length": 40, "turns": (1.0, 4.0)},
        ),
    ],
)
def test_the_layer_with_weights_of_llama(
    what: str,
    rope_type: str,
    theirs_of: dict[str, Any],
    ours_of: dict[str, Any],
    compare: Compare,
) -> None:
    rope = {"rope_type": rope_type, "rope_theta": 500.0, **theirs_of}
    model = make("Llama", **GROUPED, rope_parameters=rope)
    attention = model.layers[0].self_attn
    ours = MultiHeadAttention(24, num_heads=4, num_kv_heads=2, head_dim=8, bias=False)
    projections = (attention.q_proj, attention.k_proj, attention.v_proj, attention.o_proj)
    copy_weights(ours, [projection.weight for projection in projections])
    positions = torch.tensor([[0, 1, 2, 3, 4, 5, 6], [30, 31, 32, 33, 34, 35, 36]])
    rotate = partial(
        rotary_embedding,
        positions=positions[:, None],
        interleaved=False,
        frequencies=rotary_frequencies(8, base=500.0, **ours_of),
    )
    given, theirs = first_call(model, attention, position_ids=positions)
    output = ours(given["hidden_states"], is_causal=True, rotate=rotate)
    compare(
        "LLaMA of transformers",
        f"the layer with its weights, rotary positions: {what}",
        output,
        theirs,
    )


class PerHead(nn.Module):
    """The queries or keys of all heads, with a norm of each head by itself."""

    def __init__(self, projection: nn.Module, norm: nn.Module) -> None:
        super().__init__()
        self.projection, self.norm = projection, norm

    def forward(self, x: Tensor) -> Tensor:
        heads: Tensor = self.norm(self.projection(x).unflatten(-1, (-1, 8)))
        return heads.flatten(-2)


@pytest.mark.parametrize("layer", [0, 1])
@pytest.mark.parametrize(
    ("family", "name", "sizes"),
    [
        ("Gemma 3", "Gemma3Text", GEMMA_3),
        ("gpt-oss", "GptOss", GPT_OSS),
        ("Qwen3", "Qwen3", GROUPED),
    ],
)
def test_the_layer_with_weights_of_a_newer_model(
    family: str, name: str, sizes: dict[str, Any], layer: int, compare: Compare
) -> None:
    model = make(name, **sizes)
    attention = model.layers[layer].self_attn
    ours = MultiHeadAttention(24, num_heads=4, num_kv_heads=2, head_dim=8)
    ours.q_proj, ours.k_proj = attention.q_proj, attention.k_proj
    ours.v_proj, ours.out_proj = attention.v_proj, attention.o_proj
    if hasattr(attention, "q_norm"):
        nn.init.normal_(attention.q_norm.weight)
        nn.init.normal_(attention.k_norm.weight)
        ours.q_proj = PerHead(attention.q_proj, attention.q_norm)
        ours.k_proj = PerHead(attention.k_proj, attention.k_norm)
    rope = model.config.rope_parameters
    rope = rope.get(getattr(attention, "layer_type", None), rope)
    window = getattr(attention, "sliding_window", None)
    given, theirs = first_call(model, attention)
    output = ours(
        given["hidden_states"],
        attn_mask=causal_mask(7) if window is None else sliding_window_mask(7, window=window),
        rotate=partial(rotary_embedding, interleaved=False, base=rope["rope_theta"]),
        attend=partial(
            scaled_dot_product_attention,
            scale=attention.scaling,
            sinks=getattr(attention, "sinks", None),
        ),
    )
    what = "the layer with its weights, rotary positions"
    compare(f"{family} of transformers", what, output, theirs)


def test_the_layer_with_weights_of_t5(compare: Compare) -> None:
    sizes = {"vocab_size": 31, "d_model": 24, "d_kv": 8, "d_ff": 40, "num_layers": 1}
    model = make("T5", **sizes, num_heads=4, relative_attention_num_buckets=8).encoder
    attention = model.block[0].layer[0].SelfAttention
    ours = MultiHeadAttention(24, num_heads=4, head_dim=8, bias=False)
    # T5 does not divide its scores: what the layer divides by goes into the weights.
    query = attention.q.weight * math.sqrt(8)
    copy_weights(ours, [query, attention.k.weight, attention.v.weight, attention.o.weight])
    given, theirs = first_call(model, attention, attention_mask=RIGHT_PADDED)
    hidden = ~RIGHT_PADDED.bool()[:, None, None, :]
    bias = attention.compute_bias(7, 7).masked_fill(hidden, -math.inf)
    what = "the layer with its weights, the scale folded into those of the queries"
    compare("T5 of transformers", what, ours(given["hidden_states"], attn_mask=bias), theirs)


def test_the_layer_with_weights_of_bloom(compare: Compare) -> None:
    # Six heads: not a power of two, for which ALiBi takes other slopes.
    model = make("Bloom", vocab_size=31, hidden_size=24, n_layer=1, n_head=6)
    attention = model.h[0].self_attention
    ours = MultiHeadAttention(24, num_heads=6)
    # BLOOM's rows: query, key and value of the first head, then those of the next.
    weights = attention.query_key_value.weight.unflatten(0, (6, 3, 4)).unbind(1)
    biases = attention.query_key_value.bias.unflatten(0, (6, 3, 4)).unbind(1)
    copy_weights(
        ours,
        [*(weight.flatten(0, 1) for weight in weights), attention.dense.weight],
        [*(bias.flatten() for bias in biases), attention.dense.bias],
    )
    given, theirs = first_call(model, attention, attention_mask=LEFT_PADDED)
    allowed = causal_mask(7) & LEFT_PADDED.bool()[:, None, None, :]
    bias = alibi_bias(6, 7).masked_fill(~allowed, -math.inf)
    # BLOOM's module adds what it was given to what comes out.
    expected = theirs - given["residual"]
    tokens = LEFT_PADDED.bool()
    output = ours(given["hidden_states"], attn_mask=bias)
    what = "the layer with its weights: ALiBi, left padding"
    compare("BLOOM of transformers", what, output[tokens], expected[tokens])
