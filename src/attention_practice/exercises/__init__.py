"""The exercises, in the order of the course: each is a file of its own, with all that it needs."""

from dataclasses import replace
from importlib import import_module

from attention_practice._exercise import Exercise

# For each part of the course, the names of its exercises.
PARTS = (
    "embed scores weights context",
    "project attention self_attention next_word_loss",
    "causal_mask masked_weights padding_mask padded_causal dropped split_heads merge_heads "
    "multi_head cross sinusoids alibi rotary rotary_attention rms_norm block induction",
    "cache cached_mask share_heads window_mask merge tiles document_mask linear "
    "heads_on_devices ring exchange",
    "padded_loss language_model without_head patched next_word",
    "batched paged rounded guessed",
)
EXERCISES: dict[str, Exercise] = {
    name: replace(import_module(f"{__name__}.{name}").EXERCISE, part=part)
    for part, names in enumerate(PARTS, 1)
    for name in names.split()
}
