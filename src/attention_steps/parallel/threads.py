"""Threads that play devices: what the steps run on."""

# torch may be built without torch.distributed: then its names must not be looked up on import.
from __future__ import annotations

import datetime
import queue
import threading
import traceback
from collections.abc import Callable
from typing import TypeVar, cast

import torch
import torch.distributed as dist

from attention_steps._checks import check_callable, check_positive, check_size

T = TypeVar("T")


def run_on_threads(
    function: Callable[[dist.ProcessGroup], T], world_size: int, *, timeout: float = 60.0
) -> list[T]:
    r"""Call a function on threads that play devices, each with a gloo process group of its own.

    $$\mathrm{results}_r = \mathrm{function}(\mathrm{group}_r)
    \qquad \text{(not computed: a group is no tensor)}$$

    What it says to its group, such as `torch.distributed.all_reduce(x, group=group)`, goes through
    sockets, as between machines. Threads share a process: print in the main thread, and draw no
    random numbers in two ranks. `torch.autocast` is entered inside the function.

    Source: the [process groups](https://docs.pytorch.org/docs/stable/distributed.html) of
    torch.distributed.

    Names: `torchrun` starts processes in place of threads; its `--nproc-per-node` is `world_size`.

    Args:
        function: Called with the group; `group.rank()` tells which device it is.
        world_size: Number of threads.
        timeout: Seconds that one communication may take, before a rank that waits fails.

    Returns:
        The results of the function, one for each rank.

    Raises:
        BaseException: The error of the first rank that failed, with a note that names the rank.

        TypeError: If `world_size` is a float.
        ValueError: If `world_size` is not from 1 to 256, or `timeout` not positive, or above 1e9.

    Examples:
        >>> import torch
        >>> from attention_steps.parallel import run_on_threads
        >>> def add_up(group):
        ...     x = torch.tensor([1.0 + group.rank()])
        ...     torch.distributed.all_reduce(x, group=group)
        ...     return x
        >>> run_on_threads(add_up, 2)  # 1 + 2, on both
        [tensor([3.]), tensor([3.])]
    """
    check_callable("function", function)
    # Each thread opens a socket to each other.
    check_size("world_size", world_size, minimum=1, most=256)
    check_positive("timeout", timeout)
    if timeout > 10**9:
        raise ValueError(f"timeout must be at most {10**9} seconds, got {timeout}")
    store = dist.HashStore()  # type: ignore[attr-defined]
    # Kept until all ranks end: to destroy a group closes its connections.
    groups: dict[int, dist.ProcessGroup] = {}
    results: dict[int, T] = {}
    ended: queue.SimpleQueue[tuple[int, BaseException | None]] = queue.SimpleQueue()
    grad_enabled = torch.is_grad_enabled()  # a new thread would not know

    def start(rank: int) -> None:
        try:
            limit = datetime.timedelta(seconds=timeout)
            group = dist.ProcessGroupGloo(store, rank, world_size, limit)
            groups[rank] = cast(dist.ProcessGroup, group)
            del group
            with torch.set_grad_enabled(grad_enabled):
                results[rank] = function(groups[rank])
            ended.put((rank, None))
        except BaseException as error:
            # Before the group goes: the first error in the queue is raised, and those of the other
            # ranks follow from it.
            ended.put((rank, error))
            # Without its last reference the group closes its connections, and the ranks that wait
            # to receive from this one fail.
            _forget_local_variables(error)
            groups.pop(rank, None)

    threads = [threading.Thread(target=start, args=(r,), daemon=True) for r in range(world_size)]
    for thread in threads:
        thread.start()
    first: BaseException | None = None
    for _ in range(world_size):
        try:
            rank, error = ended.get(timeout=None if first is None else timeout)
        except queue.Empty:  # a rank that no longer communicates is not waited for
            break
        threads[rank].join()  # gloo aborts a process that ends while a group is destroyed
        if error is not None and first is None:
            error.add_note(f"raised on rank {rank} of {world_size}")
            first = error
    if first is not None:
        raise first
    return [results[rank] for rank in range(world_size)]


def _forget_local_variables(error: BaseException | None) -> None:
    """Clear the frames that an error and those before it passed, except those still running."""
    while error is not None:
        traceback.clear_frames(error.__traceback__)
        error = error.__cause__ or error.__context__
