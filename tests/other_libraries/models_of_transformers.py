"""Small models of Hugging Face's transformers, with random weights, and our attention for them."""

import inspect
import math
from collections.abc import Callable
from typing import Any
from unittest.mock import Mock

import pytest
import torch
from torch import Tensor, nn

from attention_steps import causal_mask, scaled_dot_product_attention, sliding_window_mask
from tests.other_libraries.conftest import give_weights

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


def first_call(model: Any, module: nn.Module, **inputs: Tensor) -> tuple[dict[str, Any], Tensor]:
    """Return what one module of a model is given by name, and what comes out of it."""
    calls: list[tuple[dict[str, Any], Tensor]] = []

    def keep(module: nn.Module, given: Any, named: dict[str, Any], output: Any) -> None:
        arguments = inspect.signature(module.forward).bind(*given, **named).arguments
        calls.append((arguments, output[0]))

    with torch.no_grad(), module.register_forward_hook(keep, with_kwargs=True):
        model(IDS, **inputs)
    return calls[0]


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
