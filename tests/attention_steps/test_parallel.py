"""Attention on several devices, against the same on one. Each rank is a thread with gloo.

A time limit is there for what would hang; nothing here measures time.
"""

import threading
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import pytest
import torch
import torch.distributed as dist
from torch import Tensor
from torch.distributed import ProcessGroup
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import FlopCounterMode

from attention_steps import (
    MultiHeadAttention,
    document_mask,
    scaled_dot_product_attention,
    sliding_window_mask,
    tiles,
)
from attention_steps.parallel import (
    _alike,
    all_to_all,
    copy_to_group,
    head_tail_positions,
    ring,
    ring_attention,
    run_on_threads,
    sum_gradients,
    sum_over_group,
)
from tests.attention_steps.oracles import Largest, assert_near, randn, torch_attention

T = TypeVar("T")
Attend = Callable[[Tensor, Tensor, Tensor], Tensor]
# Far beyond what a busy machine needs for a page of numbers.
LIMIT = 120.0
# Longer than LIMIT: who waits for it, has hung.
FOREVER = 3600.0


def within_the_limit(function: Callable[[], T]) -> T:
    """Call a function, and fail instead of waiting for ever."""
    results: list[T] = []
    errors: list[BaseException] = []

    def call() -> None:
        try:
            results.append(function())
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=call, daemon=True)
    thread.start()
    thread.join(LIMIT)
    assert not thread.is_alive(), "it hangs"
    if errors:
        raise errors[0]
    return results[0]


def on_ranks(function: Callable[[ProcessGroup], T], world_size: int) -> list[T]:
    return within_the_limit(lambda: run_on_threads(function, world_size, timeout=LIMIT))


def messages(function: Callable[[ProcessGroup], object], world_size: int) -> list[str]:
    """What each rank says that refuses the call itself, and is not told of it by another."""

    def call(group: ProcessGroup) -> str:
        with pytest.raises(ValueError) as caught:  # noqa: PT011 (the text is what is asked for)
            function(group)
        return str(caught.value)

    return on_ranks(call, world_size)


def contiguous(length: int, rank: int, world_size: int) -> Tensor:
    return torch.arange(length).chunk(world_size)[rank]


def heads(
    num_heads: int, num_kv_heads: int, length: int, dtype: torch.dtype = torch.float64
) -> tuple[Tensor, Tensor, Tensor]:
    """Queries, keys and values in a batch of two, the values narrower."""
    query = randn(2, num_heads, length, 6).to(dtype)
    key = randn(2, num_kv_heads, length, 6, seed=1).to(dtype)
    value = randn(2, num_kv_heads, length, 4, seed=2).to(dtype)
    return query, key, value


def with_gradients(attend: Attend, *inputs: Tensor, of: Tensor) -> tuple[Tensor, ...]:
    """The context, and the gradients of its sum times `of`."""
    leaves = [x.clone().requires_grad_() for x in inputs]
    context = attend(*leaves)
    return context.detach(), *torch.autograd.grad((context * of).sum(), leaves)


def in_one_piece(shares: list[Tensor], positions: list[Tensor]) -> Tensor:
    """Put the tokens of all ranks to their places."""
    order = torch.cat(positions).argsort()
    return torch.cat(shares, dim=-2)[..., order, :]


def shared_out(
    attend: Callable[[Tensor, Tensor, Tensor, Tensor, ProcessGroup], Tensor],
    inputs: tuple[Tensor, Tensor, Tensor],
    of: Tensor,
    world_size: int,
    positions_of: Callable[[int, int, int], Tensor] = contiguous,
) -> list[Tensor]:
    """Context and gradients of the whole sequence, computed on some ranks."""
    length = inputs[0].shape[-2]
    positions = [positions_of(length, rank, world_size) for rank in range(world_size)]

    def work(group: ProcessGroup) -> tuple[Tensor, ...]:
        mine = positions[group.rank()]
        shares = [x[..., mine, :] for x in inputs]
        return with_gradients(
            lambda q, k, v: attend(q, k, v, mine, group), *shares, of=of[..., mine, :]
        )

    results = on_ranks(work, world_size)
    return [in_one_piece(list(shares), positions) for shares in zip(*results, strict=True)]


# run_on_threads -------------------------------------------------------------------------------


def test_threads_are_the_ranks_of_one_group_and_reach_each_other() -> None:
    def add_up(group: ProcessGroup) -> tuple[int, int, float]:
        x = torch.tensor(10.0 ** group.rank())
        dist.all_reduce(x, group=group)
        return group.rank(), group.size(), x.item()

    assert on_ranks(add_up, 3) == [(0, 3, 111.0), (1, 3, 111.0), (2, 3, 111.0)]


@pytest.mark.parametrize("world_size", [2, 4])
@pytest.mark.parametrize("culprit", [0, 1])
def test_a_rank_that_raises_ends_the_others_with_its_own_error(
    world_size: int, culprit: int
) -> None:
    fates: dict[int, str] = {}

    def work(group: ProcessGroup) -> None:
        try:
            sum_over_group(torch.ones(3), group)
            if group.rank() == culprit:
                raise KeyError("no such word")
            sum_over_group(torch.ones(3), group)
        except Exception as error:
            fates[group.rank()] = type(error).__name__
            raise

    with pytest.raises(KeyError, match="no such word") as caught:
        # Those who wait have an hour; they must not take it.
        within_the_limit(lambda: run_on_threads(work, world_size, timeout=FOREVER))

    assert caught.value.__notes__ == [f"raised on rank {culprit} of {world_size}"]
    expected = dict.fromkeys(range(world_size), "RuntimeError") | {culprit: "KeyError"}
    assert fates == expected


@pytest.mark.slow
def test_a_rank_that_never_ends_is_left_behind_once_another_has_failed() -> None:
    let_go = threading.Event()

    def work(group: ProcessGroup) -> None:
        if group.rank() == 1:
            raise KeyError("gone")
        let_go.wait()

    try:
        with pytest.raises(KeyError, match="gone"):
            within_the_limit(lambda: run_on_threads(work, 2, timeout=2.0))
    finally:
        let_go.set()


# ring_attention -------------------------------------------------------------------------------


def assert_a_ring_is_attention_on_one_device(
    inputs: tuple[Tensor, Tensor, Tensor],
    world_size: int,
    positions_of: Callable[[int, int, int], Tensor],
    **options: Any,
) -> None:
    of = randn(*inputs[0].shape[:-1], inputs[2].shape[-1], seed=3)

    actual = shared_out(
        lambda q, k, v, places, group: ring_attention(q, k, v, places, group, **options),
        inputs,
        of,
        world_size,
        positions_of,
    )

    options.pop("block_size", None)
    one_device: Callable[..., Tensor] = (
        scaled_dot_product_attention if "softcap" in options else torch_attention
    )
    expected = with_gradients(lambda *x: one_device(*x, **options), *inputs, of=of)
    for one, other in zip(actual, expected, strict=True):
        assert_near(one, other)


@pytest.mark.slow
@pytest.mark.parametrize("is_causal", [False, True])
@pytest.mark.parametrize("positions_of", [contiguous, head_tail_positions])
@pytest.mark.parametrize("world_size", [1, 2, 3, 4])
def test_a_ring_is_attention_on_one_device(
    world_size: int, positions_of: Callable[[int, int, int], Tensor], is_causal: bool
) -> None:
    assert_a_ring_is_attention_on_one_device(
        heads(3, 3, 24), world_size, positions_of, is_causal=is_causal
    )


@pytest.mark.parametrize("softcap", [None, 0.5])
@pytest.mark.parametrize("block_size", [None, 3])
def test_a_ring_has_the_soft_cap_and_the_sinks(
    block_size: int | None, softcap: float | None
) -> None:
    options = {"softcap": softcap, "block_size": block_size, "enable_gqa": True, "is_causal": True}
    sinks = torch.tensor([0.3, -1.0, 9.0, 0.0], dtype=torch.float64)
    assert_a_ring_is_attention_on_one_device(
        heads(4, 2, 8), 2, head_tail_positions, sinks=sinks, **options
    )


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
    inputs = heads(4, num_kv_heads, 12)
    of = randn(2, 4, 12, 4, seed=3)
    mask = sliding_window_mask(12, window=window or 12)
    stands_in = torch.tensor(documents or [0] * 12)

    actual = shared_out(
        lambda q, k, v, places, group: ring_attention(
            q,
            k,
            v,
            places,
            group,
            is_causal=True,
            window=window,
            documents=stands_in[places] if documents else None,
            enable_gqa=True,
            block_size=block_size,
        ),
        inputs,
        of,
        2,
        head_tail_positions,
    )

    mask = mask & document_mask(stands_in)
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


def test_the_ranks_find_the_gradient_of_a_sink_in_parts() -> None:
    inputs = heads(2, 2, 8)

    def parts(group: ProcessGroup) -> tuple[Tensor, ...]:
        sinks = randn(2, seed=5).requires_grad_()
        places = head_tail_positions(8, group.rank(), 2)
        q, k, v = (x[..., places, :] for x in inputs)
        context = ring_attention(q, k, v, places, group, is_causal=True, sinks=sinks)
        return torch.autograd.grad(context.square().sum(), [sinks])

    sinks = randn(2, seed=5).requires_grad_()
    whole = scaled_dot_product_attention(*inputs, is_causal=True, sinks=sinks)
    (expected,) = torch.autograd.grad(whole.square().sum(), [sinks])
    assert_near(sum((grad for (grad,) in on_ranks(parts, 2)), torch.tensor(0.0)), expected)


@pytest.mark.parametrize("block_size", [None, 3])
@pytest.mark.parametrize("num_kv_heads", [1, 2, 4])
def test_heads_share_keys_in_a_ring(num_kv_heads: int, block_size: int | None) -> None:
    assert_a_ring_is_attention_on_one_device(
        heads(4, num_kv_heads, 8),
        2,
        head_tail_positions,
        is_causal=True,
        scale=0.3,
        enable_gqa=True,
        block_size=block_size,
    )


@pytest.mark.slow
@pytest.mark.parametrize("is_causal", [False, True])
@pytest.mark.parametrize("block_size", [1, 3, 4, 100])
def test_a_ring_in_tiles_is_attention_on_one_device(block_size: int, is_causal: bool) -> None:
    assert_a_ring_is_attention_on_one_device(
        heads(3, 3, 24), 3, head_tail_positions, is_causal=is_causal, block_size=block_size
    )


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


# all_to_all -----------------------------------------------------------------------------------


@pytest.mark.parametrize("is_causal", [False, True])
@pytest.mark.parametrize("world_size", [1, 2, 4])
def test_heads_for_tokens_and_back_is_attention_on_one_device_to_the_bit(
    world_size: int, is_causal: bool
) -> None:
    inputs, of = heads(4, 4, 8, torch.float32), randn(2, 4, 8, 4, seed=3).float()

    def attend(q: Tensor, k: Tensor, v: Tensor, places: Tensor, group: ProcessGroup) -> Tensor:
        q, k, v = (all_to_all(x, -3, -2, group) for x in (q, k, v))
        context = scaled_dot_product_attention(q, k, v, is_causal=is_causal)
        return all_to_all(context, -2, -3, group)

    actual = shared_out(attend, inputs, of, world_size)

    expected = with_gradients(
        lambda q, k, v: scaled_dot_product_attention(q, k, v, is_causal=is_causal),
        *inputs,
        of=of,
    )
    # Contexts and gradients: each head is computed whole, by one rank, as it would be on one.
    assert [torch.equal(one, other) for one, other in zip(actual, expected, strict=True)] == [
        True
    ] * 4


@pytest.mark.parametrize(("split_dim", "join_dim"), [(0, 1), (1, 0), (-1, 0), (2, 1), (1, 1)])
def test_all_to_all_is_the_pieces_of_a_list(split_dim: int, join_dim: int) -> None:
    shares = [randn(3, 6, 9, seed=rank) for rank in range(3)]
    actual = on_ranks(lambda group: all_to_all(shares[group.rank()], split_dim, join_dim, group), 3)
    for rank in range(3):
        pieces = [share.tensor_split(3, dim=split_dim)[rank] for share in shares]
        assert torch.equal(actual[rank], torch.cat(pieces, dim=join_dim))


# copy_to_group, sum_over_group ----------------------------------------------------------------


def part_of_layer(layer: MultiHeadAttention, rank: int, world_size: int) -> MultiHeadAttention:
    """The heads of one rank: rows of three matrices, columns of the fourth."""
    part = MultiHeadAttention(
        layer.embed_dim,
        layer.num_heads // world_size,
        num_kv_heads=layer.num_kv_heads // world_size,
        head_dim=layer.head_dim,
        bias=False,
        dtype=torch.float64,
    )
    with torch.no_grad():
        for name, dim in (("q_proj", 0), ("k_proj", 0), ("v_proj", 0), ("out_proj", 1)):
            whole = getattr(layer, name).weight
            getattr(part, name).weight.copy_(whole.chunk(world_size, dim=dim)[rank])
    return part


def whole_layer() -> MultiHeadAttention:
    layer = MultiHeadAttention(8, 4, bias=False, dtype=torch.float64)
    with torch.no_grad():
        for seed, weight in enumerate(layer.parameters()):
            weight.copy_(randn(*weight.shape, seed=seed))
    return layer


@pytest.mark.parametrize("world_size", [1, 2, 4])
def test_heads_on_ranks_are_the_layer_on_one(world_size: int) -> None:
    layer, inputs, of = whole_layer(), randn(2, 5, 8, seed=7), randn(2, 5, 8, seed=8)

    def work(group: ProcessGroup) -> tuple[Tensor, ...]:
        part = part_of_layer(layer, group.rank(), world_size)
        return with_gradients(
            lambda x, *_: sum_over_group(part(copy_to_group(x, group), is_causal=True), group),
            inputs,
            of=of,
        )

    expected = with_gradients(lambda x, *_: layer(x, is_causal=True), inputs, of=of)
    for actual in on_ranks(work, world_size):
        assert_near(actual[0], expected[0])
        assert_near(actual[1], expected[1])


# sum_gradients --------------------------------------------------------------------------------


@pytest.mark.parametrize("positions_of", [contiguous, head_tail_positions])
def test_summed_gradients_of_a_layer_are_those_of_one_device(
    positions_of: Callable[[int, int, int], Tensor],
) -> None:
    inputs, of = randn(12, 8, seed=7), randn(12, 8, seed=8)

    def gradients(*shared: Any) -> list[Tensor]:
        layer = whole_layer()
        x, mine = inputs, torch.arange(12)
        if shared:
            mine = positions_of(12, shared[0].rank(), shared[0].size())
            x = inputs[mine]
        q, k, v = (
            torch.unflatten(project(x), -1, (4, 2)).transpose(0, 1)
            for project in (layer.q_proj, layer.k_proj, layer.v_proj)
        )
        context = (
            ring_attention(q, k, v, mine, *shared, is_causal=True)
            if shared
            else torch_attention(q, k, v, is_causal=True)
        )
        output = layer.out_proj(context.transpose(0, 1).flatten(1))
        torch.autograd.backward((output * of[mine]).sum())
        if shared:
            sum_gradients(layer, *shared)
        return [p.grad for p in layer.parameters() if p.grad is not None]

    expected = gradients()
    for actual in on_ranks(gradients, 3):
        for one, other in zip(actual, expected, strict=True):
            assert_near(one, other)


def test_a_missing_gradient_counts_as_zeros_and_a_frozen_parameter_stays_without_one() -> None:
    def work(group: ProcessGroup) -> list[Tensor | None]:
        module = torch.nn.ParameterDict({name: torch.ones(2, 3).mT for name in "abc"})
        module["c"].requires_grad_(False)
        module["a" if group.rank() == 0 else "b"].grad = torch.full((3, 2), 2.0).mT.mT
        sum_gradients(module, group)
        return [parameter.grad for parameter in module.parameters()]

    for a, b, frozen in on_ranks(work, 2):
        for grad in (a, b):
            assert grad is not None
            assert torch.equal(grad, torch.full((3, 2), 2.0))
        assert frozen is None


# head_tail_positions --------------------------------------------------------------------------


@pytest.mark.parametrize(("length", "world_size"), [(8, 1), (8, 2), (24, 3), (64, 8), (0, 2)])
def test_head_and_tail_share_out_all_tokens_and_the_work_evenly(
    length: int, world_size: int
) -> None:
    shares = [head_tail_positions(length, rank, world_size) for rank in range(world_size)]
    assert torch.cat(shares).sort().values.tolist() == list(range(length))
    # A token at place n sees n + 1.
    assert len({int((share + 1).sum()) for share in shares}) == 1


# Refusals -------------------------------------------------------------------------------------


def test_a_head_count_that_the_ranks_do_not_divide_is_refused_on_every_rank() -> None:
    x = randn(2, 4, 6)  # two heads for four ranks
    texts = messages(lambda group: all_to_all(x, -3, -2, group), 4)
    assert len(texts) == 4
    assert all(
        text.startswith("split_dim must be an axis") and "got -3, of size 2, for 4 ranks" in text
        for text in texts
    )


@pytest.mark.parametrize("world_size", [1, 2])
def test_ranks_that_do_not_compare_their_calls_give_the_same_numbers(
    world_size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def work(group: ProcessGroup, check: bool) -> list[Any]:
        layer = torch.nn.Linear(2, 1)
        layer(randn(2, seed=group.rank(), dtype=torch.float32)).backward()
        sum_gradients(layer, group, check=check)
        mine = torch.arange(4) + 4 * group.rank()
        return [
            layer.weight.grad,
            sum_over_group(randn(2, seed=group.rank()), group, check=check),
            copy_to_group(randn(2), group, check=check),
            all_to_all(randn(2, 2, seed=group.rank()), 0, 1, group, check=check),
            ring_attention(*heads(2, 2, 4), mine, group, is_causal=True, check=check),
        ]

    expected = on_ranks(partial(work, check=True), world_size)
    monkeypatch.setattr(_alike, "_gather_bytes", None)
    torch.testing.assert_close(on_ranks(partial(work, check=False), world_size), expected)
    for wrong, error in (([1.0], "x must be a tensor"), (randn(2).to("meta"), "x must be on a")):
        with pytest.raises((TypeError, ValueError), match=f"^{error}"):
            on_ranks(lambda group, x=wrong: sum_over_group(x, group, check=False), 1)  # type: ignore[misc]


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


def ring_of(*lengths: int) -> Callable[[ProcessGroup], Tensor]:
    def attend(group: ProcessGroup) -> Tensor:
        length = lengths[group.rank()]
        x = randn(2, length, 6)
        return ring_attention(x, x, x, torch.arange(length) + 10 * group.rank(), group)

    return attend


@pytest.mark.parametrize(
    ("call", "parts"),
    [
        (ring_of(4, 3), ["query (2, 4, 6)", "query (2, 3, 6)"]),
        (ring_of(4, 0), ["query (2, 4, 6)", "query (2, 0, 6)"]),
        (
            lambda group: sum_over_group(randn(2 + group.rank(), 3), group),
            ["x (2, 3)", "x (3, 3)"],
        ),
        (
            lambda group: copy_to_group(
                torch.ones(2, dtype=[torch.float32, torch.float64][group.rank()]), group
            ),
            ["torch.float32", "torch.float64"],
        ),
        (
            lambda group: all_to_all(randn(2, 2 + 2 * group.rank()), 0, 1, group),
            ["x (2, 2)", "x (2, 4)"],
        ),
        (
            lambda group: ring_attention(
                randn(2, 3), randn(2, 3), randn(2, 3), torch.arange(2), group,
                is_causal=group.rank() == 0,
            ),
            ["is_causal=True", "is_causal=False"],
        ),
        # On one rank the call is wrong by itself.
        (
            lambda group: all_to_all(randn(4, 4 - group.rank()), 1, 0, group),
            ["x (4, 4)", "x (4, 3)"],
        ),
        (
            lambda group: ring_attention(
                randn(2, 3), randn(2, 3), randn(2, 3), torch.arange(2 + group.rank()), group
            ),
            ["positions (2,)", "positions (3,)"],
        ),
        (
            lambda group: ring_attention(
                *heads(2, 2, 2), torch.arange(2), group, enable_gqa=group.rank() == 0
            ),
            ["enable_gqa=True", "enable_gqa=False"],
        ),
        (
            lambda group: (copy_to_group, sum_over_group)[group.rank()](randn(2), group),
            ["copy_to_group", "sum_over_group"],
        ),
        (
            lambda group: sum_gradients(torch.nn.Linear(2, 2 + group.rank()), group),
            ["weight (2, 2)", "weight (3, 2)"],
        ),
        (
            lambda group: ring_attention(
                randn(2, 3), randn(2, 3), randn(2, 3), torch.arange(2), group,
                block_size=1 + group.rank(),
            ),
            ["block_size=1", "block_size=2"],
        ),
    ],
    ids=[
        "length", "an empty share", "sum", "dtype", "all_to_all", "is_causal", "no split",
        "no position", "enable_gqa", "function", "module", "block_size",
    ],
)  # fmt: skip
def test_calls_that_are_not_alike_are_refused_on_every_rank(
    call: Callable[[ProcessGroup], object], parts: list[str]
) -> None:
    for text in messages(call, 2):
        _, *lines = text.splitlines()
        for rank, (line, part) in enumerate(zip(lines, parts, strict=True)):
            assert line.startswith(f"rank {rank}: ")
            assert part in line


def frozen(*layers: int) -> torch.nn.Module:
    module = torch.nn.Sequential(*(torch.nn.Linear(2, 2) for _ in range(40)))
    for layer in layers:
        module[layer].requires_grad_(False)
    return module


def of_other_sizes(last: int) -> torch.nn.Module:
    return torch.nn.Sequential(
        *(torch.nn.Linear(2, 2) for _ in range(40)), torch.nn.Linear(2, last)
    )


@pytest.mark.parametrize(
    ("modules", "parts"),
    [
        ([frozen(39), frozen(38)], ["38.weight (2, 2) torch.float32; 38.bias", "39.weight (2, 2)"]),
        ([frozen(39), frozen()], ["78 parameters", "80 parameters; 39.weight"]),
        ([of_other_sizes(3), of_other_sizes(4)], ["40.weight (3, 2)", "40.weight (4, 2)"]),
        ([frozen(*range(40)), frozen()], ["0 parameters", "80 parameters"]),
    ],
    ids=["another layer", "one more", "size", "all or none"],
)
def test_what_the_ranks_say_is_compared_to_the_end(
    modules: list[torch.nn.Module], parts: list[str]
) -> None:
    texts = messages(lambda group: sum_gradients(modules[group.rank()], group), 2)
    assert len(texts) == 2
    for text in texts:
        _, *lines = text.splitlines()
        for rank, (line, part) in enumerate(zip(lines, parts, strict=True)):
            assert line.startswith(f"rank {rank}: sum_gradients")
            assert part in line
        # Of 80 parameters only those are named that not all ranks have in common.
        assert ("20.weight" in text) == ("rank 0: sum_gradients, 0 parameters" in text)
