"""What ranks say to each other, against the same on one. Each rank is a thread with gloo."""

import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
import torch
import torch.distributed as dist
from torch import Tensor
from torch.distributed import ProcessGroup

from attention_steps import (
    MultiHeadAttention,
    scaled_dot_product_attention,
)
from attention_steps.parallel import (
    _alike,
    all_to_all,
    copy_to_group,
    head_tail_positions,
    ring_attention,
    run_on_threads,
    sum_gradients,
    sum_over_group,
)
from tests.attention_steps.oracles import assert_near, randn, torch_attention
from tests.attention_steps.ranks import (
    FOREVER,
    contiguous,
    heads,
    messages,
    on_ranks,
    shared_out,
    with_gradients,
    within_the_limit,
)

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
        "length", "sum", "dtype", "is_causal", "no split", "no position", "function", "module",
        "block_size",
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
