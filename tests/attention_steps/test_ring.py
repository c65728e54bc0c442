"""Attention in a ring of devices, against the same on one. Each rank is a thread with gloo."""

import threading
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.distributed import ProcessGroup
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import FlopCounterMode

from attention_steps import (
    document_mask,
    scaled_dot_product_attention,
    sliding_window_mask,
    tiles,
)
from attention_steps.parallel import (
    head_tail_positions,
    ring,
    ring_attention,
)
from tests.attention_steps.oracles import Largest, assert_near, randn, torch_attention
from tests.attention_steps.ranks import (
    contiguous,
    heads,
    messages,
    on_ranks,
    shared_out,
    with_gradients,
)


@pytest.mark.parametrize(
    ("world_size", "positions_of", "num_kv_heads", "block_size", "options"),
    [
        (1, contiguous, 4, None, {}),
        (1, head_tail_positions, 2, 3, {"is_causal": True}),
        (2, contiguous, 4, 5, {"is_causal": True}),
        (2, head_tail_positions, 1, None, {"scale": 0.3}),
        (3, contiguous, 2, 1, {}),
        (3, head_tail_positions, 4, 3, {"is_causal": True, "scale": 0.3}),
        (3, head_tail_positions, 1, 100, {"is_causal": True}),
        (4, contiguous, 1, None, {"is_causal": True}),
        (4, head_tail_positions, 2, 3, {}),
    ],
)
def test_a_ring_is_attention_on_one_device(
    world_size: int,
    positions_of: Callable[[int, int, int], Tensor],
    num_kv_heads: int,
    block_size: int | None,
    options: dict[str, Any],
) -> None:
    inputs, of = heads(4, num_kv_heads, 24), randn(2, 4, 24, 4, seed=3)
    options = {"enable_gqa": True, **options}

    def attend(q: Tensor, k: Tensor, v: Tensor, places: Tensor, group: ProcessGroup) -> Tensor:
        return ring_attention(q, k, v, places, group, block_size=block_size, **options)

    actual = shared_out(attend, inputs, of, world_size, positions_of)
    expected = with_gradients(lambda *x: torch_attention(*x, **options), *inputs, of=of)
    for one, other in zip(actual, expected, strict=True):
        assert_near(one, other)


@pytest.mark.parametrize("block_size", [None, 3])
@pytest.mark.parametrize("num_kv_heads", [1, 4])
@pytest.mark.parametrize(
    ("window", "documents"),
    [(3, None), (None, [5, 5, 5, 0, 0, 0, 0, 0, 7, 7, 0, 0]), (2, [0] * 5 + [1] * 7), (100, None)],
    ids=["window", "documents", "both", "wide window"],
)
def test_a_ring_has_windows_and_documents(
    window: int | None, documents: list[int] | None, num_kv_heads: int, block_size: int | None
) -> None:
    inputs, of = heads(4, num_kv_heads, 12), randn(2, 4, 12, 4, seed=3)
    stands_in = torch.tensor(documents or [0] * 12)
    mask = sliding_window_mask(12, window=window or 12) & document_mask(stands_in)
    options: dict[str, Any] = {
        "window": window,
        "block_size": block_size,
        "is_causal": True,
        "enable_gqa": True,
    }

    def attend(q: Tensor, k: Tensor, v: Tensor, places: Tensor, group: ProcessGroup) -> Tensor:
        within: Any = {"documents": stands_in[places]} if documents else {}
        return ring_attention(q, k, v, places, group, **options, **within)

    actual = shared_out(attend, inputs, of, 2, head_tail_positions)
    expected = with_gradients(
        lambda q, k, v: torch_attention(q, k, v, mask, enable_gqa=True), *inputs, of=of
    )
    for one, other in zip(actual, expected, strict=True):
        assert_near(one, other)


def test_documents_need_no_order_of_positions() -> None:
    x = randn(2, 8, 6)
    documents = torch.tensor([0, 1] * 4)
    positions = [torch.tensor([200, 3, 5, 250]), torch.tensor([0, 9, 7, 1])]  # in any order

    def work(group: ProcessGroup) -> Tensor:
        mine = contiguous(8, group.rank(), 2)
        where = positions[group.rank()].to(torch.uint8)  # a difference would be less than nothing
        q = x[:, mine]
        return ring_attention(q, q, q, where, group, documents=documents[mine].to(torch.uint8))

    actual = torch.cat(on_ranks(work, 2), dim=-2)
    assert_near(actual, torch_attention(x, x, x, attn_mask=document_mask(documents)))


class Asked(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Notes for which operations a processor would wait, if the numbers were on a GPU."""

    def __init__(self, note: Callable[[str], None]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.note = note

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func.overloadpacket in (
            torch.ops.aten._local_scalar_dense,
            torch.ops.aten.nonzero,
            torch.ops.aten.equal,
        ):
            self.note("ask")
        return func(*args, **(kwargs or {}))


@pytest.mark.parametrize("is_causal", [False, True])
def test_messages_are_on_their_way_while_a_rank_computes_and_asks_nothing(is_causal: bool) -> None:
    done: dict[str, list[str]] = {}

    def note(what: str) -> None:
        done.setdefault(threading.current_thread().name, []).append(what)

    begin, attend, go_back = ring._pass_on, tiles.attend_to_part, tiles.tile_gradients

    def noted_pass(
        tensors: list[Tensor], group: ProcessGroup, first_tag: int = 0
    ) -> Callable[[], list[Tensor]]:
        what = "gradients" if first_tag else "keys"
        note(f"send {what}")
        wait = begin(tensors, group, first_tag)

        def noted_wait() -> list[Tensor]:
            note(f"wait for {what}")
            return wait()

        return noted_wait

    def noted_attend(*given: Any, **options: Any) -> tuple[Tensor, Tensor]:
        note("compute")
        return attend(*given, **options)

    def noted_gradients(*given: Any) -> tuple[Tensor, Tensor, Tensor]:
        note("compute")
        return go_back(*given)

    def work(group: ProcessGroup) -> None:
        mine = head_tail_positions(12, group.rank(), 3)
        q, k, v = (x[..., mine, :].requires_grad_() for x in heads(2, 2, 12))
        with Asked(note):
            context = ring_attention(q, k, v, mine, group, is_causal=is_causal)
            note("turn back")
            torch.autograd.grad(context.sum(), [q, k, v])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ring, "_pass_on", noted_pass)
        patch.setattr(ring, "attend_to_part", noted_attend)
        patch.setattr(ring, "tile_gradients", noted_gradients)
        on_ranks(work, 3)
    there = ["send keys", "compute", "wait for keys"] * 2 + ["compute"]
    back = ["send keys", "compute", "send gradients", "wait for keys"]
    back += ["send keys", "compute", "wait for gradients", "send gradients", "wait for keys"]
    back += ["compute", "wait for gradients", "send gradients", "wait for gradients"]
    assert list(done.values()) == [[*there, "turn back", *back]] * 3


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"window": 2}, ValueError, r"window needs is_causal=True, got window=2"),
        ({"window": 0, "is_causal": True}, ValueError, r"window must be .*1.* got 0"),
        ({"window": 2.0, "is_causal": True}, TypeError, r"window"),
        ({"documents": torch.zeros(3)}, TypeError, r"documents"),
        ({"documents": torch.zeros(2, dtype=torch.int64)}, ValueError, r"documents must .* \(3,\)"),
    ],
)
def test_a_wrong_window_and_wrong_documents_are_refused(
    options: dict[str, Any], error: type[Exception], message: str
) -> None:
    x = randn(3, 2)
    with pytest.raises(error, match=message):
        on_ranks(lambda group: ring_attention(x, x, x, torch.arange(3), group, **options), 1)


def sizes_and_work(
    positions_of: Callable[[int, int, int], Tensor], block_size: int
) -> list[tuple[int, int]]:
    """What each of four ranks makes at most, and how many operations it takes, both ways."""
    whole = heads(2, 2, 256)

    def work(group: ProcessGroup) -> tuple[int, int]:
        mine = positions_of(256, group.rank(), 4)
        shares = [x[..., mine, :] for x in whole]
        with Largest() as largest, FlopCounterMode(display=False) as flops:  # type: ignore[no-untyped-call]
            with_gradients(
                lambda q, k, v: ring_attention(
                    q, k, v, mine, group, is_causal=True, block_size=block_size
                ),
                *shares,
                of=shares[2],
            )
        return largest.size, flops.get_total_flops()

    return on_ranks(work, 4)


@pytest.mark.slow
def test_in_tiles_no_tensor_is_larger_than_a_share() -> None:
    share = 2 * 2 * 64 * 6  # batch, heads, tokens and head_dim
    call = 4 * 40  # in which four ranks say how they were called
    assert {size for size, _ in sizes_and_work(head_tail_positions, 16)} == {max(share, call)}


@pytest.mark.slow
def test_tiles_without_an_allowed_pair_are_left_out_and_head_and_tail_share_the_rest_evenly() -> (
    None
):
    in_order = [work for _, work in sizes_and_work(contiguous, 32)]
    head_tail = [work for _, work in sizes_and_work(head_tail_positions, 32)]

    assert in_order == sorted(in_order)
    # Of eight pieces in order, rank n has two: piece i has i tiles before its own.
    assert [work / in_order[0] for work in in_order] == [1, 7 / 3, 11 / 3, 5]
    assert set(head_tail) == {sum(in_order) // 4}


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_half_precision_is_added_up_in_float32(dtype: torch.dtype) -> None:
    inputs, of = heads(2, 2, 16, dtype), randn(2, 2, 16, 4, seed=3).to(dtype)

    actual = shared_out(
        lambda q, k, v, places, group: ring_attention(q, k, v, places, group), inputs, of, 4
    )

    expected = with_gradients(
        lambda q, k, v: scaled_dot_product_attention(q.float(), k.float(), v.float()),
        *(x.float() for x in inputs),
        of=of.float(),
    )
    for one, other in zip(actual, expected, strict=True):
        assert one.dtype == dtype
        # As near as a single rounding, beside those of float32.
        torch.testing.assert_close(
            one.float(), other, rtol=0.51 * torch.finfo(dtype).eps, atol=1e-5
        )


def test_two_tokens_at_one_place_are_refused_on_every_rank() -> None:
    x = randn(2, 4, 6)
    places = [torch.tensor([0, 1, 2, 3]), torch.tensor([4, 5, 3, 6])]
    texts = messages(lambda group: ring_attention(x, x, x, places[group.rank()], group), 2)
    wanted = "positions must be different for all tokens of all ranks, got [3] more than once"
    assert texts == [wanted] * 2


def test_a_ring_has_no_second_derivative_and_says_so() -> None:
    def work(group: ProcessGroup) -> str:
        x = randn(2, 4, 6).requires_grad_()
        context = ring_attention(x, x, x, torch.arange(4) + 4 * group.rank(), group)
        # Linear in the context: the upstream gradient requires none itself.
        with pytest.raises(RuntimeError) as caught:
            torch.autograd.grad(context.sum(), x, create_graph=True)
        return str(caught.value)

    for text in on_ranks(work, 2):
        assert text.startswith("ring_attention has no second derivative, got create_graph=True")


@pytest.mark.parametrize("world_size", [1, 2])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64], ids=str)
def test_a_ring_runs_under_autocast(dtype: torch.dtype, world_size: int) -> None:
    inputs = heads(2, 2, 8, dtype)

    def under_autocast(group: ProcessGroup) -> list[Tensor]:
        places = contiguous(8, group.rank(), world_size)
        shares = [x[..., places, :].clone().requires_grad_() for x in inputs]
        with torch.autocast("cpu", dtype=torch.bfloat16):
            query, key, value = shares
            context = ring_attention(query, key, value, places, group, is_causal=True)
            gradients = torch.autograd.grad(context.float().sum(), shares)
        return [context.detach(), *gradients]

    results = on_ranks(under_autocast, world_size)

    whole = [query, key, value] = [x.clone().requires_grad_() for x in inputs]
    with torch.autocast("cpu", dtype=torch.bfloat16):
        expected = scaled_dot_product_attention(query, key, value, is_causal=True)
    wanted = [expected, *torch.autograd.grad(expected.float().sum(), whole)]
    for actual, other in zip(zip(*results, strict=True), wanted, strict=True):
        assert actual[0].dtype == other.dtype
        # Keys and values get gradients from each rank, and are rounded once like the others.
        torch.testing.assert_close(
            torch.cat(actual, dim=-2), other, rtol=torch.finfo(torch.bfloat16).eps, atol=1e-2
        )
