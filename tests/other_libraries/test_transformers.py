"""Models of Hugging Face's transformers.

Each runs twice: with the attention that the library brings, written out, and with the package's.
"""

import math
from typing import Any
from unittest.mock import Mock

import pytest
import torch
from torch import Tensor, nn

from attention_steps import linear_attention
from attention_steps.drop_in import transformers_attention
from tests.other_libraries.conftest import Compare
from tests.other_libraries.models_of_transformers import (
    CAPPED,
    CHOSEN,
    COMPRESSED,
    DEEPSEEK,
    GEMMA_3,
    GPT_2,
    GPT_OSS,
    GROUPED,
    HALF_A_WINDOW,
    IDS,
    LEFT_PADDED,
    LLAMA_4,
    MINIMAX,
    QWEN_3_NEXT,
    RIGHT_PADDED,
    SIZES,
    SMOLLM,
    TOKENS,
    WINDOW,
    both,
    called,
    make,
    transformers,
)


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
