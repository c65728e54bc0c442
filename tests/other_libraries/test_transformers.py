"""Models of Hugging Face's transformers, small and with random weights.

Each runs twice: with the attention that the library brings, written out, and with the package's.
"""

import inspect
import math
from collections.abc import Callable
from functools import partial
from typing import Any
from unittest.mock import Mock

import pytest
import torch
from torch import Tensor, nn

from attention_steps import (
    MultiHeadAttention,
    alibi_bias,
    causal_mask,
    linear_attention,
    rotary_embedding,
    rotary_frequencies,
    scaled_dot_product_attention,
    sliding_window_mask,
)
from attention_steps.drop_in import TransformersCache, transformers_attention
from tests.other_libraries.conftest import Compare, copy_weights, give_weights

transformers: Any = pytest.importorskip(
    "transformers", reason="transformers is not installed: pip install --group other-libraries"
)

IDS = torch.arange(14).reshape(2, 7) * 5 % 31
RIGHT_PADDED = torch.tensor([[1, 1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 0, 0, 0]])
LEFT_PADDED = RIGHT_PADDED.flip(-1)
SIZES = {
    "vocab_size": 31,
    "hidden_size": 24,
    "intermediate_size": 40,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    # The library looks up what the longest mask may be.
    "max_position_embeddings": 64,
}
GROUPED = {**SIZES, "num_key_value_heads": 2, "head_dim": 8}


def attend(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None,
    *,
    scaling: float,
    dropout: float = 0.0,
    sliding_window: int | None = None,
    softcap: float | None = None,
    s_aux: Tensor | None = None,
    position_bias: Tensor | None = None,
    indices: Tensor | None = None,
    **others: object,
) -> tuple[Tensor, None]:
    """The package's attention, with its own masks, as a model of transformers calls it."""
    sizes = query.shape[-2], key.shape[-2]
    # With a cache the queries are the last of the keys.
    offset = sizes[1] - sizes[0]
    if module.is_causal:
        if sliding_window is None:
            seen = causal_mask(*sizes, offset=offset)
        else:
            seen = sliding_window_mask(*sizes, window=sliding_window, offset=offset)
        chunk: int | None = getattr(module.config, "attention_chunk_size", None)
        if chunk and module.use_rope:
            seen = seen & same_chunk(*sizes, chunk)
        attn_mask = seen if attn_mask is None else seen & attn_mask
    if indices is not None:  # of the keys that each query has chosen
        chosen = torch.zeros(len(query), *sizes, dtype=torch.bool)
        chosen = chosen.scatter(-1, indices.long(), True)[:, None]
        attn_mask = chosen if attn_mask is None else chosen & attn_mask
    if position_bias is not None:
        hidden = torch.tensor(False) if attn_mask is None else ~attn_mask
        attn_mask = position_bias.masked_fill(hidden, -math.inf)
    context = scaled_dot_product_attention(
        query,
        key,
        value,
        attn_mask,
        dropout,
        scale=scaling,
        enable_gqa=True,
        softcap=softcap,
        sinks=s_aux,
    )
    return context.transpose(1, 2), None


def same_chunk(query_len: int, key_len: int, size: int) -> Tensor:
    """Mask of Llama 4: True where both words are in one chunk, for queries that come last."""
    places = torch.arange(key_len)
    return places[key_len - query_len :, None] // size == places // size


def padding(attention_mask: Tensor | None = None, **others: object) -> Tensor | None:
    """The mask that is handed to `attend`: of the padding, and of nothing else."""
    return None if attention_mask is None else attention_mask.bool()[:, None, None, :]


def causal_and_padding(
    q_length: int, attention_mask: Tensor | None = None, **others: object
) -> Tensor:
    """The mask for a model that chooses keys before it calls `attend`."""
    seen = causal_mask(q_length)[None, None]
    hidden = padding(attention_mask)
    return seen if hidden is None else seen & hidden


called = Mock(wraps=attend)
for implementation, mask in [
    ("attention_steps", padding),
    ("attention_steps_that_chooses", causal_and_padding),
]:
    transformers.AttentionInterface.register(implementation, called)
    transformers.AttentionMaskInterface.register(implementation, mask)


def make(name: str, **sizes: Any) -> Any:
    """Make a model, say "Llama", by the names of its classes; it attends as written out there."""
    config = getattr(transformers, f"{name}Config")(**sizes)
    config._attn_implementation = "eager"
    model = getattr(transformers, f"{name}Model")(config).eval()
    give_weights(model)
    return model


def both(
    model: Any, run: Callable[[], Any], implementation: str = "attention_steps"
) -> tuple[Tensor, Tensor]:
    """Return the last hidden states with the package's attention, and with the model's own."""
    with torch.no_grad():
        theirs = run().last_hidden_state
        called.reset_mock()
        model.set_attn_implementation(implementation)
        ours = run().last_hidden_state
    # An unknown implementation, or a module that has its own way, would be compared with itself.
    assert {call.args[0] for call in called.call_args_list} == {
        module for module in model.modules() if hasattr(module, "is_causal")
    }
    return ours, theirs


GPT_2 = {"vocab_size": 31, "n_embd": 24, "n_layer": 2, "n_head": 4, "n_positions": 64}
WINDOW = {**GROUPED, "sliding_window": 3}
CAPPED = {**WINDOW, "query_pre_attn_scalar": 5, "attn_logit_softcapping": 2.0}
# Some models look up special tokens, also those that have none here.
TOKENS = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
GEMMA_3 = {
    **WINDOW,
    **TOKENS,
    "query_pre_attn_scalar": 5,
    "layer_types": ["sliding_attention", "full_attention"],
}
GPT_OSS = {
    **WINDOW,
    **TOKENS,
    "num_local_experts": 4,
    "num_experts_per_tok": 2,
    "layer_types": ["sliding_attention", "full_attention"],
    "rope_parameters": {"rope_type": "default", "rope_theta": 500.0},
}
LLAMA_4 = {
    **GROUPED,
    **TOKENS,
    "intermediate_size_mlp": 40,
    "attention_chunk_size": 4,
    "num_local_experts": 2,
    "num_experts_per_tok": 1,
    "no_rope_layers": [1, 0],
    "layer_types": ["chunked_attention", "full_attention"],
}
DEEPSEEK = {
    **SIZES,
    **TOKENS,
    "num_key_value_heads": 4,
    "q_lora_rank": 12,
    "kv_lora_rank": 8,
    "qk_rope_head_dim": 4,
    "qk_nope_head_dim": 8,
    "v_head_dim": 8,
    "moe_intermediate_size": 16,
    "n_routed_experts": 4,
    "n_group": 2,
    "topk_group": 1,
    "num_experts_per_tok": 2,
    "n_shared_experts": 1,
    "first_k_dense_replace": 1,
}
CHOSEN = {**DEEPSEEK, "index_topk": 3, "index_n_heads": 2, "index_head_dim": 8}
QWEN_3_NEXT = {
    **GROUPED,
    **TOKENS,
    "num_experts": 4,
    "num_experts_per_tok": 2,
    "moe_intermediate_size": 16,
    "shared_expert_intermediate_size": 16,
    "linear_num_value_heads": 4,
    "linear_num_key_heads": 2,
    "linear_key_head_dim": 8,
    "linear_value_head_dim": 8,
    "layer_types": ["linear_attention", "full_attention"],
}
MINIMAX = {**GROUPED, **TOKENS, "num_local_experts": 4, "num_experts_per_tok": 2}
HALF_A_WINDOW = {**WINDOW, **TOKENS, "layer_types": ["sliding_attention", "full_attention"]}
COMPRESSED = {
    **SIZES,
    **TOKENS,
    "num_hidden_layers": 3,
    "num_key_value_heads": 1,
    "head_dim": 16,
    "qk_rope_head_dim": 4,
    "q_lora_rank": 12,
    "moe_intermediate_size": 16,
    "n_routed_experts": 4,
    "num_experts_per_tok": 2,
    "o_groups": 2,
    "o_lora_rank": 8,
    "index_n_heads": 2,
    "index_head_dim": 8,
    "index_topk": 2,
    "sliding_window": 3,
    "layer_types": [
        "sliding_attention",
        "compressed_sparse_attention",
        "heavily_compressed_attention",
    ],
    "mlp_layer_types": ["moe", "moe", "moe"],
    "compress_rates": {"compressed_sparse_attention": 2, "heavily_compressed_attention": 3},
}
SMOLLM = {**GROUPED, **TOKENS, "no_rope_layers": [1, 0]}


@pytest.mark.parametrize(
    ("family", "what", "name", "sizes", "attention_mask"),
    [
        ("GPT-2", "causal, left padding", "GPT2", GPT_2, LEFT_PADDED),
        ("BERT", "right padding", "Bert", SIZES, RIGHT_PADDED),
        ("LLaMA", "causal, grouped heads, left padding", "Llama", GROUPED, LEFT_PADDED),
        (
            "Mistral",
            "sliding window, grouped heads, right padding",
            "Mistral",
            WINDOW,
            RIGHT_PADDED,
        ),
        (
            "Gemma 2",
            "soft cap, own scale, every other layer with a sliding window",
            "Gemma2",
            CAPPED,
            RIGHT_PADDED,
        ),
        (
            "Gemma 3",
            "norms of queries and keys, own scale, every other layer with a sliding window",
            "Gemma3Text",
            GEMMA_3,
            RIGHT_PADDED,
        ),
        (
            "gpt-oss",
            "learned sinks, every other layer with a sliding window",
            "GptOss",
            GPT_OSS,
            RIGHT_PADDED,
        ),
        ("Qwen3", "norms of queries and keys", "Qwen3", GROUPED, RIGHT_PADDED),
        (
            "Llama 4",
            "chunks, and a layer without positions",
            "Llama4Text",
            LLAMA_4,
            RIGHT_PADDED,
        ),
        ("DeepSeek-V3", "multi-head latent attention", "DeepseekV3", DEEPSEEK, RIGHT_PADDED),
        (
            "OLMo 3",
            "norms of all queries and of all keys, a sliding window",
            "Olmo3",
            {**WINDOW, **TOKENS},
            RIGHT_PADDED,
        ),
        ("SmolLM3", "a layer without positions", "SmolLM3", SMOLLM, RIGHT_PADDED),
        (
            "Qwen3-Next",
            "gated attention, beside the library's Gated DeltaNet",
            "Qwen3Next",
            QWEN_3_NEXT,
            RIGHT_PADDED,
        ),
        (
            "Gemma 4",
            "norms of queries, keys and values, no scale, every other layer with a sliding window",
            "Gemma4Text",
            HALF_A_WINDOW,
            RIGHT_PADDED,
        ),
        (
            "MiniMax-M2",
            "norms of all queries and of all keys, no window",
            "MiniMaxM2",
            MINIMAX,
            RIGHT_PADDED,
        ),
        (
            "MiMo-V2-Flash",
            "learned sinks in the layer with a sliding window",
            "MiMoV2Flash",
            HALF_A_WINDOW,
            RIGHT_PADDED,
        ),
    ],
)
def test_a_whole_model(
    family: str,
    what: str,
    name: str,
    sizes: dict[str, Any],
    attention_mask: Tensor,
    compare: Compare,
) -> None:
    model = make(name, **sizes)
    positions = (attention_mask.cumsum(-1) - 1).clamp(min=0)
    ours, theirs = both(
        model, lambda: model(IDS, attention_mask=attention_mask, position_ids=positions)
    )
    # A token of left padding sees no key, and what comes out for it is each library's own.
    tokens = attention_mask.bool()
    compare(f"{family} of transformers", f"the whole model: {what}", ours[tokens], theirs[tokens])


@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("Llama", GROUPED),
        ("Gemma2", CAPPED),
        ("GptOss", GPT_OSS),
        ("Llama4Text", LLAMA_4),
        ("Bert", SIZES),
    ],
)
@pytest.mark.parametrize("attention_mask", [LEFT_PADDED, RIGHT_PADDED, None], ids=str)
def test_the_package_has_a_function_to_register(
    name: str, sizes: dict[str, Any], attention_mask: Tensor | None
) -> None:
    implementation = "attention_steps_and_the_mask_of_transformers"
    transformers.AttentionInterface.register(implementation, transformers_attention)
    model = make(name, **sizes)
    with torch.no_grad():
        theirs = model(IDS, attention_mask=attention_mask).last_hidden_state
        model.set_attn_implementation(implementation)
        makers = transformers.masking_utils.AttentionMaskInterface._global_mapping
        makers.pop(implementation, None)
        with pytest.raises(ValueError, match="a mask must be registered beside"):
            model(IDS, attention_mask=attention_mask)
        transformers.AttentionMaskInterface.register(
            implementation, transformers.masking_utils.eager_mask
        )
        ours = model(IDS, attention_mask=attention_mask).last_hidden_state
    tokens = torch.ones_like(IDS) if attention_mask is None else attention_mask
    torch.testing.assert_close(ours[tokens.bool()], theirs[tokens.bool()], rtol=0, atol=1e-5)


def test_chosen_keys(compare: Compare) -> None:
    model = make("DeepseekV32", **CHOSEN)
    ours, theirs = both(model, lambda: model(IDS), "attention_steps_that_chooses")
    counts = {call.kwargs["indices"].shape[-1] for call in called.call_args_list}
    assert counts == {CHOSEN["index_topk"]}
    what = "the whole model: three chosen keys for each query"
    compare("DeepSeek-V3.2 of transformers", what, ours, theirs)


def test_compressed_keys(compare: Compare) -> None:
    implementation, ours = (
        "attention_steps_with_compressed_keys",
        Mock(wraps=transformers_attention),
    )
    transformers.AttentionInterface.register(implementation, ours)
    transformers.AttentionMaskInterface.register(
        implementation, transformers.masking_utils.eager_mask
    )
    model = make("DeepseekV4", **COMPRESSED)
    with torch.no_grad():
        theirs = model(IDS).last_hidden_state
        model.set_attn_implementation(implementation)
        found = model(IDS).last_hidden_state
    # The last 7 keys are followed by those that were made of two words, and of three.
    assert [call.args[2].shape[-2] for call in ours.call_args_list] == [7, 7 + 3, 7 + 2]
    what = "the whole model: a window and learned sinks, with keys made of two words and of three"
    compare("DeepSeek-V4 of transformers", what, found, theirs)


@pytest.mark.parametrize(
    ("what", "function"),
    [
        ("word by word", "torch_recurrent_gated_delta_rule"),
        ("in chunks", "torch_chunk_gated_delta_rule"),
    ],
)
def test_the_gated_delta_rule(what: str, function: str, compare: Compare) -> None:
    torch.manual_seed(0)
    query, key, value = (torch.randn(2, 7, 4, 8) for _ in range(3))
    log_decay, beta = -torch.rand(2, 7, 4), torch.rand(2, 7, 4)
    rule = getattr(transformers.models.qwen3_next.modeling_qwen3_next, function)
    theirs, their_state = rule(
        query,
        key,
        value,
        g=log_decay,
        beta=beta,
        output_final_state=True,
        use_qk_l2norm_in_kernel=True,
    )
    q, k = (nn.functional.normalize(x.transpose(1, 2), dim=-1) for x in (query, key))
    context, state = linear_attention(
        q / math.sqrt(8),
        k,
        value.transpose(1, 2),
        decay=log_decay.transpose(1, 2).exp(),
        beta=beta.transpose(1, 2),
    )
    name = "Qwen3-Next of transformers"
    compare(name, f"Gated DeltaNet, {what}: contexts", context.transpose(1, 2), theirs)
    compare(name, f"Gated DeltaNet, {what}: state", state, their_state)


@pytest.mark.parametrize(
    ("family", "name", "sizes"), [("LLaMA", "Llama", GROUPED), ("Mistral", "Mistral", WINDOW)]
)
def test_a_cache(family: str, name: str, sizes: dict[str, Any], compare: Compare) -> None:
    model = make(name, **sizes)

    def run() -> Any:
        start = model(IDS[:, :4], use_cache=True)
        return model(IDS[:, 4:], past_key_values=start.past_key_values)

    ours, theirs = both(model, run)
    compare(f"{family} of transformers", "the whole model, with the library's cache", ours, theirs)


@pytest.mark.parametrize("window", [None, 3])
def test_the_layer_keeps_its_tokens_in_their_cache(compare: Compare, window: int | None) -> None:
    sizes = {**GROUPED, "sliding_window": window}
    model = make("Mistral", **sizes)
    torch.manual_seed(0)
    layer = MultiHeadAttention(24, 4, num_kv_heads=2, head_dim=8)
    theirs = transformers.DynamicCache(config=model.config)
    cache = TransformersCache(theirs, layer_idx=1)
    x = torch.randn(2, 7, 24)
    with torch.no_grad():
        parts = [
            layer(part, cache=cache, is_causal=True) for part in torch.split(x, [4, 1, 2], dim=1)
        ]
        seen = causal_mask(7) if window is None else sliding_window_mask(7, window=window)
        whole = layer(x, attn_mask=seen)
    assert (cache.length, cache.window, theirs.get_seq_length(0)) == (7, window, 0)
    what = f"the layer, with the library's cache{' and a window' * (window is not None)}"
    compare("DynamicCache of transformers", what, torch.cat(parts, dim=1), whole)


@pytest.mark.parametrize("window", [None, 3])
def test_their_static_cache_is_refused(window: int | None) -> None:
    model = make("Mistral", **GROUPED, sliding_window=window)
    theirs = transformers.StaticCache(model.config, max_cache_len=9)
    with pytest.raises(ValueError, match=r"^cache must .* got a static one, StaticCache of Static"):
        MultiHeadAttention(24, 4)(torch.ones(2, 7, 24), cache=TransformersCache(theirs, 0))
    assert theirs.get_seq_length(0) == 0


def test_vit(compare: Compare) -> None:
    sizes = {name: size for name, size in SIZES.items() if "vocab" not in name}
    del sizes["max_position_embeddings"]
    model = make("ViT", **sizes, image_size=8, patch_size=4)
    torch.manual_seed(1)
    pixels = torch.randn(2, 3, 8, 8)
    ours, theirs = both(model, lambda: model(pixels))
    compare("ViT of transformers", "the whole model: no mask", ours, theirs)


def test_t5(compare: Compare) -> None:
    sizes = {"vocab_size": 31, "d_model": 24, "d_kv": 8, "d_ff": 40, "num_layers": 2}
    model = make("T5", **sizes, num_heads=4, relative_attention_num_buckets=8)

    def run() -> Any:
        return model(
            input_ids=IDS, attention_mask=RIGHT_PADDED, decoder_input_ids=IDS.flip(0)[:, :5]
        )

    ours, theirs = both(model, run)
    what = "the whole model: a learned bias for each distance, no scale, cross-attention, padding"
    compare("T5 of transformers", what, ours, theirs)


def test_whisper(compare: Compare) -> None:
    parts = {"layers": 2, "attention_heads": 4, "ffn_dim": 40}
    each = {f"{side}_{part}": parts[part] for side in ("encoder", "decoder") for part in parts}
    lengths = {"max_source_positions": 10, "max_target_positions": 16}
    marks = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 1}
    sizes = {"vocab_size": 31, "num_mel_bins": 6, "d_model": 24, **each, **lengths, **marks}
    model = make("Whisper", **sizes)
    torch.manual_seed(1)
    sound = torch.randn(2, 6, 20)
    ours, theirs = both(model, lambda: model(sound, decoder_input_ids=IDS))
    what = "the whole model: encoder, causal decoder, cross-attention"
    compare("Whisper of transformers", what, ours, theirs)


def first_call(model: Any, module: nn.Module, **inputs: Tensor) -> tuple[dict[str, Any], Tensor]:
    """Return what one module of a model is given by name, and what comes out of it."""
    calls: list[tuple[dict[str, Any], Tensor]] = []

    def keep(module: nn.Module, given: Any, named: dict[str, Any], output: Any) -> None:
        arguments = inspect.signature(module.forward).bind(*given, **named).arguments
        calls.append((arguments, output[0]))

    with torch.no_grad(), module.register_forward_hook(keep, with_kwargs=True):
        model(IDS, **inputs)
    return calls[0]


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
