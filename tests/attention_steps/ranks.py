"""Functions on ranks that are threads, and sequences that are shared out among them.

A time limit is there for what would hang; nothing here measures time.
"""

import threading
from collections.abc import Callable
from typing import TypeVar

import pytest
import torch
from torch import Tensor
from torch.distributed import ProcessGroup

from attention_steps.parallel import run_on_threads
from tests.attention_steps.oracles import randn

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
