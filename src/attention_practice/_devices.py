"""Devices for exercises: threads in a ring, each of which gives tensors to the next one."""

from collections.abc import Callable
from queue import SimpleQueue
from threading import Thread
from typing import Any

from torch import Tensor

PassOn = Callable[[Tensor], Tensor]


def on_devices(work: Callable[[int, PassOn], Any], world_size: int) -> list[Any]:
    """Run `work(rank, pass_on)` on every device.

    Args:
        work: `pass_on(x)` in it gives x to the next device, and returns what the one before gave.
        world_size: The number of devices.

    Returns:
        What each device returned.

    Raises:
        Exception: The first that a device raised, by its own fault if there is such a one.
    """
    # None says that a device has ended, so that nobody waits for it.
    inboxes: list[SimpleQueue[Tensor | None]] = [SimpleQueue() for _ in range(world_size)]
    results: list[Any] = [None] * world_size

    def run(rank: int) -> None:
        following = inboxes[(rank + 1) % world_size]

        def pass_on(x: Tensor) -> Tensor:
            following.put(x)
            received = inboxes[rank].get()
            if received is None:
                raise EndedEarlyError(
                    "the device before has ended: each has to call pass_on equally often"
                )
            return received

        try:
            results[rank] = work(rank, pass_on)
        except (Exception, SystemExit) as error:  # raised below, by the caller's thread
            results[rank] = error
        following.put(None)

    threads = [Thread(target=run, args=(rank,), daemon=True) for rank in range(world_size)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    errors = [result for result in results if isinstance(result, BaseException)]
    if errors:
        raise min(errors, key=lambda error: isinstance(error, EndedEarlyError))
    return results


class EndedEarlyError(RuntimeError):
    """A device waits for one that sends no more."""


def sum_over(x: Tensor, pass_on: PassOn, world_size: int) -> Tensor:
    """Return the sum of what all devices give: each tensor goes round the ring once."""
    total, travelling = x, x
    for _ in range(world_size - 1):
        travelling = pass_on(travelling)
        total = total + travelling
    return total


def join_results(results: list[Any], join: Callable[[list[Tensor]], Tensor]) -> Any:
    """Join what the devices returned, or return what is no tensor as it is."""
    strange = [result for result in results if not isinstance(result, Tensor)]
    return strange[0] if strange else join(results)
