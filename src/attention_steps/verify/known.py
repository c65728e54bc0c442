"""The mistakes that are known, and what each is called: for exercises as well."""

import inspect
import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Mistake:
    """A known mistake.

    Attributes:
        name: What it is called.
        says: The message: first what one sees in the numbers, then what is meant.
        page: Where it is explained: an address of the site, with the section.
    """

    name: str
    says: str
    page: str


def known(text: str) -> tuple[Mistake, ...]:
    """Read mistakes, under the pages that explain them, with all lines but the first indented.

        Read: page
        name: what it says
        other name: what
            it says
        Read: other page
        ...

    Raises:
        ValueError: If an entry is written otherwise.
    """
    mistakes, page = [], ""
    for entry in re.split(r"\n+(?! )", inspect.cleandoc(text)):
        name, colon, says = " ".join(entry.split()).partition(": ")
        if name == "Read":
            page = says
        elif colon and page:
            mistakes.append(Mistake(name, says, page))
        else:
            raise ValueError(f"a mistake is written `name: what it says`, not {entry!r}")
    return tuple(mistakes)


# Questions with several answers, each of which is right somewhere: told, and not blamed. The first
# answer is the oracle's, until a function is found to give another.
CONVENTIONS = {
    "what True means in the mask": known("""
        Read: guides/mask-conventions/#what-true-means-in-attn_mask
        True attends: True in the mask shows a key, as in torch's scaled_dot_product_attention.
        True hides: True in the mask hides a key, as in nn.MultiheadAttention.
    """),
    "where the queries of a causal call stand": known("""
        Read: steps/kv-cache/#one-query-sees-the-first-key-only
        bottom-right: The last query stands beside the last key.
        top-left: Query 0 stands beside key 0, as with torch's is_causal.
    """),
    "what a query without keys gets": known("""
        Read: guides/how-torch-behaves-at-the-edges/#a-row-with-nothing-to-attend-to
        empty is 0: A query with no key to attend to gets zeros.
        empty is NaN: A query with no key to attend to gets NaN.
        empty is the mean: A query with no key to attend to gets the mean of all values.
    """),
}

MISTAKES = known("""
    Read: steps/why-divide-by-the-square-root/#the-formula
    no scale: The scores are not divided by the square root of head_dim.
    multiplied: The scores are multiplied by the root of head_dim. Divide them by it.
    Read: steps/why-divide-by-the-square-root/#head_dim-instead-of-its-root
    no root: The scores are divided by head_dim. Divide them by its square root.
    Read: steps/why-divide-by-the-square-root/#the-models-width-instead-of-the-heads
    root of width: The scores are divided by the root of the model's width, num_heads * head_dim.
    Read: steps/why-divide-by-the-square-root/#the-scale-argument
    scale ignored: The scale that is given is not used, and the default is.
    Read: steps/why-divide-by-the-square-root/#divided-twice
    scaled twice: The scale that is given is multiplied by the default one.
    Read: steps/weights/#softmax-along-the-wrong-axis
    over queries: The softmax runs over the queries. The keys are the last axis, dim=-1.
    Read: steps/weights/#the-formula
    not divided: The exponentials are there, and are not divided by the sum of their row.
    Read: steps/weights/#softmax-twice
    softmax twice: The contexts are too much alike: the softmax runs twice.
    Read: guides/what-goes-wrong/#an-exponential-that-overflows
    no maximum: exp overflows on large scores. Subtract the largest of each row first.
    Read: guides/what-goes-wrong/#rows-do-not-add-up-to-one
    one key more: Rows add up to less than 1: one more key with a score of 0 takes a share.
    Read: steps/queries-keys-and-values/#the-key-is-the-value-as-well
    keys mixed: The keys are mixed. They are compared with the query, and the values are mixed.

    Read: steps/padding-masks/#the-formula
    mask ignored: The mask changes nothing.
    Read: guides/how-torch-behaves-at-the-edges/#a-float-mask-of-zeros-and-ones
    mask as numbers: A boolean mask is added as 0 and 1, so hidden keys stay visible.
    Read: guides/what-goes-wrong/#scores-are-multiplied-by-zero
    scores times mask: A hidden score becomes 0, and exp(0) is 1. Put -inf in its place.
    Read: steps/causal-masks/#multiplying-the-weights-by-the-mask
    mask after softmax: Rows add up to less than 1: the weights are masked after the softmax.
    Read: guides/how-torch-behaves-at-the-edges/#a-mask-with-three-axes
    mask of another: A text or a head gets the mask of another: an axis is lost or swapped.
    Read: steps/padding-masks/#the-rows-are-masked-not-the-columns
    rows hidden: The padding mask hides queries, rows. It hides keys, columns.
    Read: guides/mask-conventions/#what-true-means-in-attn_mask
    mask scaled: The float mask is scaled with the scores. Add it after the scale.
    mask subtracted: The float mask is taken off the scores. It is added.
    mask as boolean: Of the float mask only -inf counts: its other numbers are not added.

    Read: guides/what-goes-wrong/#the-model-sees-the-future
    causal ignored: A query sees later keys: the causal rule does nothing.
    Read: steps/causal-masks/#the-formula
    other triangle: A query sees itself and later keys: the other triangle is hidden.
    Read: guides/what-goes-wrong/#the-mask-is-one-diagonal-too-far
    own key hidden: No query sees its own key: the mask is off by one.
    one ahead: A query sees the next key as well: the mask is off by one.
    Read: guides/mask-conventions/#a-mask-and-is_causal-at-once
    mask drops causal: With a mask, the causal rule does nothing.
    causal drops mask: With the causal rule, the mask changes nothing.
    Read: steps/kv-cache/#one-query-sees-the-first-key-only
    first key alone: A token that comes to a cache later sees the first key alone.

    Read: steps/windows-and-sinks/#the-formula
    window ignored: The window does nothing.
    window to both sides: The window is open to later keys as well.
    window as blocks: The text is cut into blocks, and a query sees its own block alone.
    Read: guides/mask-conventions/#is-the-query-counted-in-a-window
    window too wide: The window has one key more: the query's own is not counted.
    window too narrow: The window has one key less.
    Read: steps/kv-cache/#the-offset-does-not-advance
    window without offset: The window is counted from query 0, which is not beside key 0.

    Read: steps/shared-heads/#shared-heads-in-the-wrong-order
    tiled groups: Your key heads repeat 0 1 0 1 and should repeat 0 0 1 1.
    values of other heads: Keys and values are shared in two orders. Both should repeat 0 0 1 1.
    Read: steps/shared-heads/#the-formula
    first key head: All query heads use the first key head.

    Read: steps/chosen-pairs/#a-soft-cap-with-score_mod
    cap ignored: The soft cap does nothing.
    cap before scale: The cap bends the scores before they are scaled.
    cap as a limit: The scores are cut off at softcap, and not bent by tanh.
    cap not multiplied: tanh(scores / softcap) is not multiplied by softcap.
    Read: steps/chosen-pairs/#the-cap-comes-after-the-mask
    cap after mask: The cap comes after the mask, so -inf becomes -softcap: hidden keys get a share.
    cap bends mask: The float mask is added before the cap, and bent with the scores.

    Read: steps/windows-and-sinks/#sinks-what-must-not-be-forgotten
    sinks ignored: The sinks do nothing.
    sinks scaled: The sinks are multiplied by the scale. They are taken as they are.
    sinks of other heads: The sinks stand in the wrong heads.
    sinks without exp: The row's sum has the sinks themselves. Their exponentials belong there.

    Read: guides/what-goes-wrong/#heads-are-scrambled
    heads scrambled: Axes are joined before they are exchanged, so words and heads are mixed up.

    Read: steps/tiles/#forward-one-tile-at-a-time
    tail dropped: The keys behind the last whole tile are not read.
    tail counted: The last tile is filled up with zeros, which get a share.
    Read: steps/softmax-in-parts/#the-sums-are-not-shrunk
    sums not shrunk: A larger score comes in a later tile, and what was summed up is not shrunk.
    Read: steps/softmax-in-parts/#the-contexts-are-averaged
    contexts averaged: The contexts of the tiles are averaged. Weigh them by their sums.

    Read: steps/tiles/#the-backward-pass-forgets-delta
    no delta: The gradient of the scores lacks the row's sum of weights times their gradients.
    Read: steps/tiles/#the-gradients-tile-by-tile
    gradient not scaled: The gradient of the queries or of the keys lacks the scale.
    Read: guides/what-goes-wrong/#the-gradient-is-cut-off
    gradient cut off: No gradient comes back to the queries, to the keys, or to both.
    Read: steps/shared-heads/#the-formula
    gradients not added: A shared key head gets the gradient of one query head, or the mean of
        its group. The gradients of a group are added up.
    Read: steps/chosen-pairs/#a-soft-cap-with-score_mod
    cap without gradient: The gradient passes the soft cap unchanged.

    Read: guides/what-goes-wrong/#results-change-from-run-to-run
    input changed: The function writes into a tensor that it was given.
    second call differs: A second call with the same inputs gives other numbers.
    Read: guides/comparing-results/#why-the-last-digits-differ
    float32 inside: Inputs in float64 are computed in float32, at least in part.
    float16 inside: Inputs are computed as coarsely as in float16, or on a GPU in TF32.
    bfloat16 inside: Inputs are computed as coarsely as in bfloat16.
""")

KNOWN = {mistake.name: mistake for group in (*CONVENTIONS.values(), MISTAKES) for mistake in group}
