"""The known mistakes, what each is called and how it is made: for exercises as well."""

import inspect
import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Mistake:
    """A known mistake.

    Attributes:
        name: What it is called.
        says: What one sees in the numbers, then what is meant.
        page: The address that explains it, with the section.
    """

    name: str
    says: str
    page: str


# To the name of a mistake, its ways: what each puts in the place of the steps of the oracle.
WRITTEN: dict[str, list[str]] = {}


def known(text: str) -> tuple[Mistake, ...]:
    """Read mistakes, with all lines but the first indented.

        Read: page
        name: what it says
        other name: what
            it says
          = step: what this way puts in its place
          = step, other step: the same in both; third step: another

    Raises:
        ValueError: If an entry is written otherwise.
    """
    mistakes, page = [], ""
    for entry in re.split(r"\n+(?! )", inspect.cleandoc(text)):
        entry, *ways = re.split(" =(?: |$)", " ".join(entry.split()))
        name, colon, says = entry.partition(": ")
        if name == "Read":
            page = says
        elif colon and page:
            mistakes.append(Mistake(name, says, page))
            WRITTEN.update({name: ways} if ways else {})
        else:
            raise ValueError(f"a mistake is written `name: what it says`, not {entry!r}")
    return tuple(mistakes)


# Questions with several right answers, first the oracle's, until a function gives another.
CONVENTIONS = {
    "what True means in the mask": known("""
        Read: guides/mask-conventions/#what-true-means-in-attn_mask
        True attends: True in the mask shows a key, as in torch's scaled_dot_product_attention.
            In nn.MultiheadAttention True hides, in key_padding_mask as in attn_mask.
          = mask: ~mask
        True hides: True in the mask hides a key, as in nn.MultiheadAttention.
          = mask: ~mask
    """),
    "where the queries of a causal call stand": known("""
        Read: steps/kv-cache/#one-query-sees-the-first-key-only
        bottom-right: The last query stands beside the last key.
          =
        top-left: Query 0 stands beside key 0, as with torch's is_causal.
          = places: torch.arange(query_len)[:, None]
    """),
    "what a query without keys gets": known("""
        Read: guides/how-torch-behaves-at-the-edges/#a-row-with-nothing-to-attend-to
        empty is 0: A query with no key to attend to gets zeros.
          =
        empty is NaN: A query with no key to attend to gets NaN.
          = filled: scores; emptied: context
          = filled: scores; emptied: context; masked: cap(scores) + bias
              + torch.where(allowed, 0.0, -math.inf).to(scores)
        empty is the mean: A query with no key to attend to gets the mean of all values.
          = emptied: context
    """),
}

MISTAKES = known("""
    Read: steps/why-divide-by-the-square-root/#the-formula
    no scale: The scores are not divided by the square root of head_dim.
      = scale: given.scale or 1.0
    root of another axis: The scores are divided by the root of another size than head_dim.
      = scale: given.scale or given.key.shape[2] ** -0.5
      = scale: given.scale or given.query.shape[2] ** -0.5
      = scale: given.scale or given.query.shape[1] ** -0.5
      = scale: given.scale or given.value.shape[3] ** -0.5
      = scale: given.scale or (-(-given.query.shape[3] // 128) * 128) ** -0.5
    multiplied: The scores are multiplied by the root of head_dim. Divide them by it.
      = scale: given.scale or given.query.shape[3] ** 0.5
    Read: steps/why-divide-by-the-square-root/#head_dim-instead-of-its-root
    no root: The scores are divided by head_dim. Divide them by its square root.
      = scale: given.scale or 1 / given.query.shape[3]
    Read: steps/why-divide-by-the-square-root/#the-models-width-instead-of-the-heads
    root of width: The scores are divided by the root of the model's width, num_heads * head_dim.
      = scale: given.scale or given.query[0, :, 0].numel() ** -0.5
    Read: steps/why-divide-by-the-square-root/#the-scale-argument
    scale ignored: The scale that is given is not used, and the default is.
      = asked: replace(given, scale=None)
    Read: steps/why-divide-by-the-square-root/#divided-twice
    scaled twice: The scale that is given is multiplied by the default one.
      = scale: STEPS["scale"](given) * (given.query.shape[3] ** -0.5
          if given.scale else 1.0)
    Read: steps/weights/#softmax-along-the-wrong-axis
    over queries: The softmax runs over the queries. The keys are the last axis, dim=-1.
      = filled: scores; emptied: context; softmax: scores.softmax(-2).nan_to_num(0.0)
      = filled: scores; emptied: context; softmax: scores.nan_to_num().softmax(-2)
    over heads: The softmax runs over the heads.
      = filled: scores; emptied: context; softmax: scores.softmax(1).nan_to_num(0.0)
      = filled: scores; emptied: context; softmax: scores.nan_to_num().softmax(1)
    Read: steps/weights/#the-formula
    not divided: The exponentials are there, and are not divided by the sum of their row.
      = softmax: (scores - scores.amax(-1, True)).exp()
    Read: steps/weights/#softmax-twice
    softmax twice: The contexts are too much alike: the softmax runs twice.
      = softmax: softmax_beside_sinks(scores, sinks, scale).softmax(-1)
    Read: guides/what-goes-wrong/#an-exponential-that-overflows
    no maximum: exp overflows on large scores. Subtract the largest of each row first.
      = softmax: _by_hand(scores, sinks, lambda sink: 0.0)
    another maximum: What is subtracted is larger than the row's largest score: exp becomes 0.
      = softmax: _by_hand(scores, sinks, lambda sink: scores.max())
      = softmax: _by_hand(scores, sinks,
          lambda sink: scores.amax(-1, True).clamp(min=0))
    Read: guides/what-goes-wrong/#rows-do-not-add-up-to-one
    one key more: Rows add up to less than 1: one more key with a score of 0 takes a share.
      = softmax: _beside_zeros(scores, sinks, torch.ones_like)
    Read: steps/queries-keys-and-values/#the-key-is-the-value-as-well
    keys mixed: The keys are mixed. They are compared with the query, and the values are mixed.
      = asked: _swapped(given, value="key")
    values compared: The values are compared with the query, and mixed. Compare the keys.
      = asked: _swapped(given, key="value")
    Read: steps/queries-keys-and-values/#keys-and-values-in-each-others-place
    key and value swapped: Keys and values have changed places.
      = asked: _swapped(given, key="value", value="key")
    Read: steps/scores/#the-formula
    query and key swapped: Queries and keys have changed places.
      = asked: _swapped(given, query="key", key="query")

    Read: steps/padding-masks/#the-formula
    mask ignored: The mask changes nothing.
      = asked: replace(given, mask=None)
    Read: guides/how-torch-behaves-at-the-edges/#a-float-mask-of-zeros-and-ones
    mask as numbers: A boolean mask is added as 0 and 1, so hidden keys stay visible.
      = asked: _given_with(given, mask=lambda x: _numbers(x, given, 1.0, 0.0))
    Read: guides/what-goes-wrong/#a-mask-that-is-multiplied-by-infinity
    0 times infinity: A mask gives NaN: 0 is multiplied by infinity. Take torch.where.
      = asked: _given_with(given,
          mask=lambda x: _numbers(x, given, math.nan, -math.inf))
      = masked: cap(scores) + bias
          + torch.where(allowed, math.nan, -math.inf).to(scores)
    Read: guides/what-goes-wrong/#a-hidden-token-gets-weight
    weak mask: Hidden keys keep a share: a number like -10 is no -inf.
      = asked: _given_with(given, mask=lambda x: _numbers(x, given, 0.0, -FAR))
      = masked: cap(scores) + bias + torch.where(allowed, 0.0, -FAR).to(scores)
      = masked: (cap(scores) + bias).masked_fill(~allowed, -FAR)
    Read: guides/what-goes-wrong/#scores-are-multiplied-by-zero
    scores times mask: A hidden score becomes 0, and exp(0) is 1. Put -inf in its place.
      = masked: (cap(scores) + bias).masked_fill(~allowed, 0.0)
    Read: steps/causal-masks/#multiplying-the-weights-by-the-mask
    mask after softmax: Rows add up to less than 1: the weights are masked after the softmax.
      = masked: cap(scores) + bias; weights: weights * allowed
    Read: guides/how-torch-behaves-at-the-edges/#a-mask-with-three-axes
    mask of another: A text or a head gets the mask of another: an axis is lost or swapped.
      = asked: _given_with(given, mask=lambda x: x[:1])
      = asked: _given_with(given, mask=lambda x: x[:, :1])
      = asked: _given_with(given, mask=lambda x: x if x.shape[1] > 1 else
          x.repeat(len(given.query[0]), 1, 1, 1).unflatten(0, (len(x), -1))[:, :, 0])
      = asked: _given_with(given, mask=lambda x: x if x.shape[2] == 1 else
          x.expand(*given.query.shape[:2], -1, -1)
          .reshape(-1, len(given.query), *x.shape[2:]).transpose(0, 1))
    Read: steps/padding-masks/#the-rows-are-masked-not-the-columns
    rows hidden: The mask hides queries, rows. It hides keys, columns.
      = asked: _given_with(given, mask=lambda x: x.mT
          if x.shape[2] == 1 and given.is_square else x)
      = asked: _given_with(given, mask=lambda x: x.mT if given.is_square else x)
    Read: guides/mask-conventions/#what-true-means-in-attn_mask
    mask scaled: The float mask is scaled with the scores. Add it after the scale.
      = bias: bias * scale
    mask subtracted: The float mask is taken off the scores. It is added.
      = bias: -bias
    mask as boolean: Of the float mask only -inf counts: its other numbers are not added.
      = asked: _given_with(given,
          mask=lambda x: x if x.dtype == torch.bool else x > -math.inf)

    Read: guides/what-goes-wrong/#the-model-sees-the-future
    causal ignored: A query sees later keys: the causal rule does nothing.
      = asked: replace(given, causal=False)
    Read: steps/causal-masks/#the-formula
    other triangle: A query sees itself and later keys: the other triangle is hidden.
      = causal: j >= i
    Read: guides/what-goes-wrong/#the-mask-is-one-diagonal-too-far
    own key hidden: No query sees its own key: the mask is off by one.
      = causal: j < i
      = causal: (j < i) | (j == i) & (i < FIRST_PIECE)
    one ahead: A query sees the next key as well: the mask is off by one.
      = causal: j <= i + 1
    in blocks: A query sees all keys up to the end of its block.
      = causal: j // (2 * SIZE) <= i // (2 * SIZE)
    Read: guides/mask-conventions/#a-mask-and-is_causal-at-once
    mask drops causal: With a mask, the causal rule does nothing.
      = asked: replace(given, causal=given.causal and given.mask is None)
    mask or causal: A key is seen if the mask or the causal rule allows it. Both must.
      = asked: replace(given, causal=False,
          mask=given.mask | torch.ones(given.mask.shape[2:], dtype=torch.bool).tril())
          if given.causal and given.has_boolean_mask else given
    causal drops mask: With the causal rule, the mask changes nothing.
      = asked: replace(given, mask=None if given.causal else given.mask)
    Read: steps/kv-cache/#one-query-sees-the-first-key-only
    first key alone: A token that comes to a cache later sees the first key alone.
      = causal: (j <= i) & ((i < FIRST_PIECE) | (j == 0))
    Read: steps/kv-cache/#keep-them
    replaced: Only the new rows come back, so the earlier words are lost.
      = causal: (j <= i) & ((i < FIRST_PIECE) | (j == i))
    not kept: The joined rows are returned and not kept: the third piece is joined to the first.
      = causal: (j <= i) & ((j < FIRST_PIECE) | (j == i))
    last slot: A new token takes the place of the last one in the cache. Append it.
      = causal: (j <= i) & ((i < FIRST_PIECE) | (j < FIRST_PIECE - 1) | (j == i))
    half kept: Of the new tokens, the cache keeps the keys or the values alone.
      = asked: _given_with(given, key=lambda x: _first_piece(x, given))
      = asked: _given_with(given, value=lambda x: _first_piece(x, given))
    Read: steps/kv-cache/#a-new-token-starts-at-0-again
    slot 0 again: A new token is written where the first one stood.
      = causal: (j <= i) & ((i < FIRST_PIECE) | (0 < j) & (j < FIRST_PIECE) | (j == i))
    moved by one: The place in the cache moves on by 1 for each call, not for each token.
      = causal: (j <= i) & ((i < FIRST_PIECE) | (j == 0) | (j >= FIRST_PIECE))
      = causal: (j <= i) & ((j > i - 2) | (j == 0) | (j >= FIRST_PIECE))
    Read: steps/kv-cache/#room-that-is-not-filled-yet
    empty slots: Slots of the cache that are not filled yet take a share.
      = softmax: _beside_zeros(scores, sinks, lambda i: (i >= FIRST_PIECE) * 1)
      = softmax: _beside_zeros(scores, sinks, lambda i: 16 * SIZE - 1 - i)
      = softmax: _beside_zeros(scores, sinks,
          lambda i: (16 * SIZE - 1 - i) * (i >= FIRST_PIECE))

    Read: steps/windows-and-sinks/#the-formula
    window ignored: The window does nothing.
      = asked: replace(given, window=None)
    window to both sides: The window is open to later keys as well.
      = window: (j - i).abs() < window;
          asked: replace(given, causal=given.causal and given.window is None)
    window as blocks: The text is cut into blocks, and a query sees its own block alone.
      = window: i // window == j // window
    Read: guides/mask-conventions/#is-the-query-counted-in-a-window
    window too wide: The window has one key more: the query's own is not counted.
      = window: j >= i - window
    window too narrow: The window has one key less.
      = window: j > i - window + 1
    Read: steps/kv-cache/#the-offset-does-not-advance
    window without offset: The window is counted from query 0, which is not beside key 0.
      = window: j > i - i[0] - window

    Read: steps/shared-heads/#shared-heads-in-the-wrong-order
    tiled groups: Your key heads repeat 0 1 0 1 and should repeat 0 0 1 1.
      = keys, values: x.repeat(1, num_heads // x.shape[1], 1, 1)
    values of other heads: Keys and values are shared in two orders. Both should repeat 0 0 1 1.
      = values: x.repeat(1, num_heads // x.shape[1], 1, 1)
      = keys: x.repeat(1, num_heads // x.shape[1], 1, 1)
    Read: steps/shared-heads/#the-formula
    first key head: All query heads use the first key head.
      = keys, values: x[:, :1].expand(-1, num_heads, -1, -1)

    Read: steps/chosen-pairs/#a-soft-cap-with-score_mod
    cap ignored: The soft cap does nothing.
      = asked: replace(given, softcap=None)
    cap before scale: The cap bends the scores before they are scaled.
      = capped: cap * (scores / scale / cap).tanh() * scale
    cap as a limit: The scores are cut off at softcap, and not bent by tanh.
      = capped: scores.clamp(-cap, cap)
    scores times cap: tanh(scores / softcap) is multiplied by the scores. Take softcap.
      = capped: scores * (scores / cap).tanh()
    cap not multiplied: tanh(scores / softcap) is not multiplied by softcap.
      = capped: (scores / cap).tanh()
    Read: steps/chosen-pairs/#the-cap-comes-after-the-mask
    cap after mask: The cap comes after the mask, so -inf becomes -softcap: hidden keys get a share.
      = masked: cap((scores + bias).masked_fill(~allowed, -math.inf))
    cap bends mask: The float mask is added before the cap, and bent with the scores.
      = masked: cap(scores + bias).masked_fill(~allowed, -math.inf)

    Read: steps/windows-and-sinks/#sinks-what-must-not-be-forgotten
    sinks ignored: The sinks do nothing.
      = asked: replace(given, sinks=None)
    sinks scaled: The sinks are multiplied by the scale. They are taken as they are.
      = asked: _given_with(given, sinks=lambda x: x * STEPS["scale"](given))
    sinks of other heads: The sinks stand in the wrong heads.
      = asked: _given_with(given, sinks=lambda x: x.flip(0))
    sinks without exp: The row's sum has the sinks themselves. Their exponentials belong there.
      = softmax: _by_hand(scores, sinks, lambda sink: 0.0, lambda sink: sink)
      = softmax: _by_hand(scores, sinks,
          lambda sink: scores.amax(-1, True), lambda sink: sink)
    sinks not shifted: The maximum is taken off the scores, not off the sinks.
      = softmax: _by_hand(scores, sinks,
          lambda sink: scores.amax(-1, True), torch.exp)
      = softmax: _by_hand(scores, sinks,
          lambda sink: torch.maximum(scores.amax(-1, True), sink), torch.exp)
    sinks in each tile: The sinks are counted once for each tile.
      = asked: _given_with(given,
          sinks=lambda x: x + math.log(-(-given.key.shape[2] // SIZE)))

    Read: guides/what-goes-wrong/#heads-are-scrambled
    texts mixed: The batch is read as the length, so tokens attend across texts.
      = called: _length_first(given, attend)
    heads cut in three: What one projection makes is cut in heads first, and then in three.
      = asked: _cut_per_head(given)
    heads scrambled: Axes are joined before they are exchanged, so words and heads are mixed up.
      = called: _viewed(attend(given))
      = called: _without_exchange(attend(given))
      = asked: _given_with(given, query=_viewed, key=_viewed, value=_viewed)

    Read: steps/tiles/#forward-one-tile-at-a-time
    tail dropped: The keys behind the last whole tile are not read. Round the number of tiles up.
      = context: _tail_dropped(2 * SIZE, scores, value, weigh)
      = context: _tail_dropped(2 * SIZE if given.causal else 1, scores, value, weigh)
    tail counted: The last tile is filled up with zeros, which get a share.
      = context: _tail_counted(4 * SIZE, scores, value, weigh)
      = context: _tail_counted(1 if given.causal else 4 * SIZE, scores, value, weigh)
    Read: steps/softmax-in-parts/#the-sums-are-not-shrunk
    sums not shrunk: A larger score comes in a later tile, and what was summed up is not shrunk.
      = context: _not_shrunk(SIZE, scores, value, weigh)
      = context: _not_shrunk(SIZE, scores, value, weigh, "sum")
      = context: _not_shrunk(SIZE, scores, value, weigh, "context")
    Read: steps/softmax-in-parts/#the-contexts-are-averaged
    contexts averaged: The contexts of the tiles are averaged. Weigh them by their sums.
      = context: _averaged(2 * SIZE, scores, value, weigh)

    Read: steps/tiles/#the-backward-pass-forgets-delta
    no delta: The gradient of the scores lacks the row's sum of weights times their gradients.
      = softmax: _without_delta(softmax_beside_sinks(scores, sinks, scale), scores)
    Read: steps/tiles/#the-gradients-tile-by-tile
    gradient not scaled: The gradient of the queries or of the keys lacks the scale.
      = scores: (_with_gradient(query, lambda x: x / scale) * scale) @ key.mT
      = scores: (query * scale) @ _with_gradient(key, lambda x: x / scale).mT
    Read: guides/what-goes-wrong/#the-gradient-is-cut-off
    gradient cut off: No gradient comes back to the queries, to the keys, or to both.
      = scores: (query.detach() * scale) @ key.mT
      = scores: (query * scale) @ key.mT.detach()
      = scores: ((query * scale) @ key.mT).detach()
    Read: steps/shared-heads/#the-formula
    gradients not added: A shared key head gets the gradient of one query head, or the mean of
        its group. The gradients of a group are added up.
      = keys, values: _of_one_head(x, num_heads, 0)
      = keys, values: _of_one_head(x, num_heads, -1)
      = keys, values: _with_gradient(shared(x, num_heads),
          lambda gradient: gradient * x.shape[1] / num_heads)
    Read: steps/chosen-pairs/#a-soft-cap-with-score_mod
    cap without gradient: The gradient passes the soft cap unchanged.
      = capped: scores + (cap * (scores / cap).tanh() - scores).detach()

    Read: guides/what-goes-wrong/#results-change-from-run-to-run
    input changed: The function writes into a tensor that it was given.
    strides ignored: A tensor that is not contiguous is read as if it were.
    second call differs: A second call with the same inputs gives other numbers, so that no number
        can be judged. Is dropout still on? Call `.eval()`.
    Read: guides/comparing-results/#why-the-last-digits-differ
    float32 inside: Inputs in float64 are computed in float32, at least in part.
    float16 inside: Inputs are computed as coarsely as in float16, or on a GPU in TF32.
    bfloat16 inside: Inputs are computed as coarsely as in bfloat16.
""")

KNOWN = {mistake.name: mistake for group in (*CONVENTIONS.values(), MISTAKES) for mistake in group}
