"""Rotary frequencies of transformers: YaRN's, and those of heads that rotate in part."""

import math
from functools import partial
from typing import Any, NamedTuple

import pytest
import torch
from torch import Tensor

from attention_steps import MultiHeadAttention, rotary_embedding, rotary_frequencies
from attention_steps.positions import Ramp
from tests.other_libraries.conftest import Compare, copy_weights
from tests.other_libraries.models_of_transformers import GROUPED, first_call, make, transformers


class Yarn(NamedTuple):
    """A configuration of YaRN, by the names of transformers."""

    head_dim: int
    base: float
    factor: float
    trained_length: int
    others: dict[str, Any] = {}  # noqa: RUF012
    part: float = 1.0


# The sizes are those of configurations that the named models were published with.
YARN = {
    "LLaMA 2, 64k": Yarn(128, 10000.0, 16.0, 4096),
    "Qwen 2.5": Yarn(128, 1000000.0, 4.0, 32768),
    "DeepSeek-V3, its part": Yarn(64, 10000.0, 40.0, 4096, {"beta_fast": 32, "beta_slow": 1}),
    "gpt-oss": Yarn(64, 150000.0, 32.0, 4096, {"truncate": False}),
    "turns of its own": Yarn(96, 500000.0, 8.0, 8192, {"beta_fast": 20, "beta_slow": 2}),
    "a part of each head": Yarn(96, 10000.0, 4.0, 2048, part=0.25),
    "all within two pairs": Yarn(8, 10000.0, 4.0, 40),
}


def rope_of(yarn: Yarn) -> dict[str, Any]:
    """Return the `rope_parameters` of a configuration of transformers."""
    return {
        "rope_type": "yarn",
        "rope_theta": yarn.base,
        "factor": yarn.factor,
        "original_max_position_embeddings": yarn.trained_length,
        "partial_rotary_factor": yarn.part,
        **yarn.others,
    }


def frequencies_of(yarn: Yarn) -> Tensor:
    """Return the package's frequencies for the same configuration."""
    ramp: Ramp = "whole pairs" if yarn.others.get("truncate", True) else "pairs"
    return rotary_frequencies(
        int(yarn.head_dim * yarn.part),
        base=yarn.base,
        factor=yarn.factor,
        trained_length=yarn.trained_length,
        turns=(yarn.others.get("beta_slow", 1.0), yarn.others.get("beta_fast", 32.0)),
        ramp=ramp,
    )


@pytest.mark.parametrize("name", YARN)
def test_frequencies_of_yarn(name: str) -> None:
    yarn = YARN[name]
    config = transformers.LlamaConfig(
        head_dim=yarn.head_dim,
        max_position_embeddings=int(yarn.trained_length * yarn.factor),
        rope_parameters=rope_of(yarn),
    )
    functions = transformers.modeling_rope_utils.ROPE_INIT_FUNCTIONS
    theirs, attention_factor = functions["yarn"](config)
    # Each by itself: the slowest turns a millionth as far as the first. They compute in float32.
    torch.testing.assert_close(frequencies_of(yarn).float(), theirs, rtol=2e-6, atol=0.0)
    assert attention_factor == pytest.approx(0.1 * math.log(yarn.factor) + 1.0)


def rotate_part(x: Tensor, positions: Tensor, yarn: Yarn) -> Tensor:
    """Rotate the first features of each head, and lengthen them as YaRN does."""
    frequencies = frequencies_of(yarn)
    first, rest = x.tensor_split([2 * len(frequencies)], dim=-1)
    first = rotary_embedding(first, positions, interleaved=False, frequencies=frequencies)
    return torch.cat(((0.1 * math.log(yarn.factor) + 1.0) * first, rest), dim=-1)


POSITIONS = torch.tensor([[0, 1, 2, 3, 4, 5, 6], [30, 31, 32, 33, 34, 35, 36]])


@pytest.mark.parametrize(("ramp", "truncate"), [("whole pairs", True), ("pairs", False)])
def test_the_layer_with_weights_of_llama(ramp: str, truncate: bool, compare: Compare) -> None:
    yarn = Yarn(8, 500.0, 8.0, 40, {"beta_fast": 4, "truncate": truncate})
    sizes = {**GROUPED, "max_position_embeddings": 320}
    model = make("Llama", **sizes, rope_parameters=rope_of(yarn))
    attention = model.layers[0].self_attn
    ours = MultiHeadAttention(24, num_heads=4, num_kv_heads=2, head_dim=8, bias=False)
    projections = (attention.q_proj, attention.k_proj, attention.v_proj, attention.o_proj)
    copy_weights(ours, [projection.weight for projection in projections])
    given, theirs = first_call(model, attention, position_ids=POSITIONS)
    rotate = partial(rotate_part, positions=POSITIONS[:, None], yarn=yarn)
    output = ours(given["hidden_states"], is_causal=True, rotate=rotate)
    what = f"the layer with its weights, rotary positions: YaRN, its ramp over {ramp}"
    compare("LLaMA of transformers", what, output, theirs)


def test_the_layer_with_weights_of_gpt_neox(compare: Compare) -> None:
    yarn = Yarn(12, 500.0, 8.0, 40, {"beta_fast": 4}, part=0.5)
    sizes = {"vocab_size": 31, "hidden_size": 24, "intermediate_size": 40, "num_hidden_layers": 1}
    model = make(
        "GPTNeoX",
        **sizes,
        num_attention_heads=2,
        max_position_embeddings=320,
        rope_parameters=rope_of(yarn),
    )
    attention = model.layers[0].attention
    ours = MultiHeadAttention(24, num_heads=2)
    # GPT-NeoX's rows: query, key and value of the first head, then those of the next.
    weights = attention.query_key_value.weight.unflatten(0, (2, 3, 12)).unbind(1)
    biases = attention.query_key_value.bias.unflatten(0, (2, 3, 12)).unbind(1)
    copy_weights(
        ours,
        [*(weight.flatten(0, 1) for weight in weights), attention.dense.weight],
        [*(bias.flatten() for bias in biases), attention.dense.bias],
    )
    given, theirs = first_call(model, attention, position_ids=POSITIONS)
    rotate = partial(rotate_part, positions=POSITIONS[:, None], yarn=yarn)
    output = ours(given["hidden_states"], is_causal=True, rotate=rotate)
    what = "the layer with its weights: YaRN for the first half of each head"
    compare("GPT-NeoX of transformers", what, output, theirs)
