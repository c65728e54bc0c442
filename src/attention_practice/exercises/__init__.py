"""The exercises, in the order of the course: each is a file of its own, with all that it needs."""

from dataclasses import replace
from importlib import import_module

from attention_practice._exercise import Exercise

# For each part of the course: its title, what its functions are, and the names of the exercises.
PARTS = (
    (
        "attention by hand",
        "Four functions, a line each. Together they are attention as in “Context vectors”.",
        "embed scores weights context",
    ),
    (
        "attention that learns",
        "Six functions: the projections, hands that turn, a step of training, attention with its "
        "scale, a whole head, and the loss that trains it.",
        "project turn one_step attention self_attention next_word_loss",
    ),
    (
        "attention in a transformer",
        "Sixteen functions: masks, dropout, heads, two sentences, places, the block. With them "
        "you can write the attention of a language model.",
        "causal_mask masked_weights padding_mask padded_causal dropped split_heads merge_heads "
        "multi_head cross sinusoids alibi rotary rotary_attention rms_norm block induction",
    ),
    (
        "attention at scale",
        "Eleven functions: caches, shared heads, windows, attention in parts, and what each of "
        "several devices does.",
        "cache cached_mask share_heads window_mask merge tiles document_mask linear "
        "heads_on_devices ring exchange",
    ),
    (
        "a language model",
        "Five functions: the loss, the model from its parts, two ways to look inside, and the "
        "choice of the next word.",
        "padded_loss language_model without_head patched next_word",
    ),
    (
        "many readers",
        "Four functions of a service that writes for many readers: one step for several texts, a "
        "cache in pages, a cache in few bits, and guesses that are kept.",
        "batched paged rounded guessed",
    ),
)
EXERCISES: dict[str, Exercise] = {
    name: replace(import_module(f"{__name__}.{name}").EXERCISE, part=part)
    for part, (_, _, names) in enumerate(PARTS, 1)
    for name in names.split()
}
