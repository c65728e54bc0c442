"""Attention to a sequence whose keys and values travel from rank to rank in a ring."""

# torch may be built without torch.distributed: then its names must not be looked up on import.
from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import torch
import torch.distributed as dist
from torch import Tensor

from attention_steps._arguments import autocast_once
from attention_steps._checks import (
    check_attention_arguments,
    check_flag,
    check_integers,
    check_same_device,
    check_size,
    shape_of,
)
from attention_steps._numerics import scale_or_default, widen
from attention_steps.parallel._alike import check_alike
from attention_steps.tiles import (
    attend_to_part,
    clear_empty_rows,
    merge_attention,
    tile_gradients,
)

KEYS_AND_VALUES = 2  # messages: they are still on their way when gradients are sent


@autocast_once
def ring_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    positions: Tensor,
    group: dist.ProcessGroup,
    *,
    is_causal: bool = False,
    window: int | None = None,
    documents: Tensor | None = None,
    scale: float | None = None,
    enable_gqa: bool = False,
    block_size: int | None = None,
    check: bool = True,
) -> Tensor:
    r"""Compute attention to a sequence of which each rank holds some tokens.

    $$\mathrm{contexts}_i = \mathrm{softmax}\left(\frac{\mathrm{tokens}_i \,
    \mathrm{tokens}_{0 \ldots i}^T}{\sqrt{\mathrm{head\_dim}}}\right) \mathrm{tokens}_{0 \ldots i}$$

    Keys and values travel from rank to rank in a ring. At each turn a rank attends to those that it
    holds, and merges the result by `merge_attention`. In the backward pass they travel once more,
    with their gradients. No rank ever holds more than two shares.

    Source: [Liu et al. 2023, "Ring Attention with Blockwise Transformers for Near-Infinite
    Context"](https://arxiv.org/abs/2310.01889).

    Names: it is one way to do what torch calls context parallel.

    Args:
        query: Queries of this rank's tokens, shape `(..., L, E)`, the same on all ranks.
        key: Their keys, shape `(..., L, E)`.
        value: Their values, shape `(..., L, Ev)`.
        positions: Where these tokens stand, for the mask: shape `(L,)`, integers, all different.
        group: The process group. This rank must be one of it.
        is_causal: A token attends to those at its own position and before.
        window: With `is_causal`, as in `sliding_window_mask`. Defaults to all positions.
        documents: As in `document_mask`, shape `(L,)`. Defaults to one document.
        scale: Factor on the scores. Defaults to $1 / \sqrt{\mathrm{head\_dim}}$.
        enable_gqa: Each head of key and value serves a group of neighbouring query heads.
        block_size: Queries and keys in a tile. Tiles without an allowed pair are left out. Defaults
            to one tile a turn.
        check: Whether the ranks compare their calls and positions first: see the module.

    Returns:
        Context vectors of this rank's queries, shape `(..., L, Ev)`, in the dtype of `query`.

    Raises:
        TypeError: If `positions` or `documents` are not integers, or `group` is not a process
            group; else as `scaled_dot_product_attention`.
        ValueError: If the arguments are not alike on all ranks, two tokens have one position, or
            there is a window without `is_causal`; else as `scaled_dot_product_attention`.
        RuntimeError: In a backward pass with `create_graph=True`: it has no second derivative.

    Examples:
        >>> import torch
        >>> from attention_steps.parallel import run_on_threads, ring_attention
        >>> tokens = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 0.0]])
        >>> def attend(group):
        ...     positions = torch.arange(4).chunk(group.size())[group.rank()]
        ...     share = tokens[positions]
        ...     return ring_attention(share, share, share, positions, group, is_causal=True)
        >>> contexts, head_dim = torch.cat(run_on_threads(attend, 2)), 2
        >>> contexts
        tensor([[1.0000, 0.0000],
                [0.3302, 0.6698],
                [0.7517, 0.7517],
                [0.5000, 0.5000]])
    """
    # First, so that a wrong call on one rank is an error on all, and no rank waits to receive.
    check_alike(
        group,
        check,
        f"ring_attention, is_causal={is_causal}, scale={scale}, enable_gqa={enable_gqa}, "
        f"block_size={block_size}" + ("" if window is None else f", window={window}"),
        {"query": query, "key": key, "value": value, "positions": positions}
        | ({} if documents is None else {"documents": documents}),
    )
    if block_size is not None:
        check_size("block_size", block_size, minimum=1)
    check_flag("is_causal", is_causal)
    check_attention_arguments(query, key, value, scale=scale, enable_gqa=enable_gqa)
    _check_places(query, key, positions, documents, is_causal, window)
    # In 64 bits, where a difference of two places cannot be too small.
    places = torch.stack([x.long() for x in (positions, documents) if x is not None])
    places_of = _gather_places(places, group, check)
    scale, dtype = scale_or_default(scale, query), query.dtype
    heads_per_group = query.shape[-3] // key.shape[-3] if enable_gqa else 1
    if enable_gqa:
        # The queries of a group are more queries of one head.
        shared = (key.shape[-3], heads_per_group)
        query = torch.unflatten(query, -3, shared).flatten(-3, -2)
    context: Tensor = _RingAttention.apply(  # type: ignore[no-untyped-call]
        query,
        key,
        value,
        places.repeat(1, heads_per_group),
        places_of,
        _Rules(is_causal, window, block_size),
        scale,
        group,
    )
    if enable_gqa:
        context = torch.unflatten(context, -2, (heads_per_group, len(positions))).flatten(-4, -3)
    return context.to(dtype)


Tile = tuple[slice, slice]  # its queries and its keys


class _Rules(NamedTuple):
    """Which queries and keys may meet, and how many are in a tile."""

    is_causal: bool
    window: int | None
    block_size: int | None


class _RingAttention(torch.autograd.Function):
    """Attention in one ring pass, with a backward pass that is another."""

    @staticmethod
    def forward(
        ctx: Any,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        query_places: Tensor,
        places_of: Tensor,
        rules: _Rules,
        scale: float,
        group: dist.ProcessGroup,
    ) -> Tensor:
        ctx.rules, ctx.scale, ctx.group = rules, scale, group
        ctx.needed = needed = _needed_tiles(query_places, places_of, rules)
        # Half precision travels as it is, and is added up in float32.
        q = widen(query)
        context = q.new_zeros(*q.shape[:-1], value.shape[-1])
        lse = q.new_full(q.shape[:-1], -math.inf)
        for owner, k, v in _ring_pass(key, value, group):
            for rows, columns in needed[owner]:
                part = attend_to_part(
                    q[..., rows, :],
                    k[..., columns, :],
                    v[..., columns, :],
                    _may_meet(query_places, places_of[owner], rows, columns, rules),
                    scale,
                )
                context[..., rows, :], lse[..., rows] = merge_attention(
                    context[..., rows, :], lse[..., rows], *part
                )
        context = clear_empty_rows(context, lse)
        ctx.save_for_backward(query, key, value, query_places, places_of, context, lse)
        return context

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Tensor) -> tuple[Tensor | None, ...]:
        if torch.is_grad_enabled():  # create_graph=True, and there is no graph to create
            raise RuntimeError(
                "ring_attention has no second derivative, got create_graph=True; all_to_all has one"
            )
        (grad,) = grad_outputs
        query, key, value, query_places, places_of, context, lse = ctx.saved_tensors
        q = widen(query)
        delta = (grad * context).sum(dim=-1, keepdim=True)
        grad_query = torch.zeros_like(q)
        coming: Callable[[], list[Tensor]] | None = None
        for owner, k, v in _ring_pass(key, value, ctx.group):
            grads = [torch.zeros_like(k), torch.zeros_like(v)]
            for rows, columns in ctx.needed[owner]:
                to_query, to_key, to_value = tile_gradients(
                    q[..., rows, :],
                    k[..., columns, :],
                    v[..., columns, :],
                    _may_meet(query_places, places_of[owner], rows, columns, ctx.rules),
                    ctx.scale,
                    lse[..., rows],
                    delta[..., rows, :],
                    grad[..., rows, :],
                )
                grad_query[..., rows, :] += to_query
                grads[0][..., columns, :] += to_key
                grads[1][..., columns, :] += to_value
            # What the ranks before found for these keys was on its way meanwhile. After world_size
            # sends, one more than those of the keys, all is back at the rank that owns them.
            if coming:
                grads = [mine + before for mine, before in zip(grads, coming(), strict=True)]
            coming = _pass_on(grads, ctx.group, first_tag=KEYS_AND_VALUES)
        assert coming is not None  # there is a turn for each rank
        grad_key, grad_value = coming()
        return (
            grad_query.to(query.dtype),
            grad_key.to(key.dtype),
            grad_value.to(value.dtype),
            *(None,) * 5,
        )


def head_tail_positions(length: int, rank: int, world_size: int) -> Tensor:
    r"""Tell which tokens a rank holds so that a causal mask leaves each rank the same work.

    With the pieces of the first half, and those of the last half from the end, of rank $r$:

    $$\mathrm{positions}_r = \mathrm{concat}(\mathrm{front}_r, \mathrm{back}_r)$$

    Each rank takes a piece from the front, where few tokens are seen, and one from the end.

    Source: the order that torch's context parallel has by default.

    Names: torch calls it head-tail, others zigzag.

    Args:
        length: Tokens in the whole sequence.
        rank: Which rank, from 0.
        world_size: Number of ranks.

    Returns:
        The positions, shape `(length / world_size,)`, integers.

    Raises:
        TypeError: If an argument is not an int.
        ValueError: If 2 world_size does not divide `length`, or there is no such rank.

    Examples:
        >>> from attention_steps.parallel import head_tail_positions
        >>> front, back = [[0, 1], [2, 3]], [[6, 7], [4, 5]]
        >>> positions = [head_tail_positions(8, rank, 2) for rank in range(2)]
        >>> positions
        [tensor([0, 1, 6, 7]), tensor([2, 3, 4, 5])]
    """
    check_size("length", length)
    check_size("rank", rank)
    check_size("world_size", world_size, minimum=1)
    if rank >= world_size:
        raise ValueError(f"rank must be below world_size, {world_size}, got {rank}")
    if length % (2 * world_size) != 0:
        raise ValueError(
            f"length must be a multiple of 2 * world_size, {2 * world_size}, got {length}: pad the "
            "sequence"
        )
    pieces = torch.arange(length).chunk(2 * world_size)
    return torch.cat([pieces[rank], pieces[-1 - rank]])


def _ring_pass(
    key: Tensor, value: Tensor, group: dist.ProcessGroup
) -> Iterator[tuple[int, Tensor, Tensor]]:
    """Yield a rank, its keys and its values: this one's, then those of each before."""
    held = [key, value]
    for turn in range(group.size()):
        # On their way while this rank computes with them.
        coming = _pass_on(held, group) if turn < group.size() - 1 else None
        yield (group.rank() - turn) % group.size(), widen(held[0]), widen(held[1])
        held = coming() if coming else held


def _needed_tiles(query_places: Tensor, places_of: Tensor, rules: _Rules) -> list[list[Tile]]:
    """Return, for each rank, which tiles with its keys have an allowed pair.

    The answers come together, because a processor waits for each answer of a GPU.
    """
    query_len, key_len = query_places.shape[-1], places_of.shape[-1]
    height, width = rules.block_size or max(query_len, 1), rules.block_size or max(key_len, 1)
    tiles = [
        (slice(top, top + height), slice(left, left + width))
        for top in range(0, query_len, height)
        for left in range(0, key_len, width)
    ]
    answers = [
        allowed.any()
        for places in places_of
        for tile in tiles
        if (allowed := _may_meet(query_places, places, *tile, rules)) is not None
    ]
    if not answers:  # no rule, or no tile
        return [tiles for _ in places_of]
    needed = torch.stack(answers).view(len(places_of), -1).tolist()
    return [list(itertools.compress(tiles, of_rank)) for of_rank in needed]


def _may_meet(
    query_places: Tensor, key_places: Tensor, rows: slice, columns: slice, rules: _Rules
) -> Tensor | None:
    """Tell which pairs of a tile may meet, by positions and, if there are any, by documents."""
    asking, asked = query_places[:, rows, None], key_places[:, None, columns]
    allowed = []
    back = asking[0] - asked[0]
    if rules.is_causal:
        allowed.append(back >= 0)
    if rules.window is not None:
        allowed.append(back < rules.window)
    if len(asking) > 1:
        allowed.append(asking[1] == asked[1])
    return torch.stack(allowed).all(dim=0) if allowed else None


def _pass_on(
    tensors: list[Tensor], group: dist.ProcessGroup, first_tag: int = 0
) -> Callable[[], list[Tensor]]:
    """Begin to send the tensors to the next rank; return what waits for those of the one before.

    Messages that are on their way at the same time need tags of their own.
    """
    rank, world_size = group.rank(), group.size()
    if world_size == 1:
        return lambda: tensors
    after, before = (rank + 1) % world_size, (rank - 1) % world_size
    mine = [x.contiguous() for x in tensors]
    received = [torch.empty_like(x) for x in mine]
    works: list[dist.Work | None]
    if _is_known_to_torch(group):
        # One batch: NCCL can wait for ever if a send and a receive are not grouped.
        sends = [
            dist.P2POp(dist.isend, x, group=group, group_peer=after, tag=tag)
            for tag, x in enumerate(mine, first_tag)
        ]
        receives = [
            dist.P2POp(dist.irecv, x, group=group, group_peer=before, tag=tag)
            for tag, x in enumerate(received, first_tag)
        ]
        works = [*dist.batch_isend_irecv(sends + receives)]
    else:
        # Begin all before waiting: if each rank waited for its send, none would receive.
        # `isend` and `irecv` of torch before 2.13 do not know such a group.
        works = [group.send([x], after, tag) for tag, x in enumerate(mine, first_tag)]
        works += [group.recv([x], before, tag) for tag, x in enumerate(received, first_tag)]

    def wait() -> list[Tensor]:
        for work in works:
            if work is not None:
                work.wait()
        return received

    return wait


def _is_known_to_torch(group: dist.ProcessGroup) -> bool:
    """Tell whether torch made this group, as it does under torchrun, and can batch its messages."""
    try:
        dist.get_process_group_ranks(group)
    except KeyError:  # a thread's group
        return False
    return True


def _gather_places(places: Tensor, group: dist.ProcessGroup, check: bool) -> Tensor:
    """Return the places of each rank; refuse, on every rank, a position that two tokens share."""
    if places.numel() == 0:
        return places.expand(group.size(), *places.shape)
    shares = [torch.empty_like(places) for _ in range(group.size())]
    dist.all_gather(shares, places, group=group)
    places_of = torch.stack(shares)
    if not check:
        return places_of
    positions = places_of[:, 0].flatten().sort().values
    shared = positions[1:][positions[1:] == positions[:-1]]
    if len(shared) > 0:
        raise ValueError(
            "positions must be different for all tokens of all ranks, "
            f"got {shared.tolist()[:3]} more than once"
        )
    return places_of


def _check_places(
    query: Tensor,
    key: Tensor,
    positions: Tensor,
    documents: Tensor | None,
    is_causal: bool,
    window: int | None,
) -> None:
    """Check what says where the tokens of `ring_attention` stand, and who may see whom."""
    for name, places in (("positions", positions), ("documents", documents)):
        if places is None:
            continue
        check_integers(name, places)
        check_same_device(name, places, "query", query)
        for other, tensor in (("query", query), ("key", key)):
            if places.shape != tensor.shape[-2:-1]:
                raise ValueError(
                    f"{name} must have one number for each token of {other}, "
                    f"({tensor.shape[-2]},), got {shape_of(places)}"
                )
    if window is not None:
        check_size("window", window, minimum=1)
        if not is_causal:
            raise ValueError(f"window needs is_causal=True, got window={window} without it")
