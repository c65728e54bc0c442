"""Where pages have gone whose addresses stand in other places, such as wheels that are installed.

An old address is a page of links, each named as a section was, and assets/site.js follows the one
that is named. The build checks where the links lead. A page that is still there, and has lost a
section, has such a link itself: `[Mistakes](other.md#section){ .moved #old-name }`.
"""

from collections.abc import Iterator, Set
from posixpath import dirname, relpath


def _inside(path: str, title: str, names: str) -> dict[str, tuple[str, str]]:
    """Return the sections of a page that has become a part of another, under their old names."""
    sections = {name: (f"{path}#{name}", name.replace("-", " ")) for name in names.split()}
    return {"": (path, title)} | sections


# A page that is gone, and where to: without a section first.
MOVED = {
    "steps/where-is-position.md": {
        "": ("steps/position-by-rotation.md", "Rotary positions"),
        "the-formula": ("reference/positions.md#attention_steps.sinusoidal_positions", "Positions"),
        "for-engineers": ("reference/positions.md#which-one-to-take", "Which one to take"),
    },
    "steps/self-attention-as-a-layer.md": {
        "": ("steps/who-finds-the-numbers.md", "Gradient descent"),
        "for-engineers": ("reference/layers.md#a-layer-from-three-matrices", "A layer"),
    },
    "steps/dropout.md": {
        "": ("reference/layers.md#dropout", "Dropout"),
        "dropout-in-evaluation": (
            "guides/what-goes-wrong.md#dropout-in-evaluation",
            "Dropout in evaluation",
        ),
        "dropout-before-the-softmax": (
            "guides/what-goes-wrong.md#dropout-before-the-softmax",
            "Dropout before the softmax",
        ),
    },
    "steps/a-head-that-was-trained.md": {
        "": ("reference/training.md#what-it-stands-for", "What “it” stands for"),
        "by-hand": ("steps/queries-keys-and-values.md", "Queries, keys and values"),
    },
    "guides/how-torch-behaves-at-the-edges.md": _inside(
        "guides/mask-conventions.md",
        "Masks, and how torch behaves at the edges",
        "which-kernel-runs a-row-with-nothing-to-attend-to the-same-layer-nan-or-not"
        " two-masks-at-once fewer-queries-than-keys a-float-mask-of-zeros-and-ones"
        " a-float32-mask-beside-float64 a-mask-with-three-axes dropout-that-does-not-stop"
        " keys-and-values-of-different-length nan-behind-a-mask a-bias-that-ends-python"
        " the-published-equivalent",
    ),
    "guides/comparing-results.md": _inside(
        "guides/check-your-attention.md",
        "Compare results",
        "why-the-last-digits-differ how-large-the-difference-is same-seed-other-numbers"
        " is-flashattention-an-approximation other-starting-weights on-another-device"
        " what-allclose-and-assert_close-accept merging-two-partial-results a-recipe"
        " with-and-without-a-kv-cache",
    ),
    "guides/works-with.md": _inside(
        "guides/other-code.md",
        "Other people's code and engines",
        "at-the-edges families in-a-model-of-transformers weights-in-another-order transformerlens"
        " words-that-mean-something-else",
    ),
    "reference/practice.md": _inside(
        "practice/write-it-yourself.md",
        "Practice",
        "attention_practice.check attention_practice.diagnose attention_practice.hint"
        " attention_practice.solution attention_practice.task attention_practice.progress"
        " attention_practice.Report",
    ),
    "reference/parallel.md": _inside(
        "reference/long-texts.md",
        "Several devices",
        "attention_steps.parallel.run_on_threads"
        " attention_steps.parallel.ring_attention"
        " attention_steps.parallel.head_tail_positions"
        " attention_steps.parallel.all_to_all"
        " attention_steps.parallel.copy_to_group"
        " attention_steps.parallel.sum_over_group"
        " attention_steps.parallel.sum_gradients",
    ),
    "steps/how-it-learns.md": {
        "": ("steps/guess-the-next-word.md#learning-comes-down-to-a-floor", "Train it"),
        "what-each-part-is-for": (
            "reference/training.md#what-each-part-is-for",
            "What each part is for",
        ),
        "for-engineers": ("reference/training.md", "Training a language model"),
    },
    "model/money-becomes-water.md": {
        "": ("steps/look-inside.md#switch-a-part-off", "Switch a part off"),
    },
    "model/read-where-it-stands.md": {
        "": ("steps/look-inside.md#put-one-word-of-another-text-in-its-place", "Patch one word"),
    },
    "model/the-verb-decides.md": {
        "": ("steps/look-inside.md#break-it", "Right for a wrong reason"),
    },
    "steps/let-it-write.md": {
        "": ("steps/guess-the-next-word.md#temperature", "Let it write"),
        "for-engineers": ("reference/training.md#top-k-and-top-p", "Top-k and top-p"),
        "one-cache-for-all-layers": (
            "guides/what-goes-wrong.md#one-cache-for-all-layers",
            "One cache for all layers",
        ),
    },
    "steps/training-in-a-ring.md": _inside(
        "steps/sequence-on-devices.md",
        "A ring of devices",
        "the-way-back gradients-of-the-matrices-are-summed each-device-steps-alone"
        " the-mean-of-means labels-are-shifted-after-the-cut",
    ),
    "steps/kernels.md": _inside(
        "steps/tiles.md", "Tiles", "count-the-bytes a-maximum-that-lags-behind zeros-behind-the-end"
    )
    | {"flex-compiled": ("steps/chosen-pairs.md#flex-compiled", "FlexAttention writes a kernel")},
}
PAGE = """---
title: {title}
search:
  exclude: true
hide:
  - toc
---

# This page has moved

{links}
"""


def pages(there: Set[str]) -> Iterator[tuple[str, str]]:
    """Yield the path and the Markdown of each page that has moved.

    Args:
        there: The pages of the project. Another one that is built with these hooks has others.
    """
    for path, sections in MOVED.items():
        if sections[""][0].partition("#")[0] not in there:
            continue
        links = "\n".join(
            f"- [{title}]({relpath(target, dirname(path))}){{ .moved {name and '#'}{name} }}"
            for name, (target, title) in sections.items()
        )
        yield path, PAGE.format(title=next(iter(sections.values()))[1], links=links)
